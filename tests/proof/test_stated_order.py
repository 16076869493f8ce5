"""Sums in a stated order: `exact` of floating point says in which order terms are added; an `ordered` kernel asks for its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.interpret import run_instruction, run_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import Rejection, prove

TERMS = [f"a[i,{n}] * b[{n}]" for n in range(4)]
SEQUENTIAL = "c[i] = " + "(" * 3 + "c[i] + " + ") + ".join(TERMS)
BACKWARDS = "c[i] = " + "(" * 3 + "c[i] + " + ") + ".join(TERMS[::-1])
PAIRWISE = f"c[i] = c[i] + (({TERMS[0]} + {TERMS[1]}) + ({TERMS[2]} + {TERMS[3]}))"
TERMS_FIRST = "c[i] = c[i] + sum(e, 4, a[i,e] * b[e])"
ONE_LESS = "c[i] = " + "(" * 2 + "c[i] + " + ") + ".join(TERMS[:3])
TWICE = "c[i] = " + "(" * 3 + "c[i] + " + ") + ".join([*TERMS[:3], TERMS[2]])


def dot(exact: str | None, rounding: str = "unfused") -> im.Instruction:
    """Eight sums of four products."""
    operands = {"c": "f32", "a": "f32", "b": "f32"}
    return im.instruction(
        "toy.dot", "c[i] += a[i,k] * b[k]", axes={"i": 8, "k": 4}, dtypes=operands, places=dict.fromkeys(operands, "v"),
        exact=exact, rounding=rounding,
    )  # fmt: skip


def judged(text: str, exact: str | None, axes: str = "i=i,k=k", rounding: str = "unfused", **sizes: int) -> object:
    kernel = im.kernel(text, name="k", dtypes=dict.fromkeys("YAB", "f32")).with_sizes(sizes)
    return prove(fuse(kernel, dot(exact, rounding), axes))


SUM = "Y[i] += A[i,k] * B[k]"


@pytest.mark.parametrize(
    "exact", [SEQUENTIAL, BACKWARDS, PAIRWISE, TERMS_FIRST], ids=["sequential", "backwards", "pairwise", "sum"]
)
def test_any_order_is_the_contract_where_a_sum_may_be_reordered(exact: str) -> None:
    assert not isinstance(judged(SUM, exact), Rejection)


@pytest.mark.parametrize("exact", [ONE_LESS, TWICE], ids=["one less", "one twice"])
@pytest.mark.parametrize("text", [SUM, SUM + " ordered"])
def test_what_adds_other_terms_is_refuted(exact: str, text: str) -> None:
    found = judged(text, exact, k=8)
    assert isinstance(found, Rejection)
    bad = [c for c in found.proof.failed() if c.subject == "instruction"]
    assert bad and isinstance(bad[0].verdict, Refuted), [c.verdict for c in bad]


def test_an_ordered_sum_takes_the_sequential_one() -> None:
    assert not isinstance(judged(SUM + " ordered", SEQUENTIAL, k=8), Rejection)
    padded = judged(SUM + " ordered", SEQUENTIAL)
    assert isinstance(padded, im.ProvedMapping) and any("-0" in str(h) for h in padded.proof.assumptions)


@pytest.mark.parametrize("exact", [BACKWARDS, PAIRWISE, TERMS_FIRST], ids=["backwards", "pairwise", "sum"])
def test_another_order_is_refuted_with_numbers_that_differ(exact: str) -> None:
    found = judged(SUM + " ordered", exact, k=8)
    assert isinstance(found, Rejection)
    (claim,) = [c for c in found.proof.failed() if c.subject == "instruction"]
    assert isinstance(claim.verdict, Refuted)
    values = {n: np.float32(v) for n, v in claim.verdict.witness.items()}
    held = values.get("c[i]", np.float32(0))
    kernel = held
    with np.errstate(all="ignore"):
        terms = [values.get(f"a[i,{n}]", np.float32(0)) * values.get(f"b[{n}]", np.float32(0)) for n in range(4)]
        for t in terms:
            kernel = np.float32(kernel + t)
        a, b, c, d = terms
        other = {
            BACKWARDS: ((((held + d) + c) + b) + a), PAIRWISE: held + ((a + b) + (c + d)), TERMS_FIRST: held + (((a + b) + c) + d),
        }[exact]  # fmt: skip
    assert repr(kernel) != repr(other)


@pytest.mark.parametrize("exact", [None, SEQUENTIAL])
def test_what_states_no_order_or_fuses_is_not_taken(exact: str | None) -> None:
    assert isinstance(judged(SUM + " ordered", exact, rounding="fused" if exact else "unfused", k=8), Rejection)


@pytest.mark.parametrize(
    ("text", "axes", "legal"),
    [
        ("Y[i] += A[i,r,s] * B[r,s] ordered", "i=i,k=s", True),
        ("Y[i] += A[i,r,s] * B[r,s] ordered", "i=i,k=r.s", True),
        ("Y[i] += A[i,r,s] * B[r,s] ordered", "i=i,k=r", False),
        ("Y[i] += A[i,r,s] * B[r,s] over i, s, r ordered", "i=i,k=r", True),
        ("Y[i] += A[i,r,s] * B[r,s] over i, s, r ordered", "i=i,k=s", False),
    ],
)
def test_points_of_one_execution_follow_each_other_in_the_kernel(text: str, axes: str, legal: bool) -> None:
    found = judged(text, SEQUENTIAL, axes, r=4, s=8)
    assert isinstance(found, Rejection) != legal
    if not legal:
        (claim,) = found.proof.failed()
        assert claim.subject == "order" and isinstance(claim.verdict, Refuted)


@pytest.mark.parametrize("seed", range(3))
def test_executions_one_after_the_other_give_the_kernels_bits(seed: int) -> None:
    """And do not, with the pairwise tree: numbers of many magnitudes."""
    rng = np.random.default_rng(seed)
    A = (rng.standard_normal((8, 12)) * 2.0 ** rng.integers(-12, 12, (8, 12))).astype(np.float32)
    B = rng.standard_normal(12).astype(np.float32)
    kernel = im.kernel(SUM + " ordered", name="k", dtypes=dict.fromkeys("YAB", "f32"))
    want = np.zeros(8, np.float32)
    for i, k in itertools.product(range(8), range(12)):
        want[i] = np.float32(want[i] + np.float32(A[i, k] * B[k]))
    assert (run_kernel(kernel, {"A": A, "B": B})["Y"] == want).all()
    for exact, same in ((SEQUENTIAL, True), (PAIRWISE, False)):
        held = np.zeros(8, np.float32)
        for at in range(0, 12, 4):
            held = run_instruction(dot(exact), {"c": held, "a": A[:, at : at + 4], "b": B[at : at + 4]})["c"]
        assert (held == want).all() == same
