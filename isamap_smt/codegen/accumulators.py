"""Accumulators: registers for a tile of the output, loaded or begun before the reduction and stored after it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.codegen.begin import Begin
from isamap_smt.codegen.boundary import at_cells, first_lanes, left_out, moved_lanes, whole_and_some
from isamap_smt.codegen.c_expr import row_major
from isamap_smt.codegen.nest import Nest, plain_name
from isamap_smt.codegen.tile import (
    Lowering,
    Nodes,
    active_lanes,
    cut_axes,
    room,
    tile_values,
    unroll,
    unrolled_axes,
)
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, smallest, substitute, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Buffer, If, IndexType, Node, Ref, copy_of, use_of
from isamap_smt.mapping.moves import find_accumulating, find_move, fits, lane_symbols, look_for_move

LOAD, ADD, STORE = "load", "add", "store"  # ways between the output tensor and the accumulators


def accumulators(state: Lowering, work: Nodes) -> Nodes:
    """Wraps the work in its output tile: allocates the registers, loads or begins them, and stores them after it."""
    nest = state.nest
    unrolled = unrolled_axes(state, state.output)
    cells = {a: sym(f"c_{plain_name(a)}_u") for a in unrolled}
    lanes = {lane: sym(f"c_{lane}") for lane in nest.lanes(state.output)}
    values = tile_values(state, cells, lanes)
    access = nest.mapping.operand_access(state.output)
    coordinates = tuple(substitute(i, nest.point(values)) for i in access.index)
    guard = (*(sp.Lt(values[a], nest.axes[a].extent) for a in cut_axes(state)), *at_cells(nest, values))
    held = IndexType(access.tensor, coordinates, guard, "dead")
    symbols = (*cells.values(), *lanes.values())
    shape = tuple(sp.Integer(nest.units(a)) for a in unrolled) + tuple(
        sp.sympify(state.compute.extents[lane]) for lane in lanes
    )
    dtype = nest.kernel.tensor(access.tensor).dtype
    acc = Buffer(nest.buffer("acc"), dtype, symbols, shape, held, "registers", len(lanes))
    load, store = _output_moves(state, acc)
    nodes = (Alloc(acc), *load, *work, *store)
    ends = whole_and_some(nest, left_out(nest)) if left_out(nest) else None
    return (If((sp.Ge(ends[1], 0),), nodes),) if ends else nodes


def _output_moves(state: Lowering, acc: Buffer) -> tuple[Nodes, Nodes]:
    """Loading and storing the accumulators: straight from the tensor, or through a staging buffer."""
    depth = state.schedule.stage(state.output).depth
    if depth is not None:
        if depth != state.nest.accumulate:
            raise ScheduleError(
                f"a tile of {state.output} is staged inside {depth} loops; its accumulators lie inside {state.nest.accumulate}"
            )
        return _staged_moves(state, acc)
    store = _direct_moves(state, STORE)
    begin = state.begin
    if begin and begin.anew and adds_in_blocks(state.nest, state.hardware, state.output):
        return _start(state, begin), (If((begin.later,), _direct_moves(state, ADD)), *store)
    load = _direct_moves(state, LOAD)
    return (_begun(state, begin, load) if begin else load), store


def is_direct(nest: Nest, hardware: Hardware, output: str) -> bool:
    """Whether moves reach the accumulators' elements in the tensor, as they lie there, and masks can cut them."""
    access = nest.mapping.operand_access(output)
    compute, lanes = nest.mapping.instruction, nest.lanes(output)
    values = {a: nest.value(a, 0, sym(x.lane) if x.lane in lanes else 0) for a, x in nest.axes.items()}
    point = nest.point(values)
    index = tuple(substitute(i, point) for i in access.index)
    offset = row_major(index, nest.kernel.tensor(access.tensor).shape)
    values = {a: nest.value(a) for a in nest.axes}
    moved = moved_lanes(nest, output)
    if any(first_lanes(nest, lane, values) is None for lane in moved):
        return False
    tailed = {lane for lane in lanes if nest.has_tail(nest.axis_of_lane(lane).name)} | set(moved)
    pattern = tuple(range(len(lanes)))
    for store in (False, True):
        move = look_for_move(hardware, compute, output, store, pattern, bool(tailed))
        if move is None or not tailed <= set(lanes[: len(move.active)]):
            return False
        if not fits(move, substitute(offset, dict(zip(lanes, lane_symbols(move), strict=True)))):
            return False
    return True


def _begun(state: Lowering, begin: Begin, load: Nodes) -> Nodes:
    """Sets the accumulators to the reduction's start at its first visit, and loads them at later ones."""
    start = _start(state, begin)
    if not begin.visits and begin.always:
        return start
    return If((begin.first,), start), If((begin.later,), load)


def _start(state: Lowering, begin: Begin) -> Nodes:
    """Sets every accumulator to the start of the reduction."""
    units = {a: sym(f"{plain_name(a)}_uz") for a in unrolled_axes(state, state.output)}
    register = Ref(state.nest.buffer("acc"), tuple(units.values()))
    return unroll(state.nest, units, use_of(begin.start, register, None))


