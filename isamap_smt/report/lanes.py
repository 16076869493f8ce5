"""Which lane computes what: the cells of each operand in the first executions of the instruction.

A cell is shaded by where its element lies in memory, so that a contiguous operand is a smooth ramp, a broadcast one
is flat, and a gathered one is not.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate, is_constant
from isamap_smt.ir.mapping import Mapping

_LOOKED_AT = 2000  # executions, to find some that compute anything
_EXAMPLE = 24  # points of an axis whose size is left open: more than one tile, and ragged


@dataclass(frozen=True)
class Cell:
    """One cell of an operand. shade in [0, 1]: place in memory among the operand's cells; live: some point uses it."""

    row: int
    column: int
    label: str
    tooltip: str
    live: bool
    shade: float


@dataclass(frozen=True)
class Grid:
    """The cells of one operand in one execution. title: `a <- A`."""

    operand: str
    tensor: str
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    output: bool


@dataclass(frozen=True)
class Execution:
    """One execution of the instruction: values of the loops around it, and its operands."""

    where: str
    points: int
    live: int
    grids: tuple[Grid, ...]


def example_sizes(mapping: Mapping) -> dict[str, int]:
    """A number for every size of the kernel that is left open: parameters at their lowest, others a ragged few."""
    lows = {p.name: p.low for p in mapping.kernel.parameters}
    return {name: lows.get(name, _EXAMPLE) for name in mapping.kernel.free_sizes}


def executions(mapping: Mapping, sizes: dict[str, int], count: int = 2) -> tuple[Execution, ...]:
    """The first executions that compute anything, innermost loop of the mapping fastest.

    In a padded convolution the very first ones lie in the padding. `sizes` gives the free sizes of the kernel.
    """
    trips = [max(1, int(evaluate(a.extent, sizes))) for a in mapping.outer]
    names = [a.name for a in mapping.outer]
    first = itertools.islice(itertools.product(*map(range, trips)), _LOOKED_AT)
    # a whole row of the output may lie in the padding, so that no early iteration computes anything
    corner = itertools.product(*(range(min(2, n)) for n in trips))
    places = ({**sizes, **dict(zip(names, at, strict=True))} for at in itertools.chain(first, corner))
    axes = mapping.instruction.axes
    lanes = dict(zip(axes, np.indices(tuple(axes.values())), strict=True))
    live = (env for env in places if _live(mapping, {**env, **lanes}))
    found = list(itertools.islice(live, count))
    if not found:
        found = [{**sizes, **dict.fromkeys(names, 0)}]
    return tuple(_execution(mapping, env, names) for env in found)


def _live(mapping: Mapping, env: dict[str, Any]) -> bool:
    """Whether any point computes something. Instruction axes are arrays in `env`."""
    holds: Any = True
    for g in mapping.guard:
        holds = holds & evaluate(g, env)
    return bool(np.any(holds))


def _execution(mapping: Mapping, env: dict[str, int], loops: list[str]) -> Execution:
    axes = mapping.instruction.axes
    points = [dict(zip(axes, at, strict=True)) for at in itertools.product(*[range(n) for n in axes.values()])]
    live = [p for p in points if all(evaluate(g, {**env, **p}) for g in mapping.guard)]
    where = ", ".join(f"{n}={env[n]}" for n in loops) or "the only one"
    output = mapping.instruction.kernel.statements[0].target.tensor
    grids = tuple(_grid(mapping, operand, env, points, live, operand == output) for operand, _ in mapping.binding)
    return Execution(where, len(points), len(live), grids)


def _grid(
    mapping: Mapping,
    operand: str,
    env: dict[str, int],
    points: list[dict[str, int]],
    live: list[dict[str, int]],
    output: bool,
) -> Grid:
    index = mapping.cells(operand)
    forward = dict(mapping.forward)
    coordinates = mapping.coordinates(operand)
    tensor = mapping.operand_access(operand).tensor
    shape = [int(evaluate(e, env)) for e in mapping.kernel.tensor(tensor).shape]

    def cell_of(point: dict[str, int]) -> tuple[int, ...]:
        return tuple(int(evaluate(i, point)) for i in index)

    uses: dict[tuple[int, ...], list[str]] = {cell_of(p): [] for p in points}
    held: dict[tuple[int, ...], tuple[int, ...]] = {}
    for p in live:
        at = {**env, **p}
        held.setdefault(cell_of(p), tuple(int(evaluate(c, at)) for c in coordinates))
        kernel_point = ", ".join(f"{a}={int(evaluate(e, at))}" for a, e in forward.items())
        lane = ", ".join(f"{t}={n}" for t, n in p.items()) or "the only lane"
        uses[cell_of(p)].append(f"{lane}: {kernel_point}")
    shades = _shades({c: _offset(held[c], shape) for c in held})
    spread = sorted(uses)
    rows = sorted({c[:-1] for c in spread})
    cells = []
    for c in spread:
        label = ",".join(map(str, held[c])) if c in held else ""
        said = f"{operand}[{','.join(map(str, c))}]"
        said += f" holds {tensor}[{label}]" if c in held else ": not used"
        shown = uses[c][:6] + ([f"and {len(uses[c]) - 6} more"] if len(uses[c]) > 6 else [])
        tooltip = "\n".join([said, *shown])
        cells.append(Cell(rows.index(c[:-1]), c[-1] if c else 0, label, tooltip, c in held, shades.get(c, 0.0)))
    columns = 1 + max(c.column for c in cells)
    return Grid(operand, tensor, len(rows), columns, tuple(cells), output)


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
    """Whether some size is left open, so that what is drawn is an example."""
    return not all(is_constant(a.extent) for a in mapping.kernel.axes) or bool(mapping.kernel.free_sizes)


def axis_rows(mapping: Mapping) -> list[dict[str, Any]]:
    """Instruction axis, its points, and the kernel axes fused into it."""
    return [{"axis": t, "points": mapping.instruction.axes[t], "members": list(group)} for t, group in mapping.groups]
