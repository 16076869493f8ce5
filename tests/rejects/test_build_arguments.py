"""Arrays that do not fit the compiled kernel: each mistake is told before anything is written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, BuildError, DTypeError, SizeError
from isamap_smt.ir.hypotheses import Finite, Hypothesis
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel, _by_hand


def compiled(text: str, *hypotheses: Hypothesis) -> CompiledKernel:
    """A compiled kernel whose program takes these for granted, too."""
    program = im.plan(im.kernel(text, name="k"), "scalar").program
    return im.build(replace(program, hypotheses=(*program.hypotheses, *hypotheses)))


@pytest.fixture(scope="module")
def gemm() -> CompiledKernel:
    return compiled("C[i,j] += A[i,k] * B[k,j]", Finite("B"))


def f32(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def misaligned(*shape: int) -> np.ndarray:
    """An f32 array that starts at an odd address."""
    count = int(np.prod(shape))
    return np.zeros(4 * count + 1, np.uint8)[1:].view(np.float32).reshape(shape)


def test_right_arguments_run(gemm: CompiledKernel) -> None:
    assert gemm(f32(2, 3), f32(3, 4))[0, 0] == 3.0


HALF = np.ones((2, 3), np.float64)
SHARED = f32(12)


@pytest.mark.parametrize(
    ("args", "named", "error", "said"),
    [
        ((f32(2, 3),), {}, ArgumentError, "k: no array for B"),
        (
            (f32(2, 3), f32(3, 4), f32(2, 4)),
            {},
            ArgumentError,
            "k takes 2 inputs (A, B), got 3; an array to write into",
        ),
        ((f32(2, 3), f32(3, 4)), {"A": f32(2, 3)}, ArgumentError, "k: A is given twice, by position and by name"),
        ((f32(2, 3),), {"b": f32(3, 4)}, ArgumentError, "k has no input 'b'; "),
        ((f32(2, 3), f32(3, 4)), {"C": f32(2, 4)}, ArgumentError, "k has no input 'C'; pass it as out="),
        (([[1.0]], f32(1, 4)), {}, ArgumentError, "A must be a NumPy array or offer DLPack, not list"),
        ((HALF, f32(3, 4)), {}, DTypeError, "A is f64, k was compiled for f32; try A.astype('float32')"),
        (
            (f32(2, 3), f32(3, 4).astype(">f4")),
            {},
            DTypeError,
            "B is >f4, k was compiled for f32; try B.astype('float32')",
        ),
        (
            (np.ma.masked_array(f32(2, 3)), f32(3, 4)),
            {},
            ArgumentError,
            "A is a masked array, and kernels know no masks",
        ),
        ((f32(2, 3), f32(3, 4)), {"out": np.ma.masked_array(f32(2, 4))}, ArgumentError, "C is a masked array"),
        ((f32(6), f32(3, 4)), {}, SizeError, "A has 1 dimensions, k needs [I, K]"),
        ((f32(2, 5), f32(3, 4)), {}, SizeError, "dimension 0 of B is 3, but K = 5 because K=5 (dimension 1 of A)"),
        ((f32(2, 0), f32(0, 4)), {}, SizeError, "size K is 0 (dimension 1 of A), it must be at least 1"),
        ((f32(3, 2).T, f32(3, 4)), {}, ArgumentError, "A is not contiguous in memory (strides (4, 8) bytes"),
        ((f32(2, 6)[:, ::2], f32(3, 4)), {}, ArgumentError, "try np.ascontiguousarray(A)"),
        ((misaligned(2, 3), f32(3, 4)), {}, ArgumentError, "k: A starts at an address that is no multiple of 4 bytes"),
        ((f32(2, 3), f32(3, 4)), {"out": read_only(f32(2, 4))}, ArgumentError, "C is read-only, and k writes it"),
        (
            (f32(2, 3), f32(3, 4)),
            {"out": f32(2, 5)},
            SizeError,
            "dimension 1 of C, given as out, is 5, but J = 4 because J=4 (dimension 1 of B)",
        ),
        ((f32(2, 3), f32(3, 4)), {"out": {"D": f32(2, 4)}}, ArgumentError, "k has no output 'D'"),
        (
            (f32(2, 3), f32(3, 4)),
            {"sizes": {"K": 4}},
            SizeError,
            "dimension 1 of A is 3, but K = 4 because K=4 (sizes=",
        ),
        ((f32(2, 3), f32(3, 4)), {"sizes": {"L": 4}}, SizeError, "k has no size 'L'"),
        ((f32(2, 3), f32(3, 4)), {"threads": 0}, ArgumentError, "threads=0: must be at least 1"),
        (
            (SHARED[:6].reshape(2, 3), f32(3, 4)),
            {"out": SHARED[4:].reshape(2, 4)},
            ArgumentError,
            "k: C and A overlap in memory, and C is written; pass a copy of A",
        ),
    ],
)
def test_refused(gemm: CompiledKernel, args: Any, named: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        gemm(*args, **named)
    assert (SHARED == 1.0).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_assumption_of_the_proof_is_checked(gemm: CompiledKernel, bad: float) -> None:
    b = f32(3, 4)
    b[1, 2] = bad
    with pytest.raises(ArgumentError, match=re.escape(f"B[1, 2] is {bad}, and k was proved for finite B")):
        gemm(f32(2, 3), b)
    gemm(f32(2, 3), b, check_finite=False)
    a = f32(2, 3)
    a[0, 0] = bad
    gemm(a, f32(3, 4))  # only B is assumed finite


def test_a_size_inside_an_expression_is_found() -> None:
    conv = compiled("O[p] += I[p+r] * W[r]")
    assert conv(f32(10), f32(3)).shape == (8,)
    with pytest.raises(SizeError, match=re.escape("size P is 0 (dimension 0 of I), it must be at least 1")):
        conv(f32(2), f32(3))


def test_a_size_that_no_shape_determines() -> None:
    rows = compiled("C[i] += A[i]  where i < L")
    with pytest.raises(SizeError, match="the shapes do not determine L; pass sizes="):
        rows(f32(4))
    assert rows(f32(4), sizes={"L": 3}).shape == (4,)


def test_a_library_that_is_no_kernel(gemm: CompiledKernel) -> None:
    with pytest.raises(BuildError, match=r"\.so is not a compiled kernel: .*isamap_run"):
        _by_hand(gemm.program, "", build_library("int x;"))
    with pytest.raises(BuildError, match=r"cannot load /nowhere/k\.so"):
        _by_hand(gemm.program, "", "/nowhere/k.so")  # type: ignore[arg-type]


def test_the_other_byte_order_is_no_type_to_compile_with(gemm: CompiledKernel) -> None:
    with pytest.raises(DTypeError) as caught:
        gemm(f32(2, 3), f32(3, 4).astype(">f4"))
    assert "compile with dtypes" not in str(caught.value)
