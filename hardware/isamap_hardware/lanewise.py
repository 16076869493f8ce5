"""Instructions that compute each lane by itself, described from a table of their C: sums, products, maxima, choices.

The maxima and minima are NumPy's: NaN where either operand is NaN. x86 gives the second operand then, so the first is looked at.
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


def x86_floats(width: int, suffix: str, nan_kept: str, choose: str) -> tuple[Row, ...]:
    """The rows of one floating-point type. nan_kept: C of what is {{a}} where that is NaN, else the text at {{0}}; choose: of a
    choice by a comparison at {{0}}."""
    mm = f"_mm{width}"
    return (
        (f"add_{suffix}", "c[l] = a[l] + b[l]", f"{{c}} = {mm}_add_{suffix}({{a}}, {{b}});", 4.0, 2.0),
        (f"sub_{suffix}", "c[l] = a[l] - b[l]", f"{{c}} = {mm}_sub_{suffix}({{a}}, {{b}});", 4.0, 2.0),
        (f"mul_{suffix}", "c[l] = a[l] * b[l]", f"{{c}} = {mm}_mul_{suffix}({{a}}, {{b}});", 4.0, 2.0),
        (f"div_{suffix}", "c[l] = a[l] / b[l]", f"{{c}} = {mm}_div_{suffix}({{a}}, {{b}});", 12.0, 0.2),
        (f"max_{suffix}", "c[l] = max(a[l], b[l])", nan_kept.format(f"{mm}_max_{suffix}({{a}}, {{b}})"), 8.0, 0.67),
        (f"min_{suffix}", "c[l] = min(a[l], b[l])", nan_kept.format(f"{mm}_min_{suffix}({{a}}, {{b}})"), 8.0, 0.67),
        (f"relu_{suffix}", "c[l] = relu(a[l])", f"{{c}} = {mm}_max_{suffix}({mm}_setzero_{suffix}(), {{a}});", 4.0, 2.0),
        (f"at_least_0_{suffix}", "c[l] = max(a[l], 0)", f"{{c}} = {mm}_max_{suffix}({mm}_setzero_{suffix}(), {{a}});", 4.0, 2.0),
        *(
            (
                f"{word}_{suffix}", f"c[l] = select(a[l] {sign} b[l], x[l], y[l])",
                choose.format(mm=mm, suffix=suffix, predicate=predicate), 6.0, 1.0,
            )
            for word, sign, predicate in (("less", "<", "_CMP_LT_OQ"), ("at_most", "<=", "_CMP_LE_OQ"), ("equal", "==", "_CMP_EQ_OQ"))
        ),
    )  # fmt: skip


def x86_ints(width: int) -> tuple[Row, ...]:
    """The rows of 32-bit integers; sums and products wrap."""
    mm = f"_mm{width}"
    return (
        ("add_i32", "c[l] = a[l] + b[l]", f"{{c}} = {mm}_add_epi32({{a}}, {{b}});", 1.0, 2.0),
        ("sub_i32", "c[l] = a[l] - b[l]", f"{{c}} = {mm}_sub_epi32({{a}}, {{b}});", 1.0, 2.0),
        ("mul_i32", "c[l] = a[l] * b[l]", f"{{c}} = {mm}_mullo_epi32({{a}}, {{b}});", 5.0, 1.0),
        ("max_i32", "c[l] = max(a[l], b[l])", f"{{c}} = {mm}_max_epi32({{a}}, {{b}});", 1.0, 2.0),
        ("min_i32", "c[l] = min(a[l], b[l])", f"{{c}} = {mm}_min_epi32({{a}}, {{b}});", 1.0, 2.0),
    )
