"""How long is waited: for one load that no other can overtake, and for a thread that takes part in a loop.

Loads are a chain of addresses through a buffer of some size, in random order. Nodes lie four lines apart, so that no neighbour that
is fetched beside a line is the next one. Pages are of the usual size: what a load of a far row waits for includes looking its page
up. Threads are kept between calls, as compiled kernels do.
"""

from __future__ import annotations

import ctypes

import numpy as np

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.codegen.c_parallel import RUNTIME
from isamap_smt.machine_model.timed import OWN, functions
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

_APART = 256  # bytes between nodes
_STEPS = 20_000
_SOURCE = (
    OWN
    + """\

double isamap_chase(const char *nodes, int64_t *at, int64_t steps) {
    int64_t here = *at;
    double start = own();
    for (int64_t step = 0; step < steps; ++step) here = *(const int64_t *)(nodes + here);
    start = own() - start;
    *at = here;
    return start;
}
"""
)


class Chase:
    """The compiled chain, through one buffer at a time."""

    def __init__(self, cc: str | None = None) -> None:
        """Compile. Raises BuildError."""
        (self._call,) = functions(_SOURCE, (), cc, ["isamap_chase"], "ppn")

    def seconds(self, size: int, tries: int = 8) -> float:
        """Seconds of one load from a buffer of so many bytes, at best. What the tries before left in caches stays there."""
        nodes, at = _chain(size), ctypes.byref(ctypes.c_int64(0))
        self._call(nodes.ctypes.data, at, min(len(nodes) // (_APART // 8), _STEPS))
        return min(float(self._call(nodes.ctypes.data, at, _STEPS)) for _ in range(tries)) / _STEPS


def _chain(size: int) -> np.ndarray:
    """Each node holds the offset of the next; all are on one cycle."""
    count = max(2, size // _APART)
    buffer = aligned_empty((count * _APART // 8,), np.dtype(np.int64))
    order = np.random.default_rng(0).permutation(count)
    buffer[order * (_APART // 8)] = np.roll(order, -1) * _APART
    return buffer


_LOOP_COUNT, _SHARES = 200, 9
_LOOP = (
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
    call = ctypes.CDLL(str(build_library(_LOOP, cc=cc))).isamap_share_nothing
    call.argtypes, call.restype = [ctypes.c_int64], ctypes.c_double
    call(_LOOP_COUNT)
    found = sorted(float(call(_LOOP_COUNT)) for _ in range(_SHARES))
    return max(0.0, found[_SHARES // 2])
