"""The cost of rows far apart: whether prefetching pieces of them helps, and the time of a broadcast from one more row.

A block of rows is walked down, a line of each at a time, and then the lines to their right. The next row is too far for
any hardware to fetch ahead; but the line to the right of each is known long before. So it runs once without and once
with a prefetch some pieces along the row, for register tiles of a few heights, on data in each memory.

A broadcast is measured with a tile of one vector of columns and more rows than there are registers for addresses.
Everything it reads lies in the first cache. Packed, the elements of a step are neighbours; in place, they are a fixed
distance apart, as in a tensor of known sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.hardware import LINE
from isamap_smt.machine_model.prefetch import SOURCE, for_width, with_tile
from isamap_smt.machine_model.timed import array_of, filled, functions

HEIGHTS = (2, 6, 12)
PIECES = (1, 2, 4)
_REGISTERS = 16
_PITCH = 110 * LINE  # bytes from row to row: no page
_BLOCK = 48  # rows that are walked down
_CHUNK = 16 << 20  # bytes of one try, the next of a large buffer each time
_FUNCTION = """\
double isamap_across_@ROWS@_@PIECES@(const char *matrix, int64_t count, const float *rows, char *result) {
    #pragma STDC FP_CONTRACT ON
@DECLARED@
    double start = own();
    for (int64_t block = 0; block + @BLOCK@ <= count; block += @BLOCK@)
        for (int64_t column = 0; column + @LINE@ <= @PITCH@; column += @LINE@)
            for (int64_t k = 0; k < @BLOCK@; ++k) {
                const char *at = matrix + (block + k) * @PITCH@ + column;
                const float *row = rows + k * @ROWS@;
@BODY@
            }
    start = own() - start;
@STORED@
    return start;
}
"""


@dataclass
class Across:
    """The compiled measurements at one vector width. calls: by height and by pieces ahead, 0 for without."""

    calls: dict[int, dict[int, Any]]
    _matrix: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))
    _turn: int = 0

    def seconds(self, height: int, size: int) -> dict[int, float]:
        """Seconds for a line of a matrix of so many bytes, by pieces; the tries go in turns, so call it often."""
        if len(self._matrix) != size:
            self._matrix = array_of(0, size)
        chunk = min(size, _CHUNK)
        elements, result = array_of(1, height * _BLOCK, np.float32), array_of(0, height * LINE)
        blocks = chunk // _PITCH // _BLOCK
        found = {}
        for pieces, call in self.calls[height].items():
            self._turn += 1
            first = self._turn * chunk % size
            first = first if first + chunk <= size else 0
            count, start = blocks * _BLOCK, self._matrix.ctypes.data + first
            taken = float(call(start, count, elements.ctypes.data, result.ctypes.data))
            found[pieces] = taken / (count * (_PITCH // LINE))
        return found


def across(width: int, requires: tuple[str, ...], cc: str | None = None) -> Across:
    """The measurements for vectors of `width` bytes. Raises BuildError."""
    columns = max(1, LINE // width)
    heights = [h for h in HEIGHTS if (h + 1) * columns < _REGISTERS]
    source = SOURCE + "".join(_function(h, columns, pieces, width) for h in heights for pieces in (0, *PIECES))
    names = [f"isamap_across_{height}_{pieces}" for height in heights for pieces in (0, *PIECES)]
    found = iter(functions(for_width(source, width), requires, cc, names, "pnpp"))
    return Across({height: {pieces: next(found) for pieces in (0, *PIECES)} for height in heights})


def _function(height: int, columns: int, pieces: int, width: int) -> str:
    words = {"ROWS": height, "PIECES": pieces, "BLOCK": _BLOCK, "LINE": LINE, "PITCH": _PITCH}
    return filled(with_tile(_FUNCTION, height, columns, pieces * LINE, width, 4), words)


ROWS = 12
_STEPS = 128
_FLOATS_APART = 17 * 16  # floats: neighbouring rows fall into different sets of the cache
_ROUNDS, _TRIES = 200, 10
_BROADCASTS = """\
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
        stream, rows = array_of(0, self.width * _STEPS), array_of(1, _FLOATS_APART * ROWS, np.float32)
        result = array_of(0, self.width * ROWS)
        best = [float("inf")] * 2
        for _ in range(tries):
            for n, call in enumerate((self.packed, self.in_place)):
                best[n] = min(best[n], call(stream.ctypes.data, rows.ctypes.data, _ROUNDS, result.ctypes.data))
        return best[0] / (_ROUNDS * _STEPS), best[1] / (_ROUNDS * _STEPS)


def far_rows(width: int, requires: tuple[str, ...], cc: str | None = None) -> FarRows:
    """The measurement for vectors of `width` bytes. Raises BuildError."""
    source = SOURCE + _rows_function("packed", [f"k * {ROWS} + {r}" for r in range(ROWS)])
    source += _rows_function("in_place", [f"{r * _FLOATS_APART} + k" for r in range(ROWS)])
    names = ("isamap_rows_packed", "isamap_rows_in_place")
    packed, in_place = functions(for_width(source, width), requires, cc, names, "ppnp")
    return FarRows(packed, in_place, width)


def _rows_function(name: str, elements: list[str]) -> str:
    """Each step multiplies one vector by an element of every row."""
    lines = {
        "DECLARED": [f"    vector sum_{r} = {{0}};" for r in range(ROWS)],
        "BODY": [f"            sum_{r} = sum_{r} + everywhere(rows[{e}]) * b;" for r, e in enumerate(elements)],
        "STORED": [f"    memcpy(result + {r} * @WIDTH@, &sum_{r}, sizeof(vector));" for r in range(ROWS)],
    }
    return filled(_BROADCASTS, {"NAME": name, "STEPS": _STEPS, **{w: "\n".join(found) for w, found in lines.items()}})
