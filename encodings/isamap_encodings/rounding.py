"""Floating point of every width at once: an operation gives the exact result, rounded by a mostly unknown function.

A number is NaN, or has a sign and a magnitude, possibly infinite. `round` is a function of magnitudes, so rounding
does not depend on the sign; it keeps numbers of the type; others may become 0 or infinite. All formats of IEEE 754
round to nearest even like this, f16, bf16, f32 and f64 among them. Z3 need not bit-blast such proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from isamap_encodings.scalar_values import COMPARE
from isamap_encodings.terms import NotExpressible

_REAL, _BOOL = z3.RealSort(), z3.BoolSort()
_ROUND = z3.Function("round", _REAL, _REAL)
_BEYOND = z3.Function("beyond", _REAL, _BOOL)  # rounds to an infinity
_INVERSE = z3.Function("inverse", _REAL, _REAL)
_ROOT = z3.Function("root", _REAL, _REAL)


@dataclass(frozen=True)
class Number:
    """nan, infinite, negative, magnitude: of a NaN only `nan` counts, of an infinity not the magnitude."""

    nan: Any
    infinite: Any
    negative: Any
    magnitude: Any


def same(a: Number, b: Number) -> Any:
    """Whether both are one number, bit for bit, or both NaN."""
    sizes = z3.Or(
        z3.And(a.infinite, b.infinite), z3.And(z3.Not(a.infinite), z3.Not(b.infinite), a.magnitude == b.magnitude)
    )
    return z3.Or(z3.And(a.nan, b.nan), z3.And(z3.Not(a.nan), z3.Not(b.nan), a.negative == b.negative, sizes))


class Rounded:
    """Trees as numbers. facts: about variables and functions; choices: which zero a maximum or minimum gives."""

    def __init__(self) -> None:
        self.facts: list[Any] = self._kept(z3.RealVal(0))
        self.names: dict[str, Number] = {}
        self.prefix = ""
        self.choices: list[Any] = []

    def name(self, name: str) -> Number:
        """A variable: any number of the type."""
        if name not in self.names:
            m = z3.Real(f"{name}.magnitude")
            nan, infinite, negative = (z3.Bool(f"{name}.{w}") for w in ("nan", "infinite", "negative"))
            self.facts += [m >= 0, *self._kept(m)]
            self.names[name] = Number(nan, infinite, negative, m)
        return self.names[name]

    def finite(self, name: str, *, zero: bool = True, inverse: bool = False) -> None:
        """The variable is a finite number; not 0; 1 over it is one of the type, too."""
        x = self.name(name)
        self.facts += [z3.Not(x.nan), z3.Not(x.infinite)]
        if not zero:
            self.facts.append(x.magnitude > 0)
        if inverse:
            self.facts += self._kept(self._inverse(x.magnitude))

    def value(self, e: Any) -> Number:
        """The tree's value."""
        if e.is_Symbol:
            return self.name(e.name)
        if e.is_Number:
            return self._literal(Fraction(str(e)) if e.is_Float else Fraction(int(e.p), int(e.q)))
        head = type(e).__name__
        if head == "Select":
            op, x, y = e.args[0].args
            return _if(self.holds(str(op), self.value(x), self.value(y)), self.value(e.args[1]), self.value(e.args[2]))
        args = [self.value(a) for a in e.args if not (head == "Cast" and a == e.args[0])]
        found: dict[str, Callable[..., Number]] = {
            "SAdd": self._sum, "SSub": lambda a, b: self._sum(a, _opposite(b)), "SMul": self._product, "SDiv": self._quotient,
            "SNeg": _opposite, "Abs": lambda a: Number(a.nan, a.infinite, z3.BoolVal(False), a.magnitude),
            "SMax": lambda a, b: self._larger(a, b, ">"), "SMin": lambda a, b: self._larger(a, b, "<"),
            "Relu": lambda a: self._larger(a, self._literal(Fraction(0)), ">"), "Sqrt": self._root,
            "Rsqrt": lambda a: self._quotient(self._literal(Fraction(1)), self._root(a)),
        }  # fmt: skip
        if head not in found:
            raise NotExpressible(head)
        return found[head](*args)

    def _literal(self, value: Fraction) -> Number:
        """A number of every type: a small power of two, or 0."""
        if value and abs(value) not in (Fraction(2) ** n for n in range(-8, 9)):
            raise NotExpressible(f"{value}, which not every type has")
        m = z3.Q(abs(value).numerator, value.denominator)
        self.facts += self._kept(m)
        no = z3.BoolVal(False)
        return Number(no, no, z3.BoolVal(value < 0), m)

    def _kept(self, m: Any) -> list[Any]:
        return [_ROUND(m) == m, z3.Not(_BEYOND(m))]

    def _rounded(self, nan: Any, infinite: Any, negative: Any, exact: Any) -> Number:
        self.facts.append(_ROUND(exact) >= 0)
        return Number(nan, z3.Or(infinite, _BEYOND(exact)), negative, _ROUND(exact))

    def _inverse(self, m: Any) -> Any:
        self.facts.append(z3.Implies(m > 0, z3.And(m * _INVERSE(m) == 1, _INVERSE(m) > 0)))
        return _INVERSE(m)

    def _sum(self, a: Number, b: Number) -> Number:
        exact = z3.If(a.negative, -a.magnitude, a.magnitude) + z3.If(b.negative, -b.magnitude, b.magnitude)
        either = z3.Or(a.infinite, b.infinite)
        nan = z3.Or(a.nan, b.nan, z3.And(a.infinite, b.infinite, a.negative != b.negative))
        sign = z3.If(exact == 0, z3.And(a.negative, b.negative), exact < 0)
        negative = z3.If(a.infinite, a.negative, z3.If(b.infinite, b.negative, sign))
        size = z3.If(exact < 0, -exact, exact)
        return self._rounded(nan, either, negative, z3.If(either, z3.RealVal(0), size))

    def _product(self, a: Number, b: Number) -> Number:
        infinite = z3.Or(a.infinite, b.infinite)
        nan = z3.Or(a.nan, b.nan, z3.And(a.infinite, _zero(b)), z3.And(_zero(a), b.infinite))
        exact = a.magnitude * b.magnitude
        return self._rounded(nan, infinite, a.negative != b.negative, z3.If(infinite, z3.RealVal(0), exact))

    def _quotient(self, a: Number, b: Number) -> Number:
        nan = z3.Or(a.nan, b.nan, z3.And(a.infinite, b.infinite), z3.And(_zero(a), _zero(b)))
        infinite = z3.Or(a.infinite, _zero(b))
        gone = z3.Or(infinite, b.infinite)
        exact = a.magnitude * self._inverse(b.magnitude)
        return self._rounded(nan, infinite, a.negative != b.negative, z3.If(gone, z3.RealVal(0), exact))

    def _root(self, a: Number) -> Number:
        self.facts.append(z3.And(_ROOT(a.magnitude) >= 0, (_ROOT(a.magnitude) == 0) == (a.magnitude == 0)))
        nan = z3.Or(a.nan, z3.And(a.negative, z3.Not(_zero(a))))
        return self._rounded(nan, a.infinite, a.negative, z3.If(a.infinite, z3.RealVal(0), _ROOT(a.magnitude)))

    def _larger(self, a: Number, b: Number, sign: str) -> Number:
        """The larger or smaller; NaN if either is; of two zeros of different sign either."""
        choice = z3.Bool(f"{self.prefix}choice {len(self.choices)}")
        self.choices.append(choice)
        chosen = _if(z3.And(_zero(a), _zero(b)), _if(choice, a, b), _if(self.holds(sign, a, b), a, b))
        return Number(z3.Or(a.nan, b.nan), chosen.infinite, chosen.negative, chosen.magnitude)

    def holds(self, op: str, a: Number, b: Number) -> Any:
        """The comparison of two values; none holds of NaN but `!=`."""

        # an infinity is further out than every magnitude: compare (infinite, magnitude) with the sign
        def position(x: Number) -> tuple[Any, Any]:
            outer = z3.If(x.infinite, z3.If(x.negative, z3.RealVal(-1), z3.RealVal(1)), z3.RealVal(0))
            inner = z3.If(x.infinite, z3.RealVal(0), z3.If(x.negative, -x.magnitude, x.magnitude))
            return outer, inner

        (ao, ai), (bo, bi) = position(a), position(b)
        equal = z3.And(ao == bo, ai == bi)
        less = z3.Or(ao < bo, z3.And(ao == bo, ai < bi))
        more = z3.Or(ao > bo, z3.And(ao == bo, ai > bi))
        table = {
            "<": less,
            "<=": z3.Or(less, equal),
            ">": more,
            ">=": z3.Or(more, equal),
            "==": equal,
            "!=": z3.Not(equal),
        }
        assert set(table) == set(COMPARE)
        number = z3.And(z3.Not(a.nan), z3.Not(b.nan))
        return z3.Or(z3.Not(number), table[op]) if op == "!=" else z3.And(number, table[op])


def _zero(x: Number) -> Any:
    return z3.And(z3.Not(x.infinite), x.magnitude == 0)


def _opposite(x: Number) -> Number:
    return Number(x.nan, x.infinite, z3.Not(x.negative), x.magnitude)


def _if(test: Any, a: Number, b: Number) -> Number:
    pairs = zip((a.nan, a.infinite, a.negative, a.magnitude), (b.nan, b.infinite, b.negative, b.magnitude), strict=True)
    return Number(*(z3.If(test, x, y) for x, y in pairs))
