"""The clock of this core, measured: what turns operations per second into operations per cycle.

What the system reports is often the nominal clock. A chain of dependent shifts and exclusive ors takes two cycles a
step on every x86 and ARM core we know of: the machine has nothing to overlap.
"""

from __future__ import annotations

import ctypes
import time

from isamap_smt.ir.errors import BuildError

_STEPS = 8  # per round of the loop
_SOURCE = (
    """#include <stdint.h>
uint64_t isamap_chain(uint64_t x, int64_t rounds) {
    for (int64_t n = 0; n < rounds; ++n) {
"""
    + '        x ^= x >> 1; __asm__ volatile("" : "+r"(x));\n' * _STEPS
    + """    }
    return x;
}
"""
)


def clock_ghz(cc: str | None = None) -> float | None:
    """GHz of the core we run on, the best of a few milliseconds; None without a compiler."""
    from isamap_smt.runtime.cache import build_library

    try:
        chain = ctypes.CDLL(str(build_library(_SOURCE, cc=cc))).isamap_chain
    except (BuildError, OSError):
        return None
    chain.argtypes, chain.restype = [ctypes.c_uint64, ctypes.c_int64], ctypes.c_uint64
    rounds = 100_000
    best = float("inf")
    for _ in range(9):
        start = time.perf_counter()
        chain(1, rounds)
        best = min(best, time.perf_counter() - start)
    return 2 * _STEPS * rounds / best / 1e9
