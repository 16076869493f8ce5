"""Claim 7 for an instruction's demands beyond its shape: alignment and relations, at each use in a program.

If a demand does not follow for all sizes, the weakest condition on sizes of a simple form to imply it is looked for:
every part of an address multiplied by a loop must be divisible by itself. A condition among the program's hypotheses
may be used, because each call checks it; otherwise it is suggested, and the claim fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.expr import FloorMod, substitute, symbols_of
from isamap_smt.ir.hypotheses import Hypothesis, Relation, Start
from isamap_smt.ir.preconditions import Aligned, Related, Unruled, offset, row_length
from isamap_smt.ir.program import Move
from isamap_smt.proof.noted import in_words
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_held import Place
from isamap_smt.proof.program_sites import Formula

BUFFER_START = 64  # bytes: where the C and the runtime let every buffer start


@dataclass(frozen=True)
class _Use:
    """One use of a move: its memory operand, the address of the first lane in elements, and the facts there."""

    book: Book
    subject: str
    memory: Place
    first: Any
    active: dict[str, Any]
    around: list[Formula]


def stated(book: Book, subject: str, node: Move, memory: Place, address: Any, around: list[Formula]) -> None:
    """Claims every precondition stated by the instruction of a move."""
    start = dict.fromkeys(node.instruction.axes, sp.S.Zero)
    counts = {p: sp.sympify(n) for (_, p), n in zip(node.instruction.active, node.active, strict=False)}
    use = _Use(book, subject, memory, sp.expand(substitute(address, start)), counts, around)
    for asked in node.instruction.asks:
        match asked:
            case Aligned(multiple=multiple):
                _aligned(use, str(asked), multiple)
            case Related():
                _relation(use, asked)
            case Unruled():
                _no_rule(use, str(asked))


def computes_ask_nothing(book: Book) -> None:
    """A precondition of a compute instruction has no rule: its operands are registers."""
    for site in book.sites.computing():
        i = site.node.instruction  # type: ignore[union-attr]
        for text in i.preconditions:
            reason = f"no rule for the precondition '{text}' of {i.name}, which works on registers"
            book.note("precondition", i.short, reason, Unknown(reason))


def _aligned(use: _Use, text: str, multiple: int) -> None:
    size = use.memory.held.dtype.bytes
    if multiple % size:
        use.book.note("precondition", use.subject, text, Unknown(f"{multiple} bytes are no whole number of elements"))
        return
    if use.memory.home is None:
        _granted(use, Start(use.memory.name, multiple))
    elif BUFFER_START % multiple:
        reason = f"{use.memory.name} starts at a multiple of {BUFFER_START} bytes only"
        use.book.note("precondition", use.subject, text, Unknown(reason))
        return
    statement = f"{text}: the first lane lies a multiple of {multiple} bytes from the start of {use.memory.name}"
    _divisible(use, statement, use.first, multiple // size)


def _relation(use: _Use, asked: Related) -> None:
    text, known = str(asked), dict(use.active)
    for operand in asked.operands:
        known[row_length(operand)] = sp.sympify(use.memory.lies[-1] if use.memory.lies else 1)
        known[offset(operand)] = use.first
    left, right = (substitute(e, known) for e in (asked.condition.left, asked.condition.right))
    condition = Condition(left, asked.condition.op, right)
    if len(asked.operands) > 1 or condition.names - _known_names(use):
        _no_rule(use, text)
        return
    statement = f"{text}, with {_shown(condition)}"
    if condition.divides is not None:
        _divisible(use, statement, sp.expand(condition.divides[0]), condition.divides[1])
        return
    verdict = _ask(use, condition.formula, statement)
    if not isinstance(verdict, Proved) and _checkable(condition, use):
        verdict = _with(use, verdict, [condition], condition.formula, statement)
    use.book.note("precondition", use.subject, statement, verdict)


def _no_rule(use: _Use, text: str) -> None:
    reason = f"no rule for the precondition '{text}' of {use.memory.name}"
    use.book.note("precondition", use.subject, text, Unknown(reason))


def _known_names(use: _Use) -> set[str]:
    return set(use.book.sites.sizes) | symbols_of([use.first, *use.memory.shape]) | _names(use.around)


def _names(formulas: Any) -> set[str]:
    found: set[str] = set()
    for f in formulas:
        if isinstance(f, tuple | list):
            found |= _names(f)
        elif hasattr(f, "free_symbols"):
            found |= {s.name for s in f.free_symbols}
    return found


def _divisible(use: _Use, statement: str, value: Any, step: int) -> None:
    """The value is a multiple of step: as it stands, or because each of its parts is."""
    goal = ("eq", FloorMod(value, sp.Integer(step)), sp.S.Zero)
    verdict: Verdict = Proved() if step == 1 else _ask(use, goal, statement)
    if not isinstance(verdict, Proved):
        parts = _conditions(value, step, set(use.book.sites.sizes))
        if parts is not None and all(_checkable(c, use) for c in parts):
            # A sum of multiples of the step is one, and so is a multiple of a multiple.
            verdict = _with(use, verdict, parts, None, statement)
    use.book.note("precondition", use.subject, statement, verdict)


def _conditions(value: Any, step: int, sizes: set[str]) -> list[Condition] | None:
    """For each product of loop variables in the value, when its factor is divisible by step; None if one never is."""
    parts: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(value)):
        number, factors = term.as_coeff_mul()
        if not number.is_Integer:
            return None
        outside = sp.Mul(*[f for f in factors if not (symbols_of([f]) and symbols_of([f]) <= sizes)])
        inside = sp.Mul(*[f for f in factors if symbols_of([f]) and symbols_of([f]) <= sizes])
        parts[outside] = parts.get(outside, sp.S.Zero) + number * inside
    found: list[Condition] = []
    for factor in parts.values():
        conditions = _factor(sp.expand(factor), step)
        if conditions is None:
            return None
        found += conditions
    return [h.condition for h in needed(map(Relation, found)) if isinstance(h, Relation)]


def needed(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses not implied by another one: J % 8 == 0 implies J % 4 == 0."""
    found = list(dict.fromkeys(hypotheses))
    parts = {h: d for h in found if isinstance(h, Relation) and (d := h.condition.divides) is not None}
    implied_by = {
        h
        for h, (body, step) in parts.items()
        for other, (same, larger) in parts.items()
        if h != other and body == same and larger % step == 0
    }
    return [h for h in found if h not in implied_by]


