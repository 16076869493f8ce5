"""The functions of one value that a kernel may call, one row each: its meaning in NumPy, its C, and how exact it is.

name, types and error messages   the class in isamap_smt.ir.scalar
meaning                          `f32` and `f64`; of f16 and bf16 what f32 gives, rounded; of integers `f64` itself
C                                `c` and `wide`: the same bits for every value, without a call into libm where one is vectorised
accuracy                         `ulp`: how far an f32 result lies from the exact value, over all 2^32 arguments
                                 (benchmarks/accuracy.py); 0.5 where it is the value that IEEE 754 asks for
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir import activations
from isamap_smt.ir.scalar import Abs, Erf, Exp, Floor, Log, Rsqrt, Sigmoid, Sqrt, Tanh, Unary

Array = np.ndarray
Meaning = Callable[[Array], Array]


@dataclass(frozen=True)
class Function:
    """c, wide: C text of the value {x} in float and in double; '' where there is none. zero: of a zero it is one. bounds: of every
    value that is a number."""

    f32: Meaning
    f64: Meaning
    c: str
    ulp: float
    wide: str = ""
    zero: bool = False
    bounds: tuple[float, float] | None = None


def _erf(x: Array) -> Array:
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), dtype=np.float64)


def _rsqrt(x: Array) -> Array:
    return np.asarray(x.dtype.type(1.0) / np.sqrt(x))


TABLE: dict[type[Unary], Function] = {
    Exp: Function(activations.exp, np.exp, "isamap_expf({x})", 0.91),
    Log: Function(activations.log, np.log, "isamap_logf({x})", 0.83),
    Tanh: Function(activations.tanh, np.tanh, "isamap_tanhf({x})", 1.96, zero=True, bounds=(-1.0, 1.0)),
    Sigmoid: Function(
        activations.sigmoid, lambda v: 1 / (1 + np.exp(-v)), "isamap_sigmoidf({x})", 2.0, bounds=(0.0, 1.0)
    ),
    Erf: Function(activations.erf, _erf, "isamap_erff({x})", 1.75, zero=True, bounds=(-1.0, 1.0)),
    Sqrt: Function(np.sqrt, np.sqrt, "__builtin_sqrtf({x})", 0.5, "__builtin_sqrt({x})", zero=True),
    Rsqrt: Function(_rsqrt, _rsqrt, "(1.0f / __builtin_sqrtf({x}))", 1.5, "(1.0 / __builtin_sqrt({x}))"),
    Floor: Function(np.floor, np.floor, "__builtin_floorf({x})", 0.5, "__builtin_floor({x})", zero=True),
    Abs: Function(np.abs, np.abs, "__builtin_fabsf({x})", 0.5, "__builtin_fabs({x})", zero=True),
}


def applied(head: type[Unary], x: Array) -> Array:
    """The function of each value, in the values' own type."""
    row = TABLE[head]
    with np.errstate(all="ignore"):
        found = row.f32(x.astype(np.float32)) if activations.in_f32(x.dtype) else row.f64(x)
        return np.asarray(found).astype(x.dtype)


__all__ = ["TABLE", "Function", "applied"]
