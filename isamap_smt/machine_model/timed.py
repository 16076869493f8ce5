"""C functions returning their time: filled in from a template, compiled for this CPU, and called on arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

_KINDS = {"p": ctypes.c_void_p, "n": ctypes.c_int64, "i": ctypes.c_int}
OWN = """\
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <time.h>
/* The time that this thread was running: what others do on the core meanwhile does not count. */
static double own(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
"""


def filled(text: str, words: Mapping[str, Any]) -> str:
    """The text with each @NAME@ replaced."""
    for name, value in words.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def functions(source: str, requires: Iterable[str], cc: str | None, names: Iterable[str], kinds: str) -> list[Any]:
    """Functions of this C by name, each returning seconds. Raises BuildError.

    kinds: of its arguments, a letter each: p a pointer, n an int64_t, i an int.
    """
    library = ctypes.CDLL(str(build_library(source, requires, cc=cc, native=True)))
    found = [getattr(library, name) for name in names]
    for call in found:
        call.argtypes, call.restype = [_KINDS[k] for k in kinds], ctypes.c_double
    return found


def array_of(value: float, count: int, dtype: type = np.uint8) -> np.ndarray:
    """So many elements of this value, from a cache line on; every page is there."""
    made = aligned_empty((count,), np.dtype(dtype))
    made.fill(value)
    return made
