"""Lowers a mapped statement: its schedule becomes loops around accumulators, with index types on all buffers.

    outer loops { pack ... { load accumulators; reduction loops { load operands; execute }; store accumulators } }

Every output is accumulated into: its elements are loaded before the reduction and stored after it, so `+=` means
the same for one block of the reduction as for all of it. Nothing here is trusted: prove_program() checks the result.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.accumulators import accumulators
from isamap_smt.codegen.begin import beginning
from isamap_smt.codegen.boundary import lanes_left, moving_axes, rows_of, whole_and_some
from isamap_smt.codegen.c_expr import row_major
from isamap_smt.codegen.nest import Nest, NestLoop, build_nest, most_trips, plain_name
from isamap_smt.codegen.operands import (
    InPlace,
    Packed,
    StagedOperand,
    address,
    free_guards,
    guards_carried,
    keeps_finite,
    move_of,
    moving_lanes,
    padding_is_neutral,
    staged_operand,
)
from isamap_smt.codegen.statements import Within, others
from isamap_smt.codegen.tile import (
    Lowering,
    Nodes,
    active_lanes,
    cut_axes,
    room,
    tested,
    tile_values,
    unroll,
    unrolled_axes,
)
from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import (
    FloorDiv,
    FloorMod,
    IMax,
    IMin,
    affine,
    is_constant,
    smallest,
    substitute,
    sym,
    symbols_of,
)
from isamap_smt.ir.hardware import LINE, Hardware
from isamap_smt.ir.hypotheses import Finite, Hypothesis
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import left_beyond
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Compute,
    Copy,
    If,
    IndexType,
    Move,
    Node,
    Parallel,
    Prefetch,
    Ref,
    Serial,
    use_of,
)
from isamap_smt.ir.schedule import Schedule, Stage
from isamap_smt.mapping.moves import fits, lane_symbols, moves_in_place, no_padding
from isamap_smt.proof.program_kernel_order import injective

# ---- The innermost body: operands go into registers, and the tile's executions add to the accumulators.
#
# At the boundary, rows whose points the kernel's guard excludes are neither loaded nor executed.


# ---- Prefetches of a load of vectors: the line some bytes ahead, and a share of the next block.
#
# A block is the part of a packed buffer that the loops inside some position use, over and over: once for each iteration
# of the loops among them that do not select the operand. The first use would wait for every line of it. So each use of
# a block brings a share of the next block, which lies behind it, into the second cache: an even stream beside all
# computing.


def prefetches(nest: Nest, source: StagedOperand, stage: Stage, to_and_fro: int) -> tuple[Prefetch, ...]:
    """The lines prefetched by each load of whole vectors; no next block if its loops' trips depend on sizes.

    to_and_fro: the number of loops, after the first, that run backwards in every other iteration of it.
    """
    near = (Prefetch(sp.Integer(stage.prefetch)),) if stage.prefetch else ()
    if stage.block is None or not isinstance(source, Packed):
        return near
    return (*near, *_next_block(nest, source, stage.block, to_and_fro))


def _next_block(nest: Nest, source: Packed, block: int, to_and_fro: int) -> tuple[Prefetch, ...]:
    """Prefetch of the next block, spread over all uses of this one.

    Step n of use w of the block reads `step * n` bytes into it, and asks for `share` bytes at `share * (n + steps * w)`
    bytes into the next. The block after the last is the first: it is used next, in the next iteration of a loop around
    all of them, or in the next call. For loops that run to and fro, see below.
    """
    outside, mine = (
        [position for kind, position in source.dims if kind == "loop" and (position >= block) == inside]
        for inside in (False, True)
    )
    others = [p for p in range(block, nest.accumulate) if p not in mine]
    trips = {p: most_trips(nest, p) for p in (*outside, *mine, *others)}
    if not all(t.is_Integer for t in trips.values()):
        return ()
    buffer = source.setup[0].buffer  # type: ignore[union-attr]
    inside = [n for (kind, _), n in zip(source.dims, buffer.shape, strict=True) if kind != "loop"]
    step = buffer.dtype.bytes * prod(map(int, inside))
    (at, blocks), (n, steps), (w, uses) = (_counted(nest, positions, trips) for positions in (outside, mine, others))
    if blocks == 1:
        return ()
    share = ceil(step / uses)
    following = FloorMod(at + 1, blocks) - at
    if to_and_fro and 1 in outside:
        following = _next_to_and_fro(nest, outside, trips, to_and_fro) - at
    distance = steps * step * following + sp.expand(share * steps * w + (share - step) * n)
    return (Prefetch(distance, ceil(share / LINE), 2),)


def _next_to_and_fro(nest: Nest, outside: list[int], trips: dict[int, Any], to_and_fro: int) -> Any:
    """The next block, if the outermost of these loops run backwards in every other iteration of the first loop of all.
    At the end of an iteration it is among the first blocks of the next: the same block, if no other loop tells blocks
    apart."""
    before, count = _counted(nest, [p for p in outside if p <= to_and_fro], trips)
    within, of_one = _counted(nest, [p for p in outside if p > to_and_fro], trips)
    step = FloorDiv(within + 1, of_one) * (1 - 2 * FloorMod(nest.loops[0].var, 2))
    return IMax(sp.S.Zero, IMin(sp.Integer(count - 1), before + step)) * of_one + FloorMod(within + 1, of_one)


def _counted(nest: Nest, positions: list[int], trips: dict[int, Any]) -> tuple[Any, int]:
    """(iterations of these loops before this one, all of them)."""
    before: Any = sp.S.Zero
    for p in positions:
        before = before * trips[p] + nest.loops[p].var
    return before, prod(int(trips[p]) for p in positions)


def execute(state: Lowering) -> Nodes:
    """Operands with few registers are loaded first and stay; the one with most streams through one register."""
    nest = state.nest
    streamed = _streamed(state)
    nodes: Nodes = ()
    references: dict[str, Ref] = {}
    for operand in _loaded(state):
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
        if nest.far(operand):
            first = (sp.S.Zero,) * len(nest.extents(operand))
            references[operand] = Ref(nest.mapping.operand_access(operand).tensor, first)
    references[state.output] = Ref(nest.buffer("acc"), tuple(units[a] for a in unrolled_axes(state, state.output)))
    values = tile_values(state, units, {lane: sym(lane) for lane in state.compute.extents})
    point = tuple(nest.point(values).items())
    execution = Compute(state.compute, tuple(references.items()), point, nest.mapping.statement_index)
    within = {v.name for v in inner.values()}
    where = tested(state)
    held = {o for o, place in state.compute.places if place != MAIN}
    woven = state.compute.chained and held == {o for o, _ in state.compute.c_types}
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
    coordinates = nest.coordinates(operand, point, lanes)
    guard, outside = _register_guard(state, operand, values, point, cells)
    if zeros := _around_window(state, operand, coordinates):
        ends = [a for a in nest.relevant(operand) if nest.has_tail(a) and not nest.axes[a].reduction]
        kept = [sp.Lt(values[a], nest.axes[a].extent) for a in ends if nest.axes[a].leaf != 1]
        guard, outside = (*kept, *zeros), "0"
    if nest.table(operand):
        rows = zip(lanes.values(), nest.extents(operand), nest.kernel.tensor(access.tensor).shape, strict=True)
        guard, outside = tuple(sp.Lt(c, n) for c, held, n in rows if held != n), "0"
    dtype = nest.held(operand)
    shape = tuple(sp.Integer(nest.units(a)) for a in cells) + nest.extents(operand)
    held = IndexType(access.tensor, coordinates, guard, outside)
    symbols = (*cells.values(), *lanes.values())
    return Alloc(Buffer(nest.buffer(f"{operand}_r"), dtype, symbols, shape, held, "registers", len(lanes)))


def _read_point(
    state: Lowering, operand: str, units: dict[str, Any], lanes: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Kernel point and program axis values of an operand's cell; rows beyond the end are clamped if the operand is read
    in place without tests."""
    nest = state.nest
    values = tile_values(state, units, lanes)
    source = state.staged[operand]
    if isinstance(source, InPlace) and not source.boundary:
        free = [a for a in nest.relevant(operand) if nest.axes[a].leaf == 1]
        values = {a: nest.clamped(a, v) if a in free else v for a, v in values.items()}
    return nest.point(values), values


