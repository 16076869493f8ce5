"""One question to Z3: do the assumptions imply the claim? The limit counts solver steps, not seconds.

A counted limit (Z3's rlimit) and fixed seeds make the answer the same on a loaded machine. Two engines are tried: the
direct one first, for a while, then the one with preprocessing. The second inspects a formula and picks tactics for it;
if integers are multiplied, it tries short bit-vectors before anything else. So it finds models missed by the direct
engine, but takes five times as long for contradictions, of which proofs consist (508 questions of one GRU: 7.3 s and
1.5 s).

The steps of a question depend on the terms already in its context: they are numbered, and numbers order searches. So
a question not answered at once is asked again in a context of its own: its answer does not depend on earlier
questions of this process. (A context takes 2 ms; most questions take less.)
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import z3

from isamap_encodings import deadline, stopping
from isamap_encodings.linear import follows
from isamap_encodings.smtlib import Texts, script
from isamap_encodings.terms import ELEMENT, NotExpressible, element_name, translate
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict

SEED = 0
AT_ONCE = 20_000  # steps of the direct engine among the terms of others
DIRECT = 300_000  # steps of the direct engine; six times what the longest question of the library takes


def answered(assertions: Sequence[Any], rlimit: int, context: Any = None) -> tuple[Any, Any]:
    """(sat, unsat or unknown, the solver with this answer). rlimit: the most steps of the engine tried last.

    context: one with the assertions and nothing else; without, they stand in the shared one.
    """
    deadline.check()
    if context is None:
        solver = z3.SimpleSolver()
        answer = _answer(solver, assertions, min(rlimit, AT_ONCE))
        if answer != z3.unknown:
            return answer, solver
        context = z3.Context()
        assertions = [a.translate(context) for a in assertions]
    solver = z3.SimpleSolver(ctx=context)
    answer = _answer(solver, assertions, min(rlimit, DIRECT))
    if answer == z3.unknown:
        solver = z3.Solver(ctx=context)
        answer = _answer(solver, assertions, rlimit)
    return answer, solver


def _answer(solver: Any, assertions: Sequence[Any], rlimit: int) -> Any:
    solver.set("random_seed", SEED, "rlimit", rlimit)
    for a in assertions:  # not solver.add(), which looks up the sort of each and compares it with Bool
        z3.Z3_solver_assert(solver.ctx.ref(), solver.solver, a.as_ast())
    return run(solver, rlimit <= DIRECT)


def run(solver: Any, brief: bool = False) -> Any:
    """Z3's answer to the solver's assertions. Raises KeyboardInterrupt at Ctrl-C and DeadlinePassed at the deadline.

    Z3 would take Ctrl-C for itself, answer `unknown`, and the caller would go on. A brief search is waited for
    without a deadline.
    """
    solver.set("ctrl_c", False)
    if brief and deadline.left() is None:
        return solver.check()
    answer, interrupted = stopping.apart(solver.check, lambda _: solver.interrupt())
    if interrupted:
        raise KeyboardInterrupt
    if answer == z3.unknown:
        deadline.check()
    return answer


RLIMIT = 4_000_000  # solver steps; about two seconds on the slowest claims seen


@dataclass(frozen=True)
class Query:
    """One question as it was asked: an SMT-LIB 2 script whose answer 'unsat' means proved."""

    name: str
    smtlib: str
    answer: str
    seconds: float = 0.0


class Answers(Protocol):
    """Z3's answers to whole texts, kept by whoever records: `unsat`, or `sat` if nobody asks for a model."""

    def known(self, text: str) -> tuple[str, float] | None:
        """(answer, seconds it took) of exactly this text, or None."""

    def note(self, text: str, answer: str, seconds: float) -> None:
        """Z3 has just answered this."""


@dataclass(frozen=True)
class _Recorder:
    queries: list[Query]
    answers: Answers | None


_MOST_TEXTS = 100_000  # written terms that are kept for the next recording
_recorders: list[_Recorder] = []
_texts = Texts()  # of formulas met while recording


