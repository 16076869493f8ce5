"""Random kernels from text to machine code, against an oracle of their own. benchmarks/fuzz_kernels.py does this at length."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.fuzz_kernels import fuzz
from tests.oracle.case import Case
from tests.oracle.planted import PLANTED
from tests.oracle.random_cases import case
from tests.oracle.trial import CRASH, EQUAL, WRONG, Worker

IN_TESTS, IN_ALL_TESTS = range(7), range(24)

GUARDED = Case("C[i] += A[i,k] * B[k] where k < 3", {"I": 3, "K": 5}, "scalar", fixed=("I", "K"), compiler="quick")
LARGEST = Case("C[i] max= A[i,k]", {"I": 3, "K": 1}, "scalar", fixed=("I", "K"), compiler="quick", seed=4)
SUM = Case(
    "C: i32\nA: i32\nB: i32\nC[i,j] += A[i,k] * B[k,j]",
    {"I": 3, "J": 4, "K": 5},
    "scalar",
    fixed=("I", "J", "K"),
    compiler="quick",
)
ROWS = Case(
    "temporary M\ntemporary F\nM[i] max= E[i,n]\nF[i,n] = E[i,n] - M[i]\nG[i,n] = F[i,n] * D[n]",
    {"I": 64, "N": 256},
    "avx2",
    fixed=("I", "N"),
    compiler="quick",
)
TRIANGLE = Case("C[q,k] += A[q,d] * B[k,d] where k <= q", {"D": 3, "K": 9, "Q": 7}, "avx512", compiler="quick")
STEPS = Case("C: i32\nA: i32\nC[q,k] += A[q] where k//4 <= q", {"K": 5, "Q": 3}, "scalar", compiler="quick")
NEEDS = {"avx2": ("avx2", "fma"), "avx512": ("avx512f",)}
SHOWS = {
    "less_is_at_most": (GUARDED, WRONG), "begins_at_zero": (LARGEST, WRONG), "prints_another_sum": (SUM, WRONG),
    "forgets_the_last_turn": (SUM, WRONG), "falls_over": (SUM, CRASH), "folds_onto_one_row": (ROWS, WRONG),
    "masks_a_lane_more": (TRIANGLE, WRONG), "conditions_are_strict": (STEPS, WRONG),
    "writes_beside": (SUM, CRASH),
}  # fmt: skip


@pytest.mark.parametrize("numbers", [IN_TESTS, pytest.param(IN_ALL_TESTS, marks=pytest.mark.exhaustive)], ids=str)
def test_nothing_is_wrong_or_crashes(numbers: range) -> None:
    tally = fuzz(numbers, tries=0)
    assert not tally.bad, tally.found
    assert tally.total == len(numbers)
    assert tally.compiled >= len(numbers) // 2  # refusals are no test of anything


def test_the_same_number_gives_the_same_case() -> None:
    assert [case(n) for n in IN_ALL_TESTS] == [case(n) for n in IN_ALL_TESTS]
    assert all(Case.of(case(n).json()) == case(n) for n in IN_ALL_TESTS)


@pytest.fixture(scope="module")
def healthy() -> Iterator[Worker]:
    """One process without a fault for all of these tests: it takes longer to start than to answer."""
    with Worker() as worker:
        yield worker


@pytest.mark.parametrize(
    "planted", [pytest.param(n, marks=pytest.mark.needs(*NEEDS.get(SHOWS[n][0].machine, ()))) for n in PLANTED]
)
def test_a_planted_fault_is_found(healthy: Worker, planted: str) -> None:
    shown, kind = SHOWS[planted]
    assert healthy.trial(shown).kind == EQUAL  # it is the fault that is found
    with Worker(planted=planted) as worker:
        outcome = worker.trial(shown)
        assert outcome.kind == kind, outcome
        assert worker.trial(shown).kind == kind  # the worker answers again, after it died too


def test_the_fuzzer_finds_it_by_itself_and_makes_it_small() -> None:
    tally = fuzz(range(4), tries=6, forms={"product": 1}, machines={"scalar": 1}, planted="prints_another_sum")
    found = [c for c, o in tally.found.values() if o.kind == WRONG]
    assert found
    assert min(len(c.text.splitlines()) for c in found) <= 5
