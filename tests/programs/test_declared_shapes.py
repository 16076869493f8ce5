"""A declared shape may hold more than is read: instructions are used, `L >= K` is assumed, and each call checks it by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.reach import possible_sizes
from isamap_smt.mapping.split import split_sum
from isamap_smt.proof.mapping import Hypotheses
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.split import prove_split
from isamap_smt.proof.witness_points import size_vectors
from isamap_smt.search.find import check_certificate, find_mappings

LEADING = "size L\nA: [I,L]\nC[i,j] += A[i,k] * B[k,j]"
WINDOW = "size N\nX: [N]\nY[i] += X[i+k] * W[k]"
WIDER = "size L, M, N\nA: [I,L]\nB: [K,M]\nC: [I,N]\nC[i,j] += A[i,k] * B[k,j]"


def arrays(kernel: im.Kernel, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shaped = kernel.with_sizes(sizes)
    return {n: rng.integers(-9, 9, tuple(map(int, shaped.tensor(n).shape))).astype(np.float32) for n in shaped.inputs}


@pytest.mark.parametrize(
    ("text", "sizes", "short", "conditions"),
    [
        (LEADING, {"I": 5, "J": 20, "K": 7, "L": 11}, {"L": 6}, {"L >= K"}),
        (WINDOW, {"I": 37, "K": 5, "N": 50}, {"N": 40}, {"N >= I + K - 1"}),
        (WIDER, {"I": 5, "J": 20, "K": 7, "L": 7, "M": 23, "N": 31}, {"M": 19}, {"L >= K", "M >= J", "N >= J"}),
    ],
)
@pytest.mark.needs("avx2", "fma")
def test_what_is_larger_than_what_is_read_takes_instructions(
    text: str, sizes: dict[str, int], short: dict[str, int], conditions: set[str]
) -> None:
    kernel = im.kernel(text, name="larger")
    plan = im.plan(kernel, "avx2")
    assert plan.proved is not None, plan.notes
    assert conditions <= set(plan.proof.assumptions)
    assert conditions <= set(plan.proved.proof.assumptions)
    run, given = im.build(plan), arrays(kernel, sizes)
    want = im.run_kernel(kernel, given, sizes=sizes)[kernel.results[0]]
    assert np.array_equal(run(**given, sizes=sizes), want)
    ((name, _),) = short.items()
    with pytest.raises(SizeError, match=rf"larger: {name} >= .* does not hold: index .* of dimension"):
        run(**arrays(kernel, sizes | short), sizes=sizes | short)


def test_sizes_that_are_given_are_put_into_what_is_checked() -> None:
    plan = im.plan(im.kernel(LEADING, name="leading"), "avx2", sizes={"i": 8, "j": 16, "k": 64})
    assert plan.instruction is not None
    assert "L >= 64 does not hold: index k of dimension 1 of A reaches 63; pass a larger A" in str(plan.source)


def test_without_the_assumption_only_bounds_refutes_the_program() -> None:
    program = im.plan(im.kernel(LEADING, name="leading"), "avx2").program
    failed = prove_program(replace(program, hypotheses=())).failed()
    assert {c.claim for c in failed} == {"bounds"} and all(isinstance(c.verdict, Refuted) for c in failed)


def test_without_the_assumption_only_bounds_refutes_the_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    mapping = im.fuse(im.kernel(LEADING, name="leading"), im.find_instruction("avx2.fmadd_ps"), "l=j")
    assert im.prove(mapping)
    for module in ("mapping", "witness_points"):
        monkeypatch.setattr(f"isamap_smt.proof.{module}.size_conditions", lambda kernel: ())
    for module in ("mapping", "witness_points", "witness"):
        monkeypatch.setattr(f"isamap_smt.proof.{module}.possible_sizes", lambda kernel, sizes: True)
    found = im.prove(mapping)
    assert not found and {c.claim for c in found.proof.failed()} == {"bounds"}


def test_counterexamples_have_sizes_at_which_the_kernel_means_something() -> None:
    kernel = im.kernel(LEADING, name="leading")
    wrong = im.fuse(kernel, im.find_instruction("avx2.fmadd_ps"), "l=k")
    found = im.prove(wrong)
    assert not found and found.claim.claim == "exclusive"
    assert isinstance(found.claim.verdict, Refuted)
    assert found.claim.verdict.witness["L"] >= found.claim.verdict.witness["K"]
    vectors = size_vectors(wrong)
    assert len(vectors) > 5 and all(possible_sizes(kernel, v) for v in vectors)
    assert not possible_sizes(kernel, {"I": 1, "J": 1, "K": 2, "L": 1})
    assert possible_sizes(kernel, {"I": 1, "J": 1, "K": 2, "L": 2})
    assert [c.text for c in Hypotheses.of(wrong).needed] == ["L >= K"]


def test_the_list_of_mappings_is_complete() -> None:
    found = find_mappings(im.kernel(LEADING, name="leading"), im.find_instruction("avx2.fmadd_ps"))
    assert found.complete and "l=j;a=A,b=B" in [p.mapping.id for p in found]
    check = check_certificate(found)
    assert check.ok, check.faults


def test_nothing_is_proved_of_shapes_that_no_sizes_have() -> None:
    kernel = im.kernel("size L\nparam s >= 3\nA: [2,L]\nC[j] += A[s,k] * B[k,j]", name="never")
    found = im.prove(im.fuse(kernel, im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert not found and "hypotheses" in {c.claim for c in found.proof.failed()}


@pytest.mark.needs("avx2", "fma")
def test_sums_into_larger_results_are_taken_apart() -> None:
    """What closes them writes to rows that the conditions say are there."""
    kernel = im.kernel("C: f32[L,K]\nC[i,k] += A[i,k,j]", name="rows")
    plan = im.plan(kernel, "avx2", sizes={"i": 5, "j": 40, "k": 3})
    assert plan.split is not None and "L >= 5" in plan.proof.assumptions
    a = np.arange(600, dtype=np.float32).reshape(5, 3, 40)
    got = im.build(plan)(A=a, sizes={"L": 7})
    assert np.array_equal(got[:5], a.sum(2)) and not got[5:].any() and got.shape == (7, 3)


def test_a_form_that_asks_less_of_sizes_is_refuted() -> None:
    """Another statement in its place reads no row beyond."""
    made = split_sum(
        im.kernel("axis k < 32\nA: [I,L]\nY[i] += A[i,k]\nZ[i] += A[i,k]", name="rows"), "k", 4, statement=0
    )
    assert prove_split(made).proved
    tensors = tuple(replace(t, shape=(t.shape[0], sp.Integer(32))) if t.name == "A" else t for t in made.kernel.tensors)
    failed = {c.subject for c in prove_split(replace(made, kernel=replace(made.kernel, tensors=tensors))).failed()}
    assert "shapes" in failed
