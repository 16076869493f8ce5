"""Lowering of a mapped statement: its schedule becomes loops around accumulators, with buffers that say what they hold.

    outer loops { pack ... { load accumulators; reduction loops { load operands; execute }; store accumulators } }

Every output is accumulated into: its elements are loaded before the reduction and stored after it, so `+=` means
the same for one block of the reduction as for all of it. Nothing here is trusted: prove_program() checks the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.begin import Begin, beginning
from isamap_smt.codegen.moves import contiguous, find_move, find_zero, lane_symbols
from isamap_smt.codegen.nest import Nest, build_nest
from isamap_smt.codegen.offsets import row_major
from isamap_smt.codegen.operands import Feed, InPlace, Packed, address, clamp, feed, guards_carried, open_guards
from isamap_smt.codegen.statements import Others, others
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, is_constant, substitute, sym
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Copy,
    Exec,
    If,
    IndexType,
    Loop,
    Move,
    Node,
    Ref,
)
from isamap_smt.ir.schedule import Schedule

Nodes = tuple[Node, ...]


@dataclass(frozen=True)
class _Lowering:
    """What every step of the lowering needs."""

    schedule: Schedule
    nest: Nest
    output: str
    inputs: tuple[str, ...]
    feeds: dict[str, Feed]
    others: Others
    begin: Begin | None

    @property
    def compute(self) -> Any:
        return self.nest.mapping.instruction

    @property
    def hardware(self) -> Any:
        return self.schedule.hardware


ALONE = 1 << 15  # cells that one thread copies sooner than others have started


@dataclass(frozen=True)
class Around:
    """A loop around several nests, the outermost of each one's schedule, over this axis. turns: of a recurrence."""

    axis: str
    turns: bool


@dataclass(frozen=True)
class LoweredNest:
    """A nest and what belongs to it. ahead: packed once, before the calls. setup: packed once at each call, outside of the
    loop around. before, after: the loops of other statements. assumptions: in words. outer: the loop around, empty."""

    kernel: Kernel
    ahead: Nodes
    setup: Nodes
    before: Nodes
    body: Nodes
    after: Nodes
    assumptions: tuple[str, ...]
    starts: tuple[str, ...]
    outer: Loop | None = None


def lower_nest(schedule: Schedule, first: int, end: int, around: Around | None = None) -> LoweredNest:
    """One mapped statement, with the statements from number `first` to before `end` computed around it.

    around: the body is for one iteration of this loop. Raises ScheduleError when the schedule cannot be carried out.
    """
    state = _state(schedule, first, end, around)
    ahead = tuple(node for f in state.feeds.values() if f.ahead for node in f.setup)
    setup = _setup(state, 0) if around else ()
    body = _loops(state, 1 if around else 0)
    starts = (state.begin.tensor,) if state.begin else ()
    outer = _loop(state, 0, ()) if around else None
    o = state.others
    return LoweredNest(state.nest.kernel, ahead, setup, o.before, body, o.after, _assumptions(state), starts, outer)


def turn_variable(axis: str) -> Any:
    """The variable of the outermost loop over an axis."""
    return sym(f"{axis.replace('.', '_')}0")


def _check_shared(nest: Nest, axis: str) -> None:
    """The outermost loop is over the axis, and the sums are made inside it."""
    if not nest.loops or nest.loops[0].axis != axis or nest.accumulate == 0:
        raise ScheduleError(
            f"{nest.kernel.name}: statement {nest.mapping.statement_index + 1} shares its loop over {axis}, so that one comes first"
        )


def _check_turns(nest: Nest, schedule: Schedule, turn: str) -> None:
    """The outermost loop counts the turns one by one, in order."""
    found = [loop for loop in nest.loops if loop.axis == turn]
    if len(found) != 1 or found[0] != nest.loops[0] or found[0].step != 1 or nest.accumulate == 0:
        raise ScheduleError(
            f"{nest.kernel.name} goes turn by turn along {turn}: its one loop, in steps of 1, comes first"
        )
    if schedule.parallel == 0:
        raise ScheduleError(f"the turns along {turn} follow one another; another loop can be spread over threads")


