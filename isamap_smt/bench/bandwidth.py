"""How fast memory is read, by size of what is read: the sloping part of the roofline, measured."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

_SOURCE = """#include <stdint.h>
typedef float v8 __attribute__((vector_size(32)));
float isamap_read(const float *p, int64_t count, int64_t rounds) {
    v8 s[8] = {{0}};
    for (int64_t n = 0; n < rounds; ++n) {
        for (int64_t i = 0; i < count; i += 64)
            for (int u = 0; u < 8; ++u) s[u] += *(const v8 *)(p + i + 8 * u);
        __asm__ volatile("" : : : "memory");
    }
    v8 t = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
    return t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7];
}
"""
SIZES = tuple(n << 10 for n in (16, 128, 256, 768, 4096, 16384, 131072))  # bytes for each thread


@dataclass(frozen=True)
class Bandwidth:
    """Bytes per second of all threads together when each reads `size` bytes again and again."""

    size: int
    rate: float


def measure(cores: list[int], seconds: float = 0.03) -> list[Bandwidth]:
    """One figure for each of SIZES, every core reading memory of its own."""
    read = ctypes.CDLL(str(build_library(_SOURCE, native=True))).isamap_read
    read.argtypes, read.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64], ctypes.c_float
    held = [aligned_empty((max(SIZES) // 4,), np.dtype(np.float32)) for _ in cores]
    for array in held:
        array.fill(1.0)
    return [Bandwidth(size, _together(read, held, cores, size, seconds)) for size in SIZES]


def _together(
    read: ctypes._NamedFuncPointer, held: list[np.ndarray], cores: list[int], size: int, seconds: float
) -> float:
    rates = [0.0] * len(cores)
    start = threading.Barrier(len(cores))

    def one(which: int) -> None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {cores[which]})
        rounds = max(1, int(5e9 * seconds / size / 3))
        read(held[which].ctypes.data, size // 4, 1)
        start.wait()
        for _ in range(3):
            began = time.perf_counter()
            read(held[which].ctypes.data, size // 4, rounds)
            rates[which] = max(rates[which], size * rounds / (time.perf_counter() - began))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(len(cores))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(rates)


def attainable(
    operations: float, passes: Iterable[tuple[float, int]], peak: float, bandwidths: list[Bandwidth], threads: int
) -> float:
    """Operations per second at most: the arithmetic, or the passes (bytes, times) over memory, each from the nearest
    memory that holds all its bytes.

    >>> attainable(100.0, [(10.0, 1)], 1000.0, [Bandwidth(16, 50.0), Bandwidth(64, 5.0)], 1)
    500.0
    >>> attainable(100.0, [(40.0, 1), (10.0, 10)], 1000.0, [Bandwidth(16, 50.0), Bandwidth(64, 5.0)], 1)
    10.0
    """
    seconds = sum(count * times / _rate(count, bandwidths, threads) for count, times in passes)
    return min(peak, operations / seconds)


def _rate(count: float, bandwidths: list[Bandwidth], threads: int) -> float:
    """Bytes per second when `count` bytes are read again and again."""
    fits = [b.rate for b in bandwidths if b.size * threads >= count]
    return max(fits) if fits else min(b.rate for b in bandwidths)
