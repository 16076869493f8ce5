"""No zero is multiplied by what is infinite though the elements it is made of are finite: that is NaN, and no padding."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen import mapped, stages
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.zero_products import any_zero_is_enough

IMAGE = "A[p+r-1,q+s-1] where 0 <= p+r-1 < P and 0 <= q+s-1 < Q"
SIZES = {"p": 30, "q": 30, "r": 3, "s": 3, "c": 40}
LARGE = [
    (f"C[p,q,c] += (3*W[r,s,c])*{IMAGE}", {"A": "f32", "W": "f32", "C": "f32"}, 3e38),
    (f"C[p,q,c] += W[r,s,c]*{IMAGE}", {"A": "f32", "W": "f64", "C": "f32"}, 1e300),
    (f"C[p,q,c] += W[r,s,c]*{IMAGE}", {"A": "f16", "W": "i64", "C": "f16"}, 100_000),
    (f"C[p,q,c] += (W[r,s,c]*W[r,s,c])*{IMAGE}", {"A": "f32", "W": "f32", "C": "f32"}, 1e30),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("text", "dtypes", "large"), LARGE, ids=range(len(LARGE)))
def test_what_overflows_meets_no_padding(text: str, dtypes: dict[str, str], large: float) -> None:
    kernel = im.kernel(text, dtypes=dtypes)
    compiled = im.compile(kernel, "host", sizes=SIZES)
    fixed = kernel.with_sizes(SIZES)
    inputs = {n: np.ones(tuple(map(int, fixed.tensor(n).shape)), fixed.tensor(n).dtype.numpy) for n in ("A", "W")}
    inputs["W"][...] = large
    with np.errstate(all="ignore"):
        expected = run_kernel(fixed, inputs)["C"]
    assert np.isinf(expected).all()  # each element has a point inside, and no NaN
    assert np.array_equal(compiled(**inputs), expected)


@pytest.mark.parametrize("n", range(len(LARGE)))
def test_neutral_alone_refutes_a_copy_with_zeros(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, dtypes, _ = LARGE[n]
    kernel = im.kernel(text, dtypes=dtypes).with_sizes(SIZES)
    mapping = im.find_mappings(kernel, point_instruction(kernel)).legal[0]
    for module in (mapped, stages):
        monkeypatch.setattr(module, "keeps_finite", lambda _: True)
    copied = im.schedule(mapping, im.find_hardware("host"), fix={"pack.A": "L1"})
    failed = prove_program(lower(copied)).failed()
    assert {c.claim for c in failed} == {"neutral"}
    assert all(isinstance(c.verdict, Refuted) for c in failed)


@pytest.mark.parametrize(
    ("value", "dtypes", "enough"),
    [
        ("A[i]*B[i]", "fff", True), ("3*(A[i]*B[i])", "fff", True), ("3*A[i]*B[i]", "fff", False),
        ("(0.5*A[i])*B[i]", "fff", True), ("-A[i]*-B[i]", "fff", True), ("(A[i]*B[i])*A[i]", "fff", True),
        ("(A[i]*A[i])*B[i]", "fff", False), ("f32(A[i])*f32(B[i])", "hfh", True), ("f32(A[i])*f32(B[i])", "fdf", False),
        ("f16(A[i])*f16(B[i])", "hbh", False), ("A[i]*B[i]", "hjh", False), ("A[i]*B[i]", "fjf", True),
        ("A[i]*B[i]", "hkh", False), ("A[i]*B[i]", "hbh", False), ("exp(A[i])*B[i]", "fff", False),
    ],
)  # fmt: skip
def test_one_zero_is_enough_where_nothing_overflows(value: str, dtypes: str, enough: bool) -> None:
    names = {"f": "f32", "h": "f16", "b": "bf16", "d": "f64", "j": "i32", "k": "u16"}
    types = dict(zip("ABC", (names[d] for d in dtypes), strict=True))
    assert any_zero_is_enough(im.kernel(f"C[i] += {value}", dtypes=types)) is enough
