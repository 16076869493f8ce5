"""How each operand reaches its registers: from the tensor in place, from a packed buffer, or from a padded window.

In place, padding is left out by tests (see boundary.py) or lies in a window, as the operand's stage says (stages.py). A
packed buffer holds the operand's elements in the order of their uses in the loops, with zeros outside the kernel's
domain. A window is a copy of the whole tensor with its zero padding written out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.codegen.boundary import PeeledBoundary, boundary_of
from isamap_smt.codegen.nest import Nest, most_trips
from isamap_smt.ir.boxes import decided_at, extreme, undecided
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorMod, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.program import Alloc, Buffer, IndexType, Node, Ref, copy_of
from isamap_smt.ir.schedule import ZEROS, ProgramAxis, Schedule
from isamap_smt.mapping.moves import find_move, lane_of_cells, memory_index, memory_shape
from isamap_smt.proof.program_compute import is_product
from isamap_smt.proof.tails import harmless_beyond, reaching
from isamap_smt.proof.zero_products import any_zero_is_enough


@dataclass(frozen=True)
class StagedOperand:
    """A source of one operand: `setup` nodes placed inside the first `depth` loops (None: nothing to set up).

    `address(values)` needs the program axes' values; see Packed, Window, InPlace.
    """

    operand: str
    name: str
    setup: tuple[Node, ...]
    depth: int
    ahead: bool = False


@dataclass(frozen=True)
class Packed(StagedOperand):
    """dims: the index of each dimension: ('loop', position), ('unit', axis) or ('lane', an expression over lanes)."""

    dims: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class InPlace(StagedOperand):
    """Read at the kernel's own coordinates, shifted by `shift` (non-zero for a window).

    boundary: tests of the executions, if there are any. inside: this tile is known not to reach it.
    """

    shift: tuple[Any, ...] = ()
    boundary: PeeledBoundary | None = None
    inside: bool = False


def guards_carried(nest: Nest, operand: str) -> tuple[Any, ...]:
    """Relations of the kernel's guard decided by this operand's element."""
    return decided_at(nest.statement, nest.mapping.operand_access(operand).index)


def free_guards(nest: Nest, operands: tuple[str, ...]) -> tuple[Any, ...]:
    """Relations of the guard decided neither by the output's element nor by one of these operands' elements."""
    return undecided(nest.statement, *(nest.mapping.operand_access(o).index for o in operands))


def staged_operand(nest: Nest, schedule: Schedule, operand: str, fill: str) -> StagedOperand:
    """The operand's source, as its stage says."""
    stage = schedule.stage(operand)
    if stage.depth is not None:
        return _packed(nest, schedule, operand, fill)
    if stage.padding == ZEROS:
        _require_zeros(nest, schedule, operand, window=True)
        return window(nest, operand)
    found, guards = _in_place(nest, schedule, operand), guards_carried(nest, operand)
    if not guards:
        return found
    boundary = boundary_of(nest, guards, operand)
    if boundary is None:
        raise ScheduleError(
            f"no test of {operand} leaves out the points outside, since its lanes differ and no mask cuts them; pack {operand}"
        )
    return replace(found, boundary=replace(boundary, slack=None) if nest.statement.ordered else boundary)


def padding_is_neutral(s: Statement) -> bool:
    """Whether zeros in place of elements outside of the guard leave results unchanged: a sum of products."""
    return s.op == "+" and is_product(s.value, s.ordered)


def keeps_finite(nest: Nest) -> bool:
    """Whether a zero in one operand makes a zero of the product, if the elements of the others are finite."""
    return any_zero_is_enough(nest.mapping.instruction.kernel)


def _in_place(nest: Nest, schedule: Schedule, operand: str) -> InPlace:
    access = nest.mapping.operand_access(operand)
    if not nest.mapping.element(operand).lies_as(nest.held(operand)):
        raise ScheduleError(
            f"{access.tensor} cannot be read in place: {nest.mapping.instruction.name} takes {operand} in {nest.held(operand)}, "
            f"to which {nest.mapping.element(operand)} is converted on the way; pack {operand}"
        )
    _require_zeros(nest, schedule, operand)
    return InPlace(operand, access.tensor, (), 0, False, tuple(sp.S.Zero for _ in access.index))


def _cut(nest: Nest, operand: str) -> tuple[tuple[ProgramAxis, int], ...]:
    """Summed axes that end inside an instruction with the operand, each with the points computed together."""
    axes = [nest.axes[name] for name in nest.relevant(operand)]
    cut = [a for a in axes if a.reduction and a.leaf != 1 and nest.has_tail(a.name)]
    return tuple((a, a.leaf * nest.units(a.name)) for a in cut)


