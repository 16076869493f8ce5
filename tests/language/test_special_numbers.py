"""inf and nan as numbers of a text: every type and machine, and no proof over the reals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.scalar import equal_reals
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.verdict import Proved, Unknown
from isamap_smt.ir.dtypes import DTYPES, dtype
from isamap_smt.ir.errors import DTypeError, LanguageError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.rounding_bound import NOTHING
from isamap_smt.ir.scalar import Inf, Nan, Read, SAdd, SMul, SNeg, SSub
from isamap_smt.isa.contract import run_contract, start
from isamap_smt.language import axes, kernel, select, tensors, to_text
from isamap_smt.mapping.rewriting import Equalities
from isamap_smt.mapping.rule_list import RULES
from isamap_smt.proof.scalar_bits import Question
from isamap_smt.proof.scalar_rules import by_rules
from isamap_smt.proof.zero_products import any_zero_is_enough

X, F32 = sp.Symbol("x"), ("f", 32)
TEXT = "Y[i] = select(X[i] < 1, -inf, select(X[i] < 2, inf, select(X[i] < 3, nan, X[i])))"


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_interpreter_and_c(kind: str) -> None:
    made = im.kernel(TEXT, dtypes=dict.fromkeys("XY", kind))
    x = np.array([0, 1, 2, 3, np.inf, -np.inf, np.nan]).astype(dtype(kind).numpy)
    want = np.array([-np.inf, np.inf, np.nan, 3, np.inf, -np.inf, np.nan])
    for got in (run_kernel(made, {"X": x})["Y"], im.compile(made, "scalar")(X=x)):
        np.testing.assert_array_equal(got.astype(np.float64), want)
    assert im.kernel(to_text(made), name=made.name) == made


@pytest.mark.needs("avx2")
def test_in_lanes() -> None:
    made = im.kernel("Y[q,k] = select(X[q,k] < 0, -inf, X[q,k])")
    plan = im.plan(made, "avx2")
    assert "_mm256_blendv_ps" in plan.source
    x = np.float32([[1, -1, np.nan, -np.inf] * 5] * 3)
    np.testing.assert_array_equal(im.build(plan)(X=x), np.where(x < 0, -np.inf, x))


def test_integers_take_them_by_a_cast_alone() -> None:
    with pytest.raises(DTypeError, match="line 1, column 8: inf is not an integer, and the value is i32"):
        im.kernel("Y[i] = X[i] + inf", dtypes=dict.fromkeys("XY", "i32"))
    with pytest.raises(DTypeError, match="cannot stand inside a saturation"):
        im.kernel("Y[i] = sat_i8(X[i] + inf)", dtypes={"X": "i32", "Y": "i8"})
    made = im.kernel("Y[i] = X[i] + i32(inf) + i32(nan)", dtypes=dict.fromkeys("XY", "i32"))
    assert run_kernel(made, {"X": np.int32([-1])})["Y"].tolist() == [2**31 - 2]
    assert im.compile(made, "scalar")(X=np.int32([-1])).tolist() == [2**31 - 2]


def test_a_declared_name_stays_one() -> None:
    made = im.kernel("param inf >= 1\nY[i] = X[i] * inf")
    assert run_kernel(made, {"X": np.float32([2])}, sizes={"inf": 3})["Y"].tolist() == [6]
    assert im.kernel("Y[i] = inf[i]").inputs == ("inf",)
    with pytest.raises(LanguageError, match="there is no function 'inf'"):
        im.kernel("Y[i] = inf()")


def test_floating_point_proofs_know_them() -> None:
    types = {"x": F32}
    assert isinstance(equal_floats(SAdd(X, Inf()), SAdd(Inf(), X), types, F32, {}), Proved)
    assert isinstance(equal_floats(SAdd(Inf(), SNeg(Inf())), Nan(), types, F32, {}), Proved)
    assert not isinstance(equal_floats(SSub(SAdd(X, Inf()), Inf()), X, types, F32, {}), Proved)


def test_reals_do_not() -> None:
    for left, right in (
        (SSub(SAdd(X, Inf()), Inf()), X),
        (SMul(Inf(), sp.Integer(0)), sp.Integer(0)),
        (Inf(), SNeg(Inf())),
    ):
        assert isinstance(equal_reals(left, right, {"x": F32}), Unknown)
    assert isinstance(equal_reals(SAdd(X, Inf()), SAdd(Inf(), X), {"x": F32}), Proved)  # one tree


def test_rules_over_the_reals_are_not_used_on_them() -> None:
    """Such a claim leaves out infinite elements, and inf is never left out."""
    a, b = sp.Symbol("a"), sp.Symbol("b")
    types = dict.fromkeys("ab", F32)
    left, right = SMul(SMul(a, b), b), SMul(a, SMul(b, b))
    assert isinstance(by_rules(Question(left, right, types, F32, {}), RULES, True), Proved)
    infinite = [SMul(SMul(a, Inf()), b), SMul(a, SMul(Inf(), b))]
    assert isinstance(by_rules(Question(*infinite, types, F32, {}), RULES, True), Unknown)
    opposite = by_rules(Question(SSub(a, Inf()), SAdd(a, SNeg(Inf())), types, F32, {}), RULES, True)
    assert isinstance(opposite, Proved) and "reals" not in opposite.how
    read = Read(sp.Symbol("x"), sp.Symbol("i", integer=True))
    assert Equalities(read, {"x": DTYPES["f32"]}, DTYPES["f32"], (), True).reals
    assert not Equalities(SAdd(read, Inf()), {"x": DTYPES["f32"]}, DTYPES["f32"], (), True).reals


def test_a_zero_times_it_is_none() -> None:
    assert any_zero_is_enough(im.kernel("C[i] += A[i] * B[i]", dtypes=dict.fromkeys("ABC", "f32")))
    assert not any_zero_is_enough(im.kernel("C[i] += inf * A[i] * B[i]", dtypes=dict.fromkeys("ABC", "f32")))


def test_no_bound_of_rounding() -> None:
    made = im.kernel("Y[i] = max(X[i], -inf)")
    assert im.rounding_bound(made, {"X": (0, 1)}, {"i": 4})["Y"] == NOTHING
    assert np.isinf(im.rounding_error(im.kernel("Y[i] = X[i] - inf"), {"X": np.ones(3, np.float32)})["Y"].error).all()


def test_contracts_have_their_bits() -> None:
    made = im.kernel("y[i] = min(x[i], inf)", sizes={"i": 1})
    assert run_contract(made, start({"x": (DTYPES["f32"], 1), "y": (DTYPES["f32"], 1)}))


def test_the_python_form() -> None:
    i, (x, y) = axes("i"), tensors("X Y")
    assert kernel(y[i].set(select(x[i] < 0, -math.inf, x[i]))) == kernel("Y[i] = select(X[i] < 0, -inf, X[i])")
