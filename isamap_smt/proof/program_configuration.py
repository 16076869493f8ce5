"""Claim 15: every register that is configured has just the rows and bytes of the operand that lies in it, wherever it is used.

shape    each number that the C may give an operand's register is that of a tile with the operand's rows and bytes of a row
thread   all instructions of one thread's body need one and the same configuration, which is entered at its head
kept     nothing stays in such a register while a parallel loop runs: its threads, this one among them, configure theirs anew

A tile with fewer rows would lose some; one with more would touch memory that the operand does not have.
"""

from __future__ import annotations

from collections.abc import Iterator

from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Exec, Loop, Move, Node, Program, states, walk
from isamap_smt.ir.tiles import NUMBERED
from isamap_smt.proof.program_book import Book


def configuration_claims(book: Book) -> None:
    """All three, for the instructions of the program that have registers with numbers."""
    program = book.sites.program
    for instruction in _instructions(program):
        for operand, shape, fault in shapes(instruction):
            verdict = Refuted({}, fault) if fault else Proved()
            statement = f"every register that {operand} of {instruction.name} may lie in has {shape}"
            book.note("configuration", f"{instruction.short} {operand}", statement, verdict)
    for where, body in _threads(program):
        found = states(body)
        if found:
            book.structure(
                "configuration", where, "its instructions need one configuration of their registers", len(found) == 1,
                f"{where}: its instructions need {len(found)} different configurations, and a thread has one",
            )  # fmt: skip
    _kept(book)


def shapes(instruction: Instruction) -> Iterator[tuple[str, str, str]]:
    """(operand, what its registers must have, what is wrong or '') of every operand whose registers have numbers."""
    known = {operand: (rows, row) for operand, rows, row in instruction.tiles}
    state = instruction.state
    for operand, c_type in instruction.c_types:
        if not c_type.startswith(NUMBERED):
            continue
        count = int(c_type.removeprefix(NUMBERED))
        lies = f"{operand} of {instruction.name}"
        if state is None:
            yield operand, "a configuration", f"{lies} lies in a register that nothing configures; add state=..."
            continue
        shape = _words(*known[operand])
        wrong = next((n for n in range(count) if state.tile(n) != known[operand]), None)
        has = "" if wrong is None else _words(*state.tile(wrong)) if any(state.tile(wrong)) else "nothing"
        fault = f"{lies} has {shape}, and may lie in tile {wrong}, which is configured for {has}" if has else ""
        yield operand, shape, fault


def faults(instruction: Instruction) -> list[str]:
    """What is wrong between the instruction's operands and the configuration of its registers, in words."""
    return [fault for _, _, fault in shapes(instruction) if fault]


def _words(rows: int, row: int) -> str:
    return f"{rows} rows of {row} bytes"


def _instructions(program: Program) -> list[Instruction]:
    nodes = (n for n, _ in walk((*program.ahead, *program.body)))
    found = [n.instruction for n in nodes if isinstance(n, Move | Exec) and n.instruction.numbered]
    return list(dict.fromkeys(found))


def _threads(program: Program) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """What one thread runs: the parts of the program, and each parallel loop's body."""
    yield "ahead of the calls", program.ahead
    yield "the call", program.body
    for node, _ in walk((*program.ahead, *program.body)):
        if isinstance(node, Loop) and node.kind == "parallel":
            yield f"each thread of {node.var}", node.body


def _kept(book: Book) -> None:
    used = {name for site in book.sites.of(Move, Exec) for name in _numbered(site.node)}
    for alloc in book.sites.of(Alloc) if used else []:
        name = alloc.node.buffer.name  # type: ignore[union-attr]
        if name in used:
            seen = [s for s in book.sites.sites if s.visible.get(name) is alloc]
            inner = [n for s in seen for n in s.around[len(alloc.around) :] if isinstance(n, Loop)]
            crossed = next((n.var for n in inner if n.kind == "parallel" and _configures(n)), None)
            book.structure(
                "configuration", name, "nothing stays in a configured register while a parallel loop runs", crossed is None,
                f"{name} is declared outside the parallel loop {crossed}, whose threads configure their registers anew",
            )  # fmt: skip


def _numbered(node: Node) -> list[str]:
    """The buffers of registers with numbers that a statement uses."""
    if isinstance(node, Move) and node.instruction.numbered:
        return [node.register.name]
    if isinstance(node, Exec) and node.instruction.numbered:
        return [ref.name for _, ref in node.operands]
    return []


def _configures(loop: Loop) -> bool:
    return any(isinstance(n, Move | Exec) and n.instruction.state is not None for n, _ in walk(loop.body))
