"""The verdict on a rewrite rule: proved by Z3 for all values, or refuted by values at which its sides differ in NumPy.

    verdict(rule, "f32")        Proved, Refuted with the input and both values, or Unknown
    verdict(rule, "reals")      for floating point that may be rounded otherwise

Numbers are tried first: Z3 is not asked about a rule they refute. A refutation by Z3 counts only if the numbers replay.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.rule_proofs import holds, keeps_error, keeps_range
from isamap_encodings.scalar_values import ARITHMETIC, COMPARE, kind_of
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import DTypeError, LanguageError, RuleError, did_you_mean
from isamap_smt.ir.evaluate import Evaluator
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    Scalar,
    Select,
    SMax,
    SMin,
    rewrite_reads,
)
from isamap_smt.ir.typed import type_of
from isamap_smt.language import kernel
from isamap_smt.language.values import heads_written

REALS, SATURATING, VALUES = "reals", "saturating", " values"
ARITHMETICS = (*DTYPES, *(f"{n}{VALUES}" for n, d in DTYPES.items() if d.is_float), SATURATING, REALS)
POOL = 500  # random values of a type
MOST, RANDOM, FEW = 3_000, 2_000, 300  # rows of odd numbers and of random ones; few where conditions are looked at
NUMBERS = (
    0.0,
    1.0,
    -1.0,
    -0.0,
    2.0,
    3.0,
    0.1,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e30,
    -7.5,
    3e-39,
    0.25,
    1e-30,
    5e307,
)
INTEGERS = (0, 1, -1, 2, 3, -2, 5, 64, 100, 127, -128, 255)


@dataclass(frozen=True)
class Sides:
    """Both sides as trees; names are elements without index."""

    left: Any
    right: Any

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in order."""
        found = [r.tensor for s in (self.left, self.right) for r in sp.preorder_traversal(s) if isinstance(r, Read)]
        return tuple(dict.fromkeys(found))


@lru_cache(maxsize=512)
def sides(rule: Rule) -> Sides:
    """The rule's two sides. Raises LanguageError if a text is no value, or a name on one side alone is no number."""
    left, right = (_tree(rule, text) for text in (rule.left, rule.right))
    both = [{r.tensor for r in sp.preorder_traversal(t) if isinstance(r, Read)} for t in (left, right)]
    loose = sorted((both[0] ^ both[1]) - set(rule.numbers))
    if loose:
        raise LanguageError(f"rule {rule.name!r}: {', '.join(loose)} stands on one side of `{rule}` alone")
    return Sides(left, right)


def _tree(rule: Rule, text: str) -> Any:
    try:
        return kernel(f"result[] = {_elements(text)}", name="rule").statements[0].value
    except LanguageError as e:
        raise LanguageError(f"rule {rule.name!r}: {text!r} is no value of the language\n{e}") from None


def _elements(text: str) -> str:
    """The text with elements without index for names."""
    return re.sub(r"\b([A-Za-z_]\w*)\b(?!\s*\()", r"\1[]", text)


@lru_cache(maxsize=1024)
def heads_of(text: str) -> frozenset[str]:
    """Names of heads that surely stand in a side of a rule, which is not read for it."""
    return heads_written(_elements(text))


def element_types(rule: Rule, arithmetic: str) -> tuple[dict[str, DType], DType] | None:
    """Name -> type, and the type of both sides; None if the rule says nothing in this arithmetic."""
    s = sides(rule)
    own = {n: DTYPES[d] for n, d in rule.types}
    base = arithmetic.removesuffix(VALUES)
    whole = arithmetic in (SATURATING, REALS)
    plain = DTYPES["i32" if arithmetic == SATURATING else "f32" if arithmetic == REALS else base]
    types = {n: own.get(n, plain) for n in s.names}
    try:
        found = {d for side in (s.left, s.right) if (d := type_of(side, types)) is not None}
    except DTypeError:
        return None
    if len(found) != 1 or (own and (whole or found != {plain})) or not _whole_numbers(s, plain):
        return None
    if arithmetic == SATURATING and any(getattr(p, "floating", False) or isinstance(p, Select) for p in _parts(s)):
        return None
    return types, found.pop()


