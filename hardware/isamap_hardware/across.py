"""Steps across lanes: one register of partial results becomes one number, halves combined with halves.

The upper half of a register is brought down (vextractf32x8, vextractf128, vmovhlps, vmovshdup, and their like on integers) and
combined with the lower one, until one lane is left. The maxima and minima are NumPy's, as in isamap_hardware.lanewise.
"""

from __future__ import annotations

from collections.abc import Iterator

import isamap_smt as im

WORDS = {"sum": "{} + {}", "max": "max({}, {})", "min": "min({}, {})"}


def tree(word: str, lanes: int) -> str:
    """Halves with halves of a[l], a[l + 1] ...

    >>> tree("sum", 4)
    '(a[l] + a[l + 2]) + (a[l + 1] + a[l + 3])'
    """
    terms = ["a[l]", *(f"a[l + {n}]" for n in range(1, lanes))]
    while len(terms) > 1:
        half = len(terms) // 2
        pairs = zip(terms[:half], terms[half:], strict=True)
        made = [WORDS[word].format(x, y) for x, y in pairs]
        terms = [f"({m})" if word == "sum" and half > 1 else m for m in made]
    return terms[0]


def across(
    machine: str, memory: str, dtype: str, lanes: int, c_type: str, requires: tuple[str, ...],
    prelude: str | tuple[str, ...],
    headers: tuple[str, ...] | None = None, latency: float = 16.0,
) -> Iterator[im.Instruction]:  # fmt: skip
    """The sum, the maximum and the minimum of one register's lanes, by the functions MACHINE_WORD_LANESxTYPE of the prelude."""
    for word in WORDS:
        yield im.instruction(
            f"{machine}.{word}_of_{lanes}x{dtype}",
            f"c[l] = {tree(word, lanes)}",
            axes={"l": 1},
            temporaries=2,
            dtypes=dict.fromkeys("ca", dtype),
            places=dict.fromkeys("ca", memory),
            emit=f"{{c}} = {machine}_{word}_{lanes}x{dtype}({{a}});",
            requires=requires,
            latency=latency,
            per_cycle=0.2,
            rounding="unfused" if dtype.startswith("f") else "exact",
            c_types={"c": C[dtype], "a": c_type},
            headers=headers,
            prelude=prelude,
        )


C = {"f32": "float", "f64": "double", "i32": "int32_t"}
_BITS = {"f32": 32, "f64": 64, "i32": 32}
_DOWN = {  # by the bits that are left: the lower half of V, and the upper one
    "f32": {
        256: ("_mm512_castps512_ps256(V)", "_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(V), 1))"),
        128: ("_mm256_castps256_ps128(V)", "_mm256_extractf128_ps(V, 1)"),
        64: ("V", "_mm_movehl_ps(V, V)"),
        32: ("V", "_mm_movehdup_ps(V)"),
    },
    "f64": {
        256: ("_mm512_castpd512_pd256(V)", "_mm512_extractf64x4_pd(V, 1)"),
        128: ("_mm256_castpd256_pd128(V)", "_mm256_extractf128_pd(V, 1)"),
        64: ("V", "_mm_unpackhi_pd(V, V)"),
    },
    "i32": {
        256: ("_mm512_castsi512_si256((__m512i)V)", "_mm512_extracti64x4_epi64((__m512i)V, 1)"),
        128: ("_mm256_castsi256_si128(V)", "_mm256_extracti128_si256(V, 1)"),
        64: ("V", "_mm_unpackhi_epi64(V, V)"),
        32: ("V", "_mm_shuffle_epi32(V, 1)"),
    },
}
_FIRST = {"f32": "_mm_cvtss_f32", "f64": "_mm_cvtsd_f64", "i32": "_mm_cvtsi128_si32"}
_KIND = {"f32": ("", "ps"), "f64": ("d", "pd"), "i32": ("i", "epi32")}


def x86_prelude(machine: str, dtype: str, width: int, c_type: str) -> str:
    """C of the three functions, on a register of so many bits."""
    return "".join(_function(machine, word, dtype, width, c_type) for word in WORDS)


def _function(machine: str, word: str, dtype: str, width: int, c_type: str) -> str:
    lines, held, bits = [], "given", width
    while bits > _BITS[dtype]:
        bits //= 2
        low, high = (text.replace("V", held) for text in _DOWN[dtype][bits])
        kind, mm = ("__m256", "_mm256") if bits == 256 else ("__m128", "_mm")
        kind, held = kind + _KIND[dtype][0], f"of_{bits}"
        lines.append(f"    const {kind} low_{bits} = {low}, high_{bits} = {high};")
        lines.append(f"    const {kind} {held} = {_combined(word, dtype, mm, f'low_{bits}', f'high_{bits}')};")
    name = f"{machine}_{word}_{width // _BITS[dtype]}x{dtype}"
    body = "\n".join([*lines, f"    return {_FIRST[dtype]}({held});"])
    return f"static inline {C[dtype]} {name}({c_type} given) {{\n{body}\n}}\n"


def _combined(word: str, dtype: str, mm: str, a: str, b: str) -> str:
    """If a is NaN, x86's maximum of b and a is a; NaN in b is put in its place."""
    suffix = _KIND[dtype][1]
    call = f"{mm}_{'add' if word == 'sum' else word}_{suffix}"
    if word == "sum" or dtype == "i32":
        return f"{call}({a}, {b})"
    return f"{mm}_blendv_{suffix}({call}({b}, {a}), {b}, {mm}_cmp_{suffix}({b}, {b}, _CMP_UNORD_Q))"


def neon_prelude(dtype: str) -> str:
    """C of the three functions, on four lanes: halves of a register, then its two lanes."""
    suffix, register = {"f32": ("f32", "float32x4_t"), "i32": ("s32", "int32x4_t")}[dtype]
    half = register.replace("x4", "x2")
    return "".join(
        f"static inline {C[dtype]} neon_{word}_4x{dtype}({register} given) {{\n"
        f"    const {half} half = {call}_{suffix}(vget_low_{suffix}(given), vget_high_{suffix}(given));\n"
        f"    return vget_lane_{suffix}({call.replace('v', 'vp', 1)}_{suffix}(half, half), 0);\n}}\n"
        for word, call in (("sum", "vadd"), ("max", "vmax"), ("min", "vmin"))
    )
