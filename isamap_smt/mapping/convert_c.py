"""Conversions between element types as C, as isamap_smt.ir.convert defines them, in forms for vectorising compilers.

C leaves two conversions open: of floating-point numbers outside of the target's range, and of numbers rounded twice. So
a number is clamped before it becomes an integer, and a step on the way to bf16 or f16 is rounded to odd.
"""

from __future__ import annotations

import re

import numpy as np

from isamap_smt.ir.dtypes import DTYPES, DType, bool_, widens

CHOICES = {"larger": ">", "smaller": "<"}
_BF16 = """\
/* The upper half of a float. */
static inline float isamap_widen_bf16(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}
/* Round to nearest even; a NaN stays one and is made quiet. */
static inline uint16_t isamap_narrow_bf16(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if ((word & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((word >> 16) | 0x40u);
    return (uint16_t)((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}
"""
_F8 = """\
/* Its exponent and fraction where those of a float are, a power of two away. */
static inline float isamap_widen_{name}(uint8_t bits) {{
    const uint32_t size = bits & {size};
    uint32_t word = size << {shift};
    float value;
    memcpy(&value, &word, sizeof value);
    value *= {scale};
    memcpy(&word, &value, sizeof word);
    word = ({special}) | ((uint32_t)(bits & {sign}) << {far});
    memcpy(&value, &word, sizeof value);
    return value;
}}
/* Round to nearest even; below the least normal number by a sum whose last bit is that of the type. */
static inline uint8_t isamap_narrow_{name}(float value) {{
    uint32_t word, small;
    memcpy(&word, &value, sizeof word);
    const uint32_t sign = (word >> {far}) & {sign}, size = word & 0x7fffffffu;
    const float moved = __builtin_fabsf(value) + {magic};
    memcpy(&small, &moved, sizeof small);
    const uint32_t large = ((size + {half} + ((size >> {shift}) & 1u)) >> {shift}) - {bias};
    uint32_t bits = size < {normal} ? small - {magic_bits} : large;
    bits = size >= 0x7f800000u || bits > {most} ? (size > 0x7f800000u ? {nan} : {beyond}) : bits;
    return (uint8_t)({result});
}}
"""
_E8M0 = """\
/* The exponent of a float; that of the least power of two is 0, where floats have none. */
static inline float isamap_widen_e8m0(uint8_t bits) {
    const uint32_t word = bits == 0 ? 0x400000u : bits == 0xffu ? 0x7fc00000u : (uint32_t)bits << 23;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}
/* The nearest power of two, the larger one of a tie, and the least of numbers below it; of what is no positive number a NaN. */
static inline uint8_t isamap_narrow_e8m0(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    const uint32_t near = word < 0x800000u ? word >= 0x600000u : (word + 0x400000u) >> 23;
    return (uint8_t)(word == 0 || word > 0x7f800000u ? 0xffu : near);
}
"""
_ODD = """\
/* Cut off to a float and made odd if anything was lost: rounded again to fewer bits, it is rounded right. */
static inline float isamap_odd_f64(double value) {
    float near = (float)value;
    const double size = __builtin_fabs(value), held = __builtin_fabs((double)near);
    uint32_t word;
    memcpy(&word, &near, sizeof word);
    word = (word - (uint32_t)(held > size)) | (uint32_t)(held != size);
    memcpy(&near, &word, sizeof near);
    return near;
}
"""
_ODD_64 = """\
/* The same of an integer that double may not hold: beyond 2^53 its low bits become one. */
static inline float isamap_odd_{name}({c} value) {{
    const {c} odd = (value & ~({c})2047) | ({c})((({c})(value & 2047) != 0) * 2048);
    return isamap_odd_f64((double)({far} ? odd : value));
}}
"""
_NUMBER = """\
/* The value, and 0 for a NaN. */
static inline {c} isamap_number_{name}({c} value) {{
    return value == value ? value : 0;
}}
"""
_WHOLE = """\
/* Towards zero, clamped; a NaN is 0. */
static inline {to} isamap_{name}_to_{target}({c} value) {{
    {c} within = value == value ? value : 0;
    within = within > {low} ? within : {low};
    within = within < {high} ? within : {high};
    return {result};
}}
"""
_CHOICE = """\
/* The {which} one; NaN where either is one. */
static inline {c} isamap_{which}_{name}({c} a, {c} b) {{
    return {a} {sign} {b}{nan} ? a : b;
}}
"""

_QUOTIENT = """\
/* Rounded down; 0 where b is. The least number divided by -1 is itself. */
static inline {c} isamap_quotient_{name}({c} a, {c} b) {{
    const {c} d = {trap} ? 1 : b, q = ({c})(a / d);
    return {result};
}}
"""
_LEFT_OVER = """\
/* a - a // b * b, of b's sign; a where b is 0. */
static inline {c} isamap_left_over_{name}({c} a, {c} b) {{
    const {c} d = {trap} ? 1 : b, r = ({c})(a % d);
    return {result};
}}
"""