def _parts(s: Sides) -> Iterator[Any]:
    for side in (s.left, s.right):
        yield from sp.preorder_traversal(side)


def _whole_numbers(s: Sides, kind: DType) -> bool:
    """Whether every number in the text is one of the type."""
    return all(float(constant(p, kind)) == float(p) for p in _parts(s) if isinstance(p, sp.Integer | sp.Float))


def require(rule: Rule) -> None:
    """Raise RuleError if the rule does not hold in one of its arithmetics, with an input that shows it."""
    sides(rule)
    for arithmetic in rule.arithmetics:
        if arithmetic not in ARITHMETICS:
            raise RuleError(
                f"rule {rule.name!r}: there is no arithmetic {arithmetic!r}; {did_you_mean(arithmetic, ARITHMETICS)}"
            )
        found = verdict(rule, arithmetic)
        if isinstance(found, Proved):
            continue
        held = [a for a in ARITHMETICS if element_types(rule, a) and isinstance(verdict(rule, a), Proved)]
        refuted = isinstance(found, Refuted)
        text = found.text if isinstance(found, Refuted) else found.reason
        raise RuleError(
            f"rule {rule.name!r} {'does not hold' if refuted else 'is not proved'} in {arithmetic}: {rule}\n  {text}\n"
            f"  it is proved in: {', '.join(held) or 'no arithmetic'}; name some of these, or none to use it wherever it holds"
        )


@lru_cache(maxsize=4096)
def refutation(rule: Rule, arithmetic: str) -> Refuted | None:
    """Values at which the sides differ, found by trying."""
    known = element_types(rule, arithmetic)
    assert known is not None
    types, out = known
    s = sides(rule)
    if arithmetic in (REALS, SATURATING):
        return next(filter(None, (_differ_exactly(s, at) for at in _exact_samples(rule, s))), None)
    columns = _samples(rule, s.names, types)
    wanted, got = (_possible(side, s.names, columns, types, out) for side in (s.left, s.right))
    bad = _apart(wanted, got, out, signs=VALUES not in arithmetic)
    if not bad.any():
        return None
    k = int(np.argmax(bad))
    witness = {n: shown(c[k]) for n, c in zip(s.names, columns, strict=True)}
    return _refuted(witness, _either(wanted, k), _either(got, k))


def _refuted(witness: dict[str, Any], left: str, right: str) -> Refuted:
    at = ", ".join(f"{n} = {v}" for n, v in witness.items())
    return Refuted(
        witness | {"left": left, "right": right}, f"at {at}: the left side is {left}, the right side {right}"
    )


def verdict(rule: Rule, arithmetic: str) -> Verdict:
    """Whether both sides are equal for all values of the names under the conditions. Raises LanguageError, KeyError."""
    known = element_types(rule, arithmetic)
    if known is None:
        return Unknown(f"the rule says nothing in {arithmetic}")
    found = refutation(rule, arithmetic)
    if found is not None:
        return found
    types, out = known
    s = sides(rule)
    left, right = (rewrite_reads(side, lambda r: sp.Symbol(r.tensor)) for side in (s.left, s.right))
    kinds = tuple((n, _kind(d)) for n, d in sorted(types.items()))
    how = {REALS: "reals", SATURATING: "exact"}.get(arithmetic, "values" if VALUES in arithmetic else "machine")
    answer = holds(left, right, kinds, _kind(out), how, rule.given)
    return _replayed(rule, answer, arithmetic) if isinstance(answer, Refuted) else answer


