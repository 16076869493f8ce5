"""A few hundred random verdicts against execution; benchmarks/fuzz_mappings.py does this at length."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import isamap_smt as im
from benchmarks.fuzz_mappings import _fills_to_nothing, fuzz, run
from tests.attacks.executed import Work, right
from tests.attacks.random_edits import by_hand, random_fused
from tests.attacks.random_problems import problem


@pytest.mark.parametrize("count", [150, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_verdicts_and_execution_agree(count: int) -> None:
    tally = fuzz(count, seed=3, runs=3)
    assert not tally.wrong, tally.wrong
    assert not tally.false, tally.false
    assert tally.cases["proved"] >= count // 40 and tally.cases["refuted"] >= count // 2
    assert sum(n for word, n in tally.cases.items() if word.startswith("by hand")) >= 1


def test_the_oracle_finds_wrong_mappings() -> None:
    """Random mappings are mostly wrong: an executor that called them right would make the comparison worthless."""
    rng, wrong, ok = random.Random(1), 0, 0
    while wrong + ok < 60:
        drawn = problem(rng)
        m = random_fused(drawn.kernel, drawn.instruction, rng)
        if m is None:
            continue
        m = by_hand(m, rng)
        sizes = dict.fromkeys(drawn.kernel.free_sizes, 3)
        try:
            good = right(Work(drawn.kernel, sizes), m)
        except (ValueError, ZeroDivisionError):
            continue
        wrong, ok = wrong + (not good), ok + good
    assert wrong >= 30 and ok >= 3


def test_a_known_right_and_a_known_wrong_mapping() -> None:
    gemm = im.find_kernel("gemm")
    fma = im.find_instruction("avx2.fmadd_ps")
    work = Work(gemm, {"I": 3, "J": 11, "K": 4})
    assert right(work, im.fuse(gemm, fma, "l=j")) and not right(work, im.fuse(gemm, fma, "l=k"))
    a, b, c = (work.elements[n].reshape(work.shapes[n]) for n in "ABC")
    assert np.array_equal(work.want.reshape(3, 11), a @ b + c)


def test_parts_add_up_and_repeat() -> None:
    """A run in parts gives the same counts for the same seed."""
    one, two = run(100, 9), run(100, 9)
    assert one.cases == two.cases and one.total >= 100 and not one.wrong and not one.false


@pytest.mark.parametrize(("contract", "lucky"), [("c[] min= a[x]*b[x]*d[x]", True), ("c[] max= a[x]*b[x]", False)])
def test_fills_that_multiply_to_no_change(contract: str, lucky: bool) -> None:
    """Of i64: three greatest values multiply to the greatest, two least ones to 0."""
    names = [n for n in "abd" if f"{n}[" in contract]
    text = re.sub(r"([abcd])\[(x?)\]", lambda m: f"{m[1].upper()}[{m[2] and 'j'}]", contract)
    kernel = im.kernel(text, name="k")
    kernel = kernel.with_dtypes({t.name: "i64" for t in kernel.tensors})
    made = im.instruction("toy.i", contract, axes={"x": 3}, dtypes=dict.fromkeys(["c", *names], "i64"),
                          places=dict.fromkeys(["c", *names], "v"))  # fmt: skip
    assert _fills_to_nothing(im.fuse(kernel, made, "x=j")) == lucky
