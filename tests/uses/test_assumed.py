"""What a program assumes of sizes can hold, and executors refuse calls of which it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
import outer_product as outer
import pytest
import sympy as sp
import use_edits as edits
from vector_tile import gemm as tile

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.errors import ArgumentError, AssumedError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hypotheses import Finite, Fits, Range, Relation, Start, Stated
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import Loop, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.simulator.run import run_program
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini.here import build_here
from isamap_smt.targets.gemmini.target import GemminiKernel
from isamap_smt.targets.vta import build_here as build_stream
from isamap_smt.targets.vta.target import VtaKernel

PRODUCT = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", dtypes={"A": "i8", "B": "i8", "C": "i32"}, name="product")
PACKED = im.kernel(
    "temporary T\nT[i,jo,o] += i32(A[i,ko,c]) * i32(B[jo,ko,o,c])\nC[i,jo,o] = i8(T[i,jo,o] >> 7)",
    dtypes={"T": "i32", "A": "i8", "B": "i8", "C": "i8"}, sizes={"o": 16, "c": 16}, name="packed",
)  # fmt: skip


@cache
def core() -> Program:
    return im.plan("gemm", "scalar").program


def short(program: Program) -> Program:
    """Each loop ends one iteration early: wrong at every size."""

    def nodes(body: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(replace(n, count=n.count - 1, body=nodes(n.body)) if isinstance(n, Loop) else n for n in body)

    return replace(program, body=nodes(program.body))


@pytest.mark.parametrize("make", [outer.gemm, tile, core], ids=["engines", "one engine", "a core"])
def test_nothing_follows_from_a_contradiction(make: Callable[[], Program]) -> None:
    """A program that is wrong at every size, under assumptions that no size meets, alone and with what is known anyway."""
    program = make()
    size = program.kernel.free_sizes[0]
    for texts in (
        (f"{size} >= 5", f"4 >= {size}"),
        (f"0 >= {size}",),
        (f"{size} >= {size} + 1",),
        (f"{size} % 8 == 9",),
    ):
        failed = prove_program(
            replace(short(program), hypotheses=(*program.hypotheses, *map(Relation.of, texts)))
        ).failed()
        found = [c for c in failed if c.claim == "hypotheses" and c.verdict.word == "refuted"]
        assert any("some sizes meet all that the program assumes" in c.statement for c in found), failed


def test_what_some_sizes_meet_may_be_assumed() -> None:
    program = replace(outer.gemm(), hypotheses=(Relation.of("I >= 1000"), Relation.of("J % 8 == 0")))
    assert prove_program(program).proved


@pytest.mark.parametrize(
    "odd",
    ["W is finite", Stated("sums are rounded somehow"), Finite("D"), Start("A", 0), Range("A", 0, cast(Any, "1")), Fits(sym("I")),
     Relation(Condition(sym("I"), ">=", sp.Float(1.5)))],
    ids=str,
)  # fmt: skip
def test_what_no_call_can_be_asked_for_is_assumed_by_no_program(odd: Any) -> None:
    (failed,) = prove_program(replace(outer.gemm(), hypotheses=(odd,))).failed()
    assert failed.verdict.word == "unknown" and "which no call can be asked for" in str(failed.verdict)


def _operands(kernel: im.Kernel, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    whole = kernel.with_sizes(sizes)
    return {
        n: random.integers(-8, 8, [int(e) for e in whole.tensor(n).shape]).astype(whole.tensor(n).dtype.numpy)
        for n in whole.inputs
    }


def _of_gemmini(program: Program) -> Any:
    made = im.stage(PRODUCT, isamap_hardware.load("gemmini"))
    source = find_target("gemmini").emit(made)["program.c"]
    return GemminiKernel(replace(made.program, hypotheses=program.hypotheses), build_here(source), "here")


def _of_vta(program: Program) -> Any:
    made = im.stage(PACKED, isamap_hardware.load("vta"))
    source = find_target("vta").emit(made)["program.c"]
    return VtaKernel(replace(made.program, hypotheses=program.hypotheses), build_stream(source))


EXECUTORS: dict[str, tuple[im.Kernel, dict[str, int], Callable[[Program, dict[str, np.ndarray]], Any]]] = {
    "simulate": (im.kernel("C[i,j] += A[k,i] * B[k,j]", name="gemm"), dict(i=5, j=6, k=7),
                 lambda p, a: simulate(replace(outer.gemm(), hypotheses=p.hypotheses), a).outputs["C"]),
    "a core": (im.find_kernel("gemm"), dict(i=5, j=6, k=7),
               lambda p, a: run_program(replace(core(), hypotheses=p.hypotheses), a).outputs["C"]),
    "gemmini": (PRODUCT, dict(i=5, j=6, k=7), lambda p, a: _of_gemmini(p)(**a)),
    "vta": (PACKED, dict(i=5, jo=2, ko=2), lambda p, a: _of_vta(p)(**a)),
}  # fmt: skip


@pytest.mark.parametrize("name", EXECUTORS)
def test_a_call_that_is_assumed_away_is_refused(name: str) -> None:
    """By size and by element, with the assumption named; what meets it runs."""
    kernel, sizes, run = EXECUTORS[name]
    arrays = _operands(kernel, sizes)
    for h, text in (
        (Relation.of("I >= 1000"), "I >= 1000"), (Relation.of("I % 8 == 0"), "I % 8 == 0"), (Range("A", 0, 1), "0 <= A <= 1")
    ):  # fmt: skip
        with pytest.raises((AssumedError, ArgumentError), match=text):
            run(replace(outer.gemm(), hypotheses=(h,)), arrays)
    met = replace(outer.gemm(), hypotheses=(Relation.of("I >= 5"), Range("A", -8, 8)))
    assert np.array_equal(run(met, arrays), run_kernel(kernel, arrays)["C"])


def test_no_nan_lies_in_a_range() -> None:
    kernel, sizes, run = EXECUTORS["a core"]
    arrays, ranged = _operands(kernel, sizes), replace(core(), hypotheses=(Range("A", -8, 8),))
    run(ranged, arrays)
    arrays["A"][1, 2] = np.nan
    with pytest.raises(AssumedError, match="-8 <= A <= 8"):
        run(ranged, arrays)


def test_what_is_assumed_may_be_needed() -> None:
    """Two tiles of rows are enough where there are no more rows; a call with more is refused."""
    program = edits.loops(outer.gemm(), lambda x: replace(x, end=2) if x.var.name == "i0" else x)
    assert prove_program(program).word == "refuted"
    few = replace(program, hypotheses=(Relation.of("16 >= I"),))
    assert prove_program(few).proved
    kernel, sizes, run = EXECUTORS["simulate"]
    with pytest.raises(AssumedError, match="16 >= I"):
        simulate(few, _operands(kernel, sizes | {"i": 17}))
    assert run(few, _operands(kernel, sizes | {"i": 16})).shape == (16, 6)