def keeps_error_of(rule: Rule, turned: bool) -> Verdict:
    """Whether the rule's new side (the left one if turned) errs little more than the side it replaces."""
    s = sides(rule)
    left, right = (rewrite_reads(side, lambda r: sp.Symbol(r.tensor)) for side in (s.left, s.right))
    return keeps_error(right, left, rule.given) if turned else keeps_error(left, right, rule.given)


def keeps_range_of(rule: Rule, turned: bool) -> Verdict:
    """Whether the rule's new side (the left one if turned) stays within a type's range if the replaced side does."""
    s = sides(rule)
    left, right = (rewrite_reads(side, lambda r: sp.Symbol(r.tensor)) for side in (s.left, s.right))
    return keeps_range(right, left, rule.given) if turned else keeps_range(left, right, rule.given)


def _replayed(rule: Rule, answer: Refuted, arithmetic: str) -> Verdict:
    """Z3's values, computed in NumPy or in fractions."""
    s = sides(rule)
    known = element_types(rule, arithmetic)
    assert known is not None
    types, out = known
    try:
        if arithmetic in (REALS, SATURATING):
            found = _differ_exactly(s, {n: Fraction(str(answer.witness.get(n, 0))) for n in s.names})
            return found or Unknown("what Z3 shows does not replay")
        columns = [np.array([answer.witness.get(n, 0)]).astype(types[n].numpy) for n in s.names]
    except ValueError:
        return Unknown("what Z3 shows is no number")
    wanted, got = (_possible(side, s.names, columns, types, out) for side in (s.left, s.right))
    if not _apart(wanted, got, out, signs=VALUES not in arithmetic).any():
        return Unknown("what Z3 shows does not replay")
    witness = {n: shown(c[0]) for n, c in zip(s.names, columns, strict=True)}
    return _refuted(witness, _either(wanted, 0), _either(got, 0))


def _kind(d: DType) -> tuple[str, int]:
    return kind_of(d.name)


# ---- conditions on numbers


def met(rule: Rule, values: Mapping[str, Fraction], kind: DType | None) -> bool:
    """Whether these numbers meet the rule's conditions; kind: their type, None over the reals and exact integers."""
    return all(_met(c, [values[n] for n in c[1:]], kind) for c in rule.given)


def _met(c: tuple[str, ...], v: list[Fraction], kind: DType | None) -> bool:
    match c[0]:
        case "number":
            return True
        case "not zero":
            return v[0] != 0
        case "power of two":
            if not _power(v[0]):
                return False
            if kind is None or not kind.is_float:
                return v[0] > 0
            tiny = Fraction(float(np.finfo(np.float32 if kind.name == "bf16" else kind.numpy).smallest_normal))
            return tiny * 2 <= abs(v[0]) <= 1 / tiny / 2
        case "twice":
            return v[0] == 2 * v[1]
        case "minus":
            return v[0] == -v[1]
        case "at most":
            return v[0] <= v[1]
        case "less":
            return v[0] < v[1]
    raise KeyError(c[0])


def _power(x: Fraction) -> bool:
    one, other = abs(x.numerator), x.denominator
    return one != 0 and one & (one - 1) == 0 and other & (other - 1) == 0


# ---- trying numbers


def _samples(rule: Rule, names: tuple[str, ...], types: dict[str, DType]) -> list[np.ndarray]:
    """One array per name: combinations of odd numbers, then random ones; only such as meet the conditions."""
    odd: list[Sequence[Any]] = [_odd(types[n]) for n in names]
    while np.prod([len(o) for o in odd], dtype=float) > (FEW if rule.given else MOST):
        odd = [o[: max(3, len(o) - 1)] for o in odd]
    rows = list(itertools.product(*odd))
    if not rule.given:
        rng = np.random.default_rng(0)
        more = [(_odd(types[n]), _pool(types[n])) for n in names]
        picked = [[np.array(p, dtype=object)[rng.integers(0, len(p), RANDOM)] for p in both] for both in more]
        columns = [
            np.concatenate([np.array([r[k] for r in rows], dtype=object), *picked[k]]) for k in range(len(names))
        ]
    else:
        rows = [
            r
            for r in [*rows, *_met_rows(rule, names, types)]
            if _row_met(rule, dict(zip(names, r, strict=True)), types)
        ]
        columns = [np.array([r[k] for r in rows], dtype=object) for k in range(len(names))]
    with np.errstate(all="ignore"):
        return [c.astype(types[n].numpy) for c, n in zip(columns, names, strict=True)]


