"""A compiled kernel computes on the caller's memory."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from isamap_smt.ir.errors import ArgumentError, SizeError
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.runtime.memory import HUGE_PAGE, aligned_empty, lasting_empty


def matrices(rows: int = 5, columns: int = 7, depth: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Small integers as f32: sums are exact in any order."""
    random = np.random.default_rng(0)
    a = random.integers(-9, 9, (rows, depth)).astype(np.float32)
    return a, random.integers(-9, 9, (depth, columns)).astype(np.float32)


def test_by_position_and_by_name(gemm: CompiledKernel) -> None:
    a, b = matrices()
    assert (gemm(a, b) == a @ b).all()
    assert (gemm(B=b, A=a) == a @ b).all()
    assert (gemm(a, B=b) == a @ b).all()


def test_out_is_added_to_and_returned(gemm: CompiledKernel) -> None:
    a, b = matrices()
    out = np.full((5, 7), 100, np.float32)
    assert gemm(a, b, out=out) is out
    assert (out == 100 + a @ b).all()
    gemm(a, b, out={"C": out})
    assert (out == 100 + 2 * (a @ b)).all()


def test_a_prepared_call_repeats(gemm: CompiledKernel) -> None:
    a, b = matrices()
    call, out = gemm.prepare(a, b), np.zeros((5, 7), np.float32)
    added = gemm.prepare(a, b, out=out)
    for turn in range(1, 5):  # the first by ctypes, those from the third on as a call that is known
        call.run()
        added.run()
        assert (call.result == a @ b).all()
        assert (out == turn * (a @ b)).all()


def test_codes_of_a_run_that_is_repeated(gemm: CompiledKernel) -> None:
    for rows, kind in ((13, MemoryError), (17, SizeError), (19, ArgumentError)):
        call = gemm.prepare(*matrices(rows=rows))
        call._known.remember(call._same())
        for _ in range(3):
            with pytest.raises(kind):
                call.run()


class Foreign:
    """An array of another library, as DLPack shows it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_dlpack_in_without_a_copy(gemm: CompiledKernel) -> None:
    a, b = matrices()
    out = np.zeros((5, 7), np.float32)
    gemm(Foreign(a), Foreign(b), out=Foreign(out))
    assert (out == a @ b).all()


def test_python_goes_on_while_it_runs(gemm: CompiledKernel) -> None:
    """The lock is released: this thread counts while another computes."""
    a, b = matrices(600, 600, 600)
    call = gemm.prepare(a, b)
    worker = threading.Thread(target=call.run)
    start = time.perf_counter()
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.0005)
    assert time.perf_counter() - start > 0.005
    assert turns > 3


def test_codes_become_errors_of_their_kind(gemm: CompiledKernel) -> None:
    with pytest.raises(MemoryError, match="gemm: no memory for its buffers"):
        gemm(*matrices(rows=13))
    with pytest.raises(SizeError, match="gemm: I is seventeen; it is called with I=17, J=7, K=3"):
        gemm(*matrices(rows=17))
    with pytest.raises(ArgumentError, match="gemm: I is nineteen"):
        gemm(*matrices(rows=19))


def test_outputs_start_at_a_cache_line() -> None:
    for shape in ((1,), (3, 5), (64,), (7, 0)):
        array = aligned_empty(shape, np.dtype(np.float32))
        assert array.shape == shape
        assert array.ctypes.data % 64 == 0 or array.size == 0
        assert array.flags.c_contiguous


@pytest.mark.parametrize("count", [1, 4096, HUGE_PAGE // 2 - 1, HUGE_PAGE // 2, 3 * HUGE_PAGE + 5])
def test_packed_buffers_are_aligned_and_large_ones_begin_at_huge_pages(count: int) -> None:
    made = [lasting_empty(count) for _ in range(4)]
    for n, array in enumerate(made):
        array.fill(n)  # they do not overlap, and all of them is there
        assert array.shape == (count,) and array.ctypes.data % 64 == 0
        assert count < HUGE_PAGE // 2 or array.ctypes.data % HUGE_PAGE < 4096
    assert [int(a.min()) for a in made] == [int(a.max()) for a in made] == [0, 1, 2, 3]