def _tested_rows(state: Lowering, operand: str, units: dict[str, Any]) -> tuple[Any, ...]:
    """The operand's tests, with `units` as its rows."""
    rows = {v.name: units[a] for a, v in rows_of(state.nest, operand).items()}
    return tuple(substitute(r, rows) for r in tested(state, operand))


def _register_guard(
    state: Lowering, operand: str, values: dict[str, Any], point: dict[str, Any], cells: dict[str, Any]
) -> tuple[tuple[Any, ...], str]:
    """(relations under which a register holds its element, content elsewhere). Streamed operands are loaded at executed points."""
    nest, source = state.nest, state.staged[operand]
    relevant = nest.relevant(operand)
    if isinstance(source, Packed):
        tails = [a for a in relevant if nest.has_tail(a)]
        outside = source.setup[0].buffer.type.outside  # type: ignore[union-attr]
    else:
        tails = [a for a in relevant if nest.has_tail(a) and nest.axes[a].leaf != 1]
        outside = "dead" if any(nest.axes[a].reduction for a in tails) else "0"  # behind sums nothing is masked
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


def _around_window(state: Lowering, operand: str, coordinates: tuple[Any, ...]) -> tuple[Any, ...]:
    """Relations under which a window holds an element of the tensor, where executions read it behind the end of a sum."""
    nest, source = state.nest, state.staged[operand]
    ends = any(nest.axes[a].reduction and nest.axes[a].leaf != 1 and nest.has_tail(a) for a in nest.relevant(operand))
    if not (ends and isinstance(source, InPlace) and source.setup):
        return ()
    window = source.setup[0].buffer  # type: ignore[union-attr]
    at = {c.name: sp.expand(i + by) for c, i, by in zip(window.cells, coordinates, source.shift, strict=True)}
    return tuple(substitute(g, at) for g in window.type.guard)


