"""Kernels of several statements on machines with engines: phases, one after the other, with a barrier between any two.

    temporary T, H
    T[i,j] += i32(X[i,k]) * i32(W[k,j])         phase 1: a sum, and a value computed from it
    H[i,j] = round_i8(f32(T[i,j]) * s[])
    Y[i,m] += i32(H[i,j]) * i32(V[j,m])         phase 2: reads phase 1's result from main memory

At a barrier every engine signals its arrival, and waits for the signals of all others. So everything before it is
complete before anything behind it begins, and each phase is a program of its own.

If one engine is the host, it has written the tensors before the first phase and reads the results behind the last, so
barriers stand there, too.

Neighbouring phases may share loops over blocks: each iteration carries out a block of every one of them, and ends with
a barrier. Cut apart, each phase has these loops for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from isamap_smt.ir.epilogue import writes_a_part
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import GIVE, TAKE, signal, touch
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Command,
    Issued,
    Loop,
    Node,
    Program,
    Ref,
    Role,
    Serial,
    Signal,
    number_of,
)
from isamap_smt.ir.scalar import index_values
from isamap_smt.ir.traversal import Nodes, map_nodes, map_parts, nodes_of, parts, renamed

Groups = tuple[tuple[Statement, ...], ...]
Shared = tuple[int, int, int]  # first phase, last phase, number of loops around both and all between


@dataclass(frozen=True)
class _Part:
    """The text of one phase. loops: over blocks, around it and its neighbours, outermost first."""

    nodes: Nodes
    loops: tuple[Loop, ...] = ()


def phase_kernels(kernel: Kernel, counts: Sequence[int] = ()) -> tuple[Kernel, ...]:
    """A kernel for each phase. counts: of its consecutive statements, by default those of phase_counts().

    Raises ScheduleError if the statements do not make such a sequence.
    """
    groups = _cut_into(kernel, counts or phase_counts(kernel))
    if len(groups) == 1:
        return (kernel,)
    if kernel.recurrences:
        raise ScheduleError(
            f"{kernel.name}: programs for engines have no time steps; give a part of it alone with --text"
        )
    if twice := next((n for n, found in writers(kernel).items() if not _in_parts(kernel, found)), ""):
        raise ScheduleError(f"{kernel.name}: two statements write {twice}; give the second one a tensor of its own")
    for n, group in enumerate(groups):
        if early := sorted(_read(group) & {name for other in groups[n:] for name in _written(other)}):
            raise ScheduleError(f"{kernel.name}: {early[0]} is read where it is not yet written; write it first")
    return tuple(_part(kernel, groups, n) for n in range(len(groups)))


def writers(kernel: Kernel) -> dict[str, list[Statement]]:
    """The statements that write each output. Several assign parts of it (isamap_smt.proof.written_parts)."""
    found: dict[str, list[Statement]] = {}
    for s in kernel.statements:
        found.setdefault(s.target.tensor, []).append(s)
    return found


def _in_parts(kernel: Kernel, found: Sequence[Statement]) -> bool:
    """Whether one statement writes it, or each assigns some elements. Which ones is asked of programs."""
    some = (s.op == "=" and not s.guard and writes_a_part(kernel, s) for s in found)
    return len(found) == 1 or all(some)


def phase_counts(kernel: Kernel, first: int = 0) -> tuple[int, ...]:
    """The number of statements of each phase, from statement `first` on.

    It is two if the second one is about elements of the first, else one. Whether both can be carried out together is
    another question; apart, the first one's result goes through main memory.
    """
    return tuple(map(len, _groups(kernel.statements[first:])))


def apart(counts: Sequence[int], number: int) -> tuple[int, ...]:
    """The same with the statements of one phase in phases of their own."""
    return (*counts[:number], *(1,) * counts[number], *counts[number + 1 :])


def _cut_into(kernel: Kernel, counts: Sequence[int]) -> Groups:
    ends = [sum(counts[: n + 1]) for n in range(len(counts))]
    return tuple(kernel.statements[end - n : end] for n, end in zip(counts, ends, strict=True))


def _groups(statements: Sequence[Statement]) -> Groups:
    """Each statement, with the one behind it if this is elementwise and reads its result."""
    found: list[tuple[Statement, ...]] = []
    for s in statements:
        before = found[-1][0] if found and len(found[-1]) == 1 else None
        if before is not None and not s.reduction_axes and before.target.tensor in {a.tensor for a in s.inputs}:
            found[-1] = (before, s)
        else:
            found.append((s,))
    return tuple(found)


def _part(kernel: Kernel, groups: Groups, number: int) -> Kernel:
    own = groups[number]
    names = _names(own)
    others = {n for k, group in enumerate(groups) if k != number for n in _names(group)}
    tensors = tuple(t for t in kernel.tensors if t.name in names)
    text = "\n".join(s.source for s in own)
    return replace(
        kernel,
        tensors=tensors,
        statements=own,
        text=text,
        ranges=tuple(r for r in kernel.ranges if r[0] in names and r[0] not in _written(own)),
        temporaries=tuple(n for n in kernel.temporaries if n in names and n not in others),
        parameters=tuple(p for p in kernel.parameters if p.name in _symbols(tensors, own)),
    )


def _written(group: Sequence[Statement]) -> set[str]:
    return {s.target.tensor for s in group}


def _read(group: Sequence[Statement]) -> set[str]:
    """The tensors read from main memory: the sum itself only by its own statement."""
    first, *more = group
    return {a.tensor for a in first.inputs} | {a.tensor for s in more for a in s.inputs} - {first.target.tensor}


def _names(group: Sequence[Statement]) -> set[str]:
    return _written(group) | {a.tensor for s in group for a in s.inputs}


def _symbols(tensors: Sequence[Any], group: Sequence[Statement]) -> set[str]:
    found = [e for t in tensors for e in t.shape]
    for s in group:
        found += [*s.target.index, *s.guard, *(i for a in s.inputs for i in a.index), *index_values(s.value)]
        found += [a.extent for a in s.axes]
    return {symbol.name for e in found for symbol in getattr(e, "free_symbols", ())}


def joined(
    programs: Sequence[Program], kernel: Kernel, staying: Sequence[Collection[str]] = (), shared: Sequence[Shared] = ()
) -> Program:
    """One program for the kernel, made of programs for its phases, with names of their own and barriers between them.

    staying: for each phase the tensors left or found in a buffer; this is one buffer then. shared: (first phase, last
    phase, number of loops): neighbours whose outermost loops are over the same blocks. Raises ScheduleError if the
    phases' buffers, or their blocks, differ.
    """
    first, *more = programs
    machine = first.machine
    if machine is None or not (more or host_of(machine)):
        return first
    tensors = {t.name for t in kernel.tensors}
    made: list[Nodes] = []
    one: dict[str, list[Buffer]] = {}
    for n, p in enumerate(programs, 1):
        mark = f"_{n}" if more else ""
        while more and tensors & {x.buffer.name + mark for x in p.body if isinstance(x, Alloc)}:
            mark += "_"
        own = _marked(p.body, mark)
        for tensor in staying[n - 1] if staying else ():
            held = [x.buffer for x in own if isinstance(x, Alloc) and x.buffer.type.tensor == tensor]
            one[tensor] = [*one.get(tensor, []), *held]
        made.append(own)
    for first_phase, last_phase, depth in shared:
        own = _in_one_loop(machine, made[first_phase : last_phase + 1], depth, first_phase + 1)
        made[first_phase : last_phase + 1] = [*((),) * (last_phase - first_phase), own]
    body: list[Node] = []
    for n, own in enumerate(made, 1):
        body += barrier(machine, f"phase{n}") if body and own else ()
        body += own
    body = list(_as_one(body, one.values()))
    allocated = [n for n in body if isinstance(n, Alloc)]
    between = [n for n in body if not isinstance(n, Alloc)]
    if host_of(machine):
        give, take = host_uses(machine, kernel)
        between = [give, *barrier(machine, "given"), *between, *barrier(machine, "done"), take]
    return replace(first, kernel=kernel, body=(*allocated, *between))


def with_barriers(program: Program, depth: int) -> Program:
    """A program of one phase whose `depth` outermost loops are over blocks, with the barrier at the end of each."""
    assert program.machine is not None
    return replace(program, body=_in_one_loop(program.machine, [program.body], depth, 1))


def _in_one_loop(machine: Hardware, phases: Sequence[Nodes], depth: int, first: int) -> Nodes:
    """Phases whose `depth` outermost loops count the same blocks, in these loops once. Raises ScheduleError."""
    nests = [_nest(tuple(n for n in nodes if not isinstance(n, Alloc)), depth) for nodes in phases]
    loops, _ = nests[0]
    names = [f"block{first}{'_' * level}" for level in range(depth)]
    inner: list[Node] = []
    for n, (own, body) in enumerate(nests, first):
        if [x.count for x in own] != [x.count for x in loops]:
            raise ScheduleError(f"phases {first} and {n} have other blocks")
        inner += renamed(body, {}, {x.var.name: name for x, name in zip(own, names, strict=True)})
        inner += barrier(machine, f"phase{n}_in_blocks", number_of(sym(names[-1])) + 1)
    found: Nodes = tuple(inner)
    for x, name in zip(reversed(loops), reversed(names), strict=True):
        found = (Serial(sym(name), x.count, found),)
    return (*(n for nodes in phases for n in nodes if isinstance(n, Alloc)), *found)


def _nest(nodes: Nodes, depth: int) -> tuple[tuple[Loop, ...], Nodes]:
    """The `depth` outermost loops, each the whole body of the one before, and what is inside. Raises ScheduleError."""
    loops: list[Loop] = []
    for _ in range(depth):
        if len(nodes) != 1 or not isinstance(nodes[0], Loop):
            raise ScheduleError("a phase in blocks is one loop over them")
        loops.append(nodes[0])
        nodes = nodes[0].body
    return tuple(loops), nodes


RESERVED = "!"  # the proof's own counters and loops begin with it
END = f"{RESERVED}block "  # counters of the barrier between blocks


def _as_one(body: Sequence[Node], alike: Iterable[Sequence[Buffer]]) -> Nodes:
    """Groups of buffers replaced by the first of each. Raises ScheduleError if another one has other cells."""
    nodes = tuple(body)
    for first, *others in alike:
        kept = Alloc(replace(first, type=replace(first.type, outside="dead")))
        left = (n for n in nodes if not (isinstance(n, Alloc) and n.buffer in (first, *others)))
        nodes = (kept, *_in_place_of(tuple(left), {b.name: (first.name, _alike(first, b)) for b in others}))
    return nodes


def _in_place_of(nodes: Nodes, instead: dict[str, tuple[str, tuple[int, ...]]]) -> Nodes:
    """References to buffers changed: old name -> new name, with the order of its version symbols."""

    def change(ref: Ref) -> Ref:
        name, order = instead.get(ref.name, (ref.name, range(len(ref.version))))
        return replace(ref, name=name, version=tuple(ref.version[n] for n in order))

    return map_nodes(nodes, lambda n: map_parts(n, {Ref: change}))


def _alike(a: Buffer, b: Buffer) -> tuple[int, ...]:
    """The positions in b of a's version symbols. Raises ScheduleError unless both buffers are equal up to names."""
    cells = dict(zip((v.name for v in b.cells), a.cells, strict=True))
    for order in permutations(range(len(b.version))) if len(a.version) == len(b.version) else ():
        names = cells | {b.version[n].name: v for n, v in zip(order, a.version, strict=True)}
        coordinates = tuple(substitute(e, names) for e in b.type.coordinates)
        guard = {substitute(g, names) for g in b.type.guard}
        kind = replace(b.type, coordinates=coordinates, guard=a.type.guard)
        if replace(b, name=a.name, version=a.version, cells=a.cells, type=kind) == a and guard == set(a.type.guard):
            return order
    raise ScheduleError(f"{a.type.tensor} lies in {a.name} otherwise than in {b.name}")