_FLOAT_LEFT_OVER = """\
/* fmod, and b added once where that has the other sign. */
static inline {c} isamap_left_over_{name}({c} a, {c} b) {{
    const {c} r = __builtin_fmod{f}(a, b);
    return r == 0 ? __builtin_copysign{f}(r, b) : (r < 0) != (b < 0) ? r + b : r;
}}
"""


def wide(text: str, kind: DType) -> str:
    """The value in a type with exact arithmetic and comparison in C."""
    if kind.is_part and not kind.is_float:
        return _of_part(kind, text)
    return f"isamap_widen_{kind}({text})" if kind.is_word else text


def _of_part(kind: DType, text: str) -> str:
    """The low bits of a byte as a whole number."""
    rest = 8 - kind.bits
    return (
        f"((uint8_t)(({text}) & {(1 << kind.bits) - 1}))"
        if kind.kind == "u"
        else f"((int8_t)(({text}) << {rest}) >> {rest})"
    )


def as_part(to: DType, text: str) -> str:
    """A whole number modulo 2^bits in the low bits of a byte; as it is in a type of whole bytes."""
    return f"((uint8_t)(({text}) & {(1 << to.bits) - 1}))" if to.is_part and not to.is_float else text


def _choice(which: str, kind: DType) -> str:
    """The larger or smaller of two."""
    a, b = wide("a", kind), wide("b", kind)
    nan = f" || {a} != {a}" if kind.is_float else ""
    return _CHOICE.format(which=which, name=kind, c=kind.c, a=a, b=b, sign=CHOICES[which], nan=nan)


def _division(form: str, kind: DType) -> str:
    """a // b or a % b. C's rounds towards zero, and both of a divisor of 0, and of the least number by -1, are left open there."""
    if kind.kind == "u":
        result, trap = "b == 0 ? 0 : q" if form is _QUOTIENT else "b == 0 ? a : r", "b == 0"
    else:
        trap, unsigned = "b == 0 || b == -1", "uint64_t" if kind.bits == 64 else "uint32_t"
        if form is _QUOTIENT:
            down = f"({kind.c})(q - ((a % d != 0) & ((a ^ d) < 0)))"
            result = f"b == 0 ? 0 : b == -1 ? ({kind.c})(0 - ({unsigned})a) : {down}"
        else:
            result = f"b == 0 ? a : ({kind.c})(r + ((r != 0) & ((r ^ d) < 0) ? d : 0))"
    return form.format(c=kind.c, name=kind, trap=trap, result=result)


def _whole(source: DType, to: DType) -> str:
    """The conversion of f32 or f64 to an integer type."""
    kind, beyond = source.numpy.type, float(to.high + 1)
    below = float(np.nextafter(kind(beyond), kind(0)))
    exact = float(kind(to.high)) == to.high
    cut = f"({to.c})(int32_t)within" if to.bits < 32 else f"({to.c})within"
    return _WHOLE.format(
        to=to.c, name=source, target=to, c=source.c, low=_text(float(to.low), source),
        high=_text(float(to.high) if exact else below, source),
        result=cut if exact else f"value >= {_text(beyond, source)} ? ({to.c}){_highest(to)} : {cut}",
    )  # fmt: skip


def _text(x: float, kind: DType) -> str:
    return f"{x!r}{'f' if kind.name == 'f32' else ''}"


def _highest(to: DType) -> str:
    return f"{'U' * (to.kind == 'u')}INT{to.bits}_MAX"


def _eight(d: DType, fraction: int, bias: int) -> str:
    """The C of a type of 8 bits or fewer; bias: of its exponents."""
    one_zero = d.name.endswith("fnuz")
    shift, least = 23 - fraction, 1 - bias - fraction  # the exponent of the least number
    most = int(np.array(d.ends[1], d.numpy).view("u1"))
    sign = 1 << (d.bits - 1)
    nan = 0x80 if one_zero else 0x7F
    scale, magic = 2.0 ** (127 - bias), 2.0 ** (23 + least)
    if one_zero:
        special = "bits == 0x80u ? 0x7fc00000u : word"
    elif d.is_part:  # no infinity, no NaN: that becomes -0
        special = "word"
    elif most == 0x7E:
        special = "size == 0x7fu ? 0x7fc00000u : word"
    else:
        special = f"size >= 0x7cu ? 0x7f800000u | (size & {(1 << fraction) - 1}u) << {shift} : word"
    if d.is_part:
        beyond, nan, result = hex(most) + "u", 0, f"size > 0x7f800000u ? {sign} : sign | bits"
    else:
        beyond, result = "0x7cu" if most == 0x7B else hex(nan) + "u", "sign | bits"
    return _F8.format(
        name=d, sign=hex(sign) + "u", size=hex(sign - 1) + "u", far=32 - d.bits, shift=shift, scale=f"{scale!r}f",
        special=special, magic=f"{magic!r}f",
        half=hex((1 << (shift - 1)) - 1) + "u", bias=f"{(127 - bias) << fraction}u", normal=hex((128 - bias) << 23) + "u",
        magic_bits=hex(int(np.float32(magic).view(np.uint32))) + "u", most=hex(most) + "u", nan=hex(nan) + "u",
        beyond=beyond, result="bits == 0 || bits == 0x80u ? bits : sign | bits" if one_zero else result,
    )  # fmt: skip


