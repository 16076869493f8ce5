"""Bandwidth: bytes a second moved by a core, and by two together, to and from a buffer of some size.

The C reads whole vectors into registers and throws them away, writes one register everywhere, or copies; an empty `asm`
keeps the compiler from leaving any of it out. The clock is the thread's; it stands while others have its core. Two
threads start together at a barrier of their own, and each has a buffer of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isamap_smt.machine_model.timed import OWN, array_of, filled, functions

OPERATIONS = ("read", "write", "copy")
_UNROLLED = 8
_SOURCE = (
    OWN
    + """\
#include <pthread.h>
#include <stdatomic.h>

typedef unsigned char vector __attribute__((vector_size(@WIDTH@), aligned(@WIDTH@), may_alias));

static void sweep(char *buffer, int64_t bytes, int64_t passes, int operation) {
    int64_t vectors = bytes / (int64_t)sizeof(vector);
    vector zero = {0};
    for (int64_t pass = 0; pass < passes; ++pass) {
        vector *at = (vector *)buffer;
        switch (operation) {
        case 0:
            for (int64_t n = 0; n + @UNROLLED@ <= vectors; n += @UNROLLED@) {
@READS@
            }
            break;
        case 1:
            __asm__ volatile("" : "+x"(zero));
            for (int64_t n = 0; n + @UNROLLED@ <= vectors; n += @UNROLLED@) {
@WRITES@
                __asm__ volatile("" ::: "memory");
            }
            break;
        default: {
            vector *to = at + vectors / 2;
            for (int64_t n = 0; n + @UNROLLED@ <= vectors / 2; n += @UNROLLED@) {
@COPIES@
            }
        }
        }
        __asm__ volatile("" ::: "memory");
    }
}
double isamap_stream(char *buffer, int64_t bytes, int64_t passes, int operation) {
    double start = own();
    sweep(buffer, bytes, passes, operation);
    return own() - start;
}
struct work { char *buffer; int64_t bytes, passes; int operation; atomic_int *ready; double taken; };
static void *worker(void *p) {
    struct work *w = p;
    sweep(w->buffer, w->bytes, 1, w->operation);
    atomic_fetch_sub(w->ready, 1);
    while (atomic_load(w->ready) > 0) {}
    double start = own();
    sweep(w->buffer, w->bytes, w->passes, w->operation);
    w->taken = own() - start;
    return 0;
}
/* Seconds of the slower of two cores that each sweep their half at the same time; negative without a thread. */
double isamap_stream_two(char *buffer, int64_t bytes, int64_t passes, int operation) {
    atomic_int ready = 2;
    struct work a = {buffer, bytes / 2, passes, operation, &ready, 0};
    struct work b = {buffer + bytes / 2, bytes / 2, passes, operation, &ready, 0};
    pthread_t thread;
    if (pthread_create(&thread, 0, worker, &b)) return -1;
    worker(&a);
    pthread_join(thread, 0);
    return a.taken > b.taken ? a.taken : b.taken;
}
"""
)


@dataclass(frozen=True)
class Streams:
    """The compiled measurements at one vector width, on one core and on two. Rates are in bytes per second."""

    calls: list[Any]
    width: int

    def rate(self, working_set: int, operation: str, cores: int = 1, seconds: float = 0.006, tries: int = 4) -> float:
        """Bytes per second of the best of a few tries; a copied byte counts once. working_set: bytes, per core."""
        total = max(working_set - working_set % (self.width * _UNROLLED * 2), self.width * _UNROLLED * 2) * cores
        buffer, call = array_of(1, total), self.calls[cores - 1]
        number, address = OPERATIONS.index(operation), buffer.ctypes.data

        def run(passes: int) -> float:
            return float(call(address, total, passes, number))

        taken, passes = _best(run, seconds, tries)
        if taken <= 0:
            return 0.0
        return total * passes / taken / (2 if operation == "copy" else 1)


def _best(run: Callable[[int], float], seconds: float, tries: int) -> tuple[float, int]:
    """The shortest time of `tries` runs of as many passes as take `seconds`; (seconds, passes)."""
    passes, taken = 1, run(1)
    while taken < seconds and taken >= 0:
        passes = max(passes + 1, min(passes * 8, int(passes * 1.2 * seconds / max(taken, 1e-7))))
        taken = run(passes)
    return min([taken, *(run(passes) for _ in range(tries - 1))]), passes


def streams(width: int, requires: tuple[str, ...], cc: str | None = None) -> Streams:
    """The measurements for vectors of `width` bytes. Raises BuildError."""
    rows = {
        "READS": 'vector v{n} = at[n + {n}]; __asm__ volatile("" : : "x"(v{n}));',
        "WRITES": "at[n + {n}] = zero;",
        "COPIES": 'vector v{n} = at[n + {n}]; __asm__ volatile("" : "+x"(v{n})); to[n + {n}] = v{n};',
    }
    each = range(_UNROLLED)
    lines = {name: "\n".join(" " * 16 + row.replace("{n}", str(n)) for n in each) for name, row in rows.items()}
    source = filled(_SOURCE, {"WIDTH": width, "UNROLLED": _UNROLLED, **lines})
    return Streams(functions(source, requires, cc, ("isamap_stream", "isamap_stream_two"), "pnni"), width)
