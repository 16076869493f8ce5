"""Rules for the C of a description, so that it means the same wherever it is printed.

emit     statements with no lasting effect on names: they are printed in a block of their own, cannot jump out of it,
         and take their operands as closed expressions. It is one expression if the system may refuse it. If each
         line is whole statements, the lines are steps, and steps of other executions may stand between them
prelude  definitions, and macros that neither paste names together nor define a word of C or of isamap
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from isamap_smt.ir.c_names import KEYWORDS, STANDARD, reserved
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.states import writes_state

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction

_ASSIGNMENT = re.compile(r"\{\w+\} = [^;{}]*(?:\{\w+\}[^;{}]*)*;")
_DECLARED = re.compile(r"(?:[A-Za-z_]\w*\s+)+\**([A-Za-z_]\w*)\s*[=;\[]")
_HOLE = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_JUMPS = frozenset(("return", "break", "continue", "goto", "case", "default", "switch"))
_PRAGMAS = frozenset(("_Pragma", "__pragma"))
_DIRECTIVES = frozenset(("define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning"))
_STORAGE = frozenset(
    ("static", "extern", "typedef", "auto", "register", "inline", "const", "_Thread_local", "restrict")
)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_PRIMARY = re.compile(r"\w+(\(.*\))?", re.DOTALL)
FUNCTION = "put it into a function of the prelude"


def filled(code: str, operands: Dict[str, str], macros: frozenset[str] = frozenset(), own: bool = False) -> str:
    """The `emit` with its operands as closed expressions.

    An operand gets brackets unless it is one name, one call or a whole argument.
    macros: those of the prelude; they may do anything with an argument.

    >>> filled("{r} = f({m}, *{m});", {"r": "im_r", "m": "im_A + 4"})
    'im_r = f(im_A + 4, *(im_A + 4));'
    """
    careful = bool(macros) and bool(macros & words(_without_holes(code), own))

    def put(m: re.Match[str]) -> str:
        if m[1] is None:
            return m[0][0]
        text = operands[m[1]]
        before, after = code[: m.start()].rstrip()[-1:], code[m.end() :].lstrip()[:1]
        whole = before in ("(", ",") and after in (")", ",") and not careful
        return text if whole or _closed(text) else f"({text})"

    return _HOLE.sub(put, code)


def _closed(text: str) -> bool:
    """Whether it is one name, number or call."""
    if not _PRIMARY.fullmatch(text):
        return False
    depth, least = 0, len(text)
    for n, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == ")" and depth == 0:
            least = min(least, n)
    return least >= len(text) - 1


def statement(code: str, operands: Dict[str, str], macros: frozenset[str] = frozenset(), own: bool = False) -> str:
    """The `emit` with its operands as one statement: a block, so its declarations end with it.

    One assignment to an operand declares nothing and stays as it is.

    >>> statement("int t = {a}; {c} += t;", {"a": "im_a", "c": "im_c"})
    '{ int t = im_a; im_c += t; }'
    """
    plain = _ASSIGNMENT.fullmatch(code) is not None and not (macros and macros & words(_without_holes(code), own))
    text = filled(code, operands, macros, own)
    return text if plain else "{ " + " ".join(text.split("\n")) + " }"


def steps(
    code: str, operands: Dict[str, str], mark: str, macros: frozenset[str] = frozenset(), own: bool = False
) -> tuple[str, ...]:
    """The `emit` with its operands as successive statements; statements of other executions may stand between them.

    Names declared in them get this mark. Code other than a list of whole lines is one statement.

    >>> steps("int t = {a};\\n{c} += t;", {"a": "im_a", "c": "im_c"}, "1")
    ('int isamap_t_1 = im_a;', 'im_c += isamap_t_1;')
    """
    lines = code.split("\n")
    if not all(_whole(_without_holes(line)) for line in lines):
        return (statement(code, operands, macros, own),)
    declared = _declared(lines)
    if declared is None:
        return (statement(code, operands, macros, own),)
    names = {n: _of_isamap(n, mark) for n in declared}
    local = re.compile(rf"(?<![\w{{])(?:{'|'.join(sorted(names))})(?!\w)") if names else None
    renamed = (local.sub(lambda m: names[m[0]], line) if local else line for line in lines)
    return tuple(filled(line, operands, macros, own) for line in renamed)


def _declared(lines: Iterable[str]) -> set[str] | None:
    """The names declared by the lines, one a declaration; None if a declaration has several."""
    found = set()
    for line in lines:
        plain = _STRING.sub("0", line)
        depth = [0, *accumulate((c in "([{") - (c in ")]}") for c in plain)]
        ends = [-1, *(n for n, c in enumerate(plain) if c == ";" and not depth[n])]
        for a, b in pairwise(ends):
            m = _DECLARED.match(plain[a + 1 : b + 1].strip())
            if m and any(c == "," and not depth[a + 1 + n] for n, c in enumerate(plain[a + 1 : b])):
                return None
            found |= {m[1]} if m else set()
    return found


def _of_isamap(name: str, mark: str) -> str:
    """One name made of both, in the form reserved to isamap."""
    first, second = (mark, name) if mark.startswith("isamap_") and not name.startswith("isamap_") else (name, mark)
    return f"{first}_{second}" if first.startswith("isamap_") else f"isamap_{first}_{second}"


def _whole(line: str) -> bool:
    """Whether the line is whole statements, independent of other lines."""
    plain = _STRING.sub("0", line).strip()
    depth = list(accumulate((c in "([{") - (c in ")]}") for c in plain))
    begins = re.match(r"\w*", plain)
    kept = begins is not None and begins[0] in ("else", "while", "do")
    return bool(depth) and min(depth) >= 0 and depth[-1] == 0 and plain[-1] in ";}" and not kept


def _without_holes(code: str) -> str:
    """The same C, of the same length, with a number in each hole and plain braces."""
    return _HOLE.sub(lambda m: m[0][0] + " " if m[1] is None else "0".ljust(len(m[0])), code)


# ---- one instruction ---------------------------------------------------------------------------------------------------


def check_instruction(i: Instruction) -> None:
    """Raises LanguageError, with the line of the text, unless its C keeps the rules of this module."""
    if isinstance(i.prelude, str):
        raise LanguageError(f"instruction {i.name}: prelude is one text; write prelude=(text,)")
    check_types(i)
    given: list[tuple[str, str, Callable[[str], None]]] = []
    if i.emit:
        operands = _operands(i)
        given.append(("emit", i.emit, lambda code: _emit(code, operands, _expression if i.may_fail else _statements)))
    numbers = [""] if len(i.prelude) == 1 else [f" {n}" for n in range(1, len(i.prelude) + 1)]
    given += [(f"prelude{n}", part, _prelude) for n, part in zip(numbers, i.prelude, strict=True)]
    for what, text, check in given:
        try:
            check(text)
        except FaultError as fault:
            raise located(f"instruction {i.name}: {what}", text, fault) from None


def _operands(i: Instruction) -> tuple[str, ...]:
    """The names allowed in braces in `emit`. Raises LanguageError if one would mean two things."""
    whole = i.kind != "configure" or i.grants is not None
    own = [t.name for t in i.kernel.tensors if whole or t.name in i.kernel.inputs]
    more = [parameter for _, parameter in i.counted] + list(i.strides) + [held.memory for held in i.numbers_needed]
    if i.engine:  # the set of cells that is needed or written
        more += dict.fromkeys(m for m in (*(n.memory for n in i.cells_needed), writes_state(i)) if m)
    for n in more:
        if n in own:
            raise LanguageError(f"instruction {i.name}: operand {n} is called what {{{n}}} means in emit; rename it")
    return (*own, *more)


def check_types(i: Instruction) -> None:
    """Raises LanguageError unless C types are words that declare a variable, and headers name a file."""
    own = [t.name for t in i.kernel.tensors]
    for operand, text in i.c_types:
        place = f"instruction {i.name}: c_types of {operand}"
        if operand not in own:
            raise LanguageError(f"{place}: there is no such operand; {did_you_mean(operand, own)}")
        try:
            found = tokens(text)
        except FaultError as fault:
            raise located(place, text, fault) from None
        if re.fullmatch(r"enum [0-9]+", text):
            raise LanguageError(f"{place}: {text!r} is gone: leave it out, and write needs=('{operand} < {text[5:]}',)")
        if not found or any(t.kind != "word" or t.text in _STORAGE for t in found):
            raise LanguageError(
                f"{place}: {text!r} is no type that can stand before a list of variables; "
                "name it by a typedef in the prelude"
            )
    for h in i.headers:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*", h):
            raise LanguageError(f"instruction {i.name}: header {h!r} is no name of a file, such as 'immintrin.h'")


def _emit(code: str, operands: tuple[str, ...], form: Callable[[str], None]) -> None:
    for m in _HOLE.finditer(code):
        if m[0] in ("{", "}"):
            hint = "write {operand}, {{ for a brace of C, or }}"
            raise FaultError(m.start(), f"this {m[0]} is half of something", hint)
        if m[1] is not None and m[1] not in operands:
            raise FaultError(m.start(), f"{m[0]} is no operand here", did_you_mean(m[1], operands), len(m[0]))
        beside = re.search(r"[\w}]\Z", code[: m.start()]) or re.match(r"[\w{]", code[m.end() :])
        if m[1] is not None and beside:
            raise FaultError(m.start(), f"{m[0]} would grow together with its neighbour", "put a blank between", 1)
    plain = _without_holes(code)
    for t in tokens(plain):
        if t.kind == "string":
            inside = code[t.offset : t.offset + len(t.text)]
            if any(m[1] is not None for m in _HOLE.finditer(inside)):
                raise FaultError(
                    t.offset, "an operand stands in a string", "operands are expressions of C", len(t.text)
                )
    form(plain)


def _statements(code: str) -> None:
    """Raises FaultError unless the code is whole statements, left by control at their end only."""
    found = tokens(code)
    if not found:
        raise FaultError(0, "this says nothing", "write a statement")
    before, choices = ";", 0
    for n, t in enumerate(found):
        if t.kind == "comment":
            raise FaultError(t.offset, "a comment", "comments belong into the prelude, or in front of the text", 2)
        if t.text in _JUMPS:
            raise FaultError(t.offset, f"{t.text} would leave the statements", FUNCTION, len(t.text))
        following = found[n + 1].text if n + 1 < len(found) else ""
        choices = 0 if t.text == ";" else choices + (t.text == "?") - (t.text == ":" and choices > 0)
        if t.kind == "word" and following == ":" and not choices and before in (";", "{", "}", ")"):
            raise FaultError(t.offset, f"{t.text} is a label", FUNCTION, len(t.text))
        before = t.text
    _common(found)
    last = [t for t in found if t.kind != "line"][-1]
    if last.text not in ";}":
        raise FaultError(last.offset, "the last statement is not ended", "end it with ;", len(last.text))


def _expression(code: str) -> None:
    """Raises FaultError unless the code is one expression."""
    found = tokens(code)
    for t in found:
        if t.kind == "comment" or t.text in (";", "{", "}"):
            raise FaultError(t.offset, f"{t.text[:2]} in an expression", FUNCTION)
    _common(found)


def _common(found: tuple[Token, ...]) -> None:
    check_brackets(found)
    for t in found:
        if t.kind == "paste" or t.text == "#":
            raise FaultError(t.offset, "a line for the preprocessor", "such lines belong into the prelude", len(t.text))
        _check_pragma(t)


def _check_pragma(t: Token) -> None:
    if t.text in _PRAGMAS:
        raise FaultError(t.offset, f"{t.text} changes how the compiler reads what follows", "leave it out", len(t.text))


# ---- preludes ----------------------------------------------------------------------------------------------------------


@cache
def _prelude(text: str) -> None:
    """Raises FaultError if a text reaches further than itself. Most instructions share theirs with others."""
    found = [t for t in tokens(text) if t.kind != "comment"]
    check_brackets([t for line in _lines(found) if line[0].text != "#" for t in line])
    around: list[Token] = []
    for t in found:
        _check_pragma(t)
        if t.kind == "paste":
            raise FaultError(t.offset, "## makes a name of two", "names are passed whole; write them out", 2)
    for line in _lines(found):
        if line[0].text == "#" and len(line) > 1:
            _directive(line, around)
    taken = _functions(text) & STANDARD
    for t in found:
        if t.text in taken:
            raise FaultError(t.offset, f"{t.text} is defined by C itself", "take another name", len(t.text))
    if around:
        raise FaultError(around[-1].offset, "this #if has no #endif", "end it within the text")


def _lines(found: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens of each line, empty lines left out."""
    line: list[Token] = []
    for t in found:
        if t.kind != "line":
            line.append(t)
        elif line:
            yield line
            line = []
    if line:
        yield line


