"""How far each function of the language lies from its exact value, over many random f64.

    python benchmarks/accuracy_f64.py            # all functions, 40 million arguments each
    python benchmarks/accuracy_f64.py exp log 400

The C that kernels are printed with is compared with the C library's function of long double, where that has 11 bits more than
double (x86); the argument with the largest error is looked at again with mpmath. Half of the arguments have random bits, a
quarter each lies where the function is not constant, and near 0 (of log: 1). Ends with 1 if anything is worse than
isamap_smt.ir.heads states, or one result alone is finite.
"""

from __future__ import annotations

import ctypes
import sys

import mpmath as mp
import numpy as np

from isamap_smt.ir import functions_f64
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.mapping.point_c import prelude
from isamap_smt.runtime.cache import build_library

LIBRARY = {"exp": "expl(x)", "log": "logl(x)", "tanh": "tanhl(x)", "sigmoid": "1 / (1 + expl(-x))", "erf": "erfl(x)"}
EXACT = {"exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "sigmoid": lambda x: 1 / (1 + mp.exp(-x)), "erf": mp.erf}
RANGES = {"exp": (-746, 710), "log": (0.5, 2), "tanh": (-20, 20), "sigmoid": (-40, 40), "erf": (-6, 6)}
MIDDLE = {"log": (0.95, 1.05), "erf": (-1.5, 1.5)}
for _name in functions_f64.NAMES:
    if _name != "pow":  # which has two arguments: tests/language/test_more_functions.py
        LIBRARY[_name], EXACT[_name] = f"{_name}l(x)", getattr(mp, _name)
RANGES |= {
    **dict.fromkeys(("sin", "cos", "tan"), (-100, 100)), **dict.fromkeys(("asin", "acos", "atanh"), (-1, 1)),
    "atan": (-9, 9), **dict.fromkeys(("sinh", "cosh"), (-711, 711)), "asinh": (-99, 99), "acosh": (1, 99),
}  # fmt: skip
MIDDLE |= {"acosh": (1, 2)}
CHUNK = 1_000_000

SOURCE = """
long double expl(long double), logl(long double), tanhl(long double), erfl(long double), fabsl(long double), sinl(long double),
    cosl(long double), tanl(long double), asinl(long double), acosl(long double), atanl(long double), sinhl(long double),
    coshl(long double), asinhl(long double), acoshl(long double), atanhl(long double);
int64_t worst(const double *given, int64_t count, double *largest) {
    int64_t apart = 0;
    for (int64_t i = 0; i < count; i++) {
        const double got = CALL(given[i]);
        const long double x = given[i], want = EXACT;
        const double near = (double)want;
        if (near != near || got != got || near - near != 0 || got - got != 0) {
            apart += !(near == got || (near != near && got != got));
            continue;
        }
        const double m = __builtin_fabs(near) < 0x1p-1022 ? 0x1p-1022 : __builtin_fabs(near);
        uint64_t bits;
        memcpy(&bits, &m, sizeof bits);
        bits &= UINT64_C(0x7ff0000000000000);
        double power;
        memcpy(&power, &bits, sizeof power);
        const double error = (double)(fabsl(got - want) / ((long double)power * 0x1p-52L));
        if (error > largest[0]) largest[0] = error, largest[1] = given[i], largest[2] = got;
    }
    return apart;
}
"""


def arguments(name: str, rng: np.random.Generator) -> np.ndarray:
    """A chunk of arguments."""
    bits = rng.integers(0, 2**64, CHUNK // 2, dtype=np.uint64).view(np.float64)
    spread, middle = (rng.uniform(*r, CHUNK // 4) for r in (RANGES[name], MIDDLE.get(name, (-1, 1))))
    return np.concatenate([bits, spread, middle])


def measured(name: str, chunks: int) -> tuple[float, float, float, int]:
    """(largest error in ULP, its argument and result, arguments of which one result alone is finite)."""
    head = next(h for h in FUNCTION_ROWS if h.__name__.lower() == name)
    body = SOURCE.replace("CALL(given[i])", FUNCTION_ROWS[head].wide.format(x="given[i]")).replace(
        "EXACT", LIBRARY[name]
    )
    source = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(body), body])
    library, rng = ctypes.CDLL(str(build_library(source, native=True))), np.random.default_rng(0)
    library.worst.restype, largest, apart = ctypes.c_int64, (ctypes.c_double * 3)(), 0
    for _ in range(chunks):
        x = arguments(name, rng)
        apart += library.worst(ctypes.c_void_p(x.ctypes.data), ctypes.c_int64(x.size), largest)
    return largest[0], largest[1], largest[2], apart


def main(words: list[str]) -> int:
    """Print one line per function."""
    if np.finfo(np.longdouble).nmant < 63:
        raise SystemExit("long double is no longer than needed here; run this on x86")
    chunks, wrong = next((int(w) for w in words if w.isdigit()), 40), False
    for name in [w for w in words if not w.isdigit()] or LIBRARY:
        error, at, got, apart = measured(name, chunks)
        with mp.workprec(1300):
            want = EXACT[name](mp.mpf(at))
            again = float(abs(mp.mpf(got) - want) / mp.ldexp(1, max(int(mp.floor(mp.log(abs(want), 2))), -1022) - 52))
        stated = next(row.wide_ulp for h, row in FUNCTION_ROWS.items() if h.__name__.lower() == name)
        wrong |= max(error, again) > stated or apart > 0
        print(
            f"{name:8} {error:.4f} ULP at {at!r} ({again:.4f} by mpmath), stated {stated}; {apart} not finite alike",
            flush=True,
        )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
