"""Values over the reals at some numbers: sums and products exact, conversions as they round.

The solver takes a rounding conversion for an unknown function, and so cannot tell `tf32(a) * tf32(b)` from `a * b`. At
numbers the function is known: if the two values differ there, they are not equal. Each number is an element of its
type, so it replays.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from isamap_encodings.ranges import Question
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.heads import applied
from isamap_smt.ir.scalar import Cast, SAdd, Scalar, SMax, SMin, SMul, SNeg, SSub, Tf32

MOST = 4_000  # combinations of numbers tried
NUMBERS = (1.0, 0.0, -1.0, 3.0, *(1 + 2.0**-n for n in (3, 4, 9, 12, 20)), 0.1, 1e4, -(1 + 2.0**-12))


class _UnknownError(Exception):
    """A value unknown at these numbers."""


def differ(q: Question) -> Refuted | None:
    """Elements at which the two values are different numbers; None if none were found."""
    names = sorted({s.name for e in (q.left, q.right) for s in getattr(e, "free_symbols", ())} & set(q.types))
    if any(q.types[n][0] in "iu" for n in names):
        return None
    kinds = [_dtype(*q.types[n]) for n in names]
    few = [_elements(d) for d in kinds]
    for row in itertools.islice(itertools.product(*few), MOST):
        at = dict(zip(names, row, strict=True))
        try:
            with np.errstate(all="ignore"):
                left, right = (_value(e, at) for e in (q.left, q.right))
        except _UnknownError:
            continue
        if left != right:
            shown = {n: float(v) for n, v in at.items()}
            sides = {"kernel": float(left), "instruction": float(right)}
            return Refuted(shown | {n: v if np.isfinite(v) else str(v) for n, v in sides.items()})
    return None


def _dtype(kind: str, bits: int) -> DType:
    return DTYPES["bf16" if kind == "bf" else kind if kind in DTYPES else f"{kind}{bits}"]


def _elements(d: DType) -> list[Fraction]:
    largest = float(d.ends[1])
    with np.errstate(all="ignore"):
        found = [float(converted(np.array(v), d)) for v in (*NUMBERS, largest)]
    return list(dict.fromkeys(Fraction(v) for v in found if np.isfinite(v)))


Number = Fraction | float  # a float is an infinity, which conversions alone make here


def _value(e: Any, at: dict[str, Fraction]) -> Number:
    if e.is_Symbol:
        return at[e.name]
    if e.is_Integer or e.is_Float:
        return Fraction(int(e)) if e.is_Integer else Fraction(float(e))
    if not isinstance(e, Scalar):
        raise _UnknownError
    match e:
        case Cast():
            to = DTYPES[str(e.args[0])]
            if not to.is_float:
                raise _UnknownError
            return _number(converted(_array(_value(e.args[1], at), "f64"), to))
        case Tf32():
            return _number(applied(Tf32, _array(_value(e.args[0], at), "f32")))
        case SAdd() | SSub() | SMul() | SMax() | SMin() | SNeg():
            args = [_finite(_value(x, at)) for x in e.args]
            return _EXACT[type(e)](*args)
    raise _UnknownError


_EXACT: dict[type[Scalar], Callable[..., Fraction]] = {
    SAdd: operator.add, SSub: operator.sub, SMul: operator.mul, SMax: max, SMin: min, SNeg: operator.neg,
}  # fmt: skip


def _finite(x: Number) -> Fraction:
    if isinstance(x, float):
        raise _UnknownError
    return x


def _array(x: Number, kind: str) -> np.ndarray:
    """The number in the given type. Raises _UnknownError if the type does not have it."""
    made = np.array(float(x)).astype(DTYPES[kind].numpy)
    if isinstance(x, Fraction) and Fraction(float(made)) != x:
        raise _UnknownError
    return made


def _number(x: np.ndarray) -> Number:
    found = float(x)
    if np.isnan(found):
        raise _UnknownError
    return found if np.isinf(found) else Fraction(found)


__all__ = ["differ"]
