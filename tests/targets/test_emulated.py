"""What an emulated kernel refuses, and what becomes of programs that die."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.targets import Target, find_target
from isamap_smt.targets.cross import EmulatedKernel
from isamap_smt.targets.emulator import find_emulator

MINE = """\
from dataclasses import replace
import isamap_smt as im
neon = im.find_hardware("neon")
own = replace(neon.instruction("vfmaq_f32"), name="mine.own", emit="{c} = CALL({c}, {a}, {b});")
HARDWARE = im.Hardware("mine", neon.memories, neon.links, (own, *neon.moves))
"""
ARM = ["--target", "aarch64-linux-musl"]


def test_values_that_the_proof_excludes_are_refused_by_the_code(arm: Target) -> None:
    kernel = im.kernel("A: i32[I]\nB: i32[I]\nC[i] += A[i] * B[i]", name="products")
    planned = im.plan(kernel, "scalar", assume=["A<=5"])
    made = arm.build(arm.emit(planned))
    a, b = np.array([1, 2, 3], np.int32), np.array([4, 5, 6], np.int32)
    assert made(a, b).tolist() == [4, 10, 18]
    with pytest.raises(im.IsamapError, match=r"A\[1\] is 9, and products was proved for A in"):
        made(np.array([1, 9, 3], np.int32), b)
    assert made(np.array([1, 9, 3], np.int32), b, check_ranges=False).tolist() == [4, 45, 18]
    with pytest.raises(im.IsamapError, match="dimension 0 of B is 2"):
        made(a, b[:2])


def test_what_out_holds_is_added_to_or_no_part_of_the_result(arm: Target) -> None:
    kernel = im.kernel(
        "assume W <= 5\nO[p] max= X[p+r-2] * W[r] where 0 <= p+r-2 < P", name="k", dtypes=dict.fromkeys("OXW", "i32")
    )
    made = arm.build(arm.emit(im.plan(kernel, "scalar")))
    x, w = np.arange(1, 7, dtype=np.int32), np.array([1, 2, 3], np.int32)
    alone, out = made(x, w), np.full(6, 10, np.int32)
    assert np.array_equal(made(x, w, out=out), np.maximum(alone, 10))
    call = made.prepare(x, w, out=out, accumulate=False)
    for _ in range(2):
        out.fill(99)
        call.run()
        assert np.array_equal(out, alone)
    w[1] = 6
    with pytest.raises(im.IsamapError, match=r"W\[1\] is 6"):
        call.run()
    assert np.array_equal(out, alone)


def test_a_program_that_does_not_end_as_it_should(arm: Target) -> None:
    emulator = find_emulator("aarch64")
    assert emulator is not None
    program = im.plan("gemm", "scalar", sizes={"i": 2, "j": 2, "k": 2}).program
    made = EmulatedKernel(program, Path(sys.executable).resolve(), emulator)  # a program of another machine
    one = np.ones((2, 2), np.float32)
    with pytest.raises(im.IsamapError, match=r"gemm under qemu-aarch64 [\d.]+ ended with status"):
        made(one, one)


@pytest.mark.parametrize(("call", "status"), [("vfmaq_f32", 0), ("vfmsq_f32", 5)])
def test_an_instruction_of_ones_own_is_checked_there_first(
    arm: Target, call: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("CALL", call))
    assert run(["run", "gemm", f"{tmp_path}/mine.py", "--sizes", "i=4,j=8,k=4", *ARM]) == status
    said = capsys.readouterr()
    assert "not checked" not in said.err
    assert ("mine.own does not do what its description says" in said.err) == (status == 5)


def test_vectors_that_the_emulator_has_not_are_refused_before_anything_is_planned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    riscv = find_target("riscv64-linux-musl")
    if why := riscv.available():
        pytest.skip(why)
    emulator = find_emulator("riscv64")
    assert emulator is not None and emulator.with_vectors(1024).title.endswith("vectors of 1024 bits")
    sizes = ["--sizes", "i=4,j=4,k=4", "--target", "riscv64-linux-musl"]
    assert run(["run", "gemm", "rvv", "--set", "VL=64", *sizes]) == 3
    said = capsys.readouterr()
    assert not said.out and "has no vectors of 8192 bits (" in said.err
    assert said.err.rstrip().endswith("take shorter ones with --set, or another --target")
    with pytest.raises(im.IsamapError, match="has no vectors of 8192 bits"):
        emulator.with_vectors(8192)
