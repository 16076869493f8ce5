"""With ISAMAP_POISON, which all tests have, code that reads memory which nobody wrote computes something else."""

from __future__ import annotations

import numpy as np

import isamap_smt as im
from isamap_smt.ir.program import Program
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import _by_hand
from tests.runtime.by_hand import UNPACKED

# `held` is what a block of the heap holds that nobody wrote.
LEAKING = """
#include <stdint.h>
#include <stdlib.h>
int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    float *C = (float *)tensors[0], *volatile held = aligned_alloc(64, 4096);
    (void)sizes; (void)packed; (void)threads;
    for (int i = 0; i < 4; i++) C[i] = held[100 + i];
    free(held);
    return 0;
}
const char *isamap_text(int code) { (void)code; return ""; }
"""


def test_the_heap_of_each_call_is_poisoned() -> None:
    """Of those that Python looks at, the first two, and of those that are remembered."""
    kernel = im.kernel("C[i] = A[i]", name="leaking")
    program = Program(schedule=None, kernel=kernel, ahead=(), body=())  # type: ignore[arg-type]
    leaking = _by_hand(program, LEAKING + UNPACKED, build_library(LEAKING + UNPACKED))
    near_the_largest = np.frombuffer(b"\x7f" * 4, np.float32)[0]
    for _ in range(5):
        assert (leaking(np.zeros(4, np.float32)) == near_the_largest).all()
    assert leaking._known._count == 1
