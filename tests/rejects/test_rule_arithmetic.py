"""A rule of one's own must hold in the arithmetics in which it is asked to."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import IsamapError, LanguageError, RuleError

MESSAGE = """\
rule 'thirds' does not hold in f32: x / 3 + y / 3 = (x + y) / 3
  at x = 1.0, y = 0.25: the left side is 0.4166666865348816, the right side 0.4166666567325592
  it is proved in: reals; name some of these, or none to use it wherever it holds"""
UNKNOWN = "rule 'thirds': there is no arithmetic 'f3'; did you mean f32 or f8e4m3?"


@pytest.mark.parametrize(("arithmetic", "message"), [("f32", MESSAGE), ("f3", UNKNOWN)])
def test_the_message(arithmetic: str, message: str) -> None:
    rule = im.Rule("thirds", "x / 3 + y / 3", "(x + y) / 3", arithmetics=(arithmetic,))
    machine = replace(isamap_hardware.load("avx2"), rules=(rule,))
    kernel = im.kernel("Y[i,j] = A[i,j] + B[i,j] * 2", dtypes=dict.fromkeys("ABY", "f32"))
    with pytest.raises(RuleError) as e:
        im.plan(kernel, machine, sizes={"i": 4, "j": 8})
    assert str(e.value) == message


@pytest.mark.parametrize(
    ("right", "where", "kind", "text"),
    [
        ("x * y", ("reals",), RuleError, "rule 'bad' does not hold in reals: x + y = x * y"),
        ("x +", (), LanguageError, "x +"),
    ],
)
def test_a_kernel_that_needs_no_rule(right: str, where: tuple[str, ...], kind: type[IsamapError], text: str) -> None:
    machine = replace(isamap_hardware.load("scalar"), rules=(im.Rule("bad", "x + y", right, arithmetics=where),))
    with pytest.raises(kind) as e:
        im.plan("gemm", machine, sizes={"i": 4, "j": 4, "k": 4})
    assert text in str(e.value)
