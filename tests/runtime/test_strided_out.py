"""Outputs that are not contiguous: computed in a copy and taken back; arrays that share elements are refused."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, DTypeError
from isamap_smt.runtime.compiled import CompiledKernel


@pytest.fixture(scope="module")
def run() -> CompiledKernel:
    return im.compile(im.kernel("Y[i,j] += X[i,j]", name="add"), "scalar")


PARTS = [np.s_[::2, 1:], np.s_[:4, ::3], np.s_[::-1, :3], np.s_[1:7:3, ::-1], np.s_[:, 2]]


@pytest.mark.parametrize("part", PARTS[:-1])
def test_each_run_adds_once_more_and_touches_nothing_else(run: CompiledKernel, part: tuple[slice, slice]) -> None:
    whole = np.arange(96, dtype=np.float32).reshape(8, 12)
    want, out = whole.copy(), whole[part]
    x = np.random.default_rng(1).integers(-9, 9, out.shape).astype(np.float32)
    call = run.prepare(x, out=out)
    for _ in range(4):
        call.run()
        want[part] += x
        assert np.array_equal(whole, want)
    out[...] = 1  # what the caller does in between is seen
    call.run()
    assert np.array_equal(call.result, 1 + x) and call.result is out
    for _ in range(4):
        assert run(x, out=out) is out
    assert np.array_equal(out, 1 + 5 * x)


def test_what_lies_between_its_elements_may_be_an_input(run: CompiledKernel) -> None:
    whole = np.arange(40, dtype=np.float32).reshape(4, 10)
    even, odd = whole[:, ::2], np.ascontiguousarray(whole[:, 1::2])
    want = even + odd
    assert np.array_equal(run(odd, out=even), want)
    down = whole[::-1, 1::2]
    x = whole[:, ::2].copy()
    want = down + x
    assert np.array_equal(run(x, out=down), want)


def test_arrays_that_share_elements_are_refused(run: CompiledKernel) -> None:
    whole = np.arange(40, dtype=np.float32).reshape(4, 10)
    with pytest.raises(ArgumentError, match=r"^add: Y and X overlap in memory, and Y is written; pass a copy of X$"):
        run(whole.reshape(8, 5)[:4], out=whole[:, ::2])
    for strides in ((4, 4), (0, 4), (20, 8)):
        out = np.lib.stride_tricks.as_strided(whole, (4, 5), strides)
        if out.flags.c_contiguous:
            continue
        if strides != (20, 8):
            with pytest.raises(ArgumentError, match=r"^two elements of Y lie at one address"):
                run(np.ones((4, 5), np.float32), out=out)
    pair = im.compile(im.kernel("Y[i] = X[i]\nZ[i] = X[i] + 1", name="pair"), "scalar")
    both = np.zeros(9, np.float32)
    with pytest.raises(
        ArgumentError, match=r"Y and Z overlap in memory, and Y is written; give each an array of its own"
    ):
        pair(np.ones(3, np.float32), out={"Y": both[::2][:3], "Z": both[2:5]})


def test_what_no_copy_helps_is_refused(run: CompiledKernel) -> None:
    x, fixed = np.ones((4, 5), np.float32), np.zeros((4, 10), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(ArgumentError, match=r"^Y is read-only"):
        run(x, out=fixed[:, ::2])
    with pytest.raises(DTypeError, match=r"^Y is f64"):
        run(x, out=np.zeros((4, 10))[:, ::2])
    whole = np.zeros((4, 10), np.float32)
    with pytest.raises(im.IsamapError, match="dimension 1 of Y"):
        run(x, out=whole[:, 1::3])
    assert not whole.any()
