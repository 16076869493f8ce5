"""Every operation of a scalar value, one row each: its text, and each fact of it needed by more than one algebra.

    class in isamap_smt.ir.scalar    the definition in words, and whether it is of floating point alone
    row here                         its text, its operation on arrays, its C, its accuracy
    algebras                         tables of functions by head: isamap_smt.ir.meaning lists them

A function of one value is a `Function`. Its f32 and f64 are its meaning; f16 and bf16 take the f32 result, rounded;
integers take the result of `f64`. Its C has the same bits for every value. `ulp` is the largest distance of an f32
result from the exact value, over all 2^32 arguments (benchmarks/accuracy.py; of those from sin to atanh over every
16th, of asin over all); 0.5 is the rounded exact value asked for by IEEE 754. `wide_ulp` is the same of f64, a bound
above every error found by benchmarks/accuracy_f64.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_encodings.scalar_values import ARITHMETIC
from isamap_smt.ir import activations, activations_f64, functions_f64
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.scalar import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cast,
    Ceil,
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    Fmod,
    Inf,
    Log,
    Nan,
    Pow,
    Relu,
    Rint,
    Round,
    Rsqrt,
    SAdd,
    SAnd,
    Saturate,
    Scalar,
    SDiv,
    Select,
    SFloorDiv,
    Sigmoid,
    Sin,
    Sinh,
    SInvert,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SOr,
    Sqrt,
    SShl,
    SShr,
    SSub,
    SXor,
    Tan,
    Tanh,
    Tf32,
    Trunc,
)

Array = np.ndarray
OR, XOR, AND, SHIFT, SUM, PRODUCT, SIGN, ATOM = range(8)  # how tightly the outermost operation of a text binds


@dataclass(frozen=True)
class Head:
    """text: an operator's sign, a function's name, or the text before a conversion's type. arity: number of values.

    binds: of an operator. array: the operation on arrays of one type. words: the operation in an error, unless its
    text.
    """

    text: str
    arity: int
    binds: int = ATOM
    array: Callable[..., Any] | None = None
    words: str = ""

    @property
    def infix(self) -> bool:
        """Whether it is written between two values."""
        return self.arity == 2 and self.binds < ATOM

    def numpy(self, *values: Array) -> Array:
        """The operation on arrays of one type, or on Python's integers. Raises TypeError for a head without one."""
        if self.array is None:
            raise TypeError(f"{self.text} is no operation on arrays")
        return np.asarray(self.array(*values))


@dataclass(frozen=True)
class Special(Head):
    """A number of floating point, of no values. value: the number."""

    value: float = field(kw_only=True)


@dataclass(frozen=True)
class Function(Head):
    """A function of one value, or of two.

    f32, f64: its values. c, wide: C text of the values {x} and {y} in float and in double. ulp, wide_ulp: their largest
    errors. zero: it maps zero to zero. bounds: of every value other than NaN. total: it gives a number for every
    number, infinities included, or it has no bounds. steps: its C is a sequence of operations, some of them through
    tables. whole: its values are integers, and it never falls; the largest distances below and above its argument.
    rounds: it never falls, and its exact values are numbers of the type.
    """

    f32: Callable[..., Array] = field(kw_only=True)
    f64: Callable[..., Array] = field(kw_only=True)
    c: str = field(kw_only=True)
    wide: str = field(kw_only=True)
    ulp: float = 0.5
    wide_ulp: float = 0.5
    zero: bool = False
    bounds: tuple[float, float] | None = None
    total: bool = True
    steps: bool = False
    whole: tuple[float, float] | None = None
    rounds: bool = False

    def numpy(self, *values: Array) -> Array:
        """The function of each value, in the values' own type."""
        kind = values[0].dtype
        with np.errstate(all="ignore"):
            small = activations.in_f32(kind)
            found = self.f32(*(v.astype(np.float32) for v in values)) if small else self.f64(*values)
            return np.asarray(found).astype(kind)

    def error(self, bits: int) -> float:
        """Its largest error in ULP of a type of so many bits."""
        return self.wide_ulp if bits == 64 else self.ulp


def _sequence(
    name: str, ulp: float, wide_ulp: float, zero: bool = False, bounds: tuple[float, float] | None = None
) -> Function:
    """A fixed sequence of operations of each type."""
    f32, f64 = getattr(activations, name), getattr(activations_f64, name)
    c, wide = f"isamap_{name}f({{x}})", f"isamap_{name}({{x}})"
    return Function(
        name, 1, f32=f32, f64=f64, c=c, wide=wide, ulp=ulp, wide_ulp=wide_ulp, zero=zero, bounds=bounds, steps=True
    )


