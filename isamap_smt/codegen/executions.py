"""The innermost body: operands go into registers, and the tile's executions add to the accumulators.

At the boundary, rows whose points the kernel's guard excludes are neither loaded nor executed.
"""

from __future__ import annotations

from math import prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.boundary import lanes_left, rows_of
from isamap_smt.codegen.nest import plain_name
from isamap_smt.codegen.offsets import row_major
from isamap_smt.codegen.operands import InPlace, Packed, StagedOperand, address, guards_carried, move_of, moving_lanes
from isamap_smt.codegen.prefetch import prefetches
from isamap_smt.codegen.tile import Lowering, Nodes, active_lanes, tested, tile_values, unroll, unrolled_axes
from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import smallest, substitute, sym, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.neutral import left_beyond
from isamap_smt.ir.program import Alloc, Buffer, Compute, IndexType, Move, Ref, use_of
from isamap_smt.mapping.moves import fits, lane_symbols, moves_in_place


def execute(state: Lowering) -> Nodes:
    """Operands with few registers are loaded first and stay; the one with most streams through one register."""
    nest = state.nest
    streamed = _streamed(state)
    nodes: Nodes = ()
    references: dict[str, Ref] = {}
    for operand in state.inputs:
        if operand == streamed:
            continue
        units = {a: sym(f"{plain_name(a)}_u{operand}") for a in unrolled_axes(state, operand)}
        where = _tested_rows(state, operand, units)
        nodes += (_alloc(state, operand, tuple(units)), *unroll(nest, units, _load(state, operand, units), where=where))
    outer = rows_of(nest, streamed) if streamed else {}
    inner = {a: sym(f"{plain_name(a)}_u") for a in unrolled_axes(state, state.output) if a not in outer}
    units = {**outer, **inner}
    for operand in state.inputs:
        own = () if operand == streamed else unrolled_axes(state, operand)
        references[operand] = Ref(nest.buffer(f"{operand}_r"), tuple(units[a] for a in own))
    references[state.output] = Ref(nest.buffer("acc"), tuple(units[a] for a in unrolled_axes(state, state.output)))
    values = tile_values(state, units, {lane: sym(lane) for lane in state.compute.extents})
    point = tuple(nest.point(values).items())
    execution = Compute(state.compute, tuple(references.items()), point, nest.mapping.statement_index)
    within = {v.name for v in inner.values()}
    where = tested(state)
    woven = state.compute.chained and {o for o, _ in state.compute.places} == {o for o, _ in state.compute.c_types}
    body = unroll(nest, inner, execution, where=where, woven=woven)
    if streamed:
        left = [r for r in where if not symbols_of([r]) & within]
        loaded = (_alloc(state, streamed, ()), _load(state, streamed, outer))
        body = unroll(nest, outer, *loaded, *body, where=left, woven=woven)
    return (*nodes, *body)


def _alloc(state: Lowering, operand: str, unrolled: tuple[str, ...]) -> Alloc:
    """Registers for an operand; `unrolled` axes index them, other unrolled axes are loops around."""
    nest = state.nest
    cells = {a: sym(f"c_{plain_name(a)}_u") for a in unrolled}
    around = {a: sym(f"{plain_name(a)}_u") for a in unrolled_axes(state, operand) if a not in cells}
    lanes = {lane: sym(f"c_{lane}") for lane in nest.lanes(operand)}
    point, values = _read_point(state, operand, {**around, **cells}, lanes)
    access = nest.mapping.operand_access(operand)
    coordinates = tuple(substitute(i, point) for i in access.index)
    guard, outside = _register_guard(state, operand, values, point, cells)
    dtype = nest.held(operand)
    shape = tuple(sp.Integer(nest.units(a)) for a in cells) + tuple(
        sp.sympify(state.compute.extents[lane]) for lane in lanes
    )
    held = IndexType(access.tensor, coordinates, guard, outside)
    symbols = (*cells.values(), *lanes.values())
    return Alloc(Buffer(nest.buffer(f"{operand}_r"), dtype, symbols, shape, held, "registers", len(lanes)))


