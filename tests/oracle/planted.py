"""Faults to put into a worker's isamap, each in another stage: the fuzzer must find every one."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from typing import Any


def less_is_at_most() -> None:
    """The language reads `<` in a guard as `<=`: interpreter and program agree, and both are wrong."""
    import ast

    import sympy as sp

    from isamap_smt.language import indices

    indices._RELATIONS[ast.Lt] = sp.Le


def begins_at_zero() -> None:
    """The interpreter starts a maximum at 0."""
    from isamap_smt.ir import interpret

    old = interpret.neutral
    interpret.neutral = lambda op, kind: 0 if op == "max" else old(op, kind)


def prints_another_sum() -> None:
    """The C of a multiply-add adds one more: what is printed is not what was proved."""
    _change_source(lambda c: c.replace("(int32_t)((uint32_t)", "(int32_t)(1 + (uint32_t)"))


def forgets_the_last_turn() -> None:
    """Loops of five time steps stop one early."""
    _change_source(lambda c: re.sub(r"(for \(int64_t (\w+) = 0; \2 <) 5;", r"\1 4;", c))


def folds_onto_one_row() -> None:
    """Rows of a temporary of which each iteration has a block all lie in the first of them."""
    from dataclasses import replace

    from isamap_smt.ir.folds import _Block

    old = _Block.place

    def onto_one(self: Any, ref: Any) -> Any:
        found, at = old(self, ref), {d for d, _ in self.begins}
        return replace(found, index=tuple(i * 0 if d in at else i for d, i in enumerate(found.index)))

    _Block.place = onto_one  # type: ignore[method-assign]


def masks_a_lane_more() -> None:
    """Masks that the C computes have one lane more."""
    _change_source(lambda c: c.replace(")((1u << (", ")((1u << (1 + "))


def conditions_are_strict() -> None:
    """Tests of the C that hold at their boundary do not hold there."""
    _change_source(lambda c: re.sub(r"(\bif \([^;{]*?)( <= )", r"\1 < ", c))


def writes_beside() -> None:
    """The call writes the byte behind the 48 of the first tensor."""
    end = "    return isamap_result;\n}"
    before, after = "int isamap_run(", end.replace("return", "((char *)isamap_tensors[0])[48] = 1;\n    return")
    _change_source(lambda c: c.partition(before)[0] + before + c.partition(before)[2].replace(end, after, 1))


def falls_over() -> None:
    """The call ends the process."""
    from isamap_smt.runtime.compiled import Call

    def run(self: Any) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    Call.run = run  # type: ignore[method-assign]


def _change_source(change: Callable[[str], str]) -> None:
    from isamap_smt.runtime import compiled as build

    old = build.build_library

    def build_library(source: str, *args: Any, **options: Any) -> Any:
        return old(change(source), *args, **options)

    build.build_library = build_library


PLANTED: dict[str, Callable[[], None]] = {
    f.__name__: f
    for f in (
        less_is_at_most,
        begins_at_zero,
        prints_another_sum,
        forgets_the_last_turn,
        folds_onto_one_row,
        masks_a_lane_more,
        conditions_are_strict,
        writes_beside,
        falls_over,
    )
}
