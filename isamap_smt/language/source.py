"""Kernel text as the user wrote it, cut into logical lines; every error points back into it with a caret."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isamap_smt.ir.errors import LanguageError

_OPEN, _CLOSE = "([{", ")]}"


WIDEST = 160  # characters of a line that an error shows


@dataclass(frozen=True)
class Source:
    """The whole text, and the file it came from ('' when it was passed as a string)."""

    text: str
    file: str = ""

    def line(self, offset: int) -> int:
        """The number of the line, from 1."""
        return self.text.count("\n", 0, offset) + 1

    def place(self, offset: int) -> str:
        """The line in words: `norms.txt:3`, or `line 3` of a text without a file."""
        return f"{self.file}:{self.line(offset)}" if self.file else f"line {self.line(offset)}"

    def error(self, offset: int, message: str, hint: str = "", width: int = 1) -> LanguageError:
        """The error to raise: place, message, the line, a caret under `offset` (`width` columns), and the fix."""
        line = self.line(offset)
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", start)
        shown = self.text[start : end if end >= 0 else len(self.text)]
        column = offset - start + 1
        place = f"{self.place(offset)}:{column}" if self.file else f"{self.place(offset)}, column {column}"
        width = max(1, min(width, len(shown) - column + 1))
        first = max(0, column - WIDEST // 2) if len(shown) > WIDEST else 0
        part, width = shown[first : first + WIDEST], min(width, WIDEST // 2)
        before, after = "... " if first else "", " ..." if first + len(part) < len(shown) else ""
        under = " " * (len(before) + column - 1 - first) + "^" * width
        parts = [f"{place}: {message}", f"    {before}{part}{after}", f"    {under}"]
        if hint:
            parts.append(f"  {hint}")
        error = LanguageError("\n".join(parts))
        error.line, error.column = line, column
        return error


@dataclass(frozen=True)
class Segment:
    """A piece of the source: its characters, each with its offset in the text (for columns in errors)."""

    source: Source
    text: str
    offsets: tuple[int, ...]

    def error(self, position: int, message: str, hint: str = "", width: int = 1) -> LanguageError:
        """Source.error at a position inside this piece."""
        if not self.offsets:
            return self.source.error(0, message, hint)
        return self.source.error(self.offsets[max(0, min(position, len(self.offsets) - 1))], message, hint, width)

    def refuse(self, message: str, hint: str = "") -> LanguageError:
        """The same about all of this piece."""
        return self.error(0, message, hint, len(self.text))

    def cut(self, start: int, end: int | None = None) -> Segment:
        """The piece [start, end) of this piece, without blanks around it."""
        end = len(self.text) if end is None else end
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        # An empty piece still points somewhere: at where it would have stood.
        offsets = self.offsets[start:end] or self.offsets[max(0, min(start, len(self.offsets) - 1)) :][:1]
        return Segment(self.source, self.text[start:end], offsets)

    def depths(self) -> list[int]:
        """For each character, how many brackets are open around it."""
        depth, found = 0, []
        for c in self.text:
            if c in _CLOSE:
                depth -= 1
            found.append(depth)
            if c in _OPEN:
                depth += 1
        return found


def logical_lines(source: Source) -> list[Segment]:
    """The lines with content: comments dropped, and lines joined while a bracket is open or `where` follows.

    Raises LanguageError for a bracket without its partner and for characters outside ASCII.
    """
    lines: list[list[tuple[str, int]]] = [[]]
    brackets: list[tuple[str, int]] = []
    comment = False
    for offset, c in enumerate(source.text):
        comment = (comment or c == "#") and c != "\n"
        if comment:
            continue
        if not c.isascii():
            raise source.error(offset, f"the character {c!r} is not part of the language", "use ASCII characters")
        _match_bracket(source, brackets, c, offset)
        if c == "\n" and not brackets:
            lines.append([])
        else:
            lines[-1].append((" " if c.isspace() else c, offset))
    if brackets:
        c, offset = brackets[-1]
        raise source.error(offset, f"this {c!r} is never closed", f"add {_CLOSE[_OPEN.index(c)]!r}")
    return [_segment(source, line) for line in _join(lines)]


def _match_bracket(source: Source, brackets: list[tuple[str, int]], c: str, offset: int) -> None:
    if c in _OPEN:
        brackets.append((c, offset))
    elif c in _CLOSE:
        want = _OPEN[_CLOSE.index(c)]
        if not brackets:
            raise source.error(offset, f"{c!r} closes nothing", f"remove it, or open {want!r} before it")
        if brackets[-1][0] != want:
            close = _CLOSE[_OPEN.index(brackets[-1][0])]
            raise source.error(offset, f"{c!r} closes {brackets[-1][0]!r}", f"write {close!r} here")
        brackets.pop()


def _join(lines: list[list[tuple[str, int]]]) -> list[list[tuple[str, int]]]:
    """Blank lines dropped; lines opening with `over`, `where`, `and` or `ordered` are joined to the line before."""
    joined: list[list[tuple[str, int]]] = []
    for line in lines:
        text = "".join(c for c, _ in line).strip()
        if not text:
            continue
        if joined and re.match(r"(over|where|and|ordered)\b", text):
            joined[-1] = [*joined[-1], (" ", line[0][1]), *line]
        else:
            joined.append(line)
    return joined


def _segment(source: Source, line: list[tuple[str, int]]) -> Segment:
    return Segment(source, "".join(c for c, _ in line), tuple(o for _, o in line)).cut(0)
