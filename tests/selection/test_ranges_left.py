"""What a rule over the reals makes of a sum may leave the type: which rules do so, that plans say it, and that fuzzing sees it."""

from __future__ import annotations

import random

import numpy as np
import pytest

import isamap_smt as im
from benchmarks import fuzz_expressions
from isamap_encodings.verdict import Proved
from isamap_smt.mapping.rewriting import may_leave_range
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.mapping.rule_verdicts import keeps_error_of, keeps_range_of
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.pipeline.ranges_left import range_left

AVX2 = im.find_hardware("avx2")
SAYS = "on the way numbers may be too large, or too small, for f32 where those of the text are not"
BY_NAME = {r.name: r for r in RULES}


@pytest.mark.parametrize(
    "name", ["common factor", "common factor of a difference", "common divisor", "products in another order"]
)
def test_rules_that_leave_a_range(name: str) -> None:
    rule = BY_NAME[name]
    assert isinstance(keeps_error_of(rule, False), Proved)  # so it is used
    assert not isinstance(keeps_range_of(rule, False), Proved)
    assert may_leave_range(rule, "f32")


@pytest.mark.parametrize(
    "name", ["difference", "quotient by a number", "even number", "sum with a product and a value", "negated product"]
)
def test_rules_that_keep_it(name: str) -> None:
    assert not may_leave_range(BY_NAME[name], "f32")


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("S[j] += A[i,j]*C[j] + B[i,j]*C[j]", "common factor"),
        ("S[j] += A[i,j]/3 + B[i,j]/3", "common divisor"),
        ("S[j] += A[i,j]*(B[i,j]/1e39)", "the number 1e-39"),
        ("S[j] += A[i,j]*B[i,j] + C[j]", ""),
        ("S[j] += (A[i,j]-B[i,j]/7)*(A[i,j]-B[i,j]/7)/7", ""),
    ],
)
def test_the_plan_says_by_what(text: str, by: str) -> None:
    planned = im.plan(im.kernel(text), AVX2, sizes={"i": 30, "j": 40})
    assert planned.instruction is not None and planned.instruction.short == "selected"
    told = [n for n in planned.notes if SAYS in n]
    assert bool(told) == bool(by) and all(by in n for n in told)


@pytest.mark.needs("avx2", "fma")
def test_it_happens() -> None:
    """(A + B) C of two numbers near the largest, and one near the smallest."""
    kernel = im.kernel("S[j] += A[i,j]*C[j] + B[i,j]*C[j]")
    made = im.build(im.plan(kernel, AVX2, sizes={"i": 1, "j": 8}))
    large, small = np.full((1, 8), 3e38, np.float32), np.full(8, 1e-38, np.float32)
    arrays = {"A": large, "B": large, "C": small}
    assert np.allclose(im.run_kernel(kernel, arrays)["S"], 6)
    assert any(SAYS in n for n in made.notes) and np.isinf(made(**arrays)).all()


@pytest.mark.parametrize("said", ["(A * C + B * C)", "(A / 3 + B / 3)"])
def test_the_fuzzer_sees_what_no_note_says(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Y[j] += " + "".join(f"{c}[i,j]" if c in "ABC" else c for c in said)
    kernel = im.kernel(text)
    taken = selected_instruction(AVX2, kernel)
    assert taken is not None and range_left(taken)
    binding = dict(zip(taken.kernel.inputs, kernel.inputs, strict=True))

    def wrong() -> int:
        tried = (random.Random(seed) for seed in range(10))
        kinds = dict.fromkeys("ABC", "f32")
        return sum(bool(fuzz_expressions._first_wrong(taken, binding, kinds, "f32", said, True, r)) for r in tried)

    assert wrong() == 0
    monkeypatch.setattr(fuzz_expressions, "range_left", lambda i: "")
    assert wrong() > 0
