"""Claim 15: states of a thread suit each instruction wherever it runs; a numbered register belongs to its buffer alone.

number   registers of buffers alive at the same time have different numbers, all below the size of their file;
         buffers without such a file have no number
needs    each cell an instruction needs holds its value on every path: loops run once or more, conditions go either way
kept     the content of numbered registers is lost behind a write of a state, and no longer used
left     a thread leaves 0 in every cell it has written
granted  any number the machine may grant is the number of active points of the instruction that needs it

A thread begins with 0 in each cell. A parallel loop's body runs on threads of its own and on the surrounding one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, value
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.expr import sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Ask, Buffer, If, Loop, Node, Parallel, Ref, SetState, Use
from isamap_smt.ir.states import Held, Need, allowed, needs_at, wanted
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.mapping.moves import registers_of
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Site

# ---- Claim 15, of numbers that a program asks for: any number granted is the one needed by the instructions.
#
# An implementation is free between `most` and twice that (isamap_smt.ir.states.allowed). So the number asked for decides
# the grant only up to `most`: a program is proved for all numbers that it may be granted, and refuted by one of them.
#
# The places of both decide the write that reaches an instruction: the last one before it in its own body or one around
# it, unless a loop or a condition in between writes, too. Then the loops around the write have the same values at both.


_CLAIM = "configuration"
_SEVERAL = "several"  # writes, on different ways
_NONE = "none"
Now = Mapping[str, Ask | str]  # state memory -> what wrote it last


@dataclass
class _Seen:
    """Each use that needs a granted number, with the writes that reach it."""

    at: dict[tuple[int, ...], dict[str, list[Ask | str]]] = field(default_factory=dict)

    def note(self, position: tuple[int, ...], use: Use, now: Now) -> None:
        for held in use.instruction.numbers_needed:
            found = self.at.setdefault(position, {}).setdefault(held.memory, [])
            write = now.get(held.memory, _NONE)
            if not any(write is x for x in found):
                found.append(write)


def granted_claims(book: Book) -> None:
    """Notes the claims about granted numbers, for programs whose instructions need them."""
    program = book.sites.program
    seen = _Seen()
    for part, body in enumerate((program.ahead, program.body)):
        _walked(seen, body, (part,), {})
    sites = {s.position: s for s in book.sites.sites}
    for position, writes in seen.at.items():
        use = sites[position].node
        assert isinstance(use, Use)
        for held in use.instruction.numbers_needed:
            _needed(book, sites[position], use, held, writes[held.memory])


def _walked(seen: _Seen, body: tuple[Node, ...], at: tuple[int, ...], now: Now) -> Now:
    """The last write of each state behind a body entered with `now`."""
    now = dict(now)
    for n, node in enumerate(body):
        place = (*at, n)
        if isinstance(node, Use):
            if isinstance(node, Ask):
                now[node.state] = node
            elif node.instruction.numbers_needed:
                seen.note(place, node, now)
        elif isinstance(node, Loop | If):
            inside = _inside(seen, node, place, now)
            now |= dict.fromkeys((m for m in inside if inside[m] is not now.get(m)), _SEVERAL)
    return now


def _inside(seen: _Seen, node: Loop | If, at: tuple[int, ...], now: Now) -> Now:
    """The last writes behind the body of a loop or a condition.

    An iteration may begin with the writes of the one before; threads of a parallel loop begin with none.
    """
    if isinstance(node, If):
        return _walked(seen, node.body, at, now)
    begun: Now = {} if isinstance(node, Parallel) else now
    once = _walked(seen, node.body, at, begun)
    changed = {m for m in _asked(node.body) if begun.get(m) is not _SEVERAL}
    if not changed:
        return once
    return _walked(seen, node.body, at, {**begun, **dict.fromkeys(changed, _SEVERAL)})


def _asked(body: tuple[Node, ...]) -> Iterator[str]:
    return (n.state for n in nodes_of(Ask, body))


def _needed(book: Book, site: Site, use: Use, held: Held, writes: list[Ask | str]) -> None:
    i = use.instruction
    subject, statement = i.short, f"whatever {held.memory} is granted, it is the number of its active points"
    points = i.extents[held.axis]
    count = dict(use.parameters).get(held.parameter)
    if count is None:
        book.unknown(_CLAIM, subject, statement, f"{i.name} is given no number of active points")
        return
    needed = wanted(count, points)
    for write in writes:
        book.note(_CLAIM, subject, statement, _verdict(book, site, i.name, held, needed, write))


def _verdict(book: Book, site: Site, name: str, held: Held, needed: Any, write: Ask | str) -> Verdict:
    asked = f"{name} needs '{held.text}'"
    if write is _NONE:
        return Refuted({}, f"{asked}, and nothing has asked for {held.memory} on this thread")
    if not isinstance(write, Ask):
        return Unknown(f"{asked}; which number was asked for differs between two ways that lead there")
    most = sp.sympify(write.instruction.grants)
    granted = sym(f"{held.memory}'")
    known = [*book.sites.hypotheses, *site.context(), allowed(granted, sp.sympify(write.number), most)]
    words = f"{_CLAIM} {name}: {held.text}"
    verdict = implied(known, [("eq", granted, needed)], book.sites.sizes, words, smallest=not book.stop)
    if not isinstance(verdict, Refuted):
        return verdict
    return Refuted(verdict.witness, f"{asked}, and {_told(write, held, needed, verdict.witness)}", verdict.seconds)


def _told(write: Ask, held: Held, needed: Any, witness: Mapping[str, int]) -> str:
    """The counterexample in words: the number asked for (AVL), the largest grant (VLMAX), and a possible wrong grant."""
    marked = f"{held.memory}'"
    asks, most = (value(sp.sympify(e), witness) for e in (write.number, write.instruction.grants))
    found = f"{held.memory} may be {witness[marked]}, where {value(needed, witness)} points are active"
    free = f", between half of {asks} and {most} as it likes," if most < asks < 2 * most else ""
    at = " ".join(f"{k}={v}" for k, v in witness.items() if k != marked) or "every size"
    return f"of {write.instruction.name}, asked for AVL = {asks} with VLMAX = {most}{free} {found}: at {at}"


@dataclass
class _Walk:
    """Obligations by their statement, with the worst verdict found. files: buffer -> its register file, if numbered."""

    files: dict[str, str]
    found: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def note(self, subject: str, statement: str, wrong: str = "", open_: str = "") -> None:
        """wrong: the refutation; open_: the reason for Unknown; the worst verdict of a statement stays."""
        verdict: Verdict = Refuted({}, wrong) if wrong else Unknown(open_) if open_ else Proved()
        before = self.found.get((subject, statement), Proved())
        if isinstance(before, Proved) or (isinstance(before, Unknown) and wrong):
            self.found[subject, statement] = verdict


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
            _CLAIM, twice[0], "each buffer lies in one register file", f"{twice[0]} is the name of buffers in two files"
        )
        return
    numbered = [n.buffer for n in nodes if isinstance(n, Alloc) and n.buffer.first is not None]
    if loose := [b.name for b in numbered if b.name not in files]:
        said = f"{loose[0]} says a number of its registers, which have none"
        book.unknown(_CLAIM, loose[0], "registers with numbers lie in a file that numbers them", said)
        return
    granted_claims(book)
    known = any(i.cells_needed for n in nodes for _, i, _ in registers_of(n)) or any(
        isinstance(n, SetState) for n in nodes
    )
    if not files and not known:
        return
    walked = _Walk(files)
    for where, body in (("ahead of the calls", program.ahead), ("the call", program.body)):
        _numbers(walked, body, {}, counts)
        _left(walked, where, _body(walked, body, _Now(), {}))
    for (subject, statement), verdict in walked.found.items():
        book.note(_CLAIM, subject, statement, verdict)


def _edges(book: Book, nodes: list[Node]) -> None:
    """Around its iterations, a thread only writes states, and clears them in the reverse order."""
    for x in (n for n in nodes if isinstance(n, Parallel)):
        if [use.state for use in x.enter] != [use.state for use in reversed(x.leave)] or any(
            any(u.cells) for u in x.leave
        ):
            said = f"threads of {x.var} do not clear what they write, the last state first"
            book.note(_CLAIM, str(x.var), "threads only write states around their iterations", Refuted({}, said))


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(w: _Walk, body: tuple[Node, ...], live: Mapping[str, range], most: Mapping[str, int]) -> None:
    live = dict(live)
    for node in body:
        if isinstance(node, Loop | If):
            _numbers(w, node.body, live, most)
        elif isinstance(node, Alloc) and node.buffer.name in w.files:
            b, file = node.buffer, w.files[node.buffer.name]
            statement = f"its registers have numbers of {file} that no other buffer has while it lives"
            if type(b.first) is not int:
                w.note(b.name, statement, f"the registers of {b.name} have no numbers")
                continue
            mine = b.numbers
            other = next((n for n, r in live.items() if w.files[n] == file and set(r) & set(mine)), None)
            wrong = ""
            if other is not None:
                clash = min(set(live[other]) & set(mine))
                wrong = f"register {clash} of {file} is one of {other} and one of {b.name}, which live at the same time"
            elif mine.start < 0 or mine.stop > most[file]:
                wrong = f"{b.name} has the registers {mine.start} to {mine.stop - 1}, and {file} has {most[file]}"
            w.note(b.name, statement, wrong)
            live[b.name] = mine


# ---- states ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Now:
    """State of a thread at a point of its program.

    cells: state memory -> its cells, None if two paths differ. lost: buffer -> a write of a state since its
    declaration.
    """

    cells: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)

    def or_else(self, other: _Now) -> _Now:
        """The facts known on both paths; cells written on neither are 0."""
        found = {}
        for memory in {*self.cells, *other.cells}:
            both = zip_longest(self.cells.get(memory, ()), other.cells.get(memory, ()), fillvalue=0)
            found[memory] = tuple(p if p == q else None for p, q in both)
        return _Now(found, {**other.lost, **self.lost})


def _body(w: _Walk, body: tuple[Node, ...], now: _Now, live: Mapping[str, Buffer]) -> _Now:
    """The state behind a body entered in state `now`. live: buffers of numbered registers declared by its thread."""
    live = dict(live)
    for node in body:
        match node:
            case Parallel():
                now = _parallel(w, node, now, live)
            case Loop():
                now = now.or_else(_turns(w, node.body, now, live))
            case If():
                now = now.or_else(_body(w, node.body, now, live))
            case Alloc(buffer) if buffer.name in w.files:
                live[buffer.name] = buffer
                now = _Now(now.cells, {n: x for n, x in now.lost.items() if n != buffer.name})
            case Ask():
                pass  # granted_claims
            case SetState():
                now = _written(w, node, now, live)
            case _:
                for operand, i, ref in registers_of(node):
                    _needs(w, i, operand, ref, now, live)
    return now


def _turns(w: _Walk, body: tuple[Node, ...], now: _Now, live: Mapping[str, Buffer]) -> _Now:
    """The state behind one iteration or more; a later one begins with the result of an earlier one."""
    once = _body(w, body, now, live)
    return once if once == now else once.or_else(_body(w, body, now.or_else(once), live))


def _parallel(w: _Walk, loop: Parallel, now: _Now, live: Mapping[str, Buffer]) -> _Now:
    """The loop's own threads begin with 0, the surrounding one with its state; each takes any number of iterations."""
    alone = _thread(_Walk(w.files), loop, _Now(), {})
    _left(w, f"each thread of {loop.var}", alone)
    behind = _thread(w, loop, now.or_else(_Now()), live)
    count = sp.sympify(loop.count)
    runs = bool(count.is_Integer) and count >= 1  # without iterations no thread enters, nor leaves
    return behind if loop.enter and runs else now.or_else(behind)