@contextmanager
def recording(answers: Answers | None = None) -> Iterator[list[Query]]:
    """Collect the text of every query asked inside the block, in order. Queries answered by `answers` are not asked again."""
    recorder = _Recorder([], answers)
    _recorders.append(recorder)
    try:
        yield recorder.queries
    finally:
        _recorders.remove(recorder)
        if not _recorders and len(_texts.terms) > _MOST_TEXTS:
            _texts.clear()


def is_recording() -> bool:
    """Whether the text of every question is collected: then none may be left out because its answer is known."""
    return bool(_recorders)


def versions() -> dict[str, str]:
    """Name and version of the solver."""
    return {"z3": z3.get_version_string()}


def check(
    assumptions: Sequence[Any],
    claim: Any,
    name: str = "",
    products: Collection[str] | None = None,
    rlimit: int = RLIMIT,
    model: bool = True,
) -> Verdict:
    """Proved when the assumptions imply the claim; Refuted with a model; Unknown at the limit.

    model: whether anybody looks at the model; without, it is not read from the solver.

    With `products` (see terms.py) a model is of the abstraction, so the answer is Unknown instead of Refuted. Every
    divisor must be positive under the assumptions, otherwise the claim is not asked and the answer is Unknown. A
    question asked before in this process is not asked again (mappings of one kernel share most of theirs), nor is
    one answered by a sum of constraints (isamap_encodings.linear), unless its text is being recorded: then Z3
    answers all.
    """
    chosen = None if products is None else frozenset(products)
    if _recorders:
        return _check(tuple(assumptions), claim, name, chosen, rlimit, model)
    return _remembered(tuple(assumptions), claim, chosen, rlimit, model)


def _check(
    assumptions: tuple[Any, ...], claim: Any, name: str, chosen: frozenset[str] | None, rlimit: int, model: bool
) -> Verdict:
    started = time.perf_counter()
    try:
        given = [translate(a, chosen) for a in assumptions]
        wanted = translate(claim, chosen)
    except NotExpressible as e:
        return Unknown(f"not expressible: {e}", time.perf_counter() - started)
    known = [t.formula for t in given]
    # One entry per fresh variable, however many formulas speak of it.
    definitions = {d.ast.value: d for t in (*given, wanted) for d in t.definitions}
    divisors = {d.ast.value: d for t in (*given, wanted) for d in t.divisors}
    for divisor in divisors.values():
        # A divisor that may be 0 would make its defining constraints a contradiction, which proves anything.
        # The definitions themselves may not help to prove it.
        positive = ask(known, divisor, f"{name}: divisor", rlimit)
        if not isinstance(positive, Proved):
            return Unknown(f"a divisor is not known to be positive: {divisor}", time.perf_counter() - started)
    names = frozenset().union(wanted.names, *(t.names for t in given))
    verdict = ask([*known, *definitions.values()], wanted.formula, name, rlimit, model, names)
    if isinstance(verdict, Refuted) and chosen is not None:
        verdict = Unknown("only the linear part of the claim was asked, and it is not enough")
    return replace(verdict, seconds=time.perf_counter() - started)


@lru_cache(maxsize=20_000)
def _remembered(
    assumptions: tuple[Any, ...], claim: Any, chosen: frozenset[str] | None, rlimit: int, model: bool
) -> Verdict:
    deadline.check()
    started = time.perf_counter()
    if follows(assumptions, claim):
        return Proved(time.perf_counter() - started)
    return _check(assumptions, claim, "", chosen, rlimit, model)  # the name is for the record only


