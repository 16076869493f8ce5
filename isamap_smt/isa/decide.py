"""Do the cells that the C leaves equal those that the text says? Proved, refuted by an input, or unknown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_equal import equal
from isamap_encodings.bit_terms import Term
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import DType
from isamap_smt.isa.carry_out import Outcome
from isamap_smt.isa.entry import Case
from isamap_smt.isa.evaluate import Array, as_number, evaluate
from isamap_smt.isa.reals import equal_over_reals
from isamap_smt.isa.samples import EXACT, every, samples


@dataclass(frozen=True)
class Decision:
    """verdict: proved, refuted or unknown. inputs: bits of each cell of a counterexample; of which cell, `at`.

    no_c: no compiler takes it.
    """

    verdict: str
    reason: str = ""
    inputs: dict[str, int] | None = None
    at: tuple[str, int] = ("", 0)
    no_c: bool = False


@dataclass(frozen=True)
class _Pair:
    operand: str
    index: int
    dtype: DType
    said: Term
    done: Term
    either_zero: bool


EXACTLY = "bit for bit"
REALS = "over the reals; the text does not say whether a product and its sum are rounded once, or in which order sums are taken"


def decide(case: Case, outcome: Outcome) -> Decision:
    """Compare every cell. Promises first: what is undefined needs no comparison."""
    for holds, otherwise in outcome.promises:
        found = _promise(case, holds, otherwise)
        if found is not None:
            return found
    words, known = set(), dict[tuple[object, ...], bool]()
    for pair in _pairs(case, outcome):
        found = _compare(case, pair, known)
        if found.verdict != "proved":
            return found
        words.add(found.reason)
    return Decision("proved", REALS if REALS in words else EXACTLY)


def _pairs(case: Case, outcome: Outcome) -> list[_Pair]:
    """Cells whose terms are not one and the same; a change that stands in the text for no cell of the C is one, too."""
    found = []
    for o in case.operands:
        if o.name not in outcome.after:
            continue
        for k, (said, done) in enumerate(zip(case.after[o.name], outcome.after[o.name], strict=True)):
            if said is not done:
                found.append(_Pair(o.name, k, o.dtype, said, done, case.either_zero))
    return found


def _inputs(case: Case, *terms: Term) -> tuple[dict[str, Array], bool]:
    """Rows of bits for the cells that the terms read; whether these are all inputs there are."""
    cells = bits.cells(*terms)
    whole = every(cells)
    if whole is not None:
        return whole, True
    floats = {name for o in case.operands if o.dtype.is_float for name in (t.args[0] for t in case.before[o.name])}
    return samples(cells, frozenset(n for n in cells if n in floats)), False


def _form(p: _Pair) -> tuple[object, ...]:
    """What two lanes have in common where one question is that of the other on other cells."""
    number: dict[Term, int] = {}
    lines: list[object] = [p.dtype]
    for t in bits.walk([p.said, p.done]):
        number[t] = len(number)
        args = ("cell",) if t.op == "cell" else tuple(number[a] if isinstance(a, Term) else (a,) for a in t.args)
        lines.append((t.op, t.width, args))
    return (*lines, number[p.said], number[p.done])


def _compare(case: Case, p: _Pair, known: dict[tuple[object, ...], bool]) -> Decision:
    """known: forms of pairs that Z3 was asked about, and whether it proved them bit for bit; added to here."""
    inputs, complete = _inputs(case, p.said, p.done)
    differ = _differ(p, inputs)
    exact = int(np.argmax(differ[:EXACT])) if differ[:EXACT].any() else None
    if exact is not None or (complete and differ.any()):
        return _refuted(p, inputs, int(np.argmax(differ)))
    if complete:
        return Decision("proved", EXACTLY)
    over_reals = p.dtype.is_float and not case.strict and equal_over_reals(p.said, p.done)
    if differ.any():
        return Decision("proved", REALS) if over_reals else _refuted(p, inputs, int(np.argmax(differ)))
    form = _form(p)
    if not known.get(form, True) and over_reals:
        return Decision("proved", REALS)
    answer = Proved() if known.get(form) else equal(p.said, p.done, p.dtype.is_float, p.either_zero)
    known[form] = isinstance(answer, Proved)
    if known[form]:
        return Decision("proved", EXACTLY)
    if isinstance(answer, Refuted):
        tried = {n: np.array([v], np.uint64) for n, v in answer.witness.items()}
        if _differ(p, tried)[0] and not over_reals:
            return _refuted(p, tried, 0)
    if over_reals:
        return Decision("proved", REALS)
    why = getattr(answer, "reason", "") or "Z3 knows an input that makes no difference when it is tried"
    return Decision(
        "unknown", f"no input tried tells {p.operand}[{p.index}] from the text's, and it is not proved: {why}"
    )


def _differ(p: _Pair, inputs: dict[str, Array]) -> Array:
    said, done = np.broadcast_arrays(*map(np.atleast_1d, evaluate([p.said, p.done], inputs)))
    rows = max((len(v) for v in inputs.values()), default=1)
    differ = np.broadcast_to(said != done, (rows,)).copy()
    if p.dtype.is_float:
        nan = _nan(said, p.dtype) & _nan(done, p.dtype)
        differ &= ~np.broadcast_to(nan, (rows,))
    if p.dtype.is_float and p.either_zero:
        zero = [(x & np.uint64((1 << (p.dtype.bits - 1)) - 1)) == 0 for x in (said, done)]
        differ &= ~np.broadcast_to(zero[0] & zero[1], (rows,))
    return differ


def _nan(x: Array, dtype: DType) -> Array:
    with np.errstate(invalid="ignore"):  # a NaN that signals, converted
        return np.isnan(as_number(x, dtype.bits))


def _refuted(p: _Pair, inputs: dict[str, Array], row: int) -> Decision:
    chosen = {n: int(v[row]) for n, v in inputs.items()}
    unset = sorted(n for n in chosen if n.startswith("undefined"))
    reason = f"{p.operand}[{p.index}] is another value than the text says"
    if unset:
        reason += f"; it depends on what is never set ({unset[0].removeprefix('undefined ').split(' #')[0]})"
    return Decision("refuted", reason, chosen, (p.operand, p.index))


def _promise(case: Case, holds: Term, otherwise: str) -> Decision | None:
    inputs, complete = _inputs(case, holds)
    failed = np.atleast_1d(evaluate([holds], inputs)[0]) == 0
    if failed.any():
        row = int(np.argmax(failed))
        return Decision("refuted", otherwise, {n: int(v[row]) for n, v in inputs.items()})
    if complete:
        return None
    answer = equal(holds, bits.TRUE, False)
    if isinstance(answer, Proved):
        return None
    if isinstance(answer, Refuted):
        tried = {n: np.array([v], np.uint64) for n, v in answer.witness.items()}
        if not int(np.atleast_1d(evaluate([holds], tried)[0])[0]):
            return Decision("refuted", otherwise, {n: int(v) for n, v in answer.witness.items()})
    return Decision("unknown", f"not decided whether {otherwise}")
