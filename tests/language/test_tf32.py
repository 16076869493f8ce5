"""tf32(x): 11 significant bits, in every algebra; a product of tensor cores that says so is proved, and another one is refuted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import z3

import isamap_smt as im
from isamap_encodings.machine import Bits
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.activations import tf32
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import Tf32
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import Rejection, prove
from tests.uses.tile_machines import tile_machine

PRODUCT = "C[i,j] += tf32(A[i,k]) * tf32(B[k,j])"


def nearest(x: float) -> float:
    """In fractions, by counting: the nearest multiple of the step at x, the even one of two."""
    if x == 0 or not np.isfinite(x):
        return x
    exponent = max(int(np.floor(np.log2(abs(x)))), -126)
    step = Fraction(2) ** (exponent - 10)
    found = round(Fraction(x) / step) * step  # Python's ties go to even
    return float(np.copysign(np.inf, x)) if abs(found) >= Fraction(2) ** 128 else float(np.copysign(float(found), x))


def words() -> np.ndarray:
    """All ends of a step, and their neighbours, of every exponent and some significands; and random words."""
    rng = np.random.default_rng(0)
    high = np.concatenate([np.arange(0, 1 << 19, 97, np.uint32), np.arange(1 << 10, dtype=np.uint32)])
    low = np.uint32([0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF])
    every = ((high[:, None] << np.uint32(13)) + low).reshape(-1)
    found = np.concatenate(
        [every, rng.integers(0, 1 << 32, 20_000, np.uint32), np.uint32([0x7F7FFFFF, 0x7F7FEFFF, 0x7F7FF000])]
    )
    return np.asarray(found).view(np.float32)


def test_it_is_the_nearest_number_of_11_bits() -> None:
    x = words()
    with np.errstate(all="ignore"):
        got, want = tf32(x), np.array([nearest(float(v)) for v in x])
    nan = np.isnan(x)
    assert np.isnan(got[nan]).all() and not np.isnan(got[~nan]).any()
    assert (got[~nan].astype(np.float64) == want[~nan]).all() and (np.signbit(got) == np.signbit(x))[~nan].all()


def test_it_keeps_numbers_of_fewer_bits() -> None:
    """bf16 and f16 have 8 and 11 bits: their numbers are tf32's, but for the exponents that f16 lacks."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    every = np.arange(1 << 16, dtype=np.uint16)
    for kind in (np.float16, ml_dtypes.bfloat16):
        x = every.view(kind).astype(np.float32)
        assert ((tf32(x) == x) | np.isnan(x)).all()


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_the_interpreter_and_c_agree(kind: str) -> None:
    kernel = im.kernel("y[i] = tf32(x[i])", name="rounded", dtypes=dict.fromkeys("xy", kind))
    x = words()[~np.isnan(words())].astype(kind.replace("f", "float"))
    with np.errstate(all="ignore"):
        want = tf32(x.astype(np.float32)).astype(x.dtype)
    for got in (run_kernel(kernel, {"x": x})["y"], im.build(im.plan(kernel, "scalar"))(x)):
        assert ((got == want) | (np.isnan(got) & np.isnan(want))).all()


def test_z3_says_what_the_interpreter_computes() -> None:
    term = Bits({"x": ("f", 32)}).floats.value(Tf32(sp.Symbol("x")), ("f", 32))
    x = words()[::701]
    with np.errstate(all="ignore"):
        want = tf32(x)
    for given, out in zip(x, want, strict=True):
        one = z3.fpBVToFP(z3.BitVecVal(int(given.view(np.uint32)), 32), z3.Float32())
        found = z3.simplify(z3.substitute(term, (z3.FP("x", z3.Float32()), one)))
        other = z3.fpBVToFP(z3.BitVecVal(int(out.view(np.uint32)), 32), z3.Float32())
        assert z3.is_true(z3.simplify(found == other)), given


def test_a_product_of_tensor_cores_is_proved_and_run() -> None:
    machine = tile_machine("acc[i,j] += tf32(a[k,i]) * tf32(b[k,j])")
    kernel, sizes = im.kernel(PRODUCT, name="product"), {"i": 9, "j": 17, "k": 21}
    plan = im.stage(kernel, machine, sizes=sizes)
    rng = np.random.default_rng(1)
    A, B = (rng.standard_normal(s).astype(np.float32) for s in ((9, 21), (21, 17)))
    got = im.simulate(plan.program, {"A": A, "B": B}).outputs["C"]
    exact = np.array([[nearest(float(v)) for v in row] for row in A]) @ np.array(
        [[nearest(float(v)) for v in row] for row in B]
    )
    assert plan.proof.word == "proved"
    assert np.abs(got - exact).max() < 1e-5 < np.abs(A.astype(np.float64) @ B - exact).max()


@pytest.mark.parametrize(
    ("kernel", "contract"),
    [
        ("C[i,j] += A[i,k] * B[k,j]", "acc[i,j] += tf32(a[k,i]) * tf32(b[k,j])"),
        (PRODUCT, "acc[i,j] += a[k,i] * b[k,j]"),
        (PRODUCT, "acc[i,j] += tf32(a[k,i]) * b[k,j]"),
        (PRODUCT, "acc[i,j] += tf32(a[k,i] * b[k,j])"),
        (PRODUCT, "acc[i,j] += f32(bf16(a[k,i])) * f32(bf16(b[k,j]))"),
    ],
)
def test_another_rounding_is_refuted_with_an_input(kernel: str, contract: str) -> None:
    machine = tile_machine(contract)
    refused = prove(fuse(im.kernel(kernel, name="product"), machine.instruction("multiply"), "i=i,j=j,k=k"))
    assert isinstance(refused, Rejection)
    (claim,) = refused.proof.failed()
    assert isinstance(claim.verdict, Refuted) and claim.claim == "scalar"
    a, b = (np.float32(claim.verdict.witness[n]) for n in ("A[i,k]", "B[k,j]"))

    def of(text: str) -> float:
        value = text.partition("+= ")[2]
        for name, index in (("A", "i,k"), ("B", "k,j"), ("a", "k,i"), ("b", "k,j")):
            value = value.replace(f"{name}[{index}]", {"a": "x[]", "b": "y[]"}[name.lower()])
        one = im.kernel(f"z[] = {value}", name="one")
        return float(im.build(im.plan(one, "scalar"))(x=a, y=b)[()])

    assert of(kernel) != of(contract)


def test_its_error_is_bounded_where_its_argument_is_off() -> None:
    none = im.rounding_bound(im.kernel("y[i] = tf32(x[i])"), {"x": (-2, 2)}, {"i": 4})["y"]
    off = im.rounding_bound(im.kernel("y[i] = tf32(x[i] * 3)"), {"x": (-2, 2)}, {"i": 4})["y"]
    assert none.error == 0 and 6 * 2.0**-11 < off.error < 6 * 2.0**-9
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, 20_000).astype(np.float32)
    exact = np.array([nearest(float(v)) for v in 3 * x.astype(np.float64)])
    got = run_kernel(im.kernel("y[i] = tf32(x[i] * 3)"), {"x": x})["y"]
    assert (np.abs(got - exact) <= off.error).all() and np.abs(got - exact).max() > 0
