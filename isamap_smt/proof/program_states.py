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

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, value
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.expr import FloorMod
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Ask, If, Loop, Node, Parallel, Ref, SetState, Use
from isamap_smt.ir.states import Held, Need, needs_at, wanted
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.mapping.moves import registers_of
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Formula, Site, mentioned
from isamap_smt.proof.reaching import CONTENT, Key, Now, Positions, Reaching, Visit, Way
from isamap_smt.proof.state_values import CLAIM, Granted, Value, Ways, agreement, cells_of, names_of, written
from isamap_smt.proof.uses.moments import FALSE, Named

KEPT = "its registers are its thread's, and no state was written since they were declared"


@dataclass(frozen=True)
class Wish:
    """What is needed of the last write of a key.

    value: of a write; None if there is no such value. told: a wrong value in words, with the counterexample. differs: the
    verdict where it is wrong on some ways alone, the writes of which are given.
    """

    needed: Any
    value: Callable[[Site | None], Value | None]
    told: Callable[[Site | None, Mapping[str, int]], str]
    differs: Callable[[list[Site | None]], Verdict]
    question: str


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
    states = _States(book, Reaching(lambda node: _touched(node, files)))
    parts = ("ahead of the calls", program.ahead), ("the call", program.body)
    ends = [states.reaching.body(body, (n,)) for n, (_, body) in enumerate(parts)]
    states.granted()
    for n, (where, body) in enumerate(parts):
        for name, wrong in _numbers(files, counts, body, {}):
            states.note(
                name, f"its registers have numbers of {files[name]} that no other buffer has while it lives", wrong
            )
        states.claims(n)
        states.left(where, ends[n])
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
) -> Iterator[tuple[str, Refuted | None]]:
    """(buffer, why its registers' numbers are not its own) of each one with a file."""
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
            yield b.name, Refuted({}, wrong) if wrong else None
            live[b.name] = mine


# ---- what reaches --------------------------------------------------------------------------------------------------------


def _touched(node: Node, files: Iterable[str]) -> tuple[list[Key], list[Key]]:
    """(keys needed, keys written): states by their names; the contents of numbered registers, lost by a write of a state."""
    match node:
        case Alloc(buffer=b) if b.name in files:
            return [], [(b.name, CONTENT)]
        case Ask():
            return [], [(node.state, 0)]
        case SetState():
            return [], [*([] if _malformed(node) else [(node.state, 0)]), *((b, CONTENT) for b in files)]
        case Use():
            needs: dict[Key, None] = dict.fromkeys((n.memory, 0) for n in node.instruction.numbers_needed)
            for operand, i, ref in registers_of(node):
                needs |= dict.fromkeys((n.memory, 0) for n in i.cells_needed)
                needs |= {(ref.name, CONTENT): None} if operand in i.registers else {}
            return list(needs), []
    return [], []


def _malformed(use: SetState) -> str:
    """Why the write has no meaning; '' if it has one."""
    cells, constants = cells_of(use), bool(use.instruction.kernel.inputs)
    bytes_ = all(type(x) is int and 0 <= x <= 255 for x in use.cells)
    if len(use.cells) == cells and bytes_ and (constants or not any(use.cells)):
        return ""
    return f"{use.instruction.name} writes {_form(use)}; it is given {list(use.cells)[:8]} ..."


def _form(use: SetState) -> str:
    return f"{cells_of(use)} bytes" if use.instruction.kernel.inputs else f"0 into {cells_of(use)} bytes"


