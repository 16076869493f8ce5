"""Of every family of cases `make test` runs one; a test that it leaves out stands here, with one that shows the same for a part."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

from tests.families import _kept

# file -> (a test of which every case is `exhaustive`, the test of that file that `make test` runs)
LEFT_OUT = {
    "certificates/test_shipped.py": [
        (
            "test_both_solvers_prove_every_shipped_certificate",
            "test_the_shipped_certificates_that_are_drawn_are_ok",
        )
    ],
    "docs/test_pages.py": [("test_what_a_page_shows_of_another_machine", "test_a_page_runs_on_any_cpu")],
    "isa/test_exo.py": [("test_replaced_intrinsics_are_refuted", "test_fault_is_refuted")],
    "isa/test_meanings.py": [("test_avx512", "test_avx2"), ("test_neon", "test_neon_common")],
    "proof/test_online.py": [
        (
            "test_rounding_of_many_stays_within_what_is_stated",
            "test_rounding_stays_within_what_is_stated_and_uses_some_of_it",
        )
    ],
    "selection/test_lanes.py": [("test_more_random_statements_equal_numpy", "test_random_statements_equal_numpy")],
    "selection/test_rules.py": [
        ("test_more_random_expressions_are_computed_rightly", "test_random_expressions_are_computed_rightly")
    ],
    "selection/test_selection.py": [("test_more_random_statements_equal_numpy", "test_random_statements_equal_numpy")],
    "targets/test_vector_lengths.py": [
        ("test_a_certificate_holds_for_every_length", "test_one_program_for_all_sizes_and_lengths")
    ],
    "targets/test_vta_layers.py": [("test_a_block", "test_a_reduced_layer"), ("test_a_layer", "test_a_reduced_layer")],
    "targets/test_vta_padding.py": [
        ("test_images_with_zeros_around_them", "test_one_program_at_random_sizes"),
        ("test_windows_and_zeros_of_any_number", "test_one_program_at_random_sizes"),
    ],
    "targets/test_vta_target.py": [("test_convolutions_of_images", "test_convolutions_of_lines")],
}
WHOLE = {f"tests/{file}::{a}": f"tests/{file}::{b}" for file, tests in LEFT_OUT.items() for a, b in tests}


def test_every_family_has_a_case_in_make_test(collected_families: dict[str, set[bool]]) -> None:
    """Of what was collected with this test: in a run of all tests, of everything."""
    left_out = {test for test, marks in collected_families.items() if marks == {True}}
    assert left_out <= set(WHOLE), (
        "mark a part of the cases `exhaustive`, or name what shows the same for a part of them"
    )


def test_what_stands_for_a_test_that_is_left_out_is_run(collected_families: dict[str, set[bool]]) -> None:
    for test, other in WHOLE.items():
        if test in collected_families:
            assert collected_families[test] == {True}, f"{test} has cases in `make test`: it need not stand here"
            assert False in collected_families.get(other, ()), f"{other} is not run by `make test`"


class Case:
    """What is asked of a collected case."""

    def __init__(self, a: int, b: int) -> None:
        self.name, self.callspec = f"test_it[{a}-{b}]", SimpleNamespace(params={"a": a, "b": b})


def test_of_so_many_cases_one_is_drawn_and_one_of_every_value_stays() -> None:
    many: list[Any] = [Case(a, b) for a, b in product(range(40), range(10))]
    assert 80 < len(_kept(many, 4)) < 120
    assert len(_kept(many[:3], 10**9)) == 1  # the first, where none is drawn
    kept = _kept(many, 10**9, each=("a", "b"))
    assert {k.callspec.params["a"] for k in kept} == set(range(40)) and len(kept) <= 49
    assert {k.callspec.params["b"] for k in kept} == set(range(10))
    assert _kept(many, 4) == [k for k in many if k in _kept(many, 4)]
    assert set(_kept(many[:200], 4)) == set(_kept(many, 4)) & set(many[:200])  # others more leave them as they are