def host_of(machine: Hardware) -> str:
    """The engine calling programs; '' if none is described."""
    return next((e.name for e in machine.engines if e.host), "")


def host_uses(machine: Hardware, kernel: Kernel) -> tuple[Command, Command]:
    """The host's uses before the first phase, and behind the last."""
    host = host_of(machine)
    written = [t.name for t in kernel.tensors if t.name not in kernel.temporaries]
    given, taken = (tuple((n, Ref(n, ())) for n in names) for names in (written, kernel.results))
    return Command(touch(host, GIVE), given), Command(touch(host, TAKE), taken)


def barrier(machine: Hardware, name: str, amount: Any = 1) -> tuple[Signal, ...]:
    """Each engine signals its arrival, and waits for all others. name: of its counters. amount: so many signals of each."""
    engines = [e.name for e in machine.engines]
    there = (Signal(signal(e), signals=(f"{name}_{e}",)) for e in engines)
    return (
        *there,
        *(Signal(signal(e), awaits=tuple((f"{name}_{f}", amount) for f in engines if f != e)) for e in engines),
    )


def _marked(body: Nodes, mark: str) -> Nodes:
    """Buffers, counters and variables of loops with the mark behind their names."""
    return renamed(
        body,
        buffers={n.buffer.name: n.buffer.name + mark for n in nodes_of(Alloc, body)},
        variables={n.var.name: n.var.name + mark for n in nodes_of(Loop, body)},
        counters={c: c + mark for c in parts(body, Role.COUNTER)},
    )


