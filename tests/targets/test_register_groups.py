"""RISC-V V in groups of registers: every instruction and one build of each product at every length, in QEMU and in Spike."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.program import Compute
from isamap_smt.ir.traversal import buffers, nodes_of
from isamap_smt.ir.vector_types import vector_type
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.targets import Target, find_target
from isamap_smt.targets.cross import EmulatedKernel
from isamap_smt.targets.spike.vectors import LENGTHS, SpikeVectors

TYPES = {
    "vfmacc_f32m2": ("f32",) * 3, "vfmacc_f32m4": ("f32",) * 3, "vwmacc_i16": ("i16", "i16", "i32"),
    "vwmul_vwadd_i8": ("i8", "i8", "i32"), "vwmulsu_vwadd_i8u8": ("u8", "i8", "i32"),
}  # fmt: skip
SHAPES = [(1, 1, 1), (5, 29, 18), (3, 300, 7)]  # some columns fill whole groups of four registers of 1024 bits
OFTEN = ("vwmul_vwadd_i8",)
more = pytest.mark.exhaustive
NAMES = [pytest.param(n, marks=() if n in OFTEN else more) for n in TYPES]


def qemu() -> Target:
    found = find_target("riscv64-linux-musl")
    if why := found.available():
        pytest.skip(why)
    return found


def typed(name: str) -> im.Kernel:
    return im.find_kernel("gemm").with_dtypes(dict(zip("ABC", TYPES[name], strict=True)))


@functools.cache
def planned(name: str) -> im.Plan:
    """With open sizes, and at every length."""
    made = im.plan(typed(name), "rvv_groups", instruction=name, fix={"register.i": 2})
    assert made.instruction is not None and made.instruction.short == name and made.program.parameters == ("VL",)
    return made


def values(shape: tuple[int, int], of: str, random: np.random.Generator) -> np.ndarray:
    """Any integers; in floating point small whole numbers, whose sums are exact."""
    low, high = {"i8": (-128, 127), "u8": (0, 255), "i16": (-(2**15), 2**15 - 1)}.get(of, (-16, 16))
    return random.integers(low, high, shape, endpoint=True).astype(dtype(of).numpy)


def equal(kernel: Any, name: str, seed: int) -> None:
    """At every shape; sums of integers are modulo 2^32."""
    random = np.random.default_rng(seed)
    for i, j, k in SHAPES:
        a, b = values((i, k), TYPES[name][0], random), values((k, j), TYPES[name][1], random)
        wide = np.dtype(np.float64) if name.startswith("vf") else np.dtype(np.int64)
        wanted = (a.astype(wide) @ b.astype(wide)).astype(dtype(TYPES[name][2]).numpy)
        assert np.array_equal(kernel(a, b), wanted), (i, j, k)


@pytest.mark.parametrize("name", NAMES)
def test_one_build_at_every_length_in_qemu(name: str) -> None:
    where = qemu()
    kernel = where.build(where.emit(planned(name)))
    assert isinstance(kernel, EmulatedKernel)
    emulator = where._emulator()  # type: ignore[attr-defined]
    for length in (1, 2, 4, 8):
        kernel.emulator = emulator.with_vectors(128 * length)
        equal(kernel, name, length)


@pytest.mark.parametrize("name", NAMES)
def test_one_build_at_every_length_in_spike(name: str) -> None:
    where = SpikeVectors()
    if why := where.available():
        pytest.skip(why)
    kernel = where.build(where.emit(planned(name)))
    for bits in LENGTHS:
        kernel.bits = bits
        equal(kernel, name, bits)


@pytest.mark.parametrize(
    "length", [pytest.param(1, marks=more), pytest.param(2, marks=more), 4, pytest.param(8, marks=more)]
)
def test_every_instruction(length: int) -> None:
    found = im.check_hardware(f"rvv_groups(VL={length})", seed=5, results=1000, place=qemu().place())
    assert [str(c) for c in found.checked if c.status != "right"] == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("vwmul_vwadd_i8", "vsetvlmax_e8m1", "vsetvlmax_e8mf2"),  # half of the products
        ("vwmul_vwadd_i8", "vwadd_wv_i32m4({acc}", "vwadd_wv_i32m4(__riscv_vmv_v_x_i32m4(0, 4)"),
        ("vwmulsu_vwadd_i8u8", "vwmulsu_vv_i16m2({a}, {b}", "vwmulsu_vv_i16m2({a}, __riscv_vmv_v_x_u8m1(1, 4)"),
        ("vwmacc_i16", "vsetvlmax_e16m1", "vsetvlmax_e16mf2"),
        ("vfmacc_f32m4", "vsetvlmax_e32m4", "vsetvlmax_e32m2"),  # two of four registers
        ("masked_load_i32m4", "{vl}", "__riscv_vsetvlmax_e32m2()"),
    ],
)
def test_a_wrong_instruction_is_found(name: str, old: str, new: str) -> None:
    at = im.find_hardware("rvv_groups(VL=4)")
    right = at.instruction(name)
    assert old in right.emit
    wrong = replace(right, emit=right.emit.replace(old, new))
    (found,) = check_instructions([wrong], at, results=500, place=qemu().place())
    assert found.status == "wrong", str(found)


def test_a_wider_result_takes_as_many_more_registers() -> None:
    """EMUL = LMUL * EEW / SEW: every operand of an instruction has the same elements, so its group follows from its type."""
    machine = isamap_hardware.load("rvv_groups").at(VL=1)
    for i in machine.computes:
        bits = {o: i.kernel.tensor(o).dtype.bits for o, _ in i.places}
        groups = {o: i.group(o) for o in bits}
        assert len({groups[o] * 128 // bits[o] for o in bits} | {i.axes["l"]}) == 1, i.name
    assert [vector_type(f"vint8{g}_t").group for g in ("mf4", "m1", "m2", "m4", "m8")] == [1, 1, 2, 4, 8]  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "wide", "narrow"), [("vwmacc_i16", "m2", "m1"), ("vwmul_vwadd_i8", "m4", "m2")])
def test_a_group_that_is_too_small_is_refused(name: str, wide: str, narrow: str) -> None:
    machine = isamap_hardware.load("rvv_groups")
    right = machine.instruction(name)
    types = tuple((o, t.replace(f"32{wide}", f"32{narrow}")) for o, t in right.c_types)
    wrong = replace(right, c_types=types)
    with pytest.raises(HardwareError, match=rf"acc of rvv_groups.{name} has .* and .* of v has"):
        replace(machine, instructions=tuple(wrong if i is right else i for i in machine.instructions))


@pytest.mark.parametrize("name", NAMES)
def test_tiles_fit_the_registers(name: str) -> None:
    """Of 32 registers a tile of groups of four has 8 values, and the products between take theirs."""
    made = im.plan(typed(name), "rvv_groups", instruction=name, sizes=dict(i=40, j=40, k=40))
    computes = list(nodes_of(Compute, made.program.body))
    held = buffers(made.program)
    used = {ref.name: held[ref.name].registers * n.instruction.group(o) for n in computes for o, ref in n.operands}
    assert sum(used.values()) + computes[0].instruction.temporaries <= 32, used
