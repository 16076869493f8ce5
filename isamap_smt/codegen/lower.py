"""From schedules to a program: one nest for each mapped statement, the other statements inside and between the nests.

The statements of a recurrence stand in one loop over its time steps, each nest inside it without its own loop over
them. So do statements whose schedules share a loop: block by block, each one's results are read by the next while they
are in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_expr import row_major
from isamap_smt.codegen.configure import configured
from isamap_smt.codegen.decided import decided
from isamap_smt.codegen.mapped import Around, LoweredNest, lower_nest, time_variable
from isamap_smt.codegen.nest import apart, build_nest
from isamap_smt.codegen.stages import with_stages
from isamap_smt.codegen.statements import Within, alone
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, ceil_div, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.program import Alloc, If, Loop, Move, Node, Parallel, Prefetch, Program, Ref, Serial
from isamap_smt.ir.reach import needed_sizes
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.traversal import map_nodes, nodes_of, renamed
from isamap_smt.mapping.moves import lane_symbols
from isamap_smt.proof.kernel_begun import needs_no_fill

# ---- Lines prefetched by a block of a shared loop while it computes: those the next block reads, and those it writes itself.
#
#     for i0: top max= x[i0..]            waits for every line of x
#             e = exp(x[i0..] - top)      computes, and asks for x[i0 + 1..] and y[i0..]
#             total += e
#             y[i0..] = e / total         finds its lines in the first cache
#
# Statements that share a loop hand everything over in a cache. Data streamed past it are waited for by their first reader and
# by their writer, while the statements between leave the memories idle. So the loads of a statement that reads a tensor again
# ask for it: the longest such statement, as its schedule says. In a tensor of the same shape, a line lies as the loaded one does.
# Softmax of 1000 x 1000: 430 us before, 344 after (a core with 48 KB and 2 MB of its own); in blocks that only the second cache
# holds it would take longer.


Nodes = tuple[Node, ...]


@dataclass(frozen=True)
class _Asked:
    """Loads of a tensor in a nest prefetch the line `distance` bytes further on, or the corresponding one of another tensor."""

    nest: int
    loaded: str
    distance: Any = sp.S.Zero
    other: str = ""

    def beside(self, move: Move) -> Prefetch:
        """The prefetch beside the move."""
        return Prefetch(self.distance, place=_begin(move, self.other) if self.other else None)


def asking(kernel: Kernel, nests: Sequence[Nodes], block: Loop, rooms: Sequence[int]) -> tuple[Nodes, ...]:
    """The nests of one loop, in order, with prefetches beside their loads. rooms: for each nest, bytes of the cache for
    the coming lines, or 0 to prefetch nothing. Nothing is prefetched for larger blocks."""
    again = _again([_touched(body, "load", block) & set(kernel.inputs) for body in nests])
    written = [_touched(body, "store", block) & set(kernel.results) for body in nests]
    asked: list[_Asked] = []
    for tensor in sorted(set().union(*again)):
        asks = next((n for n, names in enumerate(again) if tensor in names and rooms[n]), None)
        if asks is not None and (pitch := _pitch(kernel, nests[asks], tensor, block)) is not None:
            asked.append(_Asked(asks, tensor, pitch))
    pitches = {a.loaded: a.distance for a in asked}
    for tensor in sorted(set().union(*written)):
        first = next(n for n, names in enumerate(written) if tensor in names)
        alike = [a for a in asked if not a.other and a.nest < first and _same(kernel, a.loaded, tensor)]
        if alike:
            asked.append(_Asked(alike[0].nest, alike[0].loaded, other=tensor))
    if sum(pitches[a.loaded] for a in asked) > min((n for n in rooms if n), default=0):
        return tuple(nests)
    return tuple(_with(body, [a for a in asked if a.nest == n]) for n, body in enumerate(nests))


def _again(read: Sequence[set[str]]) -> list[set[str]]:
    """For each nest the tensors that an earlier one read too: their lines are near, and other lines may come."""
    before: set[str] = set()
    found = []
    for names in read:
        found.append(names & before)
        before |= names
    return found


def _touched(body: Nodes, kind: str, block: Loop) -> set[str]:
    """The tensors that moves of this kind read or write as whole vectors, at other places in each block."""
    moves = [n for n in nodes_of(Move, body) if n.instruction.kind == kind]
    return {
        m.memory.name
        for m in moves
        if m.memory is not None and _vector(m) and block.var.name in symbols_of(m.memory.index)
    }


def _vector(move: Move) -> bool:
    lanes = lane_symbols(move.instruction)
    return move.memory is not None and len(lanes) == 1 and sp.diff(move.memory.index[-1], lanes[0]) == 1


def _pitch(kernel: Kernel, body: Nodes, tensor: str, block: Loop) -> int | None:
    """Bytes from a block of the tensor to the next one; None if they vary."""
    t = kernel.tensor(tensor)
    found = set()
    for node in nodes_of(Move, body):
        if node.memory is not None and node.memory.name == tensor:
            at = row_major(node.memory.index, t.shape)
            found.add(sp.expand(substitute(at, {block.var.name: block.var + 1}) - at) * t.dtype.bytes)
    pitch = next(iter(found)) if len(found) == 1 else None
    return int(pitch) if pitch is not None and pitch.is_Integer and pitch > 0 else None


def _same(kernel: Kernel, one: str, other: str) -> bool:
    a, b = kernel.tensor(one), kernel.tensor(other)
    return a.shape == b.shape and a.dtype == b.dtype


def _begin(move: Move, tensor: str) -> Ref:
    """The place of the move's first element in the tensor of the same shape."""
    assert move.memory is not None
    first = {str(s): 0 for s in lane_symbols(move.instruction)}
    return Ref(tensor, tuple(substitute(i, first) for i in move.memory.index))


