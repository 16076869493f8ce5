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
