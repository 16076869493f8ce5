"""Claim 15, of numbers that a program asks for: whichever it is granted, it is the one that instructions need where they run.

An implementation is free between `most` and twice that (isamap_smt.ir.states.allowed). So what is asked for decides the number only
up to `most`: a program is proved for all numbers that it may be granted, and refuted by one of them.

Which write an instruction sees follows from where both stand: the last one before it in its own body or one around it, unless a
loop or a condition in between writes, too. Then the loops around the write have the same values at both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, value
from isamap_encodings.verdict import Refuted, Unknown, Verdict
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Ask, If, Loop, Node, Use
from isamap_smt.ir.states import Held, allowed, wanted
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Site

_CLAIM = "configuration"
_SEVERAL = "several"  # writes, on different ways
_NONE = "none"
Now = Mapping[str, Ask | str]  # state memory -> what wrote it last


@dataclass
class _Seen:
    """Each use that needs a number with the writes that it sees."""

    at: dict[tuple[int, ...], dict[str, list[Ask | str]]] = field(default_factory=dict)

    def note(self, position: tuple[int, ...], use: Use, now: Now) -> None:
        for held in use.instruction.numbers_needed:
            found = self.at.setdefault(position, {}).setdefault(held.memory, [])
            write = now.get(held.memory, _NONE)
            if not any(write is x for x in found):
                found.append(write)


def granted_claims(book: Book) -> None:
    """All of them, for programs whose instructions need numbers that are granted."""
    program = book.sites.program
    seen = _Seen()
    for part, body in enumerate((program.ahead, program.body)):
        _body(seen, body, (part,), {})
    sites = {s.position: s for s in book.sites.sites}
    for position, writes in seen.at.items():
        use = sites[position].node
        assert isinstance(use, Use)
        for held in use.instruction.numbers_needed:
            _needed(book, sites[position], use, held, writes[held.memory])


def _body(seen: _Seen, body: tuple[Node, ...], at: tuple[int, ...], now: Now) -> Now:
    """What was written last behind a body that begins so."""
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
    """Behind the body, which may begin anew with what it leaves; threads of a parallel loop begin with nothing."""
    if isinstance(node, If):
        return _body(seen, node.body, at, now)
    begun: Now = {} if node.kind == "parallel" else now
    once = _body(seen, node.body, at, begun)
    changed = {m for m in _written(node.body) if begun.get(m) is not _SEVERAL}
    if not changed:
        return once
    return _body(seen, node.body, at, {**begun, **dict.fromkeys(changed, _SEVERAL)})


def _written(body: tuple[Node, ...]) -> Iterator[str]:
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
    """The counterexample: how many are asked for, how many are granted for sure, and which number may come of it."""
    marked = f"{held.memory}'"
    asks, most = (value(sp.sympify(e), witness) for e in (write.number, write.instruction.grants))
    found = f"{held.memory} may be {witness[marked]}, where {value(needed, witness)} points are active"
    free = f", between half of {asks} and {most} as it likes," if most < asks < 2 * most else ""
    at = " ".join(f"{k}={v}" for k, v in witness.items() if k != marked) or "every size"
    return f"of {write.instruction.name}, asked for AVL = {asks} with VLMAX = {most}{free} {found}: at {at}"


__all__ = ["granted_claims"]
