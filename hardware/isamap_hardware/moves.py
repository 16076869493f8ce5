"""Loads, broadcasts, zeroing and stores of one register type, described from a table of their C; and Arm's dot products.

A register holds `lanes` groups of `group` elements. Lane l of a full load is the l-th group in memory; a broadcast
puts one group in every lane; a masked form touches the first `active` lanes only. A masked load zeroes the rest, or
leaves the least or the most of the type there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import isamap_smt as im


@dataclass(frozen=True)
class Register:
    """One register type: its machine, the memory it lives in, element type, lanes (they may be open), group size and C type; and
    what its moves are called by, '' for the element type."""

    machine: str
    memory: str
    dtype: str
    lanes: Any
    group: int
    c_type: str
    named: str = ""

    @property
    def suffix(self) -> str:
        """The end of a move's name behind `load_`: f32, or u8x4 for groups of four."""
        if self.named:
            return self.named
        return self.dtype if self.group == 1 else f"{self.dtype}x{self.group}"


@dataclass(frozen=True)
class MoveCode:
    """The C of the moves; '' for a missing one. filled_load: with FILL, the number for the other lanes."""

    load: str
    broadcast: str
    zero: str
    store: str = ""
    masked_load: str = ""
    masked_store: str = ""
    filled_load: str = ""


def moves(
    register: Register,
    code: MoveCode,
    requires: tuple[str, ...],
    prelude: str | tuple[str, ...] = "",
    headers: tuple[str, ...] = ("immintrin.h",),
    masks: tuple[str, ...] = (),
) -> tuple[im.Instruction, ...]:
    """The moves of one register type, in the order of MoveCode's fields. masks: the states needed by masked ones."""
    grouped = register.group > 1
    cell = "l,e" if grouped else "l"
    whole, one = f"r[{cell}] = m[{cell}]", f"r[{cell}] = m[e]" if grouped else f"r[{cell}] = m[]"
    table = (
        ("load", "load", whole, code.load),
        ("broadcast", "broadcast", one, code.broadcast),
        ("zero", "zero", f"r[{cell}] = 0", code.zero),
        ("store", "store", f"m[{cell}] = r[{cell}]", code.store),
        ("masked_load", "load", whole, code.masked_load),
        ("masked_store", "store", f"m[{cell}] = r[{cell}]", code.masked_store),
        *((f"masked_load_{end}", "load", whole, c) for end, c in _filled(register, code.filled_load)),
    )
    axes = {"l": register.lanes, "e": register.group} if grouped else {"l": register.lanes}
    return tuple(
        im.instruction(
            f"{register.machine}.{name}_{register.suffix}",
            text,
            axes=axes,
            dtypes={o: register.dtype for o in ("r", "m") if kind != "zero" or o == "r"},
            places={"r": register.memory} | ({} if kind == "zero" else {"m": "memory"}),
            emit=emit,
            requires=requires,
            latency=1.0 if kind == "zero" else 5.0,
            per_cycle=1.0 if kind == "store" else 2.0,
            active={"l": "active"} if name.startswith("masked") else None,
            needs=masks if name.startswith("masked") else (),
            beyond=name.removeprefix("masked_load_")
            if kind == "load" and name.startswith("masked_load_")
            else "zero"
            if name == "masked_load"
            else "kept",
            c_types={"r": register.c_type},
            headers=headers,
            prelude=prelude,
        )
        for name, kind, text, emit in table
        if emit
    )


def _filled(register: Register, load: str) -> tuple[tuple[str, str], ...]:
    """(least or most, C of the load) for elements to compare; none for groups, as they are multiplied."""
    if not load or register.group > 1:
        return ()
    return tuple(
        (end, load.replace("FILL", number)) for end, number in zip(("least", "most"), ENDS[register.dtype], strict=True)
    )


# The least and the most of a type in C; of f16 and bf16, whose registers hold words, their bits.
ENDS = {
    "f32": ("-__builtin_inff()", "__builtin_inff()"),
    "f64": ("-__builtin_inf()", "__builtin_inf()"),
    "f16": ("(short)0xfc00", "(short)0x7c00"),
    "bf16": ("(short)0xff80", "(short)0x7f80"),
    "i32": ("INT32_MIN", "INT32_MAX"),
    "i16": ("INT16_MIN", "INT16_MAX"),
    "u16": ("0", "(short)0xffff"),
    "i8": ("INT8_MIN", "INT8_MAX"),
    "u8": ("0", "(char)0xff"),
}


# How Arm's products of bf16 round, FPCR.EBF being 0: those of one pair in each lane, and of several.
_TO_ODD = "each product and each sum rounded to odd, flushes denormals"
PAIR_TO_ODD = f"adds the sum of two products, {_TO_ODD}"
PAIRS_TO_ODD = f"adds sums of two products in order, {_TO_ODD}"


def dot_of_groups(
    machine: str, memory: str, lanes: Any, c_types: dict[str, str], headers: tuple[str, ...] | None,
    name: str, requires: tuple[str, ...], a: str, b: str, acc: str, rounding: str = "exact",
) -> im.Instruction:  # fmt: skip
    """Arm's intrinsic with this name: products of four bytes, or two bf16, added to each lane of 32 bits, bytes modulo 2^32.

    a, b, acc: element types. c_types: of their registers.
    """
    dtypes = {"a": a, "b": b, "acc": acc}
    return im.instruction(
        f"{machine}.{name}",
        f"acc[l] += {acc}(a[l,e]) * {acc}(b[l,e])",
        axes={"l": lanes, "e": 2 if a == "bf16" else 4},
        temporaries=0,
        dtypes=dtypes,
        places=dict.fromkeys(dtypes, memory),
        emit=f"{{acc}} = {name}({{acc}}, {{a}}, {{b}});",
        requires=requires,
        latency=4.0 if a == "bf16" else 3.0,
        per_cycle=2.0,
        rounding=rounding,
        c_types={o: c_types[t] for o, t in dtypes.items()},
        headers=headers,
    )
