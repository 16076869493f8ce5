"""SVE and RISC-V V: one description, one proof and one program for every vector length, run by QEMU at several.

Arrays end at a page that nothing may touch. Tails of RISC-V vectors that the specification leaves open are all ones there.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.certificates import save
from isamap_smt.cli.app import run as command
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.simulator.run import run_program
from isamap_smt.targets import Target, find_target
from isamap_smt.targets.cross import EmulatedKernel

TRIPLES = {"sve": "aarch64-linux-musl", "rvv": "riscv64-linux-musl"}
LENGTHS = {"sve": (1, 2, 4, 8, 16), "rvv": (1, 2, 4, 8)}  # of QEMU's RISC-V no more
F32, F64, BF16 = ("f32",) * 3, ("f64",) * 3, ("bf16", "bf16", "f32")
I8, U8, U8I8 = ("i8", "i8", "i32"), ("u8", "u8", "u32"), ("u8", "i8", "i32")
TYPES = {
    "svmla_f32": F32, "svdot_s32": I8, "svdot_u32": U8, "svusdot_s32": U8I8, "svbfdot_f32": BF16,
    "svmla_lane_f32": F32, "svmmla_s32": I8, "svmmla_u32": U8, "svusmmla_s32": U8I8, "svbfmmla_f32": BF16,
    "vfmacc_f32": F32, "vfmacc_f64": F64, "vwmul_vwadd_i8": I8, "vwmulsu_vwadd_i8u8": U8I8,
}  # fmt: skip
WINDOW = dict(n=1, k=6, c=5, p=5, q=7, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
GEMM = dict(i=11, j=70, k=18)
SHIPPED = [(m, v) for m, values in LENGTHS.items() for v in values]
CASES = [("sve" if name.startswith("sv") else "rvv", name) for name in TYPES]
OFTEN = ("svmmla_s32", "vfmacc_f32")
more = pytest.mark.exhaustive
IN_TESTS = [("sve", 4), ("rvv", 8)]  # lengths at which `make test` runs each instruction
# Of the programs for all sizes `make test` runs some, and of the other kernels each on one machine.
KERNELS = [("sve", "conv2d"), ("rvv", "matvec"), ("sve", "gemm")]


def target(machine: str) -> Target:
    found = find_target(TRIPLES[machine])
    if why := found.available():
        pytest.skip(why)
    return found


def typed(kernel: str, name: str) -> im.Kernel:
    """The library's kernel with the types of that instruction."""
    found = im.find_kernel(kernel)
    *inputs, output = TYPES[name]
    return found.with_dtypes({**dict(zip(found.inputs, inputs, strict=True)), **dict.fromkeys(found.outputs, output)})


@functools.cache
def planned(machine: str, kernel: str, name: str, **options: Any) -> im.Plan:
    given = {n: dict(v) if n == "sizes" else v for n, v in options.items()}
    made = im.plan(typed(kernel, name), machine, instruction=name, **given)
    assert made.instruction is not None and made.instruction.short == name
    assert made.program.parameters == ("VL",)
    return made


def equal_at(made: im.Plan, machine: str, asked: im.Kernel, lengths: tuple[int, ...], threads: int = 1) -> None:
    """One build, run at each length on arrays of this kernel, whose sizes are all known."""
    where = target(machine)
    kernel = where.build(where.emit(made))
    assert isinstance(kernel, EmulatedKernel)
    kernel.alignment = 1
    emulator = find_target(TRIPLES[machine])._emulator()  # type: ignore[attr-defined]
    random = np.random.default_rng(3)
    for length in lengths:
        kernel.emulator = emulator.with_vectors(128 * length)
        arrays = {n: whole(x, random) for n, x in random_arrays(asked, rng=random).items()}
        got, wanted = kernel(**arrays, threads=threads), run_kernel(asked, arrays)[asked.results[0]]
        assert np.array_equal(got, wanted), (machine, asked.name, length)


