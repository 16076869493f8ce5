"""Element types: one name, one NumPy dtype, one C type each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from isamap_smt.ir.errors import DTypeError, did_you_mean


@dataclass(frozen=True)
class DType:
    """An element type. Its values have `bits`; `kind` is 'f' (float), 'i' (signed) or 'u' (unsigned). `bool` is 'u' of one bit."""

    name: str
    kind: str
    bits: int
    c: str

    @property
    def numpy(self) -> np.dtype:
        """The NumPy dtype with the same values, from ml_dtypes if NumPy has none."""
        return _NUMPY[self.name]

    @property
    def bytes(self) -> int:
        """Size of one element in bytes."""
        return -(-self.bits // 8)

    @property
    def cells(self) -> DType:
        """The type of its elements in memory: u8, 0 or 1, for bool; else itself."""
        return u8 if self.name == "bool" else self

    def lies_as(self, other: DType) -> bool:
        """Whether its elements, as they lie in memory, are elements of the other type."""
        return other in (self, self.cells)

    @property
    def is_part(self) -> bool:
        """Whether it has fewer bits than the byte of an element, and more than one. They are the low bits."""
        return 1 < self.bits < 8

    @property
    def is_scale(self) -> bool:
        """Whether its numbers are powers of two alone: it has no sign, no zero and no infinities."""
        return self.name == "e8m0"

    @property
    def is_stored(self) -> bool:
        """Whether it is only stored, converted and compared."""
        return self.is_part or self.is_scale

    @property
    def has_infinities(self) -> bool:
        """Whether it is a floating-point type with infinities."""
        return self.is_float and (self.bits > 8 or self.name == "f8e5m2")

    @property
    def is_word(self) -> bool:
        """Whether it is a floating-point type unknown to C: its elements are unsigned words, and f32 computes them."""
        return self.is_float and self.c.startswith("uint")

    @property
    def is_float(self) -> bool:
        """Whether arithmetic rounds."""
        return self.kind == "f"

    @property
    def low(self) -> int:
        """Smallest integer value. Only for integer types."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def high(self) -> int:
        """Largest integer value. Only for integer types."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "i" else (1 << self.bits) - 1

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the greatest finite value."""
        if not self.is_float:
            return self.low, self.high
        limits = ml_dtypes.finfo(self.numpy)  # type: ignore[no-untyped-call]
        largest = float(limits.max)
        return (float(limits.tiny) if self.is_scale else -largest), largest

    def __str__(self) -> str:
        return self.name


_ALL = (
    DType("f64", "f", 64, "double"),
    DType("f32", "f", 32, "float"),
    DType("bf16", "f", 16, "uint16_t"),
    DType("f16", "f", 16, "_Float16"),
    DType("f8e4m3", "f", 8, "uint8_t"),
    DType("f8e5m2", "f", 8, "uint8_t"),
    DType("f8e4m3fnuz", "f", 8, "uint8_t"),
    DType("f8e5m2fnuz", "f", 8, "uint8_t"),
    DType("e8m0", "f", 8, "uint8_t"),
    DType("f4e2m1", "f", 4, "uint8_t"),
    DType("i64", "i", 64, "int64_t"),
    DType("i32", "i", 32, "int32_t"),
    DType("i16", "i", 16, "int16_t"),
    DType("i8", "i", 8, "int8_t"),
    DType("u64", "u", 64, "uint64_t"),
    DType("u32", "u", 32, "uint32_t"),
    DType("u16", "u", 16, "uint16_t"),
    DType("u8", "u", 8, "uint8_t"),
    DType("i4", "i", 4, "uint8_t"),
    DType("u4", "u", 4, "uint8_t"),
    DType("i2", "i", 2, "uint8_t"),
    DType("u2", "u", 2, "uint8_t"),
    DType("bool", "u", 1, "uint8_t"),
)
_NUMPY = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f4e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
    "i4": np.dtype(ml_dtypes.int4),
    "u4": np.dtype(ml_dtypes.uint4),
    "i2": np.dtype(ml_dtypes.int2),
    "u2": np.dtype(ml_dtypes.uint2),
    "bool": np.dtype(np.bool_),
    **{f"{k}{b}": np.dtype(f"{k}{b // 8}") for k in "iu" for b in (8, 16, 32, 64)},
}
DTYPES: dict[str, DType] = {d.name: d for d in _ALL}
f64, f32, bf16, f16, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, e8m0, f4e2m1, i64, i32, i16, i8 = _ALL[:14]
u64, u32, u16, u8, i4, u4, i2, u2, bool_ = _ALL[14:]


