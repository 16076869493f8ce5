"""Programs whose operands are converted to a wider type while they are packed, and wrong variants: values that get lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import toys
from mutants import rewritten

from isamap_smt.codegen.lower import lower
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.program import Alloc, Node, Program, Ref, copy_of
from tests.programs.portable import is_copy


def gemm(a: str = "u8", b: str = "f32", **more: Any) -> Program:
    """Both operands packed for an instruction of f32, whatever the tensors hold."""
    m = toys.mapping(toys.gemm(a, b), toys.FMA, {"l": ("j",)})
    return lower(toys.schedule(m, "j:16 k:3 i:6 j:8 i:2 k:1", 5, {"i": 2, "j": 8}, {"a": 3, "b": 2}, **more))


def ahead() -> Program:
    """Weights of 8 bits, converted before the calls; A of 16."""
    m = toys.mapping(toys.gemm("bf16", "i8"), toys.FMA, {"l": ("j",)})
    return lower(toys.schedule(m, "i:2 j:4 k:1", 2, {"i": 2, "j": 4}, {"a": 1, "b": "ahead"}))


ORIGINALS: dict[str, Callable[[], Program]] = {
    "bytes": gemm,
    "bytes in threads": lambda: gemm(parallel=0),
    "ahead": ahead,
}


def _retyped(program: Program, buffer: str, kind: str) -> Program:
    def f(n: Node) -> Any:
        if isinstance(n, Alloc) and n.buffer.name == buffer:
            return (Alloc(replace(n.buffer, dtype=dtype(kind))),)

    return rewritten(program, f)


def _through(kind: str) -> Program:
    """A is copied to a buffer of that type first, and from there to the one that the instruction reads."""

    def f(n: Node) -> Any:
        if isinstance(n, Alloc) and n.buffer.name == "A_packed":
            return (Alloc(replace(n.buffer, name="A_first", dtype=dtype(kind))), n)
        if is_copy(n) and n.dst.name == "A_packed":
            cells = tuple(c for c, _ in n.over)
            source, target = (t.dtype for t in reversed(n.instruction.kernel.tensors))
            again = copy_of(n.dst, Ref("A_first", cells), n.over, (), "", dtypes=(dtype(kind), target))
            first = copy_of(Ref("A_first", n.dst.index), n.src, n.over, n.where, n.fill, dtypes=(source, dtype(kind)))
            return (replace(first, form=n.form), again)

    return rewritten(gemm(), f)


def through_signed_bytes() -> Program:
    """u8 becomes i8 on the way: 128 and more turn negative."""
    return _through("i8")


def through_halves() -> Program:
    """u8 becomes i16 on the way, where nothing is lost: this one is right."""
    return _through("i16")


def packed_as_signed_bytes() -> Program:
    """The packed buffer itself is of another type than the instruction reads."""
    return _retyped(gemm(), "A_packed", "i8")


# wrong variant -> a claim that must fail
TRAPS: dict[str, tuple[Callable[[], Program], str]] = {
    "through_signed_bytes": (through_signed_bytes, "program"),
    "packed_as_signed_bytes": (packed_as_signed_bytes, "program"),
}