def phases(program: Program) -> tuple[Program, ...]:
    """The program cut at its barriers, each part with the kernel of its phase and without the host.

    A part of a loop over blocks has the loop for itself, with the barrier between any two blocks. It is the program alone if there
    is one phase, no barrier and no host. Raises ScheduleError if the kernel has other phases, two parts have a counter
    or a loop variable in common, or the host is not kept apart from all of them.
    """
    cut = list(_cut(program))
    machine = program.machine
    if hosted := machine is not None and bool(host_of(machine)):
        assert machine is not None
        cut = _within(machine, program.kernel, cut)
        machine = replace(machine, engines=tuple(e for e in machine.engines if not e.host))
    kernels = phase_kernels(program.kernel, _counts_of(program, cut))
    if not hosted and len(cut) == len(kernels) == 1 and not cut[0].loops:
        return (program,)
    if len(kernels) != len(cut):
        raise ScheduleError(f"{program.kernel.name} has {len(kernels)} phases, and the program {len(cut)}")
    if odd := sorted(c for p in cut for c in _own(p.nodes) if c.startswith(RESERVED)):
        raise ScheduleError(f"{odd[0]} of the program begins with {RESERVED}, as names of the proof do")
    around = dict.fromkeys(p.loops for p in cut if p.loops)
    names = [_own(p.nodes) for p in cut] + [{x.var.name for x in loops} for loops in around]
    for n, mine in enumerate(names):
        for other in names[n + 1 :]:
            if shared := sorted(mine & other):
                raise ScheduleError(
                    f"{shared[0]} belongs to two phases of the program; each has counters and loops of its own"
                )
    allocated = {n.buffer.name: n for n in program.body if isinstance(n, Alloc)}
    made = []
    for kernel, part in zip(kernels, cut, strict=True):
        assert machine is not None
        nodes, used = _with_its_loops(machine, part), {r.name for r in parts(part.nodes, Ref)}
        made.append(
            replace(
                program, kernel=kernel, machine=machine, body=(*(a for n, a in allocated.items() if n in used), *nodes)
            )
        )
    return tuple(made)


