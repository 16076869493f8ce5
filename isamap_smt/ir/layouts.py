"""Layouts: operands whose element (i, k) lies in row `row(i, k)` and column `column(i, k)` of an addressed memory.

    rf[r,l]                                      a box: an axis counts rows, another one columns
    rf[2*(i//8) + k//4, (i%8)*4 + k%4]           a fragment: the registers of 32 lanes, of an operand of 16 x 8

Both are sums of digits of the operand's index, such as `i // 8` and `i % 8`, times numbers. Each cell has one element at
most. Where each digit can be read off a row or a column again, the element of a cell is known: the inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, permutations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from isamap_smt.ir.engines import Operand
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.expr import FloorDiv, FloorMod, elements, evaluate, sym, symbols_of, words
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import is_open

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware

LOOKED_AT = 1 << 22  # elements of an operand whose rows and columns are no axes
ROW, COLUMN = sym("row"), sym("column")


def is_box(o: Operand) -> bool:
    """Whether row and column are axes, or 0."""
    return all(e is None or sp.sympify(e).is_Symbol or e == 0 for e in (o.row, o.column))


@dataclass(frozen=True)
class Digit:
    """`axis // low % count`, `weight` times. turned: `count - 1` less that."""

    weight: int
    axis: str
    low: int
    count: int
    turned: bool = False

    def seen(self, value: Any) -> Any:
        """As the digit stands in a sum if it has this value, and the other way round."""
        return self.count - 1 - value if self.turned else value


@dataclass(frozen=True)
class Layout:
    """index: of the operand, plain axes, with their extents. row, column: over these."""

    index: tuple[tuple[str, int], ...]
    row: Any
    column: Any

    @cached_property
    def at(self) -> tuple[np.ndarray, np.ndarray]:
        """(row, column) of each element, in the order of the index."""
        shape = tuple(n for _, n in self.index)
        env = dict(zip((a for a, _ in self.index), np.indices(shape), strict=True))
        row, column = (np.broadcast_to(np.asarray(evaluate(e, env)), shape) for e in (self.row, self.column))
        return row, column

    @property
    def rows(self) -> int:
        """How many there are up to the last one with an element."""
        return int(self.at[0].max()) + 1

    @property
    def columns(self) -> int:
        """The same of columns."""
        return int(self.at[1].max()) + 1

    @cached_property
    def twice(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Two elements in one cell; None if there are none."""
        row, column = (x.ravel() for x in self.at)
        code = (row - row.min()) * (int(column.max() - column.min()) + 1) + column - column.min()
        _, first, which = np.unique(code, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[which] != np.arange(code.size))[:1]
        if not again.size:
            return None
        shape = tuple(n for _, n in self.index)
        return self._element(int(first[which[again[0]]]), shape), self._element(int(again[0]), shape)

    @staticmethod
    def _element(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(int(n) for n in np.unravel_index(number, shape))

    @cached_property
    def inverse(self) -> dict[str, Any] | None:
        """Axis -> its value in the cell at ROW and COLUMN; None if not found."""
        made = _Reading(dict(self.index)).values((ROW, self.row), (COLUMN, self.column))
        return made if made is not None and self._inverts(made) else None

    def _inverts(self, made: Mapping[str, Any]) -> bool:
        shape = tuple(n for _, n in self.index)
        env = {"row": self.at[0], "column": self.at[1]}
        points = zip(self.index, np.indices(shape), strict=True)
        return all(np.array_equal(np.broadcast_to(evaluate(made[a], env), shape), v) for (a, _), v in points)

    def alike(self, other: Layout) -> dict[str, str] | None:
        """Axis of the other one -> the axis here, so that their elements lie in the same cells; None if they do not."""
        if len(self.index) != len(other.index):
            return None
        for order in permutations(range(len(self.index))):
            if all(self.index[k][1] == n for k, (_, n) in zip(order, other.index, strict=True)):
                mine = [np.transpose(x, order) for x in self.at]
                if all(np.array_equal(x, y) for x, y in zip(mine, other.at, strict=True)):
                    return {a: self.index[k][0] for k, (a, _) in zip(order, other.index, strict=True)}
        return None


@lru_cache(maxsize=1024)
def layout_of(i: Instruction, operand: str) -> Layout:
    """Of an operand in an addressed memory whose index is plain axes, with known extents."""
    o, extents = i.operand(operand), i.axes
    return Layout(tuple((str(a), extents[str(a)]) for a in i.indices[operand]), sp.sympify(o.row), sp.sympify(o.column))


def has_layout(i: Instruction, operand: str) -> bool:
    """Whether the operand's index is axes, each once, and its place speaks of no other."""
    index = i.indices[operand]
    plain = all(getattr(e, "is_Symbol", False) for e in index) and len(set(index)) == len(index)
    return plain and along(i.operand(operand)) <= {str(e) for e in index}


def rows_of(i: Instruction, o: Operand) -> int:
    """The rows of an operand."""
    return i.axes.get(str(o.row), 1) if is_box(o) else layout_of(i, o.name).rows


def along(o: Operand) -> frozenset[str]:
    """The axes that count its rows and columns."""
    return frozenset(symbols_of([sp.sympify(e) for e in (o.row, o.column) if e is not None]))


def lies(home: tuple[Instruction, Operand], held: tuple[Instruction, Operand]) -> dict[str, str]:
    """Axes of the operand `held` of an instruction -> those of `home` of another one, if their elements lie in the same
    cells; {} if two layouts do not."""
    (i, o), (other, there) = home, held
    if is_box(o) and is_box(there):
        return {str(there.row): str(o.row), str(there.column): str(o.column)}
    return _alike(i, o.name, other, there.name)


@lru_cache(maxsize=4096)
def _alike(i: Instruction, operand: str, other: Instruction, held: str) -> dict[str, str]:
    plain = has_layout(i, operand) and has_layout(other, held)
    return (layout_of(i, operand).alike(layout_of(other, held)) or {}) if plain else {}


def of_one_shape(home: tuple[Instruction, Operand], held: tuple[Instruction, Operand]) -> bool:
    """Whether two operands have as many rows and columns; of layouts, whether their elements lie in the same cells."""
    (i, o), (other, there) = home, held
    if is_box(o) and is_box(there):
        sides = ((o.row, there.row), (o.column, there.column))
        return all(i.axes.get(str(a), 1) == other.axes.get(str(b), 1) for a, b in sides)
    return bool(lies(home, held))


def covers(home: tuple[Instruction, Operand], held: tuple[Instruction, Operand]) -> bool:
    """Whether `held`, a box, has all cells of the layout `home`."""
    (i, o), (other, there) = home, held
    if is_box(o) or not is_box(there):
        return False
    lie = layout_of(i, o.name)
    return other.axes.get(str(there.row), 1) >= lie.rows and other.axes.get(str(there.column), 1) >= lie.columns


def first_apart(home: tuple[Instruction, Operand], held: tuple[Instruction, Operand]) -> str:
    """The first element of two layouts of one shape that lies in other cells, in words; '' for other shapes."""
    (i, o), (other, there) = home, held
    if not (has_layout(i, o.name) and has_layout(other, there.name)):
        return ""
    mine, theirs = layout_of(i, o.name), layout_of(other, there.name)
    if [n for _, n in mine.index] != [n for _, n in theirs.index]:
        return ""
    apart = np.argwhere((mine.at[0] != theirs.at[0]) | (mine.at[1] != theirs.at[1]))[:1]
    at = tuple(int(n) for n in apart[0])
    cells = [f"row {x.at[0][at]}, column {x.at[1][at]}" for x in (mine, theirs)]
    index = ", ".join(map(str, at))
    return f": {o.name}[{index}] in {cells[0]}, and {there.name}[{index}] in {cells[1]}"


def elements_at(home: tuple[Instruction, Operand], held: tuple[Instruction, Operand]) -> dict[str, Any]:
    """The same for expressions: axes of `home` -> those of `held`."""
    (_, o), (_, there) = home, held
    if is_box(o) and is_box(there):
        return {str(o.row): there.row, str(o.column): there.column}
    return {mine: sym(theirs) for theirs, mine in lies(home, held).items()}


def cells_of(i: Instruction, o: Operand) -> dict[str, Any] | None:
    """Axes of an operand -> their values in the cell at ROW and COLUMN; None if that is not found."""
    if is_box(o):
        return {str(o.row): ROW, str(o.column): COLUMN}
    return layout_of(i, o.name).inverse


def check_layouts(h: Hardware) -> None:
    """Raises HardwareError unless each cell of a layout lies in its memory and has one element."""
    for i in h.instructions if h.engines else ():
        for o in (o for o in i.operands if not is_box(o)):
            _check(h, i, o)


def _check(h: Hardware, i: Instruction, o: Operand) -> None:
    index = i.indices.get(o.name, ())
    place, own = f"{o.memory}[{words(o.row)}, {words(o.column)}]", f"{o.name}[{', '.join(map(words, index))}]"
    where = f"hardware {h.name}: {i.where}: {own} lies in {place}"
    if elements(index) or len(set(index)) < len(index) or not all(getattr(e, "is_Symbol", False) for e in index):
        raise HardwareError(f"{where}: rows and columns that are no axes need an index of axes, each once")
    if other := sorted(along(o) - {str(e) for e in index}):
        raise HardwareError(f"{where}, and {other[0]} is no index of {o.name}: each element has one cell")
    if any(is_open(i.extents[str(e)]) for e in index) or is_open(h.memory(o.memory).row):
        raise HardwareError(f"{where}: rows and columns that are no axes need extents and rows that are numbers")
    if prod(i.extents[str(e)] for e in index) > LOOKED_AT:
        raise HardwareError(
            f"{where}: these are more than {LOOKED_AT:,} elements, too many to look at; describe a smaller tile"
        )
    lie, m, dtype = layout_of(i, o.name), h.memory(o.memory), i.types[o.name]
    rows, columns = lie.at
    outside = (rows < 0) | (columns < 0) | (rows >= m.rows) | ((columns + 1) * dtype.bytes > m.row)
    if outside.any():
        at = tuple(int(n) for n in np.argwhere(outside)[0])
        there = f"{o.name}[{', '.join(map(str, at))}] lies in row {rows[at]}, column {columns[at]}"
        raise HardwareError(f"{where}: {there}, and {o.memory} has {m.rows} rows of {m.row} bytes, {dtype} each")
    if lie.twice is not None:
        one, two = (f"{o.name}[{', '.join(map(str, e))}]" for e in lie.twice)
        at = lie.twice[0]
        raise HardwareError(f"{where}: {one} and {two} lie in one cell, row {rows[at]}, column {columns[at]}")


# ---- Digits of a place, and how they are read off it.


class _Reading:
    """extents: of axes. skews: name -> what is counted modulo a number, such as `i + j` of `(i + j) % 8`: a digit like others until
    all but one of its parts are known."""

    def __init__(self, extents: Mapping[str, int]) -> None:
        self.axes, self.extents = tuple(extents), dict(extents)
        self.skews: dict[str, tuple[list[Digit], int]] = {}

    def values(self, *sides: tuple[Any, Any]) -> dict[str, Any] | None:
        """Axis -> its value. sides: of cell and place, a row or a column."""
        parts = [(cell, self.digits(e)) for cell, e in sides]
        every = [d for _, part in parts if part is not None for d in part[0]]
        cuts = _cuts([*every, *(d for inner, _ in self.skews.values() for d in inner)], self.extents)
        if cuts is None:
            return None
        found: dict[tuple[str, int], Any] = {}
        for cell, part in parts:
            read = None if part is None else _read_off(cell - part[1], _all_split(part[0], cuts))
            if read is None:
                return None
            found = read | found
        for _ in self.skews:
            for name, (inner, number) in self.skews.items():
                found |= self._told_by(name, _all_split(inner, cuts), number, found)
        lows = {a: cuts[a][:-1] for a in self.axes}
        if any((a, low) not in found for a in self.axes for low in lows[a]):
            return None
        return {a: sum((low * found[a, low] for low in lows[a]), sp.S.Zero) for a in self.axes}

    def _told_by(
        self, name: str, parts: list[Digit], number: int, found: Mapping[tuple[str, int], Any]
    ) -> dict[tuple[str, int], Any]:
        """The digits that are known by what is left of a skewed one without those known before."""
        left = [d for d in parts if (d.axis, d.low) not in found]
        by = self.extents[name]
        if (name, 1) not in found or sum(d.weight * (d.count - 1) for d in left) >= by:
            return {}
        known = sum((d.weight * d.seen(found[d.axis, d.low]) for d in parts if (d.axis, d.low) in found), sp.S.Zero)
        return _read_off(FloorMod(sp.expand(found[name, 1] - known - number), by), left) or {}

    def digits(self, e: Any) -> tuple[list[Digit], int] | None:
        """A sum of digits and a number, as which an expression over axes is written; None if it is none."""
        e = sp.sympify(e)
        match e:
            case sp.Integer():
                return [], int(e)
            case sp.Symbol():
                return ([Digit(1, e.name, 1, self.extents[e.name])] if self.extents[e.name] > 1 else []), 0
            case sp.Add():
                known = [p for p in map(self.digits, e.args) if p is not None]
                whole = [d for p in known for d in p[0]], sum(p[1] for p in known)
                return whole if len(known) == len(e.args) else None
            case sp.Mul():
                number, rest = e.as_coeff_Mul()
                inner = self.digits(rest) if number.is_Integer and number != 0 else None
                if inner is None:
                    return None
                n, turned = int(number), int(number) < 0
                made = [replace(d, weight=abs(n) * d.weight, turned=d.turned != turned) for d in inner[0]]
                return made, n * inner[1] - turned * sum(d.weight * (d.count - 1) for d in made)
            case FloorDiv() | FloorMod() if e.args[1].is_Integer:
                return self._cut(self.digits(e.args[0]), int(e.args[1]), isinstance(e, FloorMod))
        return None

    def _cut(self, inner: tuple[list[Digit], int] | None, by: int, rest: bool) -> tuple[list[Digit], int] | None:
        halves = None if inner is None or inner[1] else _halves(inner[0], by)
        if halves is not None:
            return halves[rest], 0
        if inner is None or not rest:
            return None
        name = f"skew {len(self.skews)}"
        self.skews[name], self.extents[name] = inner, by
        return [Digit(1, name, 1, by)], 0


def _all_split(digits: list[Digit], cuts: Mapping[str, list[int]]) -> list[Digit]:
    return [p for d in digits for p in _split(d, cuts[d.axis])]


def _halves(digits: list[Digit], by: int) -> tuple[list[Digit], list[Digit]] | None:
    """The digits of the quotient and of the remainder of a sum; None if a digit belongs to both in no known way."""
    high: list[Digit] = []
    low: list[Digit] = []
    for d in digits:
        if d.weight % by == 0:
            high.append(replace(d, weight=d.weight // by))
        elif d.weight * (d.count - 1) < by:
            low.append(d)
        elif by % d.weight == 0 and d.count % (by // d.weight) == 0:
            cut = by // d.weight
            low.append(replace(d, count=cut))
            high.append(replace(d, weight=1, low=d.low * cut, count=d.count // cut))
        else:
            return None
    return (high, low) if sum(d.weight * (d.count - 1) for d in low) < by else None


def _cuts(digits: list[Digit], extents: Mapping[str, int]) -> dict[str, list[int]] | None:
    """Axis -> where its digits begin, and its extent; None if one of these does not divide the next."""
    found = {a: {1, n} for a, n in extents.items()}
    for d in digits:
        found[d.axis] |= {d.low, min(d.low * d.count, extents[d.axis])}
    cuts = {a: sorted(x) for a, x in found.items()}
    even = all(b % a == 0 for x in cuts.values() for a, b in pairwise(x))
    return cuts if even else None


def _split(d: Digit, cuts: list[int]) -> list[Digit]:
    inside = [c for c in cuts if d.low <= c <= d.low * d.count]
    return [replace(d, weight=d.weight * (a // d.low), low=a, count=b // a) for a, b in pairwise(inside) if b > a]


def _read_off(value: Any, digits: list[Digit]) -> dict[tuple[str, int], Any] | None:
    """(axis, where its digit begins) -> the digit's value, largest weight first; None if smaller ones reach a larger one."""
    found: dict[tuple[str, int], Any] = {}
    ordered = sorted(digits, key=lambda d: -d.weight)
    for n, d in enumerate(ordered):
        if sum(x.weight * (x.count - 1) for x in ordered[n + 1 :]) >= d.weight:
            return None
        found[d.axis, d.low] = d.seen(FloorDiv(value, d.weight) if d.weight > 1 else value)
        value = FloorMod(value, d.weight) if d.weight > 1 else sp.S.Zero
    return found


__all__ = [
    "COLUMN", "ROW", "Layout", "along", "cells_of", "check_layouts", "covers", "elements_at", "first_apart",
    "has_layout", "is_box", "layout_of", "lies", "of_one_shape", "rows_of",
]  # fmt: skip
