"""One walk of a typed value, and the meanings that are algebras over it: tables from heads to functions.

    isamap_smt.ir.evaluate            NumPy, many points at once
    isamap_smt.mapping.point_c        portable C
    isamap_smt.mapping.spans          intervals of what a float can be
    isamap_smt.isa_check.contract     terms over bits
    isamap_smt.ir.rounding_error      errors of given arrays
    isamap_smt.ir.rounding_bound      errors for ranges
    isamap_smt.proof.rounding         the same, asked of Z3

The walk knows the types: of each node its own, and which type the literals among its operands take. An algebra knows neither. The
solvers' package has algebras of its own, by the names of heads, over trees without indices: isamap_encodings.scalar_values
(integers), machine (bit-vectors and IEEE numbers), scalar (reals), rounding (every format), error_steps (one rounded step).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.scalar import Cast, Compare, Read, Round, Saturate, Select, Sum
from isamap_smt.ir.typed import comparison_kind, literal_kind, type_of

Value = TypeVar("Value")
Rows = Mapping[type, Callable[..., Any]]
EXACT = DType("exact", "i", 64, "int64_t")  # of integers below a saturation; algebras are told i64


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


def own_type(x: Any, kind: DType, types: dict[str, DType]) -> DType:
    """The type of a tree, `kind` where it has none; EXACT for an operation below a saturation, where types may meet."""
    if kind is EXACT and not isinstance(x, Read | Cast | Saturate | Round):
        return EXACT
    return type_of(x, types) or kind


def given_type(x: Any, types: dict[str, DType]) -> DType:
    """The type of what is converted or rounded."""
    inner = x.args[1]
    return type_of(inner, types) or (DTYPES["f64"] if isinstance(x, Round) else literal_kind(inner, target(x)))


def operands(x: Any, own: DType, types: dict[str, DType]) -> Iterator[tuple[Any, DType]]:
    """The operands of a tree of the type `own`, each with the type that literals in it take.

    Of a choice the two that are compared come first.
    """
    match x:
        case Cast() | Round():
            yield x.args[1], given_type(x, types)
        case Saturate():
            yield x.args[1], EXACT
        case Select():
            yield from operands(x.args[0], comparison_kind(x.args[0], types, own), types)
            yield from ((a, own) for a in x.args[1:])
        case Compare():
            yield from ((a, own) for a in x.args[1:])
        case Sum():
            yield x.args[2], own
        case _:
            yield from ((a, own) for a in x.args)


def target(x: Any) -> DType:
    """The type to which a conversion, a saturation or a rounding converts."""
    return DTYPES[x.args[0].name]


_KNOWN: dict[tuple[type, type], tuple[Any, Any]] = {}


def _found(algebra: type[Fold[Any]] | type[Meaning[Any]], head: type) -> tuple[Any, Any]:
    """(leaf, row) of a head: of the first base class that is in one of the algebra's tables."""
    if (algebra, head) not in _KNOWN:
        leaves, rows = algebra.leaves, algebra.rows
        base = next((b for b in head.__mro__ if b in leaves or b in rows), object)
        _KNOWN[algebra, head] = leaves.get(base), rows.get(base)
    return _KNOWN[algebra, head]


__all__ = ["EXACT", "Fold", "Meaning", "Rows", "operands", "own_type", "target"]