def _with(body: Nodes, asked: Sequence[_Asked]) -> Nodes:
    def visit(node: Node) -> Node:
        if isinstance(node, Move) and node.instruction.kind == "load" and node.memory and _vector(node):
            besides = (a.beside(node) for a in asked if a.loaded == node.memory.name)
            return replace(node, prefetch=(*node.prefetch, *besides))
        return node

    return map_nodes(body, visit) if asked else body


def lower(schedule: Schedule, *more: Schedule) -> Program:
    """The program of a schedule: loops, buffers with index types, moves, executions. str() is its pseudo-code.

    more: schedules of secondary statements of the same kernel; what no schedule maps is computed element by element.
    Nothing about it is proved yet: build() and prove_program() do that. Sizes the schedule leaves open become run-time
    parameters. Raises ScheduleError when the schedule cannot be carried out.
    """
    for given in (schedule, *more):
        require_kind("lower", given, Schedule, "what isamap_smt.schedule() returns")
    schedules = sorted(map(with_stages, (schedule, *more)), key=lambda s: s.proved.mapping.statement_index)
    starts = [s.proved.mapping.statement_index for s in schedules]
    if len(set(starts)) < len(starts):
        raise ScheduleError("two schedules are for one statement; give one for each")
    kernel = build_nest(schedules[0]).kernel
    parts = [_lowered(part, kernel, schedules) for part in _parts(kernel)]
    nests = [n for found, _ in parts for n in found]
    if any(n.kernel != kernel for n in nests):
        raise ScheduleError("the schedules are for different kernels, or for different sizes of one")
    ahead = tuple(node for n in nests for node in n.ahead)
    body = tuple(node for _, nodes in parts for node in nodes)
    hypotheses = tuple(dict.fromkeys((*map(Relation, needed_sizes(kernel)), *(h for n in nests for h in n.hypotheses))))
    begun = tuple(t for n in nests for t in n.starts)
    assigned = _assigned(kernel, begun)
    machine = schedules[0].hardware
    open_ones = tuple(p.name for p in machine.whole.parameters) if machine else ()
    made = Program(
        schedules[0],
        kernel,
        ahead,
        body,
        hypotheses,
        kernel.name,
        tuple(schedules[1:]),
        begun,
        assigned,
        parameters=open_ones,
    )
    return decided(configured(made))


