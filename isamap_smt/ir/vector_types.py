"""C types kept by compilers in vector registers, and the header, functions and registers belonging to them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class VectorType:
    """registers: a compiler's number of them for the type; constraint: inline assembly's letter for one of them.

    header: it declares the compiler's functions on the type. group: the number of registers of one value: LMUL of
    RISC-V, 1 for a part of a register, 4 for Arm's tuples of four, 2 and 4 for tables of 128 and 256 bytes on AVX-512.
    size, load, store: for a type without sizeof, C of its bytes, of a value of it at {p}, and of leaving {r} there.
    """

    registers: int
    constraint: str
    header: str
    size: str = ""
    load: str = ""
    store: str = ""
    group: int = 1


_SVE = VectorType(
    32,
    "w",
    "arm_sve.h",
    "svcntb()",
    "svld1_{k}{w}(svptrue_b{w}(), {{p}})",
    "svst1_{k}{w}(svptrue_b{w}(), {{p}}, {{r}})",
)
_SVE_FOUR = VectorType(
    32,
    "w",
    "arm_sve.h",
    "4 * svcntb()",
    "svcreate4_{k}{w}(" + ", ".join(f"svld1_vnum_{{k}}{{w}}(svptrue_b{{w}}(), {{{{p}}}}, {n})" for n in range(4)) + ")",
    "; ".join(
        f"svst1_vnum_{{k}}{{w}}(svptrue_b{{w}}(), {{{{p}}}}, {n}, svget4_{{k}}{{w}}({{{{r}}}}, {n}))" for n in range(4)
    ),
    4,
)
_RVV = VectorType(
    32, "vr", "riscv_vector.h", "__riscv_vsetvlmax_e{w}{g}() * {w} / 8",
    "__riscv_vle{w}_v_{k}{w}{g}({{p}}, __riscv_vsetvlmax_e{w}{g}())",
    "__riscv_vse{w}_v_{k}{w}{g}({{p}}, {{r}}, __riscv_vsetvlmax_e{w}{g}())",
)  # fmt: skip
_SVE_LETTERS = {"bfloat": "bf", "float": "f", "int": "s", "uint": "u"}
_TYPES: tuple[tuple[re.Pattern[str], VectorType, dict[str, str]], ...] = (
    (re.compile(r"__m(128|256)[dih]?|__m(128|256)bh"), VectorType(16, "v", "immintrin.h"), {}),
    (re.compile(r"__m512[dih]?|__m512bh"), VectorType(32, "v", "immintrin.h"), {}),
    (re.compile(r"avx512_bytes128"), VectorType(32, "v", "immintrin.h", group=2), {}),
    (re.compile(r"avx512_bytes256"), VectorType(32, "v", "immintrin.h", group=4), {}),
    (re.compile(r"(float|int|uint|bfloat|poly)\d+x\d+_t"), VectorType(32, "w", "arm_neon.h"), {}),
    (re.compile(r"(float|int|uint|bfloat|poly)\d+x\d+x4_t"), VectorType(32, "w", "arm_neon.h", group=4), {}),
    (
        re.compile(r"sv(?P<k>bfloat|float|int|uint)(?P<w>\d+)_t"),
        _SVE,
        _SVE_LETTERS,
    ),
    (re.compile(r"sv(?P<k>bfloat|float|int|uint)(?P<w>\d+)x4_t"), _SVE_FOUR, _SVE_LETTERS),
    (
        re.compile(r"v(?P<k>float|int|uint)(?P<w>\d+)(?P<g>mf[248]|m[1248])_t"),
        _RVV,
        {"float": "f", "int": "i", "uint": "u"},
    ),
)


def vector_type(c_type: str) -> VectorType | None:
    """The facts of a C type; None if it is no vector, or is not listed here.

    >>> vector_type("__m256i").registers, vector_type("float32x4_t").header, vector_type("double")
    (16, 'arm_neon.h', None)
    >>> vector_type("svint8_t").load
    'svld1_s8(svptrue_b8(), {p})'
    >>> [vector_type(f"vint32{g}_t").group for g in ("mf2", "m1", "m4")]
    [1, 1, 4]
    >>> [vector_type(t).group for t in ("float32x4x4_t", "svint8x4_t", "svint8_t")]
    [4, 4, 1]
    """
    for form, found, letters in _TYPES:
        if match := form.fullmatch(c_type):
            if not found.size:
                return found
            parts = match.groupdict()
            parts["k"] = letters[parts["k"]]
            size, load, store = (text.format(**parts) for text in (found.size, found.load, found.store))
            group = int(form_of[1:]) if re.fullmatch(r"m\d", form_of := parts.get("g", "")) else found.group
            return VectorType(found.registers, found.constraint, found.header, size, load, store, group)
    return None
