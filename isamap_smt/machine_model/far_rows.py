"""What a broadcast from one more row costs where rows lie apart: a register tile whose rows are read in place, and packed.

The tile has one vector of columns and more rows than addresses stay in registers, and everything it reads lies in the first
cache. Packed, the elements of a step are neighbours; in place, they are a fixed distance apart, as in a tensor of known sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.machine_model.prefetch import SOURCE, for_width
from isamap_smt.machine_model.timed import array_of, filled, functions

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
        stream, rows = array_of(0, self.width * _STEPS), array_of(1, _PITCH * ROWS, np.float32)
        result = array_of(0, self.width * ROWS)
        best = [float("inf")] * 2
        for _ in range(tries):
            for n, call in enumerate((self.packed, self.in_place)):
                best[n] = min(best[n], call(stream.ctypes.data, rows.ctypes.data, _ROUNDS, result.ctypes.data))
        return best[0] / (_ROUNDS * _STEPS), best[1] / (_ROUNDS * _STEPS)


def far_rows(width: int, requires: tuple[str, ...], cc: str | None = None) -> FarRows:
    """The measurement for vectors of `width` bytes. Raises BuildError."""
    source = SOURCE + _function("packed", [f"k * {ROWS} + {r}" for r in range(ROWS)])
    source += _function("in_place", [f"{r * _PITCH} + k" for r in range(ROWS)])
    names = ("isamap_rows_packed", "isamap_rows_in_place")
    packed, in_place = functions(for_width(source, width), requires, cc, names, "ppnp")
    return FarRows(packed, in_place, width)


def _function(name: str, elements: list[str]) -> str:
    """Each step multiplies one vector by an element of every row."""
    lines = {
        "DECLARED": [f"    vector sum_{r} = {{0}};" for r in range(ROWS)],
        "BODY": [f"            sum_{r} = sum_{r} + everywhere(rows[{e}]) * b;" for r, e in enumerate(elements)],
        "STORED": [f"    memcpy(result + {r} * @WIDTH@, &sum_{r}, sizeof(vector));" for r in range(ROWS)],
    }
    return filled(_FUNCTION, {"NAME": name, "STEPS": _STEPS, **{w: "\n".join(found) for w, found in lines.items()}})