@dataclass
class _States:
    """found: obligations by their statement, with the worst verdict."""

    book: Book
    reaching: Reaching
    found: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ways = Ways(self.book, self.reaching)
        self._in_scope = {s.position: s for s in self.book.sites.sites}
        self._asked: dict[tuple[Formula, ...], Verdict] = {}

    def note(self, subject: str, statement: str, *verdicts: Verdict | None) -> None:
        """None is Proved."""
        for verdict in (v or Proved() for v in verdicts):
            before = self.found.get((subject, statement), Proved())
            if isinstance(before, Proved) or (isinstance(before, Unknown) and isinstance(verdict, Refuted)):
                self.found[subject, statement] = verdict

    def granted(self) -> None:
        """Notes the claims about granted numbers."""
        for position in self.reaching.seen:
            site = self._in_scope[position]
            assert isinstance(site.node, Use)
            for held in site.node.instruction.numbers_needed:
                i = site.node.instruction
                statement = f"whatever {held.memory} is granted, it is the number of its active points"
                count = dict(site.node.parameters).get(held.parameter)
                if count is None:
                    self.book.unknown(CLAIM, i.short, statement, f"{i.name} is given no number of active points")
                    continue
                for verdict in self._judged(
                    site,
                    self.reaching.seen[position][held.memory, 0],
                    _of_number(i, held, wanted(count, i.extents[held.axis])),
                ):
                    self.book.note(CLAIM, i.short, statement, verdict)

    def claims(self, part: int) -> None:
        """Notes the claims about cells and registers of one part of the program, in the order of the text."""
        for position, site in self.reaching.sites.items():
            if position[0] != part:
                continue
            if isinstance(site.node, Parallel):
                self.left(f"each thread of {site.node.var}", self.reaching.left[position])
            elif isinstance(site.node, SetState):
                wrong = _malformed(site.node)
                self.note(
                    site.node.instruction.short, f"it writes {_form(site.node)}", Refuted({}, wrong) if wrong else None
                )
            elif isinstance(site.node, Use):
                for operand, i, ref in registers_of(site.node):
                    self._needs(self._in_scope[position], operand, i, ref)

    def _needs(self, site: Site, operand: str, i: Instruction, ref: Ref) -> None:
        b, seen = site.buffer(ref.name), self.reaching.seen.get(site.position, {})
        if b is not None and operand in i.registers:
            verdicts = self._judged(site, seen[ref.name, CONTENT], _of_content(i, ref.name))
            if b.numbers.stop > i.registers[operand]:
                last = b.numbers.stop - 1
                said = (
                    f"{operand} of {i.name} is one of {i.registers[operand]} registers, and {b.name} has number {last}"
                )
                verdicts.append(Refuted({}, said))
            self.note(f"{i.short} {operand}", KEPT, *verdicts)
        lies = {operand: b.numbers} if b is not None and operand in i.registers else {}
        for need, number in needs_at(i, lies):
            statement = f"the cells of {need.memory} that it needs hold wherever it runs"
            self.note(
                f"{i.short} {need.operand}".strip(),
                statement,
                *self._judged(site, seen[need.memory, 0], _of_cell(i, need, number)),
            )

    def left(self, where: str, behind: Now) -> None:
        """Notes that a thread leaves 0 in what it has written; what reaches its end is given."""
        end, cells = (
            Site(If((), ()), (), ()),
            {n.state: cells_of(n) for n in nodes_of(SetState, self.book.sites.program)},
        )
        for memory in sorted({memory for memory, set_ in behind if set_ == 0} & {*cells}):
            for at in range(cells[memory]):
                verdicts = self._judged(end, [Visit(behind[memory, 0], frozenset())], _of_end(where, memory, at))
                self.note(where, f"it leaves 0 in every cell of {memory}", *verdicts)

    def _judged(self, site: Site, visits: list[Visit], wish: Wish) -> list[Verdict]:
        """One verdict if the value is right on all ways, else one for all ways that may lead there in one case."""
        each = [self._on_way(site, wish, *pair) for visit in visits for pair in visit.reach.items()]
        if all(isinstance(v, Proved) for v in each):
            return [Proved(sum(v.seconds for v in dict.fromkeys(each)))]
        cases: dict[tuple[tuple[Site | None, int], ...], list[Positions]] = {}
        for visit in visits:
            cases.setdefault(tuple(self._ways.possible(visit.reach).items()), []).append(visit.first)
        found = [self._in_case(site, wish, dict(ways), firsts) for ways, firsts in cases.items()]
        return list({_words(v): v for v in found if not isinstance(v, Proved)}.values()) or [Proved()]

    def _on_way(self, site: Site, wish: Wish, way: Way, level: int) -> Verdict:
        """Whether the value of this write is the one needed, wherever both are."""
        facts, goals, _ = self._compared(site, wish, way.write, level)
        return self._implied(wish, facts, goals)

    def _in_case(self, site: Site, wish: Wish, ways: dict[Site | None, int], firsts: list[Positions]) -> Verdict:
        """Refuted only if the value is wrong whichever way is taken, in an iteration of this case."""
        wrong = [w for w, level in ways.items() if not isinstance(self._on_way(site, wish, Way(w), level), Proved)]
        if not wrong:
            return Proved()
        compared = [self._compared(site, wish, *pair) for pair in ways.items()]
        facts, goals, exact = compared[0]
        if len(ways) > 1:
            facts, goals, exact = site.context(), [FALSE], all(FALSE in x[1] for x in compared)
        verdict = self._implied(wish, [*self._first(firsts), *facts], goals) if exact else wish.differs(wrong)
        if not exact or not isinstance(verdict, Refuted):
            return verdict
        write = next((w for w in ways if w is not None), None)
        return Refuted(verdict.witness, wish.told(write, verdict.witness), verdict.seconds)

    def _compared(
        self, site: Site, wish: Wish, write: Site | None, level: int
    ) -> tuple[list[Formula], list[Formula], bool]:
        """(what is known where the write and the use are, what is to follow, whether it is the same in each iteration)."""
        has, names = wish.value(write), frozenset(self.book.sites.given)
        if has is None:
            return site.context(), [FALSE], True
        y = Named(MARK, names | names_of(site.loops[:level]))
        facts, goals = agreement(wish.needed, has, Named("", names), y)
        there = [] if write is None else map(y.at, write.context())
        exact = not any(name.endswith(MARK) for f in (*facts, *goals) for name in mentioned(f))
        return list(dict.fromkeys([*site.context(), *there, *facts])), goals, exact

    def _implied(self, wish: Wish, facts: list[Formula], goals: list[Formula]) -> Verdict:
        asked = (*facts, *goals)
        if goals and asked not in self._asked:
            sites = self.book.sites
            known = [*sites.hypotheses, *facts]
            self._asked[asked] = implied(known, goals, sites.sizes, wish.question, smallest=not self.book.stop)
        return self._asked[asked] if goals else Proved()

    def _first(self, firsts: list[Positions]) -> list[Formula]:
        """Each loop of one of these sets is in its first iteration."""
        loops = [[self.reaching.sites[p].node for p in sorted(first)] for first in firsts]
        return [("or", *(("and", *(_at_first(x) for x in each if isinstance(x, Loop))) for each in loops))] * all(loops)


