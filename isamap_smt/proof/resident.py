"""Tiles left by one phase in a memory of the machine and found there by later ones, without a trip through main memory.

    phase 1:  H@spm[i] = ...            begins the contents of a buffer, and stores none of them
    phase 2:  Y += H@spm[i] * V         uses them, and begins none

A buffer used by two phases is resident. Phases are proved apart, so each is closed: a phase that finds contents first
copies them from main memory, and a phase that leaves its result ends with its store. The proof with copies and stores
also holds without them. The store puts into H exactly the cells the copy takes from it, since buffer and type are one,
and nothing is begun in these rows between the two. Cells without an element may hold anything: the store left them
behind.

In loops over blocks the copies and stores stand inside of them, between barriers: each block is closed.

A phase may also store its result, for readers of main memory. Then it is proved twice: as it is, and with signals in
place of its stores, before its closing store; signals change no buffer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.engines import Engine, Work
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMax, IMin, affine, free_name, substitute, sym, symbols_of
from isamap_smt.ir.instruction import Instruction, OwnInstruction, signal
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.machine_parameters import exceeds
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.phases import END, blocks_of, written
from isamap_smt.ir.program import Alloc, Buffer, Command, Node, Program, Ref, Serial, Signal
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.scalar import Read
from isamap_smt.ir.traversal import map_nodes, nodes_of, parts, walk

HELD, FAR = "v", "m"  # operands of what closes a phase


@dataclass(frozen=True)
class Resident:
    """A buffer filled by phase `left` and used as it is by the phases `found`. stored: also in main memory."""

    buffer: Buffer
    left: int
    found: tuple[int, ...]
    stored: bool = False

    @property
    def tensor(self) -> str:
        """The tensor it holds."""
        return self.buffer.type.tensor


def residents(phases: Sequence[Program]) -> tuple[Resident, ...]:
    """Buffers used by several phases, each with the phase that begins its contents."""
    made: dict[tuple[str, int], list[int]] = {}
    buffers: dict[str, Buffer] = {}
    last: dict[str, int] = {}
    for n, phase in enumerate(phases):
        for alloc in nodes_of(Alloc, phase.body):
            name = alloc.buffer.name
            buffers[name] = alloc.buffer
            if _begins(phase, name):
                last[name] = n
            elif name in last:
                made.setdefault((name, last[name]), []).append(n)
    return tuple(
        Resident(buffers[name], left, tuple(found), _stores(phases[left], buffers[name].type.tensor))
        for (name, left), found in made.items()
    )


def closed(phases: Sequence[Program], found: Sequence[Resident]) -> tuple[tuple[int, Program], ...]:
    """Each phase with its number, between copies of the contents it finds and the store of those it leaves.

    A phase that stores its result itself also occurs without the closing store. Raises ScheduleError if no copy or
    store can be made.
    """
    for r in found:
        shared = [[x.var for x in blocks_of(phases[n])] for n in (r.left, *r.found)]
        if any(one != shared[0] for one in shared):
            raise ScheduleError(f"{r.buffer.name} stays on chip across the border of a loop over blocks")
    made: list[tuple[int, Program]] = []
    for n, phase in enumerate(phases):
        before = [(r, _begun(phases[r.left], r)) for r in found if n in r.found]
        left = [(r, _begun(phase, r)) for r in found if n == r.left]
        stored = {r.tensor for r, _ in left if r.stored}
        if stored:
            made.append((n, _closed(phase, before, [])))
        made.append((n, _closed(_silent(phase, stored), before, left)))
    return tuple(made)


def _silent(phase: Program, tensors: Collection[str]) -> Program:
    """The same phase with signals in place of its stores of these tensors."""

    def change(node: Node) -> Node:
        if not isinstance(node, Command) or written(node) not in tensors:
            return node
        return Signal(signal(node.instruction.engine), awaits=node.awaits, signals=node.signals)

    return replace(phase, body=map_nodes(phase.body, change)) if tensors else phase


def _stores(phase: Program, tensor: str) -> bool:
    return any(written(u) == tensor for u in nodes_of(Command, phase.body))


def claims(program: Program, phases: Sequence[Program], found: Sequence[Resident]) -> Iterator[ClaimResult]:
    """Resident contents stay undisturbed, and no use looks for them in main memory."""
    named = {r.name for r in parts(program.body, Ref)}
    for r in found:
        b, last = r.buffer, max(r.found)
        others = [
            (n, a.buffer)
            for n in range(r.left, last + 1)
            for a in nodes_of(Alloc, phases[n].body)
            if a.buffer.name != b.name and a.buffer.memory == b.memory and _meet(a.buffer, b)
        ]
        words = f"phases {r.left + 1} to {last + 1} leave the rows of {b.memory} in which {b.name} holds {r.tensor}"
        wrong = "; ".join(f"{o.name} of phase {n + 1} lies in some of them" for n, o in others)
        yield _result("memory", b.name, words, wrong)
        words = f"{r.tensor} is a temporary that only {b.name} holds: no use takes it from main memory"
        temporary = r.tensor in program.kernel.temporaries
        wrong = "" if temporary else f"{r.tensor} is a result, and nothing stores it"
        if not r.stored:
            yield _result("program", b.name, words, f"a use names {r.tensor}" if r.tensor in named else wrong)
        words = f"{r.tensor} is what phase {r.left + 1} computes"
        made = [n for n, p in enumerate(phases) if r.tensor in {s.target.tensor for s in p.kernel.statements}]
        wrong = "" if r.left in made else "it is an input there"
        yield _result(
            "program", b.name, words, wrong or ("" if len(made) == 1 else "another phase computes a part of it")
        )


def _result(kind: str, subject: str, words: str, wrong: str) -> ClaimResult:
    return ClaimResult(kind, subject, Refuted({}, wrong) if wrong else Proved(), words)


def _meet(a: Buffer, b: Buffer) -> bool:
    """Whether two buffers of a memory may have rows in common."""
    apart = (not exceeds(x.offset + x.slots * x.rows, y.offset) for x, y in ((a, b), (b, a)))
    return not any(apart)


def _begins(phase: Program, name: str) -> bool:
    return any(written(u) == name and u.begins for u in nodes_of(Command, phase.body))


@dataclass(frozen=True)
class _Begun:
    """Contents of a buffer: the loops to count them, and the slot of each, over the variables of these loops."""

    loops: tuple[tuple[Any, Any], ...]
    slot: Any


def _begun(phase: Program, r: Resident) -> _Begun:
    """How a phase begins the contents. Raises ScheduleError unless they are counted tile by tile."""
    for node, around in walk(phase.body):
        if isinstance(node, Command) and node.begins and written(node) == r.buffer.name:
            place = dict(node.operands)[node.instruction.target]
            loops = tuple((x.var, x.count) for x in around if isinstance(x, Serial) and x.base is None)
            of_its_own = symbols_of(place.index) <= {v.name for v, _ in loops}
            plain = len(loops) == len(around) == len(r.buffer.version)
            if plain and of_its_own and len(place.index) == 1 and place.version == tuple(v for v, _ in loops):
                return _Begun(loops, place.index[0])
            break
    raise ScheduleError(f"{r.buffer.name} stays on chip, and its contents are not begun tile by tile")


def _closed(
    phase: Program, found: Sequence[tuple[Resident, _Begun]], left: Sequence[tuple[Resident, _Begun]]
) -> Program:
    if not found and not left:
        return phase
    assert phase.machine is not None
    around = blocks_of(phase)
    here = around[-1].number if around else 0
    engines = [e.name for e in phase.machine.engines]
    between = free_name("between_phases", engines)
    known = [i.name for i in phase.machine.instructions]
    before: list[Node] = []
    behind: list[Node] = []
    own: list[Instruction] = []
    for n, (r, begun) in enumerate((*found, *left)):
        move = _move(
            free_name(f"{'finds' if n < len(found) else 'leaves'}_{n}", known), between, r.buffer, n < len(found)
        )
        nest = _nest(r, begun, f"!{n}", move, len(around))
        (before if n < len(found) else behind).append(nest)
        own.append(move)
    if before:
        before.append(Signal(signal(between), signals=("!given",)))
        before += [Signal(signal(e), awaits=(("!given", here + 1),)) for e in engines]
    if behind:
        there = [Signal(signal(e), signals=(f"!done {e}",)) for e in engines]
        behind = [*there, Signal(signal(between), awaits=tuple((f"!done {e}", here + 1) for e in engines)), *behind]
    machine = replace(
        phase.machine,
        engines=(*phase.machine.engines, Engine(between)),
        instructions=(*phase.machine.instructions, *dict.fromkeys(own)),
    )
    allocated = [x for x in phase.body if isinstance(x, Alloc)]
    body: Any = around[-1].body if around else tuple(x for x in phase.body if not isinstance(x, Alloc))
    if around:
        ended = [Signal(signal(between), awaits=tuple((f"{END}_{e}", here) for e in engines))]
        ended += [Signal(signal(e), awaits=(("!closed", here),)) for e in engines]
        before, behind = [*ended, *before], [*behind, Signal(signal(between), signals=("!closed",))]
    body = (*before, *body, *behind)
    for x in reversed(around):
        body = (replace(x, body=body),)
    return replace(phase, machine=machine, body=(*allocated, *body))


def _nest(r: Resident, begun: _Begun, mark: str, move: Instruction, shared: int) -> Node:
    """Loops over the contents, with a copy of each from main memory, or its store. shared: so many loops, over blocks,
    are around the phase already."""
    b = r.buffer
    row, column = b.cells
    wide, fills = _wide(b), move.target == HELD
    names = {v.name: sym(f"{v.name}{mark}") for v, _ in begun.loops[shared:]}
    version = tuple(names.get(v.name, v) for v, _ in begun.loops)
    at = dict(zip((v.name for v in b.version), version, strict=True))
    cells = {row.name: sym("r"), column.name: sym("c") if wide else sp.S.Zero}
    index = tuple(sp.expand(substitute(substitute(e, at), cells)) for e in b.type.coordinates)
    guard = [substitute(g, at) for g in b.type.guard]
    active = tuple(
        IMax(0, _count(r, guard, v.name, size, set(cells)))
        for v, size in zip((row, column)[: 1 + wide], b.shape, strict=False)
    )
    places = {HELD: Ref(b.name, (substitute(begun.slot, names),), version), FAR: Ref(r.tensor, index)}
    body: tuple[Node, ...] = (
        Command(move, tuple((o.name, places[o.name]) for o in move.operands), active, begins=fills),
    )
    for v, count in reversed(begun.loops[shared:]):
        body = (Serial(names[v.name], count, body),)
    return body[0]


def _count(r: Resident, guard: Sequence[Any], cell: str, size: Any, cells: set[str]) -> Any:
    """The number of rows or columns of a tile with elements. Raises ScheduleError unless they are the first ones."""
    count = size
    for g in guard:
        slack = g.gts - g.lts if isinstance(g, sp.StrictLessThan | sp.StrictGreaterThan) else None
        split = None if slack is None else affine(slack, cells)
        along = {} if split is None else {n: c for n, c in split[0].items() if c != 0}
        if split is None or len(along) > 1 or set(along.values()) - {-1}:
            raise ScheduleError(f"{r.buffer.name} stays on chip, and {g} cuts its tiles")
        if cell in along:
            count = IMin(count, split[1])
        elif not along:  # all of a tile stands for elements, or nothing
            count = IMin(count, size * split[1])
    return count


def _wide(b: Buffer) -> bool:
    """Whether columns of a tile are of several elements."""
    return b.cells[1].name in symbols_of([*b.type.coordinates, *b.type.guard])


def _move(name: str, engine: str, b: Buffer, fills: bool) -> Instruction:
    """`v[r,c] = m[r,c]` of whole tiles, or the same without columns, or back."""
    wide = _wide(b)
    axes = tuple(Axis(n, sp.sympify(size)) for n, size in zip("rc"[: 1 + wide], b.shape, strict=False))
    index = tuple(a.symbol for a in axes)
    shape = tuple(a.extent for a in axes)
    tensors = (Tensor(HELD, b.dtype, shape), Tensor(FAR, b.dtype, shape))
    target, source = (HELD, FAR) if fills else (FAR, HELD)
    value = Read(sp.Symbol(source), *index)
    contract = Kernel(name, tensors, (Statement(Access(target, index), "=", value, axes),))
    strides = ("down", "right")[: len(axes)]
    counted = (("r", "rows"), ("c", "columns"))[: len(axes)]
    return OwnInstruction(
        name, contract, "load" if fills else "store", ((HELD, b.memory), (FAR, MAIN)), engine=engine,
        cells=((HELD, sym("r"), sym("c") if wide else sp.S.Zero),), active=counted,
        beyond="zero" if fills else "kept", work=Work(0, 0), steps=((FAR, strides),),
    )  # fmt: skip
