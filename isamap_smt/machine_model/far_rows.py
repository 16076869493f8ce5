"""What a broadcast from one more row costs where rows lie apart: a register tile whose rows are read in place, and packed.

The tile has one vector of columns and more rows than addresses stay in registers, and everything it reads lies in the first
cache. Packed, the elements of a step are neighbours; in place, they are a fixed distance apart, as in a tensor of known sizes.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.machine_model.prefetch import SOURCE, for_width
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

ROWS = 12
_STEPS = 128
_PITCH = 17 * 16  # floats: neighbouring rows fall into different sets of the cache
_ROUNDS, _TRIES = 200, 10
_FUNCTION = """\
double isamap_rows_@NAME@(const char *stream, const float *rows, int64_t rounds, char *result) {
    #pragma STDC FP_CONTRACT ON
@DECLARED@
    double start = own();
    for (int64_t round = 0; round < rounds; ++round) {
        for (int64_t k = 0; k < @STEPS@; ++k) {
            vector b = *(const vector *)(stream + k * @WIDTH@);
@BODY@
        }
        __asm__ volatile("" : : : "memory");
    }
    start = own() - start;
@STORED@
    return start;
}
"""


@dataclass(frozen=True)
class FarRows:
    """The compiled measurement at one vector width."""

    packed: Any
    in_place: Any
    width: int

    def seconds(self, tries: int = _TRIES) -> tuple[float, float]:
        """Seconds of one step, packed and in place: the best of some tries in turns."""
        stream = aligned_empty((self.width * _STEPS,), np.dtype(np.uint8))
        rows = aligned_empty((_PITCH * ROWS,), np.dtype(np.float32))
        result = aligned_empty((self.width * ROWS,), np.dtype(np.uint8))
        stream.fill(0)
        rows.fill(1)
        best = [float("inf")] * 2
        for _ in range(tries):
            for n, call in enumerate((self.packed, self.in_place)):
                best[n] = min(best[n], call(stream.ctypes.data, rows.ctypes.data, _ROUNDS, result.ctypes.data))
        return best[0] / (_ROUNDS * _STEPS), best[1] / (_ROUNDS * _STEPS)


def far_rows(width: int, requires: tuple[str, ...], cc: str | None = None) -> FarRows:
    """The measurement for vectors of `width` bytes. Raises BuildError."""
    source = SOURCE + _function("packed", [f"k * {ROWS} + {r}" for r in range(ROWS)])
    source += _function("in_place", [f"{r * _PITCH} + k" for r in range(ROWS)])
    library = ctypes.CDLL(str(build_library(for_width(source, width), requires, cc=cc, native=True)))
    calls = [getattr(library, f"isamap_rows_{name}") for name in ("packed", "in_place")]
    for call in calls:
        call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
        call.restype = ctypes.c_double
    return FarRows(calls[0], calls[1], width)


def _function(name: str, elements: list[str]) -> str:
    """Each step multiplies one vector by an element of every row."""
    lines = {
        "DECLARED": [f"    vector sum_{r} = {{0}};" for r in range(ROWS)],
        "BODY": [f"            sum_{r} = sum_{r} + everywhere(rows[{e}]) * b;" for r, e in enumerate(elements)],
        "STORED": [f"    memcpy(result + {r} * @WIDTH@, &sum_{r}, sizeof(vector));" for r in range(ROWS)],
    }
    text = _FUNCTION.replace("@NAME@", name).replace("@STEPS@", str(_STEPS))
    for word, found in lines.items():
        text = text.replace(f"@{word}@", "\n".join(found))
    return text
