"""Weights of few bits that are converted within a product: in registers, where each of them is used a few times."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.interpret import run_kernel

TYPES = ("f16", "bf16", "i8", "u8", "f8e4m3", "f8e5m2", "f4e2m1", "e8m0")


def product(of: str, rows: int, n: int, k: int, turned: bool) -> im.Kernel:
    text = f"Y[m,i] += X[m,k] * f32({'W[k,i]' if turned else 'W[i,k]'})"
    return im.kernel(text, name="weighted", dtypes={"W": of, "X": "f32", "Y": "f32"}).with_sizes(dict(m=rows, i=n, k=k))


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
@pytest.mark.parametrize("of", TYPES)
def test_they_are_converted_by_an_instruction(machine: str, of: str) -> None:
    lanes = 8 if machine == "avx2" else 16
    for turned in (False, True):
        assert f"f32_of_{of}_{lanes}" in str(im.plan(product(of, 1, 512, 1024, turned), machine))


def test_of_many_rows_they_are_converted_once() -> None:
    assert "f32_of_f16" not in str(im.plan(product("f16", 256, 512, 512, True), "avx512"))


@pytest.mark.parametrize("of", TYPES)
@pytest.mark.parametrize("turned", [False, True])
def test_results_are_those_of_the_interpreter(of: str, turned: bool) -> None:
    """Every number of the type, and small whole numbers beside it: each sum is exact, in whatever order."""
    rng = np.random.default_rng(0)
    kernel = product(of, 3, 37, 70, turned)
    kind = DTYPES[of]
    shape = (70, 37) if turned else (37, 70)
    w = np.zeros(shape, np.float64)
    w[:] = rng.choice([0.5, 1, 2, 4] if of == "e8m0" else [0, 1, 2, 3, 4], shape)
    x = rng.integers(-3, 4, (3, 70)).astype(np.float32)
    arrays = {"W": w.astype(kind.numpy), "X": x}
    np.testing.assert_array_equal(im.compile(kernel, "host")(**arrays), run_kernel(kernel, arrays)["Y"])


@pytest.mark.parametrize(("of", "scale"), [("i8", "f16"), ("f8e4m3", "e8m0"), ("f8e5m2", "e8m0"), ("f4e2m1", "e8m0")])
def test_weights_in_blocks_with_a_scale_each(of: str, scale: str) -> None:
    """Q8_0, MXFP8 and MXFP4: sums of small numbers times powers of two are exact."""
    rng, rows, blocks, each = np.random.default_rng(0), 9, 5, 32
    kinds = {"W": of, "S": scale, "X": "f32", "Y": "f32"}
    kernel = im.kernel("Y[i] += f32(W[i,b,e]) * f32(S[i,b]) * X[b,e]", name="blocks", dtypes=kinds)
    arrays = {
        "W": rng.integers(-2, 3, (rows, blocks, each)).astype(np.float32).astype(DTYPES[of].numpy),
        "S": np.exp2(rng.integers(-2, 3, (rows, blocks))).astype(np.float32).astype(DTYPES[scale].numpy),
        "X": rng.integers(-3, 4, (blocks, each)).astype(np.float32),
    }
    wide = {n: a.astype(np.float64) for n, a in arrays.items()}
    meant = np.einsum("ibe,ib,be->i", wide["W"], wide["S"], wide["X"])
    for sizes in ({}, dict(i=rows, b=blocks, e=each)):
        np.testing.assert_array_equal(im.compile(kernel.with_sizes(sizes), "host")(**arrays), meant)
    for machine in ("avx2", "avx512"):
        plan = im.plan(kernel.with_sizes(dict(i=512, b=32, e=32)), machine)
        assert f"f32_of_{of}_" in str(plan) and f"f32_of_{scale}_" in str(plan)


@pytest.mark.needs("avx2", "f16c")
@pytest.mark.parametrize("of", TYPES)
def test_each_number_of_a_type_is_converted_as_it_is(of: str) -> None:
    """Infinities and NaN, too."""
    kind = DTYPES[of]
    if kind.bits > 8:
        held = np.arange(1 << 16, dtype=np.uint16).view(kind.numpy)
    else:
        held = np.arange(1 << kind.bits, dtype=np.uint8).view(kind.numpy)
    kernel = im.kernel("Y[i] = f32(W[i])", name="wide", dtypes={"W": of, "Y": "f32"}).with_sizes(dict(i=held.size))
    made = im.plan(kernel, "host")
    assert f"f32_of_{of}" in str(made)
    np.testing.assert_array_equal(im.build(made)(W=held), held.astype(np.float32))
