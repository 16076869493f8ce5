"""Arguments of the wrong type are refused with what would be right, by plan() and by schedule() alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import (
    DTypeError,
    IsamapError,
    LanguageError,
    NotProvedError,
    RangeError,
    ScheduleError,
    SizeError,
    UnknownNameError,
)

BOTH: list[tuple[dict[str, Any], type[IsamapError], str]] = [
    ({"fix": {"tile.i": [1]}}, ScheduleError, "tile.i=[1] is list: must be a number of points or a name"),
    ({"fix": {"tile.i": 1.5}}, ScheduleError, "tile.i=1.5 is float"),
    ({"fix": [1]}, ScheduleError, "fix is list: pass decisions and their values"),
    ({"fix": {1: 2}}, ScheduleError, "fix: 1 is int, not a decision"),
    ({"sizes": {"i": "8"}}, SizeError, "size i='8' is str: pass a whole number"),
    ({"sizes": {"i": 8.0}}, SizeError, "size i=8.0 is float"),
    ({"sizes": {"i": True}}, SizeError, "size i=True is bool"),
    ({"sizes": {1: 8}}, SizeError, "sizes: 1 is int, not the name of an axis"),
    ({"sizes": [8]}, SizeError, "sizes is list"),
    ({"sizes": {"i": 10**400}}, SizeError, "size i is above 2^31"),
    ({"timeout": -1}, ScheduleError, "timeout=-1: must be more than 0 seconds"),
    ({"timeout": math.nan}, ScheduleError, "timeout=nan: must be more than 0 seconds"),
    ({"timeout": "x"}, ScheduleError, "timeout='x' is str: pass a number of seconds"),
    ({"threads": 1.5}, ScheduleError, "threads=1.5 is float: pass a whole number"),
    ({"threads": 0}, ScheduleError, "threads=0: must be at least 1"),
    ({"constant": 5}, UnknownNameError, "constant: 5 is no name of an input"),
]
PLAN: list[tuple[dict[str, Any], type[IsamapError], str]] = [
    ({"objective": [1]}, ScheduleError, "objective=[1]: pass 'latency' or 'energy'"),
    ({"objective": "speed"}, ScheduleError, "objective='speed': pass 'latency' or 'energy'"),
    ({"instruction": [1]}, UnknownNameError, "instruction=[1]: pass the name"),
    ({"assume": 5}, RangeError, "assume=5: pass ranges in text"),
]


def dot() -> im.Kernel:
    return im.kernel("C[i] += A[i]*B[i]")


@pytest.mark.parametrize(("options", "kind", "text"), [*BOTH, *PLAN])
def test_plan(options: dict[str, Any], kind: type[IsamapError], text: str) -> None:
    with pytest.raises(kind) as caught:
        im.plan(dot(), "scalar", **options)
    assert text in str(caught.value)


@pytest.mark.parametrize(("options", "kind", "text"), BOTH)
def test_schedule(options: dict[str, Any], kind: type[IsamapError], text: str) -> None:
    machine = im.find_hardware("scalar")
    proved = im.find_mappings(dot(), machine.instruction("muladd_f32")).legal[0]
    with pytest.raises(kind) as caught:
        im.schedule(proved, machine, **options)
    assert text in str(caught.value)


def test_names_stand_for_kernels_and_machines() -> None:
    by_name = im.plan("gemm", "scalar", sizes={"i": np.int64(4), "j": 4, "k": 4})
    by_value = im.plan(im.find_kernel("gemm"), im.find_hardware("scalar"), sizes={"i": 4, "j": 4, "k": 4})
    assert by_name is by_value


@pytest.mark.parametrize(
    ("kernel", "hardware", "text"),
    [
        ("gemmm", "scalar", "unknown kernel 'gemmm'; did you mean gemm"),
        ("gemm", "scalarr", "unknown hardware 'scalarr'; did you mean scalar"),
        (5, "scalar", "int is no kernel"),
        ("gemm", None, "NoneType is no hardware"),
    ],
)
def test_unknown_names(kernel: Any, hardware: Any, text: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        im.plan(kernel, hardware)
    assert text in str(caught.value)


def test_build_takes_programs_only() -> None:
    with pytest.raises(NotProvedError, match="takes a Plan, a Program or a ProvedProgram, not int"):
        im.build(5)  # type: ignore[arg-type]


def test_an_element_type_is_a_name() -> None:
    with pytest.raises(DTypeError, match="5 is no element type"):
        dot().with_dtypes({"A": 5})  # type: ignore[dict-item]


def test_an_option_that_compile_does_not_have() -> None:
    with pytest.raises(UnknownNameError, match="compile\\(\\) has no option 'thread'; did you mean threads\\?"):
        im.compile(dot(), "scalar", thread=2)


@pytest.mark.parametrize(
    ("given", "kind"), [(lambda a: a, "function"), (3, "int"), (len, "builtin_function_or_method")]
)
def test_a_kernel_that_is_no_text(given: Any, kind: str) -> None:
    with pytest.raises(LanguageError, match=f"a kernel is text or statements such as .*; this is {kind}"):
        im.kernel(given)
