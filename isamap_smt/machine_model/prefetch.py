"""Whether asking for lines ahead of their loads helps: a register tile that streams one operand, at some distances.

The loop is that of a packed matrix product: two vectors of the stream are multiplied by six elements that stay in the first
cache, into twelve accumulators. It runs once without and once with a prefetch for each line, from data of some size.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import aligned_empty

DISTANCES = (512, 1024, 2048)  # bytes
_ROWS, _COLUMNS, _STEPS = 6, 2, 256
_LEAST = 0.002  # seconds of one try
_SOURCE = """\
#define _GNU_SOURCE
#include <stdint.h>
#include <time.h>

typedef float vector __attribute__((vector_size(@WIDTH@), aligned(@WIDTH@), may_alias));

static double own(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
"""
_FUNCTION = """\
double isamap_ahead_@DISTANCE@(const char *stream, int64_t bytes, int64_t passes, const float *rows, float *result) {
    vector sum[@ROWS@][@COLUMNS@] = {0};
    double start = own();
    for (int64_t pass = 0; pass < passes; ++pass) {
        const float *row = rows;
        for (const char *at = stream; at + @STEP@ <= stream + bytes; at += @STEP@) {
@PREFETCH@
            vector b[@COLUMNS@];
            for (int c = 0; c < @COLUMNS@; ++c) b[c] = *(const vector *)(at + c * @WIDTH@);
            for (int r = 0; r < @ROWS@; ++r) {
                float x = row[r];
                vector a = {@COPIES@};
                for (int c = 0; c < @COLUMNS@; ++c) sum[r][c] += a * b[c];
            }
            row = row + @ROWS@ == rows + @ELEMENTS@ ? rows : row + @ROWS@;
        }
        __asm__ volatile("" : : : "memory");
    }
    start = own() - start;
    for (int r = 0; r < @ROWS@; ++r)
        for (int c = 0; c < @COLUMNS@; ++c) *(vector *)(result + (r * @COLUMNS@ + c) * (@WIDTH@ / 4)) = sum[r][c];
    return start;
}
"""


@dataclass(frozen=True)
class Streamed:
    """The compiled measurements at one vector width, by distance in bytes; 0 is without."""

    calls: tuple[tuple[int, Any], ...]
    width: int

    def seconds(self, working_set: int) -> dict[int, float]:
        """Seconds of one sweep over so many bytes by distance; the tries go in turns, so call it often and keep the best."""
        step = self.width * _COLUMNS
        total = max(working_set - working_set % step, step)
        stream, rows = (
            aligned_empty((total,), np.dtype(np.uint8)),
            aligned_empty((_ROWS * _STEPS,), np.dtype(np.float32)),
        )
        result = aligned_empty((_ROWS * _COLUMNS * self.width // 4,), np.dtype(np.float32))
        stream.fill(0)  # every page is there before the clock runs, and products stay zero
        rows.fill(1)
        passes = 1

        def run(call: Any) -> float:
            return float(call(stream.ctypes.data, total, passes, rows.ctypes.data, result.ctypes.data))

        while (taken := run(self.calls[0][1])) < _LEAST:
            passes = max(passes + 1, int(passes * 1.2 * _LEAST / max(taken, 1e-7)))
        return {distance: run(call) / passes for distance, call in self.calls}


def streamed(width: int, requires: tuple[str, ...], cc: str | None = None) -> Streamed:
    """The measurements for vectors of `width` bytes. Raises BuildError."""
    parts = [_SOURCE, *(_function(d, width) for d in (0, *DISTANCES))]
    words = {
        "WIDTH": width,
        "ROWS": _ROWS,
        "COLUMNS": _COLUMNS,
        "STEP": width * _COLUMNS,
        "ELEMENTS": _ROWS * _STEPS,
        "COPIES": ", ".join("x" * (width // 4)),
    }
    source = "\n".join(parts)
    for name, value in words.items():
        source = source.replace(f"@{name}@", str(value))
    library = ctypes.CDLL(str(build_library(source, requires, cc=cc, native=True)))
    calls = []
    for distance in (0, *DISTANCES):
        call = getattr(library, f"isamap_ahead_{distance}")
        call.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
        call.restype = ctypes.c_double
        calls.append((distance, call))
    return Streamed(tuple(calls), width)


def _function(distance: int, width: int) -> str:
    lines = range(0, width * _COLUMNS, 64) if distance else ()
    asked = "\n".join(f"            __builtin_prefetch((const void *)((uintptr_t)at + {distance + n}));" for n in lines)
    return _FUNCTION.replace("@DISTANCE@", str(distance)).replace("@PREFETCH@", asked)
