"""Whatever is passed for an argument of a public function: it is right, or refused in a sentence; no other exception leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError

ODD: tuple[Any, ...] = (
    0, 1, -1, True, False, None, 1.5, float("nan"), float("inf"), 10**30, -(10**30), "", "x", b"x",
    [], [1], (), {}, {"a": 1}, {1: 2},
    {"i": True}, {"i": None}, {"i": [1]}, {"A"}, np.int64(3), np.float32(2), np.True_, np.zeros(2), object(), ["A <= 1"],
)  # fmt: skip
KERNEL = im.kernel("Y[i] += A[i,k] * X[k]", name="mv")
WHOLE = KERNEL.with_dtypes(dict.fromkeys("YAX", "i32"))
SIZES = {"i": 4, "k": 4}
A, X = np.ones((4, 4), np.float32), np.ones(4, np.float32)


def scalar() -> im.Hardware:
    return im.find_hardware("scalar")


def multiply() -> im.Instruction:
    return scalar().instruction("muladd_f32")


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """What calls are made of: a compiled kernel, one with a constant, and a mapping."""
    found = im.find_mappings(KERNEL, multiply()).legal[0]
    return {
        "compiled": im.compile(KERNEL, "scalar", sizes=SIZES),
        "constant": im.compile(KERNEL, "scalar", sizes=SIZES, constant=["A"]),
        "proved": found,
    }


PLANNED = "sizes constant threads objective fix timeout instruction assume strategy cost_model family progress"
# function -> (a call with some arguments of another kind, the arguments)
CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "plan": (lambda m, **o: im.plan(KERNEL, "scalar", **{"sizes": SIZES, **o}), PLANNED),
    "compile": (lambda m, **o: im.compile(KERNEL, "scalar", **{"sizes": SIZES, **o}), "strided cc thread"),
    "stage": (lambda m, **o: im.stage("gemm", "gemmini", **{"sizes": {"i": 0}, **o}), "sizes fix timeout instruction progress"),
    "schedule": (
        lambda m, **o: im.schedule(m["proved"], scalar(), **{"sizes": SIZES, **o}),
        "sizes constant threads objective fix timeout progress",
    ),
    "find_mappings": (
        lambda m, **o: im.find_mappings(**{"kernel": KERNEL, "instruction": multiply(), **o}),
        "kernel instruction family operands partial statement",
    ),
    "fuse": (
        lambda m, **o: im.fuse(**{"kernel": KERNEL, "instruction": multiply(), "axes": {}, **o}),
        "kernel instruction axes operands partial statement",
    ),
    "prove": (lambda m, **o: im.prove(**{"mapping": m["proved"].mapping, **o}), "mapping assume"),
    "run_kernel": (
        lambda m, **o: im.run_kernel(**{"kernel": KERNEL, "arrays": {"A": A, "X": X}, **o}), "kernel arrays out sizes"
    ),
    "rounding_bound": (
        lambda m, **o: im.rounding_bound(**{"of": KERNEL, "ranges": {"A": (-1, 1), "X": (-1, 1)}, "sizes": SIZES, **o}),
        "of ranges sizes",
    ),
    "rounding_error": (lambda m, **o: im.rounding_error(**{"of": KERNEL, "arrays": {"A": A, "X": X}, **o}), "of arrays sizes"),
    "overflow": (lambda m, **o: im.overflow(**{"kernel": WHOLE, **o}), "kernel statement bits"),
    "assume": (lambda m, **o: im.assume(**{"kernel": WHOLE, "ranges": (), **o}), "kernel ranges"),
    "a call": (
        lambda m, **o: m["compiled"](**{"A": A, "X": X, **o}), "A out sizes threads check_finite check_ranges accumulate"
    ),
    "prepare": (lambda m, **o: m["compiled"].prepare(**{"A": A, "X": X, **o}), "X out sizes threads accumulate"),
    "pack": (lambda m, **o: m["constant"].pack(**{"A": A, **o}), "A sizes check_finite check_ranges"),
    "kernel": (lambda m, **o: im.kernel(**{"text": "Y[i] = X[i]", **o}), "text name dtypes sizes file"),
    "with_sizes": (lambda m, **o: KERNEL.with_sizes(**o), "sizes"),
    "with_dtypes": (lambda m, **o: KERNEL.with_dtypes(**o), "dtypes"),
    "find_kernel": (lambda m, **o: im.find_kernel(**{"spec": "gemm", **o}), "spec text sizes"),
    "find_hardware": (lambda m, **o: im.find_hardware(**o), "spec"),
    "find_instruction": (lambda m, **o: im.find_instruction(**o), "spec"),
    "find_target": (lambda m, **o: im.find_target(**o), "name"),
    "check_hardware": (
        lambda m, **o: im.check_hardware(**{"machine": "scalar", "only": "nobody", **o}), "results seed progress"
    ),
    "lower": (lambda m, **o: im.lower(**o), "schedule"),
    "build": (lambda m, **o: im.build(**o), "planned"),
    "to_text": (lambda m, **o: im.to_text(**o), "kernel"),
    "tensor": (lambda m, **o: im.tensor(**{"name": "x", **o}), "name"),
    "axes": (lambda m, **o: im.axes(**o), "names"),
    "parameter": (lambda m, **o: im.parameter(**o), "name"),
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS)
def test_it_is_right_or_refused_in_a_sentence(function: str, made: dict[str, Any]) -> None:
    call, parameters = CALLS[function]
    refused = 0
    for parameter in parameters.split():
        for odd in ODD:
            try:
                call(made, **{parameter: odd})
            except IsamapError as error:
                assert str(error).strip(), (parameter, odd)
                refused += 1
            except TypeError as error:  # of a parameter with another name here
                assert "unexpected keyword argument" not in str(error), (function, parameter)
                raise AssertionError((function, parameter, odd)) from error
    assert refused


NUMBERS_AS_FLAGS = (0, 1, None, "no", np.int64(0))


@pytest.mark.parametrize(
    ("call", "flag"),
    [
        (lambda **o: im.find_mappings(KERNEL, multiply(), **o), "partial"),
        (lambda **o: im.fuse(KERNEL, multiply(), {}, **o), "partial"),
        (lambda **o: im.build(im.plan(KERNEL, "scalar", sizes=SIZES), **o), "sanitize"),
    ],
)
def test_numbers_are_no_flags(call: Callable[..., Any], flag: str) -> None:
    for wrong in NUMBERS_AS_FLAGS:
        with pytest.raises(IsamapError) as told:
            call(**{flag: wrong})
        assert str(told.value) == f"{flag}={wrong!r} is {type(wrong).__name__}: pass True or False"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: im.find_mappings(KERNEL, multiply(), statement=1), "statement=1: must be at most 0"),
        (lambda: im.find_mappings(KERNEL, multiply(), statement=True), "statement=True is bool: pass a whole number, such as 8"),
        (lambda: im.fuse(KERNEL, multiply(), {}, statement=-1), "statement=-1: must be at least 0"),
        (lambda: im.overflow(WHOLE, 7), "statement=7: must be at most 0"),
        (lambda: im.overflow(WHOLE, bits=65), "bits=65: must be at most 64"),
        (lambda: im.plan(KERNEL, "scalar", progress=3), "progress=3 is int: pass a function, or None"),
        (lambda: im.plan(KERNEL, "scalar", family=3), "unknown family 3; known: digits, fuse"),
        (lambda: im.compile(KERNEL, "scalar", sizes=SIZES, cc=""), "cc='' is str: pass the name of a C compiler"),
        (lambda: im.compile(KERNEL, "scalar", sizes=SIZES, cc=0), "cc=0 is int: pass the name of a C compiler"),
        (lambda: im.compile(KERNEL, "scalar", sizes=SIZES, sanitize=True), "sanitize=True: the compiler's libasan must be"),
        (lambda: im.run_kernel(KERNEL, {"A": A, "X": X}, sizes=0), "sizes is int: pass names and numbers of points"),  # type: ignore[arg-type]
        (lambda: im.prove(im.fuse(KERNEL, multiply(), {}), None), "assume=None: pass ranges in text"),  # type: ignore[arg-type]
        (lambda: im.kernel("Y[i] = X[i]", dtypes=0), "dtypes=0: pass names and element types"),  # type: ignore[arg-type]
        (lambda: im.check_hardware("scalar", results=True), "results=True is bool: pass a whole number"),
    ],
)  # fmt: skip
def test_the_parameter_is_named(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(IsamapError) as told:
        call()
    assert str(told.value).startswith(said)