def _directive(line: list[Token], around: list[Token]) -> None:
    what = line[1]
    if what.text not in _DIRECTIVES:
        hint = "name the file in headers" if what.text == "include" else "leave it out"
        raise FaultError(what.offset, f"#{what.text} reaches beyond the prelude", hint, len(what.text))
    check_brackets(line)
    if what.text in ("if", "ifdef", "ifndef"):
        around.append(what)
    elif what.text in ("elif", "else", "endif"):
        if not around:
            raise FaultError(what.offset, f"#{what.text} without #if", "begin it within the text", len(what.text))
        if what.text == "endif":
            around.pop()
    elif what.text in ("define", "undef") and len(line) > 2:
        name = line[2]
        if name.text in KEYWORDS | STANDARD or re.match(r"_[_A-Z]", name.text):
            hint = "others use it too: the compiler's headers, or the C that isamap prints; take another name"
            raise FaultError(name.offset, f"#{what.text} of {name.text}, a word of C", hint, len(name.text))


def macros(prelude: Iterable[str]) -> frozenset[str]:
    """The names defined or undefined by texts for the preprocessor."""
    return frozenset[str]().union(*map(_macros, prelude))


@cache
def _macros(part: str) -> frozenset[str]:
    names = ("define", "undef")
    return frozenset(x[2].text for x in _lines(tokens(part)) if len(x) > 2 and x[0].text == "#" and x[1].text in names)


