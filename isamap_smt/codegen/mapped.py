"""Lowering of a mapped statement: its schedule becomes loops around accumulators, with buffers that say what they hold.

    outer loops { pack ... { load accumulators; reduction loops { load operands; execute }; store accumulators } }

Every output is accumulated into: its elements are loaded before the reduction and stored after it, so `+=` means
the same for one block of the reduction as for all of it. Nothing here is trusted: prove_program() checks the result.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.accumulators import accumulators
from isamap_smt.codegen.begin import beginning
from isamap_smt.codegen.boundary import moving_axes
from isamap_smt.codegen.executions import execute
from isamap_smt.codegen.left_out import whole_and_some
from isamap_smt.codegen.nest import Nest, NestLoop, build_nest
from isamap_smt.codegen.operands import (
    InPlace,
    StagedOperand,
    free_guards,
    guards_carried,
    keeps_finite,
    padding_is_neutral,
    staged_operand,
)
from isamap_smt.codegen.statements import Within, others
from isamap_smt.codegen.tile import Lowering, Nodes, cut_axes, room, tested
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, affine, is_constant, smallest, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import Finite, Hypothesis
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.neutral import beyond_for
from isamap_smt.ir.program import (
    Copy,
    If,
    Loop,
    Node,
)
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.moves import without_fill
from isamap_smt.proof.program_kernel_order import injective

ALONE = 1 << 15  # cells that one thread copies sooner than others have started


@dataclass(frozen=True)
class Around:
    """Loops around several nests, the outermost of each one's schedule, over these axes. time_steps: one, of a recurrence."""

    axes: tuple[str, ...]
    time_steps: bool


@dataclass(frozen=True)
class LoweredNest:
    """A nest and what belongs to it. ahead: packed once, before the calls. setup: packed right before each of the loops
    around. before, after: the loops of other statements; within: of those that one iteration of the loops around computes.
    outer: the loops around, each empty."""

    kernel: Kernel
    ahead: Nodes
    setup: tuple[Nodes, ...]
    before: Nodes
    body: Nodes
    after: Nodes
    hypotheses: tuple[Hypothesis, ...]
    starts: tuple[str, ...]
    outer: tuple[Loop, ...] = ()
    within: Nodes = ()


def lower_nest(
    schedule: Schedule, first: int, end: int, around: Around | None = None, inside: bool = False
) -> LoweredNest:
    """One mapped statement, with the statements from number `first` to before `end` computed around it.

    around: the body is for one iteration of these loops; inside: so is what stands behind it in loops of its own.
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
    """No axis that is summed over lies in lanes of the output: a guard may leave one point of it, and the lanes are not cut."""
    for lane in nest.lanes(output):
        axis = nest.axis_of_lane(lane)
        if axis.reduction and axis.members and axis.leaf != 1:
            raise ScheduleError(
                f"{nest.kernel.name} sums over {axis.name}, which {nest.mapping.instruction.name} has in lanes of its output"
            )


def _check_order(nest: Nest) -> None:
    """No two points that differ in the output's axes meet in one element, where it matters which comes first."""
    s, axes = nest.statement, {a.name for a in nest.statement.axes}
    meet = any(len(symbols_of([i]) & axes) > 1 or affine(i, axes) is None for i in s.target.index)
    ordered = s.ordered and nest.kernel.tensor(s.target.tensor).dtype.is_float
    if (s.op == "=" and not injective(s)) or (ordered and meet):
        raise ScheduleError(
            f"several points of {nest.kernel.name} may meet in one element of {s.target.tensor}, where their order matters and "
            "tiles do not keep it"
        )


def _fill(nest: Nest, inputs: tuple[str, ...], operand: str) -> str:
    """-0 for the first of two floating-point operands that are both padded: then acc + (-0 * +0) is acc, always."""
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
        fill = beyond_for(s)
        lacks = without_fill(hardware, nest.mapping.instruction, padded[0], fill) if fill else ""
        raise ScheduleError(
            f"{nest.kernel.name} has a guard and is no sum of products, so no padding of {padded[0]} leaves its results as they are"
            + (f", and {lacks}, which would cut the lanes" if lacks else "")
        )
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
    """Operands that are zero where the kernel's guard does not hold. Where executions are left out, none is."""
    return [o for o, f in staged.items() if guards_carried(nest, o) and not (isinstance(f, InPlace) and f.boundary)]