def _state(schedule: Schedule, first: int, end: int, shared: Around | None) -> _Lowering:
    if schedule.hardware is None:
        raise ScheduleError("the schedule names no hardware, so there are no move instructions to lower to")
    nest = build_nest(schedule)
    turn = shared.axis if shared and shared.turns else ""
    if turn:
        _check_turns(nest, schedule, turn)
    elif shared:
        _check_shared(nest, shared.axis)
    statement = nest.mapping.instruction.kernel.statements[0]
    output = statement.target.tensor
    inputs = tuple(a.tensor for a in statement.inputs if a.tensor != output)
    _check_guards(nest, inputs)
    feeds = {o: _feed(nest, schedule, inputs, o, shared is not None) for o in inputs}
    around = {turn: turn_variable(turn)} if turn else {}
    beside = others(nest, schedule.parallel is not None, first, end, around)
    begin = beginning(nest, schedule, output) if _is_direct(nest, output) else None
    return _Lowering(schedule, nest, output, inputs, feeds, beside, begin)


def _feed(nest: Nest, schedule: Schedule, inputs: tuple[str, ...], operand: str, shared: bool) -> Feed:
    zeroed = find_zero(schedule.hardware, nest.mapping.instruction, operand) is not None  # type: ignore[arg-type]
    written = {s.target.tensor for s in nest.kernel.statements}
    growing = shared and nest.mapping.operand_access(operand).tensor in written
    return feed(nest, schedule, operand, _fill(nest, inputs, operand), zeroed=zeroed, growing=growing)


def _fill(nest: Nest, inputs: tuple[str, ...], operand: str) -> str:
    """-0 for the first of two floating-point operands that are both padded: then acc + (-0 * +0) is acc, always."""
    is_float = nest.held(operand).is_float
    if operand != inputs[0] or not is_float:
        return "0"
    tails = any(a.reduction and nest.has_tail(n) for n, a in nest.axes.items())
    return "-0" if tails and len(inputs) > 1 else "0"


def _check_guards(nest: Nest, inputs: tuple[str, ...]) -> None:
    carried, s = {g for o in inputs for g in guards_carried(nest, o)}, nest.mapping.statement
    if open_guards(nest) and s.ordered and nest.kernel.tensor(s.target.tensor).dtype.is_float:
        raise ScheduleError(
            f"{nest.kernel.name} is ordered and has a guard: padding adds a zero, which changes the sign of a sum of -0; "
            "drop `ordered`, or pad the input before the call"
        )
    for g in open_guards(nest):
        if g not in carried:
            raise ScheduleError(f"no operand alone decides the guard {g}; it would need a masked execution")


def _assumptions(state: _Lowering) -> tuple[str, ...]:
    """Where one operand is padded with zero and the other is a real element, that one must be finite."""
    nest = state.nest
    out = nest.kernel.tensor(nest.mapping.operand_access(state.output).tensor)
    if not out.dtype.is_float:
        return ()
    padded = [o for o in state.inputs if guards_carried(nest, o)]
    others = {nest.mapping.operand_access(o).tensor for p in padded for o in state.inputs if o != p}
    return tuple(f"{t} is finite" for t in sorted(others))


def _loops(state: _Lowering, position: int) -> Nodes:
    """The body inside the first `position` loops."""
    setup = _setup(state, position)
    if position == state.nest.accumulate:
        return (*setup, *_accumulators(state), *state.others.inside)
    return (*setup, _loop(state, position, _loops(state, position + 1)))


def _setup(state: _Lowering, position: int) -> Nodes:
    """What is packed inside the first `position` loops; where these are outside of the loop that threads share, by threads."""
    nodes = tuple(node for f in state.feeds.values() if f.depth == position and not f.ahead for node in f.setup)
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
    return Loop(var, count, (replace(node, over=rest),), "parallel") if rest else node


def _loop(state: _Lowering, position: int, body: Nodes) -> Loop:
    loop = state.nest.loops[position]
    kind = "parallel" if state.schedule.parallel == position else "serial"
    return Loop(loop.var, loop.count, body, kind, loop.axis, loop.step)