def _row_met(rule: Rule, at: dict[str, Any], types: dict[str, DType]) -> bool:
    numbers = {n: _as_number(at[n], types[n]) for n in rule.numbers}
    whole = {n: v for n, v in numbers.items() if v is not None}
    return len(whole) == len(numbers) and met(rule, whole, types[rule.numbers[0]])


def _met_rows(rule: Rule, names: tuple[str, ...], types: dict[str, DType]) -> list[tuple[Any, ...]]:
    """Rows whose numbers are made to meet the conditions."""
    rows, rng = [], random.Random(0)
    for _ in range(FEW):
        at = {n: rng.choice(_odd(types[n]) + _pool(types[n])[:8]) for n in names}
        for c in rule.given:
            if c[0] == "power of two":
                at[c[1]] = (
                    2.0 ** rng.randint(-10, 10) if types[c[1]].is_float else 1 << rng.randint(0, types[c[1]].bits - 2)
                )
            if c[0] in ("twice", "minus"):
                at[c[2]] = rng.choice([1, 2, 3, 5, 7]) * (rng.choice([1, -1]) if types[c[2]].low < 0 else 1)
                at[c[1]] = at[c[2]] * (2 if c[0] == "twice" else -1)
        rows.append(tuple(at[n] for n in names))
    return rows


@lru_cache(maxsize=4096)
def _as_number(value: Any, kind: DType) -> Fraction | None:
    with np.errstate(all="ignore"):
        x = np.array(value).astype(kind.numpy)
    if kind.is_float:
        return Fraction(float(x)) if np.isfinite(float(x)) else None
    return Fraction(int(x))


@lru_cache(maxsize=32)
def _odd(kind: DType) -> tuple[Any, ...]:
    if kind.is_float:
        return NUMBERS
    ends = (kind.high, kind.low, kind.high - 1, kind.low + 1)
    return tuple(v for v in dict.fromkeys((*INTEGERS, *ends)) if kind.low <= v <= kind.high)


@lru_cache(maxsize=32)
def _pool(kind: DType) -> tuple[Any, ...]:
    """Random values: of floating point of sizes around 1, of integers of every length."""
    rng = random.Random(0)
    if kind.is_float:
        return tuple(rng.choice((1.0, -1.0)) * 2.0 ** rng.uniform(-12, 12) for _ in range(POOL))
    drawn = (rng.choice((1, -1)) * rng.getrandbits(rng.randint(1, kind.bits)) for _ in range(POOL))
    return tuple(min(max(v, kind.low), kind.high) for v in drawn)


def _possible(
    tree: Any, names: tuple[str, ...], columns: list[np.ndarray], types: dict[str, DType], out: DType
) -> list[np.ndarray]:
    """The tree's possible values at each row: one array for each choice of the zeros of maxima and minima."""
    count = len(columns[0]) if columns else 1
    held = Kernel("samples", tuple(Tensor(n, types[n], (count,)) for n in names), ())
    at = Evaluator(held, dict(zip(names, columns, strict=True)))
    env = {"i": np.arange(count), "#": np.arange(count)}
    indexed = rewrite_reads(tree, lambda r: Read(r.args[0], sym("i")))
    open_ones = sum(isinstance(p, SMax | SMin | Relu) for p in sp.preorder_traversal(tree)) if out.is_float else 0
    with np.errstate(all="ignore"):
        ways = itertools.product((True, False), repeat=open_ones)
        return [np.asarray(at.value(_decided(indexed, iter(w)), env, out)) for w in ways]


