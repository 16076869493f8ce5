"""The rewrite rules: equal values, in the arithmetics with a proof and in no other.

No rule is taken on trust: isamap_smt.mapping.rule_verdicts asks where it holds, and `isamap list rules` shows the
answers. Some rules stand here because they are tempting and hold almost nowhere. A rule goes both ways; names on one
side alone must be numbers.
"""

from __future__ import annotations

from isamap_smt.ir.rules import Rule

HALVES, INTEGERS = ("f16", "bf16"), ("i8", "u8", "i16", "u16", "i32")
ABOVE = (
    ("i8", "u8", 127),
    ("i8", "u16", 127),
    ("u8", "u16", 255),
    ("i16", "u16", 32767),
)  # all that the first lacks is more
BELOW = (("u8", "i8"), ("u16", "i8"), ("u16", "i16"))  # all that the first lacks is negative
FLOATS_CHOOSE = (("x", "f32"), ("y", "f32"), ("i", "i32"), ("j", "i32"))
WITHIN = (
    ("i8", -128, 127, ("i16", "i32")),
    ("u8", 0, 255, ("i16", "i32")),
    ("i16", -32768, 32767, ("i32",)),
    ("u16", 0, 65535, ("i32",)),
)  # narrow types, and signed ones with all of their numbers
INSIDE = {"i16": ("i8", "u8"), "u16": ("u8",), "i32": ("i8", "u8", "i16", "u16")}  # types all of whose numbers one has