def _reduction(state: _Lowering, position: int) -> Nodes:
    if position == len(state.nest.loops):
        return _execute(state)
    if any(f.depth == position > state.nest.accumulate for f in state.feeds.values()):
        raise ScheduleError("an operand cannot be packed inside the accumulators")
    return (_loop(state, position, _reduction(state, position + 1)),)


def _work(state: _Lowering) -> Nodes:
    """The reduction; where padding is read in place, once for tiles that lie inside and once for those at the border."""
    rooms = [f.border.room for f in state.feeds.values() if isinstance(f, InPlace) and f.border]
    if not rooms:
        return _reduction(state, state.nest.accumulate)
    room = rooms[0]
    for r in rooms[1:]:
        room = IMin(room, r)
    plain = {o: replace(f, inside=True) if isinstance(f, InPlace) and f.border else f for o, f in state.feeds.items()}
    whole = _reduction(replace(state, feeds=plain), state.nest.accumulate)
    return (
        If((sp.Ge(room, 0),), whole),
        If((sp.Lt(room, 0),), _reduction(state, state.nest.accumulate)),
    )


# ---- accumulators ------------------------------------------------------------------------------------------------


def _accumulators(state: _Lowering) -> Nodes:
    nest = state.nest
    unrolled = _unrolled(state, state.output)
    cells = {a: sym(f"c_{_plain(a)}_u") for a in unrolled}
    lanes = {lane: sym(f"c_{lane}") for lane in nest.lanes(state.output)}
    values = _values(state, cells, lanes)
    access = nest.mapping.operand_access(state.output)
    coordinates = tuple(substitute(i, nest.point(values)) for i in access.index)
    guard = tuple(sp.Lt(values[a], nest.axes[a].extent) for a in _tails(state))
    held = IndexType(access.tensor, coordinates, guard, "dead")
    symbols = (*cells.values(), *lanes.values())
    shape = tuple(sp.Integer(nest.units(a)) for a in unrolled) + tuple(
        sp.Integer(state.compute.axes[lane]) for lane in lanes
    )
    dtype = nest.kernel.tensor(access.tensor).dtype
    acc = Buffer(nest.buffer("acc"), dtype, symbols, shape, held, "registers", len(lanes))
    load, store = _output_moves(state, acc)
    return (Alloc(acc), *load, *_work(state), *store)


def _tails(state: _Lowering) -> tuple[str, ...]:
    """Program axes of the output whose register tile can reach beyond the extent."""
    return tuple(a for a, x in state.nest.axes.items() if not x.reduction and state.nest.has_tail(a))


def _unrolled(state: _Lowering, operand: str) -> tuple[str, ...]:
    relevant = state.nest.relevant(operand)
    return tuple(a for a in state.nest.axes if a in relevant and state.nest.units(a) > 1)


def _plain(axis: str) -> str:
    return axis.replace(".", "_")


def _values(state: _Lowering, units: dict[str, Any], lanes: dict[str, Any]) -> dict[str, Any]:
    """Value of each program axis for these units (by axis) and lanes (by instruction axis)."""
    axes = state.nest.axes.items()
    return {a: state.nest.value(a, units.get(a, 0), lanes.get(x.lane, 0)) for a, x in axes}


def _output_moves(state: _Lowering, acc: Buffer) -> tuple[Nodes, Nodes]:
    """Loading and storing the accumulators: straight from the tensor, or through a staging buffer."""
    if not _is_direct(state.nest, state.output):
        return _staged_moves(state, acc)
    load, store = _direct_moves(state, store=False), _direct_moves(state, store=True)
    return (_begun(state, state.begin, load) if state.begin else load), store


def _is_direct(nest: Nest, output: str) -> bool:
    """Whether the lanes of the accumulators lie next to each other in the tensor, and masks can cut them."""
    access = nest.mapping.operand_access(output)
    compute, lanes = nest.mapping.instruction, nest.lanes(output)
    values = {a: nest.value(a, 0, sym(x.lane) if x.lane in lanes else 0) for a, x in nest.axes.items()}
    point = nest.point(values)
    index = tuple(substitute(i, point) for i in access.index)
    offset = row_major(index, nest.kernel.tensor(access.tensor).shape)
    sizes = [(lane, compute.axes[lane]) for lane in lanes]
    tailed = [lane for lane in lanes if nest.has_tail(nest.axis_of_lane(lane).name)]
    return contiguous(offset, sizes) and tailed in ([], list(lanes[:1]))


