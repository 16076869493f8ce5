"""A selection of the systematic mutants; benchmarks/mutation.py runs them all. None that is wrong may be proved or survive."""

from __future__ import annotations

import pytest

import isamap_smt as im
from benchmarks.mutation_mappings import Subject, computes_right, mappings, shipped, subjects
from benchmarks.mutation_score import Score
from isamap_smt.proof import prove
from tests.attacks import mapping_mutants
from tests.attacks.mapping_mutants import mutants
from tests.attacks.program_mutants import ORIGINALS, programs
from tests.attacks.program_mutants import mutants as program_mutants
from tests.codegen.pinned import CONVOLUTIONS, GEMM, GEMM_512


def chosen() -> list[Subject]:
    gemm = subjects(["gemm"], ["avx2.fmadd_ps", "wmma.16x16x16"])
    return [*gemm, *subjects(["matvec"], ["avx2.madd_u8i8", "avx512_vnni.maddubs_dot", "scalar.point"])]


def test_what_is_shipped_is_mutated() -> None:
    """Every certified mapping and every certified list, conv2d on tensor cores with all its mappings among them."""
    found = shipped()
    assert len(set(found)) == len(found) >= 700
    assert sum(s.kernel == "conv2d" and s.instruction == "wmma.16x16x16" for s in found) == 98
    made = found[-1].mapping()
    assert made.id == found[-1].id


def test_mutants_of_mappings() -> None:
    score = Score()
    mappings(score, every=41, chosen=chosen())
    assert not score.unsound and not score.survivors, (score.unsound, score.survivors)
    assert score.percent == 100.0 and score.counts["refuted"] >= 12
    assert {"forward", "inverse", "outer", "instruction"} <= set(score.kinds)


def test_every_kind_of_change_is_made() -> None:
    found = subjects(["matvec"], ["scalar.point", "avx512_vnni.maddubs_dot"])
    kinds = {m.kind for s in found for m in mutants(s.mapping())}
    assert kinds == {"forward", "inverse", "outer", "guard", "binding", "dtype", "range", "instruction"}


def test_a_mutant_that_is_wrong_is_seen_to_be_wrong() -> None:
    """The oracle is not blind: of the mutants that the prover refutes, execution finds most wrong, too."""
    m = subjects(["gemm"], ["avx2.fmadd_ps"])[0].mapping()
    forward = [x for x in mapping_mutants.mutants(m) if x.kind in ("forward", "guard", "binding")]
    refuted = [x for x in forward if prove(x.mapping).proof.word == "refuted"]
    assert len(refuted) >= 10
    assert sum(bool(computes_right(x.mapping)) for x in refuted) >= 0.9 * len(refuted)


@pytest.mark.parametrize("table", [{"B": "i64"}, {"B": "u32"}, {"C": "i16"}])
def test_other_widths_than_the_instruction_takes_are_refuted(table: dict[str, str]) -> None:
    """Found by mutation: values of different widths were compared, which ended the prover."""
    kernel = im.find_kernel("gemm").with_dtypes({**dict.fromkeys("ABC", "i32"), **table})
    result = prove(im.fuse(kernel, im.find_instruction("avx2.mullo_i32"), "l=j"))
    assert result.proof.word == "refuted" and result.proof.failed()[0].subject == "operands"


def test_mutants_of_programs() -> None:
    score = Score()
    cases = (GEMM[0], GEMM[8], GEMM_512[1], CONVOLUTIONS[0], ORIGINALS[1], ORIGINALS[9])
    programs(score, every=211, cases=cases)
    assert not score.unsound and not score.survivors, (score.unsound, score.survivors)
    assert score.counts["refuted"] >= 5


@pytest.mark.parametrize("case", [GEMM[0], CONVOLUTIONS[1]], ids=lambda c: c.name)
def test_every_kind_of_program_edit_is_made(case: object) -> None:
    kinds = {kind for kind, _, _ in program_mutants(case.program())}  # type: ignore[attr-defined]
    wanted = {
        "bound",
        "step",
        "parallel",
        "guard",
        "offset",
        "fill",
        "mask",
        "packing",
        "type",
        "point",
        "statement",
        "order",
    }
    assert wanted <= kinds