RULES: tuple[Rule, ...] = (
    # signs
    Rule("twice negated", "-(-x)", "x"),
    Rule("difference", "x - y", "x + (-y)"),
    Rule("negated difference", "-(x - y)", "y - x"),
    Rule("negated product", "-(x * y)", "(-x) * y"),
    Rule("negated quotient", "-(x / y)", "(-x) / y"),
    Rule("negative number", "x * c", "-(x * h)", where="c is minus h and c is not 0"),
    Rule("from zero", "0 - x", "-x"),
    Rule("less a number", "x - c", "x + h", where="c is minus h and c is not 0"),
    # numbers
    Rule("doubled", "x * 2", "x + x"),
    Rule("even number", "x * c", "x * h + x * h", where="c is twice h"),
    Rule("quotient by a power of two", "x / c", "x * (1 / c)", where="c is a power of two"),
    Rule("quotient by a number", "x / c", "x * (1 / c)", where="c is not 0"),
    Rule("times one", "x * 1", "x"),
    Rule("plus zero", "x + 0", "x"),
    Rule("minus zero", "x - 0", "x"),
    Rule("over one", "x / 1", "x"),
    # the same parts once
    Rule("common factor", "x * y + x * z", "x * (y + z)"),
    Rule("common factor of a difference", "x * y - x * z", "x * (y - z)"),
    Rule("common divisor", "x / c + y / c", "(x + y) / c", where="c is not 0"),
    Rule("two divisors", "(x / y) / z", "x / (y * z)"),
    Rule("product of a quotient", "x * (y / z)", "(x * y) / z"),
    Rule("sums in another order", "(x + y) + z", "x + (y + z)"),
    Rule("sum and difference", "x + (y - z)", "(x + y) - z"),
    Rule("sum with a product and a value", "s + (x * y + z)", "(s + x * y) + z"),
    Rule("sum with a product less a value", "s + (x * y - z)", "(s + x * y) - z"),
    Rule("sum with a value less a product", "s + (z - x * y)", "(s + z) - x * y"),
    Rule("products in another order", "(x * y) * z", "x * (y * z)"),
    # order
    Rule("rectifier", "max(x, 0)", "relu(x)"),
    Rule("rectifier by select", "select(x > 0, x, 0)", "relu(x)"),
    Rule("rectifier by select, of NaN", "select(x < 0, 0, x)", "relu(x)"),
    Rule("maximum by select", "select(x < y, y, x)", "max(x, y)"),
    Rule("minimum by select", "select(x < y, x, y)", "min(x, y)"),
    Rule("magnitude by select", "select(x < 0, -x, x)", "abs(x)"),
    Rule("magnitude by maximum", "max(x, -x)", "abs(x)"),
    Rule("magnitude of the opposite", "abs(-x)", "abs(x)"),
    Rule("magnitude of a rectifier", "abs(relu(x))", "relu(x)"),
    Rule("two maxima", "max(max(x, y), z)", "max(x, max(y, z))"),
    Rule("two minima", "min(min(x, y), z)", "min(x, min(y, z))"),
    Rule("clip", "min(max(x, a), b)", "max(min(x, b), a)", where="a < b"),
    Rule("swapped comparison", "select(x > y, a, b)", "select(y < x, a, b)"),
    Rule("swapped comparison, or equal", "select(x >= y, a, b)", "select(y <= x, a, b)"),
    Rule("opposite comparison", "select(x < y, a, b)", "select(y <= x, b, a)"),
    Rule("unequal", "select(x != y, a, b)", "select(x == y, b, a)"),
    *(
        Rule(f"{name}, of floats", f"select({a}, i, j)", f"select({b}, {x}, {y})", types=FLOATS_CHOOSE)
        for name, a, b, x, y in (
            ("swapped comparison", "x > y", "y < x", "i", "j"),
            ("swapped comparison, or equal", "x >= y", "y <= x", "i", "j"),
            ("opposite comparison", "x < y", "y <= x", "j", "i"),
            ("unequal", "x != y", "x == y", "j", "i"),
        )
    ),
    # roots
    Rule("root below one", "1 / sqrt(x)", "rsqrt(x)"),
    Rule("product of roots", "sqrt(x) * sqrt(x)", "x"),
    # conversions
    Rule("sum of exponents", "exp(x) * exp(y)", "exp(x + y)"),
    Rule("widened in between", "i32(i16(a))", "i32(a)", types=(("a", "i8"),)),
    Rule("widened in between, without sign", "i32(i16(a))", "i32(a)", types=(("a", "u8"),)),
    Rule("narrow product", "i32(a) * i32(b)", "i32(i16(a) * i16(b))", types=(("a", "i8"), ("b", "i8"))),
    Rule("narrow product, mixed", "i32(a) * i32(b)", "i32(i16(a) * i16(b))", types=(("a", "u8"), ("b", "i8"))),
    Rule("narrow product, without sign", "i32(a) * i32(b)", "i32(i16(a) * i16(b))", types=(("a", "u8"), ("b", "u8"))),
    Rule("narrow sum", "i32(a) + i32(b)", "i32(i16(a) + i16(b))", types=(("a", "i8"), ("b", "i8"))),
    Rule("clamped below anyway", "sat_u8(max(x, 0))", "sat_u8(x)", types=(("x", "i32"),)),
    Rule("clamped twice", "sat_i8(sat_i16(x))", "sat_i8(x)", types=(("x", "i32"),)),
    *(Rule(f"{t} as it is", f"{t}(x)", "x", types=(("x", t),)) for t in (*INTEGERS, "f32")),
    *(Rule(f"{t} clamped to itself", f"sat_{t}(x)", "x", types=(("x", t),)) for t in INTEGERS),
    *(Rule(f"{t} in {w}", f"sat_{w}(x)", f"{w}(x)", types=(("x", t),)) for w, inner in INSIDE.items() for t in inner),
    *(
        Rule(f"{t} within {w}", f"sat_{t}(x)", f"{t}(min(max(x, {low}), {high}))", types=(("x", w),))
        for t, low, high, wider in WITHIN
        for w in wider
    ),
    *(Rule(f"{t} of too large {w}", f"sat_{t}(x)", f"{t}(min(x, {most}))", types=(("x", w),)) for t, w, most in ABOVE),
    *(Rule(f"{t} of negative {w}", f"sat_{t}(x)", f"{t}(max(x, 0))", types=(("x", w),)) for t, w in BELOW),
    Rule("u16 of i8 in steps", "u16(x)", "u16(i16(x))", types=(("x", "i8"),)),
    *(Rule(f"{h} to {t}", f"{t}(x)", f"{t}(f32(x))", types=(("x", h),)) for h in HALVES for t in INTEGERS),
    *(
        Rule(f"{h} rounded to {t}", f"round_{t}(x)", f"round_{t}(f32(x))", types=(("x", h),))
        for h in HALVES
        for t in INTEGERS
    ),
)

__all__ = ["RULES"]
