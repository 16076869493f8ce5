"""Names of assertions: the same in the file and in the core, and told in the user's names."""

from __future__ import annotations

import pytest
import z3

import isamap_smt as im
from isamap_encodings.smtlib import LONGEST, infix, labels, script
from isamap_encodings.z3_check import cvc5_answer, cvc5_version, unsat_core, z3_answer
from isamap_smt.certificates.explain import sentence, vocabulary

I, J, l, t = z3.Ints("I J l l_tile")
GEMM = vocabulary(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (l + 8 * t < J, "l + 8*l_tile < J"),
        (z3.Not(l < J), "l >= J"),
        (z3.Not(z3.And(l < J, t == 0)), "not (l < J and l_tile = 0)"),
        ((l + t) * J <= -3, "(l + l_tile)*J <= -3"),
        (z3.Implies(z3.Or(l < 0, t < 0), J - (l - t) > 1), "l < 0 or l_tile < 0 implies J - (l - l_tile) > 1"),
        (z3.And(), "true"),
        (z3.If(l < t, l, t) == 0, "if(l < l_tile, l, l_tile) = 0"),
        (z3.Int("a|b\\c") == 0, "ab/c = 0"),
    ],
)
def test_infix(term: z3.ExprRef, text: str) -> None:
    assert infix(term) == text


def test_a_long_term_is_cut() -> None:
    term = l
    for _ in range(3000):
        term = z3.If(term > t, term + term, J)
    assert len(infix(term == 0)) <= LONGEST


def test_labels_stand_in_the_text_and_in_the_core() -> None:
    text = script([I >= 1, l < J, l >= J, z3.Not(I < 0)])
    assert labels(text) == ["1: I >= 1", "2: l < J", "3: l >= J", "denied: I < 0"]
    assert z3_answer(text) == "unsat"
    if cvc5_version() is not None:
        assert cvc5_answer(text) == "unsat"
    assert unsat_core(text) == [("2: l < J", "(< l J)"), ("3: l >= J", "(>= l J)")]
    assert unsat_core(script([I >= 1, z3.Not(I < 2)])) is None


def test_a_question_for_a_model_has_no_denied_claim() -> None:
    assert labels(script([I >= 1, z3.Not(z3.BoolVal(False))])) == ["1: I >= 1", ""]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("1: 1 <= I", "size I is at least 1 (1 <= I)"),
        ("2: 0 <= j", "axis j starts at 0 (0 <= j)"),
        ("3: j < J", "axis j ends before J (j < J)"),
        ("4: 0 <= j'", "axis j at the other point starts at 0 (0 <= j')"),
        ("5: 0 <= l_tile", "loop l_tile starts at 0 (0 <= l_tile)"),
        ("6: 8 > l", "lane index l of fmadd_ps ends before 8 (8 > l)"),
        ("7: 0 <= j.rest", "the rest of axis j is at least 0 (0 <= j.rest)"),
        ("8: l + 8*l_tile = j", "l + 8*l_tile = j, with lane index l of fmadd_ps, loop l_tile, axis j"),
        ("denied: i = i'", "the claim is denied: not (i = i'), with axis i, axis i at the other point"),
        ("9: F*B + t = G*B + u", "F*B + t = G*B + u"),
    ],
)
def test_sentences(label: str, words: str) -> None:
    assert sentence(label, GEMM) == words