def _require_zeros(nest: Nest, schedule: Schedule, operand: str, window: bool = False) -> None:
    """Raise ScheduleError unless elements behind the ends of summed axes meet zeros in a copy of another operand."""
    for axis, tile in _cut(nest, operand):
        others = harmless_beyond(nest.mapping, operand, axis, tile, window)
        if not any(schedule.stage(o).depth is not None for o in others):
            raise ScheduleError(
                f"{nest.mapping.operand_access(operand).tensor} cannot be read in place: {axis.name} ends inside an "
                f"instruction, so its last elements must be padded; pack {operand}"
            )


def window(nest: Nest, operand: str) -> InPlace:
    """Copy the tensor once, zeros around it: cell h of the window is coordinate h + low.

    It reaches as far as whole instructions do.
    """
    access = nest.mapping.operand_access(operand)
    tensor = nest.kernel.tensor(access.tensor)
    axes = nest.statement.axes
    for axis, tile in _cut(nest, operand):
        if is_constant(axis.extent * tile):
            axes = reaching(axes, axis, tile)
    lows = [e for i in access.index if (e := extreme(i, axes, largest=False)) is not None]
    highs = [e for i in access.index if (e := extreme(i, axes, largest=True)) is not None]
    if len(lows) + len(highs) < 2 * len(access.index):
        raise ScheduleError(f"the padding of {access.tensor} depends on sizes that are not fixed; pack {operand}")
    name = _name_of_copy(nest, operand, "padded")
    cells = tuple(sym(f"c_{d}") for d in range(len(lows)))
    shape = tuple(sp.expand(h - low + 1) for low, h in zip(lows, highs, strict=True))
    coordinates = tuple(sp.expand(c + low) for c, low in zip(cells, lows, strict=True))
    guard: list[Any] = []
    for c, low, high, extent in zip(coordinates, lows, highs, tensor.shape, strict=True):
        if low != 0:
            guard.append(sp.Ge(c, 0))
        if not _surely_below(high, extent):
            guard.append(sp.Lt(c, extent))
    guard += _axes_alone(nest, operand, dict(zip(access.index, coordinates, strict=True)))
    guard = _open(guard)
    held = IndexType(access.tensor, coordinates, tuple(guard), "0")
    buffer = Buffer(name, nest.held(operand), cells, shape, held)
    over = tuple(zip(cells, shape, strict=True))
    types = (tensor.dtype, buffer.dtype)
    copy = copy_of(Ref(name, cells), Ref(access.tensor, coordinates), over, tuple(guard), dtypes=types)
    return InPlace(operand, name, (Alloc(buffer), copy), 0, False, tuple(-low for low in lows))


def _name_of_copy(nest: Nest, operand: str, kind: str) -> str:
    """Named after the tensor; also after the operand, if several operands read the tensor, each from its own copy."""
    tensor = nest.mapping.operand_access(operand).tensor
    readers = [o for o, access in nest.mapping.binding if access.tensor == tensor]
    return nest.buffer(f"{tensor}_{kind}" if len(readers) == 1 else f"{tensor}_{kind}_{operand}")


def _open(guard: list[Any]) -> list[Any]:
    """Without relations that always hold at these sizes."""
    return [g for g in guard if g != sp.true]


def _axes_alone(nest: Nest, operand: str, coordinates: dict[Any, Any]) -> list[Any]:
    """Guards on plain indices, as in A[i,k] where k < 3: the cell alone decides them."""
    axes = {a.name for a in nest.statement.axes}
    alone = {i.name: c for i, c in coordinates.items() if i.is_Symbol and i.name in axes}
    return [substitute(g, alone) for g in guards_carried(nest, operand) if symbols_of([g]) & axes <= set(alone)]


def _surely_below(high: Any, extent: Any) -> bool:
    slack = sp.expand(extent - 1 - high)
    return bool(slack.is_Integer) and int(slack) >= 0


