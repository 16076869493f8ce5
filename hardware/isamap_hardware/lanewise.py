"""Instructions that compute each lane by itself, described from a table of their C: sums, products, maxima, choices.

The maxima and minima are NumPy's: NaN if either operand is NaN. x86 gives the second operand then. So a NaN of `a`
stays if `a` is the second one, and the code looks at `b`, for which a running maximum does not wait.
"""

from __future__ import annotations

from collections.abc import Sequence

import isamap_smt as im

Row = tuple[str, str, str, float, float]  # name, contract, emit, latency, per cycle


def lanewise(
    machine: str, memory: str, dtype: str, lanes: int, c_type: str, rows: Sequence[Row], requires: tuple[str, ...],
    headers: tuple[str, ...] | None = None, prelude: str = "",
) -> tuple[im.Instruction, ...]:  # fmt: skip
    """One instruction for each row, on registers of one type. Contracts are over c, a, b, x and y at [l]."""
    made = []
    for name, text, emit, latency, per_cycle in rows:
        operands = [o for o in "cabxy" if f"{o}[l]" in text]
        made.append(
            im.instruction(
                f"{machine}.{name}",
                text,
                axes={"l": lanes},
                temporaries=1,
                dtypes=dict.fromkeys(operands, dtype),
                places=dict.fromkeys(operands, memory),
                emit=emit,
                requires=requires,
                latency=latency,
                per_cycle=per_cycle,
                c_types=dict.fromkeys(operands, c_type),
                headers=headers,
                prelude=prelude,
            )
        )
    return tuple(made)


CHOICES = (("less", "<", "_CMP_LT_OQ"), ("at_most", "<=", "_CMP_LE_OQ"), ("equal", "==", "_CMP_EQ_OQ"))


def x86_floats(width: int, suffix: str, kept: str, choice: str) -> tuple[Row, ...]:
    """The rows of one floating-point type. kept: C of NaN if b is NaN, else of NAME on b and a; choice: C of x if
    PREDICATE holds of a and b, else of y."""
    mm = f"_mm{width}"

    def nan(name: str) -> str:
        return "{c} = " + kept.replace("NAME", name) + ";"

    def plain(name: str, left: str = "{a}", right: str = "{b}") -> str:
        return f"{{c}} = {mm}_{name}_{suffix}({left}, {right});"

    def one(name: str, value: str, found: str, latency: float, per_cycle: float) -> Row:
        return f"{name}_{suffix}", f"c[l] = {value}", f"{{c}} = {found};", latency, per_cycle

    sign = f"{mm}_set1_{suffix}(-0.0{'f' if suffix == 'ps' else ''})"
    floor = f"{mm}_floor_{suffix}({{a}})"
    # to nearest even, up and towards zero, without exceptions
    whole = [f"{mm}_{'roundscale' if width == 512 else 'round'}_{suffix}({{a}}, {mode})" for mode in (8, 10, 11)]
    bits = "epi32" if suffix == "ps" else "epi64"
    plain_bits = (
        f"{mm}_castsi{width}_{suffix}({mm}_andnot_{bits if width == 512 else f'si{width}'}(WORD({sign}), WORD({{a}})))"
    )
    size = plain_bits.replace("WORD", f"{mm}_cast{suffix}_si{width}")
    positive = plain("max", f"{mm}_setzero_{suffix}()", "{a}")  # the second operand, where that is NaN
    return (
        (f"add_{suffix}", "c[l] = a[l] + b[l]", plain("add"), 4.0, 2.0),
        (f"sub_{suffix}", "c[l] = a[l] - b[l]", plain("sub"), 4.0, 2.0),
        (f"mul_{suffix}", "c[l] = a[l] * b[l]", plain("mul"), 4.0, 2.0),
        (f"div_{suffix}", "c[l] = a[l] / b[l]", plain("div"), 12.0, 0.2),
        (f"max_{suffix}", "c[l] = max(a[l], b[l])", nan("max"), 5.0, 0.67),
        (f"min_{suffix}", "c[l] = min(a[l], b[l])", nan("min"), 5.0, 0.67),
        (f"relu_{suffix}", "c[l] = relu(a[l])", positive, 4.0, 2.0),
        (f"at_least_0_{suffix}", "c[l] = max(a[l], 0)", positive, 4.0, 2.0),
        one("neg", "-a[l]", f"{mm}_sub_{suffix}({sign}, {{a}})", 4.0, 2.0),
        one("abs", "abs(a[l])", size, 1.0, 2.0),
        one("sqrt", "sqrt(a[l])", f"{mm}_sqrt_{suffix}({{a}})", 14.0, 0.15),
        one("floor", "floor(a[l])", floor, 8.0, 1.0),
        *(one(n, f"{n}(a[l])", found, 8.0, 1.0) for n, found in zip(("rint", "ceil", "trunc"), whole, strict=True)),
        *(
            (f"{word}_{suffix}", f"c[l] = select(a[l] {sign} b[l], x[l], y[l])", f"{{c}} = {found};", 6.0, 1.0)
            for word, sign, predicate in CHOICES
            for found in [choice.replace("PREDICATE", predicate)]
        ),
    )


def x86_ints(width: int) -> tuple[Row, ...]:
    """The rows of 32-bit integers; sums and products wrap."""
    table = (("add", "a[l] + b[l]", "add"), ("sub", "a[l] - b[l]", "sub"), ("mul", "a[l] * b[l]", "mullo"),
             ("max", "max(a[l], b[l])", "max"), ("min", "min(a[l], b[l])", "min"))  # fmt: skip
    size = ("abs_i32", "c[l] = abs(a[l])", f"{{c}} = _mm{width}_abs_epi32({{a}});", 1.0, 2.0)
    return size, *(
        (f"{name}_i32", f"c[l] = {value}", f"{{c}} = _mm{width}_{call}_epi32({{a}}, {{b}});", *SPEED[name])
        for name, value, call in table
    )


SPEED = {"add": (1.0, 2.0), "sub": (1.0, 2.0), "mul": (5.0, 1.0), "max": (1.0, 2.0), "min": (1.0, 2.0)}
