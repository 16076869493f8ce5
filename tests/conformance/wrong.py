"""Wrong descriptions, one mistake each, in what is otherwise a right machine of AVX2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import isamap_smt as im

AVX2 = im.find_hardware("avx2")
F32, YMM, V8 = dict.fromkeys("abc", "f32"), dict.fromkeys("abc", "ymm"), dict.fromkeys("abc", "__m256")
I16, V16 = dict.fromkeys("abc", "i16"), dict.fromkeys("abc", "__m256i")


@dataclass(frozen=True)
class Mistake:
    """An instruction, and words that the report must have."""

    instruction: im.Instruction
    said: str
    machine: im.Hardware = AVX2


def compute(emit: str, text: str = "c[l] += a[l] * b[l]", **changed: Any) -> im.Instruction:
    """A multiply-add of eight floats, as described unless changed."""
    given: dict[str, Any] = {
        "axes": {"l": 8}, "dtypes": F32, "places": YMM, "c_types": V8, "requires": ("avx2", "fma"), "rounding": "fused",
        "emit": emit, "headers": ("immintrin.h", "stdint.h", "string.h"),
    }  # fmt: skip
    return im.instruction("mine.it", text, **(given | changed))


def bytes_dot(emit: str, **changed: Any) -> im.Instruction:
    """A dot product of four bytes in each of eight lanes."""
    given: dict[str, Any] = {
        "axes": {"l": 8, "e": 4}, "dtypes": {"a": "u8", "b": "i8", "c": "i32"}, "places": YMM, "c_types": V16,
        "requires": ("avx2",), "emit": emit,
    }  # fmt: skip
    return im.instruction("mine.it", "c[l] += i32(a[l,e]) * i32(b[l,e])", **(given | changed))


def move(kind: str, text: str, emit: str, **changed: Any) -> im.Instruction:
    """A move of eight floats."""
    operands = "r" if kind == "zero" else "rm"
    given: dict[str, Any] = {
        "axes": {"l": 8}, "dtypes": dict.fromkeys(operands, "f32"),
        "places": {o: "memory" if o == "m" else "ymm" for o in operands}, "emit": emit,
        "requires": ("avx2", "fma"), "c_types": {"r": "__m256"},
        "headers": ("immintrin.h", "stdint.h", "string.h"), "prelude": MASKS,
    }  # fmt: skip
    return im.instruction("mine.it", text, **(given | changed))


def scattered(down: str = "down", right: str = "right") -> im.Instruction:
    """A store of bytes, each where two strides say."""
    return move("store", "m[l,e] = r[l,e]", "for (int l = 0; l < 8; ++l) for (int e = 0; e < 4; ++e) "
                f"({{m}})[l * {{{down}}} + e * {{{right}}}] = ((const unsigned char *)&{{r}})[4 * l + e];",
                axes={"l": 8, "e": 4}, dtypes={"r": "u8", "m": "u8"}, c_types={"r": "__m256i"}, places=BOTH)  # fmt: skip


MASKS = """
static inline __m256i my_mask(int64_t active) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)active), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
"""
ROWS = {"r": "ymm", "m": "memory[l*stride + e]"}
BOTH = {"r": "ymm", "m": "memory[l*down + e*right]"}
LOAD, STORE = "r[l] = m[l]", "m[l] = r[l]"
SOME: dict[str, Any] = {"active": {"l": "active"}}
FMA = "{c} = _mm256_fmadd_ps({a}, {b}, {c});"

COMPUTES = {
    "subtracts": Mistake(compute("{c} = _mm256_fmsub_ps({a}, {b}, {c});"), "results are wrong"),
    "overwrites an input": Mistake(compute(f"{FMA} {{a}} = {{c}};"), "overwrites its input a"),
    "saturates": Mistake(
        compute("{c} = _mm256_adds_epi16({a}, {b});", "c[l] = a[l] + b[l]", axes={"l": 16}, dtypes=I16, c_types=V16,
                rounding="exact"),
        "results are wrong",
    ),
    "saturates between products": Mistake(
        bytes_dot(
            "{c} = _mm256_add_epi32({c}, _mm256_madd_epi16(_mm256_maddubs_epi16({a}, {b}), _mm256_set1_epi16(1)));"
        ),
        "results are wrong",
    ),
    "operands in the wrong order": Mistake(
        bytes_dot(
            "{c} = _mm256_add_epi32({c}, _mm256_madd_epi16(_mm256_maddubs_epi16({b}, {a}), _mm256_set1_epi16(1)));",
            exact="c[l] += i32(sat_i16(i32(a[l,0])*i32(b[l,0]) + i32(a[l,1])*i32(b[l,1])))"
            " + i32(sat_i16(i32(a[l,2])*i32(b[l,2]) + i32(a[l,3])*i32(b[l,3])))",
        ),
        "really computes",
    ),
    "rounds twice": Mistake(compute("{c} = _mm256_add_ps(_mm256_mul_ps({a}, {b}), {c});"), "results are wrong"),
    "rounds once": Mistake(compute(FMA, rounding="unfused"), "results are wrong"),
    "forgets the accumulator": Mistake(compute("{c} = _mm256_mul_ps({a}, {b});", rounding="unfused"), "results are wrong"),
    "lanes cross": Mistake(
        compute("{c} = _mm256_fmadd_ps({a}, _mm256_permute_ps({b}, 0xb1), {c});"), "results are wrong"
    ),
    "half of the lanes": Mistake(
        compute("{c} = _mm256_insertf128_ps({c}, _mm_fmadd_ps(_mm256_castps256_ps128({a}), _mm256_castps256_ps128({b}), "
                "_mm256_castps256_ps128({c})), 0);"),
        "results are wrong",
    ),
    "an accumulator of its own": Mistake(
        compute("{{ static __m256 kept; kept = _mm256_fmadd_ps({a}, {b}, kept); {c} = kept; }}"), "wrong"
    ),
    "counts its calls": Mistake(
        compute(f"{{{{ static int calls; {FMA} if (++calls == 700) {{c}} = {{a}}; }}}}"), "keeps something"
    ),
    "two threads share": Mistake(
        compute("{{ static float kept[8]; _mm256_storeu_ps(kept, {a}); __asm__ volatile(\"\" :: \"r\"(kept) : \"memory\"); "
                "for (volatile int w = 0; w < 200; ++w) {{ }} "
                "__asm__ volatile(\"\" :: \"r\"(kept) : \"memory\"); {c} = _mm256_fmadd_ps(_mm256_loadu_ps(kept), {b}, {c}); }}"),
        "share something",
    ),
    "rounding mode": Mistake(compute(f"{FMA} _mm_setcsr(_mm_getcsr() | 0x6000);"), "another mode"),
    "flushes denormals": Mistake(
        compute(
            "unsigned before = _mm_getcsr(), flushing = before | 0x8040u; "
            '__asm__ volatile("ldmxcsr %3; vfmadd231ps %2, %1, %0; ldmxcsr %4" '
            ': "+x"({c}) : "x"({a}), "x"({b}), "m"(flushing), "m"(before));'
        ),
        "results are wrong",
    ),
    "leaves MMX in use": Mistake(
        compute(f'{FMA} __asm__ volatile("movd %%eax, %%mm0" ::: "memory");'), "another mode"
    ),
    "direction flag": Mistake(compute(f'{FMA} __asm__ volatile("std" ::: "memory");'), "another mode"),
    "never ends": Mistake(compute(f"{FMA} for (volatile int w = 1; w;) {{{{ }}}}"), "had not ended"),
    "crashes": Mistake(compute(f"{FMA} *(volatile int *)8 = 0;"), "SIGSEGV"),
    "unknown to the CPU": Mistake(compute(f"{FMA} __builtin_trap();"), "SIGILL"),
    "ends the process": Mistake(compute(f"{FMA} _exit(0);", headers=("immintrin.h", "unistd.h")), "ends the process"),
    "divides by zero": Mistake(
        compute("{c} = {c} + {a} / {b};", "c[] += a[] * b[]", axes={}, dtypes=dict.fromkeys("abc", "i32"),
                c_types=dict.fromkeys("abc", "int32_t"), rounding="exact"),
        "SIGFPE",
    ),
    "a label": Mistake(compute(f'{FMA} __asm__ volatile("here: nop");'), "does not compile"),
    "a feature is missing": Mistake(compute(FMA, requires=("avx2",)), "does not compile"),
    "no such function": Mistake(compute("{c} = _mm256_fmaddd_ps({a}, {b}, {c});"), "does not compile"),
    "a register too small": Mistake(
        compute("{c} = _mm_fmadd_ps({a}, {b}, {c});", c_types=dict.fromkeys("abc", "__m128")), "is smaller than its cells"
    ),
    "a sign": Mistake(
        compute("{c} = _mm256_add_epi32({c}, _mm256_cvtepu16_epi32(_mm_add_epi16({a}, {b})));",
                "c[l] += i32(a[l] + b[l])", dtypes={"a": "i16", "b": "i16", "c": "i32"},
                c_types={"a": "__m128i", "b": "__m128i", "c": "__m256i"}, rounding="exact"),
        "results are wrong",
    ),
    "only where small": Mistake(
        compute("{c} = _mm256_add_epi32({c}, _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps({a}), _mm256_cvtepi32_ps({b}))));",
                dtypes=dict.fromkeys("abc", "i32"), c_types=V16, rounding="exact"),
        "results are wrong",
    ),
    "a NaN is lost": Mistake(
        compute("{c} = _mm256_max_ps({c}, {a});", "c[l] max= a[l]", dtypes={"a": "f32", "c": "f32"},
                places={"a": "ymm", "c": "ymm"}, c_types={"a": "__m256", "c": "__m256"}, rounding="exact"),
        "nan",
    ),
    "beyond the range": Mistake(
        bytes_dot(
            "{c} = _mm256_add_epi32({c}, _mm256_madd_epi16(_mm256_maddubs_epi16({a}, {b}), _mm256_set1_epi16(1)));",
            assume=[("a", 0, 200)],
        ),
        "results are wrong",
    ),
    "off by an estimate": Mistake(
        compute("{c} = _mm256_add_ps({c}, _mm256_mul_ps({a}, _mm256_rcp_ps(_mm256_rcp_ps({b}))));", rounding="as it likes"),
        "results are wrong",
    ),
    "a clobber is missing": Mistake(
        compute(f'{FMA} __asm__ volatile("vxorps %%ymm0, %%ymm0, %%ymm0; vxorps %%ymm1, %%ymm1, %%ymm1; '
                'vxorps %%ymm2, %%ymm2, %%ymm2; vxorps %%ymm3, %%ymm3, %%ymm3; xor %%ecx, %%ecx" : : );'),
        "",
    ),
    "a clobber of a register that seems free": Mistake(
        compute(f'{FMA} __asm__ volatile("vpxor %%xmm14, %%xmm14, %%xmm14" : : );'), ""
    ),
    "a clobber of a word": Mistake(compute(f'{FMA} __asm__ volatile("xor %%r14, %%r14; xor %%rbx, %%rbx" : : );'), ""),
    "an uninitialised sum": Mistake(
        compute("{{ __m256 t; {c} = _mm256_fmadd_ps({a}, {b}, t); }}"), "results are wrong"
    ),
}  # fmt: skip

MOVES = {
    "one element too far": Mistake(move("load", LOAD, "{r} = _mm256_loadu_ps({m} + 1);"), "SIGSEGV"),
    "reads beyond": Mistake(
        move("load", LOAD, "{{ volatile float x = ({m})[8]; (void)x; {r} = _mm256_loadu_ps({m}); }}"), "SIGSEGV"
    ),
    "reads before": Mistake(
        move("load", LOAD, "{{ volatile float x = ({m})[-1]; (void)x; {r} = _mm256_loadu_ps({m}); }}"), "SIGSEGV"
    ),
    "asks for alignment": Mistake(move("load", LOAD, "{r} = _mm256_load_ps({m});"), "alignment"),
    "asks for more alignment": Mistake(
        move("load", LOAD, "{r} = _mm256_load_ps({m});", preconditions=("aligned m 16",)), "alignment"
    ),
    "the wrong lanes": Mistake(move("load", LOAD, "{r} = _mm256_permute_ps(_mm256_loadu_ps({m}), 0x1b);"), "cells are wrong"),
    "half a register": Mistake(
        move("load", LOAD, "{r} = _mm256_insertf128_ps({r}, _mm_loadu_ps({m}), 0);"), "cells are wrong"
    ),
    "writes what it loads": Mistake(
        move("load", LOAD, "{r} = _mm256_loadu_ps({m}); *(float *)({m}) = 0;"), "SIGSEGV"
    ),
    "one lane for all": Mistake(move("broadcast", "r[l] = m[]", "{r} = _mm256_loadu_ps({m});"), ""),
    "not zero": Mistake(move("zero", "r[l] = 0", "{r} = _mm256_sub_ps({r}, {r});"), "cells are wrong"),
    "writes beyond": Mistake(
        move("store", STORE, "_mm256_storeu_ps({m}, {r}); (({m}))[8] = 0;"), "SIGSEGV"
    ),
    "blends": Mistake(  # what is beyond is read and written back
        move("store", STORE, "{{ __m256 old = _mm256_loadu_ps({m}); __asm__ volatile(\"\" : \"+x\"(old)); "
             "_mm256_storeu_ps({m}, _mm256_blendv_ps(old, {r}, _mm256_castsi256_ps(my_mask({active})))); }}", **SOME),
        "SIGSEGV",
    ),
    "stores every lane": Mistake(move("store", STORE, "_mm256_storeu_ps({m}, {r});", **SOME), "SIGSEGV"),
    "stores one lane too many": Mistake(
        move("store", STORE, "_mm256_maskstore_ps({m}, my_mask({active} + 1), {r});", **SOME), "SIGSEGV"
    ),
    "changes what it stores": Mistake(
        move("store", STORE, "_mm256_storeu_ps({m}, {r}); {r} = _mm256_setzero_ps();"), "overwrites"
    ),
    "keeps inactive lanes": Mistake(
        move("load", LOAD, "{r} = _mm256_blendv_ps({r}, _mm256_maskload_ps({m}, my_mask({active})), "
             "_mm256_castsi256_ps(my_mask({active})));", **SOME, beyond="zero"),
        "not active",
    ),
    "masks nothing": Mistake(
        move("load", LOAD, "{r} = _mm256_loadu_ps({m});", **SOME, beyond="zero"), "SIGSEGV"
    ),
    "the other end": Mistake(
        move("load", LOAD, "{r} = _mm256_maskload_ps({m}, _mm256_cmpgt_epi32(_mm256_set1_epi32((int){active}), "
             "_mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)));", **SOME, beyond="zero"),
        "",
    ),
    "transposes": Mistake(
        move("load", "r[l,e] = m[e,l]", "{r} = _mm256_loadu_si256((const __m256i *)({m}));", axes={"l": 8, "e": 4},
             dtypes={"r": "u8", "m": "u8"}, c_types={"r": "__m256i"}),
        "cells are wrong",
    ),
    "ignores the stride": Mistake(
        move("load", "r[l,e] = m[l,e]", "{r} = _mm256_loadu_si256((const __m256i *)({m}));", axes={"l": 8, "e": 4},
             dtypes={"r": "u8", "m": "u8"}, c_types={"r": "__m256i"}, places=ROWS),
        "",
    ),
    "takes bytes for elements": Mistake(
        move("load", LOAD, "{{ float t[8]; for (int l = 0; l < 8; ++l) memcpy(t + l, (const char *)({m}) + l * ({step}), 4); "
             "{r} = _mm256_loadu_ps(t); }}", places={"r": "ymm", "m": "memory[l*step]"}),
        "",
    ),
    "one of two strides": Mistake(
        move("store", "m[l,e] = r[l,e]", "for (int l = 0; l < 8; ++l) memcpy(({m}) + l * ({down}), (const char *)&{r} + 4 * l, 4);",
             axes={"l": 8, "e": 4}, dtypes={"r": "u8", "m": "u8"}, c_types={"r": "__m256i"}, places=BOTH),
        "",
    ),
    "strides in the wrong order": Mistake(scattered("right", "down"), ""),
    "strides that count up only": Mistake(
        move("load", "r[l,e] = m[l,e]", "{{ unsigned char t[32]; for (int l = 0; l < 8; ++l) "
             "memcpy(t + 4 * l, (const char *)({m}) + l * (uint64_t)(uint32_t)({stride}), 4); "
             "{r} = _mm256_loadu_si256((const __m256i *)t); }}",
             axes={"l": 8, "e": 4}, dtypes={"r": "u8", "m": "u8"}, c_types={"r": "__m256i"}, places=ROWS),
        "",
    ),
}  # fmt: skip

AMX = im.find_hardware("amx")


def amx(name: str, **changed: Any) -> Mistake:
    """An instruction of AMX with one change, among the right ones."""
    right = AMX.instruction(name)
    return Mistake(replace(right, **changed), "", AMX)


TILES = {
    "signs": amx("dpbusd", emit=AMX.instruction("dpbssd").emit),
    "factors in the wrong order": amx("dpbusd", emit='amx_tile_dot("tdpbsud", {c}, {b}, {a});'),
    "tiles overwritten": amx("dpbusd", emit=AMX.instruction("dpbusd").emit + " amx_tile_zero({a});"),
    "words of bf16 that another knows": amx("dpbf16ps", rounding="fused"),
    "rows as they lie": amx("load_rows_u8", emit="amx_tile_load({r}, {m}, 64);"),
    "groups by rows": amx("load_groups_i8", emit="amx_tile_load({r}, {m}, 128);"),
    "a row too many": amx(
        "masked_load_rows_i8",
        emit="amx_tile_load_part({r}, {m}, {stride}, ({active}) + 1 > 16 ? 16 : ({active}) + 1, 16);",
    ),
    "columns uncut": amx("masked_store_i32", emit="amx_tile_store_part({r}, {m}, 4 * {stride}, {active}, 16);"),
    "not emptied": amx("zero_i32", emit="(void){r};"),
    "bytes taken for elements": amx("load_rows_bf16", emit="amx_tile_load({r}, {m}, {stride});"),
    "another tile": amx("store_f32", emit="(void){r}; amx_tile_store(1, {m}, 4 * {stride});"),
}
