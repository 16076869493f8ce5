"""Arithmetic of every element type in plain Python integers and fractions; shares no code with isamap_smt.

Integers wrap. A floating-point result is the exact one, rounded once; "nan" is any NaN. Where a zero's sign is left open
(max, min, relu) both are among the answers.
"""

from __future__ import annotations

import operator
from fractions import Fraction

from tests.conversions import BITS, INFINITE, Value, decoded, encoded, floating

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ZERO = Fraction(0)


def _negative(v: Value) -> bool:
    return v in ("-0.0", "-inf") or (isinstance(v, Fraction) and v < 0)


def _size(v: Value) -> Fraction:
    """Of a number that is no infinity."""
    return ZERO if isinstance(v, str) else abs(v)


def _signed(size: Fraction, negative: bool) -> Value:
    return (-size if size else "-0.0") if negative else size


def negated(v: Value) -> Value:
    if v == "nan":
        return v
    if v in INFINITE:
        return INFINITE[1 - INFINITE.index(str(v))]
    return _signed(_size(v), not _negative(v))


def add(a: Value, b: Value) -> Value:
    if "nan" in (a, b) or (a in INFINITE and b in INFINITE and a != b):
        return "nan"
    for v in (a, b):
        if v in INFINITE:
            return v
    if a == b == "-0.0":
        return "-0.0"
    return sum((-_size(v) if _negative(v) else _size(v) for v in (a, b)), ZERO)


def multiply(a: Value, b: Value) -> Value:
    if "nan" in (a, b):
        return "nan"
    negative = _negative(a) != _negative(b)
    if a in INFINITE or b in INFINITE:
        zero = any(v not in INFINITE and _size(v) == 0 for v in (a, b))
        return "nan" if zero else INFINITE[negative]
    return _signed(_size(a) * _size(b), negative)


def divide(a: Value, b: Value) -> Value:
    if "nan" in (a, b) or (a in INFINITE and b in INFINITE):
        return "nan"
    negative = _negative(a) != _negative(b)
    if a in INFINITE:
        return INFINITE[negative]
    if b in INFINITE:
        return _signed(ZERO, negative)
    if _size(b) == 0:
        return "nan" if _size(a) == 0 else INFINITE[negative]
    return _signed(_size(a) / _size(b), negative)


def _number(v: Value) -> Fraction:
    """Infinities as numbers beyond all others."""
    if v in INFINITE:
        return Fraction(2) ** 5000 * (-1 if v == "-inf" else 1)
    return -_size(v) if _negative(v) else _size(v)


def holds(op: str, a: int, b: int, name: str) -> bool:
    """A comparison of two elements; with a NaN only != holds."""
    x, y = decoded(a, name), decoded(b, name)
    if "nan" in (x, y):
        return op == "!="
    return bool(COMPARE[op](_number(x), _number(y)))


def chosen(name: str, op: str, a: int, b: int) -> set[int | str]:
    """max or min of two elements."""
    x, y = decoded(a, name), decoded(b, name)
    if "nan" in (x, y):
        return {"nan"}
    p, q = _number(x), _number(y)
    if p == q:
        return {a, b}
    return {a} if (p > q) == (op == "max") else {b}


def result(name: str, op: str, a: int, b: int) -> set[int | str]:
    """The bits that `a op b` may have; op is one of + - * / neg max min relu."""
    if op in ("max", "min"):
        return chosen(name, op, a, b)
    if op == "relu":
        return chosen(name, "max", a, 0) | (
            {1 << (BITS[name] - 1)} if floating(name) and _number_is_zero(a, name) else set()
        )
    x, y = decoded(a, name), decoded(b, name)
    if not floating(name):
        assert isinstance(x, Fraction)
        assert isinstance(y, Fraction)
        exact = {"+": x + y, "-": x - y, "*": x * y, "neg": -x}[op]
        return {int(exact) % (1 << BITS[name])}
    found = {
        "+": lambda: add(x, y), "-": lambda: add(x, negated(y)), "*": lambda: multiply(x, y), "/": lambda: divide(x, y),
        "neg": lambda: negated(x),
    }[op]()  # fmt: skip
    return {encoded(found, name)}


def _number_is_zero(a: int, name: str) -> bool:
    v = decoded(a, name)
    return v != "nan" and _number(v) == 0