def _hypotheses(state: Lowering) -> tuple[Hypothesis, ...]:
    """Where one operand is padded with zero and the other is a real element, that one must be finite."""
    nest = state.nest
    out = nest.kernel.tensor(nest.mapping.operand_access(state.output).tensor)
    if not out.dtype.is_float:
        return ()
    padded = _padded(nest, state.staged)
    others = {nest.mapping.operand_access(o).tensor for p in padded for o in state.inputs if o != p}
    return tuple(Finite(t) for t in sorted(others) if nest.kernel.tensor(t).dtype.is_float)


def _loops(state: Lowering, position: int) -> Nodes:
    """The body inside the first `position` loops."""
    setup = _setup(state, position)
    if position == state.nest.accumulate:
        return (*setup, *accumulators(state, _work(state)), *state.others.inside)
    return (*setup, _loop(state, position, _loops(state, position + 1)))


def _to_and_fro(nest: Nest, staged: Dict[str, StagedOperand]) -> int:
    """How many loops inside that over time steps go over a buffer that was packed ahead, along one axis, their iterations apart."""
    axes = [x.axis for x in nest.loops[1 : nest.accumulate]]
    plain = {i.name for i in nest.statement.target.index if i.is_Symbol}
    if not axes or not set(nest.axes[axes[0]].members) <= plain:
        return 0
    if not any(f.ahead and axes[0] in nest.relevant(f.operand) for f in staged.values()):
        return 0
    return next((n for n, a in enumerate(axes) if a != axes[0]), len(axes))


def _setup(state: Lowering, position: int) -> Nodes:
    """What is packed inside the first `position` loops; where these are outside of the loop that threads share, by threads."""
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
    return Loop(var, count, (replace(node, over=rest),), "parallel") if rest else node


def _loop(state: Lowering, position: int, body: Nodes) -> Loop:
    loop = state.nest.loops[position]
    kind = "parallel" if state.schedule.parallel == position else "serial"
    backwards = state.nest.loops[0].var if 1 <= position <= state.to_and_fro else None
    return Loop(loop.var, loop.count, body, kind, loop.axis, loop.step, backwards)


def _reduction(state: Lowering, position: int) -> Nodes:
    """The reduction inside the first `position` loops, where what is tested of these alone holds."""
    if position == len(state.nest.loops):
        body = _step(state)
    elif any(f.depth == position > state.nest.accumulate for f in state.staged.values()):
        raise ScheduleError("an operand cannot be packed inside the accumulators")
    else:
        body = (_loop(state, position, _reduction(state, position + 1)),)
    here = tuple(r for r in tested(state) if _place(state.nest, r) == position)
    return (If(here, body),) if here else body


def _step(state: Lowering) -> Nodes:
    """The executions of one step; of a boundary that is asked for step by step, without tests where the whole tile lies inside, and
    none where it lies outside."""
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
    """Inside how many loops a relation can be tested, from the accumulators on; None where it speaks of a tile's rows."""
    position = {x.var.name: n + 1 for n, x in enumerate(nest.loops)}
    names = symbols_of([relation]) - set(nest.kernel.free_sizes)
    return max([nest.accumulate, *(position[n] for n in names)]) if names <= set(position) else None


def _masked_each(state: Lowering) -> tuple[str, ...]:
    """Axes that cut the last tile, where each element is computed once: there every load is one of few that may be masked."""
    nest = state.nest
    if any(a.reduction for a in nest.axes.values()) or not any(isinstance(f, InPlace) for f in state.staged.values()):
        return ()
    return cut_axes(state) if any(nest.axes[a].leaf != 1 for a in cut_axes(state)) else ()


def _work(state: Lowering) -> Nodes:
    """The reduction; where points are left out, once for tiles that lie inside and once for those at the boundary; where no sum
    repeats them, the loads of a tile that no extent cuts are not masked."""
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