def _thread(w: _Walk, loop: Parallel, now: _Now, live: Mapping[str, Buffer]) -> _Now:
    inner = _body(w, loop.enter, now, live)
    return _body(w, loop.leave, inner.or_else(_turns(w, loop.body, inner, {})), live)


def _written(w: _Walk, use: SetState, now: _Now, live: Mapping[str, Buffer]) -> _Now:
    i = use.instruction
    cells, constants = int(i.kernel.axes[0].extent), bool(i.kernel.inputs)
    bytes_ = all(type(x) is int and 0 <= x <= 255 for x in use.cells)
    right = len(use.cells) == cells and bytes_ and (constants or not any(use.cells))
    form = f"{cells} bytes" if constants else f"0 into {cells} bytes"
    w.note(
        i.short, f"it writes {form}", "" if right else f"{i.name} writes {form}; it is given {list(use.cells)[:8]} ..."
    )
    held = {**now.cells, use.state: use.cells} if right else now.cells
    return _Now(held, {**now.lost, **dict.fromkeys(live, i.name)})


def _needs(w: _Walk, i: Instruction, operand: str, ref: Ref, now: _Now, live: Mapping[str, Buffer]) -> None:
    b = live.get(ref.name)
    if operand in i.registers:
        wrong = f"{ref.name} is declared outside of the parallel loop that uses it" if b is None else ""
        if ref.name in now.lost:
            behind = f"{now.lost[ref.name]} writes a state while {ref.name} lives"
            wrong = f"{behind}, and {i.name} uses it: what was in its registers is gone"
        elif b is not None and b.numbers.stop > i.registers[operand]:
            last = b.numbers.stop - 1
            wrong = f"{operand} of {i.name} is one of {i.registers[operand]} registers, and {b.name} has number {last}"
        w.note(
            f"{i.short} {operand}",
            "its registers are its thread's, and no state was written since they were declared",
            wrong,
        )
    lies = {operand: b.numbers} if b is not None and operand in i.registers else {}
    for need, number in needs_at(i, lies):
        subject = f"{i.short} {need.operand}".strip()
        w.note(subject, f"the cells of {need.memory} that it needs hold wherever it runs", *_met(i, need, number, now))


def _met(i: Instruction, need: Need, number: int, now: _Now) -> tuple[str, str]:
    """(the refutation, the reason for Unknown) of one needed cell; both are '' if it holds its value."""
    at, cells = need.at(number), now.cells.get(need.memory)
    has = 0 if cells is None else cells[at] if at < len(cells) else 0
    if has == need.value:
        return "", ""
    of = f" for register {number}, where {need.operand} lies" if need.operand else ""
    asked = f"{i.name} needs {need.memory}[{at}] = {need.value}{of} ('{need.text}')"
    if has is None:
        return "", f"{asked}; that differs between two ways that lead there"
    return f"{asked}, and it is {has} there" + ("; nothing has written it on this thread" if cells is None else ""), ""


def _left(w: _Walk, where: str, behind: _Now) -> None:
    for memory, cells in sorted(behind.cells.items()):
        at = next((n for n, x in enumerate(cells) if x != 0), None)
        wrong = (
            ""
            if at is None
            else f"{where} leaves {'a number' if cells[at] is None else cells[at]} in {memory}[{at}]; nothing clears it"
        )
        w.note(where, f"it leaves 0 in every cell of {memory}", wrong)


__all__ = ["state_claims"]