def _begun(state: _Lowering, begin: Begin, load: Nodes) -> Nodes:
    """Zeros where nothing has been added to the elements yet, their values otherwise."""
    units = {a: sym(f"{_plain(a)}_uz") for a in _unrolled(state, state.output)}
    register = Ref(state.nest.buffer("acc"), tuple(units.values()))
    zero = _unroll(state.nest, units, Move(begin.zero, register, None))
    if not begin.visits and begin.always:
        return zero
    return If((begin.first,), zero), If((begin.later,), load)


def _direct_moves(state: _Lowering, store: bool) -> Nodes:
    """Moves between the output tensor and the accumulators: plain for a full register tile, guarded for a cut one.

    The two are kept apart because tests cost time in every tile, and masked stores are slow on some machines.
    """
    nest = state.nest
    lanes = nest.lanes(state.output)
    suffix = "s" if store else "l"
    units = {a: sym(f"{_plain(a)}_u{suffix}") for a in _unrolled(state, state.output)}
    plain = _unroll(nest, units, _output_move(state, store, units, None))
    tails = _tails(state)
    if not tails:
        return plain
    masked = [lane for lane in lanes if state.compute.axes[lane] > 1 and nest.axis_of_lane(lane).name in tails]
    values = _values(state, units, {})
    rows = tuple(sp.Lt(values[a], nest.axes[a].extent) for a in tails if nest.axes[a].lane not in masked)
    active = _active(state, masked[0], units) if masked else None
    part = _output_move(state, store, units, active)
    guarded = _unroll(nest, units, If(rows, (part,)) if rows else part)
    room = _room(state, tails)
    return (If((sp.Ge(room, 0),), plain), If((sp.Lt(room, 0),), guarded))


def _room(state: _Lowering, tails: tuple[str, ...]) -> Any:
    """How far the register tile stays below the extents; negative when it is cut."""
    nest = state.nest
    room: Any = None
    for a in tails:
        left = nest.axes[a].extent - nest.value(a) - nest.tile(a)
        room = left if room is None else IMin(room, left)
    return room


def _output_move(state: _Lowering, store: bool, units: dict[str, Any], active: Any | None) -> Node:
    nest = state.nest
    lanes = nest.lanes(state.output)
    access = nest.mapping.operand_access(state.output)
    pattern = tuple(range(len(lanes)))
    move = find_move(state.hardware, state.compute, state.output, store, pattern, active is not None)
    own = dict(zip(lanes, lane_symbols(move), strict=True))
    point = nest.point(_values(state, units, own))
    index = tuple(substitute(i, point) for i in access.index)
    return Move(move, Ref(nest.buffer("acc"), tuple(units.values())), Ref(access.tensor, index), active)


def _active(state: _Lowering, lane: str, units: dict[str, Any]) -> Any:
    axis = state.nest.axis_of_lane(lane).name
    return state.nest.axes[axis].extent - state.nest.value(axis, units.get(axis, 0), 0)


def _unroll(nest: Nest, units: dict[str, Any], *nodes: Node) -> Nodes:
    """The nodes inside one unrolled loop per axis."""
    body: Nodes = nodes
    for axis, var in reversed(units.items()):
        count = sp.Integer(nest.units(axis))
        body = (Loop(var, count, body, "unroll", axis, nest.axes[axis].leaf),)
    return body