# ---- several instructions in one file of C -----------------------------------------------------------------------------


def check_together(instructions: Iterable[Instruction]) -> None:
    """Raises LanguageError if one instruction's prelude gives a meaning to words in another's C."""
    all_of_them = [i for i in instructions if not i.own]
    holders: dict[str, list[Instruction]] = {}
    for i in all_of_them:
        for part in i.prelude:
            holders.setdefault(part, []).append(i)
    for part, having in holders.items():
        mine = macros([part])
        defined = _functions(part)
        for i in all_of_them if mine else ():
            if part not in i.prelude and (met := mine & said_by(i)):
                _refuse(having[0], f"defines the macro {min(met)}, which the C of {i.name} holds", min(met))
        for other, theirs in holders.items():
            if other != part and (twice := defined & _functions(other)):
                name = min(twice)
                _refuse(having[0], f"defines {name}, and that of {theirs[0].name} does so otherwise", name)


def _refuse(one: Instruction, what: str, name: str) -> None:
    raise LanguageError(
        f"instruction {one.name}: its prelude {what}\n"
        f"  rename {name} in one of them, or give both instructions the same text of the prelude, in parts: "
        f"prelude=(COMMON, OWN)"
    )


def said_by(i: Instruction) -> frozenset[str]:
    """All words of an instruction's C."""
    texts = (*i.prelude, *(t for _, t in i.c_types))
    return words(_without_holes(i.emit), i.composed or i.own).union(*(words(t, i.own) for t in texts))