def _masks(source: StagedOperand) -> tuple[Any, ...]:
    """The relations cut by the operand's loads."""
    return source.boundary.masks if isinstance(source, InPlace) and source.boundary and not source.inside else ()


def _number_beyond(state: Lowering, operand: str) -> str:
    """The value that its masked loads leave in other lanes, as an index type says it."""
    source = state.staged[operand]
    assert isinstance(source, InPlace) and source.boundary is not None
    return str(left_beyond(source.boundary.beyond, state.nest.held(operand)))


def _load(state: Lowering, operand: str, units: dict[str, Any]) -> Move:
    """One load or broadcast of the operand's register for these units."""
    nest, source = state.nest, state.staged[operand]
    if nest.table(operand):
        return _load_table(state, operand)
    lanes = nest.lanes(operand)
    moving = moving_lanes(nest, operand)
    in_place = isinstance(source, InPlace)
    ends = [lane for lane in moving if nest.has_tail(nest.axis_of_lane(lane).name)]
    tails = [lane for lane in ends if not (in_place and nest.axis_of_lane(lane).reduction)]
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


def _load_table(state: Lowering, operand: str) -> Move:
    """The load of a whole tensor into its register; what the register holds beyond it is 0."""
    nest = state.nest
    shape = nest.kernel.tensor(nest.mapping.operand_access(operand).tensor).shape
    cut = nest.extents(operand) != tuple(map(sp.sympify, shape))
    if cut and len(shape) != 1:
        raise ScheduleError(f"{nest.mapping.operand_access(operand)} is smaller than {operand}, and no mask cuts it")
    move, memory = _in_place(state, operand, {}, cut)
    return use_of(move, Ref(nest.buffer(f"{operand}_r"), ()), memory, shape if cut else ())


