"""DeepBench's sizes, completely and once."""

from __future__ import annotations

from collections import Counter

import pytest

from isamap_smt.bench import deepbench
from isamap_smt.bench.suites import SUITES, SuiteError, find_suites
from isamap_smt.ir.errors import UnknownNameError


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_names_are_unique_and_quick_ones_exist(suite) -> None:
    cases = suite.cases()
    assert len({c.name for c in cases}) == len(cases)
    assert {c.name for c in suite.cases(quick=True)} == set(suite.quick)
    assert all(c.operations < deepbench.LIMIT for c in cases)


def test_every_product_below_the_limit_is_there() -> None:
    cases = SUITES["gemm-f32"].cases()
    assert len(cases) == 153
    assert Counter(c.form for c in cases) == {"NN": 110, "NT": 39, "TN": 4}
    assert Counter(c.group for c in cases)["large"] > 30
    assert set(Counter(c.group for c in cases)) == {"large", "skinny", "thin", "odd", "tiny"}


def test_layouts_are_deepbenchs() -> None:
    """A is M x K in columns: in rows it is the weights, K x M, and transposed they are M x K."""
    cases = {c.name: c for c in SUITES["gemm-f32"].cases()}
    assert cases["1760x16x1760 NN"].shapes() == {"A": (16, 1760), "B": (1760, 1760), "C": (16, 1760)}
    assert cases["35x8457x4096 NT"].shapes() == {"A": (8457, 4096), "B": (35, 4096), "C": (8457, 35)}
    assert cases["512x16x512 TN"].shapes() == {"A": (512, 16), "B": (512, 512), "C": (16, 512)}
    assert cases["1024x700x512 NN"].operations == 2 * 1024 * 700 * 512


def test_a_convolution_has_deepbenchs_output() -> None:
    """224x224x3, 7x7, stride 2, padding 3: 112 x 112 pixels, and the input is as large as they need."""
    case = next(c for c in SUITES["conv"].cases() if c.name == "224x224x3->64 7x7 s2 n1")
    assert case.shapes() == {"I": (1, 223, 223, 3), "W": (7, 7, 3, 64), "O": (1, 112, 112, 64)}
    assert case.group == "few channels"
    assert case.reduction == 7 * 7 * 3


def test_sources_are_named() -> None:
    for kind in ("gemm", "conv", "rnn"):
        assert deepbench.source(kind).startswith("baidu-research/DeepBench@da81ba7")


def test_an_unknown_suite_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"^no such suite 'gemm_f32'; did you mean gemm-f32"):
        find_suites(["gemm_f32"])
    assert len(find_suites(["all"])) == len(SUITES)


def test_a_pattern_that_leaves_nothing_is_said() -> None:
    with pytest.raises(SuiteError, match="no case of conv has such a name; names look like '161x700x1->32 5x20 s2 n4'"):
        SUITES["conv"].cases(only="^gemm")
    with pytest.raises(SuiteError, match="not a regular expression"):
        SUITES["conv"].cases(only="(")
    assert [c.name for c in SUITES["gemm-f32"].cases(only="^512x16x512 TN")] == ["512x16x512 TN"]