def blocks_of(phase: Program) -> tuple[Loop, ...]:
    """The loops over blocks that a part made by phases() shares with its neighbours, outermost first."""
    nodes: Nodes = tuple(n for n in phase.body if not isinstance(n, Alloc))
    loops: list[Loop] = []
    while len(nodes) == 1 and isinstance(nodes[0], Loop):
        loops.append(nodes[0])
        nodes = nodes[0].body
    return tuple(loops) if any(map(ends_a_block, nodes)) else ()


def ends_a_block(node: Node) -> bool:
    """Whether it is of the barrier between blocks in a part made by phases()."""
    return isinstance(node, Signal) and any(c.startswith(END) for c in (*node.signals, *(a for a, _ in node.awaits)))


def _with_its_loops(machine: Hardware, part: _Part) -> Nodes:
    """The nodes of a part in its loops over blocks, each block behind all of the one before.

    The second half of the barrier stands in the next iteration, where claims look for it.
    """
    if not part.loops:
        return part.nodes
    both = barrier(machine, END, part.loops[-1].number)
    there, on = both[: len(machine.engines)], both[len(machine.engines) :]
    nodes: Nodes = (*on, *part.nodes, *there)
    for x in reversed(part.loops):
        nodes = _around(x, nodes)
    return nodes


def _around(loop: Any, body: Nodes) -> Nodes:
    """The loop with another body."""
    return (replace(loop, body=body),)


def _counts_of(program: Program, cut: Sequence[_Part]) -> tuple[int, ...]:
    """The number of statements in each part of a program; () if parts and statements do not match.

    A part ends with the statement whose result goes to main memory, or stays in a buffer for a later part.
    """
    left, found = list(program.kernel.statements), []
    buffers = {n.buffer.name: n.buffer for n in program.body if isinstance(n, Alloc)}
    used = [{r.name for r in parts(part.nodes, Ref)} & set(buffers) for part in cut]
    for n, part in enumerate(cut):
        stored = {t for u in nodes_of(Command, part.nodes) if (t := _stored(u))}
        stays = used[n].intersection(set().union(*used[n + 1 :])) - set().union(*used[:n])
        stored |= {buffers[name].type.tensor for name in stays}
        count = next((k for k, s in enumerate(left, 1) if s.target.tensor in stored), 0)
        found.append(count)
        left = left[count:]
    return () if left or 0 in found or len(found) == 1 else tuple(found)