def _memory(state: Lowering, operand: str, units: dict[str, Any], move: Instruction) -> Ref:
    """The place of the operand's elements, over the move's own lanes."""
    own = dict(zip(state.nest.lanes(operand), lane_symbols(move), strict=True))
    point, _ = _read_point(state, operand, units, own)
    lanes = {lane: own[lane] for lane in moving_lanes(state.nest, operand)}
    return address(state.nest, state.staged[operand], units, lanes, point)


def _in_place(state: Lowering, operand: str, units: dict[str, Any], masked: bool) -> tuple[Instruction, Ref]:
    """(load, place) of the operand's elements in their order in memory. Raises ScheduleError without such a load."""
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
    count = {o: prod(state.nest.units(a) for a in unrolled_axes(state, o)) for o in _loaded(state)}
    return max(count, key=lambda o: count[o], default="")


def _loaded(state: Lowering) -> list[str]:
    """The inputs that registers hold."""
    return [o for o in state.inputs if not state.nest.far(o)]


ALONE = 1 << 15  # cells that one thread copies sooner than others have started


@dataclass(frozen=True)
class Around:
    """Loops around several nests, the outermost of each one's schedule, over these axes. time_steps: one, of a recurrence."""

    axes: tuple[str, ...]
    time_steps: bool


@dataclass(frozen=True)
class LoweredNest:
    """A lowered nest and its surroundings. ahead: packed once, before the calls. setup: packed right before each of the
    loops around. before, after: loops of other statements; within: those of them that one iteration of the loops around
    computes.
    outer: the loops around, each empty."""

    kernel: Kernel
    ahead: Nodes
    setup: tuple[Nodes, ...]
    before: Nodes
    body: Nodes
    after: Nodes
    hypotheses: tuple[Hypothesis, ...]
    starts: tuple[str, ...]
    outer: tuple[Serial | Parallel, ...] = ()
    within: Nodes = ()


def lower_nest(
    schedule: Schedule, first: int, end: int, around: Around | None = None, inside: bool = False
) -> LoweredNest:
    """One mapped statement, with the statements from number `first` to before `end` computed around it.

    around: the body is for one iteration of these loops; inside: later statements with loops of their own are too.
    Raises ScheduleError when the schedule cannot be carried out.
    """
    state = _state(schedule, first, end, around, inside)
    ahead = tuple(node for f in state.staged.values() if f.ahead for node in f.setup)
    shared = len(around.axes) if around else 0
    setup = tuple(_setup(state, depth) for depth in range(shared))
    body = _loops(state, shared)
    starts = (state.begin.tensor,) if state.begin else ()
    outer = tuple(_loop(state, depth, ()) for depth in range(shared))
    o = state.others
    after, within = ((), o.after) if inside else (o.after, ())
    return LoweredNest(
        state.nest.kernel, ahead, setup, o.before, body, after, _hypotheses(state), starts, outer, within
    )


def time_variable(axis: str) -> Any:
    """The variable of the outermost loop over an axis."""
    return sym(f"{axis.replace('.', '_')}0")


def _check_fused(nest: Nest, axes: tuple[str, ...]) -> None:
    """The outermost loops are over the axes, and the sums are made inside them."""
    if tuple(x.axis for x in nest.loops[: len(axes)]) != axes or nest.accumulate < len(axes):
        raise ScheduleError(
            f"{nest.kernel.name}: statement {nest.mapping.statement_index + 1} shares its loop over "
            f"{' and '.join(axes)}, so that one comes first"
        )


def _check_time_steps(nest: Nest, schedule: Schedule, time: str) -> None:
    """The outermost loop counts the time steps one by one, in order."""
    found = [loop for loop in nest.loops if loop.axis == time]
    if len(found) != 1 or found[0] != nest.loops[0] or found[0].step != 1 or nest.accumulate == 0:
        raise ScheduleError(
            f"{nest.kernel.name} goes one time step after the other along {time}: its one loop, in steps of 1, comes first"
        )
    if schedule.parallel == 0:
        raise ScheduleError(f"the time steps along {time} follow one another; another loop can be spread over threads")