def _read_point(
    state: Lowering, operand: str, units: dict[str, Any], lanes: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Kernel point and program axis values that an operand's cell stands for; rows beyond the end are clamped
    when the operand is read in place, if they are read at all."""
    nest = state.nest
    values = tile_values(state, units, lanes)
    source = state.staged[operand]
    if isinstance(source, InPlace) and not source.boundary:
        free = [a for a in nest.relevant(operand) if nest.axes[a].leaf == 1]
        values = {a: nest.clamped(a, v) if a in free else v for a, v in values.items()}
    return nest.point(values), values


def _tested_rows(state: Lowering, operand: str, units: dict[str, Any]) -> tuple[Any, ...]:
    """What is tested of an operand, for rows that other variables count."""
    rows = {v.name: units[a] for a, v in rows_of(state.nest, operand).items()}
    return tuple(substitute(r, rows) for r in tested(state, operand))


def _register_guard(
    state: Lowering, operand: str, values: dict[str, Any], point: dict[str, Any], cells: dict[str, Any]
) -> tuple[tuple[Any, ...], str]:
    """Where a register holds its element, and what it holds elsewhere. A streamed one is there where points are executed."""
    nest, source = state.nest, state.staged[operand]
    relevant = nest.relevant(operand)
    if isinstance(source, Packed):
        tails = [a for a in relevant if nest.has_tail(a)]
        outside = source.setup[0].buffer.type.outside  # type: ignore[union-attr]
    else:
        tails = [a for a in relevant if nest.has_tail(a) and nest.axes[a].leaf != 1]
        outside = "0"
    guard = [sp.Lt(values[a], nest.axes[a].extent) for a in tails]
    left_out = isinstance(source, InPlace) and source.boundary is not None
    if left_out and operand != _streamed(state):
        guard += _tested_rows(state, operand, cells)
    if masks := _masks(source):
        guard += [substitute(g, point) for g in masks]
        return tuple(guard), _number_beyond(state, operand)
    if not left_out:
        guard += [substitute(g, point) for g in guards_carried(nest, operand)]
    return tuple(guard), outside if guard and not left_out else "dead"


def _masks(source: StagedOperand) -> tuple[Any, ...]:
    """The relations that the operand's loads cut."""
    return source.boundary.masks if isinstance(source, InPlace) and source.boundary and not source.inside else ()


def _number_beyond(state: Lowering, operand: str) -> str:
    """What its masked loads leave in other lanes, as an index type says it."""
    source = state.staged[operand]
    assert isinstance(source, InPlace) and source.boundary is not None
    return str(left_beyond(source.boundary.beyond, state.nest.held(operand)))


def _load(state: Lowering, operand: str, units: dict[str, Any]) -> Move:
    """One load or broadcast of the operand's register for these units."""
    nest, source = state.nest, state.staged[operand]
    lanes = nest.lanes(operand)
    moving = moving_lanes(nest, operand)
    in_place = isinstance(source, InPlace)
    tails = [lane for lane in moving if nest.has_tail(nest.axis_of_lane(lane).name)]
    cut = _masks(source)
    masked = bool(cut) or (in_place and not state.whole and any(state.compute.extents[lane] != 1 for lane in tails))
    if masked and not {*tails} <= {*moving[:1]}:
        raise ScheduleError(f"{source.name} has a tail that no mask can cut; pack {operand}")
    if in_place:
        move, memory = _in_place(state, operand, units, masked)
    else:
        move = move_of(nest, state.hardware, operand, masked=masked, ordered=False)
        memory = _memory(state, operand, units, move)
    active = active_lanes(state, moving[: len(move.active)], units)
    if cut:
        left = lanes_left(nest, cut, moving[0], tile_values(state, units, {}))
        assert left is not None
        active = (smallest(*(active if tails else ()), *left),)
    registers = () if operand == _streamed(state) else tuple(units.values())
    besides = prefetches(nest, source, state.schedule.stage(operand), state.to_and_fro) if moving == lanes else ()
    return use_of(move, Ref(nest.buffer(f"{operand}_r"), registers), memory, active, besides)


def _memory(state: Lowering, operand: str, units: dict[str, Any], move: Instruction) -> Ref:
    """Where the operand's elements lie, over the move's own lanes."""
    own = dict(zip(state.nest.lanes(operand), lane_symbols(move), strict=True))
    point, _ = _read_point(state, operand, units, own)
    lanes = {lane: own[lane] for lane in moving_lanes(state.nest, operand)}
    return address(state.nest, state.staged[operand], units, lanes, point)


def _in_place(state: Lowering, operand: str, units: dict[str, Any], masked: bool) -> tuple[Instruction, Ref]:
    """The load that takes the elements in the order in which they lie, and where. Raises ScheduleError without one."""
    nest, source = state.nest, state.staged[operand]
    assert isinstance(source, InPlace)
    lanes, tensor = nest.lanes(operand), nest.mapping.operand_access(operand).tensor
    buffer = source.setup[0].buffer if source.setup else None  # type: ignore[union-attr]
    shape = buffer.shape if buffer else nest.kernel.tensor(tensor).shape
    pattern = tuple(lanes.index(lane) for lane in moving_lanes(nest, operand))
    beyond = source.boundary.beyond if source.boundary else ZERO
    for move, _ in moves_in_place(state.hardware, state.compute, operand, pattern, masked, beyond):
        memory = _memory(state, operand, units, move)
        if fits(move, row_major(memory.index, shape)):
            return move, memory
    raise ScheduleError(
        f"{tensor} cannot be read in place: one execution of {state.compute.name} needs elements "
        f"that do not lie as its loads take them; pack {operand}"
    )


def _streamed(state: Lowering) -> str:
    """The input with most registers: it passes through one register; '' when there are no inputs."""
    count = {o: prod(state.nest.units(a) for a in unrolled_axes(state, o)) for o in state.inputs}
    return max(state.inputs, key=lambda o: count[o], default="")