def lower_points(kernel: Kernel, parallel: bool = False) -> Program:
    """The program that computes every statement element by element, in portable C: for any kernel, and no instruction.

    parallel: each statement's outermost loop may be spread over threads, if its iterations write different elements.
    """
    body = tuple(node for part in _parts(kernel) for node in _unmapped(part, kernel, parallel))
    made = Program(
        None, kernel, (), body, tuple(map(Relation, needed_sizes(kernel))), kernel.name, assigned=_assigned(kernel, ())
    )
    return decided(made)


def _assigned(kernel: Kernel, begun: Sequence[str]) -> tuple[str, ...]:
    """Tensors whose memory need not be filled before a call, though no accumulators begin them. The proof asks the same again."""
    return tuple(t for t in kernel.outputs if t not in begun and needs_no_fill(kernel, t))


CHAINS = 8  # recurrences that go through their time steps together


@dataclass(frozen=True)
class _Part:
    """Statements first to end - 1. time: the axis of their common time steps, taken one after the other; or ''."""

    first: int
    end: int
    time: str = ""


def _parts(kernel: Kernel) -> tuple[_Part, ...]:
    """The kernel's recurrences, and the statements before, between and after them."""
    found: list[_Part] = []
    at = 0
    for r in sorted(kernel.recurrences, key=lambda r: r.first):
        found += [_Part(at, r.first), _Part(r.first, r.end, r.axis)]
        at = r.end
    return tuple(p for p in (*found, _Part(at, len(kernel.statements))) if p.first < p.end)


def _lowered(part: _Part, kernel: Kernel, schedules: Sequence[Schedule]) -> tuple[list[LoweredNest], Nodes]:
    """The nests of a part's mapped statements, and its nodes."""
    own = [(n, s) for n, s in enumerate(schedules) if part.first <= s.proved.mapping.statement_index < part.end]
    if not own:
        return [], _unmapped(part, kernel, any(s.parallel is not None for s in schedules))
    starts = [s.proved.mapping.statement_index for _, s in own]
    bounds = zip([part.first, *starts[1:]], [*starts[1:], part.end], strict=True)
    nests: list[LoweredNest] = []
    nodes: Nodes = ()
    for around, group in groupby(zip(own, bounds, strict=True), lambda x: _around(part, x[0][1])):
        members = [(n, s, first, end) for (n, s), (first, end) in group]
        last = members[-1][0]
        made = [
            _apart(lower_nest(s, first, end, around, _inside(kernel, s, end, around, n == last)), n)
            for n, s, first, end in members
        ]
        nests += made
        nodes += _together(kernel, made, around, [s.streams for _, s, _, _ in members])
    return nests, nodes


def _inside(kernel: Kernel, schedule: Schedule, end: int, around: Around | None, last: bool) -> bool:
    """Whether the statements between the mapped one and statement `end` join the loop around, block by block.

    Behind the last nest: only if every access to the kernel's results has the shared axes as indices.
    """
    if around is None or around.time_steps:
        return False
    behind = kernel.statements[schedule.proved.mapping.statement_index + 1 : end]
    written = {s.target.tensor for s in kernel.statements}
    places = [a for s in behind for a in (s.target, *s.inputs) if a.tensor in written]
    return not last or all(sym(axis) in a.index for a in places for axis in around.axes)


def _unmapped(part: _Part, kernel: Kernel, parallel: bool) -> Nodes:
    """A part computed element by element."""
    if not part.time:
        return alone(kernel, range(part.first, part.end), parallel)
    var = time_variable(part.time)
    across, members = _across(part, kernel), range(part.first, part.end)
    steps = kernel.statements[part.first].axis(part.time).extent
    if across is None:
        return (Serial(var, steps, alone(kernel, members, parallel, {part.time: var}), part.time),)
    extent, block = kernel.statements[part.first].axis(across).extent, sym(f"{across}_block")
    start = CHAINS * block
    whole = is_constant(extent) and int(extent) % CHAINS == 0
    count = sp.Integer(CHAINS) if whole else IMin(sp.Integer(CHAINS), extent - start)
    body = alone(kernel, members, False, {part.time: var}, (Within(across, start, count),))
    time = Serial(var, steps, body, part.time)
    kind = Parallel if parallel else Serial
    return (kind(block, ceil_div(extent, sp.Integer(CHAINS)), (time,), across, CHAINS),)


