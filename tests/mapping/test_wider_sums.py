"""Sums of narrow types: what they lose is said, and on request they are carried in a wider type and rounded once."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import DTypeError, WrongKindError
from isamap_smt.mapping.wider_sums import narrow_sums

LONG = {"K": 900, "Q": 900}
BF16 = np.dtype(ml_dtypes.bfloat16)
GEMM = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", "bf16"))


def of(text: str, kind: str = "bf16") -> im.Kernel:
    made = im.kernel(text, name="narrow")
    return made.with_dtypes({t.name: kind for t in made.tensors})


def drawn(kernel: im.Kernel, sizes: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    rng, fixed = np.random.default_rng(seed), kernel.with_sizes(sizes)
    shapes = {n: tuple(map(int, fixed.tensor(n).shape)) for n in kernel.inputs}
    return {n: rng.uniform(0.5, 1.5, shape).astype(kernel.tensor(n).dtype.numpy) for n, shape in shapes.items()}


@pytest.mark.parametrize(
    "text",
    [
        "C[i,j] += A[i,k] * B[k,j]",
        "S[i+k] += A[i,k,q] * B[q]",
        "S[i//2] += A[i,k]",
        "S[k+q] += A[k] * B[q]",
        "S[] += A[k] where k < 700",
        "S[i] += f32(A[i,k]) * f32(B[k,i])",
        "temporary M\nM[i] += A[i,k]\nY[i,k] = A[i,k] / M[i]",
        "for t:\n  R[t,j] += X[t,k] * W[k,j]\n  H[t,j] = R[t,j] * 0.5",
        "for t:\n  R[2*t,j] += X[t,k] * W[k,j]\n  H[t,j] = R[2*t,j] * 0.5",
        "R: [T+1,J]\nfor t:\n  R[t+1,j] += X[t,k] * W[k,j]\n  H[t,j] = R[t+1,j] * 0.5",
        "S[k%2] += A[i,k]",
        "S[k+q] += A[k,q]\nY[q] = S[q+K-1]",
    ],
)
def test_each_sum_is_rounded_once(text: str) -> None:
    kernel = of(text)
    wide = im.accumulate(kernel)
    assert im.kernel(wide.text, name="narrow") == wide
    assert wide.results == kernel.results
    sizes = {n: LONG.get(n, 3) for n in kernel.free_sizes}
    arrays = drawn(kernel, sizes)
    found = im.run_kernel(wide, arrays, sizes=sizes)
    exact = im.run_kernel(
        kernel.with_dtypes({t.name: "f64" for t in kernel.tensors}),
        {n: a.astype(np.float64) for n, a in arrays.items()},
        sizes=sizes,
    )
    narrow = im.run_kernel(kernel, arrays, sizes=sizes)
    name = kernel.results[-1]
    off, before = (np.abs(r[name].astype(np.float64) - exact[name]) / np.abs(exact[name]) for r in (found, narrow))
    assert off.max() <= 2.0**-7  # of one rounding or two
    assert before.max() > 0.05


@pytest.mark.parametrize("target", ["R[t//2,j]", "R[t%2,j]"])
def test_a_sum_over_time_steps_is_not_rounded_once_in_each(target: str) -> None:
    kernel = of(f"for t:\n  {target} += X[t,k] * W[k,j]\n  H[t,j] = {target}")
    with pytest.raises(DTypeError, match="statement 1 of narrow adds to elements of R in several time steps"):
        im.accumulate(kernel)
    assert [n for n in narrow_sums(kernel.with_sizes({"t": 4, "k": 900})) if n.endswith("Give it a wider type")]


def test_products_are_carried_on_too() -> None:
    kernel = of("P[] *= A[i]")
    wide = im.accumulate(kernel)
    arrays = {"A": np.full(300, 1.0078125, BF16)}
    exact = 1.0078125**300
    assert abs(float(im.run_kernel(wide, arrays)["P"]) - exact) / exact < 2.0**-8
    assert abs(float(im.run_kernel(kernel, arrays)["P"]) - exact) / exact > 0.05


def test_what_is_planned_and_proved_is_the_kernel_with_the_wider_sum() -> None:
    wide = im.accumulate(GEMM, "f32")
    plan = im.plan(wide, "avx2", sizes={"i": 8, "j": 16, "k": 512})
    assert plan.instruction is not None and "fmadd_ps" in str(plan)
    assert plan.kernel.tensor("C_f32").dtype.name == "f32" and plan.kernel.text == wide.text
    assert not [n for n in plan.notes if "is summed up in" in n]


@pytest.mark.parametrize(
    ("kind", "terms", "told"),
    [
        ("bf16", 4096, "keeps 8 bits: one after the other, 4,096 equal terms add up to 256 of them, 94% lost"),
        ("f16", 4096, "keeps 11 bits: one after the other, 4,096 equal terms add up to 2,048 of them, 50% lost"),
        ("bf16", 256, None),
        ("f16", 2048, None),
        ("f32", 100_000, None),
    ],
)  # fmt: skip
def test_a_plan_says_what_a_narrow_sum_loses(kind: str, terms: int, told: str | None) -> None:
    """And it is true: ones are added up."""
    kernel = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", kind))
    found = [n for n in im.plan(kernel, "avx2", sizes={"i": 2, "j": 2, "k": terms}).notes if "summed up" in n]
    assert bool(found) == (told is not None)
    kept = terms
    if told is not None:
        assert found[0].startswith(f"C is summed up in {kind}, which {told}") and "--accumulate f32" in found[0]
        kept = int(found[0].split("add up to ")[1].split(" ")[0].replace(",", ""))
    if kind != "f32":
        ones = np.ones(terms, kernel.tensor("A").dtype.numpy)
        total = im.run_kernel(of("S[] += A[k]", kind), {"A": ones})["S"]
        assert float(total) == kept


def test_of_an_open_length_it_says_when() -> None:
    (told,) = narrow_sums(GEMM)
    assert "of more than 256 equal terms the rest is lost" in told


@pytest.mark.parametrize(
    ("kernel", "kind", "error", "words"),
    [
        (im.find_kernel("gemm"), "f32", DTypeError, "no sum of gemm has a floating-point type narrower than f32: leave"),
        (of("C[i] max= A[i,k]"), "f32", DTypeError, "no sum of narrow has a floating-point type narrower than f32"),
        (GEMM, "bf16", DTypeError, "accumulate=bf16: sums are carried in f32 or f64"),
        (GEMM, "i32", DTypeError, "accumulate=i32: sums are carried in f32 or f64"),
        ("gemm", "f32", WrongKindError, r"accumulate\(\) takes Kernel, not str"),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_is_refused(kernel: im.Kernel, kind: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        im.accumulate(kernel, kind)


@pytest.mark.parametrize(
    ("machine", "kind", "computed"),
    [("avx2", "bf16", "selected"), ("avx512", "f16", "selected"), ("avx512_bf16", "bf16", "dpbf16_ps")],
)
def test_a_plan_by_points_says_what_would_use_vectors(machine: str, kind: str, computed: str) -> None:
    """No register adds up bf16; sums in f32 take a hundredth of the time."""
    narrow = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", kind))
    made, better = (im.plan(k, machine, sizes=dict(i=16, j=32, k=64)) for k in (narrow, im.accumulate(narrow)))
    (note,) = made.notes
    assert f"Each sum in f32, rounded once, is computed by {machine}.{computed}" in note
    assert "`--accumulate f32` (isamap_smt.accumulate(kernel, 'f32'))" in note
    assert better.instruction is not None and better.instruction.axes and not better.notes


def test_nothing_is_advised_where_f32_has_no_vectors_either() -> None:
    narrow = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", "f16"))
    assert im.plan(narrow, "scalar", sizes=dict(i=4, j=4, k=8)).notes == (
        "no vector instruction of scalar computes gemm; falling back to scalar.muladd_f16",
    )


@pytest.mark.needs("avx2", "fma")
def test_the_command_carries_the_sum_that_it_says_loses(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "run",
        "gemm",
        "avx2",
        "--dtypes",
        "A=bf16,B=bf16,C=bf16",
        "--sizes",
        "i=8,j=16,k=4096",
        "--json",
        "--seconds",
        "0",
    ]
    found = []
    for more in ([], ["--accumulate", "f32"]):
        assert run([*asked, *more]) == 0
        found.append(json.loads(capsys.readouterr().out))
    narrow, wide = found
    assert any("94% lost" in n for n in narrow["notes"]) and not any("lost" in n for n in wide["notes"])
    assert wide["instruction"] in ("avx2.fmadd_ps", "avx2.selected") and narrow["instruction"] is None
    assert wide["max_error"] < 0.01 < narrow["max_error"]
