"""The functions of one value that a kernel may call, one row each: its meaning in NumPy, its C, and how exact it is.

name, types and error messages   the class in isamap_smt.ir.scalar
meaning                          `f32` and `f64`; of f16 and bf16 what f32 gives, rounded; of integers `f64` itself
C                                `c` and `wide`: the same bits for every value, without a call into libm where one is vectorised
accuracy                         `ulp`: how far an f32 result lies from the exact value, over all 2^32 arguments
                                 (benchmarks/accuracy.py); 0.5 where it is the value that IEEE 754 asks for. `wide_ulp`: the
                                 same of f64, a bound above everything that benchmarks/accuracy_f64.py has found
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir import activations, activations_f64
from isamap_smt.ir.scalar import Abs, Erf, Exp, Floor, Log, Rsqrt, Sigmoid, Sqrt, Tanh, Unary

Array = np.ndarray
Meaning = Callable[[Array], Array]


@dataclass(frozen=True)
class Function:
    """c, wide: C text of the value {x} in float and in double. ulp, wide_ulp: their largest errors. zero: of a zero it is one.
    bounds: of every value that is a number. steps: whether its C is a sequence of operations, some of them through tables."""

    f32: Meaning
    f64: Meaning
    c: str
    wide: str
    ulp: float
    wide_ulp: float
    zero: bool = False
    bounds: tuple[float, float] | None = None
    steps: bool = False


def _rsqrt(x: Array) -> Array:
    return np.asarray(x.dtype.type(1.0) / np.sqrt(x))


def _sequence(
    name: str, ulp: float, wide_ulp: float, zero: bool = False, bounds: tuple[float, float] | None = None
) -> Function:
    """A fixed sequence of operations of each type."""
    f32, f64 = getattr(activations, name), getattr(activations_f64, name)
    return Function(f32, f64, f"isamap_{name}f({{x}})", f"isamap_{name}({{x}})", ulp, wide_ulp, zero, bounds, True)


TABLE: dict[type[Unary], Function] = {
    Exp: _sequence("exp", 0.91, 1.0),
    Log: _sequence("log", 0.83, 1.0),
    Tanh: _sequence("tanh", 1.96, 2.25, zero=True, bounds=(-1.0, 1.0)),
    Sigmoid: _sequence("sigmoid", 2.0, 2.0, bounds=(0.0, 1.0)),
    Erf: _sequence("erf", 1.08, 1.5, zero=True, bounds=(-1.0, 1.0)),
    Sqrt: Function(np.sqrt, np.sqrt, "__builtin_sqrtf({x})", "__builtin_sqrt({x})", 0.5, 0.5, zero=True),
    Rsqrt: Function(_rsqrt, _rsqrt, "(1.0f / __builtin_sqrtf({x}))", "(1.0 / __builtin_sqrt({x}))", 1.5, 1.5),
    Floor: Function(np.floor, np.floor, "__builtin_floorf({x})", "__builtin_floor({x})", 0.5, 0.5, zero=True),
    Abs: Function(np.abs, np.abs, "__builtin_fabsf({x})", "__builtin_fabs({x})", 0.5, 0.5, zero=True),
}


def applied(head: type[Unary], x: Array) -> Array:
    """The function of each value, in the values' own type."""
    row = TABLE[head]
    with np.errstate(all="ignore"):
        found = row.f32(x.astype(np.float32)) if activations.in_f32(x.dtype) else row.f64(x)
        return np.asarray(found).astype(x.dtype)


__all__ = ["TABLE", "Function", "applied"]