def _rounded(
    name: str,
    wide_ulp: float,
    zero: bool = False,
    bounds: tuple[float, float] | None = None,
    arity: int = 1,
    total: bool = True,
) -> Function:
    """A fixed sequence of operations of f64; of f32 a sequence of its own, or the f64 result, rounded."""
    f64, given = getattr(functions_f64, name), ("{x}", "{x}, {y}")[arity - 1]

    def rounded(*values: Array) -> Array:
        return np.asarray(f64(*(v.astype(np.float64) for v in values))).astype(np.float32)

    c, wide = f"isamap_{name}f({given})", f"isamap_{name}({given})"
    return Function(
        name,
        arity,
        f32=getattr(functions_f64, f"{name}_f32", rounded),
        f64=f64,
        c=c,
        wide=wide,
        ulp=0.501,
        wide_ulp=wide_ulp,
        zero=zero,
        bounds=bounds,
        total=total,
        steps=True,
    )


def _built_in(name: str, of: Callable[[Array], Array], c: str, whole: tuple[float, float] | None = None) -> Function:
    """A function defined by IEEE 754; it maps 0 to 0, with its sign."""
    c, wide = f"__builtin_{c}f({{x}})", f"__builtin_{c}({{x}})"
    return Function(name, 1, f32=of, f64=of, c=c, wide=wide, zero=True, whole=whole, rounds=whole is not None)


def _tf32_wide(x: Array) -> Array:
    """Of the nearest f32."""
    return activations.tf32(x.astype(np.float32)).astype(np.float64)


def _rsqrt(x: Array) -> Array:
    return np.asarray(x.dtype.type(1.0) / np.sqrt(x))


def _shifted(a: Array, b: Array) -> Array:
    """a >> b as SShr says."""
    if np.dtype(object) in (a.dtype, b.dtype):
        return np.asarray(np.frompyfunc(ARITHMETIC["SShr"], 2, 1)(a, b), dtype=object)
    inside = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return np.where(inside, a >> np.where(inside, b, 0), -(a < 0).astype(a.dtype))


def _shifted_up(a: Array, b: Array) -> Array:
    """a << b as SShl says."""
    inside = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return np.where(inside, a << np.where(inside, b, 0), a.dtype.type(0))


