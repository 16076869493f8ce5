"""Programs of kernels that read what they write are judged, never crashed on, registers of one point included."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.mapping.point import point_instruction
from isamap_smt.simulator.run import run_program


@pytest.mark.parametrize("value", ["C[i] = C[i]*2 + A[i]", "C[i] += C[i]*A[i]"])
def test_a_verdict_and_no_crash(value: str) -> None:
    kernel = im.kernel(f"{value}\nC: i32[I]\nA: i32[I]")
    mapping = im.find_mappings(kernel, point_instruction(kernel)).legal[0]
    program = im.lower(im.schedule(mapping, im.find_hardware("scalar")))
    proof = im.prove_program(program)
    assert not proof.proved and proof.failed()


@pytest.mark.parametrize("dtype", ["i32", "f32"])
def test_one_point_registers_are_run(dtype: str) -> None:
    kernel = im.kernel(f"C[i] += A[i]*B[i]\nC: {dtype}[I]\nA: {dtype}[I]\nB: {dtype}[I]")
    mapping = im.find_mappings(kernel, point_instruction(kernel)).legal[0]
    program = im.lower(im.schedule(mapping, im.find_hardware("scalar")))
    a = np.arange(5).astype(kernel.tensor("A").dtype.numpy)
    run = run_program(program, {"A": a, "B": a + 1})
    assert run.clean and (run.outputs["C"] == a * (a + 1)).all()