def adds_in_blocks(nest: Nest, hardware: Hardware, output: str) -> bool:
    """Whether moves can add the tensor's elements to whole accumulators, and masked ones if the tile may be cut."""
    cut = any(nest.has_tail(a) for a, x in nest.axes.items() if not x.reduction) or bool(left_out(nest))
    pattern, compute = tuple(range(len(nest.lanes(output)))), nest.mapping.instruction
    found = (find_accumulating(hardware, compute, output, pattern, masked) for masked in (False, True)[: 1 + cut])
    return all(move is not None for move in found)


def _direct_moves(state: Lowering, way: str) -> Nodes:
    """Moves between the output tensor and the accumulators: plain for a full register tile, guarded for a cut one.

    The two are kept apart because tests cost time in every tile, and masked stores are slow on some machines.
    """
    nest = state.nest
    lanes = nest.lanes(state.output)
    units = {a: sym(f"{plain_name(a)}_u{way[0]}") for a in unrolled_axes(state, state.output)}
    plain = unroll(nest, units, _output_move(state, way, units, masked=False))
    tails, guards = cut_axes(state), left_out(nest)
    if not tails and not guards:
        return plain
    moved = moved_lanes(nest, state.output)
    tailed = [lane for lane in lanes if state.compute.extents[lane] != 1 and nest.axis_of_lane(lane).name in tails]
    masked = {*tailed, *moved}
    values = tile_values(state, units, {})
    rows = tuple(sp.Lt(values[a], nest.axes[a].extent) for a in tails if nest.axes[a].lane not in tailed)
    rows += tuple(g for g in at_cells(nest, tile_values(state, units, _own(lanes))) if not symbols_of([g]) & set(moved))
    part = _output_move(state, way, units, masked=bool(masked))
    guarded = unroll(nest, units, If(rows, (part,)) if rows else part)
    slack = _slack(state, tails)
    if slack is None:
        return guarded
    return (If((sp.Ge(slack, 0),), plain), If((sp.Lt(slack, 0),), guarded))


def _slack(state: Lowering, tails: tuple[str, ...]) -> Any:
    """How far the register tile stays below the extents and within the guard; negative if cut, None if unknown."""
    inside = room(state, tails)
    if not left_out(state.nest):
        return inside
    ends = whole_and_some(state.nest, left_out(state.nest))
    if ends is None:
        return None
    return ends[0] if inside is None else IMin(inside, ends[0])


def _own(lanes: tuple[str, ...]) -> dict[str, Any]:
    return {lane: sym(lane) for lane in lanes}


def _output_move(state: Lowering, way: str, units: dict[str, Any], masked: bool) -> Node:
    nest = state.nest
    lanes = nest.lanes(state.output)
    access = nest.mapping.operand_access(state.output)
    pattern = tuple(range(len(lanes)))
    if way == ADD:
        added = find_accumulating(state.hardware, state.compute, state.output, pattern, masked)
        assert added is not None, "adds_in_blocks() says that there is one"
        move = added
    else:
        move = find_move(state.hardware, state.compute, state.output, way == STORE, pattern, masked)
    own = dict(zip(lanes, lane_symbols(move), strict=True))
    point = nest.point(tile_values(state, units, own))
    index = tuple(substitute(i, point) for i in access.index)
    active = _active(state, lanes[: len(move.active)], units)
    return use_of(move, Ref(nest.buffer("acc"), tuple(units.values())), Ref(access.tensor, index), active)


def _active(state: Lowering, lanes: tuple[str, ...], units: dict[str, Any]) -> tuple[Any, ...]:
    """How many lanes lie inside the extent and the guard."""
    values = tile_values(state, units, {})
    inside = active_lanes(state, lanes, units)
    left = [first_lanes(state.nest, lane, values) or () for lane in lanes]
    return tuple(smallest(n, *some) for n, some in zip(inside, left, strict=True))


def _staged_moves(state: Lowering, acc: Buffer) -> tuple[Nodes, Nodes]:
    """Loads and stores of an output without moves of its own, through a buffer laid out like the accumulators."""
    nest = state.nest
    name = nest.buffer(f"{acc.type.tensor}_staged")
    stage = Buffer(
        name, acc.dtype, acc.cells, acc.shape,
        IndexType(acc.type.tensor, acc.type.coordinates, acc.type.guard, "dead"),
    )  # fmt: skip
    over = tuple(zip(acc.cells, acc.shape, strict=True))
    place, here = Ref(acc.type.tensor, acc.type.coordinates), Ref(name, acc.cells)
    types = (acc.dtype, acc.dtype)
    gather = copy_of(here, place, over, acc.type.guard, "0", dtypes=types)
    scatter = copy_of(place, here, over, acc.type.guard, "", dtypes=types)
    moves: list[Nodes] = []
    for store in (False, True):
        pattern = tuple(range(len(nest.lanes(state.output))))
        move = find_move(state.hardware, state.compute, state.output, store, pattern, masked=False)
        units = {a: sym(f"{plain_name(a)}_u{'s' if store else 'l'}") for a in unrolled_axes(state, state.output)}
        registers = tuple(units.values())
        node = use_of(move, Ref(acc.name, registers), Ref(name, (*registers, *lane_symbols(move))))
        moves.append(unroll(nest, units, node))
    return (Alloc(stage), gather, *moves[0]), (*moves[1], scatter)
