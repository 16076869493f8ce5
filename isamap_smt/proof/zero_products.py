"""Whether one zero among the factors makes a product of finite elements a zero.

No other factor may be infinite, since 0 * inf is NaN. Elements are finite; values computed or converted from them need
not be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import inf
from typing import Any, ClassVar

import ml_dtypes
import numpy as np
import sympy as sp

from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.meaning import Fold, Rows
from isamap_smt.ir.scalar import Cast, Read, Relu, SAdd, SMul, SNeg, SSub, Sum, Unary, reads
from isamap_smt.ir.typed import literal_kind, type_of
from isamap_smt.proof.scalar_trees import accumulation


@lru_cache(maxsize=512)
def any_zero_is_enough(contract: Kernel) -> bool:
    """Whether the contract's statement adds a zero as soon as one of its operands is zero, and the others are finite.

    An operand that is an index alone is none of them.

    >>> from isamap_smt.language import kernel
    >>> [any_zero_is_enough(kernel(f"C[i] += {x}", dtypes=dict.fromkeys("ABC", "f32"))) for x in ("A[i]*B[i]", "3*A[i]*B[i]")]
    [True, False]
    """
    statement = contract.statements[0]
    types = {t.name: t.dtype for t in contract.tensors}
    value, out = accumulation(contract, statement)[1], types[statement.target.tensor]

    def finite(product: Any, factor: Any) -> bool:
        return _largest(factor, types, type_of(product, types) or out) < inf

    return all(Zeros(frozenset({r.tensor}), finite).of(value) for r in reads(statement.value))


class Zeros(Fold[bool]):
    """Whether a value is a zero if every element of the tensors in `dead` is one.

    finite: whether a factor of a product is a number; asked if the other factor is a zero.
    """

    def __init__(self, dead: frozenset[str], finite: Callable[[Any, Any], bool] = lambda product, factor: True) -> None:
        self.dead, self.finite = dead, finite

    def other(self, x: Any) -> bool:
        return False

    def _product(self, x: Any) -> bool:
        a, b = x.args
        return any(self.of(zero) and self.finite(x, factor) for zero, factor in ((a, b), (b, a)))

    leaves: ClassVar[Rows] = {
        Read: lambda self, x: x.tensor in self.dead,
        SMul: _product,
        Cast: lambda self, x: self.of(x.args[1]),
        Sum: lambda self, x: self.of(x.args[2]),
    }
    rows: ClassVar[Rows] = {
        **dict.fromkeys((SAdd, SSub), lambda self, x, a, b: a and b),
        **dict.fromkeys((SNeg, Relu), lambda self, x, a: a),
        Unary: lambda self, x, a: FUNCTION_ROWS[type(x)].zero and a,
    }


def _largest(value: Any, types: Mapping[str, DType], literal: DType) -> float:
    """A bound on the value's magnitude for finite elements; inf if it may be infinite.

    Rounding never changes the order of two numbers, so the largest, rounded, bounds all rounded values.
    """
    kind = type_of(value, dict(types)) or literal
    match value:
        case sp.Integer() | sp.Float():
            return abs(float(constant(value, kind)))
        case Read():
            return _limit(kind)
        case Cast() if kind.is_float:
            return _rounded(_largest(value.args[1], types, literal_kind(value.args[1], kind)), kind)
        case SNeg() if kind.is_float:
            return _largest(value.args[0], types, kind)
        case SMul() if kind.is_float:
            a, b = (_largest(x, types, kind) for x in value.args)
            return _rounded(a * b, kind)
    return inf if kind.is_float else _limit(kind)


def _limit(kind: DType) -> float:
    if not kind.is_float:
        return float(max(-kind.low, kind.high))
    return float(ml_dtypes.finfo(kind.numpy).max)  # type: ignore[no-untyped-call]  # it has no types


def _rounded(number: float, kind: DType) -> float:
    with np.errstate(all="ignore"):
        return float(converted(np.array(number), kind))


__all__ = ["Zeros", "any_zero_is_enough"]
