"""RISC-V V with groups of registers, LMUL 2 and 4: chains of products widening from one to the other.

A group of LMUL registers is one operand, with LMUL times the elements. If operands of an instruction have different
widths, all have the same number of elements, so a wider one takes more registers: EMUL = LMUL * EEW / SEW. Here bytes
fill one register, their products of 16 bits two, and sums of 32 bits four. The specification aligns a group to its
size, and lets a wider result overlap a narrower source in its highest registers alone. The compiler chooses the
registers of a group, and keeps to this rule.

The 32 registers are 16 groups of two, or 8 of four: a tile of sums has as many. Figures are those of `rvv`: a group
takes as many cycles as it has registers. `vl` is asked for as in `rvv`, with VLMAX = LMUL * VLEN / SEW.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im
from isamap_hardware.caches import links
from isamap_hardware.moves import Register, moves
from isamap_hardware.rvv import BASE, HEADERS, LANES, MEMORIES, NEEDS, VL, asking, fma, move_code

NAME = "rvv_groups"
# kind, element type, group -> how many elements it has
_GROUPS = (
    ("f", "float", 32, "m2", 2 * LANES),
    ("f", "float", 32, "m4", 4 * LANES),
    ("i", "int", 32, "m2", 2 * LANES),
    ("i", "int", 32, "m4", 4 * LANES),
    ("i", "int", 16, "m1", 2 * LANES),
    ("i", "int", 8, "m1", 4 * LANES),
    ("u", "uint", 8, "m1", 4 * LANES),
)


def _widening(
    name: str, a: str, b: str, elements: Any, types: dict[str, str], emit: str, registers: int
) -> im.Instruction:
    """Products of a and b, exact in twice their width, added to 32 bits. registers: of the sums, and of the products between."""
    dtypes = {"a": a, "b": b, "acc": "i32"}
    between = 0 if a == "i16" else registers // 2
    return im.instruction(
        f"{NAME}.{name}",
        "acc[l] += i32(a[l]) * i32(b[l])",
        axes={"l": elements},
        temporaries=between,
        dtypes=dtypes,
        places=dict.fromkeys(dtypes, "v"),
        emit=emit,
        requires=BASE,
        latency=4.0 + registers + between,
        per_cycle=2.0 / (registers + between),
        c_types={o: types[t] for o, t in dtypes.items()},
        headers=HEADERS,
    )


def _bytes(name: str, a: str, b: str, multiply: str) -> im.Instruction:
    product = f"__riscv_{multiply}_vv_i16m2({{a}}, {{b}}, __riscv_vsetvlmax_e8m1())"
    emit = f"{{acc}} = __riscv_vwadd_wv_i32m4({{acc}}, {product}, __riscv_vsetvlmax_e32m4());"
    types = {"i8": "vint8m1_t", "u8": "vuint8m1_t", "i32": "vint32m4_t"}
    return _widening(name, a, b, 4 * LANES, types, emit, 4)


COMPUTES = (
    fma(32, 2 * LANES, NAME, "m2"),
    fma(32, 4 * LANES, NAME, "m4"),
    _widening(
        "vwmacc_i16", "i16", "i16", 2 * LANES, {"i16": "vint16m1_t", "i32": "vint32m2_t"},
        "{acc} = __riscv_vwmacc_vv_i32m2({acc}, {a}, {b}, __riscv_vsetvlmax_e16m1());", 2,
    ),
    _bytes("vwmul_vwadd_i8", "i8", "i8", "vwmul"),
    _bytes("vwmulsu_vwadd_i8u8", "i8", "u8", "vwmulsu"),
)  # fmt: skip

MOVES = tuple(
    move
    for kind, word, bits, group, elements in _GROUPS
    for move in moves(
        Register(NAME, "v", f"{kind}{bits}", elements, 1, f"v{word}{bits}{group}_t", f"{kind}{bits}{group}"),
        move_code(bits, kind, group),
        BASE,
        "",
        HEADERS,
        NEEDS,
    )
)

HARDWARE = im.Hardware(
    NAME,
    MEMORIES,
    links("v", load=64.0, store=32.0),
    COMPUTES + MOVES + tuple(asking(s, n, NAME) for s, n in (("e32m2", 2 * LANES), ("e32m4", 4 * LANES))),
    "64-bit RISC-V with vectors of any length, in groups of 2 and 4 registers: f32, and widening products of 16 and 8 bits",
    parameters=(VL,),
)
