"""`accumulate=False`: what `out` holds is no part of the result, by whichever way a call reaches the machine code."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, IsamapError
from isamap_smt.ir.interpret import random_arrays, run_kernel

GUARDED = "O[p] += X[p+r-2] * W[r] where 0 <= p+r-2 < P"  # no program begins it: not each element has a term
TEXTS = {
    "sum": "Y[i,j] += A[i,k] * B[k,j]",
    "product": "Y[i] *= A[i,k]",
    "maximum": "Y[i] max= A[i,k]",
    "minimum": "Y[i] min= A[i,k]",
    "scalar sum": "Y[] += A[i,k]",
    "no term everywhere": GUARDED,
    "partly assigned": "Y[i] = A[i] where i < 3",
    "assigned": "Y[i] = A[i] + 1",
    "two results": "S[i] += A[i,k]\nM[i] max= A[i,k]",
    "through a temporary": "temporary T\nT[i] max= A[i,k]\nS[i] += A[i,k] - T[i]",
    "in time steps": "for t:\n  H[t+1,j] = H[t,j] + A[t,j]",
}
DIRT = {"f32": (np.nan, np.inf, -np.inf, 7.0), "i32": (-(2**31), 2**31 - 1, 7)}


@functools.cache
def case(text: str, dtype: str, machine: str) -> tuple[Any, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The kernel, compiled with open sizes; inputs; the interpreter's results."""
    names = set(re.findall(r"(\w+)\[", text))
    kernel = im.kernel(text, name="anew", dtypes=dict.fromkeys(names, dtype))
    sizes = {n: (5, 9, 6)[p % 3] for p, n in enumerate(kernel.free_sizes)}
    arrays = random_arrays(kernel, sizes, np.random.default_rng(len(text)))
    arrays = {n: np.rint(a * 2).astype(a.dtype) for n, a in arrays.items()}
    return im.compile(kernel, machine), arrays, dict(run_kernel(kernel, arrays))


def dirty(results: dict[str, np.ndarray], dtype: str, n: int) -> dict[str, np.ndarray]:
    return {name: np.full_like(a, DIRT[dtype][n % len(DIRT[dtype])]) for name, a in results.items()}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(("dtype", "machine"), [("f32", "host"), ("i32", "scalar")])
def test_what_out_holds_is_no_part_of_the_result(text: str, dtype: str, machine: str) -> None:
    compiled, arrays, right = case(text, dtype, machine)
    for n in range(5):  # the first call, those that are remembered, and those of more than one thread
        out = dirty(right, dtype, n)
        given = out if len(out) > 1 else next(iter(out.values()))
        again = compiled(**arrays, out=given, accumulate=False, threads=1 + n % 3)
        assert again is given or all(again[name] is array for name, array in out.items())
        for name, array in out.items():
            np.testing.assert_allclose(array, right[name], rtol=1e-5)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_run_of_a_prepared_call_begins_anew(text: str) -> None:
    compiled, arrays, right = case(text, "f32", "host")
    for given in (True, False):
        out = dirty(right, "f32", 0)
        call = compiled.prepare(**arrays, **({"out": out, "accumulate": False} if given else {}))
        results = call.result if isinstance(call.result, dict) else {next(iter(right)): call.result}
        for n in range(4):
            for name, array in results.items():
                array[...] = dirty(right, "f32", n)[name]
            call.run()
            for name, array in results.items():
                np.testing.assert_allclose(array, right[name], rtol=1e-5)


def test_added_to_and_begun_anew_in_turns() -> None:
    """Calls of one form that differ in this alone are told apart."""
    compiled, arrays, right = case(TEXTS["sum"], "f32", "host")
    out = np.zeros_like(right["Y"])
    for n in range(6):
        compiled(**arrays, out=out, accumulate=False)
        compiled(**arrays, out=out)
        compiled(**arrays, out=out, accumulate=True)
        np.testing.assert_allclose(out, 3 * right["Y"], rtol=1e-5)
        assert n < 2 or compiled._known.call((), {**arrays, "out": out, "accumulate": False}) is out
    np.testing.assert_allclose(compiled(**arrays, accumulate=False), right["Y"], rtol=1e-5)


