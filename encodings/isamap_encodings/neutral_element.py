"""What may fill padding, and what may be reordered: `acc op fill` is acc, `(a op b) op c` is `a op (b op c)`, bit for bit.

Asked of machine arithmetic itself: integers as bit-vectors, floating point in Z3's theory of it, rounding to nearest even.
One NaN there is equal to any other; +0 and -0 are not equal unless `signs` is False.

op is '+', '*', 'max', 'min', 'sat+' (the sum clamped to the type), 'x86max' and 'x86min' (a > b ? a : b, as maxps and minps
do: b wherever a NaN is involved, or two zeros). max and min give NaN if either operand is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import z3

from isamap_encodings.machine import SIGNED, SORTS, UNSIGNED
from isamap_encodings.scalar_values import Kind, limits, wrapped
from isamap_encodings.solve import ask
from isamap_encodings.verdict import Refuted, Unknown, Verdict

RLIMIT = 20_000_000
TRIED = ("1", "-0", "0", "greatest", "least")
FILLS = {"+": "0", "*": "1", "max": "least", "min": "greatest", "sat+": "0"}


@lru_cache(maxsize=512)
def neutral_element(op: str, kind: Kind, fill: str, signs: bool = True) -> Verdict:
    """Whether `acc op fill` is acc for every acc of the type. Refuted with the acc it changes.

    fill: '0', '-0', '1', 'least' or 'greatest' (of floating point: an infinity).
    """
    acc = _variable("acc", kind)
    same = _same(_combine(op, kind)(acc, _constant(fill, kind)), acc, kind, signs)
    return _numbers(ask([], same, "neutral element", RLIMIT), kind)


@lru_cache(maxsize=512)
def zero_product(kind: Kind, first: str, second: str, signs: bool = True) -> Verdict:
    """Whether `acc + a * b` is acc for every acc, each of a and b being '0', '-0', '1', 'any' element or 'finite'."""
    acc = _variable("acc", kind)
    given: list[Any] = []
    factors = []
    for name, what in (("a", first), ("b", second)):
        if what in ("any", "finite"):
            x = _variable(name, kind)
            if what == "finite" and kind in SORTS:
                given.append(z3.Not(z3.Or(z3.fpIsNaN(x), z3.fpIsInf(x))))
            factors.append(x)
        else:
            factors.append(_constant(what, kind))
    product = _combine("*", kind)(*factors)
    same = _same(_combine("+", kind)(acc, product), acc, kind, signs)
    return _numbers(ask(given, same, "zero product", RLIMIT), kind)


@lru_cache(maxsize=512)
def associative(op: str, kind: Kind, one_sign: bool = False) -> Verdict:
    """Whether (a op b) op c is a op (b op c) for all elements; one_sign: only for three elements all >= 0, or all <= 0."""
    a, b, c = (_variable(n, kind) for n in "abc")
    combine = _combine(op, kind)
    equal = _same(combine(combine(a, b), c), combine(a, combine(b, c)), kind, True)
    given: list[Any] = []
    if one_sign and kind[0] not in "iu":
        return Unknown("one sign is asked of integers only")
    if one_sign and kind[0] == "i":
        given.append(z3.Or(z3.And(a >= 0, b >= 0, c >= 0), z3.And(a <= 0, b <= 0, c <= 0)))
    found = _tried(equal, (a, b, c), kind) if kind in SORTS else None
    return _numbers(found or ask(given, equal, "associative", RLIMIT), kind)


def _tried(claim: Any, variables: Sequence[Any], kind: Kind) -> Refuted | None:
    """Elements at the ends of the type and around 0 that refute the claim. For sums of floating point, it depends on
    earlier questions whether Z3 finds any within its steps; so numbers decide."""
    started = time.perf_counter()
    sort = z3.FPSort(*SORTS[kind])
    elements = [*_finite_ends(sort), *(_constant(t, kind) for t in TRIED), z3.fpNaN(sort)]
    for values in product(elements, repeat=len(variables)):
        if z3.is_false(z3.simplify(z3.substitute(claim, *zip(variables, values, strict=True)))):
            witness = {str(x): str(z3.simplify(v)) for x, v in zip(variables, values, strict=True)}
            return Refuted(witness, "", time.perf_counter() - started)
    return None


def _finite_ends(sort: Any) -> tuple[Any, Any]:
    """The largest finite element, and its opposite."""
    exponents, digits = sort.ebits(), sort.sbits() - 1
    most = z3.fpBVToFP(
        z3.BitVecVal((((1 << exponents) - 2) << digits) | ((1 << digits) - 1), exponents + digits + 1), sort
    )
    return most, z3.fpNeg(most)


def _numbers(verdict: Verdict, kind: Kind) -> Verdict:
    """A witness with numbers of the type: signed integers, Python floats."""
    if not isinstance(verdict, Refuted):
        return verdict
    return replace(verdict, witness={n: _number(v, kind) for n, v in verdict.witness.items()})


def _number(value: Any, kind: Kind) -> int | float:
    if kind not in SORTS:
        return wrapped(int(value), kind)
    text = str(value).replace("oo", "inf")
    mantissa, _, exponent = text.partition("*(2**")
    return float(mantissa) * 2.0 ** int(exponent.rstrip(")") or 0)


def _variable(name: str, kind: Kind) -> Any:
    return z3.FP(name, z3.FPSort(*SORTS[kind])) if kind in SORTS else z3.BitVec(name, kind[1])


def _constant(text: str, kind: Kind) -> Any:
    if kind in SORTS:
        sort = z3.FPSort(*SORTS[kind])
        table = {"0": z3.fpPlusZero(sort), "-0": z3.fpMinusZero(sort), "1": z3.FPVal(1.0, sort),
                 "least": z3.fpMinusInfinity(sort), "greatest": z3.fpPlusInfinity(sort)}  # fmt: skip
        return table[text]
    low, high = limits(kind)
    return z3.BitVecVal({"0": 0, "-0": 0, "1": 1, "least": low, "greatest": high}[text], kind[1])


def _same(a: Any, b: Any, kind: Kind, signs: bool) -> Any:
    return z3.Or(a == b, z3.fpEQ(a, b)) if kind in SORTS and not signs else a == b


def _combine(op: str, kind: Kind) -> Callable[[Any, Any], Any]:
    return _floats(op) if kind in SORTS else _integers(op, kind)


def _floats(op: str) -> Callable[[Any, Any], Any]:
    nearest = z3.RNE()

    def larger(a: Any, b: Any, greater: Callable[[Any, Any], Any]) -> Any:
        nan = z3.fpNaN(a.sort())
        return z3.If(z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b)), nan, z3.If(greater(b, a), b, a))

    match op:
        case "+":
            return lambda a, b: z3.fpAdd(nearest, a, b)
        case "*":
            return lambda a, b: z3.fpMul(nearest, a, b)
        case "max":
            return lambda a, b: larger(a, b, z3.fpGT)
        case "min":
            return lambda a, b: larger(a, b, z3.fpLT)
        case "x86max":
            return lambda a, b: z3.If(z3.fpGT(a, b), a, b)
        case "x86min":
            return lambda a, b: z3.If(z3.fpLT(a, b), a, b)
    raise KeyError(op)


def _integers(op: str, kind: Kind) -> Callable[[Any, Any], Any]:
    signed, bits = kind[0] == "i", kind[1]
    if op == "sat+":
        return lambda a, b: _saturated(a, b, signed, bits)
    head = {"+": "SAdd", "*": "SMul", "max": "SMax", "min": "SMin"}[op.removeprefix("x86")]
    return (SIGNED if signed else UNSIGNED)[head]


def _saturated(a: Any, b: Any, signed: bool, bits: int) -> Any:
    low, high = limits(("i" if signed else "u", bits))
    extend = z3.SignExt if signed else z3.ZeroExt
    total = extend(2, a) + extend(2, b)
    clamped = z3.If(total < low, z3.BitVecVal(low, bits + 2), z3.If(total > high, z3.BitVecVal(high, bits + 2), total))
    return z3.Extract(bits - 1, 0, clamped)