def _decided(tree: Any, choices: Iterator[bool]) -> Any:
    """The tree with its maxima and minima by comparisons, of two zeros the first or the second."""
    if not isinstance(tree, Scalar) or isinstance(tree, Read):
        return tree
    args = [_decided(a, choices) for a in tree.args]
    if not isinstance(tree, SMax | SMin | Relu) or (first := next(choices, None)) is None:
        return tree.func(*args)
    a, b = (*args, sp.Integer(0)) if isinstance(tree, Relu) else args
    low, high = (a, b) if not isinstance(tree, SMin) else (b, a)
    less, equal = sp.Symbol("<"), sp.Symbol("==")
    rest = Select(Compare(equal, a, b), a if first else b, SAdd(a, b))  # the sum of a NaN and anything is one
    return Select(Compare(less, low, high), b, Select(Compare(less, high, low), a, rest))


def _apart(wanted: list[np.ndarray], got: list[np.ndarray], out: DType, signs: bool) -> np.ndarray:
    """The rows at which one side has a possible value that the other lacks."""
    left, right = ([_words(v, out, signs) for v in side] for side in (wanted, got))

    def missing(a: list[np.ndarray], b: list[np.ndarray]) -> np.ndarray:
        found = np.zeros(a[0].shape, bool)
        for x in a:
            found |= ~np.logical_or.reduce([x == y for y in b])
        return found

    return missing(left, right) | missing(right, left)


def _words(x: np.ndarray, out: DType, signs: bool) -> np.ndarray:
    """The bits, one NaN for all."""
    if out.is_float:
        wide = x.astype(np.float64)
        x = np.where(
            np.isnan(wide), np.array(np.nan, x.dtype), x if signs else np.where(wide == 0, np.zeros_like(x), x)
        )
        x = x.astype(out.numpy)
    return np.ascontiguousarray(x).view(np.dtype(f"u{out.bytes}"))


def _either(values: list[np.ndarray], k: int) -> str:
    return " or ".join(dict.fromkeys(str(shown(v[k])) for v in values))


def shown(x: Any) -> float | int | str:
    """A number, or the name of an infinity or NaN."""
    if np.asarray(x).dtype.kind in "iu":
        return int(x)
    return float(x) if np.isfinite(float(x)) else str(float(x))


# ---- exact numbers


def _exact_samples(rule: Rule, s: Sides) -> Iterator[dict[str, Fraction]]:
    few = [Fraction(v) for v in (0, 1, -1, 2, 3, -4, 5)]
    for row in itertools.islice(itertools.product(few, repeat=len(s.names)), FEW):
        at = dict(zip(s.names, row, strict=True))
        if met(rule, at, None):
            yield at


def _differ_exactly(s: Sides, at: dict[str, Fraction]) -> Refuted | None:
    try:
        left, right = _exactly(s.left, at), _exactly(s.right, at)
    except (KeyError, ZeroDivisionError):
        return None
    return None if left == right else _refuted({n: str(v) for n, v in at.items()}, str(left), str(right))


def _exactly(e: Any, at: dict[str, Fraction]) -> Fraction:
    if isinstance(e, Read):
        return at[e.tensor]
    if e.is_Number:
        return Fraction(str(e))
    if isinstance(e, Select):
        op, x, y = e.args[0].args
        return _exactly(e.args[1] if COMPARE[str(op)](_exactly(x, at), _exactly(y, at)) else e.args[2], at)
    if isinstance(e, Cast | Saturate | Round):
        raise KeyError(type(e).__name__)
    args = [_exactly(a, at) for a in e.args]
    name = type(e).__name__
    return Fraction(args[0] / args[1] if name == "SDiv" else ARITHMETIC[name](*args))


__all__ = [
    "ARITHMETICS",
    "REALS",
    "SATURATING",
    "VALUES",
    "Sides",
    "element_types",
    "keeps_error_of",
    "met",
    "require",
    "shown",
    "sides",
    "verdict",
]
