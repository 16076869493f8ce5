"""Programs of uses: right ones are proved for all sizes, wrong ones are refuted by the claim they break, in words."""

from __future__ import annotations

import pytest
from mutants import MUTANTS, RIGHT, Mutant

from isamap_smt.proof.uses import prove_uses


@pytest.mark.parametrize("right", RIGHT, ids=lambda m: m.name)
def test_right_programs_are_proved(right: Mutant) -> None:
    proof = prove_uses(right.make())
    assert proof.proved, [str(c) for c in proof.failed()]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_mutants_are_refuted(mutant: Mutant) -> None:
    failed = prove_uses(mutant.make()).failed()
    found = [c for c in failed if c.claim == mutant.claim and c.verdict.word == "refuted"]
    assert found, [(str(c), c.statement) for c in failed]
    assert any(mutant.says in getattr(c.verdict, "text", "") for c in found), [c.verdict for c in found]
