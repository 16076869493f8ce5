"""Arrays at the addresses read fastest by code.

They hold whatever the process had there before. With ISAMAP_POISON, a number from 0 to 255, each of their bytes is this number.
Compiled code then finds 0x7F in each byte that it takes from glibc's heap, near the largest number of each type. (idle_memory.c
does the same.) This is for tests: nothing may depend on it.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from math import prod
from typing import Any

import numpy as np

ALIGNMENT = 64  # bytes: a cache line, and the widest vector
PAGE = 4096  # bytes
HUGE_PAGE = 2 << 20
_places = itertools.count(1)
_POISON = os.environ.get("ISAMAP_POISON", "")
_M_PERTURB, _OTHER_BITS = -6, 0x80  # of glibc's mallopt()


def _new(count: int) -> np.ndarray:
    return np.full(count, int(_POISON), np.uint8) if _POISON else np.empty(count, np.uint8)


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An uninitialised array starting at a multiple of 64 bytes: unaligned buffers run at half speed.

    Large ones start at different places in a page; the system would start them all at the same. A load waits for an earlier
    store if the last 12 bits of their addresses agree.
    """
    count = prod(shape) * dtype.itemsize
    apart = 13 * ALIGNMENT * next(_places) % PAGE if count >= PAGE else 0
    raw = _new(count + ALIGNMENT + apart)
    start = -raw.__array_interface__["data"][0] % ALIGNMENT + apart
    return np.ndarray(shape, dtype, raw, start)


def lasting_empty(count: int) -> np.ndarray:
    """So many uninitialised bytes to be read by many calls, on huge pages if the system has them.

    NumPy asks Linux for these from 4 MiB on; a buffer beginning at one is looked up in the fewest steps.
    """
    if count < HUGE_PAGE // 2:
        return aligned_empty((count,), np.dtype(np.uint8))
    raw = _new(count + 2 * HUGE_PAGE)
    start = -raw.ctypes.data % HUGE_PAGE + 13 * ALIGNMENT * next(_places) % PAGE
    return raw[start : start + count]


def on_poisoned_heap(function: Any, *arguments: Any) -> Any:
    """The result of a compiled function, with a poisoned heap under ISAMAP_POISON during this call alone.

    Elsewhere the heap is as it was: poisoned, it would take a solver twice its time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if _POISON else None
    if mallopt is None:
        return function(*arguments)
    mallopt(_M_PERTURB, _OTHER_BITS)
    try:
        return function(*arguments)
    finally:
        mallopt(_M_PERTURB, 0)