def _packed(nest: Nest, schedule: Schedule, operand: str, fill: str) -> Packed:
    stage = schedule.stage(operand)
    depth: int = stage.depth  # type: ignore[assignment]
    access = nest.mapping.operand_access(operand)
    relevant = nest.relevant(operand)
    name = _name_of_copy(nest, operand, "packed")
    rename: dict[str, Any] = {}
    dims: list[tuple[str, Any]] = []
    over: list[tuple[Any, Any]] = []
    shape: list[Any] = []
    for position, loop in enumerate(nest.loops):
        if position >= depth and loop.axis in relevant:
            cell = sym(f"c_{loop.var.name}")
            dims.append(("loop", position))
            over.append((cell, substitute(loop.count, rename)))
            shape.append(most_trips(nest, position))
            rename[loop.var.name] = cell
    units: dict[str, Any] = {}
    for axis in relevant:
        if nest.units(axis) > 1:
            units[axis] = sym(f"c_{axis.replace('.', '_')}_u")
            dims.append(("unit", axis))
            over.append((units[axis], sp.Integer(nest.units(axis))))
            shape.append(sp.Integer(nest.units(axis)))
    index, extents = _lanes_in_memory(nest, schedule, operand)
    inner = tuple(sym(f"c_{_cell_name(e)}") for e in index)
    dims += [("lane", e) for e in index]
    over += zip(inner, extents, strict=True)
    shape += extents
    lanes = _lanes_of_cells(nest, operand, index, inner)
    values = {a: nest.value(a, units.get(a, 0), lanes.get(a, 0), rename) for a in nest.axes}
    guard = [sp.Lt(values[a], nest.axes[a].extent) for a in relevant if nest.has_tail(a)]
    point = nest.point(values)
    guard = _open([*guard, *(substitute(g, point) for g in guards_carried(nest, operand))])
    coordinates = tuple(substitute(i, point) for i in access.index)
    cells = tuple(c for c, _ in over)
    held = IndexType(access.tensor, coordinates, tuple(guard), fill)
    buffer = Buffer(name, nest.held(operand), cells, tuple(shape), held)
    types = (nest.kernel.tensor(access.tensor).dtype, buffer.dtype)
    copy = copy_of(Ref(name, cells), Ref(access.tensor, coordinates), tuple(over), tuple(guard), fill, dtypes=types)
    return Packed(operand, name, (Alloc(buffer), copy), depth, stage.ahead, tuple(dims))


def moving_lanes(nest: Nest, operand: str) -> tuple[str, ...]:
    """The operand's lanes with different elements; along the others one is broadcast."""
    if nest.table(operand):
        return nest.lanes(operand)
    relevant = nest.relevant(operand)
    return tuple(lane for lane in nest.lanes(operand) if nest.axis_of_lane(lane).name in relevant)


def move_of(
    nest: Nest, hardware: Hardware, operand: str, *, store: bool = False, masked: bool = False, ordered: bool = True
) -> Instruction:
    """The move between memory and the operand's register. ordered: as for find_move(). Raises ScheduleError without one."""
    lanes = nest.lanes(operand)
    pattern = tuple(lanes.index(lane) for lane in moving_lanes(nest, operand))
    return find_move(hardware, nest.mapping.instruction, operand, store, pattern, masked, ordered)


def _lanes_in_memory(nest: Nest, schedule: Schedule, operand: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The lanes of one execution in a buffer packed for it: (index over lanes, extents)."""
    move = move_of(nest, schedule.hardware.whole, operand, ordered=False)  # type: ignore[union-attr]
    return memory_index(move, nest.lanes(operand)), tuple(map(sp.sympify, memory_shape(move)))


def _cell_name(e: Any) -> str:
    """A name for the cells along a dimension of lanes."""
    names = "_".join(sorted(symbols_of([e])))
    return names if e.is_Symbol else f"{names}_{'in' if isinstance(e, FloorMod) else 'by'}"


def _lanes_of_cells(nest: Nest, operand: str, index: tuple[Any, ...], cells: tuple[Any, ...]) -> dict[str, Any]:
    """The lane of each program axis, from a buffer's cells. Raises ScheduleError if they do not determine it."""
    found = {}
    for lane in moving_lanes(nest, operand):
        value = lane_of_cells(index, cells, lane)
        if value is None:
            raise ScheduleError(f"the load of {operand} does not say which {lane} an element in memory belongs to")
        found[nest.axis_of_lane(lane).name] = value
    return found


def address(
    nest: Nest, source: StagedOperand, units: dict[str, Any], lanes: dict[str, Any], point: dict[str, Any]
) -> Ref:
    """The place of the element for these units and lanes. `point`: kernel axis -> expression for the same."""
    if isinstance(source, Packed):
        index: list[Any] = []
        for kind, what in source.dims:
            if kind == "loop":
                index.append(nest.loops[what].var)
            elif kind == "unit":
                index.append(units.get(what, sp.S.Zero))
            else:
                index.append(substitute(what, lanes))
        return Ref(source.name, tuple(index))
    assert isinstance(source, InPlace)
    shifted = zip(nest.coordinates(source.operand, point, lanes), source.shift, strict=True)
    return Ref(source.name, tuple(sp.expand(i + s) for i, s in shifted))
