"""What it costs to share a loop among threads that are kept between calls, as compiled kernels do."""

from __future__ import annotations

import ctypes

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.codegen.c_parallel import RUNTIME
from isamap_smt.runtime.cache import build_library

_LOOPS, _TRIES = 200, 9
_SOURCE = (
    "#include <pthread.h>\n#include <stdint.h>\n#include <time.h>\n"
    + HELPERS
    + RUNTIME
    + """
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int nothing(const void *context, isamap_share *share) {
    (void)context;
    for (int64_t from, to; isamap_next(share, 0, &from, &to);) {}
    return 0;
}
/* Seconds of a loop of two iterations without a body, on two threads. */
double isamap_share_nothing(int64_t times) {
    const double start = now();
    for (int64_t n = 0; n < times; ++n)
        if (isamap_parallel(2, 2, nothing, 0)) return -1;
    return (now() - start) / (double)times;
}
"""
)


def share_seconds(cc: str | None = None) -> float:
    """Seconds to share a loop with one helper that is awake: the median of several tries, as a helper that sleeps is not
    waited for. Raises BuildError."""
    call = ctypes.CDLL(str(build_library(_SOURCE, cc=cc))).isamap_share_nothing
    call.argtypes, call.restype = [ctypes.c_int64], ctypes.c_double
    call(_LOOPS)
    found = sorted(float(call(_LOOPS)) for _ in range(_TRIES))
    return max(0.0, found[_TRIES // 2])
