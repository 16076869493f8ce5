"""Hypotheses of a program's proof: those of every claim, of its mappings and of its own."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.expr import is_constant, sym
from isamap_smt.ir.hypotheses import Apart, Fits, Hypothesis, Range, Relation, Shape, Unchanged, relations
from isamap_smt.ir.program import Copy, Program
from isamap_smt.ir.program_at import instances
from isamap_smt.ir.used import uses
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_memory import entry_bound
from isamap_smt.proof.program_sites import Sites, collect
from isamap_smt.proof.scalar import computed_arithmetic


def presupposed(program: Program) -> tuple[Hypothesis, ...]:
    """The hypotheses of prove_program() for this program, without a proof. Raises UnrecognisedError as collect() does."""
    sites, bound = collect(instances(program)[0]), entry_bound(program)
    return listed(sites, () if is_constant(bound) else (Fits(bound),))


def possible(book: Book) -> Verdict | None:
    """Some sizes meet the hypotheses and all relations assumed by the program: a contradiction would imply everything.

    Returns None if the program assumes none.
    """
    sites = book.sites
    stated = list(relations(sites.program.hypotheses, frozenset(sites.sizes)))
    if not stated:
        return None
    words = "some sizes meet all that the program assumes"
    known = [*sites.hypotheses, *(c.formula for c in stated)]
    verdict = implied(known, [_NEVER], sites.sizes, f"hypotheses: {words}")
    match verdict:
        case Refuted():  # these sizes, replayed in plain integers
            verdict = Proved(verdict.seconds)
        case Proved():
            texts = " and ".join(c.text for c in stated)
            verdict = Refuted({}, f"{words}: no sizes do; {texts}", verdict.seconds)
    return book.note("hypotheses", "", words, verdict)


def listed(sites: Sites, found: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """All of them, each once; `found`: the hypotheses of single claims."""
    mapped = [h for s in sites.program.schedules for h in s.proved.proof.hypotheses]
    if not sites.program.schedules:
        mapped = list(computed_arithmetic(sites.kernel)[1])
    stated = (Range(*r) for r in sites.kernel.ranges)  # each call looks, also where no claim needs it
    bools = (Range(n, 0, 1) for n in sites.program.bools)
    return tuple(dict.fromkeys((*_entry(sites), *found, *mapped, *sites.program.hypotheses, *stated, *bools)))


def _entry(sites: Sites) -> list[Hypothesis]:
    """Hypotheses common to all claims."""
    kernel = sites.kernel
    low = {p.name: p.low for p in kernel.parameters}
    sizes = [Relation(Condition(sym(name), ">=", sp.Integer(low.get(name, 1)))) for name in sites.sizes]
    ahead = (s.node for s in sites.sites if s.position[0] == 0)
    packed = {n.src.name for n in ahead if isinstance(n, Copy)}
    constant = [Unchanged(t) for t in sorted(packed) if t in {x.name for x in kernel.tensors}]
    # of integers, what needs them says so
    real = [Range(*r) for r in kernel.ranges if kernel.tensor(r[0]).dtype.is_float]
    return [*sizes, *map(Shape, kernel.tensors), *map(Apart, kernel.outputs), *constant, *uses(kernel), *real]


_NEVER = ("lt", sp.S.Zero, sp.S.Zero)

__all__ = ["listed", "possible", "presupposed"]
