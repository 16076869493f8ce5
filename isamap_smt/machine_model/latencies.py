"""Waiting times: of one load that no other can overtake, and of a thread taking part in a loop.

Loads are a chain of addresses through a buffer of some size, in random order. Nodes lie four lines apart, so a
neighbour fetched beside a line is never the next one. Pages are of the usual size: the wait of a far load includes
looking up its row's page. Threads are kept between calls, as compiled kernels do.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence

import numpy as np

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.codegen.c_parallel import RUNTIME
from isamap_smt.machine_model.timed import OWN, functions
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

_APART = 256  # bytes between nodes
_STEPS = 20_000
_LONG = 0.05  # seconds of tries: longer than a busy machine gives the core to somebody else
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
        """Seconds of one load from a buffer of so many bytes, at best of so many tries or more.

        Caches keep the contents left by earlier tries.
        """
        nodes, at = _chain(size), ctypes.byref(ctypes.c_int64(0))
        self._call(nodes.ctypes.data, at, min(len(nodes) // (_APART // 8), _STEPS))
        best, end = float("inf"), time.monotonic() + _LONG
        while tries > 0 or time.monotonic() < end:
            best, tries = min(best, float(self._call(nodes.ctypes.data, at, _STEPS))), tries - 1
        return best / _STEPS


def in_order(waits: Sequence[float]) -> list[float]:
    """Waits for memories, nearest first, each lowered to the least wait behind it.

    Other work on the machine only makes a wait longer. So a near memory takes at most the time measured for a far one.

    >>> in_order([5.0, 4.0, 9.0])
    [4.0, 4.0, 9.0]
    """
    return [min(waits[n:]) for n in range(len(waits))]


def _chain(size: int) -> np.ndarray:
    """Each node holds the offset of the next; all are on one cycle."""
    count = max(2, size // _APART)
    buffer = aligned_empty((count * _APART // 8,), np.dtype(np.int64))
    order = np.random.default_rng(0).permutation(count)
    buffer[order * (_APART // 8)] = np.roll(order, -1) * _APART
    return buffer


_LOOPS, _ENOUGH, _LEAST = 40_000, 300, 30
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
/* Each iteration takes `seconds`. own: how many of them the caller does. */
struct isamap_pair { double seconds; pthread_t caller; int64_t own; };
static int pair(const void *context, isamap_share *share) {
    struct isamap_pair *const p = (struct isamap_pair *)context;
    for (int64_t from, to; isamap_next(share, 0, &from, &to);) {
        const double start = now(), seconds = p->seconds * (double)(to - from);
        if (pthread_equal(pthread_self(), p->caller)) p->own += to - from;
        while (now() - start < seconds) {}
    }
    return 0;
}
/* What loops of two iterations take beyond one of them, where each of two threads does one; how many of at most so many loops
   that were, `enough` at most. */
int64_t isamap_shared(int64_t loops, int64_t enough, double seconds, double *found) {
    int64_t both = 0;
    while (loops-- > 0 && both < enough) {
        struct isamap_pair p = {seconds, pthread_self(), 0};
        const double start = now();
        if (isamap_parallel(2, 2, pair, &p)) return 0;
        const double longer = now() - start - seconds;
        if (p.own == 1 && longer < seconds) found[both++] = longer; /* else one of them was interrupted */
    }
    return both;
}
"""
)


def share_seconds(cc: str | None = None) -> float:
    """Seconds to share a loop with one awake helper: the median of loops joined by both; 0 if these were rare.

    Nobody waits for a late helper, so some loops are run alone. Raises BuildError.
    """
    call = ctypes.CDLL(str(build_library(_LOOP, cc=cc))).isamap_shared
    call.argtypes, call.restype = [ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p], ctypes.c_int64
    found = np.zeros(_ENOUGH)
    both = call(_LOOPS, _ENOUGH, 3e-6, found.ctypes.data)
    return float(np.median(found[:both])) if both >= _LEAST else 0.0