def test_one_result_that_is_given_and_one_that_is_made() -> None:
    compiled, arrays, right = case(TEXTS["two results"], "f32", "host")
    for n in range(4):
        out = {"M": np.full_like(right["M"], DIRT["f32"][n])}
        found = compiled(**arrays, out=out, accumulate=False)
        assert found["M"] is out["M"]
        np.testing.assert_allclose(found["M"], right["M"])
        np.testing.assert_allclose(found["S"], right["S"], rtol=1e-5)


@pytest.mark.parametrize("text", [TEXTS["sum"], GUARDED])
def test_nothing_is_filled_by_a_call_that_is_refused(text: str) -> None:
    compiled, arrays, right = case(text, "f32", "host")
    out = next(iter(right.values())).copy()
    compiled(**arrays, out=out, accumulate=False), compiled(**arrays, out=out, accumulate=False)
    memory = np.full(1000, 7, np.float32)
    name, first = next(iter(arrays.items()))
    moved = memory[: first.size].reshape(first.shape)
    inside = memory[first.size - 1 :][: out.size].reshape(out.shape)
    for call in (compiled, compiled.prepare):
        with pytest.raises(IsamapError, match="overlap"):
            call(**{**arrays, name: moved}, out=inside, accumulate=False)
    assert (memory == 7).all()


def test_constants_that_were_packed_and_rows_that_lie_apart() -> None:
    kernel = im.kernel("Y[i,j] += A[i,k] * B[k,j]", name="anew")
    a, b = np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(20, dtype=np.float32).reshape(4, 5)
    packed = im.compile(kernel, "host", constant=["B"])
    apart = im.compile(kernel, "host", strided=["A"])
    wide = np.full((3, 9), np.nan, np.float32)
    wide[:, :4] = a
    for n in range(4):
        for call, inputs in ((packed, (a, b)), (packed.pack(b), (a,)), (apart, (wide[:, :4], b))):
            out = np.full((3, 5), DIRT["f32"][n], np.float32)
            call(*inputs, out=out, accumulate=False)
            np.testing.assert_array_equal(out, a @ b)
    ready = packed.pack(b)
    call = ready.prepare(a, out=out, accumulate=False)
    more = ready.prepare(a, out=np.zeros_like(out))
    for _ in range(4):
        out.fill(np.nan)
        call.run(), more.run()
        np.testing.assert_array_equal(out, a @ b)
    np.testing.assert_array_equal(more.result, 4 * (a @ b))


def test_out_that_is_no_whole_block_begins_anew_and_nothing_else_changes() -> None:
    compiled, arrays, _ = case(TEXTS["sum"], "f32", "host")
    for part in (np.s_[:, ::2], np.s_[:, :9], np.s_[::-1, 2:11], np.s_[:, ::-2]):
        for turn in range(3):
            whole = np.full((5, 18), np.nan, np.float32)
            out = whole[part]
            assert compiled(**arrays, out=out, accumulate=False) is out, turn
            np.testing.assert_array_equal(out, compiled(**arrays))
            assert np.isnan(whole).sum() == 45


@pytest.mark.parametrize("wrong", [0, 1, None, "no", np.int64(0)])
def test_only_true_and_false_say_it(wrong: Any) -> None:
    compiled, arrays, _ = case(TEXTS["sum"], "f32", "host")
    for _ in range(3):
        compiled(**arrays)
        with pytest.raises(ArgumentError, match=re.escape(f"accumulate={wrong!r} is {type(wrong).__name__}: pass")):
            compiled(**arrays, accumulate=wrong)
    assert compiled(**arrays, accumulate=np.False_) is not None