def _block(nest: Nest, loop: NestLoop) -> Within:
    """The points of an outer loop's axis in one iteration of it."""
    start, extent = loop.step * loop.var, nest.axes[loop.axis].extent
    whole = is_constant(extent) and is_constant(loop.step) and int(extent) % int(loop.step) == 0
    return Within(loop.axis, start, sp.sympify(loop.step) if whole else IMin(sp.sympify(loop.step), extent - start))


def _state(schedule: Schedule, first: int, end: int, enclosing: Around | None, inside: bool) -> Lowering:
    if schedule.hardware is None:
        raise ScheduleError("the schedule names no hardware, so there are no move instructions to lower to")
    nest = build_nest(schedule)
    _check_order(nest)
    time = enclosing.axes[0] if enclosing and enclosing.time_steps else ""
    if time:
        _check_time_steps(nest, schedule, time)
    elif enclosing:
        _check_fused(nest, enclosing.axes)
    statement = nest.mapping.instruction.kernel.statements[0]
    output = statement.target.tensor
    _check_lanes(nest, output)
    inputs = tuple(a.tensor for a in statement.inputs if a.tensor != output)
    staged = {o: staged_operand(nest, schedule, o, _fill(nest, inputs, o)) for o in inputs}
    _check_guards(nest, staged, schedule.hardware)
    around = {time: time_variable(time)} if time else {}
    blocks = tuple(_block(nest, x) for x in nest.loops[: len(enclosing.axes)]) if inside and enclosing else ()
    beside = others(nest, schedule.parallel is not None, first, end, around, blocks)
    begin = beginning(nest, schedule, output) if schedule.stage(output).depth is None else None
    apart = (
        schedule.parallel == 1 or not beside.inside
    )  # what is computed inside, too, where threads were to share the loop
    return Lowering(
        schedule, nest, output, inputs, staged, beside, begin, _to_and_fro(nest, staged) if time and apart else 0
    )


def _check_lanes(nest: Nest, output: str) -> None:
    """Raises ScheduleError for a reduction axis in the output's lanes: a guard may exclude points, and lanes are not cut."""
    for lane in nest.lanes(output):
        axis = nest.axis_of_lane(lane)
        if axis.reduction and axis.members and axis.leaf != 1:
            raise ScheduleError(
                f"{nest.kernel.name} sums over {axis.name}, which {nest.mapping.instruction.name} has in lanes of its output"
            )


def _check_order(nest: Nest) -> None:
    """Raises ScheduleError if several points meet in one element and their order matters."""
    s, axes = nest.statement, {a.name for a in nest.statement.axes}
    meet = any(len(symbols_of([i]) & axes) > 1 or affine(i, axes) is None for i in s.target.index)
    ordered = s.ordered and nest.kernel.tensor(s.target.tensor).dtype.is_float
    if (s.op == "=" and not injective(s)) or (ordered and meet):
        raise ScheduleError(
            f"several points of {nest.kernel.name} may meet in one element of {s.target.tensor}, where their order matters and "
            "tiles do not keep it"
        )


def _fill(nest: Nest, inputs: tuple[str, ...], operand: str) -> str:
    """-0 for the first of two padded floating-point operands: then acc + (-0 * +0) is acc, always."""
    is_float = nest.held(operand).is_float
    if operand != inputs[0] or not is_float:
        return "0"
    tails = any(a.reduction and nest.has_tail(n) for n, a in nest.axes.items())
    return "-0" if tails and len(inputs) > 1 else "0"


