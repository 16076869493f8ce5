"""Elements found by data, compiled: against NumPy's own indexing, bit for bit, and every index that is none is named."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ArgumentError, SizeError
from isamap_smt.language import to_text
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.simulator.run import run_program

GATHER = "E: [V,J]\nY[i,j] = E[idx[i], j]"
INTEGERS = [n for n, d in DTYPES.items() if not d.is_float and d.bits >= 8]


@cache
def compiled(text: str, index: str = "i32") -> CompiledKernel:
    return im.compile(im.kernel(text, name="gather", dtypes={"idx": index}), "scalar")


def rows(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("index", INTEGERS)
def test_rows(index: str) -> None:
    run, rng = compiled(GATHER, index), np.random.default_rng(1)
    for i, v, j in ((1, 1, 1), (3, 7, 1), (17, 5, 33), (2, 100, 64)):
        table, at = rows(v, j), rng.integers(0, v, i).astype(DTYPES[index].numpy)
        assert np.array_equal(run(table, at), table[at])
        assert np.array_equal(im.run_kernel(run.kernel, {"E": table, "idx": at})["Y"], table[at])


@pytest.mark.parametrize("index", INTEGERS)
def test_an_index_outside_is_named(index: str) -> None:
    run, kind = compiled(GATHER, index), DTYPES[index]
    out = np.zeros((6, 3), np.float32)
    for bad in {5, 6, 100, kind.high, kind.low, -1} - ({0, -1} if kind.low == 0 else set()):
        at = np.arange(6).astype(kind.numpy) % 5
        at[4] = bad
        for check in ({}, {"check_ranges": False, "check_finite": False}):
            with pytest.raises(ArgumentError) as e:
                run(rows(5, 3), at, out=out, **check)
            assert str(e.value) == (
                f"idx[4] is {bad} at i=4, and gather uses it as an index of dimension 0 of E, which has 5 elements; "
                "it must be in [0, 5)"
            )
        with pytest.raises(SizeError) as told:
            im.run_kernel(run.kernel, {"E": rows(5, 3), "idx": at})
        assert str(told.value) == str(e.value)
    assert not out.any(), "nothing is written"


def test_a_repeated_call_looks_again() -> None:
    """What a prepared call reads may have changed before it runs again: reading outside of an array is no wrong result only."""
    run, at = compiled(GATHER), np.zeros(4, np.int32)
    call = run.prepare(rows(3, 2), at)
    call.run()
    at[2] = 3
    with pytest.raises(ArgumentError, match=r"idx\[2\] is 3"):
        call.run()


def test_forms() -> None:
    """Sums over what is found, an index of an index, several dimensions, time steps, products that use instructions beside it."""
    rng = np.random.default_rng(3)
    at = rng.integers(0, 7, (4, 3)).astype(np.int32)
    table = rng.integers(-9, 9, (7, 5)).astype(np.float32)
    bag = compiled("E: [V,J]\nY[b,j] += E[idx[b,l], j] * w[b,l]")
    weights = rng.integers(-3, 3, (4, 3)).astype(np.float32)
    assert np.array_equal(bag(table, weights, at), np.einsum("blj,bl->bj", table[at], weights))
    twice = im.compile(im.kernel("E: [V]\na: [K]\na: u8\nb: i64\nY[i] = E[a[b[i]]]"), "scalar")
    column = np.ascontiguousarray(table[:, 0])
    a, b = np.array([1, 6, 0], np.uint8), np.array([2, 2, 1, 0])
    assert np.array_equal(twice(column, a, b), column[a[b]])
    with pytest.raises(ArgumentError, match=r"^b\[3\] is -1 at i=3, .* dimension 0 of a, which has 3 elements"):
        twice(column, a, np.array([2, 2, 1, -1]))
    both = im.compile(im.kernel("E: [V,U]\na: i32\nb: i8\nY[i] = E[a[i], b[i]]"), "scalar")
    a, b = rng.integers(0, 7, 9).astype(np.int32), rng.integers(0, 5, 9).astype(np.int8)
    assert np.array_equal(both(table, a, b), table[a, b])
    steps = compiled("E: [V,J]\nfor t:\n  S[t+1,j] = max(S[t,j], E[idx[t],j])")
    when = at[:, 0].copy()
    assert np.array_equal(steps(table, when)[1:], np.maximum.accumulate(np.maximum(table[when], 0)))


@pytest.mark.needs("avx2")
def test_a_product_of_what_was_found_uses_instructions() -> None:
    text = "temporary X\nE: [V,J]\nidx: i32\nX[i,j] = E[idx[i], j]\nY[i,m] += X[i,j] * W[j,m]"
    run = im.compile(im.kernel(text), "avx2", sizes={"i": 9, "j": 12, "m": 17, "V": 6})
    assert run.program.schedules, "the product is mapped"
    rng = np.random.default_rng(5)
    table, weights = (rng.integers(-9, 9, s).astype(np.float32) for s in ((6, 12), (12, 17)))
    at = rng.integers(0, 6, 9).astype(np.int32)
    assert np.array_equal(run(E=table, W=weights, idx=at), table[at] @ weights)


def test_text_and_simulator() -> None:
    run = compiled(GATHER)
    assert im.kernel(to_text(run.kernel), name="gather") == run.kernel
    table, at = rows(4, 3), np.array([3, 0, 2], np.int32)
    told = run_program(run.program, {"E": table, "idx": at})
    assert not told.findings
    assert np.array_equal(told.outputs["Y"], table[at])
    with pytest.raises(SizeError, match=r"^idx\[1\] is 4 at i=1, "):
        run_program(run.program, {"E": table, "idx": np.array([3, 4, 2], np.int32)})


def test_what_is_overwritten_is_read_in_order() -> None:
    """A point may read what an earlier one wrote, wherever data says: one after the other, on one thread or two."""
    kernel = im.kernel("Y: i32[V,J]\nidx: i32\nX: i32\naxis i < V\nY[i,j] = Y[idx[i],j] + X[i,j]")
    run, rng = im.compile(kernel, "scalar", threads=2), np.random.default_rng(6)
    for count in (1, 2, 17, 40):
        at = rng.integers(0, count, count).astype(np.int32)
        x, y = rng.integers(-9, 9, (2, count, 3)).astype(np.int32)
        want, got = y.copy(), y.copy()
        for i in range(count):
            want[i] = want[at[i]] + x[i]
        run(idx=at, X=x, out=got, threads=2)
        assert np.array_equal(got, want)
        assert np.array_equal(im.run_kernel(kernel, {"idx": at, "X": x}, {"Y": y})["Y"], want)


def test_where_a_select_does_not_use_an_index_nobody_looks() -> None:
    kernel = im.kernel("idx: i32\nE: [V,J]\nY[i,j] = select(idx[i] < 0, 0, E[idx[i],j])", name="some")
    run = im.compile(kernel, "scalar")
    table, at = rows(5, 3), np.array([1, -1, 4], np.int32)
    want = np.where(at[:, None] < 0, 0, table[at])
    assert np.array_equal(run(E=table, idx=at), want)
    assert np.array_equal(im.run_kernel(kernel, {"E": table, "idx": at})["Y"], want)
    for wrong in (lambda a: run(E=table, idx=a), lambda a: im.run_kernel(kernel, {"E": table, "idx": a})):
        with pytest.raises((ArgumentError, SizeError), match=r"^idx\[2\] is 5 at i=2, and some uses it"):
            wrong(np.array([1, -1, 5], np.int32))
