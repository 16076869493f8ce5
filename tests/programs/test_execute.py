"""The interpreter of programs gives the kernel's result, and reports what a correct program never does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import toys

from isamap_smt.ir.program import Alloc, Loop, Program
from isamap_smt.simulator import findings
from isamap_smt.simulator.run import run_program
from tests.programs.portable import is_copy

GEMMS = (toys.packed_gemm, toys.inplace_gemm, toys.dot_gemm, toys.fused_gemm, toys.staged_gemm)


def _operands(program: Program, i: int, j: int, k: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(i + 10 * j + 100 * k)
    shapes = {"A": (i, k), "B": (k, j)}
    return {n: random.integers(0, 9, s).astype(program.kernel.tensor(n).dtype.numpy) for n, s in shapes.items()}


@pytest.mark.parametrize("make", GEMMS)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 9, 7), (3, 17, 4), (2, 8, 1)])
def test_programs_compute_the_product(make, sizes: tuple[int, int, int]) -> None:
    program = make()
    operands = _operands(program, *sizes)
    run = run_program(program, operands)
    expected = operands["A"].astype(np.int64) @ operands["B"].astype(np.int64)
    got = run.outputs["C"]
    assert run.clean, run.findings
    np.testing.assert_array_equal(got, expected.T if program.kernel.name == "gemm_t" else expected)


def test_output_is_accumulated_into() -> None:
    program = toys.packed_gemm()
    operands = _operands(program, 3, 5, 2)
    start = np.arange(15, dtype=np.float32).reshape(3, 5)
    run = run_program(program, operands, out=start)
    assert run.clean, run.findings
    np.testing.assert_array_equal(run.outputs["C"], start + operands["A"] @ operands["B"])


def _without(nodes, drop):
    kept = tuple(n for n in nodes if not drop(n))
    return tuple(replace(n, body=_without(n.body, drop)) if isinstance(n, Loop) else n for n in kept)


def test_unwritten_panel_is_poison() -> None:
    program = toys.packed_gemm()
    lost = replace(program, body=_without(program.body, lambda n: is_copy(n) and n.src.name == "B"))
    run = run_program(lost, _operands(program, 2, 8, 3))
    assert {f.kind for f in run.findings} == {findings.POISON}


def test_parallel_reduction_is_a_race() -> None:
    program = toys.packed_gemm(parallel=1)
    run = run_program(program, _operands(program, 2, 8, 7))
    assert [f.kind for f in run.findings] == [findings.RACE]


def test_parallel_columns_are_no_race() -> None:
    program = toys.packed_gemm(parallel=0)
    assert run_program(program, _operands(program, 2, 40, 7)).clean


def test_short_buffer_is_out_of_bounds() -> None:
    program = toys.packed_gemm()

    def shrink(nodes):
        for n in nodes:
            if isinstance(n, Alloc) and n.buffer.name == "B_packed":
                b = n.buffer
                yield replace(n, buffer=replace(b, shape=(b.shape[0] - 1, *b.shape[1:])))
            else:
                yield replace(n, body=tuple(shrink(n.body))) if isinstance(n, Loop) else n

    run = run_program(replace(program, body=tuple(shrink(program.body))), _operands(program, 2, 16, 3))
    assert [f.kind for f in run.findings] == [findings.BOUNDS]
