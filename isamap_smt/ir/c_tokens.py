"""C that others wrote, cut into tokens; every fault in it points back at its line.

What could reach beyond the text is refused here: a comment, string or bracket that stays open, a trigraph, a digraph, a
backslash that joins lines outside a definition, and names of the form that only isamap uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from isamap_smt.ir.c_names import reserved
from isamap_smt.ir.errors import LanguageError

_TOKEN = re.compile(
    r"""(?P<line>\n)
    |(?P<space>[ \t\r\f\v]+)
    |(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<open>/\*|(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*(?:\n|\Z)|'(?:[^'\\\n]|\\.)*(?:\n|\Z)))
    |(?P<string>(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*)
    |(?P<digraph><:|:>|<%|%>|%:)
    |(?P<paste>\#\#)
    |(?P<other>[!-~])
    |(?P<odd>.)""",
    re.VERBOSE | re.DOTALL,
)
_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
_JOINED = re.compile(r"\\[ \t\r\f\v]*\n")
_CLOSES = {")": "(", "]": "[", "}": "{"}


class FaultError(Exception):
    """Something at an offset of a text, with what to do; told with its line by `located`."""

    def __init__(self, offset: int, message: str, hint: str = "", width: int = 1) -> None:
        super().__init__(message)
        self.offset, self.message, self.hint, self.width = offset, message, hint, width


def located(place: str, text: str, fault: FaultError) -> LanguageError:
    """The error to raise: place, line and column, what is wrong, the line with a caret, and the fix."""
    line = text.count("\n", 0, fault.offset) + 1
    start = text.rfind("\n", 0, fault.offset) + 1
    shown = text[start:].partition("\n")[0]
    column = fault.offset - start + 1
    width = max(1, min(fault.width, len(shown) - column + 1))
    parts = [f"{place}, line {line}, column {column}: {fault.message}", f"    {shown}"]
    parts.append("    " + " " * (column - 1) + "^" * width)
    if fault.hint:
        parts.append(f"  {fault.hint}")
    error = LanguageError("\n".join(parts))
    error.line, error.column = line, column
    return error


@dataclass(frozen=True)
class Token:
    """kind: word, number, string, other, paste, line or comment. offset: where it begins in the text."""

    kind: str
    text: str
    offset: int


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens, without blanks; lines that a backslash joins are one. Raises FaultError for what C might read otherwise."""
    if found := _TRIGRAPH.search(text):
        hint = "C puts another character in its place; write the two question marks apart"
        raise FaultError(found.start(), f"{found[0]} is a trigraph", hint, 3)
    if re.search(r"\\\s*\Z", text):
        hint = "end the text without a backslash"
        raise FaultError(len(text.rstrip()) - 1, "this backslash would join what follows the text to it", hint)
    joined = _JOINED.sub("", text)
    offsets = _offsets(text)
    made = []
    for m in _TOKEN.finditer(joined):
        kind, at = str(m.lastgroup), offsets[m.start()]
        if kind == "open":
            what = "comment" if m[0] == "/*" else "string"
            raise FaultError(at, f"this {what} is never closed", "close it on its line, or within the text", 2)
        if kind == "digraph":
            raise FaultError(at, f"{m[0]} is a digraph", "write the bracket or # that it stands for", 2)
        if kind == "odd" or m[0] == "\\":
            raise FaultError(at, f"the character {m[0]!r} is no part of C here", "write it in ASCII, without escapes")
        if kind != "space":
            made.append(Token(kind, m[0], at))
    _check_names(made)
    return tuple(made)


def _offsets(text: str) -> list[int]:
    """Where each character of the text without joins of lines stands in it."""
    kept: list[int] = []
    at = 0
    for m in _JOINED.finditer(text):
        kept += range(at, m.start())
        at = m.end()
    return [*kept, *range(at, len(text) + 1)]


def _check_names(found: list[Token]) -> None:
    for t in found:
        held = t.text if t.kind == "word" else ""
        if t.kind == "string":  # `asm` can name things in one
            held = next((w for w in re.findall(r"[A-Za-z_]\w*", t.text) if reserved(w)), "")
        if reserved(held):
            hint = "names that begin with im_ or isamap_ are those of the C that isamap prints; take another"
            raise FaultError(t.offset, f"{held} is a name that only isamap may use", hint, len(t.text))


def words(text: str, own: bool = False) -> frozenset[str]:
    """All identifiers and keywords in the text. own: isamap wrote it, with the names that it keeps to itself."""
    if own:
        return frozenset(re.findall(r"[A-Za-z_]\w*", text))
    return frozenset(t.text for t in tokens(text) if t.kind == "word")


def check_brackets(found: tuple[Token, ...] | list[Token]) -> None:
    """Nothing happens where each bracket has its partner. Raises FaultError."""
    around: list[Token] = []
    for t in found:
        if t.kind != "other":
            continue
        if t.text in "([{":
            around.append(t)
        elif t.text in ")]}":
            if not around or around[-1].text != _CLOSES[t.text]:
                raise FaultError(t.offset, f"this {t.text} closes nothing", "remove it, or open its partner")
            around.pop()
    if around:
        raise FaultError(around[-1].offset, f"this {around[-1].text} is never closed", "close it within the text")