def _check_guards(nest: Nest, staged: Dict[str, StagedOperand], hardware: Hardware) -> None:
    s = nest.mapping.statement
    if s.ordered and nest.kernel.tensor(s.target.tensor).dtype.is_float and _padded(nest, staged):
        raise ScheduleError(
            f"{nest.kernel.name} is ordered and has a guard: padding adds a zero, which changes the sign of a sum of -0; "
            "read the operand in place, with lanes along another axis, drop `ordered`, or pad the input before the call"
        )
    if not padding_is_neutral(s) and (padded := _padded(nest, staged)):
        raise ScheduleError(no_padding(nest.kernel, s, hardware, nest.mapping.instruction, padded[0]))
    apart = len({guards_carried(nest, o) for o in staged}) > 1  # where one operand is padded and another is not
    if apart and not keeps_finite(nest) and (padded := _padded(nest, staged)):
        raise ScheduleError(
            f"{nest.kernel.name} has a guard and multiplies what may be infinite though its elements are finite, so no zeros can "
            f"stand for {padded[0]} there"
        )
    for g in free_guards(nest, tuple(staged)):
        if symbols_of([g]) & moving_axes(nest):
            raise ScheduleError(f"no operand alone decides the guard {g}; it would need a masked execution")


def _padded(nest: Nest, staged: Dict[str, StagedOperand]) -> list[str]:
    """Operands with zeros outside of the kernel's guard; none if executions are left out instead."""
    return [o for o, f in staged.items() if guards_carried(nest, o) and not (isinstance(f, InPlace) and f.boundary)]


def _hypotheses(state: Lowering) -> tuple[Hypothesis, ...]:
    """If one operand is padded with zero, real elements of the others must be finite; so those of a table, which is not."""
    nest = state.nest
    out = nest.kernel.tensor(nest.mapping.operand_access(state.output).tensor)
    if not out.dtype.is_float:
        return ()
    padded = _padded(nest, state.staged)
    others = {nest.mapping.operand_access(o).tensor for p in padded for o in state.inputs if o != p}
    if any(a.reduction and nest.has_tail(n) for n, a in nest.axes.items()):
        others |= {nest.mapping.operand_access(o).tensor for o in state.inputs if nest.table(o)}
    return tuple(Finite(t) for t in sorted(others) if nest.kernel.tensor(t).dtype.is_float)


def _loops(state: Lowering, position: int) -> Nodes:
    """The body inside the first `position` loops."""
    setup = _setup(state, position)
    if position == state.nest.accumulate:
        return (*setup, *accumulators(state, _work(state)), *state.others.inside)
    return (*setup, _loop(state, position, _loops(state, position + 1)))


def _to_and_fro(nest: Nest, staged: Dict[str, StagedOperand]) -> int:
    """How many loops, from the first inside the time steps on, go over a buffer packed ahead along one axis with
    independent iterations."""
    axes = [x.axis for x in nest.loops[1 : nest.accumulate]]
    plain = {i.name for i in nest.statement.target.index if i.is_Symbol}
    if not axes or not set(nest.axes[axes[0]].members) <= plain:
        return 0
    if not any(f.ahead and axes[0] in nest.relevant(f.operand) for f in staged.values()):
        return 0
    return next((n for n, a in enumerate(axes) if a != axes[0]), len(axes))


def _setup(state: Lowering, position: int) -> Nodes:
    """The packing inside the first `position` loops; outside of the parallel loop, threads share it."""
    nodes = tuple(node for f in state.staged.values() if f.depth == position and not f.ahead for node in f.setup)
    shared = state.schedule.parallel
    return nodes if shared is None or position > shared else tuple(map(_by_threads, nodes))


def _by_threads(node: Node) -> Node:
    """A large copy, the outermost dimension of more than one cell shared by threads."""
    if not isinstance(node, Copy):
        return node
    known = [int(n) for _, n in node.over if is_constant(n)]
    if len(known) == len(node.over) and prod(known) < ALONE:
        return node
    var, count = next((v, n) for v, n in node.over if n != 1)
    rest = tuple((v, n) for v, n in node.over if v != var)
    return Parallel(var, count, (replace(node, over=rest),)) if rest else node