def whole(like: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """All bytes; in floating point small whole numbers, whose sums are exact."""
    low, high = {"uint8": (0, 255), "int8": (-128, 127)}.get(str(like.dtype), (-16, 16))
    return random.integers(low, high, like.shape, endpoint=True).astype(like.dtype)


@pytest.mark.parametrize(
    ("machine", "length"), [pytest.param(*c, marks=() if c in IN_TESTS else more) for c in SHIPPED]
)
def test_every_instruction_at_every_length(machine: str, length: int) -> None:
    found = im.check_hardware(f"{machine}(VL={length})", seed=17, results=2000, place=target(machine).place())
    assert [str(c) for c in found.checked if c.status != "right"] == []
    assert all(f"vectors of {128 * length} bits" in c.emulated for c in found.checked)


@pytest.mark.parametrize(
    ("machine", "name", "emit", "said"),
    [
        ("sve", "svdot_s32", "{acc} = svdot_s32({acc}, {a}, {a});", "results are wrong"),
        ("sve", "svdot_lane_s32", "{acc} = svdot_s32({acc}, svget4_s8({b}, 0), svdup_neonq_s8({a}));", "results are wrong"),
        ("sve", "svmmla_s32", "{c} = svmmla_s32({c}, svdup_neonq_s8({b}), {a});", "results are wrong"),  # transposed sums
        ("sve", "svusmmla_s32", "{c} = svmmla_s32({c}, svreinterpret_s8_u8({a}), svdup_neonq_s8({b}));", "results are wrong"),
        ("sve", "svmmla_u32", "{c} = svmmla_u32({c}, {a}, svset_neonq_u8({a}, {b}));", "results are wrong"),  # one segment
        ("sve", "svbfdot_f32", "{acc} = svbfmlalt_f32(svbfmlalb_f32({acc}, {a}, {b}), {a}, {b});", "results are wrong"),
        ("sve", "svbfmmla_f32", "{c} = svbfmmla_f32({c}, svdup_neonq_bf16({b}), {a});", "results are wrong"),
        ("sve", "load_pair_rows_i8", "{r} = vld1q_s8({m}); (void)({stride});", "r[1,0]"),
        ("sve", "store_tile_i32", "svst1_s32(svptrue_b32(), {m}, {r}); (void)({down}); (void)({right});", "writes byte"),
        ("sve", "load_f32", "{r} = svld1_f32(svwhilelt_b32(0, 8), {m});", "r[8]"),  # right for vectors of 256 bits
        ("sve", "masked_load_f32", "{r} = svld1_f32(svptrue_b32(), {m}); (void)({active});", "touches memory"),
        ("rvv", "vfmacc_f32", "{c} = __riscv_vfmacc_vv_f32m1_tu({c}, {a}, {b}, 8);", "results are wrong"),
        (
            "rvv", "masked_load_f32", "{r} = __riscv_vle32_v_f32m1({m}, (size_t)({active}));",
            "does not do what its description says",
        ),  # its tail is agnostic: all ones
    ],
)  # fmt: skip
def test_a_wrong_instruction_is_found(machine: str, name: str, emit: str, said: str) -> None:
    at = im.find_hardware(f"{machine}(VL=4)")
    wrong = replace(at.instruction(name), emit=emit)
    (found,) = check_instructions([wrong], at, results=1000, place=target(machine).place())
    assert found.status == "wrong" and said in str(found), str(found)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("machine", "name"), [pytest.param(*c, marks=() if c[1] in OFTEN else more) for c in CASES])
