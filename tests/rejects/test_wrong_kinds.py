"""A value of another kind than a stage takes is named, with what to pass instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError

GEMM, FMA = im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: im.fuse("C[i] += A[i]", FMA, "l=i"),  # type: ignore[arg-type]
            "fuse() takes Kernel, not str: pass isamap_smt.kernel('C[i] += A[i]') or isamap_smt.find_kernel('gemm')",
        ),
        (
            lambda: im.fuse(GEMM, "avx2.fmadd_ps", "l=j"),  # type: ignore[arg-type]
            "fuse() takes Instruction, not str: pass isamap_smt.find_instruction('avx2.fmadd_ps')",
        ),
        (
            lambda: im.find_mappings("gemm", FMA),  # type: ignore[arg-type]
            "find_mappings() takes Kernel, not str: pass isamap_smt.kernel",
        ),
        (
            lambda: im.schedule(None, "avx2"),  # type: ignore[arg-type]
            "schedule() takes Hardware, not str: pass isamap_smt.find_hardware('host')",
        ),
        (
            lambda: im.lower(None),  # type: ignore[arg-type]
            "lower() takes Schedule, not NoneType: pass what isamap_smt.schedule() returns",
        ),
        (
            lambda: im.require_proof(None),  # type: ignore[arg-type]
            "prove_program() takes Program, not NoneType: pass what isamap_smt.lower() returns",
        ),
        (
            lambda: im.run_kernel("gemm", {}),  # type: ignore[arg-type]
            "run_kernel() takes Kernel, not str: pass isamap_smt.kernel",
        ),
        (
            lambda: im.check_hardware(None),  # type: ignore[arg-type]
            "find_hardware() takes str, not NoneType: pass a name such as 'host', or 'file.py:name'",
        ),
        (lambda: im.fuse(GEMM, FMA, 7), "axes=7: pass text such as 'i=n.p,j=k', or {'i':"),  # type: ignore[arg-type]
        (lambda: im.fuse(GEMM, FMA, {"l": 5}), "axes={'l': 5}: pass text such as"),  # type: ignore[dict-item]
        (lambda: im.fuse(GEMM, FMA, {"l": "j"}), "axes={'l': 'j'}: pass text such as"),
        (lambda: im.fuse(GEMM, FMA, "l=j", 7), "operands=7: pass 'fixed', 'any', text"),  # type: ignore[arg-type]
        (
            lambda: im.check_certificate(5),  # type: ignore[arg-type]
            "check_certificate() takes MappingSet, not int: pass what isamap_smt.find_mappings() returns",
        ),
        (
            lambda: im.compile(GEMM, "scalar", sizes={"i": 4, "j": 4, "k": 4}, cc=4),
            "cc=4 is int: pass the name of a C compiler",
        ),
        (lambda: im.Rule("r", 5, 6), "rule 'r': 5 is int, and rules are text"),  # type: ignore[arg-type]
        (
            lambda: im.compile("C[i] += A[i]", "host"),
            "'C[i] += A[i]' is the text of a kernel: pass isamap_smt.kernel(text), or --text to a command",
        ),
    ],
)
def test_the_kind_is_named(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(IsamapError) as caught:
        call()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: im.find_kernel(3), "find_kernel() takes str, not int: pass a name"),  # type: ignore[arg-type]
        (lambda: im.find_instruction(None), "find_instruction() takes str, not NoneType"),  # type: ignore[arg-type]
        (lambda: im.to_text(3), "to_text() takes Kernel, not int"),  # type: ignore[arg-type]
        (lambda: im.rounding_error(3, {}), "rounding_error() takes Program, not int: pass a kernel, a plan"),
        (lambda: im.rounding_bound(GEMM, [(-1, 1)]), "rounding_bound() takes Mapping, not list"),  # type: ignore[arg-type]
        (lambda: im.run_instruction(GEMM, {}), "run_instruction() takes Instruction, not Kernel"),  # type: ignore[arg-type]
        (lambda: im.overflow(3), "overflow() takes Kernel, not int"),  # type: ignore[arg-type]
        (lambda: im.simulate(GEMM, {}), "simulate() takes Program, not Kernel"),  # type: ignore[arg-type]
        (lambda: im.assume(3, "A <= 1"), "assume() takes Kernel, not int"),  # type: ignore[arg-type]
        (lambda: im.assume(GEMM, 3), "assume=3: pass ranges in text"),  # type: ignore[arg-type]
        (lambda: im.axes(3), "axes() takes str, not int"),  # type: ignore[arg-type]
        (lambda: im.tensor(3), "tensor() takes str, not int"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_other_values_than_each_function_takes(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(IsamapError) as told:
        call()
    assert str(told.value).startswith(text)


def test_one_range_is_one_text() -> None:
    bytes_ = im.kernel("y[i] = x[i]", dtypes={"x": "u8", "y": "u8"})
    assert im.assume(bytes_, "x <= 9") == im.assume(bytes_, ["x <= 9"])
