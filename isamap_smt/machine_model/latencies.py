"""How long one load waits that no other can overtake: a chain of addresses through a buffer of some size, in random order.

Nodes lie four lines apart, so that no neighbour that is fetched beside a line is the next one. Pages are of the usual size:
what a load of a far row waits for includes looking its page up.
"""

from __future__ import annotations

import ctypes

import numpy as np

from isamap_smt.machine_model.timed import OWN, functions
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