@cache
def _functions(part: str) -> frozenset[str]:
    """The functions and types defined by a text, outside of its macros."""
    found, depth, last, named, typedef = set(), 0, "", "", False
    for line in _lines(t for t in tokens(part) if t.kind != "comment"):
        if line[0].text == "#":
            continue
        for t in line:
            if t.kind == "word" and depth == 0:
                typedef = typedef or t.text == "typedef"
                last = last if t.text in KEYWORDS else t.text
            elif t.text in ("(", "[", "{"):
                if t.text == "{" and depth == 0 and named:
                    found.add(named)
                if t.text == "(" and depth == 0:
                    named = last
                depth += 1
            elif t.text in (")", "]", "}"):
                depth -= 1
                if t.text == "}" and depth == 0 and not typedef:
                    named = last = ""
            elif t.text == ";" and depth == 0:
                if typedef:
                    found.add(last)
                typedef, named, last = False, "", ""
    return frozenset(found)


# ---- C written by others, cut into tokens; every fault in it points back at its line.
#
# What could reach beyond the text is refused here: a comment, string or bracket that stays open, a trigraph, a digraph, a
# backslash that joins lines outside a definition, and names of the form that only isamap uses.


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
    """The error to raise: place, line and column, the fault, the line with a caret, and the fix."""
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
    """The tokens, without blanks; lines joined by a backslash are one.

    Raises FaultError if C might read the text otherwise.
    """
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
    """The position in the text of each character left once joined lines are one."""
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
    """All identifiers and keywords in the text. own: isamap wrote it, so names reserved to it may occur."""
    if own:
        return frozenset(re.findall(r"[A-Za-z_]\w*", text))
    return frozenset(t.text for t in tokens(text) if t.kind == "word")


def check_brackets(found: tuple[Token, ...] | list[Token]) -> None:
    """Raises FaultError unless each bracket has its partner."""
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
