"""Scalar, bit for bit: two floating-point trees have the same IEEE value for all elements, rounding to nearest even.

Z3's theory of floating point has one NaN and tells +0 from -0, so 'equal' is: the same bits, whatever a NaN carries. It is
asked of small trees only; most trees that are equal are one tree, which needs no solver (scalar.same_tree).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
import z3

from isamap_encodings.scalar_values import Kind, kind_of
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Proved, Unknown, Verdict

RLIMIT = 3_000_000  # about two seconds of bit-blasting; a product of two f32 elements takes far more
SORTS = {("f", 16): (5, 11), ("bf", 16): (8, 8), ("f", 32): (8, 24), ("f", 64): (11, 53)}


def equal_floats(left: Any, right: Any, types: Mapping[str, Kind], result: Kind) -> Verdict:
    """Proved when both trees have the same bits for all elements, NaN and infinities included. Never Refuted: a difference
    is shown on numbers elsewhere, so that it replays; here it is Unknown."""
    try:
        floats = _Floats(types)
        a, b = floats.value(left, result), floats.value(right, result)
    except NotExpressible as e:
        return Unknown(f"not expressible in floating point: {e}")
    verdict = ask([], a == b, "scalar in floating point", RLIMIT)
    if isinstance(verdict, Proved):
        return verdict
    reason = verdict.reason if isinstance(verdict, Unknown) else "the bits differ for some elements"
    return Unknown(reason, verdict.seconds)


class _Floats:
    """Floating-point trees in Z3's theory of them."""

    def __init__(self, types: Mapping[str, Kind]) -> None:
        self.types = types

    def kind(self, e: Any) -> Kind | None:
        """The element type of a tree; None for a literal."""
        if e.is_Symbol:
            return self.types[e.name]
        head = type(e).__name__
        if head == "Cast":
            return kind_of(e.args[0])
        args = e.args[1:] if head == "Select" else e.args
        return next((k for k in map(self.kind, args) if k is not None), None)

    def value(self, e: Any, want: Kind) -> Any:
        """The value, in the type that the tree has or, for a literal, in `want`."""
        kind = self.kind(e) or want
        if kind not in SORTS:
            raise NotExpressible(f"{kind[0]}{kind[1]}")
        sort = z3.FPSort(*SORTS[kind])
        if e.is_Symbol:
            return z3.FP(e.name, sort)
        if e.is_Integer or e.is_Float:
            return z3.FPVal(float(sp.Rational(e)), sort)
        nearest = z3.RNE()
        head = type(e).__name__
        if head == "Cast":
            source = self.kind(e.args[1])
            x = self.value(e.args[1], kind)
            return x if source in (None, kind) else z3.fpFPToFP(nearest, x, sort)
        if head == "Select":
            return z3.If(self._condition(e.args[0]), self.value(e.args[1], kind), self.value(e.args[2], kind))
        args = [self.value(a, kind) for a in e.args]
        match head:
            case "SAdd":
                return z3.fpAdd(nearest, *args)
            case "SSub":
                return z3.fpSub(nearest, *args)
            case "SMul":
                return z3.fpMul(nearest, *args)
            case "SDiv":
                return z3.fpDiv(nearest, *args)
            case "SNeg":
                return z3.fpNeg(*args)
        raise NotExpressible(head)  # max and min leave open which of two zeros they give

    def _condition(self, e: Any) -> Any:
        op, x, y = e.args
        kind = self.kind(x) or self.kind(y)
        if kind is None:
            raise NotExpressible("a comparison of literals")
        a, b = self.value(x, kind), self.value(y, kind)
        compare = {"<": z3.fpLT, "<=": z3.fpLEQ, ">": z3.fpGT, ">=": z3.fpGEQ, "==": z3.fpEQ, "!=": z3.fpNEQ}
        return compare[str(op)](a, b)


__all__ = ["equal_floats"]
