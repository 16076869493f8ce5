"""Each shipped description does what the instruction does: executed on random and edge-case operands, bit for bit.

Where this CPU lacks an instruction it runs under SIMDe's emulation if its headers are installed, and is skipped aloud
otherwise. Emulation tests the description's operands, order and C, not the hardware.
"""

from __future__ import annotations

import numpy as np
import pytest

import isamap_hardware
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.runtime.conformance import check_hardware
from isamap_smt.runtime.conformance.computes import operands
from isamap_smt.runtime.conformance.operands import same_bits

RESULTS, MANY = 4_000, 100_000  # accumulators per instruction
EMITTED = [
    n
    for n in isamap_hardware.names()
    if any(i.emit for i in isamap_hardware.load(n).computes) and not isamap_hardware.load(n).parameters
]  # those with parameters: tests/targets/test_vector_lengths.py


@pytest.mark.parametrize("results", [RESULTS, pytest.param(MANY, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("machine", EMITTED)
def test_instructions_do_what_their_descriptions_say(machine: str, results: int) -> None:
    """All of a machine in one test: each worker that has a part of them would compile them all."""
    described = isamap_hardware.load(machine)
    found = {c.name: c for c in check_hardware(described, results=results, seed=17).checked}
    assert set(found) == {i.name for i in described.instructions if i.kind != "configure"}
    ran = {n: c for n, c in found.items() if c.status != "not run"}
    assert [str(c) for c in ran.values() if c.status != "right" or c.how != "bit for bit"] == []
    computes = {i.name for i in described.computes}
    assert [n for n, c in ran.items() if c.results < (results if n in computes else 4)] == []
    if left := [str(c) for n, c in found.items() if n not in ran]:
        pytest.skip(f"{len(left)} of {len(found)}: {left[0]}")


def test_a_wrong_description_is_found() -> None:
    """maddubs_dot without its saturation: the same operands tell the difference."""
    instruction = isamap_hardware.load("avx512_vnni").instruction("maddubs_dot")
    arrays = operands(instruction, RESULTS, np.random.default_rng(1))
    exact = isamap_hardware.load("avx512_vnni").instruction("dpbusd")
    saturating = run_instruction(instruction, arrays)["acc"]
    assert not same_bits(saturating, run_instruction(exact, arrays)["acc"]).all()


def test_saturation_is_the_one_that_is_known() -> None:
    """Data 255, 255 with weights 127, 127: vpmaddubsw gives 32767 where the dot product is 64770."""
    instruction = isamap_hardware.load("avx512_vnni").instruction("maddubs_dot")
    a, b = np.zeros((1, 16, 4), np.uint8), np.zeros((1, 16, 4), np.int8)
    a[..., :2], b[..., :2] = 255, 127
    arrays = {"a": a, "b": b, "acc": np.zeros((1, 16), np.int32)}
    assert (run_instruction(instruction, arrays)["acc"] == 32767).all()


def test_a_vector_machine_has_all_six_moves_of_every_register() -> None:
    for machine in ("avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16", "avx512_fp16"):
        described = isamap_hardware.load(machine)
        names = {i.short for i in described.moves}
        tables = {f"{i.types['t'].name}_{i.shapes['t'][0]}" for i in described.computes if "idx" in i.types}
        for suffix in {n.removeprefix("load_") for n in names if n.startswith("load_")}:
            for form in ("load", "broadcast", "zero", "store", "masked_load", "masked_store"):
                zeros = form in ("zero", "masked_load") and "e8m0" in suffix  # which has no zero
                if suffix in tables and form not in ("load", "masked_load"):
                    continue  # nothing is computed in registers that hold a table alone
                assert (f"{form}_{suffix}" in names) != zeros, f"{machine} and {form}_{suffix}"
        used = {
            described.instruction(i.short).kernel.tensor(o).dtype.name for i in described.computes for o, _ in i.places
        }
        assert used == {i.kernel.tensors[0].dtype.name for i in described.moves}