_WORDS = {
    "bf16": _BF16,
    "e8m0": _E8M0,
    **{n: _eight(DTYPES[n], f, b) for n, f, b in (
        ("f8e4m3", 3, 7), ("f8e5m2", 2, 15), ("f8e4m3fnuz", 3, 8), ("f8e5m2fnuz", 2, 16),
        ("f4e2m1", 1, 1),
    )},
}  # fmt: skip


def _helpers() -> dict[str, str]:
    """Name -> its C definition."""
    found = {"isamap_odd_f64": _ODD}
    found |= {f"isamap_{way}_{d}": text for d, text in _WORDS.items() for way in ("widen", "narrow")}
    for name, far in (
        ("i64", "value >= INT64_C(1) << 53 || value <= -(INT64_C(1) << 53)"),
        ("u64", "value >> 53 != 0"),
    ):
        found[f"isamap_odd_{name}"] = _ODD_64.format(name=name, c=DTYPES[name].c, far=f"({far})")
    for source in (DTYPES["f32"], DTYPES["f64"]):
        found[f"isamap_number_{source}"] = _NUMBER.format(name=source, c=source.c)
        for to in DTYPES.values():
            if not to.is_float and to != bool_ and not to.is_part:
                found[f"isamap_{source}_to_{to}"] = _whole(source, to)
    whole = [d for d in DTYPES.values() if not d.is_float and d != bool_ and not d.is_part]
    found |= {f"isamap_quotient_{d}": _division(_QUOTIENT, d) for d in whole}
    for name, f in (("f32", "f"), ("f64", "")):
        found[f"isamap_left_over_{name}"] = _FLOAT_LEFT_OVER.format(name=name, c=DTYPES[name].c, f=f)
    found |= {f"isamap_left_over_{d}": _division(_LEFT_OVER, d) for d in whole}
    found |= {f"isamap_{which}_{d}": _choice(which, d) for which in CHOICES for d in DTYPES.values() if not d.is_stored}
    return found


HELPERS = _helpers()


def conversion_helpers(code: str) -> tuple[str, ...]:
    """The definitions called by this C, in order, each behind a guard of its own."""
    found: dict[str, None] = {}
    for name in dict.fromkeys(re.findall(r"\bisamap_\w+(?=\()", code)):
        text = HELPERS.get(name)
        if text is not None:
            inner = conversion_helpers(text.replace(f"{name}(", "")) if text not in _WORDS.values() else ()
            found |= dict.fromkeys((*inner, _guarded(text)))
    return tuple(found)


def _guarded(text: str) -> str:
    name = "ISAMAP_" + re.findall(r"isamap_(\w+)\(", text)[0].upper()
    return f"#ifndef {name}\n#define {name}\n{text}#endif\n"


def converted(to: DType, text: str, kind: DType, *, fits: bool = False, number: bool = False) -> str:
    """The C text of a value of type `kind` in the type `to`; it may call HELPERS.

    fits: it is known to lie within `to`, an integer type, if it is no NaN. number: it is known to be no NaN.
    """
    if to == kind:
        return text
    if to == bool_:
        return f"(({to.c})({wide(text, kind)} != 0))"
    if to.is_float:
        return _to_float(to, text, kind)
    if not kind.is_float:
        return as_part(to, wide(text, kind)) if to.is_part else f"(({to.c})({wide(text, kind)}))"
    if to.is_part:  # a byte clamps to its own ends first
        inner = converted(DTYPES["i8" if to.kind == "i" else "u8"], text, kind)
        return as_part(to, f"({inner} < {to.low} ? {to.low} : {inner} > {to.high} ? {to.high} : {inner})")
    source = kind if kind.name == "f64" else DTYPES["f32"]
    value = f"(float)({text})" if kind.name == "f16" else wide(text, kind)
    if not fits:
        return f"isamap_{source}_to_{to}({value})"
    value = f"({value})" if number else f"isamap_number_{source}({value})"
    return f"(({to.c})(int32_t){value})" if to.bits < 32 else f"(({to.c}){value})"


def _to_float(to: DType, text: str, kind: DType) -> str:
    if not to.is_word and to.name != "f16":
        return f"(({to.c})({wide(text, kind)}))"
    if kind.name == "f64" or (to.is_word and not kind.is_float and not widens(kind, DTYPES["f32"])):
        exact = f"isamap_odd_{kind}" if kind.bits == 64 else "isamap_odd_f64"
        value = f"{exact}({wide(text, kind)})"
    else:  # f32 holds it, or it is an integer beyond the largest f16
        value = f"(float)({wide(text, kind)})"
    return f"isamap_narrow_{to}({value})" if to.is_word else f"((_Float16){value})"


__all__ = ["HELPERS", "conversion_helpers", "converted", "wide"]
