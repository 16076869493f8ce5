"""C from hand-pinned schedules computes what the interpreter says, on sizes that leave tails everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import print_c
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Program
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.compiled import build_program
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.simde import find_simde
from tests.codegen.pinned import ALL, EVERY_SIZE, Case
from tests.families import draw, part

# `make test` runs each case once: with all sizes open, or at its own.
OPEN = {c.name for c in EVERY_SIZE if draw(c.name, 2) == 0}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "case",
    part(ALL, lambda c: f"{c.name} symbolic" not in OPEN) + part(EVERY_SIZE, lambda c: c.name in OPEN),
    ids=lambda c: c.name,
)
def test_the_program_computes_the_kernel(case: Case) -> None:
    program = case.program()
    missing = missing_features(used_instructions(program))
    if missing and find_simde() is None:
        pytest.skip(f"this CPU lacks {', '.join(missing)}, and SIMDe's headers are not installed")
    compiled = build_program(print_c(im.require_proof(program)), simde=bool(missing))
    kernel, sizes = case.the_kernel(), dict(case.sizes)
    rng = np.random.default_rng(7)
    arrays = random_arrays(kernel, sizes, rng, outputs=True)
    inputs = {n: arrays[n] for n in kernel.inputs}
    start = {n: arrays[n] for n in kernel.outputs}
    expected = run_kernel(kernel, inputs, out=start, sizes=sizes)
    out = kernel.outputs[0]
    got = start[out].copy()
    compiled(**inputs, out=got, sizes=_parameters(program, sizes), threads=3 if case.parallel is not None else 1)
    want = expected[out].astype(np.float64)
    error = np.max(np.abs(got.astype(np.float64) - want)) / np.max(np.abs(want))
    assert error == 0 if np.issubdtype(got.dtype, np.integer) else error < 1e-6


def _parameters(program: Program, sizes: dict[str, int]) -> dict[str, int]:
    """What no array's shape tells: the kernel's parameters that the program leaves open."""
    return {p.name: sizes[p.name] for p in program.kernel.parameters}
