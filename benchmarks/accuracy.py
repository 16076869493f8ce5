"""How far each function of the language lies from its exact value, over every f32 there is.

    python benchmarks/accuracy.py            # all functions, some minutes each
    python benchmarks/accuracy.py log erf
    python benchmarks/accuracy.py --errors   # the errors alone, in a third of the time

The C that kernels are printed with is run for all 2^32 arguments and compared with the C library's function in f64, whose own
error is about 2^-29 ULP of f32. Per function: the largest error in ULP and its argument, what isamap_smt.ir.heads states, and
for how many arguments one of the two is NaN or infinite and the other, rounded, is not; and for how many the C for this CPU alone
and the C for every CPU of its kind (on x86-64: without fused operations) have other bits; the same of the instructions of this CPU
that are described as the function. All processors share the arguments. Ends with 1 if anything is worse than stated, or other bits
are found.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import isamap_smt as im
from isamap_smt.ir import functions_f64
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.mapping.point_c import prelude
from isamap_smt.mapping.selection import register_files
from isamap_smt.runtime.cache import build_library

EXACT = {
    "exp": "exp(x)", "log": "log(x)", "tanh": "tanh(x)", "sigmoid": "1 / (1 + exp(-x))", "erf": "erf(x)", "sqrt": "sqrt(x)",
    "rsqrt": "1 / sqrt(x)", "floor": "floor(x)", "ceil": "ceil(x)", "trunc": "trunc(x)", "rint": "rint(x)", "abs": "fabs(x)",
    **{n: f"{n}(x)" for n in functions_f64.NAMES if n != "pow"},
}  # fmt: skip
CHUNK = 1 << 24

SOURCE = """
double exp(double), log(double), tanh(double), erf(double), sqrt(double), floor(double), ceil(double), trunc(double), rint(double),
    fabs(double), sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), sinh(double), cosh(double),
    asinh(double), acosh(double), atanh(double);
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


LANES = """
void values(uint32_t first, uint32_t count, float *got) {
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t bits[LANES];
        float x[LANES];
        for (uint32_t l = 0; l < LANES; l++) bits[l] = first + i + l;
        memcpy(x, bits, sizeof x);
        TYPE a, c;
        LOAD
        COMPUTE
        STORE
    }
}
"""


def libraries(name: str, c: str) -> list[ctypes.CDLL]:
    """The same C for this CPU, and for every CPU of its kind."""
    body = SOURCE.replace("CALL(argument)", c.format(x="argument")).replace("EXACT", EXACT[name])
    source = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(body), body])
    return [ctypes.CDLL(str(build_library(source, native=native))) for native in (True, False)]


def described(name: str) -> dict[str, ctypes.CDLL]:
    """`values` by each instruction of this CPU whose contract is this function of f32 lanes, by the instruction's name."""
    machine, found = im.find_hardware("host"), {}
    for files in register_files(machine):
        file = files.of.get("f32")
        for i in machine.computes:
            o = dict(i.places)
            if (
                file is None
                or i.kernel.text.strip() != f"c[l] = {name}(a[l])"
                or set(i.c_types) != {(x, file.c_type) for x in o}
            ):
                continue
            load, store = (
                file.load.statement(_words(file.load, "a", "x")),
                file.store.statement(_words(file.store, "c", "got + i")),
            )
            body = LANES.replace("LANES", str(files.lanes)).replace("TYPE", file.c_type).replace("LOAD", load)
            body = body.replace("STORE", store).replace("COMPUTE", i.statement({"a": "a", "c": "c"}))
            used = (i, file.load, file.store)
            headers = [
                f"#include <{h}>"
                for h in dict.fromkeys(("stdint.h", "string.h", *(h for u in used for h in u.headers)))
            ]
            parts = [*headers, *prelude(body), *dict.fromkeys(p for u in used for p in u.prelude), body]
            found[i.name] = ctypes.CDLL(str(build_library("\n".join(parts), {r for u in used for r in u.requires})))
    return found


def _words(move: im.Instruction, register: str, memory: str) -> dict[str, str]:
    return {o: memory if place == "memory" else register for o, place in move.places}


def measured(library: ctypes.CDLL) -> tuple[float, float, int]:
    """(largest error in ULP, its argument, arguments of which one result alone is finite)."""
    library.worst.restype = ctypes.c_int64

    def part(first: int) -> tuple[float, float, int]:
        largest = (ctypes.c_double * 2)()
        apart = library.worst(
            ctypes.c_uint32(first), ctypes.c_uint32(CHUNK), largest
        )  # the other threads run meanwhile
        return largest[0], largest[1], apart

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(part, range(0, 1 << 32, CHUNK)))
    error, at, _ = max(found, key=lambda f: f[0])
    return error, at, sum(apart for *_, apart in found)


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
    wrong, alone = False, "--errors" in names
    names = [n for n in names if n != "--errors"]
    for head, row in FUNCTION_ROWS.items():
        name = head.__name__.lower()
        if name not in EXACT or (names and name not in names):
            continue
        started = time.perf_counter()
        native, portable = libraries(name, row.c)
        error, at, apart = measured(native)
        changed = 0 if alone else different(native, portable)
        others = {} if alone else {n: different(native, library) for n, library in described(name).items()}
        wrong |= error > row.ulp or apart > 0 or changed > 0 or any(others.values())
        seconds = time.perf_counter() - started
        print(
            f"{name:8} {error:.4f} ULP at {at!r}, stated {row.ulp}; {apart} not finite alike; "
            + ("" if alone else f"{changed} other without this CPU's operations")
            + "".join(f", {count} other by {n}" for n, count in others.items())
            + f"; {seconds:.0f} s",
            flush=True,
        )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