def dtype(name: str | DType) -> DType:
    """The element type with this name. Raises DTypeError with near matches.

    >>> dtype("u8").high
    255
    """
    if isinstance(name, DType):
        return name
    if not isinstance(name, str):
        raise DTypeError(f"{name!r} is no element type; pass a name such as 'f32'")
    try:
        return DTYPES[name]
    except KeyError:
        raise DTypeError(f"unknown dtype {name!r}; {did_you_mean(name, DTYPES)}") from None


_E4M3, _E5M2 = ("f8e4m3", "f8e4m3fnuz"), ("f8e5m2", "f8e5m2fnuz")
# bits of a significand, the leading one included
_PRECISION = {
    "f64": 53,
    "f32": 24,
    "f16": 11,
    "bf16": 8,
    **dict.fromkeys(_E4M3, 4),
    **dict.fromkeys(_E5M2, 3),
    "f4e2m1": 2,
    "e8m0": 1,
}
# bits of an exponent
_RANGE = {
    "f64": 11,
    "f32": 8,
    "f16": 5,
    "bf16": 8,
    **dict.fromkeys(_E4M3, 4),
    **dict.fromkeys(_E5M2, 5),
    "f4e2m1": 2,
    "e8m0": 8,
}


def widens(held: DType, wanted: DType) -> bool:
    """Whether every value of `held` is one of `wanted`, so converting it changes nothing.

    >>> widens(dtype("u8"), dtype("i16")), widens(dtype("i16"), dtype("u32")), widens(dtype("bf16"), dtype("f32"))
    (True, False, True)
    """
    if wanted.is_scale:  # which lacks zero
        return held == wanted
    if held.is_float and wanted.bits <= 8:  # each type of 8 bits has numbers that the others lack
        return held == wanted or (held.is_part and wanted.is_float and not wanted.is_part and "fnuz" not in wanted.name)
    if held.is_float:
        return (
            wanted.is_float
            and _PRECISION[held.name] <= _PRECISION[wanted.name]
            and _RANGE[held.name] <= _RANGE[wanted.name]
        )
    if wanted.is_float:
        reach = 1 << _PRECISION[wanted.name]  # not above the largest number of each type
        return -reach <= held.low and held.high <= reach
    return wanted.low <= held.low and held.high <= wanted.high


def negative_zero(of: DType) -> int:
    """The bits of -0 in a floating-point type; of 0 if it has no other zero."""
    return int(np.array(-0.0, np.float32).astype(of.numpy).view(f"u{of.bytes}"))


@lru_cache(maxsize=1_000)
def from_numpy(array_dtype: np.dtype) -> DType | None:
    """The element type whose NumPy dtype equals `array_dtype`, or None."""
    return next((DTYPES[n] for n, d in _NUMPY.items() if d == array_dtype), None)


def check_bools(name: str, array: np.ndarray) -> None:
    """Raises DTypeError if an array of bool has a byte other than 0 and 1."""
    if array.dtype == np.bool_ and (bad := array.view(np.uint8) > 1).any():
        where = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        raise DTypeError(
            f"{name}{list(where)} is the byte {array.view(np.uint8)[where]}, and elements of bool are 0 or 1; pass "
            f"{name}.view('uint8') != 0"
        )
