"""Do the cells that the C leaves equal those that the text says? Proved, refuted by an input, or unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_equal import equal
from isamap_encodings.bit_terms import Term
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import DType
from isamap_smt.isa.carry_out import Outcome
from isamap_smt.isa.entry import Case
from isamap_smt.isa.evaluate import FLOATS, Array, as_bits, as_number, evaluate

# ---- Inputs that are tried: for each cell a row of bits. Simple ones come first, for counterexamples that one can
# follow.


EXACT = 400  # rows on which sums and products of numbers are exact, infinities and NaN among them
ROUNDED = 800  # rows of any numbers
SMALL = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 5.0, -7.0, 4.0)
ODD = (np.inf, -np.inf, np.nan)
EXHAUSTIVE = 16  # bits of all cells together up to which every input is tried


def samples(cells: Mapping[str, int], floats: frozenset[str]) -> dict[str, Array]:
    """Cell -> its bits in each row. floats: the cells that hold numbers of IEEE 754."""
    random = np.random.default_rng(0)
    return {
        name: _numbers(n, width, random) if name in floats else _integers(n, width, random)
        for n, (name, width) in enumerate(cells.items())
    }


def every(cells: Mapping[str, int]) -> dict[str, Array] | None:
    """All inputs there are; None where they are too many."""
    total = sum(cells.values())
    if total > EXHAUSTIVE:
        return None
    rows, at, found = np.arange(1 << total, dtype=np.uint64), 0, {}
    for name, width in cells.items():
        found[name] = rows >> np.uint64(at) & np.uint64((1 << width) - 1)
        at += width
    return found


def _numbers(n: int, width: int, random: np.random.Generator) -> Array:
    kind = FLOATS[width]
    first = np.array([float(n % 13 + 1)])
    plain = random.choice(SMALL, EXACT // 4)
    mixed = random.choice((*SMALL, *ODD), EXACT // 2, p=[0.085] * len(SMALL) + [0.05] * len(ODD))
    zeros = random.choice(SMALL[:2], EXACT - 1 - len(plain) - len(mixed))
    with np.errstate(all="ignore"):
        exact = np.concatenate([first, plain, zeros, mixed]).astype(kind)
        spread = (random.standard_normal(ROUNDED // 2) * np.exp2(random.uniform(-12, 12, ROUNDED // 2))).astype(kind)
    words = random.integers(0, 1 << min(width, 62), ROUNDED - ROUNDED // 2, dtype=np.uint64)
    if width == 64:
        words = words | random.integers(0, 4, len(words), dtype=np.uint64) << np.uint64(62)
    return np.concatenate([as_bits(exact), as_bits(spread), words])


def _integers(n: int, width: int, random: np.random.Generator) -> Array:
    top = (1 << width) - 1
    few = np.array([0, 1, 2, 3, top, top >> 1, (top >> 1) + 1, top - 1], np.uint64) & np.uint64(top)
    first = np.array([n % 13 + 1], np.uint64) & np.uint64(top)
    small = random.integers(0, min(top, 15) + 1, EXACT // 4, dtype=np.uint64)
    ends = random.choice(few, EXACT - 1 - len(small))
    words = random.integers(0, top, ROUNDED, dtype=np.uint64, endpoint=True)
    return np.concatenate([first, small, ends, words])


# ---- Are two terms the same over the reals? Then only rounding tells them apart: products fused into sums, sums in
# another order.


Form = dict[tuple[int, ...], Fraction]  # product of atoms (their numbers, sorted) -> how often it is added
MOST = 500  # products in one form


def equal_over_reals(a: Term, b: Term) -> bool:
    """Whether both are the same polynomial in what no rule below takes apart. False says nothing."""
    if a.op == b.op == "ite" and a.args[0] is b.args[0]:
        return all(equal_over_reals(x, y) for x, y in zip(a.args[1:], b.args[1:], strict=True))
    known: dict[Term, Form | None] = {}
    x, y = _polynomial(a, known), _polynomial(b, known)
    return x is not None and x == y


def _polynomial(t: Term, known: dict[Term, Form | None]) -> Form | None:
    if t not in known:
        known[t] = _made(t, known)
    return known[t]


def _made(t: Term, known: dict[Term, Form | None]) -> Form | None:
    if t.op == "const":
        x = float(as_number(np.array([t.args[0]], np.uint64), t.width)[0]) if t.width in (16, 32, 64) else float("nan")
        return ({} if x == 0 else {(): Fraction(x)}) if np.isfinite(x) else {(t.number,): Fraction(1)}
    if t.op == "ff" and t.width > t.args[0].width:
        return _polynomial(t.args[0], known)
    if t.op == "fneg" or (t.op == "xor" and _flips(t)):
        inner = t.args[0] if t.op == "fneg" else next(a for a in t.args if a.op != "const")
        return _scaled(_polynomial(inner, known), -1)
    if t.op not in ("fadd", "fsub", "fmul", "fma"):
        return {(t.number,): Fraction(1)}
    parts = [_polynomial(a, known) for a in t.args]
    match t.op:
        case "fadd":
            return _sum(parts[0], parts[1])
        case "fsub":
            return _sum(parts[0], _scaled(parts[1], -1))
        case "fmul":
            return _product(parts[0], parts[1])
    return _sum(_product(parts[0], parts[1]), parts[2])


def _flips(t: Term) -> bool:
    return any(a.value == 1 << (t.width - 1) for a in t.args) and t.width in (16, 32, 64)


def _scaled(x: Form | None, by: int) -> Form | None:
    return None if x is None else {k: by * v for k, v in x.items()}


def _sum(x: Form | None, y: Form | None) -> Form | None:
    if x is None or y is None:
        return None
    found = dict(x)
    for k, v in y.items():
        found[k] = found.get(k, Fraction(0)) + v
    return {k: v for k, v in found.items() if v}


def _product(x: Form | None, y: Form | None) -> Form | None:
    if x is None or y is None or len(x) * len(y) > MOST:
        return None
    found: Form = {}
    for k, v in x.items():
        for other, w in y.items():
            key = tuple(sorted(k + other))
            found[key] = found.get(key, Fraction(0)) + v * w
    return {k: v for k, v in found.items() if v}


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
