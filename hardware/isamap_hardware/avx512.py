"""AVX-512 F: 32 registers of 64 bytes, fused multiply-add on f32 and f64."""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.avx512_functions import FUNCTIONS
from isamap_hardware.avx512_lanes import INSTRUCTIONS
from isamap_hardware.caches import links, memories
from isamap_hardware.lanewise import Row, lanewise, x86_floats
from isamap_hardware.moves import MoveCode, Register, moves

REQUIRES = ("avx512f",)

FLOAT = MoveCode(
    load="{r} = _mm512_loadu_ps({m});",
    broadcast="{r} = _mm512_set1_ps(*({m}));",
    zero="{r} = _mm512_setzero_ps();",
    store="_mm512_storeu_ps({m}, {r});",
    masked_load="{r} = _mm512_maskz_loadu_ps((__mmask16)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_ps({m}, (__mmask16)((1u << ({active})) - 1u), {r});",
    filled_load="{r} = _mm512_mask_loadu_ps(_mm512_set1_ps(FILL), (__mmask16)((1u << ({active})) - 1u), {m});",
)
DOUBLE = MoveCode(
    load="{r} = _mm512_loadu_pd({m});",
    broadcast="{r} = _mm512_set1_pd(*({m}));",
    zero="{r} = _mm512_setzero_pd();",
    store="_mm512_storeu_pd({m}, {r});",
    masked_load="{r} = _mm512_maskz_loadu_pd((__mmask8)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_pd({m}, (__mmask8)((1u << ({active})) - 1u), {r});",
    filled_load="{r} = _mm512_mask_loadu_pd(_mm512_set1_pd(FILL), (__mmask8)((1u << ({active})) - 1u), {m});",
)


def _fmadd(name: str, dtype: str, lanes: int, c_type: str) -> im.Instruction:
    return im.instruction(
        f"avx512.{name}",
        "c[l] += a[l] * b[l]",
        axes={"l": lanes},
        temporaries=0,
        dtypes=dict.fromkeys("abc", dtype),
        places=dict.fromkeys("abc", "zmm"),
        emit=f"{{c}} = _mm512_{name}({{a}}, {{b}}, {{c}});",
        requires=REQUIRES,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", c_type),
    )


def _floats(suffix: str) -> tuple[Row, ...]:
    return x86_floats(
        512,
        suffix,
        f"_mm512_mask_NAME_{suffix}({{b}}, _mm512_cmp_{suffix}_mask({{b}}, {{b}}, _CMP_ORD_Q), {{b}}, {{a}})",
        f"_mm512_mask_blend_{suffix}(_mm512_cmp_{suffix}_mask({{a}}, {{b}}, PREDICATE), {{y}}, {{x}})",
    )


HARDWARE = im.Hardware(
    "avx512",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        _fmadd("fmadd_ps", "f32", 16, "__m512"),
        _fmadd("fmadd_pd", "f64", 8, "__m512d"),
        *lanewise("avx512", "zmm", "f32", 16, "__m512", _floats("ps"), REQUIRES),
        *lanewise("avx512", "zmm", "f64", 8, "__m512d", _floats("pd"), REQUIRES),
        *FUNCTIONS,
        *moves(Register("avx512", "zmm", "f32", 16, 1, "__m512"), FLOAT, REQUIRES),
        *moves(Register("avx512", "zmm", "f64", 8, 1, "__m512d"), DOUBLE, REQUIRES),
        *INSTRUCTIONS,
    ),
    "x86-64 with AVX-512 F: 16 f32 or 8 f64 lanes",
)
