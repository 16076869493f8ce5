"""Whether prefetching lines ahead of their loads helps: register tiles streaming one operand, at some distances.

The loop is a packed matrix product's: the vectors of one step of the stream are multiplied by a few elements kept in
the first cache, into one accumulator each. It runs once without and once with a prefetch for each line, from data of
some size. The number of elements decides whether the core computes or waits: measured are tiles of 1, 2, 4 and 6 rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.hardware import LINE
from isamap_smt.machine_model.timed import OWN, array_of, filled, functions

DISTANCES = (512, 1024, 2048)  # bytes
TILES = ((1, 8), (2, 6), (4, 3), (6, 2))  # rows, and vectors of a step
_STEPS = 256  # of the rows' elements, which then begin anew
_LEAST = 0.002  # seconds of one try
SOURCE = (
    OWN
    + """\
typedef float vector __attribute__((vector_size(@WIDTH@), aligned(@WIDTH@), may_alias));

static vector everywhere(float x) {
    vector v = {@COPIES@};
    return v;
}
"""
)
_FUNCTION = """\
double isamap_ahead_@ROWS@_@DISTANCE@(const char *stream, int64_t bytes, int64_t passes, const float *rows, char *result) {
    #pragma STDC FP_CONTRACT ON
@DECLARED@
    double start = own();
    for (int64_t pass = 0; pass < passes; ++pass) {
        const float *row = rows;
        for (const char *at = stream; at + @STEP@ <= stream + bytes; at += @STEP@) {
@BODY@
            row = row + @ROWS@ == rows + @ELEMENTS@ ? rows : row + @ROWS@;
        }
        __asm__ volatile("" : : : "memory");
    }
    start = own() - start;
@STORED@
    return start;
}
"""


@dataclass(frozen=True)
class Streamed:
    """The compiled measurements at one vector width. calls: by rows and by distance in bytes, 0 for without."""

    calls: dict[int, dict[int, Any]]
    width: int
    _buffers: dict[int, np.ndarray] = field(default_factory=dict)

    def seconds(self, rows: int, working_set: int) -> dict[int, float]:
        """Seconds of one sweep over so many bytes by distance; the tries go in turns, so call it often and keep the best."""
        columns = dict(TILES)[rows]
        step = self.width * columns
        total = max(working_set - working_set % step, step)
        stream = self._zeros(working_set)
        elements, result = array_of(1, rows * _STEPS, np.float32), array_of(0, rows * step)
        passes = 1

        def run(call: Any) -> float:
            return float(call(stream.ctypes.data, total, passes, elements.ctypes.data, result.ctypes.data))

        calls = self.calls[rows]
        while (taken := run(calls[0])) < _LEAST:
            passes = max(passes + 1, int(passes * 1.2 * _LEAST / max(taken, 1e-7)))
        return {distance: run(call) / passes for distance, call in calls.items()}

    def _zeros(self, count: int) -> np.ndarray:
        """So many bytes, kept from one try to the next; every page is there, and products with them stay zero."""
        if count not in self._buffers:
            self._buffers.clear()
            self._buffers[count] = array_of(0, max(count, 4096))
        return self._buffers[count]


def streamed(width: int, requires: tuple[str, ...], cc: str | None = None) -> Streamed:
    """The measurements for vectors of `width` bytes. Raises BuildError."""
    distances = (0, *DISTANCES)
    source = SOURCE + "".join(_function(*tile, distance, width) for tile in TILES for distance in distances)
    names = [f"isamap_ahead_{rows}_{distance}" for rows, _ in TILES for distance in distances]
    found = iter(functions(for_width(source, width), requires, cc, names, "pnnpp"))
    return Streamed({rows: {distance: next(found) for distance in distances} for rows, _ in TILES}, width)


def for_width(source: str, width: int) -> str:
    """C beginning with SOURCE, for vectors of so many bytes."""
    return filled(source, {"WIDTH": width, "COPIES": ", ".join("x" * (width // 4))})


def _function(rows: int, columns: int, distance: int, width: int) -> str:
    words = {"ROWS": rows, "DISTANCE": distance, "STEP": width * columns, "ELEMENTS": rows * _STEPS}
    return filled(with_tile(_FUNCTION, rows, columns, distance, width, 3), words)


def with_tile(text: str, rows: int, columns: int, distance: int, width: int, depth: int) -> str:
    """C with @DECLARED@, @BODY@ and @STORED@ filled in: accumulators, one step of a register tile, and their results.

    `at` points to the step's vectors, `row` to its elements. Lines `distance` bytes on are prefetched, unless it is 0.
    """
    step = width * columns
    tile = [(r, c) for r in range(rows) for c in range(columns)]
    declared = [f"vector sum_{r}_{c} = {{0}};" for r, c in tile]
    body = [
        f"__builtin_prefetch((const void *)((uintptr_t)at + {distance + n}));" for n in range(0, step, LINE) if distance
    ]
    elements = [f"vector a_{r} = everywhere(row[{r}]);" for r in range(rows)]
    vectors = [f"vector b_{c} = *(const vector *)(at + {c * width});" for c in range(columns)]
    # As in emitted C the fewer are kept, and one of the others is loaded after the last was used (codegen.c_state).
    kept, others = (elements, vectors) if rows < columns else (vectors, elements)
    body += kept
    for n, other in enumerate(others):
        body.append(other)
        used = [(r, c) for r, c in tile if n == (c if rows < columns else r)]
        body += [f"sum_{r}_{c} = sum_{r}_{c} + a_{r} * b_{c};" for r, c in used]
        written = ", ".join(f'"+v"(sum_{r}_{c})' for r, c in used)
        body.append(f'__asm__ volatile("" : {written} : : "memory");')
    stored = [f"memcpy(result + {(r * columns + c) * width}, &sum_{r}_{c}, sizeof(vector));" for r, c in tile]
    parts = (("DECLARED", declared, 1), ("BODY", body, depth), ("STORED", stored, 1))
    return filled(text, {n: "\n".join("    " * inside + line for line in lines) for n, lines, inside in parts})
