"""One walk of a typed value, and the meanings that are algebras over it: tables from heads to functions.

    isamap_smt.ir.evaluate            NumPy, many points at once
    isamap_smt.mapping.point_c        portable C
    isamap_smt.mapping.point_c          intervals of what a float can be
    isamap_smt.isa.contract           terms over bits
    isamap_smt.ir.rounding_walk       errors of rounding: which operations round, and how; its own algebras are rounding_error,
                                      rounding_bound, and isamap_smt.proof.rounding

The walk knows the types: of each node its own, and which type the literals among its operands take. An algebra knows neither. The
solvers' package has algebras of its own, by the names of heads, over trees without indices: isamap_encodings.scalar_values
(integers), machine (bit-vectors and IEEE numbers), scalar (reals), rounding (every format), error_steps (one rounded step).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.typed import EXACT, given_type, operands, own_type

Value = TypeVar("Value")
Rows = Mapping[type, Callable[..., Any]]


class Fold(Generic[Value]):
    """An algebra over trees without types, such as what stands below a saturation, where integers are exact.

    leaves: (self, tree) -> value, for heads whose operands are not valued, or in a way of their own.
    rows: (self, tree, *values of the operands) -> value.
    A head's row is found by its class, or by the nearest base class that has one.
    """

    leaves: ClassVar[Rows] = {}
    rows: ClassVar[Rows] = {}

    def of(self, x: Any) -> Value:
        """The value of a tree."""
        leaf, row = _found(type(self), type(x))
        if leaf is not None:
            return leaf(self, x)
        if row is None:
            return self.other(x)
        return row(self, x, *map(self.of, x.args))

    def other(self, x: Any) -> Value:
        """The value of a tree whose head has no row. Raises TypeError unless an algebra says more."""
        raise TypeError(f"{type(self).__name__} has no row for {type(x).__name__}")


class Meaning(Generic[Value]):
    """An algebra over typed values.

    leaves: (self, tree, own type) -> value, for heads whose operands are not valued, or in a way of their own.
    rows: (self, tree, own type, *values of the operands) -> value.
    """

    leaves: ClassVar[Rows] = {}
    rows: ClassVar[Rows] = {}

    def __init__(self, types: Mapping[str, DType]) -> None:
        self.types = dict(types)

    def of(self, x: Any, kind: DType) -> Value:
        """The value of a tree; literals take `kind` where nothing else says a type."""
        own = self.own(x, kind)
        given = DTYPES["i64"] if own is EXACT else own
        leaf, row = _found(type(self), type(x))
        if leaf is not None:
            return leaf(self, x, given)
        if row is None:
            return self.other(x, given)
        return row(self, x, given, *(self.of(a, k) for a, k in operands(x, own, self.types)))

    def own(self, x: Any, kind: DType) -> DType:
        """own_type() of a tree."""
        return own_type(x, kind, self.types)

    def given(self, x: Any) -> DType:
        """given_type() of a conversion."""
        return given_type(x, self.types)

    def other(self, x: Any, own: DType) -> Value:
        """The value of a tree whose head has no row. Raises TypeError unless an algebra says more."""
        raise TypeError(f"{type(self).__name__} has no row for {type(x).__name__}")


_KNOWN: dict[tuple[type, type], tuple[Any, Any]] = {}


def _found(algebra: type[Fold[Any]] | type[Meaning[Any]], head: type) -> tuple[Any, Any]:
    """(leaf, row) of a head: of the first base class that is in one of the algebra's tables."""
    if (algebra, head) not in _KNOWN:
        leaves, rows = algebra.leaves, algebra.rows
        base = next((b for b in head.__mro__ if b in leaves or b in rows), object)
        _KNOWN[algebra, head] = leaves.get(base), rows.get(base)
    return _KNOWN[algebra, head]


__all__ = ["Fold", "Meaning", "Rows"]
