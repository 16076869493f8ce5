"""Every trap is refuted, by the claim that is meant to close it; and the originals are proved."""

from __future__ import annotations

import mutants
import pytest
import toys

from isamap_encodings.verdict import Refuted
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials

ORIGINALS = {
    "packed": toys.packed_gemm, "parallel": lambda: toys.packed_gemm(0), "inplace": toys.inplace_gemm,
    "dot": toys.dot_gemm, "fused": toys.fused_gemm, "staged": toys.staged_gemm, "conv": toys.padded_conv,
    "fixed": lambda: toys.packed_gemm(None, {"i": 6, "j": 32, "k": 9}), "blocked": toys.blocked_gemm,
}  # fmt: skip

# mutant -> the claims that refute it
TRAPS = {
    "next_panel": {"program"},
    "pack_one_short": {"program"},
    "row_plus_one": {"program"},
    "no_zero_fill": {"program"},
    "init_inside_k": {"progress"},
    "hoisted": {"program"},
    "declared_too_far_out": {"program"},
    "parallel_k": {"disjoint"},
    "parallel_inner_k": {"disjoint"},
    "missing_load": {"progress"},
    "restarted": {"progress"},
    "begun_again": {"progress"},
    "begun_late": {"progress"},
    "begun_though_given": {"progress"},
    "begun_never": {"progress"},
    "begun_by_nobody": {"progress"},
    "begun_by_column": {"progress"},
    "begun_in_memory": {"progress"},
    "begun_input": {"progress"},
    "added_at_once": {"progress"},
    "added_late": {"progress"},
    "added_never": {"progress"},
    "added_twice": {"progress"},
    "added_to_what_is_loaded": {"progress"},
    "added_to_another_cell": {"program"},
    "added_to_an_operand": {"progress"},
    "added_though_in_order": {"progress"},
    "row_of_a_later_time_step": {"begun"},
    "unwritten_result": {"begun"},
    "assigned_input": {"begun"},
    "k_one_short": {"coverage"},
    "k_one_more": {"bounds"},
    "unmasked_store": {"bounds", "program"},
    "dead_row_stored": {"bounds", "program"},
    "shared_panel": {"disjoint", "program"},
    "early_store": {"progress"},
    "double_accumulation": {"link"},
    "overlapping_k_blocks": {"link"},
    "dead_factor": {"neutral"},
    "divisor_may_be_zero": {"hypotheses"},
    "strided_lanes": {"precondition"},
    "unclamped_row": {"bounds"},
    "serial_registers": {"memory"},
    "too_large": {"memory"},
    "twin_registers": {"exclusive"},
    "input_written": {"bounds"},
}
# claims that alone refute some program
ALONE = {
    "bounds": "unclamped_row", "neutral": "dead_factor", "precondition": "strided_lanes", "disjoint": "parallel_inner_k",
    "program": "row_plus_one", "progress": "early_store", "exclusive": "twin_registers", "memory": "serial_registers",
    "link": "double_accumulation", "coverage": "k_one_short", "hypotheses": "divisor_may_be_zero",
    "begun": "row_of_a_later_time_step",
}  # fmt: skip
# wrong in a way that no run at small sizes shows
HARMLESS = {
    "added_though_in_order",  # one rounding more or less
    "serial_registers",
    "strided_lanes",
    "too_large",
    "divisor_may_be_zero",
    "declared_too_far_out",
}
UNKNOWN = ("ambiguous_name", "stored_inside_k")


def _refuted(name: str) -> set[str]:
    proof = prove_program(getattr(mutants, name)())
    assert proof.word == "refuted", [str(c) for c in proof.failed()]
    return {c.claim for c in proof.claims if isinstance(c.verdict, Refuted)}


@pytest.mark.parametrize("name", ORIGINALS)
def test_originals_are_proved(name: str) -> None:
    proof = prove_program(ORIGINALS[name]())
    assert proof.proved, [(str(c), c.statement, c.verdict) for c in proof.failed()]


@pytest.mark.parametrize("name", TRAPS)
def test_traps_are_refuted(name: str) -> None:
    assert TRAPS[name] <= _refuted(name)


@pytest.mark.parametrize("claim", ALONE)
def test_each_claim_alone_refutes_something(claim: str) -> None:
    assert _refuted(ALONE[claim]) == {claim}


@pytest.mark.parametrize("name", sorted(set(TRAPS) - HARMLESS))
def test_traps_are_wrong_when_run(name: str) -> None:
    assert trials(getattr(mutants, name)(), 24) is not None


@pytest.mark.parametrize("name", UNKNOWN)
def test_unrecognised_structures_are_unknown(name: str) -> None:
    assert prove_program(getattr(mutants, name)()).word == "unknown"


def test_every_mutant_is_tested() -> None:
    made = {n for n, v in vars(mutants).items() if getattr(v, "__module__", "") == "mutants" and n[0] != "_"}
    assert made - {"rewritten", *UNKNOWN} == set(TRAPS)
