"""The work of each lane: the cells of each operand in the first issue of the instruction, and in the last one with masked lanes.

A cell is shaded by the place of its element in memory: a contiguous operand is a smooth ramp, a broadcast one
is flat, and a gathered one is neither. It shows the varying indices of its element; the caption shows the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate, is_constant, substitute, symbols_of, words
from isamap_smt.ir.mapping import Mapping
from isamap_smt.report.labels import width_of

_LOOKED_AT = 2000  # issues, to find one that computes anything
_EXAMPLE = 24  # of a size that is left open, and fills no axis of the instruction
_FEW_ROWS = 4  # at most, for cells as wide as those of a single row
_TOLD = 3  # iterations that the tooltip of a cell names

_Cell = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One cell of an operand. label: the varying indices. shade in [0, 1]: its place in memory among the operand's cells.

    live: some active iteration uses it.
    """

    row: int
    column: int
    label: str
    tooltip: str
    live: bool
    shade: float


@dataclass(frozen=True)
class Grid:
    """The cells of one operand in one issue.

    register: `c[l]`; element: `O[0, 0, 0, l + 16]`, with numbers if all cells agree. heads: for each row the indices varying by
    row alone, or nothing; `·,3` if the cell's own come first. uniform: all cells hold one element.
    """

    operand: str
    register: str
    element: str
    rows: int
    columns: int
    heads: tuple[str, ...]
    cells: tuple[Cell, ...]
    output: bool
    uniform: bool

    @property
    def flat(self) -> bool:
        """Whether it is drawn wide, with the other flat ones above and below it."""
        return self.rows <= _FEW_ROWS

    @property
    def cell(self) -> tuple[int, int, int]:
        """Width, height and font size of a cell in pixels: every label fits. With many rows, cells are nearly square."""
        font = 10 if self.flat else 9
        wanted = min(760 // self.columns, 58) if self.flat else 18
        height = 26 if self.rows == 1 else 20 if self.flat else 18
        return max(wanted, 18, _wide((c.label for c in self.cells), font)), height, font

    @property
    def head(self) -> int:
        """Width of the heads in pixels."""
        return _wide(self.heads, 9)


@dataclass(frozen=True)
class Issue:
    """One issue of the instruction. name: `First` or `Last`; where: values of the loops around it."""

    name: str
    where: str
    iterations: int
    live: int
    grids: tuple[Grid, ...]

    def margin(self, grid: Grid) -> int:
        """Pixels left of a grid's cells: lanes of flat grids stand below each other."""
        return max(g.head for g in self.grids if g.flat) if grid.flat else grid.head

    @property
    def masked(self) -> bool:
        """Whether some cell is used by no active iteration."""
        return any(not c.live for g in self.grids for c in g.cells)


def _wide(labels: Iterable[str], font: int) -> int:
    """Pixels for the longest label with its margin; 0 without a label."""
    longest = max((width_of(text, font) for text in labels), default=0)
    return round(longest + 6) if longest else 0


def example_sizes(mapping: Mapping) -> dict[str, int]:
    """A number for every open size of the kernel, with masked lanes in the last issue.

    Parameters are at their lowest. An odd number beyond one tile of the instruction's axis is not divided by a tile of two
    or more lanes, and neither is a product of such numbers.
    """
    lows = {p.name: p.low for p in mapping.kernel.parameters}
    extents = {a.name: a.extent for a in mapping.kernel.axes}
    tiles: dict[str, int] = {}
    for t, members in mapping.groups:
        for name in itertools.chain.from_iterable(symbols_of([extents[m]]) for m in members if m in extents):
            tiles[name] = max(tiles.get(name, 1), mapping.instruction.axes[t])
    ragged = {name: n + (5 * n // 8 | 1) for name, n in tiles.items()}
    return {name: lows.get(name, ragged.get(name, _EXAMPLE)) for name in mapping.kernel.free_sizes}


def issues(mapping: Mapping, sizes: dict[str, int]) -> tuple[Issue, ...]:
    """The first issue with an active iteration, innermost loop fastest, and the last one, if its active lanes differ.

    In a padded convolution the very first and last ones lie in the padding. `sizes` gives the free sizes of the kernel.
    """
    trips = [max(1, int(evaluate(a.extent, sizes))) for a in mapping.outer]
    names = [a.name for a in mapping.outer]
    found = []
    for name, orders in (("First", [range(n) for n in trips]), ("Last", [range(n - 1, -1, -1) for n in trips])):
        places = ({**sizes, **dict(zip(names, at, strict=True))} for at in _early(orders))
        seen = ((env, mask) for env in places if (mask := _active(mapping, env)).any())
        found += [(name, *at) for at in itertools.islice(seen, 1)]
    if not found:
        nowhere = {**sizes, **dict.fromkeys(names, 0)}
        found = [("First", nowhere, _active(mapping, nowhere))]
    if np.array_equal(found[0][2], found[-1][2]):
        del found[1:]
    return tuple(_issue(mapping, name, env, mask, names) for name, env, mask in found)


def _early(orders: list[range]) -> Iterator[tuple[int, ...]]:
    """Iterations of loops in these orders, some of the first, then the corner.

    A whole row of the output may lie in the padding: no early iteration then computes anything.
    """
    yield from itertools.islice(itertools.product(*orders), _LOOKED_AT)
    yield from itertools.product(*(order[:2] for order in orders))


def _lanes(mapping: Mapping, env: dict[str, int]) -> dict[str, Any]:
    """Values of all names in every iteration of one issue: instruction axes are arrays over all of them."""
    axes = mapping.instruction.axes
    return {**env, **dict(zip(axes, np.indices(tuple(axes.values())), strict=True))}


def _spread(mapping: Mapping, expr: Any, at: dict[str, Any]) -> Any:
    """The expression's value in every iteration of one issue, in order."""
    return np.broadcast_to(np.asarray(evaluate(expr, at)), tuple(mapping.instruction.axes.values())).ravel()


def _active(mapping: Mapping, env: dict[str, int]) -> Any:
    """For each iteration of one issue, in order, whether it computes something."""
    at = _lanes(mapping, env)
    every = np.ones(prod(mapping.instruction.axes.values()), dtype=bool)
    for g in mapping.guard:
        every = every & _spread(mapping, g, at)
    return every


def _issue(mapping: Mapping, name: str, env: dict[str, int], mask: Any, loops: list[str]) -> Issue:
    where = ", ".join(f"{n}={env[n]}" for n in loops)
    output = mapping.instruction.kernel.statements[0].target.tensor
    grids = tuple(_grid(mapping, operand, env, mask, operand == output) for operand, _ in mapping.binding)
    return Issue(name, where, len(mask), int(mask.sum()), grids)


def _rows_of(mapping: Mapping, index: Any, at: dict[str, Any]) -> list[_Cell]:
    """The index in every iteration of one issue."""
    values = [_spread(mapping, i, at).tolist() for i in index]
    return list(zip(*values, strict=True)) if values else [()] * prod(mapping.instruction.axes.values())


def _grid(mapping: Mapping, operand: str, env: dict[str, int], mask: Any, output: bool) -> Grid:
    at = _lanes(mapping, env)
    tensor = mapping.operand_access(operand).tensor
    coordinates = mapping.coordinates(operand)
    shape = [int(evaluate(e, env)) for e in mapping.kernel.tensor(tensor).shape]
    cell_of = _rows_of(mapping, mapping.cells(operand), at)
    element_of = _rows_of(mapping, coordinates, at)
    uses: dict[_Cell, list[int]] = {c: [] for c in sorted(set(cell_of))}
    for n in np.flatnonzero(mask).tolist():
        uses[cell_of[n]].append(n)
    held = {c: element_of[numbers[0]] for c, numbers in uses.items() if numbers}
    shades = _shades({c: _offset(e, shape) for c, e in held.items()})
    place = _places(list(uses))
    rows = 1 + max(row for row, _ in place.values())
    varying = [n for n in range(len(shape)) if len({e[n] for e in held.values()}) > 1]
    by_row = _by_row(held, place, varying) if rows > 1 else []
    shown = [n for n in varying if n not in by_row] or varying or [*range(len(shape))][-1:]
    headed = [n for n in by_row if n not in shown]
    heads = {place[c][0]: _head(e, headed, shown) for c, e in held.items()}
    told = _iterations(mapping, at)
    cells = tuple(
        Cell(
            *place[c],
            (_told(held[c], shown) or tensor) if c in held else "",
            "\n".join(
                [
                    _named(operand, c) + (f" holds {_named(tensor, held[c])}" if c in held else ": not used"),
                    *told(numbers),
                ]
            ),
            c in held,
            shades.get(c, 0.0),
        )
        for c, numbers in uses.items()
    )
    fixed = {n: str(i) for e in held.values() for n, i in enumerate(e) if n not in varying}
    element = ", ".join(fixed.get(n) or words(substitute(e, env)) for n, e in enumerate(coordinates))
    register = ", ".join(map(words, mapping.cells(operand)))
    return Grid(
        operand,
        f"{operand}[{register}]" if register else operand,
        f"{tensor}[{element}]" if element else tensor,
        rows,
        1 + max(column for _, column in place.values()),
        tuple(heads.get(r, "") for r in range(rows)) if headed else (),
        cells,
        output,
        not varying and len(cells) > 1,
    )


def _told(element: _Cell, which: list[int]) -> str:
    return ",".join(str(element[n]) for n in which)


def _head(element: _Cell, headed: list[int], shown: list[int]) -> str:
    """The indices of a row. If indices shown by the cells stand before them, a dot keeps each of their places."""
    if headed and shown[0] > headed[-1]:
        return _told(element, headed)
    return ",".join(str(element[n]) if n in headed else "·" for n in sorted([*headed, *shown]))


def _named(name: str, index: _Cell) -> str:
    return f"{name}[{','.join(map(str, index))}]" if index else name


def _places(cells: list[_Cell]) -> dict[_Cell, tuple[int, int]]:
    """Row and column of each cell: its last index runs along a row, or down a column if an operand is tall and narrow."""
    rows = {r: n for n, r in enumerate(sorted({c[:-1] for c in cells}))}
    place = {c: (rows[c[:-1]], c[-1] if c else 0) for c in cells}
    if len(rows) > 2 * (1 + max(column for _, column in place.values())):
        return {c: (column, row) for c, (row, column) in place.items()}
    return place


def _by_row(held: dict[_Cell, _Cell], place: dict[_Cell, tuple[int, int]], varying: list[int]) -> list[int]:
    """Those indices of an element that are the same in all cells of a row."""
    seen: dict[tuple[int, int], set[int]] = {}
    for cell, element in held.items():
        for n in varying:
            seen.setdefault((n, place[cell][0]), set()).add(element[n])
    return [n for n in varying if all(len(values) == 1 for (m, _), values in seen.items() if m == n)]


def _iterations(mapping: Mapping, at: dict[str, Any]) -> Any:
    """A function naming the lanes of given iterations, and the kernel's iterations computed there."""
    lanes = [(t, at[t].ravel()) for t in mapping.instruction.axes]
    kernel = [(a, _spread(mapping, e, at)) for a, e in mapping.forward]

    def said(numbers: list[int]) -> list[str]:
        lines = [
            f"{', '.join(f'{t}={v[n]}' for t, v in lanes) or 'the only lane'}: {', '.join(f'{a}={v[n]}' for a, v in kernel)}"
            for n in numbers[:_TOLD]
        ]
        return [*lines, f"and {len(numbers) - _TOLD} more"] if len(numbers) > _TOLD else lines

    return said


def _offset(coordinates: tuple[int, ...], shape: list[int]) -> int:
    offset = 0
    for c, n in zip(coordinates, shape, strict=True):
        offset = offset * n + c
    return offset


def _shades(offsets: dict[tuple[int, ...], int]) -> dict[tuple[int, ...], float]:
    """Each cell's rank among the distinct places in memory, scaled to [0, 1]."""
    places = sorted(set(offsets.values()))
    last = max(1, len(places) - 1)
    return {c: places.index(o) / last for c, o in offsets.items()}


def symbolic(mapping: Mapping) -> bool:
    """Whether some size is left open, and the drawing is an example."""
    return not all(is_constant(a.extent) for a in mapping.kernel.axes) or bool(mapping.kernel.free_sizes)


def axis_rows(mapping: Mapping) -> list[dict[str, Any]]:
    """Instruction axis, its extent, and the kernel axes fused into it."""
    return [{"axis": t, "extent": mapping.instruction.axes[t], "members": list(group)} for t, group in mapping.groups]