def _divided(a: Array, b: Array) -> Array:
    """a // b as SFloorDiv says."""
    opposite, none = np.negative(a), a.dtype.type(0)
    if a.dtype.kind == "u":
        return np.where(b == 0, none, a // np.where(b == 0, 1, b).astype(a.dtype))
    found = a // np.where((b == 0) | (b == -1), 1, b).astype(a.dtype)
    return np.where(b == 0, none, np.where(b == -1, opposite, found))


def _left_over(a: Array, b: Array) -> Array:
    """a % b as SMod says; of f16 and bf16 the f32 result, rounded."""
    if a.dtype.kind not in "iu":
        x, y = (v.astype(np.float32) if activations.in_f32(a.dtype) else v for v in (a, b))
        with np.errstate(all="ignore"):
            r = np.fmod(x, y)
            moved = np.where((r < 0) != (y < 0), r + y, r)
            return np.where(r == 0, np.copysign(r, y), moved).astype(a.dtype)
    return a - _divided(a, b) * b


HEADS: dict[type[Scalar], Head] = {
    SAdd: Head("+", 2, SUM, np.add),
    SSub: Head("-", 2, SUM, np.subtract),
    SMul: Head("*", 2, PRODUCT, np.multiply),
    SDiv: Head("/", 2, PRODUCT, np.divide, words="a division"),
    SFloorDiv: Head("//", 2, PRODUCT, _divided),
    SMod: Head("%", 2, PRODUCT, _left_over),
    SShl: Head("<<", 2, SHIFT, _shifted_up, words="a shift"),
    SShr: Head(">>", 2, SHIFT, _shifted, words="a shift"),
    SAnd: Head("&", 2, AND, np.bitwise_and),
    SXor: Head("^", 2, XOR, np.bitwise_xor),
    SOr: Head("|", 2, OR, np.bitwise_or),
    SInvert: Head("~", 1, SIGN, np.invert),
    SNeg: Head("-", 1, SIGN, np.negative, words="a negation"),
    SMax: Head("max", 2, array=np.maximum),
    SMin: Head("min", 2, array=np.minimum),
    Relu: Head("relu", 1, array=lambda x: np.maximum(x, np.zeros((), x.dtype))),
    Select: Head("select", 3),
    Inf: Special("inf", 0, value=np.inf),
    Nan: Special("nan", 0, value=np.nan),
    Cast: Head("", 1, words="cast"),
    Saturate: Head("sat_", 1, words="saturate"),
    Round: Head("round_", 1, words="round"),
    Exp: _sequence("exp", 0.91, 1.0),
    Log: _sequence("log", 0.83, 1.0),
    Tanh: _sequence("tanh", 1.96, 2.25, zero=True, bounds=(-1.0, 1.0)),
    Sigmoid: _sequence("sigmoid", 2.0, 2.0, bounds=(0.0, 1.0)),
    Erf: _sequence("erf", 1.08, 1.5, zero=True, bounds=(-1.0, 1.0)),
    Sqrt: _built_in("sqrt", np.sqrt, "sqrt"),
    Rsqrt: Function(
        "rsqrt", 1, f32=_rsqrt, f64=_rsqrt, c="(1.0f / __builtin_sqrtf({x}))", wide="(1.0 / __builtin_sqrt({x}))",
        ulp=1.5, wide_ulp=1.5,
    ),
    Floor: _built_in("floor", np.floor, "floor", whole=(1.0, 0.0)),
    Ceil: _built_in("ceil", np.ceil, "ceil", whole=(0.0, 1.0)),
    Trunc: _built_in("trunc", np.trunc, "trunc", whole=(1.0, 1.0)),
    Rint: _built_in("rint", np.rint, "rint", whole=(0.5, 0.5)),
    Tf32: Function(
        "tf32", 1, f32=activations.tf32, f64=_tf32_wide, c="isamap_tf32f({x})", wide="isamap_tf32f({x})", zero=True, rounds=True,
    ),
    Abs: _built_in("abs", np.abs, "fabs"),
    Sin: _rounded("sin", 1.25, zero=True, bounds=(-1.0, 1.0), total=False),
    Cos: _rounded("cos", 1.25, bounds=(-1.0, 1.0), total=False),
    Tan: _rounded("tan", 3.0, zero=True),
    Asin: _rounded("asin", 1.0, zero=True, bounds=(-1.5708, 1.5708), total=False),
    Acos: _rounded("acos", 1.0, bounds=(0.0, 3.1416), total=False),
    Atan: _rounded("atan", 2.0, zero=True, bounds=(-1.5708, 1.5708)),
    Sinh: _rounded("sinh", 2.0, zero=True),
    Cosh: _rounded("cosh", 1.5),
    Asinh: _rounded("asinh", 2.25, zero=True),
    Acosh: _rounded("acosh", 2.5),
    Atanh: _rounded("atanh", 2.0, zero=True),
    Pow: _rounded("pow", 1.25, arity=2),
    Fmod: Function(
        "fmod", 2, f32=np.fmod, f64=np.fmod, c="__builtin_fmodf({x}, {y})", wide="__builtin_fmod({x}, {y})",
    ),
}  # fmt: skip

CONVERSIONS = (Cast, Saturate, Round)  # their first argument is a type
FUNCTION_ROWS = {head: row for head, row in HEADS.items() if isinstance(row, Function)}
INFIX = {row.text: head for head, row in HEADS.items() if row.infix}
# name in kernel text -> head, for heads called with values alone
FUNCTIONS: dict[str, type[Scalar]] = {
    row.text: head for head, row in HEADS.items() if row.arity and row.binds == ATOM and head not in CONVERSIONS
}
# the same for heads without values, written without brackets
CONSTANTS: dict[str, type[Scalar]] = {row.text: head for head, row in HEADS.items() if not row.arity}


def special(x: Scalar, kind: DType) -> Any:
    """The number named by a head of no values, in this type: a 0-dimensional array."""
    row = HEADS[type(x)]
    assert isinstance(row, Special)
    return np.array(row.value).astype(kind.numpy)


def applied(head: type[Scalar], x: Array) -> Array:
    """The function of each value, in the values' own type."""
    return FUNCTION_ROWS[head].numpy(x)


__all__ = [
    "CONSTANTS",
    "CONVERSIONS",
    "FUNCTIONS",
    "FUNCTION_ROWS",
    "HEADS",
    "INFIX",
    "Function",
    "Head",
    "Special",
    "applied",
    "special",
]
