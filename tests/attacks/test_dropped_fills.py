"""Each fill of each shipped program, dropped: it is refuted, or nothing depends on it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import isamap_kernels
import isamap_smt as im
from isamap_smt.codegen.lower import lower_points
from isamap_smt.ir.program import Program
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MACHINES = ("scalar", "avx2", "avx512")
# their texts are legal for some sizes alone
SIZES = {
    "onnx_quantised.QLINEAR_CONV": {"P": 5, "Q": 5, "R": 3, "S": 3, "t": 1, "pad": 1},
    "windows.MAX_POOL_REPEATED": {"P": 5, "Q": 5, "R": 3, "S": 3, "t": 1, "pad": 1},
}


@cache
def shipped() -> dict[str, im.Kernel]:
    """Every kernel of the library and of the examples."""
    found = {n: isamap_kernels.load(n) for n in isamap_kernels.names()}
    for path in sorted(EXAMPLES.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"fills_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= {f"{path.stem}.{n}": k for n, k in vars(module).items() if isinstance(k, im.Kernel)}
    return found


def kernel_of(name: str) -> im.Kernel:
    kernel = shipped()[name]
    return kernel.with_sizes({n: v for n, v in SIZES.get(name, {}).items() if n in kernel.free_sizes})


def dropped(program: Program) -> Iterator[tuple[str, Program]]:
    """The program without one of its fills, said to be begun in each way that there is."""
    for tensor in program.kernel.outputs:
        if tensor not in program.unfilled:
            yield f"{tensor} assigned", replace(program, assigned=(*program.assigned, tensor))
            yield f"{tensor} begun", replace(program, starts=(*program.starts, tensor))


def wrong_verdicts(program: Program) -> list[str]:
    """Fills without which the program is not refuted, though what it computes changes."""
    kept = []
    for what, mutant in dropped(program):
        proof = prove_program(mutant, stop=True)
        if proof.word != "refuted" and trials(mutant, 8) is not None:
            kept.append(f"{what}: {proof.word}")
    return kept


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", shipped())
def test_of_programs_that_compute_element_by_element(name: str) -> None:
    program = lower_points(kernel_of(name))
    assert prove_program(program, stop=True).proved
    assert not wrong_verdicts(program)


@pytest.mark.one_in(40, each=("machine",))
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", shipped())
def test_of_programs_for_instructions(name: str, machine: str) -> None:
    program = im.plan(kernel_of(name), machine).program
    assert not wrong_verdicts(program)


def test_there_are_fills_to_drop() -> None:
    """Of nearly every reduction that is computed element by element; where instructions compute it, of few."""
    fills = {n: len(list(dropped(lower_points(kernel_of(n))))) for n in ("gemm", "conv2d", "norms.SOFTMAX", "gru")}
    assert fills == {"gemm": 2, "conv2d": 2, "norms.SOFTMAX": 4, "gru": 4}
