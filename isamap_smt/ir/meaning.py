"""One walk of a typed value, and its meanings as algebras: tables from heads to functions.

    isamap_smt.ir.evaluate            NumPy, many points at once
    isamap_smt.mapping.point_c        portable C
    isamap_smt.mapping.point_c          intervals of a float's possible values
    isamap_smt.isa.contract           terms over bits
    isamap_smt.ir.rounding_walk       errors of rounding: the rounding operations, and how they round; its own algebras are
                                      rounding_error, rounding_bound, and isamap_smt.proof.rounding

The walk knows the types: each node's own, and the type for the literals among its operands. An algebra knows neither.
The solvers' package has algebras of its own, by the names of heads, over trees without indices:
isamap_encodings.scalar_values (integers), machine (bit-vectors and IEEE numbers), scalar (reals), rounding (every
format), error_steps (one rounded step).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.typed import EXACT, given_type, operands, own_type

Value = TypeVar("Value")
Rows = Mapping[type, Callable[..., Any]]


class Fold(Generic[Value]):
    """An algebra over trees without types, such as a saturation's operand, computed over exact integers.

    leaves: (self, tree) -> value, for heads with operands not valued, or valued in their own way.
    rows: (self, tree, *values of the operands) -> value.
    A head's row is found by its class, or by the nearest base class with a row.
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
        """The value of a tree without a row for its head. Raises TypeError unless an algebra says more."""
        raise TypeError(f"{type(self).__name__} has no row for {type(x).__name__}")


class Meaning(Generic[Value]):
    """An algebra over typed values.

    leaves: (self, tree, own type) -> value, for heads with operands not valued, or valued in their own way.
    rows: (self, tree, own type, *values of the operands) -> value.
    """

    leaves: ClassVar[Rows] = {}
    rows: ClassVar[Rows] = {}

    def __init__(self, types: Mapping[str, DType]) -> None:
        self.types = dict(types)

    def of(self, x: Any, kind: DType) -> Value:
        """The value of a tree; literals take `kind` if nothing else gives their type."""
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
        """The value of a tree without a row for its head. Raises TypeError unless an algebra says more."""
        raise TypeError(f"{type(self).__name__} has no row for {type(x).__name__}")


_KNOWN: dict[tuple[type, type], tuple[Any, Any]] = {}


def _found(algebra: type[Fold[Any]] | type[Meaning[Any]], head: type) -> tuple[Any, Any]:
    """(leaf, row) of a head: of the first base class in one of the algebra's tables."""
    if (algebra, head) not in _KNOWN:
        leaves, rows = algebra.leaves, algebra.rows
        base = next((b for b in head.__mro__ if b in leaves or b in rows), object)
        _KNOWN[algebra, head] = leaves.get(base), rows.get(base)
    return _KNOWN[algebra, head]


__all__ = ["Fold", "Meaning", "Rows"]
