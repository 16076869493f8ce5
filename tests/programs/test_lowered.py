"""Programs lowered for the shipped machines are proved for all sizes, and quickly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import sympy as sp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "codegen"))

import pinned

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_memory import entry_bound, most

CASES = {c.name: c for c in (*pinned.ALL, *pinned.EVERY_SIZE)}
PROVED = (
    "both packed symbolic",
    "parallel rows symbolic",
    "fused lanes symbolic",
    "scalar bf16 symbolic",
    "point symbolic",
    "vnni symbolic",
    "conv window",
    "conv packed symbolic",
    "conv bytes symbolic",
    "depthwise packed symbolic",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROVED)
def test_lowered_programs_are_proved(name: str) -> None:
    proof = prove_program(CASES[name].program())
    assert proof.proved, [(str(c), c.statement, c.verdict) for c in proof.failed()]


def test_entry_bound_covers_the_tensors() -> None:
    """The polynomial exceeds every tensor's bytes at sizes where an index still fits, and real sizes pass it."""
    bound = entry_bound(CASES["both packed symbolic"].program())
    values = {sym("I"): 2**20, sym("J"): 2**20, sym("K"): 2**20}
    assert 4 * 2**40 <= bound.subs(values) < 2**63
    assert bound.subs(dict.fromkeys(values, 2**31)) >= 2**63


def test_most_is_above_every_polynomial() -> None:
    m, n = sym("M"), sym("N")
    assert most([2 * m + 1, m * n, 3 * m]) == 3 * m + m * n + sp.S.One


def test_the_zero_of_an_ordered_sum_is_negative() -> None:
    """bf16 pairs padded with -0 and +0: the obligation's text claims no more than was proved."""
    proof = prove_program(CASES["bf16"].program())
    (neutral,) = [c for c in proof.claims if c.claim == "neutral"]
    assert neutral.verdict.word == "proved" and "over the reals" not in neutral.statement


def test_assumptions_name_what_the_entry_check_tests() -> None:
    proof = prove_program(CASES["both packed symbolic"].program())
    assert {"I >= 1", "C overlaps no other array", "A is a row-major array of shape [I, K]"} <= set(proof.assumptions)
    assert any(a.endswith("< 2**63") for a in proof.assumptions)


def test_an_accumulator_outside_of_all_loops_ends_with_its_statement() -> None:
    """What follows has a loop that threads share, and no register lives across one."""
    kernel = im.kernel("S[l] += P[x] * Q[x,l]\nT[i,j] += A[i,k] * B[k,j]", name="mine")
    sizes = {"i": 64, "k": 64, "j": 64, "l": 8, "x": 64}
    plan = im.plan(kernel, "avx2", sizes=sizes, threads=2, fix={"parallel": "i"})
    assert plan.notes == () and len(plan.program.schedules) == 2 and plan.proof.proved
