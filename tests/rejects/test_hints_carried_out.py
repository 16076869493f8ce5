"""What an error tells to do is done here, word for word where it is code: it works, and the caller's data is where it belongs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.proof.narrow import sums_fit

GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="k")
A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(scope="module")
def gemm() -> im.CompiledKernel:
    return im.compile(GEMM, "scalar")


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(IsamapError) as told:
        call()
    return str(told.value)


def tried(said: str, **names: Any) -> Any:
    """The value of the first expression behind `try`."""
    found = re.search(r"; try (\S+\([^;]*?\))(?:,| if|$)", said)
    assert found, said
    return eval(found[1], {"np": np, **names})


def written(said: str, out: np.ndarray, run: Callable[[np.ndarray], Any]) -> None:
    """The hint for an array that is written: `whole = ...`, out=whole and `C[...] = whole`."""
    before, after = re.findall(r"`([^`]*)`", said)
    names: dict[str, Any] = {"np": np, "C": out}
    exec(before, names)
    run(names["whole"])
    exec(after, names)


@pytest.mark.parametrize("bad", ["of one row", "of another type"])
def test_an_array_that_is_written_gets_the_result(gemm: im.CompiledKernel, bad: str) -> None:
    out = np.full((2, 4), 100, np.float64)
    if bad == "of one row":
        row = np.lib.stride_tricks.as_strided(np.full(4, 100, np.float32), (2, 4), (0, 4))
        with pytest.raises(
            im.IsamapError, match=r"two elements of C lie at one address .*; try `whole = C.copy\(\)`, out=whole and"
        ):
            gemm(A, B, out=row)
        strided = np.full((2, 8), 100, np.float32)[:, ::2]
        gemm(A, B, out=strided)
        assert np.array_equal(strided, 100 + A @ B)
        return
    said = refused(lambda: gemm(A, B, out=out))
    written(said, out, lambda whole: gemm(A, B, out=whole))
    assert np.array_equal(out, 100 + A @ B)


def test_an_array_that_is_read_only(gemm: im.CompiledKernel) -> None:
    out = np.full((2, 4), 100, np.float32)
    out.flags.writeable = False
    said = refused(lambda: gemm(A, B, out=out))
    names: dict[str, Any] = {"C": out}
    exec(re.findall(r"`([^`]*)`", said)[0], names)
    assert np.array_equal(gemm(A, B, out=names["whole"]), 100 + A @ B)


def test_an_input_that_lies_apart_is_copied_or_read_in_place(gemm: im.CompiledKernel) -> None:
    wide = np.full((2, 9), np.nan, np.float32)
    wide[:, :3] = A
    said = refused(lambda: gemm(wide[:, :3], B))
    assert np.array_equal(gemm(tried(said, A=wide[:, :3]), B), A @ B)
    option = re.search(r"compile with (strided=\[.*?\])", said)
    assert option
    in_place = eval(f"im.compile(GEMM, 'scalar', {option[1]})", {"im": im, "GEMM": GEMM})
    assert np.array_equal(in_place(wide[:, :3], B), A @ B)


def test_an_overlap_is_mended_by_a_copy_of_the_input(gemm: im.CompiledKernel) -> None:
    memory = np.arange(20, dtype=np.float32)
    a, out = memory[:6].reshape(2, 3), memory[4:12].reshape(2, 4)
    right = out + a @ B
    said = refused(lambda: gemm(a, B, out=out))
    assert said.endswith("pass a copy of A")
    gemm(a.copy(), B, out=out)
    assert np.array_equal(out, right)


BITS = np.array([0x3F80, 0x4000, 0xC040], np.uint16)  # 1, 2 and -3 in bf16


@pytest.mark.parametrize("raw", [BITS, BITS.view("V2")])
def test_bits_are_looked_at_as_numbers(raw: np.ndarray) -> None:
    double = im.compile(im.kernel("Y[i] = X[i] + X[i]", dtypes={"X": "bf16", "Y": "bf16"}), "scalar")
    said = refused(lambda: double(raw))
    right = tried(said, X=raw)
    assert right.dtype == ml_dtypes.bfloat16
    assert double(right).astype(np.float32).tolist() == [2, 4, -6]
    assert "X.astype('bfloat16') if they are numbers" in said or raw.dtype.kind == "V"


@pytest.mark.parametrize(("dtype", "loses"), [("f2", False), ("f8", True), ("i8", True)])
def test_a_conversion_says_whether_it_keeps_every_number(gemm: im.CompiledKernel, dtype: str, loses: bool) -> None:
    said = refused(lambda: gemm(A.astype(dtype), B))
    assert ("which does not keep every number" in said) is loses
    assert np.array_equal(gemm(tried(said, A=A.astype(dtype)), B), A @ B)


def test_infinities_beside_padding() -> None:
    text = "O[n,k,p,q] += I[n,c,p+r-1,q+s-1] * W[k,c,r,s] where 0 <= p+r-1 < P and 0 <= q+s-1 < Q"
    kernel, sizes = im.kernel(text, name="conv"), {"r": 3, "s": 3}
    x, w = np.ones((1, 2, 4, 5), np.float32), np.ones((2, 2, 3, 3), np.float32)
    w[0, 0, 0, 0] = np.inf
    compiled = im.compile(kernel, "scalar", sizes=sizes)
    said = refused(lambda: compiled(x, w))
    option = re.search(r"compile with (fix=\{.*?\})", said)
    assert option and option[1] == "fix={'pad.I': 'tests'}"
    made = eval(f"im.compile(kernel, 'scalar', sizes=sizes, {option[1]})", {"im": im, "kernel": kernel, "sizes": sizes})
    assert not np.isnan(made(x, w)).any()
    assert compiled(x, w, check_finite=False).shape == (1, 2, 4, 5)


def test_no_instruction_is_blamed_where_none_asks() -> None:
    from dataclasses import replace

    program = im.plan(GEMM, "scalar").program
    asked = im.build(replace(program, hypotheses=(*program.hypotheses, Relation.of("J % 8 == 0"))))
    said = refused(lambda: asked(A, B))
    assert "J % 8 == 0 does not hold, and the program is proved where it does; compile for these sizes" in said
    assert np.array_equal(im.compile(GEMM, "scalar", sizes={"j": 4})(A, B), A @ B)


def test_a_division_of_integers_is_cast() -> None:
    types = dict.fromkeys("YXZ", "i32")
    said = refused(lambda: im.kernel("Y[i] = X[i] / Z[i]", dtypes=types))
    assert "cast its operands, such as f32(x)" in said
    made = im.compile(im.kernel("Y[i] = i32(f32(X[i]) / f32(Z[i]))", dtypes=types), "scalar")
    assert made(np.array([7, -7], np.int32), np.array([2, 2], np.int32)).tolist() == [3, -3]


def test_a_size_that_shapes_leave_open() -> None:
    rows = im.compile(im.kernel("C[i] += A[i]  where i < L"), "scalar")
    x = np.ones(4, np.float32)
    said = refused(lambda: rows(x))
    sizes = re.search(r"pass sizes=\{'L': \.\.\.\}", said)
    assert sizes, said
    assert rows(x, sizes={"L": 3}).tolist() == [1, 1, 1, 0]


def test_element_types_of_a_machine_are_taken_or_given() -> None:
    assert im.stage("gemm", "gemmini", sizes=dict.fromkeys("ijk", 16)).proof
    said = refused(lambda: im.stage(im.find_kernel("gemm"), "gemmini", sizes=dict.fromkeys("ijk", 16)))
    assert "give it others with with_dtypes() or --dtypes" in said
    typed = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
    assert im.stage(typed, "gemmini", sizes=dict.fromkeys("ijk", 16)).proof


def test_a_stated_range_is_looked_at_also_where_no_claim_needs_it() -> None:
    picked = im.kernel("assume W <= 5\nI: i32[N]\nY[n] = W[I[n]]\nW: i32[V]\nY: i32", name="picked")
    run = im.compile(picked, "scalar")
    at, w = np.array([1, 0], np.int32), np.array([3, 9], np.int32)
    given = {"I": at, "W": w}
    said = refused(lambda: run(**given))
    assert said.startswith("W[1] is 9") and "pass check_ranges=False" in said
    assert run(**given, check_ranges=False).tolist() == [9, 3]
    w[1] = 5
    assert run(**given).tolist() == [5, 3]


def test_no_size_below_one_is_said_to_fit() -> None:
    """Not one term fits 8 bits: a sum has one at least."""
    kernel = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
    for sizes in ({}, {"k": 4}):
        verdict = sums_fit(kernel.with_sizes(sizes), 8, "cells")
        assert isinstance(verdict, Refuted) and verdict.text.endswith("; no sum of such terms fits")
