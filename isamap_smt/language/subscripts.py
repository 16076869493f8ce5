"""The subscripts of einsum, as NumPy reads them.

bhqd,bhkd->bhqk     axes missing in the result are summed: d
ij,jk               without an arrow the result has each letter used once, in alphabetical order
...ij,...jk->...ik  the dimensions of `...` are paired from the last one on
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.errors import ArgumentError, LanguageError

DOTS = "..."


@dataclass(frozen=True)
class Subscripts:
    """The axis of each dimension of each operand, and of the result. Names of axes are names of the language."""

    equation: str
    terms: tuple[tuple[str, ...], ...]
    target: tuple[str, ...]

    def extents(self, shapes: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """Extent of each axis, by the operands' shapes. Raises ArgumentError if two differ, and neither is 1."""
        found: dict[str, tuple[Any, int]] = {}
        for number, (term, shape) in enumerate(zip(self.terms, shapes, strict=True)):
            for axis, n in zip(term, shape, strict=True):
                before, there = found.get(axis, (1, number))
                if 1 not in (n, before) and n != before:
                    letter = DOTS if axis[0] == "d" else axis[1].upper() if axis.endswith("_") else axis[1]
                    said = f"{letter} is {before} in operand {there + 1}, and {n} in operand {number + 1}"
                    raise ArgumentError(f"einsum {self.equation!r}: {said}")
                found[axis] = (before, there) if n == 1 else (n, number)
        return {axis: n for axis, (n, _) in found.items()}


def read_subscripts(equation: str, ranks: Sequence[int]) -> Subscripts:
    """The subscripts of an equation for operands with so many dimensions. Raises LanguageError with the place in it."""
    return _Reader(equation, ranks).read()


@dataclass(frozen=True)
class _Reader:
    equation: str
    ranks: Sequence[int]

    def read(self) -> Subscripts:
        left, arrow, right = self.equation.partition("->")
        self._check_characters(left, 0)
        self._check_characters(right, len(left) + 2)
        terms = left.split(",")
        if len(terms) != len(self.ranks):
            count = f"{len(terms)} operand{'s' if len(terms) > 1 else ''}"
            raise LanguageError(f"einsum {self.equation!r}: it names {count}, and {len(self.ranks)} are given")
        starts = [sum(len(t) + 1 for t in terms[:n]) for n in range(len(terms))]
        found = [_parts(t) for t in terms]
        most = 0
        for n, (term, (letters, dots), rank) in enumerate(zip(terms, found, self.ranks, strict=True)):
            free = rank - len(letters)
            if free < 0 or (free and dots is None):
                what = f"{len(letters)} letter{'' if len(letters) == 1 else 's'}"
                wrong = (
                    f"{term.strip()!r} has {what}, and operand {n + 1} has {rank} dimension{'' if rank == 1 else 's'}"
                )
                raise self._error(starts[n], wrong + ("; write ... for the others" if free > 0 else ""))
            most = max(most, free)
        read = tuple(_axes(letters, dots, most, rank - len(letters))
                     for (letters, dots), rank in zip(found, self.ranks, strict=True))  # fmt: skip
        if not arrow:
            every = "".join(letters for letters, _ in found)
            return Subscripts(
                self.equation, read, _axes("".join(sorted(c for c in every if every.count(c) == 1)), 0, most, most)
            )
        return Subscripts(
            self.equation, read, self._target(right, len(left) + 2, "".join(letters for letters, _ in found), most)
        )

    def _target(self, text: str, start: int, known: str, most: int) -> tuple[str, ...]:
        letters, dots = _parts(text)
        for at, c in enumerate(text):
            if c.isalpha() and c not in known:
                raise self._error(start + at, f"no operand has the letter {c!r}")
            if c.isalpha() and text.index(c) < at:
                raise self._error(start + at, f"the result has the letter {c!r} twice")
        if most and dots is None:
            raise self._error(start, "operands have dimensions that ... stands for: the result must have ..., too")
        return _axes(letters, dots, most, most)

    def _check_characters(self, text: str, start: int) -> None:
        """Letters, spaces, commas on the left, and dots three at a time, once in each term."""
        at = 0
        dotted = False
        while at < len(text):
            c = text[at]
            if c == "." and text[at : at + 3] == DOTS and not dotted:
                dotted, at = True, at + 3
                continue
            if c == "," and not start:
                dotted = False
            elif not (c == " " or (c.isascii() and c.isalpha())):
                expected = "a letter, ... or a space" if start else "a letter, ..., a comma, a space or ->"
                found = "... a second time" if text[at : at + 3] == DOTS else repr(c)
                raise self._error(start + at, f"{found}, expected {expected}")
            at += 1

    def _error(self, at: int, what: str) -> LanguageError:
        return LanguageError(f"einsum {self.equation!r}, column {at + 1}: {what}")


def _parts(term: str) -> tuple[str, int | None]:
    """The letters of a term, and how many of them stand before its dots; None without any."""
    text = term.replace(" ", "")
    at = text.find(DOTS)
    return text.replace(DOTS, ""), None if at < 0 else at


def _axes(letters: str, dots: int | None, most: int, own: int) -> tuple[str, ...]:
    """Names of the axes: of letters, capital ones with a line behind, and of the last `own` of `most` dotted dimensions."""
    named = [f"l{c}" if c.islower() else f"l{c.lower()}_" for c in letters]
    between = [f"d{n}" for n in range(most - own, most)]
    return tuple(named if dots is None else [*named[:dots], *between, *named[dots:]])


def from_lists(lists: Sequence[Sequence[object]], target: Sequence[object] | None) -> str:
    """The equation written as lists of numbers from 0 to 51 and `...`: `einsum(a, [0, 1], b, [1, 2], [0, 2])`."""
    terms = [_from_list(n + 1, some) for n, some in enumerate(lists)]
    return ",".join(terms) + ("" if target is None else "->" + _from_list(0, target))


def _from_list(number: int, some: Sequence[object]) -> str:
    text = ""
    for x in some:
        if x is Ellipsis:
            text += DOTS
        elif isinstance(x, int) and 0 <= x < 52:
            text += chr(ord("A") + x) if x < 26 else chr(ord("a") + x - 26)
        else:
            where = f"the list of operand {number}" if number else "the list of the result"
            raise LanguageError(f"einsum: {where} has {x!r}, expected a number from 0 to 51, or ...")
    return text
