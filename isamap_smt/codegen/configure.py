"""Numbers of registers, and what threads write into their states before instructions need it: Program -> Program, before the proof.

Registers that the C names by numbers get them here, from the first free one of their file. What the instructions of a thread
need of a state then is one image of its cells, which the thread writes at its head, and again behind a loop that threads share
and in which they wrote it; it clears what it wrote at its end. A number is asked for where it is needed: never more than points
that the instruction has, and not again as long as it is the same. On a machine with engines: isamap_smt.codegen.configure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.engine_states import needed_cells
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, symbols_of
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Ask, Command, Configure, If, Loop, Node, Program, Ref, SetState, Use
from isamap_smt.ir.states import Held, Need, needs_at, wanted
from isamap_smt.ir.traversal import buffers, map_bodies, map_nodes, nodes_of, shared, walk
from isamap_smt.mapping.configuring import configuring
from isamap_smt.mapping.moves import registers_of

# ---- Where the configurations of engines stand: Program -> Program, before the proof.
#
# What one use needs of a state is an image of its cells. A write of an image stands at the outermost place where its
# values are known and no other image has the same set until the uses that need it: in front of a whole loop nest, or
# inside of a loop whose variable the values depend on, or in which two images take turns. Images that are needed in the
# innermost loops get sets of their own first. Nothing of it is trusted: the claim `configuration` finds for each use
# the writes that reach it.


Nodes = tuple[Node, ...]
Image = tuple[Any, ...]


def engines_configured(program: Program, machine: Hardware) -> Program:
    """The program of one phase, with writes of states where its uses need them. Raises ScheduleError."""
    for memory in (m for m in machine.memories if m.is_state):
        program = replace(program, body=_Placing(program, machine, memory).body())
    return program


@dataclass(frozen=True)
class _Placing:
    """The writes of one state."""

    program: Program
    machine: Hardware
    memory: Memory

    def body(self) -> Nodes:
        sets = self._sets()
        body = self.program.body
        for number in sorted(set(sets.values())):
            body = self._placed(body, frozenset(), number, {i for i, n in sets.items() if n == number}, None)[0]
        return self._named(body, sets)

    def _image(self, node: Node) -> Image | None:
        """What a use needs of the state; None where it needs nothing."""
        if not isinstance(node, Command) or all(n.memory != self.memory.name for n in node.instruction.cells_needed):
            return None
        shapes = {t.name: t.shape for t in self.program.kernel.tensors}
        cells = needed_cells(node, shapes)[self.memory.name]
        found = (cells.get(n, sp.S.Zero) for n in range(int(self._write.kernel.axes[0].extent)))
        return tuple(_inside(e, shapes[e.name]) if isinstance(e, Ref) else e for e in found)

    @property
    def _write(self) -> Instruction:
        found = self.machine.writing(self.memory.name)
        if found is None:
            raise ScheduleError(f"{self.machine.name}: nothing writes {self.memory.name}")
        return found

    def _images(self, body: Nodes) -> Iterator[tuple[Image, int]]:
        """Each image that is needed, with how deep the use stands."""
        for node, around in walk(body):
            if (image := self._image(node)) is not None:
                yield image, len(around)

    def _sets(self) -> dict[Image, int]:
        """Image -> its set; those that are left over share the last one."""
        depths: dict[Image, int] = {}
        for image, depth in self._images(self.program.body):
            depths[image] = max(depth, depths.get(image, 0))
        first = sorted(depths, key=lambda i: -depths[i])
        return {image: min(n, self.memory.count - 1) for n, image in enumerate(first)}

    def _placed(
        self, body: Nodes, known: frozenset[str], number: int, own: set[Image], held: Image | None
    ) -> tuple[Nodes, Image | None]:
        """The body, and what the set holds behind it. known: variables of loops around. held: what it holds before."""
        found: list[Node] = []
        for node in body:
            needed = [i for i, _ in self._images((node,)) if i in own]
            if not needed:
                found.append(node)
                continue
            if len(set(needed)) == 1 and self._bound(needed[0]) <= known:
                if held != needed[0]:
                    found.append(Configure(self._write, needed[0], ((self.memory.name, number),)))
                found.append(node)
                held = needed[0]
                continue
            assert isinstance(node, Loop | If)
            found.append(self._within(node, known, number, own))
            held = None
        return tuple(found), held

    def _within(self, node: Loop | If, known: frozenset[str], number: int, own: set[Image]) -> Node:
        inside = known | ({node.var.name, node.number.name} if isinstance(node, Loop) else frozenset())
        return map_bodies(node, lambda body: self._placed(body, inside, number, own, None)[0])

    def _bound(self, image: Image) -> set[str]:
        """The variables of loops that its values depend on."""
        loops = nodes_of(Loop, self.program.body)
        names = {e.name for x in loops for e in (x.var, x.number)}
        return names & symbols_of(e for cell in image for e in (cell.index if isinstance(cell, Ref) else (cell,)))

    def _named(self, body: Nodes, sets: dict[Image, int]) -> Nodes:
        """The body, whose uses name their sets."""

        def named(node: Node) -> Node:
            if not isinstance(node, Command) or (image := self._image(node)) is None:
                return node
            return replace(node, sets=(*node.sets, (self.memory.name, sets[image])))

        return map_nodes(body, named)


def _inside(element: Ref, shape: Sequence[Any]) -> Ref:
    """The element, or the last one where it would lie behind the tensor: there no use is active."""
    pairs = zip(element.index, shape, strict=True)
    return replace(element, index=tuple(IMin(i, n - 1) if symbols_of([i]) else i for i, n in pairs))


def configured(program: Program) -> Program:
    """The program with numbers of registers and writes of states, where its instructions have numbers and needs.

    Raises ScheduleError where registers do not suffice, or one thread's instructions need different things of one cell.
    """
    if program.machine is not None:
        return engines_configured(program, program.machine)
    files = _files((*program.ahead, *program.body))
    if files:
        program = map_bodies(program, lambda body: _numbered(program.name, body, files, {}))
    program = map_bodies(program, lambda body: _asking(program, body))
    threads = _Threads(program, {name: b.numbers for name, b in buffers(program).items()})
    return map_bodies(program, threads.whole)


def _files(nodes: Nodes) -> dict[str, tuple[str, int]]:
    """Buffer -> (file, how many registers that has), of the buffers whose registers have numbers."""
    return {
        ref.name: (dict(i.places)[o], i.registers[o])
        for node, _ in walk(nodes)
        for o, i, ref in registers_of(node)
        if o in i.registers
    }


def _numbered(name: str, body: Nodes, files: dict[str, tuple[str, int]], taken: dict[str, int]) -> Nodes:
    """The body, whose buffers take the next numbers of their files; they are free again behind it."""
    taken = dict(taken)
    found: list[Node] = []
    for node in body:
        if isinstance(node, Alloc) and node.buffer.name in files:
            file, most = files[node.buffer.name]
            first = taken.get(file, 0)
            taken[file] = first + node.buffer.registers
            if taken[file] > most:
                raise ScheduleError(
                    f"{name} needs more than the {most} registers of {file}; take smaller register tiles"
                )
            found.append(Alloc(replace(node.buffer, first=first)))
        else:
            found.append(map_bodies(node, lambda inner: _numbered(name, inner, files, taken)))
    return tuple(found)


def _asking(program: Program, body: Nodes) -> Nodes:
    """The body, with a request in front of each use that needs a number which was not asked for just before."""
    if not any(n.instruction.numbers_needed for n in nodes_of(Use, body)):
        return body
    found: list[Node] = []
    last: dict[str, Ask] = {}
    for node in body:
        made = map_bodies(node, lambda inner: _asking(program, inner))
        if isinstance(node, Loop | If):
            written = {n.state for n in nodes_of(Ask, (made,))}
            last = {memory: use for memory, use in last.items() if memory not in written}
        found += _requests(program, node, last) if isinstance(node, Use) else []
        found.append(made)
    return tuple(found)


def _requests(program: Program, use: Use, last: dict[str, Ask]) -> list[Node]:
    """What it asks for that `last` has not; state memory -> request, which is kept."""
    found: list[Node] = []
    for held in use.instruction.numbers_needed:
        request = _request(program, use, held)
        if last.get(held.memory) != request:
            found.append(request)
        last[held.memory] = request
    return found


def _request(program: Program, use: Use, held: Held) -> Ask:
    points, count = use.instruction.extents[held.axis], dict(use.parameters)[held.parameter]
    asking = hardware_of(program).whole.asking(held.memory, points)
    if asking is None:
        raise ScheduleError(
            f"{program.name}: nothing grants {points} in {held.memory}, which {use.instruction.name} needs"
        )
    return Ask(asking, wanted(count, points))


def hardware_of(program: Program) -> Hardware:
    """The machine that its schedules are for. Raises ScheduleError."""
    found = next((s.hardware for s in program.schedules if s.hardware is not None), None)
    if found is None:
        raise ScheduleError(f"{program.name}: its instructions need a state, and the schedule names no hardware")
    return found


class _Threads:
    """What each thread of a program writes into its states. numbers: buffer -> those of its registers."""

    def __init__(self, program: Program, numbers: dict[str, range]) -> None:
        self._program, self._numbers = program, numbers

    def whole(self, body: Nodes) -> Nodes:
        """A part of the program: its own thread, and those of its parallel loops."""
        enter, leave = self._written(body)
        return (*enter, *self._inner(body, enter), *leave)

    def _inner(self, body: Nodes, around: tuple[SetState, ...]) -> Nodes:
        found: list[Node] = []
        for node in body:
            if isinstance(node, Loop) and node.kind == "parallel":
                enter, leave = self._written(node.body)
                found.append(replace(node, enter=enter, leave=leave, body=self._inner(node.body, enter)))
                found += [use for use in around if use.state in {x.state for x in enter}]
            else:
                found.append(map_bodies(node, lambda inner: self._inner(inner, around)))
        return tuple(found)

    def _written(self, body: Nodes) -> tuple[tuple[SetState, ...], tuple[SetState, ...]]:
        """(what the body's thread writes at its head, what clears it again), each state once."""
        needs = list(self._needs(body))
        return configuring(hardware_of(self._program), needs) if needs else ((), ())

    def _needs(self, body: Nodes) -> Iterator[tuple[Need, int]]:
        for node, around in walk(body):
            if not shared(around):
                for o, i, ref in registers_of(node):
                    yield from needs_at(i, {o: self._numbers[ref.name]})
