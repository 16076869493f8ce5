"""The V extension of RISC-V: 32 vectors of 128 bits times VL, chosen by the CPU; f32, f64 and bytes, sums of products.

One description and one binary are for all lengths, VLEN = 128 to 65536. Each use asks for as many elements as it
has, never for more than a vector holds: for this number the specification leaves an implementation no choice of
`vl`. Loads of fewer keep the zeros of the others (`_tu`, tail undisturbed), so nothing rests on agnostic tails.
Figures are assumptions: two vectors of 256 bits a cycle, caches of 64 KiB, 1 MiB and 32 MiB; nobody measured them
here. They rank schedules; no result depends on them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import isamap_smt as im
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import MoveCode, Register, moves

BASE = ("m", "a", "f", "d", "c", "v")
SIZES = (64 << 10, 1 << 20, 32 << 20)  # bytes of L1, L2 and L3
HEADERS = ("riscv_vector.h", "stdint.h")
VL = im.MachineParameter(
    "VL", tuple(1 << n for n in range(10)), "(int64_t)(__riscv_vlenb() / 16)", typical=2, vector_bits=128
)
NEEDS = ("vl = active",)  # of masked moves
LANES: Any = 4 * im.parameter("VL")


def move_code(bits: int, kind: str, group: str = "m1") -> MoveCode:
    """The moves of a register of elements of so many bits; kind: f, i or u. group: the part of a vector they fill."""
    whole = f"__riscv_vsetvlmax_e{bits}{group}()"
    name, memory = f"{kind}{bits}{group}", f"{bits}_v_{kind}{bits}{group}"
    splat = f"__riscv_vfmv_v_f_{name}" if kind == "f" else f"__riscv_vmv_v_x_{name}"
    return MoveCode(
        load=f"{{r}} = __riscv_vle{memory}({{m}}, {whole});",
        broadcast=f"{{r}} = {splat}(*{{m}}, {whole});",
        zero=f"{{r}} = {splat}(0, {whole});",
        store=f"__riscv_vse{memory}({{m}}, {{r}}, {whole});",
        masked_load=f"{{r}} = __riscv_vle{memory}_tu({splat}(0, {whole}), {{m}}, {{vl}});",
        masked_store=f"__riscv_vse{memory}({{m}}, {{r}}, {{vl}});",
    )


def fma(bits: int, lanes: Any, machine: str = "rvv", group: str = "m1") -> im.Instruction:
    """vfmacc: one rounding. group: of how many registers; so many times fewer uses keep the unit busy."""
    many = int(group[1:])
    return im.instruction(
        f"{machine}.vfmacc_f{bits}{group if many > 1 else ''}",
        "c[l] += a[l] * b[l]",
        axes={"l": lanes},
        temporaries=0,
        dtypes=dict.fromkeys("abc", f"f{bits}"),
        places=dict.fromkeys("abc", "v"),
        emit=f"{{c}} = __riscv_vfmacc_vv_f{bits}{group}({{c}}, {{a}}, {{b}}, __riscv_vsetvlmax_e{bits}{group}());",
        requires=BASE,
        latency=4.0 + many,
        per_cycle=2.0 / many,
        rounding="fused",
        c_types=dict.fromkeys("abc", f"vfloat{bits}{group}_t"),
        headers=HEADERS,
    )


def _widening(name: str, a: str, b: str, multiply: str) -> im.Instruction:
    """A product of bytes, exact in 16 bits, added to 32 bits. a, b: element types, the signed one first if they differ."""
    c_types = {"i8": "vint8mf4_t", "u8": "vuint8mf4_t", "i32": "vint32m1_t"}
    dtypes = {"a": a, "b": b, "acc": "i32"}
    product = f"__riscv_{multiply}({{a}}, {{b}}, __riscv_vsetvlmax_e8mf4())"
    return im.instruction(
        f"rvv.{name}",
        "acc[l] += i32(a[l]) * i32(b[l])",
        axes={"l": LANES},
        temporaries=1,
        dtypes=dtypes,
        places=dict.fromkeys(dtypes, "v"),
        emit=f"{{acc}} = __riscv_vwadd_wv_i32m1({{acc}}, {product}, __riscv_vsetvlmax_e32m1());",
        requires=BASE,
        latency=8.0,
        per_cycle=1.0,
        c_types={o: c_types[t] for o, t in dtypes.items()},
        headers=HEADERS,
    )


def asking(setting: str, lanes: Any, machine: str = "rvv") -> im.Instruction:
    """vsetvli: vl is AVL up to VLMAX, VLMAX from 2 * VLMAX on, and between at least half of AVL as an implementation likes."""
    return im.instruction(
        f"{machine}.vsetvli_{setting}",
        "vl[x] = avl[x]",
        axes={"x": 1},
        dtypes=dict.fromkeys(("vl", "avl"), "i64"),
        places={"vl": "vl[x]", "avl": "code"},
        emit=f"{{vl}} = __riscv_vsetvl_{setting}((size_t)({{avl}}));",
        grants=lanes,
        requires=BASE,
        latency=1.0,
        per_cycle=1.0,
        headers=HEADERS,
    )


REGISTERS = (
    (Register("rvv", "v", "f32", LANES, 1, "vfloat32m1_t"), move_code(32, "f")),
    (Register("rvv", "v", "f64", LANES / 2, 1, "vfloat64m1_t"), move_code(64, "f")),
    (Register("rvv", "v", "i32", LANES, 1, "vint32m1_t"), move_code(32, "i")),
    (Register("rvv", "v", "i8", LANES, 1, "vint8mf4_t"), move_code(8, "i", "mf4")),
    (Register("rvv", "v", "u8", LANES, 1, "vuint8mf4_t"), move_code(8, "u", "mf4")),
)

COMPUTES = (
    fma(32, LANES),
    fma(64, LANES / 2),
    _widening("vwmul_vwadd_i8", "i8", "i8", "vwmul_vv_i16mf2"),
    _widening("vwmulsu_vwadd_i8u8", "i8", "u8", "vwmulsu_vv_i16mf2"),
)

MEMORIES = (
    *(replace(m, capacity=512 * im.parameter("VL")) if m.name == "v" else m for m in memories("v", 32, 16, SIZES)),
    im.Memory("vl", 8, kind="state"),
)
HARDWARE = im.Hardware(
    "rvv",
    MEMORIES,
    links("v", load=64.0, store=32.0),
    COMPUTES
    + tuple(move for register, code in REGISTERS for move in moves(register, code, BASE, "", HEADERS, NEEDS))
    + (asking("e32m1", LANES), asking("e64m1", LANES / 2)),
    "64-bit RISC-V with vectors of any length: f32 and f64 lanes, and widening products of bytes",
    parameters=(VL,),
)
