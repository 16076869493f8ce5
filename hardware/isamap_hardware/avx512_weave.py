"""Loads that weave separate rows: cell e of lane l is element l of row e.

A dot product of four bytes wants four rows of a row-major matrix in every 32-bit lane, one of two bf16 wants two.
Each row is widened to 32 bits as it is loaded, and shifted to its place.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.avx512_words import C_TYPE, HEADERS, PRELUDE
from isamap_hardware.moves import Register

_CALLS = {8: "_mm512_cvtepu8_epi32", 16: "_mm512_cvtepu16_epi32"}
_LOADS = {
    8: ("_mm_loadu_si128((const __m128i *)({at}))", "_mm_maskz_loadu_epi8(some, {at})"),
    16: ("_mm256_loadu_si256((const __m256i *)({at}))", "_mm256_maskz_loadu_epi16(some, {at})"),
}
_BYTES = {8: "{stride}", 16: "2 * {stride}"}  # between rows
FEATURES = ("avx512f", "avx512bw", "avx512vl")


def _function(bits: int, masked: bool) -> str:
    """The C of one load: rows are `stride` bytes apart."""
    rows = []
    for row in range(32 // bits):
        at = f"(const char *)p + {row} * stride" if row else "p"
        wide = f"{_CALLS[bits]}({_LOADS[bits][masked].format(at=at)})"
        rows.append(f"_mm512_slli_epi32({wide}, {bits * row})" if row else wide)
    text = rows[0]
    for shifted in rows[1:]:
        text = f"_mm512_or_si512({text},\n        {shifted})"
    name, more = _name(bits, masked), ", int64_t active" if masked else ""
    mask = "    const __mmask16 some = (__mmask16)((1u << active) - 1u);\n" if masked else ""
    return (
        f"static inline {C_TYPE} {name}(const void *p, int64_t stride{more}) {{\n"
        f"{mask}    return ({C_TYPE}){text};\n}}\n"
    )


def _name(bits: int, masked: bool) -> str:
    return f"avx512_weave{bits}{'_part' if masked else ''}"


def woven(register: Register, bits: int) -> tuple[im.Instruction, ...]:
    """The whole load and the masked one of a register of groups: all lanes or the first, of elements of so many bits."""
    return tuple(
        im.instruction(
            f"{register.machine}.{'masked_' if masked else ''}weave_{register.suffix}",
            "r[l,e] = m[e,l]",
            axes={"l": register.lanes, "e": register.group},
            dtypes={"r": register.dtype, "m": register.dtype},
            places={"r": register.memory, "m": "memory[e*stride + l]"},
            emit=f"{{r}} = {_name(bits, masked)}({{m}}, {_BYTES[bits]}{', {active}' if masked else ''});",
            requires=FEATURES,
            latency=9.0,
            per_cycle=1 / register.group,
            active={"l": "active"} if masked else None,
            beyond="zero" if masked else "kept",
            c_types={"r": register.c_type},
            headers=HEADERS,
            prelude=(PRELUDE, _function(bits, masked)),
        )
        for masked in (False, True)
    )
