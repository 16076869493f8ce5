"""sqrt, abs and the functions to integers mean in proofs what the interpreter computes; of the others nothing is known."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
import z3

from isamap_encodings.machine import Bits
from isamap_encodings.overflow import term_range
from isamap_encodings.scalar import equal_integers, equal_reals
from isamap_encodings.scalar_values import spanned
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.heads import applied
from isamap_smt.ir.scalar import (
    Abs,
    Ceil,
    Erf,
    Floor,
    Log,
    Rint,
    Rsqrt,
    SAdd,
    Scalar,
    SMax,
    SMul,
    SNeg,
    Sqrt,
    Trunc,
    saturate,
)

X, Y = sp.Symbol("x"), sp.Symbol("y")
EDGES = np.float32([0.0, -0.0, 1.0, -1.5, 2.0, 0.1, 1e-45, 3.4e38, np.inf, -np.inf, np.nan, 16777217.0, -2.5, 1e-38])


@pytest.mark.parametrize("head", [Sqrt, Floor, Ceil, Trunc, Rint, Abs])
def test_floating_point_is_as_the_interpreter_computes_it(head: type) -> None:
    term = Bits({"x": ("f", 32)}).floats.value(head(X), ("f", 32))
    for given, want in zip(EDGES, applied(head, EDGES), strict=True):
        number = z3.fpBVToFP(z3.BitVecVal(int(given.view(np.uint32)), 32), z3.Float32())
        found = z3.simplify(z3.substitute(term, (z3.FP("x", z3.Float32()), number)))
        if np.isnan(want):
            assert z3.is_true(z3.simplify(z3.fpIsNaN(found)))
        else:
            assert z3.simplify(z3.fpToIEEEBV(found)).as_long() == int(want.view(np.uint32)), given


@pytest.mark.parametrize("kind", [("i", 8), ("u", 8)])
def test_abs_of_integers(kind: tuple[str, int]) -> None:
    types = {"x": kind}
    signed = kind[0] == "i"
    positive = equal_integers(Abs(X), SMax(X, SNeg(X)), types, kind, {})
    assert isinstance(positive, Proved if signed else Refuted)
    assert isinstance(equal_integers(Abs(X), X, types, kind, {}), Refuted if signed else Proved)
    assert isinstance(equal_integers(Abs(X), X, types, kind, {"x": (0, 100)}), Proved)


def test_abs_of_the_least_integer_wraps_but_not_below_a_saturation() -> None:
    types, kind = {"x": ("i", 8)}, ("i", 8)
    wraps = equal_integers(Abs(X), saturate("i8", Abs(X)), types, kind, {})
    assert isinstance(wraps, Refuted)
    assert wraps.witness == {"x": -128}
    assert isinstance(equal_integers(Abs(X), saturate("i8", Abs(X)), types, kind, {"x": (-127, 127)}), Proved)


def test_bounds_of_abs() -> None:
    assert [spanned("Abs", s) for s in ((-3, 2), (1, 5), (-7, -2), (0, 4))] == [(0, 3), (1, 5), (2, 7), (0, 4)]
    found = term_range(Abs(X), {"x": ("i", 16)}, ("i", 16), {"x": (-5, 3)})
    assert found is not None
    assert (found.low, found.high) == (0, 5)


def test_over_the_reals() -> None:
    types = {"x": ("f", 32), "y": ("f", 32)}
    assert isinstance(equal_reals(Abs(SNeg(X)), Abs(X), types), Proved)
    assert isinstance(equal_reals(Abs(SMul(X, Y)), SMul(Abs(X), Abs(Y)), types), Proved)
    assert isinstance(equal_reals(Abs(X), X, types), Refuted)
    assert isinstance(equal_reals(Floor(SAdd(X, sp.Integer(1))), SAdd(Floor(X), sp.Integer(1)), types), Proved)
    assert isinstance(equal_reals(Floor(X), X, types), Refuted)


@pytest.mark.parametrize("head", [Log, Erf, Sqrt, Rsqrt])
def test_of_others_only_equal_arguments_are_known(head: type[Scalar]) -> None:
    types = {"x": ("f", 32), "y": ("f", 32)}
    assert isinstance(equal_reals(head(SAdd(X, Y)), head(SAdd(Y, X)), types), Proved)
    assert isinstance(equal_reals(head(X), head(Y), types), Unknown)
