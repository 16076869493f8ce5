"""How errors of rounding go through a kernel: one walk, of which three analyses are algebras.

    isamap_smt.ir.rounding_error      numbers of given arrays, and how far off they may be
    isamap_smt.ir.rounding_bound      ranges, in f64
    isamap_smt.proof.rounding         ranges, in fractions, each step a question to Z3

The walk says which operations there are, to which type each one rounds, and by how many ULP. An algebra says what comes of one:
of numbers that are off, a number that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.heads import FUNCTION_ROWS, HEADS
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.near import TWICE
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    Fmod,
    Pow,
    Relu,
    Round,
    SAdd,
    Saturate,
    Scalar,
    SDiv,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SSub,
    Unary,
)

V = TypeVar("V")


def ulp_of(head: type[Scalar], kind: DType) -> float:
    """How far off a function is, in ULP of a type; 0 where its exact values are numbers of the type."""
    row = FUNCTION_ROWS[head]
    exact = kind.is_float and (row.whole is not None or head in (Abs, Fmod))
    return 0.0 if exact else row.error(kind.bits)


class Steps(Meaning[V]):
    """Values at the points of a statement, operation by operation."""

    def step(self, op: str, x: Any, own: DType, operands: Sequence[V], ulp: float = 0.5) -> V:
        """What comes of the operation x.

        op: its name in isamap_encodings.error_steps. ulp: how far off of its exact value it is, in its own type; 0 where each exact
        value is one of the type. Integers do not round, and what their type does not hold is no such value.
        """
        raise NotImplementedError

    def held(self, x: Any, own: DType, a: V) -> V:
        """Integers in a type of floating point."""
        raise NotImplementedError

    def as_integer(self, x: Any, to: DType, a: V) -> V:
        """A conversion to integers, towards 0."""
        raise NotImplementedError

    def clamped(self, x: Any, to: DType, a: V) -> V:
        """A rounding to integers, or a saturation."""
        raise NotImplementedError

    def integers(self, x: Any, own: DType, *operands: V) -> V:
        """An operation that is of integers alone."""
        return self.other(x, own)

    def _cast(self, x: Any, to: DType, a: V) -> V:
        given = self.given(x)
        if not to.is_float:
            return self.as_integer(x, to, a)
        if given == to or (given.is_float and to.bits > given.bits):
            return a
        return self.step("same", x, to, [a]) if given.is_float else self.held(x, to, a)

    def _product(self, x: Any, own: DType, a: V, b: V) -> V:
        same = x.args[0] == x.args[1]  # which a program may round in two ways all the same
        return self.step("square", x, own, [a]) if same else self.step("*", x, own, [a, b])

    def _function(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(FUNCTION_ROWS[type(x)].text, x, own, operands, ulp_of(type(x), own))

    def _exact(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(HEADS[type(x)].text, x, own, operands, 0.0)

    def _rounded(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(HEADS[type(x)].text, x, own, operands)

    rows: ClassVar[Rows] = {
        Cast: _cast,
        SNeg: lambda self, x, own, a: self.step("neg", x, own, [a], 0.0 if own.is_float else 0.5),
        SMul: _product,
        # in f32 first of narrower types
        SMod: lambda self, x, own, *o: self.step("%", x, own, o, TWICE) if own.is_float else self.integers(x, own, *o),
        **dict.fromkeys((SAdd, SSub, SDiv), _rounded),
        **dict.fromkeys((SMax, SMin, Relu), _exact),
        **dict.fromkeys((Unary, Pow, Fmod), _function),
        **dict.fromkeys((Round, Saturate), lambda self, x, to, a: self.clamped(x, to, a)),
    }
