"""Numbers registers and writes states before instructions need them: Program -> Program, before the proof.

Registers with numbers in the C get them here, from the first free one of their file. A thread's instructions then need
one image of a state's cells. The thread writes it at its head, and again behind a loop shared by threads that wrote the
state; it clears the state at its end. A number is requested at its use: never more than the instruction's points, and
not again while it stays the same. On a machine with engines: isamap_smt.codegen.configure_engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from isamap_smt.codegen.configure_engines import engines_configured
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Ask, If, Loop, Node, Parallel, Program, SetState, Use
from isamap_smt.ir.states import Held, Need, needs_at, wanted
from isamap_smt.ir.traversal import buffers, map_bodies, nodes_of, shared, walk
from isamap_smt.mapping.configuring import configuring
from isamap_smt.mapping.moves import registers_of

Nodes = tuple[Node, ...]


def configured(program: Program) -> Program:
    """The program with numbers of registers and writes of states, if its instructions have numbers and needs.

    Raises ScheduleError if registers do not suffice, or one thread's instructions need different values of one cell.
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
    """Buffer -> (file, number of registers in it), of buffers with numbered registers."""
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
    """The body, with a request in front of each use, unless the same number was requested just before."""
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
    """The use's requests that differ from `last` (state memory -> request); updates `last`."""
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
    """The machine of the program's schedules. Raises ScheduleError if they name none."""
    found = next((s.hardware for s in program.schedules if s.hardware is not None), None)
    if found is None:
        raise ScheduleError(f"{program.name}: its instructions need a state, and the schedule names no hardware")
    return found


class _Threads:
    """Adds each thread's writes of its states. numbers: buffer -> those of its registers."""

    def __init__(self, program: Program, numbers: dict[str, range]) -> None:
        self._program, self._numbers = program, numbers

    def whole(self, body: Nodes) -> Nodes:
        """A part of the program: its own thread, and those of its parallel loops."""
        enter, leave = self._written(body)
        return (*enter, *self._inner(body, enter), *leave)

    def _inner(self, body: Nodes, around: tuple[SetState, ...]) -> Nodes:
        found: list[Node] = []
        for node in body:
            if isinstance(node, Parallel):
                enter, leave = self._written(node.body)
                found.append(replace(node, enter=enter, leave=leave, body=self._inner(node.body, enter)))
                found += [use for use in around if use.state in {x.state for x in enter}]
            else:
                found.append(map_bodies(node, lambda inner: self._inner(inner, around)))
        return tuple(found)

    def _written(self, body: Nodes) -> tuple[tuple[SetState, ...], tuple[SetState, ...]]:
        """(writes at the head of the body's thread, writes to clear them again), each state once."""
        needs = list(self._needs(body))
        return configuring(hardware_of(self._program), needs) if needs else ((), ())

    def _needs(self, body: Nodes) -> Iterator[tuple[Need, int]]:
        for node, around in walk(body):
            if not shared(around):
                for o, i, ref in registers_of(node):
                    yield from needs_at(i, {o: self._numbers[ref.name]})