def test_one_program_for_all_sizes_and_lengths(machine: str, name: str) -> None:
    made = planned(machine, "gemm", name)
    for sizes in (GEMM, dict(i=1, j=1, k=1), dict(i=7, j=33, k=4)):
        equal_at(made, machine, typed("gemm", name).with_sizes(sizes), LENGTHS[machine])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("machine", "name", "kernel", "sizes"),
    [
        pytest.param(m, t, k, s, marks=() if t in ("svmla_f32", "vfmacc_f32") and (m, k) in KERNELS else more)
        for k, s in (("conv2d", WINDOW), ("matvec", dict(i=23, k=37)), ("gemm", dict(i=7, j=5, k=3)))
        for m, t in CASES
    ],
)
def test_other_kernels(machine: str, name: str, kernel: str, sizes: dict[str, int]) -> None:
    if "mmla" in name and kernel == "matvec":
        pytest.skip("a product of a matrix and a vector has no columns for it")
    made = planned(machine, kernel, name, sizes=tuple(sizes.items()))
    equal_at(made, machine, typed(kernel, name).with_sizes(sizes), LENGTHS[machine])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "wanted"), [("svdot_s32", "svmmla_s32"), ("svbfdot_f32", "svbfmmla_f32")])
def test_matrices_are_preferred(name: str, wanted: str) -> None:
    """They add twice as many products in one instruction; a matrix times a vector has none for them."""
    for kernel, best in (("gemm", wanted), ("matvec", name)):
        made = im.plan(typed(kernel, name), "sve")
        assert made.instruction is not None and made.instruction.short == best


def test_threads_and_what_is_packed_ahead() -> None:
    sizes = dict(i=40, j=24, k=16)
    made = planned("sve", "gemm", "svmmla_s32", sizes=tuple(sizes.items()), threads=2, constant=("B",))
    assert made.program.ahead
    equal_at(made, "sve", typed("gemm", "svmmla_s32").with_sizes(sizes), (1, 4, 16), threads=2)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("machine", "length"),
    [pytest.param(m, n, marks=() if (m, n) in (("sve", 2), ("rvv", 8)) else more) for m in TRIPLES for n in (1, 2, 8)],
)
def test_simulated_at_a_length(machine: str, length: int) -> None:
    """The simulator shares no code with the proof, and needs no emulator."""
    kernel = typed("gemm", "svmla_f32").with_sizes(GEMM)
    made = im.plan(typed("gemm", "svmla_f32"), f"{machine}(VL={length})", sizes=GEMM)
    random = np.random.default_rng(1)
    arrays = {n: whole(x, random) for n, x in random_arrays(kernel, rng=random).items()}
    run = run_program(made.program, arrays)
    assert run.clean and np.array_equal(run.outputs["C"], run_kernel(kernel, arrays)["C"])


def test_a_length_that_the_description_does_not_list_is_refused() -> None:
    """The proof says nothing of it; of 384 bits the compiler thinks that they are none."""
    where = target("sve")
    kernel = where.build(where.emit(im.plan("gemm", "sve", sizes=dict(i=3, j=5, k=2))))
    a, b = np.ones((3, 2), np.float32), np.ones((2, 5), np.float32)
    assert np.array_equal(kernel(a, b), a @ b)
    kernel.emulator = find_target(TRIPLES["sve"])._emulator().with_vectors(384)  # type: ignore[attr-defined]
    with pytest.raises(HardwareError, match="has a value that its description does not list"):
        kernel(a, b)


@more  # those of both machines that are shipped are checked in `make test`, too
def test_a_certificate_holds_for_every_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Z3 and cvc5 agree on the formulas of all of them."""
    made = planned("rvv", "gemm", "vfmacc_f32", sizes=(("i", 3), ("j", 5), ("k", 2)))
    save(made.checked, tmp_path / "proofs")
    assert command(["proofs", "check", str(tmp_path / "proofs")]) == 0
    assert "1 certificate: 1 ok" in capsys.readouterr().out


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    target("sve")
    words = ["run", "gemm", "sve", "--sizes", "i=37,j=29,k=50", "--target", TRIPLES["sve"]]
    assert command([*words, "--set", "VL=4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["executor"].endswith("vectors of 512 bits") and told["instruction"] == "sve.svmla_f32"
    assert command([*words, "--set", "VL=17"]) == 3
    assert "sve: VL=17: it can be 1, 2, 4" in capsys.readouterr().err
