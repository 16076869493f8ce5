"""Portable C for any machine, one element at a time, for every element type.

A register is a C variable of the element's C type; bf16 is held as its 16 bits. Integers wrap, because sums and
products are computed unsigned. Floating point rounds the product and the sum apart.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.caches import links, memories

C_TYPES = {
    "f64": "double", "f32": "float", "f16": "_Float16", "bf16": "uint16_t",
    "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t",
    "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t", "bool": "uint8_t",
}  # fmt: skip
HEADERS = ("stdint.h", "string.h")
BF16 = """\
static inline float bf16_to_f32(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}
/* To nearest even. A NaN stays one: its top bits are kept and it is made quiet. */
static inline uint16_t f32_to_bf16(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if ((word & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((word >> 16) | 0x40u);
    return (uint16_t)((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}
"""


def _muladd(name: str, dtypes: tuple[str, str, str], emit: str, prelude: str = "") -> im.Instruction:
    """c += a * b, with the dtypes of a, b, c."""
    a, b, c = dtypes
    same = a == b == c
    left, right = ("a[]", "b[]") if same else (f"{c}(a[])", f"{c}(b[])")
    floating = c[0] in "fb"
    return im.instruction(
        f"scalar.{name}",
        f"c[] += {left} * {right}",
        axes={},
        dtypes={"a": a, "b": b, "c": c},
        places=dict.fromkeys("abc", "scalar"),
        emit=emit,
        requires=(),
        latency=7.0 if floating else 4.0,
        per_cycle=1.0,
        rounding="unfused" if floating else "exact",
        c_types={"a": C_TYPES[a], "b": C_TYPES[b], "c": C_TYPES[c]},
        headers=HEADERS,
        prelude=prelude,
    )


def _integer_emit(c: str) -> str:
    """Wrapping arithmetic, in an unsigned type: C's type of `c` converts to it without losing a low bit."""
    wide = "uint64_t" if c in ("i64", "u64") else "uint32_t"
    narrow = C_TYPES[c]
    product = f"({wide})({narrow}){{a}} * ({wide})({narrow}){{b}}"
    return f"{{c}} = ({narrow})(({wide}){{c}} + {product});"


def _computes() -> tuple[im.Instruction, ...]:
    narrow = ("u8", "i8", "u16", "i16")
    wide_bf16 = "bf16_to_f32({a}) * bf16_to_f32({b})"
    rounded = f"bf16_to_f32(f32_to_bf16({wide_bf16}))"
    found = [
        _muladd("muladd_f32", ("f32", "f32", "f32"), "{c} = {c} + {a} * {b};"),
        _muladd("muladd_f64", ("f64", "f64", "f64"), "{c} = {c} + {a} * {b};"),
        _muladd("muladd_f64_f32", ("f32", "f32", "f64"), "{c} = {c} + (double){a} * (double){b};"),
        _muladd("muladd_f32_bf16", ("bf16", "bf16", "f32"), f"{{c}} = {{c}} + {wide_bf16};", BF16),
        _muladd("muladd_f32_f16", ("f16", "f16", "f32"), "{c} = {c} + (float){a} * (float){b};"),
        _muladd("muladd_f16", ("f16", "f16", "f16"),
                "{c} = (_Float16)((float){c} + (float)(_Float16)((float){a} * (float){b}));"),
        _muladd("muladd_bf16", ("bf16", "bf16", "bf16"),
                f"{{c}} = f32_to_bf16(bf16_to_f32({{c}}) + {rounded});", BF16),
    ]  # fmt: skip
    for t in ("i32", "i64", "u32", "u64", *narrow):
        found.append(_muladd(f"muladd_{t}", (t, t, t), _integer_emit(t)))
    for a in narrow:
        for b in narrow:
            found.append(_muladd(f"muladd_i32_{a}{b if b != a else ''}", (a, b, "i32"), _integer_emit("i32")))
    found.append(_muladd("muladd_i64_i32", ("i32", "i32", "i64"), _integer_emit("i64")))
    found.append(_muladd("muladd_u32_u8", ("u8", "u8", "u32"), _integer_emit("u32")))
    return tuple(found)


def _moves(dtype: str) -> tuple[im.Instruction, ...]:
    def move(name: str, text: str, emit: str, operands: str = "rm") -> im.Instruction:
        return im.instruction(
            f"scalar.{name}_{dtype}",
            text,
            axes={},
            dtypes=dict.fromkeys(operands, dtype),
            places={o: "memory" if o == "m" else "scalar" for o in operands},
            emit=emit,
            requires=(),
            latency=1.0 if name == "zero" else 4.0,
            per_cycle=1.0 if name == "store" else 2.0,
            c_types={"r": C_TYPES[dtype]},
            headers=HEADERS,
        )

    return (
        move("load", "r[] = m[]", "{r} = *({m});"),
        move("zero", "r[] = 0", "{r} = 0;", "r"),
        move("store", "m[] = r[]", "*({m}) = {r};"),
    )


HARDWARE = im.Hardware(
    "scalar",
    memories("scalar", 16, 8),
    links("scalar", load=16.0, store=8.0),
    _computes() + tuple(move for dtype in C_TYPES for move in _moves(dtype)),
    "any machine with a C compiler",
)