def _factor(factor: Any, step: int) -> list[Condition] | None:
    """Conditions under which a polynomial of sizes is divisible by step; None if it never is."""
    reduced = sp.S.Zero
    for term in sp.Add.make_args(factor):
        number, rest = term.as_coeff_Mul()
        reduced += (int(number) % step) * rest
    if reduced == 0:
        return []
    common = math.gcd(step, *(int(t.as_coeff_Mul()[0]) for t in sp.Add.make_args(reduced)))
    reduced, left = sp.expand(reduced / common), step // common
    if left == 1:
        return []
    if reduced.is_Integer:
        return None
    number, rest = reduced.as_coeff_Mul()
    if math.gcd(int(number), left) == 1 and not rest.is_Add:
        reduced = rest
    return [Condition(FloorMod(reduced, sp.Integer(left)), "==", sp.S.Zero)]


def _ask(use: _Use, goal: Formula, statement: str) -> Verdict:
    book = use.book
    verdict = implied([*book.sites.hypotheses, *use.around], [goal], book.sites.sizes, f"precondition: {statement}")
    return in_words(verdict, statement)


def _with(use: _Use, failed: Verdict, conditions: list[Condition], goal: Formula | None, statement: str) -> Verdict:
    """Proved if the program's hypotheses include every condition, else the failure with the conditions to mend it."""
    granted, asked = use.book.sites.program.hypotheses, [*map(Relation, conditions)]
    if all(needed([*granted, h]) == needed(granted) for h in asked):
        use.book.hypotheses |= dict.fromkeys(asked)
        if goal is None:
            return Proved(failed.seconds)
        known = [c.formula for c in conditions]
        return implied([*use.book.sites.hypotheses, *known, *use.around], [goal], use.book.sites.sizes, statement)
    use.book.wanted |= dict.fromkeys(asked)
    hint = f"it follows where {' and '.join(map(str, asked))}"
    if isinstance(failed, Refuted):
        return Refuted(failed.witness, f"{failed.text}\n{hint}", failed.seconds)
    reason = failed.reason if isinstance(failed, Unknown) else ""
    return Unknown(f"{reason}; {hint}", failed.seconds)


def _granted(use: _Use, start: Start) -> None:
    """A demand undecided by sizes: a hypothesis of the program, or wanted as one."""
    if start in use.book.sites.program.hypotheses:
        use.book.hypotheses[start] = None
        use.book.note("precondition", use.subject, str(start), Proved())
        return
    use.book.wanted[start] = None
    use.book.note("precondition", use.subject, str(start), Unknown(f"nothing checks that {start}"))


def _checkable(condition: Condition, use: _Use) -> bool:
    """Whether each call can test the condition: it speaks of sizes only."""
    return condition.testable and bool(condition.names) and condition.names <= set(use.book.sites.sizes)


def _shown(c: Condition) -> str:
    return f"{c.left} {c.op} {c.right}"


__all__ = ["computes_ask_nothing", "needed", "stated"]