def _staged_moves(state: _Lowering, acc: Buffer) -> tuple[Nodes, Nodes]:
    """Outputs scattered in memory go through a buffer laid out like the accumulators."""
    nest = state.nest
    name = nest.buffer(f"{acc.type.tensor}_staged")
    stage = Buffer(
        name, acc.dtype, acc.cells, acc.shape,
        IndexType(acc.type.tensor, acc.type.coordinates, acc.type.guard, "dead"),
    )  # fmt: skip
    over = tuple(zip(acc.cells, acc.shape, strict=True))
    place, here = Ref(acc.type.tensor, acc.type.coordinates), Ref(name, acc.cells)
    gather = Copy(here, place, over, acc.type.guard, "0")
    scatter = Copy(place, here, over, acc.type.guard, "")
    moves: list[Nodes] = []
    for store in (False, True):
        pattern = tuple(range(len(nest.lanes(state.output))))
        move = find_move(state.hardware, state.compute, state.output, store, pattern, masked=False)
        units = {a: sym(f"{_plain(a)}_u{'s' if store else 'l'}") for a in _unrolled(state, state.output)}
        registers = tuple(units.values())
        node = Move(move, Ref(acc.name, registers), Ref(name, (*registers, *lane_symbols(move))))
        moves.append(_unroll(nest, units, node))
    return (Alloc(stage), gather, *moves[0]), (*moves[1], scatter)


# ---- the innermost body --------------------------------------------------------------------------------------------


def _execute(state: _Lowering) -> Nodes:
    """Operands with few registers are loaded first and stay; the one with most streams through one register."""
    nest = state.nest
    streamed = _streamed(state)
    nodes: Nodes = ()
    references: dict[str, Ref] = {}
    for operand in state.inputs:
        if operand == streamed:
            continue
        units = {a: sym(f"{_plain(a)}_u{operand}") for a in _unrolled(state, operand)}
        nodes += (_alloc(state, operand, tuple(units)), *_unroll(nest, units, *_load(state, operand, units)))
    outer = {a: sym(f"{_plain(a)}_u") for a in (_unrolled(state, streamed) if streamed else ())}
    inner = {a: sym(f"{_plain(a)}_u") for a in _unrolled(state, state.output) if a not in outer}
    units = {**outer, **inner}
    for operand in state.inputs:
        own = () if operand == streamed else _unrolled(state, operand)
        references[operand] = Ref(nest.buffer(f"{operand}_r"), tuple(units[a] for a in own))
    references[state.output] = Ref(nest.buffer("acc"), tuple(units[a] for a in _unrolled(state, state.output)))
    values = _values(state, units, {lane: sym(lane) for lane in state.compute.axes})
    point = tuple(nest.point(values).items())
    body = _unroll(nest, inner, Exec(state.compute, tuple(references.items()), point, nest.mapping.statement_index))
    if streamed:
        body = _unroll(nest, outer, _alloc(state, streamed, ()), *_load(state, streamed, outer), *body)
    return (*nodes, *body)


def _product(numbers: Any) -> int:
    result = 1
    for n in numbers:
        result *= n
    return result


def _alloc(state: _Lowering, operand: str, unrolled: tuple[str, ...]) -> Alloc:
    """Registers for an operand; `unrolled` axes index them, other unrolled axes are loops around."""
    nest = state.nest
    cells = {a: sym(f"c_{_plain(a)}_u") for a in unrolled}
    around = {a: sym(f"{_plain(a)}_u") for a in _unrolled(state, operand) if a not in cells}
    lanes = {lane: sym(f"c_{lane}") for lane in nest.lanes(operand)}
    point, values = _read_point(state, operand, {**around, **cells}, lanes)
    access = nest.mapping.operand_access(operand)
    coordinates = tuple(substitute(i, point) for i in access.index)
    guard, outside = _register_guard(state, operand, values, point)
    dtype = nest.held(operand)
    shape = tuple(sp.Integer(nest.units(a)) for a in cells) + tuple(
        sp.Integer(state.compute.axes[lane]) for lane in lanes
    )
    held = IndexType(access.tensor, coordinates, guard, outside)
    symbols = (*cells.values(), *lanes.values())
    return Alloc(Buffer(nest.buffer(f"{operand}_r"), dtype, symbols, shape, held, "registers", len(lanes)))


