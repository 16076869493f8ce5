"""The executor of the tests sees what the simulator sees, which it shares nothing with, and nothing where nothing is wrong."""

from __future__ import annotations

import random

import field_edits
import outer_product as outer
import pytest
import shipped
from judged import wrong
from use_mutants import MUTANTS, RIGHT, Mutant

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.program import Program
from isamap_smt.ir.traversal import walk
from isamap_smt.proof.program import prove_program
from tests.families import part

# The executor's machine does what its own instruction says, on its own engine, whatever a use says of either.
WORSE = {"a load is none of the machine's", "one engine issues what is another's"}
BETTER = {"a is loaded as whole numbers"}


@pytest.mark.parametrize("mutant", [*MUTANTS, *RIGHT], ids=lambda m: m.name)
def test_it_sees_what_the_simulator_sees(mutant: Mutant) -> None:
    found = wrong(mutant.make(), seeds=0, plainly=4)
    expected = ((mutant.behaves and bool(mutant.claim)) or mutant.name in WORSE) and mutant.name not in BETTER
    assert bool(found) == expected, found


@pytest.mark.parametrize(("name", "kernel", "machine"), shipped.SHIPPED, ids=lambda x: x if isinstance(x, str) else "")
def test_shipped_programs_are_right(name: str, kernel: im.Kernel, machine: str) -> None:
    program = im.stage(kernel, isamap_hardware.load(machine)).program
    assert shipped.what_goes_wrong(kernel, program, 1, 1, 2) == ""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", part(range(80), lambda n: n % 2 == 0))
def test_edits_of_any_field(seed: int) -> None:
    """Nothing is proved that goes wrong, and no edit ends in anything but a verdict. More: python -m benchmarks.fuzz_uses."""
    rng, program = random.Random(seed), outer.gemm()
    try:
        told, changed = field_edits.edited(program, rng)
    except IsamapError:
        return  # no node is like this
    if prove_program(changed).proved:
        assert wrong(changed, seeds=2, plainly=2) == "", told


def test_every_node_has_spots() -> None:
    program: Program = outer.gemm()
    nodes = {type(n).__name__ for n, _ in walk(program.body)} | {"Program", "Buffer", "IndexType", "Ref"}
    assert {s.field[0] for s in field_edits.spots(program)} == nodes