def written(use: Command) -> str:
    """The buffer or tensor written by a use; '' if it writes none."""
    i = use.instruction
    return next((r.name for o, r in use.operands if i.kernel.statements and o == i.target), "")


def _stored(use: Command) -> str:
    """The tensor written by a use in main memory; '' if it writes none."""
    i = use.instruction
    return written(use) if i.kernel.statements and dict(i.places).get(i.target) == MAIN else ""


def _within(machine: Hardware, kernel: Kernel, cut: list[_Part]) -> list[_Part]:
    """The parts between the host's uses. Raises ScheduleError."""
    host, (give, take) = host_of(machine), host_uses(machine, kernel)
    if len(cut) < 3 or cut[0] != _Part((give,)) or cut[-1] != _Part((take,)):
        raise ScheduleError(
            f"{host} does not give its tensors before a barrier and take the results behind another one"
        )
    own = [n for part in cut[1:-1] for n in nodes_of(Issued, part.nodes) if n.instruction.engine == host]
    if own:
        raise ScheduleError(f"{host} has a part in a phase: {own[0].instruction.name}")
    return cut[1:-1]


def _own(nodes: Nodes) -> set[str]:
    """Counters and variables of loops."""
    return {n.var.name for n in nodes_of(Loop, nodes)} | set(parts(nodes, Role.COUNTER))


def _cut(program: Program) -> Iterator[_Part]:
    """The nodes between barriers. Raises ScheduleError for loops over blocks that end without one."""
    engines = {e.name for e in program.machine.engines} if program.machine else set()
    signalled = [c for n in nodes_of(Issued, program.body) for c in n.signals]
    for part in _between([n for n in program.body if not isinstance(n, Alloc)], engines, signalled, 1):
        loops: list[Loop] = []
        inside = part
        while len(inside) == 1 and isinstance(inside[0], Loop):
            loops.append(inside[0])
            inside = inside[0].body
        own = list(_between(inside, engines, signalled, loops[-1].number + 1)) if loops else [inside]
        if len(own) == 1:
            yield _Part(part)
            continue
        if own.pop():
            raise ScheduleError(f"the loop {loops[-1].var} over blocks of phases ends without a barrier")
        yield from (_Part(nodes, tuple(loops)) for nodes in own)


def _between(nodes: Sequence[Node], engines: set[str], signalled: list[str], amount: Any) -> Iterator[Nodes]:
    """The nodes between barriers that stand in one body."""
    start = at = 0
    while at < len(nodes):
        if _barrier(nodes[at : at + 2 * len(engines)], engines, signalled, amount):
            yield tuple(nodes[start:at])
            start = at = at + 2 * len(engines)
        else:
            at += 1
    yield tuple(nodes[start:])


def _plain(use: Issued) -> Signal:
    """The same awaits and signals of its engine, and nothing else."""
    return Signal(signal(use.instruction.engine), awaits=use.awaits, signals=use.signals)


def _barrier(nodes: Sequence[Node], engines: set[str], signalled: list[str], amount: Any) -> bool:
    """Whether each engine signals a counter of its own, and then waits for `amount` signals of each other one's.

    An unmet wait would stop them all, and no phase counts these signals.
    """
    uses = [n for n in nodes if isinstance(n, Issued) and n == _plain(n)]
    half = len(engines)
    if not half or len(uses) != 2 * half or len(nodes) != 2 * half:
        return False
    there = {u.instruction.engine: u.signals for u in uses[:half]}
    on = {u.instruction.engine: set(u.awaits) for u in uses[half:]}
    if set(there) != engines or set(on) != engines or any(len(c) != 1 for c in there.values()):
        return False
    if any(u.awaits for u in uses[:half]) or any(u.signals for u in uses[half:]):
        return False
    counters = {e: c[0] for e, c in there.items()}
    alone = all(signalled.count(c) == 1 for c in counters.values())
    return alone and all({(counters[f], amount) for f in engines if f != e} == on[e] for e in engines)