def _words(verdict: Verdict) -> str:
    return verdict.text if isinstance(verdict, Refuted) else verdict.reason if isinstance(verdict, Unknown) else ""


MARK = "'set"  # of names at the moment of a write


def _at_first(loop: Loop) -> Formula:
    """The variable of a loop in its first iteration."""
    first, last = ("eq", loop.var, sp.S.Zero), ("eq", loop.var, sp.sympify(loop.trips) - 1)
    odd = ("eq", FloorMod(loop.backwards or sp.S.Zero, 2), sp.S.One)
    return ("and", ("implies", odd, last), ("implies", ("not", odd), first))


# ---- what is needed ------------------------------------------------------------------------------------------------------


def _of_number(i: Instruction, held: Held, needed: Any) -> Wish:
    """The number granted is that of active points."""
    asked = f"{i.name} needs '{held.text}'"

    def told(write: Site | None, witness: Mapping[str, int]) -> str:
        if write is None:
            return f"{asked}, and nothing has asked for {held.memory} on this thread"
        return f"{asked}, and {_told(write.node, held, needed, witness)}"

    def differs(_: list[Site | None]) -> Verdict:
        return Unknown(f"{asked}; which number was asked for differs between two ways that lead there")

    def has(write: Site | None) -> Value | None:
        return None if write is None or not isinstance(write.node, Ask) else written(write.node, 0)

    return Wish(needed, has, told, differs, f"{CLAIM} {i.name}: {held.text}")


