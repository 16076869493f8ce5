"""Proves a lowered program: every statement type-checks, every output receives every point of its domain once.

The program is walked as it stands. Nothing in it is trusted, neither its types nor the hints on its loops: types are
claims, met by every writer and used by every reader. A structure outside the claims is Unknown, or Refuted if a run on
small sizes shows it wrong.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, value
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.errors import NotProvedError, SizeError
from isamap_smt.ir.expr import words
from isamap_smt.ir.hypotheses import Hypothesis
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.program import Program, ProvedProgram, seal_program
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.ir.scalar import bound_axes
from isamap_smt.proof.program_accesses import accesses
from isamap_smt.proof.program_accumulators import accumulators
from isamap_smt.proof.program_assumptions import listed, possible
from isamap_smt.proof.program_begun import begun_claims, filled_claims
from isamap_smt.proof.program_book import Book, StopHere, Watch
from isamap_smt.proof.program_compute import compute_claims
from isamap_smt.proof.program_dependences import dependence_claims, order_claims, parallel_claims
from isamap_smt.proof.program_form import WORDS, at_each_phase, at_each_value, foreign, misplaced, misshapen
from isamap_smt.proof.program_forms import form_claims
from isamap_smt.proof.program_link import link_claims
from isamap_smt.proof.program_memory import memory_claims
from isamap_smt.proof.program_moves import move_claims, read_claims
from isamap_smt.proof.program_preconditions import needed
from isamap_smt.proof.program_scope import scope_claims
from isamap_smt.proof.program_sites import Formula, UnrecognisedError, collect, span
from isamap_smt.proof.program_start import start_claims
from isamap_smt.proof.program_states import state_claims
from isamap_smt.proof.program_trial import search, trials
from isamap_smt.proof.scalar import computed_arithmetic
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.prove import goes_wrong, makes_no_sense, use_claims
from isamap_smt.proof.uses.text import in_order

# ---- Whether the kernel itself, and no program for it, reaches out of a tensor: asked where a program is refuted, for
# better words.


def reaches_out(kernel: Kernel, given: Sequence[Formula]) -> str | None:
    """An element of a statement outside its tensor, in words, with sizes and axes; None if none is found.

    given: facts about sizes.
    """
    sizes = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)})
    for s in kernel.statements:
        axes = (*s.axes, *(Axis(n, sp.Integer(count)) for n, count in bound_axes(s.value).items()))
        known = [*given, *(f for a in axes for f in span(a.symbol, a.extent)), *s.guard]
        for access in (s.target, *s.inputs):
            for n, (index, extent) in enumerate(zip(access.index, kernel.tensor(access.tensor).shape, strict=True)):
                if not _followed(index, axes, sizes):
                    continue
                verdict = implied(known, span(index, extent), sizes, f"reach {access.tensor}")
                if isinstance(verdict, Refuted):
                    return _told(s, access, n, sp.sympify(extent), verdict.witness)
    return None


def _followed(index: Any, axes: Sequence[Axis], sizes: Sequence[str]) -> bool:
    return {x.name for x in sp.sympify(index).free_symbols} <= {*sizes, *(a.name for a in axes)}


def _told(s: Statement, access: Access, n: int, extent: Any, witness: Mapping[str, Any]) -> str:
    index = words(access.index[n])
    at = " ".join(f"{name}={v}" for name, v in sorted(witness.items()))
    return (
        f"{s.place or 'a statement'}: {access.tensor} has no element where index {index} of dimension {n} is "
        f"{value(sp.sympify(access.index[n]), witness)}, outside [0, {value(extent, witness)}): at {at};\n"
        f"  correct the shape of {access.tensor}, say how long an axis is (`axis i < 2*N`), fix the sizes, or add a guard such as "
        f"`where 0 <= {index} < {words(extent)}`"
    )


_NAMES = "every name means one thing"
TRIALS = 8  # runs at small sizes where a claim is Unknown


def prove_program(program: Program, stop: bool = False, watch: Watch | None = None) -> Proof:
    """One verdict per obligation, for all free sizes at once; the entry check tests the proof's `hypotheses`.

    stop: end at the first obligation not proved. watch: receives each obligation as soon as it is decided.
    """
    require_kind("prove_program", program, Program, "what isamap_smt.lower() returns")
    if wrong := misshapen(program):
        return Proof((ClaimResult("hypotheses", "", Unknown(wrong), "every part has the form that it needs"),), "")
    if wrong := foreign(program):
        claim = ClaimResult("program", program.kernel.name, Refuted({}, f"{WORDS}: {wrong}"), WORDS)
        proof = Proof((), "") if stop else _proved(program, stop, watch)[0]
        return replace(proof, claims=(claim, *proof.claims))
    return _proved(program, stop, watch)[0]


def _proved(program: Program, stop: bool = False, watch: Watch | None = None) -> tuple[Proof, tuple[Hypothesis, ...]]:
    """The proof, and the entry conditions that would mend failing preconditions."""
    if program.parameters and not program.machine:
        if wrong := misplaced(program):
            return Proof((ClaimResult("hypotheses", "", Unknown(wrong), _NAMES),), ""), ()
        return at_each_value(program, lambda p: _proved(p, stop, watch), stop)
    if program.machine:
        apart = at_each_phase(program, lambda p, before: _proved_alone(p, stop, watch, before), stop)
        if apart is not None:
            return apart
    return _proved_alone(program, stop, watch)


def _proved_alone(
    program: Program, stop: bool = False, watch: Watch | None = None, computed: frozenset[str] = frozenset()
) -> tuple[Proof, tuple[Hypothesis, ...]]:
    """The same of a program of one phase, at one value of each parameter. computed: inputs of earlier phases."""
    started = time.perf_counter()
    proofs = [s.proved.proof for s in program.schedules]
    arithmetic = "; ".join(dict.fromkeys(p.arithmetic for p in proofs))
    if program.machine:
        arithmetic = "reassociate"
    elif not proofs:
        arithmetic, _ = computed_arithmetic(program.kernel)
    try:
        sites = collect(in_order(program) if program.machine else program)
    except UnrecognisedError as e:
        seen = makes_no_sense(program) if program.machine else None
        results = [ClaimResult("hypotheses", "", seen or Unknown(str(e)), _NAMES)]
        return Proof((*results, *_tried(program, results)), arithmetic, (), time.perf_counter() - started), ()
    book = (
        UseBook(sites, partial(goes_wrong, program), stop, watch, computed)
        if program.machine
        else Book(sites, stop, watch)
    )
    with suppress(StopHere):
        _claims(book)
    results = [*book.results, *_tried(program, book.results)]
    made = Proof(tuple(results), arithmetic, listed(book.sites, book.hypotheses), time.perf_counter() - started)
    return made, tuple(book.wanted)


def guarded(program: Program) -> Program:
    """The program with the missing conditions on sizes and addresses for its instructions' preconditions.

    Each is the weakest of its form, and every call of the compiled kernel checks it. The result is not proved yet.
    """
    proof, wanted = _proved(program)
    failed = {c.claim for c in proof.failed()}
    if not wanted or failed != {"precondition"}:
        return program
    return replace(program, hypotheses=tuple(dict.fromkeys((*program.hypotheses, *needed(wanted)))))


def require_proof(program: Program, watch: Watch | None = None) -> ProvedProgram:
    """The program with its complete proof. Raises NotProvedError naming the failures; then no code may be made of it.

    If only preconditions of instructions fail, the program is proved with the entry conditions they need. watch:
    receives each obligation as soon as it is decided, those of the first attempt, too.
    """
    proof = prove_program(program, watch=watch)
    if not proof.proved and {c.claim for c in proof.failed()} == {"precondition"}:
        program = guarded(program)
        proof = prove_program(program, watch=watch)
    if not proof.proved:
        failed = tuple(f"{c}: {_why(c)}" for c in proof.failed()[:5])
        name = program.kernel.name
        if program.machine:
            told = f"the program for {name} on {program.machine.name} is {proof.word}, so nothing runs it"
        elif any(isinstance(c.verdict, Refuted) for c in proof.failed()):
            _require_inside(program, proof)
            told = (
                f"the program for {name} is wrong, so no code is made from it. If isamap made it, this is a fault of "
                "isamap: please report it with these lines"
            )
        else:
            told = f"the program for {name} is not proved, so no code is made from it; nothing shows that it is wrong"
        error = NotProvedError("\n  ".join((told, *failed)))
        error.unproved = failed
        error.refuted = frozenset(c.claim for c in proof.failed() if isinstance(c.verdict, Refuted))
        raise error
    return seal_program(program, proof)


def _require_inside(program: Program, proof: Proof) -> None:
    """Raises SizeError if the kernel itself reaches out of a tensor."""
    if any(c.claim == "bounds" and isinstance(c.verdict, Refuted) for c in proof.failed()):
        outside = reaches_out(program.kernel, collect(program).hypotheses)
        if outside is not None:
            raise SizeError(outside)


def _why(c: ClaimResult) -> str:
    """The obligation in words: with its counterexample, if it has one of its own, or the reason why it is undecided."""
    match c.verdict:
        case Refuted(text=text) if text:
            return text
        case Unknown(reason=reason) if reason and c.statement not in reason:
            return f"{c.statement}: {reason}"
        case Unknown(reason=reason) if reason:
            return reason
    return c.statement


def _claims(book: Book) -> None:
    """All claims, those about the program's shape and single statements first; none if the hypotheses admit no call."""
    if not isinstance(possible(book), Proved | None):
        return
    machine = book.sites.program.machine
    if machine is not None and isinstance(book, UseBook):
        use_claims(book, machine)
        filled_claims(book)
        return
    transfers = move_claims(book)
    touched = accesses(book, transfers)
    held = accumulators(book.sites, touched)
    scopes = scope_claims(book, touched, held)
    begun_claims(book)
    start_claims(book, transfers, touched, held, scopes)
    read_claims(book, transfers, touched)
    compute_claims(book)
    link_claims(book)
    order_claims(book)
    dependence_claims(book, touched, held, scopes)
    parallel_claims(book, touched)
    memory_claims(book)
    state_claims(book)
    form_claims(book, touched)


def _tried(program: Program, results: list[ClaimResult]) -> list[ClaimResult]:
    """If something is Unknown and nothing is Refuted: the refutation by a run at small sizes, if one goes wrong."""
    # What an instruction asks of addresses is no part of its meaning, so no run can show that it is not met.
    open_ones = [r for r in results if isinstance(r.verdict, Unknown) and r.claim != "precondition"]
    if program.machine or not open_ones or any(isinstance(r.verdict, Refuted) for r in results):
        return []
    found = trials(program, TRIALS) or search(program)
    if found is None:
        return []
    words = "the program computes what its kernel says"
    return [ClaimResult(open_ones[0].claim, open_ones[0].subject, Refuted(found.sizes, found.text), words)]