def ask(
    assumptions: Sequence[Any],
    claim: Any,
    name: str = "",
    rlimit: int = RLIMIT,
    model: bool = True,
    names: frozenset[str] | None = None,
) -> Verdict:
    """The same for Z3's own formulas; used inside this package. names: of variables with a value in the witness; None: of all."""
    if not _recorders:
        return _asked(assumptions, claim, rlimit, model, names)[0]
    text = script([*assumptions, z3.Not(claim)], _texts)
    answers = _recorders[-1].answers
    # A model is looked at where a claim is refuted, never where it is only asked whether assumptions can hold.
    enough = ("unsat", "sat") if z3.is_false(claim) else ("unsat",)
    found = None if answers is None else answers.known(text)
    if found is not None and found[0] in enough:
        verdict: Verdict = Proved(found[1]) if found[0] == "unsat" else Refuted({}, "", found[1])
    else:
        verdict, answer = _asked(assumptions, claim, rlimit, model, names)
        found = answer, verdict.seconds
        if answers is not None and answer in enough:
            answers.note(text, *found)
    for r in _recorders:
        r.queries.append(Query(name, text, *found))
    return verdict


def _asked(
    assumptions: Sequence[Any], claim: Any, rlimit: int, model: bool, names: frozenset[str] | None = None
) -> tuple[Verdict, str]:
    started = time.perf_counter()
    answer, solver = answered([*assumptions, z3.Not(claim)], rlimit)
    seconds = time.perf_counter() - started
    if answer == z3.unsat:
        return Proved(seconds), "unsat"
    if answer == z3.unknown:
        return Unknown(f"Z3 gave up {_why(solver, rlimit)}", seconds), "unknown"
    if not model:
        return Refuted({}, "", seconds), "sat"
    wanted = _constants([*assumptions, claim]) if names is None else names
    return Refuted(_values(solver.model(), wanted), "", seconds), "sat"


def _why(solver: Any, rlimit: int) -> str:
    reason = solver.reason_unknown()
    at_the_limit = reason in ("canceled", "max. resource limit exceeded")
    return f"after {rlimit} steps" if at_the_limit else f"within {rlimit} steps: {reason}"


def satisfiable(assumptions: Sequence[Any], name: str = "", rlimit: int = RLIMIT) -> Verdict:
    """Proved when some values satisfy every assumption; Refuted when none do."""
    verdict = check(assumptions, False, name, rlimit=rlimit, model=False)
    match verdict:
        case Proved():
            return Refuted({}, "no values satisfy the hypotheses", verdict.seconds)
        case Refuted():
            return Proved(verdict.seconds)
    return verdict


def _constants(formulas: Sequence[Any]) -> set[str]:
    """Names of the constants in these formulas. A model may hold others: names given elsewhere in this process to
    assertions in text read by Z3."""
    names: set[str] = set()
    seen: set[int] = set()
    left = [f for f in formulas if z3.is_expr(f)]
    while left:
        e = left.pop()
        if e.get_id() in seen:
            continue
        seen.add(e.get_id())
        children = e.children()
        if not children and z3.is_app(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            names.add(e.decl().name())
        left += children
    return names


def _values(model: Any, names: Set[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for d in sorted((d for d in model.decls() if d.name() in names), key=lambda d: str(d.name())):
        v = model[d]
        if z3.is_int_value(v) or z3.is_bv_value(v):
            values[d.name()] = v.as_long()
        elif z3.is_expr(v):
            values[d.name()] = str(v)
    for d in (d for d in model.decls() if d.arity() and d.name().startswith(ELEMENT)):
        values |= _table(d.name().removeprefix(ELEMENT), model[d])
    return values


def _table(name: str, found: Any) -> dict[str, int]:
    """The elements of a tensor in a model, and the one at all other places."""
    entries = [found.entry(n) for n in range(found.num_entries())]
    rows = [([e.arg_value(k) for k in range(e.num_args())], e.value()) for e in entries]
    known = [(at, v) for at, v in rows if all(map(z3.is_int_value, (*at, v)))]
    values = {element_name(name, [a.as_long() for a in at]): v.as_long() for at, v in known}
    other = found.else_value()
    return values | ({element_name(name, ["..."]): other.as_long()} if z3.is_int_value(other) else {})
