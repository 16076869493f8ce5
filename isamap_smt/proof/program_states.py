"""Claim 15 on cores: states of a thread suit each instruction wherever it runs; a numbered register belongs to its buffer.

number   registers of buffers alive at the same time have different numbers, all below the size of their file;
         buffers without such a file have no number
needs    each cell that an instruction needs holds its value on every way
granted  any number that the machine may grant is the number of active points of the instruction that needs it
kept     the content of numbered registers is lost behind a write of a state, and no longer used
left     a thread leaves 0 in every cell it has written

A thread begins with 0 in each cell. The ways and the values are those of isamap_smt.proof.reaching and .state_values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from isamap_encodings.program_implication import value
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Ask, If, Loop, Node, Parallel, Ref, SetState, Use
from isamap_smt.ir.states import Held, needs_at, wanted
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.mapping.moves import registers_of
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Site
from isamap_smt.proof.reaching import CONTENT, Now, Reaching, Visit
from isamap_smt.proof.state_values import CLAIM, Granted, Ways, Wish, cells_of, touched, well_formed, written

Sized = Mapping[str, int]


def state_claims(book: Book) -> None:
    """Notes all these claims, for programs whose instructions have numbers or states."""
    program = book.sites.program
    nodes = [n for n, _ in walk(program)]
    _edges(book, nodes)
    held = [
        (ref.name, dict(i.places)[o], i.registers[o])
        for n in nodes
        for o, i, ref in registers_of(n)
        if o in i.registers
    ]
    files = {name: file for name, file, _ in held}
    counts = {file: count for _, file, count in held}
    if twice := [name for name, file, _ in held if files[name] != file]:
        book.unknown(
            CLAIM, twice[0], "each buffer lies in one register file", f"{twice[0]} is the name of buffers in two files"
        )
        return
    numbered = [n.buffer for n in nodes if isinstance(n, Alloc) and n.buffer.first is not None]
    if loose := [b.name for b in numbered if b.name not in files]:
        said = f"{loose[0]} says a number of its registers, which have none"
        book.unknown(CLAIM, loose[0], "registers with numbers lie in a file that numbers them", said)
        return
    if not files and not any(
        n.state or n.instruction.cells_needed or n.instruction.numbers_needed for n in nodes if isinstance(n, Use)
    ):
        return
    reaching = Reaching(lambda node: touched(node, files))
    states, known = _States(book, reaching), {s.position: s for s in book.sites.sites}
    parts = ("ahead of the calls", program.ahead), ("the call", program.body)
    ends = [reaching.body(body, (n,)) for n, (_, body) in enumerate(parts)]
    sites = [known.get(position, site) for position, site in reaching.sites.items()]  # those with buffers in scope
    for site in sites:
        if isinstance(site.node, Use):
            states.granted(site, site.node)
    for n, (where, body) in enumerate(parts):
        for name, verdict in _numbers(files, counts, body, {}):
            states.note(
                name, f"its registers have numbers of {files[name]} that no other buffer has while it lives", verdict
            )
        for site in (s for s in sites if s.position[0] == n):
            states.claim(site)
        states.left(where, ends[n], Site(If((), ()), (n,), ()))
    for (subject, statement), verdict in states.found.items():
        book.note(CLAIM, subject, statement, verdict)


def _edges(book: Book, nodes: list[Node]) -> None:
    """Around its iterations, a thread only writes states, and clears them in the reverse order."""
    for x in (n for n in nodes if isinstance(n, Parallel)):
        if [use.state for use in x.enter] != [use.state for use in reversed(x.leave)] or any(
            any(u.cells) for u in x.leave
        ):
            said = f"threads of {x.var} do not clear what they write, the last state first"
            book.note(CLAIM, str(x.var), "threads only write states around their iterations", Refuted({}, said))


def _numbers(
    files: Mapping[str, str], counts: Mapping[str, int], body: tuple[Node, ...], live: Mapping[str, range]
) -> Iterator[tuple[str, Verdict]]:
    """(buffer, whether its registers have numbers of their own) of each one with a file."""
    live = dict(live)
    for node in body:
        if isinstance(node, Loop | If):
            yield from _numbers(files, counts, node.body, live)
        elif isinstance(node, Alloc) and node.buffer.name in files:
            b, file = node.buffer, files[node.buffer.name]
            if type(b.first) is not int:
                yield b.name, Refuted({}, f"the registers of {b.name} have no numbers")
                continue
            mine, wrong = b.numbers, ""
            other = next((n for n, r in live.items() if files[n] == file and set(r) & set(mine)), None)
            if other is not None:
                clash = min(set(live[other]) & set(mine))
                wrong = f"register {clash} of {file} is one of {other} and one of {b.name}, which live at the same time"
            elif mine.start < 0 or mine.stop > counts[file]:
                wrong = f"{b.name} has the registers {mine.start} to {mine.stop - 1}, and {file} has {counts[file]}"
            yield b.name, Refuted({}, wrong) if wrong else Proved()
            live[b.name] = mine


# ---- the claims about each node --------------------------------------------------------------------------------------


@dataclass
class _States:
    """found: obligations by their statement, with the worst verdict."""

    book: Book
    reaching: Reaching
    found: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ways = Ways(self.book, self.reaching)

    def note(self, subject: str, statement: str, *verdicts: Verdict) -> None:
        """The worst one stays."""
        for verdict in verdicts:
            before = self.found.setdefault((subject, statement), verdict)
            if isinstance(before, Proved) or (isinstance(before, Unknown) and isinstance(verdict, Refuted)):
                self.found[subject, statement] = verdict

    def granted(self, site: Site, use: Use) -> None:
        """Notes the claims about the granted numbers that a use needs."""
        i = use.instruction
        for held in i.numbers_needed:
            statement = f"whatever {held.memory} is granted, it is the number of its active points"
            count = use.parameters.get(held.parameter)
            if count is None:
                self.book.unknown(CLAIM, i.short, statement, f"{i.name} is given no number of active points")
                continue
            wish = _number(i, held, wanted(count, i.extents[held.axis]))
            for verdict in self._ways.judged(site, self.reaching.seen[site.position][held.memory, 0], wish):
                self.book.note(CLAIM, i.short, statement, verdict)

    def claim(self, site: Site) -> None:
        """Notes the claims about cells and registers of one node."""
        match site.node:
            case Parallel(var=var):
                self.left(f"each thread of {var}", self.reaching.left[site.position], site)
            case SetState() as use:
                i, cells = use.instruction, cells_of(use)
                form = f"{cells} bytes" if i.kernel.inputs else f"0 into {cells} bytes"
                wrong = Refuted({}, f"{i.name} writes {form}; it is given {list(use.cells)[:8]} ...")
                self.note(i.short, f"it writes {form}", Proved() if well_formed(use) else wrong)
            case node:
                for operand, i, ref in registers_of(node):
                    self._needs(site, operand, i, ref)

    def _needs(self, site: Site, operand: str, i: Instruction, ref: Ref) -> None:
        b = site.buffer(ref.name) if operand in i.registers else None
        seen = self.reaching.seen.get(site.position, {})
        if b is not None:
            verdicts = self._ways.judged(site, seen[ref.name, CONTENT], _content(i, ref.name))
            if b.numbers.stop > i.registers[operand]:
                said = f"{operand} of {i.name} is one of {i.registers[operand]} registers"
                verdicts.append(Refuted({}, f"{said}, and {b.name} has number {b.numbers.stop - 1}"))
            statement = "its registers are its thread's, and no state was written since they were declared"
            self.note(f"{i.short} {operand}", statement, *verdicts)
        for need, number in needs_at(i, {} if b is None else {operand: b.numbers}):
            at, of = need.at(number), f" for register {number}, where {need.operand} lies" if need.operand else ""
            wish = _cell(f"{i.name} needs {need.memory}[{at}] = {need.value}{of} ('{need.text}')", at, need.value)
            verdicts = self._ways.judged(site, seen[need.memory, 0], wish)
            statement = f"the cells of {need.memory} that it needs hold wherever it runs"
            self.note(f"{i.short} {need.operand}".strip(), statement, *verdicts)

    def left(self, where: str, behind: Now, end: Site) -> None:
        """Notes that a thread leaves 0 in each cell it has written; what reaches its end is given."""
        cells = {n.state: cells_of(n) for n in nodes_of(SetState, self.book.sites.program)}
        for memory in sorted({memory for memory, number in behind if number == 0} & cells.keys()):
            for at in range(cells[memory]):
                visits = [Visit(behind[memory, 0], frozenset())]
                verdicts = self._ways.judged(end, visits, _end(f"in {memory}[{at}]; nothing clears it", where, at))
                self.note(where, f"it leaves 0 in every cell of {memory}", *verdicts)


# ---- what is needed ------------------------------------------------------------------------------------------------------


def _number(i: Instruction, held: Held, needed: Any) -> Wish:
    """The granted number is that of active points. In words: the number asked for (AVL), the largest grant (VLMAX), and a
    possible wrong grant."""
    asked = f"{i.name} needs '{held.text}'"

    def told(write: Site | None, witness: Sized) -> str:
        has = None if write is None else written(write.node, 0)
        if write is None or not isinstance(write.node, Ask) or not isinstance(has, Granted):
            return f"{asked}, and nothing has asked for {held.memory} on this thread"
        own = has.symbol.name
        asks, most = (value(e, witness) for e in (has.number, has.most))
        free = f", between half of {asks} and {most} as it likes," if most < asks < 2 * most else ""
        found = f"{held.memory} may be {witness[own]}, where {value(needed, witness)} points are active"
        at = " ".join(f"{k}={v}" for k, v in witness.items() if k != own) or "every size"
        name = write.node.instruction.name
        return f"{asked}, and of {name}, asked for AVL = {asks} with VLMAX = {most}{free} {found}: at {at}"

    differs = f"{asked}; which number was asked for differs between two ways that lead there"
    return Wish(needed, 0, None, told, differs, f"{CLAIM} {i.name}: {held.text}")


def _cell(asked: str, at: int, needed: int) -> Wish:
    """The cell holds its value."""

    def told(write: Site | None, _: Sized) -> str:
        if write is None:
            return f"{asked}, and it is 0 there; nothing has written it on this thread"
        return f"{asked}, and it is {written(write.node, at)} there"

    return Wish(needed, at, 0, told, f"{asked}; that differs between two ways that lead there", asked)


def _end(there: str, where: str, at: int) -> Wish:
    """The cell holds 0 at the end of a thread."""

    def told(write: Site | None, _: Sized) -> str:
        return f"{where} leaves {written(write.node, at) if write else 0} {there}"

    return Wish(0, at, 0, told, f"{where} leaves a number {there}", where)


def _content(i: Instruction, buffer: str) -> Wish:
    """The declaration of the buffer reaches it, and no write of a state, which loses the content."""

    def told(write: Site | None, _: Sized) -> str:
        if write is None or not isinstance(write.node, Use):
            return f"{buffer} is declared outside of the parallel loop that uses it"
        lost = f"{write.node.instruction.name} writes a state while {buffer} lives"
        return f"{lost}, and {i.name} uses it: what was in its registers is gone"

    differs = (
        f"{i.name} uses {buffer}; whether a state was written while it lives differs between two ways that lead there"
    )
    return Wish(1, CONTENT, 0, told, differs, f"{i.name}: {buffer}")


__all__ = ["state_claims"]
