"""C types that compilers keep in vector registers, and the header, functions and registers that belong to them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class VectorType:
    """registers: how many a compiler has for values of the type; constraint: inline assembly's letter for one of them; header: what
    declares the compiler's functions on it."""

    registers: int
    constraint: str
    header: str


_SSE = VectorType(16, "v", "immintrin.h")
_AVX512 = VectorType(32, "v", "immintrin.h")
_ARM64 = VectorType(32, "w", "arm_neon.h")
_TYPES = (
    (re.compile(r"__m(128|256)[dih]?|__m(128|256)bh"), _SSE),
    (re.compile(r"__m512[dih]?|__m512bh"), _AVX512),
    (re.compile(r"(float|int|uint|bfloat|poly)\d+x\d+_t"), _ARM64),
)


def vector_type(c_type: str) -> VectorType | None:
    """What is known of a C type; None where it is no vector, or one that nobody listed here.

    >>> vector_type("__m256i").registers, vector_type("float32x4_t").header, vector_type("double")
    (16, 'arm_neon.h', None)
    """
    return next((found for form, found in _TYPES if form.fullmatch(c_type)), None)
