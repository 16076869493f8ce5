"""ceil(x) and trunc(x), rows beside floor's and rint's: what every algebra makes of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from isamap_encodings.error_steps import Known, step
from isamap_encodings.scalar import equal_reals
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import Ceil, Floor, SNeg, Trunc, Unary
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import Rejection, prove
from tests.language.test_rint import KINDS, numbers, same

X = sp.Symbol("x")
HEADS = {"ceil": (np.ceil, Ceil), "trunc": (np.trunc, Trunc)}
NAMES = pytest.mark.parametrize("name", HEADS)


def kernel_of(name: str, kind: str = "f32") -> im.Kernel:
    return im.kernel(f"y[i] = {name}(x[i])", name="whole", dtypes=dict.fromkeys("xy", kind))


@NAMES
@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_and_c_give_what_numpy_gives(name: str, kind: str) -> None:
    kernel, x = kernel_of(name, kind), numbers(kind)
    want = HEADS[name][0](x.astype(np.float64)).astype(x.dtype)  # each is a number of the type
    assert same(run_kernel(kernel, {"x": x})["y"], want)
    assert same(im.build(im.plan(kernel, "scalar"))(x), want)


@NAMES
@pytest.mark.parametrize(
    "machine",
    [pytest.param("avx2", marks=pytest.mark.needs("avx2")), pytest.param("avx512", marks=pytest.mark.needs("avx512f"))],
)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_vector_instructions_give_what_numpy_gives(name: str, machine: str, kind: str) -> None:
    kernel, x = kernel_of(name, kind), numbers(kind)
    plan = im.plan(kernel, machine)
    assert {"avx2": "_mm256_round_", "avx512": "_mm512_roundscale_"}[machine] in plan.source
    assert same(im.build(plan)(x), HEADS[name][0](x))


@pytest.mark.parametrize(("name", "call"), [("ceil", "vrndpq_f32"), ("trunc", "vrndq_f32")])
def test_neon_has_an_instruction(name: str, call: str) -> None:
    assert call in im.plan(kernel_of(name), "neon").source


def test_over_the_reals() -> None:
    types = {"x": ("f", 32)}
    assert isinstance(equal_reals(Ceil(X), SNeg(Floor(SNeg(X))), types), Proved)
    assert isinstance(equal_reals(Trunc(SNeg(X)), SNeg(Trunc(X)), types), Proved)
    assert isinstance(equal_reals(Trunc(X), Floor(X), types), Refuted)
    assert isinstance(equal_reals(Trunc(X), Ceil(X), types), Refuted)


@NAMES
def test_another_instruction_is_refuted(name: str) -> None:
    machine = {i.name: i for i in isamap_hardware.load("avx2").instructions}
    assert not isinstance(prove(fuse(kernel_of(name), machine[f"avx2.{name}_ps"], "l=i")), Rejection)
    for other in {"floor", "rint", *HEADS} - {name}:
        refused = prove(fuse(kernel_of(name), machine[f"avx2.{other}_ps"], "l=i"))
        assert isinstance(refused, Rejection)
        (claim,) = refused.proof.failed()
        assert isinstance(claim.verdict, Refuted) and claim.claim == "scalar"


@NAMES
def test_errors_jump_by_one_where_the_argument_is_off(name: str) -> None:
    far, none = (
        im.rounding_bound(im.kernel(f"y[i] = {name}({x})"), {"x": (-2, 2)}, {"i": 4})["y"] for x in ("x[i] * 3", "x[i]")
    )
    assert 1 <= far.error < 1.001 and none.error == 0 and none.low <= -2 and none.high >= 2
    followed = im.rounding_error(im.kernel(f"y[i] = {name}(x[i] * 3)"), {"x": np.float32([1 / 3, 0.4, 1.7, -0.9])})["y"]
    assert followed.error.tolist()[0] >= 0.5 and not followed.error[1:].any()


@pytest.mark.parametrize(("name", "below", "above"), [("ceil", 0, 1), ("trunc", 1, 1)])
def test_a_step_of_it_is_proved_and_not_with_less(name: str, below: int, above: int) -> None:
    given, one = Known(Fraction(-2), Fraction(2), Fraction(0), Fraction(1, 100)), Fraction(1, 100)
    low, high = Fraction(-2 - below), Fraction(2 + above)
    assert step(name, [given], Known(low, high, Fraction(0), 2 + one), None).word == "proved"
    assert step(name, [given], Known(low, high, Fraction(0), Fraction(1, 2)), None).word == "refuted"
    assert step(name, [Known(given.low, given.high)], Known(low, high), None).word == "proved"


def test_each_is_a_function_of_its_own() -> None:
    assert all(issubclass(head, Unary) and head.floating for _, head in HEADS.values())
