"""The measured clock of this core: it turns operations per second into operations per cycle.

The system often reports the nominal clock. A chain of dependent shifts and exclusive ors takes two cycles a
step on every x86 and ARM core we know of: the machine has nothing to overlap. It is timed by the thread's own clock, as
are the measurements it prices: on a busy machine the wall's clock goes on while others have the core.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

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


def chain(cc: str | None = None) -> Callable[[int], float]:
    """GHz of the core we run on, seen over so many rounds of the chain. Raises BuildError without a compiler."""
    from isamap_smt.runtime.cache import build_library

    call = ctypes.CDLL(str(build_library(_SOURCE, cc=cc))).isamap_chain
    call.argtypes, call.restype = [ctypes.c_uint64, ctypes.c_int64], ctypes.c_uint64

    def ghz(rounds: int) -> float:
        start = time.thread_time()
        call(1, rounds)
        return 2e-9 * _STEPS * rounds / (time.thread_time() - start)

    return ghz


def clock_ghz(cc: str | None = None) -> float | None:
    """GHz of the core we run on, the best of a few milliseconds; None without a compiler."""
    try:
        ghz = chain(cc)
    except (BuildError, OSError):
        return None
    return max(ghz(100_000) for _ in range(9))