def _read_point(
    state: _Lowering, operand: str, units: dict[str, Any], lanes: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Kernel point and program axis values that an operand's cell stands for; rows beyond the end are clamped
    when the operand is read in place."""
    nest = state.nest
    values = _values(state, units, lanes)
    source = state.feeds[operand]
    if isinstance(source, InPlace) and not source.inside:
        free = [a for a in nest.relevant(operand) if nest.axes[a].leaf == 1]
        values = {a: clamp(nest, a, v) if a in free else v for a, v in values.items()}
    return nest.point(values), values


def _register_guard(
    state: _Lowering, operand: str, values: dict[str, Any], point: dict[str, Any]
) -> tuple[tuple[Any, ...], str]:
    nest, source = state.nest, state.feeds[operand]
    relevant = nest.relevant(operand)
    if isinstance(source, Packed):
        tails = [a for a in relevant if nest.has_tail(a)]
        outside = source.setup[0].buffer.type.outside  # type: ignore[union-attr]
    else:
        tails = [a for a in relevant if nest.has_tail(a) and nest.axes[a].leaf > 1]
        outside = "0"
    guard = [sp.Lt(values[a], nest.axes[a].extent) for a in tails]
    if not (isinstance(source, InPlace) and source.inside):
        guard += [substitute(g, point) for g in guards_carried(nest, operand)]
    return tuple(guard), outside if guard else "dead"


def _load(state: _Lowering, operand: str, units: dict[str, Any]) -> Nodes:
    """One load or broadcast of the operand's register for these units; at a border, or a zero."""
    load, point = _move_in(state, operand, units)
    source = state.feeds[operand]
    if not isinstance(source, InPlace) or source.border is None or source.inside:
        return (load,)
    zero = find_zero(state.hardware, state.compute, operand)
    assert zero is not None
    here = source.border.room_at(point)
    return If((sp.Ge(here, 0),), (load,)), If((sp.Lt(here, 0),), (Move(zero, load.register, None),))


def _move_in(state: _Lowering, operand: str, units: dict[str, Any]) -> tuple[Move, dict[str, Any]]:
    """The load, and the kernel's point whose element it brings."""
    nest, source = state.nest, state.feeds[operand]
    lanes = nest.lanes(operand)
    relevant = nest.relevant(operand)
    moving = [lane for lane in lanes if nest.axis_of_lane(lane).name in relevant]
    pattern = tuple(lanes.index(lane) for lane in moving)
    tails = [lane for lane in moving if nest.has_tail(nest.axis_of_lane(lane).name)]
    masked = isinstance(source, InPlace) and any(state.compute.axes[lane] > 1 for lane in tails)
    if masked and tails != moving[:1]:
        raise ScheduleError(f"{source.name} has a tail that no mask can cut; pack {operand}")
    move = find_move(state.hardware, state.compute, operand, False, pattern, masked)
    own = dict(zip(lanes, lane_symbols(move), strict=True))
    point, _ = _read_point(state, operand, units, own)
    lane_values = {lane: own[lane] for lane in moving}
    memory = address(nest, source, units, lane_values, point)
    _check_contiguous(state, operand, memory, [(str(own[m]), state.compute.axes[m]) for m in moving])
    active = _active(state, moving[0], units) if masked else None
    registers = () if operand == _streamed(state) else tuple(units.values())
    distance = state.schedule.packing_of(operand).prefetch if isinstance(source, Packed) and moving else 0
    return Move(move, Ref(nest.buffer(f"{operand}_r"), registers), memory, active, distance), point


def _streamed(state: _Lowering) -> str:
    """The input with most registers: it passes through one register; '' when there are no inputs."""
    count = {o: _product(state.nest.units(a) for a in _unrolled(state, o)) for o in state.inputs}
    return max(state.inputs, key=lambda o: count[o], default="")


def _check_contiguous(state: _Lowering, operand: str, memory: Ref, lanes: list[tuple[str, int]]) -> None:
    source = state.feeds[operand]
    if isinstance(source, InPlace):
        buffer = source.setup[0].buffer if source.setup else None  # type: ignore[union-attr]
        tensor = state.nest.mapping.operand_access(operand).tensor
        shape = buffer.shape if buffer else state.nest.kernel.tensor(tensor).shape
        if not contiguous(row_major(memory.index, shape), lanes):
            raise ScheduleError(
                f"{tensor} cannot be read in place: one execution of {state.compute.name} needs elements "
                f"that do not lie next to each other; pack {operand}"
            )
