"""How far each function of the language lies from its exact value, over every f32 there is.

    python benchmarks/accuracy.py            # all functions, some minutes each
    python benchmarks/accuracy.py log erf

The C that kernels are printed with is run for all 2^32 arguments and compared with the C library's function in f64, whose own
error is about 2^-29 ULP of f32. Per function: the largest error in ULP and its argument, what isamap_smt.ir.functions states, and
for how many arguments one of the two is NaN or infinite and the other, rounded, is not; and for how many the C for this CPU alone
and the C for every CPU of its kind (on x86-64: without fused operations) have other bits. Ends with 1 if anything is worse than
stated, or other bits are found.
"""

from __future__ import annotations

import ctypes
import sys
import time

import numpy as np

from isamap_smt.ir.functions import TABLE
from isamap_smt.mapping.point_c import prelude
from isamap_smt.runtime import build_library

EXACT = {
    "exp": "exp(x)", "log": "log(x)", "tanh": "tanh(x)", "sigmoid": "1 / (1 + exp(-x))", "erf": "erf(x)", "sqrt": "sqrt(x)",
    "rsqrt": "1 / sqrt(x)", "floor": "floor(x)", "abs": "fabs(x)",
}  # fmt: skip
CHUNK = 1 << 24

SOURCE = """
double exp(double), log(double), tanh(double), erf(double), sqrt(double), floor(double), fabs(double);
static double one_ulp(float x) {
    const float m = __builtin_fabsf(x) < 0x1p-126f ? 0x1p-126f : __builtin_fabsf(x);
    uint32_t bits;
    memcpy(&bits, &m, sizeof bits);
    bits = (bits & 0x7f800000);
    float power;
    memcpy(&power, &bits, sizeof power);
    return (double)power * 0x1p-23;
}
/* largest[0]: error in ULP; largest[1]: its argument; the number of arguments of which one result alone is finite */
int64_t worst(uint32_t first, uint32_t count, double *largest) {
    int64_t apart = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = first + i;
        float argument;
        memcpy(&argument, &bits, sizeof argument);
        const float got = CALL(argument);
        const double x = argument, want = EXACT;
        const float near = (float)want;
        if (near != near || got != got || near - near != 0 || got - got != 0) {
            apart += !(near == got || (near != near && got != got));
            continue;
        }
        const double error = fabs(got - want) / one_ulp(near);
        if (error > largest[0]) largest[0] = error, largest[1] = x;
    }
    return apart;
}
void values(uint32_t first, uint32_t count, float *got) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = first + i;
        float argument;
        memcpy(&argument, &bits, sizeof argument);
        got[i] = CALL(argument);
    }
}
"""


def libraries(name: str, c: str) -> list[ctypes.CDLL]:
    """The same C for this CPU, and for every CPU of its kind."""
    body = SOURCE.replace("CALL(argument)", c.format(x="argument")).replace("EXACT", EXACT[name])
    source = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(body), body])
    return [ctypes.CDLL(str(build_library(source, native=native))) for native in (True, False)]


def measured(library: ctypes.CDLL) -> tuple[float, float, int]:
    """(largest error in ULP, its argument, arguments of which one result alone is finite)."""
    library.worst.restype = ctypes.c_int64
    largest = (ctypes.c_double * 2)()
    apart = 0
    for first in range(0, 1 << 32, CHUNK):
        apart += library.worst(ctypes.c_uint32(first), ctypes.c_uint32(CHUNK), largest)
    return largest[0], largest[1], apart


def different(one: ctypes.CDLL, other: ctypes.CDLL) -> int:
    """The number of arguments of which the two results have other bits, and are not both NaN."""
    found, (a, b) = 0, np.empty((2, CHUNK), np.float32)
    for first in range(0, 1 << 32, CHUNK):
        for library, got in ((one, a), (other, b)):
            library.values(ctypes.c_uint32(first), ctypes.c_uint32(CHUNK), ctypes.c_void_p(got.ctypes.data))
        found += int(np.count_nonzero((a.view(np.uint32) != b.view(np.uint32)) & ~(np.isnan(a) & np.isnan(b))))
    return found


def main(names: list[str]) -> int:
    """Print one line per function."""
    wrong = False
    for head, row in TABLE.items():
        name = head.__name__.lower()
        if names and name not in names:
            continue
        started = time.perf_counter()
        native, portable = libraries(name, row.c)
        error, at, apart = measured(native)
        changed = different(native, portable)
        wrong |= error > row.ulp or apart > 0 or changed > 0
        seconds = time.perf_counter() - started
        print(
            f"{name:8} {error:.4f} ULP at {at!r}, stated {row.ulp}; {apart} not finite alike; "
            f"{changed} other without this CPU's operations; {seconds:.0f} s",
            flush=True,
        )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