def _across(part: _Part, kernel: Kernel) -> str | None:
    """An axis that splits the recurrence into independent ones, if the elements of each lie side by side in memory. A
    few of them go through their time steps together, so none waits for itself; all of them at once would lie far apart
    in memory."""
    members = kernel.statements[part.first : part.end]
    written = {s.target.tensor for s in members}
    held = [a for s in members for a in (s.target, *s.inputs) if a.tensor in written]
    if not all(part.time in symbols_of([a.index[-1]]) for a in held):
        return None

    def apart(axis: str) -> bool:
        places = [tuple(d for d, i in enumerate(a.index) if axis in symbols_of([i])) for a in held]
        alone_there = all(len(p) == 1 and a.index[p[0]] == sym(axis) for p, a in zip(places, held, strict=True))
        return alone_there and len({(a.tensor, p) for p, a in zip(places, held, strict=True)}) == len(written)

    shared = set.intersection(*({a.name for a in s.axes} for s in members)) - {part.time}
    return next((a.name for a in members[0].axes if a.name in shared and apart(a.name)), None)


def _around(part: _Part, schedule: Schedule) -> Around | None:
    """The loops shared by the schedule's nest and its neighbours."""
    if part.time:
        return Around((part.time,), True)
    return Around(schedule.fused, False) if schedule.fused else None


def _together(kernel: Kernel, nests: Sequence[LoweredNest], around: Around | None, rooms: Sequence[int]) -> Nodes:
    """The nests one after the other, inside their common loops, if any. rooms: bytes that each may prefetch."""
    loops, first, last = nests[0].outer, nests[0], nests[-1]
    if around is None:
        return tuple(node for n in nests for node in (*n.before, *_closed(kernel, n.body), *n.after))
    if any(n.outer != loops for n in nests):
        raise ScheduleError(
            f"{kernel.name}: the loops over {' and '.join(around.axes)} that statements share have different steps, or not all of "
            "them are spread over threads"
        )
    setup = [tuple(node for n in nests for node in n.setup[depth]) for depth in range(len(loops))]
    if around.time_steps:
        body = tuple(node for n in nests for node in (*n.before, *n.body, *n.after))
    else:
        bodies = asking(kernel, [n.body for n in nests], loops[-1], rooms)
        body = tuple(node for n, own in zip(nests, bodies, strict=True) for node in (*own, *n.within))
    for loop, packed in reversed(list(zip(loops, setup, strict=True))):
        body = (*packed, replace(loop, body=body))
    return body if around.time_steps else (*first.before, *body, *last.after)


def _closed(kernel: Kernel, body: Nodes) -> Nodes:
    """Accumulators outside of all loops end with their statement: threads may share loops of later statements."""
    registers = any(isinstance(n, Alloc) and n.buffer.memory == "registers" for n in body)
    return (If((), body),) if registers and len(kernel.statements) > 1 else body


def _apart(nest: LoweredNest, number: int) -> LoweredNest:
    """Buffers named apart from those of other nests: `acc` becomes `acc_2` in the second one."""
    if number == 0:
        return nest
    own = {n.buffer.name for n in nodes_of(Alloc, (*nest.ahead, *chain(*nest.setup), *nest.body))}
    names = {name: apart(f"{name}_{number + 1}", nest.kernel) for name in own}
    setup = tuple(renamed(nodes, names) for nodes in nest.setup)
    return replace(nest, ahead=renamed(nest.ahead, names), setup=setup, body=renamed(nest.body, names))