def _told(write: Node, held: Held, needed: Any, witness: Mapping[str, int]) -> str:
    """The counterexample in words: the number asked for (AVL), the largest grant (VLMAX), and a possible wrong grant."""
    assert isinstance(write, Ask)
    grant = written(write, 0)
    assert isinstance(grant, Granted)
    asks, most = (value(e, witness) for e in (grant.number, grant.most))
    found = f"{held.memory} may be {witness[grant.symbol.name]}, where {value(needed, witness)} points are active"
    free = f", between half of {asks} and {most} as it likes," if most < asks < 2 * most else ""
    at = " ".join(f"{k}={v}" for k, v in witness.items() if k != grant.symbol.name) or "every size"
    return f"of {write.instruction.name}, asked for AVL = {asks} with VLMAX = {most}{free} {found}: at {at}"


def _of_cell(i: Instruction, need: Need, number: int) -> Wish:
    """The cell holds its value, for an operand in the register of this number."""
    at = need.at(number)
    of = f" for register {number}, where {need.operand} lies" if need.operand else ""
    asked = f"{i.name} needs {need.memory}[{at}] = {need.value}{of} ('{need.text}')"

    def has(write: Site | None) -> Value:
        return 0 if write is None else written(write.node, at)  # type: ignore[arg-type]

    def told(write: Site | None, witness: Mapping[str, int]) -> str:
        unwritten = "; nothing has written it on this thread" if write is None else ""
        return f"{asked}, and it is {_number(has(write), witness)} there{unwritten}"

    def differs(_: list[Site | None]) -> Verdict:
        return Unknown(f"{asked}; that differs between two ways that lead there")

    return Wish(need.value, has, told, differs, f"{CLAIM} {i.name}: {need.text}")


def _number(has: Value, witness: Mapping[str, int]) -> Any:
    return value(has.symbol, witness) if isinstance(has, Granted) else has


def _of_end(where: str, memory: str, at: int) -> Wish:
    """A cell holds 0 at the end of a thread."""

    def has(write: Site | None) -> Value:
        return 0 if write is None else written(write.node, at)  # type: ignore[arg-type]

    def told(write: Site | None, witness: Mapping[str, int]) -> str:
        return f"{where} leaves {_number(has(write), witness)} in {memory}[{at}]; nothing clears it"

    def differs(_: list[Site | None]) -> Verdict:
        return Refuted({}, f"{where} leaves a number in {memory}[{at}]; nothing clears it")

    return Wish(0, has, told, differs, f"{CLAIM} {where}: 0")


def _of_content(i: Instruction, buffer: str) -> Wish:
    """Its declaration is what reaches the register; everything else loses the content."""

    def told(write: Site | None, witness: Mapping[str, int] | None = None) -> str:
        if write is None:
            return f"{buffer} is declared outside of the parallel loop that uses it"
        assert isinstance(write.node, Use)
        lost = f"{write.node.instruction.name} writes a state while {buffer} lives"
        return f"{lost}, and {i.name} uses it: what was in its registers is gone"

    def has(write: Site | None) -> Value:
        return int(write is not None and isinstance(write.node, Alloc))

    def differs(wrong: list[Site | None]) -> Verdict:
        return Refuted({}, told(next((w for w in wrong if w is not None), None)))

    return Wish(1, has, told, differs, f"{CLAIM} {i.name}: {buffer}")


__all__ = ["state_claims"]