def _loop(state: Lowering, position: int, body: Nodes) -> Serial | Parallel:
    loop = state.nest.loops[position]
    kind = Parallel if state.schedule.parallel == position else Serial
    backwards = state.nest.loops[0].var if 1 <= position <= state.to_and_fro else None
    return kind(loop.var, loop.count, body, loop.axis, loop.step, backwards)


def _reduction(state: Lowering, position: int) -> Nodes:
    """The reduction inside the first `position` loops, under all tests of these loops alone."""
    if position == len(state.nest.loops):
        body = _step(state)
    elif any(f.depth == position > state.nest.accumulate for f in state.staged.values()):
        raise ScheduleError("an operand cannot be packed inside the accumulators")
    else:
        body = (_loop(state, position, _reduction(state, position + 1)),)
    here = tuple(r for r in tested(state) if _place(state.nest, r) == position)
    return (If(here, body),) if here else body


def _step(state: Lowering) -> Nodes:
    """The executions of one step. A stepwise boundary has no tests for a tile inside, no executions for one outside."""
    stepwise = {
        o: f
        for o, f in state.staged.items()
        if isinstance(f, InPlace) and f.boundary and f.boundary.stepwise and not f.inside
    }
    guards = tuple(dict.fromkeys(g for f in stepwise.values() for g in f.boundary.relations))  # type: ignore[union-attr]
    ends = whole_and_some(state.nest, guards) if guards else None
    if ends is None:
        return execute(state)
    rows = room(state, tuple(a for a in cut_axes(state) if state.nest.axes[a].leaf == 1))
    whole = ends[0] if rows is None else smallest(ends[0], rows)
    inside = {**state.staged, **{o: replace(f, inside=True) for o, f in stepwise.items()}}
    return (
        If((sp.Ge(whole, 0),), execute(replace(state, staged=inside))),
        If((sp.Lt(whole, 0), sp.Ge(ends[1], 0)), execute(state)),
    )


def _place(nest: Nest, relation: Any) -> int | None:
    """How many loops a relation's test needs around it, from the accumulators on; None if it depends on rows of a tile."""
    position = {x.var.name: n + 1 for n, x in enumerate(nest.loops)}
    names = symbols_of([relation]) - set(nest.kernel.free_sizes)
    return max([nest.accumulate, *(position[n] for n in names)]) if names <= set(position) else None


def _masked_each(state: Lowering) -> tuple[str, ...]:
    """Axes that cut the last tile, if each element is computed once: then each of its few loads may be masked."""
    nest = state.nest
    if any(a.reduction for a in nest.axes.values()) or not any(isinstance(f, InPlace) for f in state.staged.values()):
        return ()
    return cut_axes(state) if any(nest.axes[a].leaf != 1 for a in cut_axes(state)) else ()


def _work(state: Lowering) -> Nodes:
    """The reduction. With left-out points: once for tiles inside, once for tiles at the boundary. Without sums: once
    unmasked for whole tiles, once for tiles cut by an extent."""
    boundaries = [f.boundary for f in state.staged.values() if isinstance(f, InPlace) and f.boundary]
    slacks = [b.slack for b in boundaries]
    if not slacks and (masked := _masked_each(state)):
        left = room(state, masked)
        whole = _reduction(replace(state, whole=True), state.nest.accumulate)
        cut = _reduction(state, state.nest.accumulate)
        return (If((sp.Ge(left, 0),), whole), If((sp.Lt(left, 0),), cut))
    if not slacks or None in slacks:
        return _reduction(state, state.nest.accumulate)
    slack = smallest(*slacks)
    plain = {
        o: replace(f, inside=True) if isinstance(f, InPlace) and f.boundary else f for o, f in state.staged.items()
    }
    whole = _reduction(replace(state, staged=plain), state.nest.accumulate)
    return (
        If((sp.Ge(slack, 0),), whole),
        If((sp.Lt(slack, 0),), _reduction(state, state.nest.accumulate)),
    )
