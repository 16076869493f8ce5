"""The simulator runs programs of cores, too: right ones are right in every order on any machine; wrong ones told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.program import Compute, Loop, Node, Parallel
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.targets.simulate import Simulated
from tests.cli.test_engines import document
from tests.programs.loop_kinds import of_kind

SIZES = ("--sizes", "i=19,j=35,k=21")
BYTES = ("--dtypes", "A=u8,B=i8,C=i32")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("machine", "more"),
    [("avx512", ()), ("avx512", ("--threads", "2")), ("amx", BYTES), ("neon", ())],
    ids=lambda x: "-".join(x) if isinstance(x, tuple) else x,
)
def test_a_core_is_simulated(machine: str, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "run", "gemm", machine, *SIZES, *more, "--target", "simulate", "--seeds", "2")
    assert (found["target"], found["executor"]) == ("simulate", "isamap's simulator")
    assert (found["interleavings"], found["races"], found["wrong"]) == (3, [], "")
    assert found["cycles"] is found["seconds"] is found["gflops"] is None
    assert found["engines"] == {} and found["repetitions"] == 0
    assert found["exact"] if more == BYTES else found["max_error"] <= found["bound"]


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "avx2", *SIZES, "--target", "simulate", "--seeds", "1"]) == 0
    said = capsys.readouterr().out
    assert "run once by isamap's simulator\n" in said
    assert "simulated in 2 orders: no races; proved:" in said


def test_what_would_take_hours_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "avx2", "--sizes", "i=512,j=512,k=512", "--target", "simulate"]) == 3
    said = capsys.readouterr().err
    assert "gemm takes about 16,777,216 uses of instructions at these sizes" in said and "give smaller sizes" in said


def _edited(body: tuple[Node, ...], edit: Any) -> tuple[Node, ...]:
    return tuple(
        edit(replace(n, body=_edited(n.body, edit)) if hasattr(n, "body") else n)  # type: ignore[call-arg]
        for n in body
    )


def _observed(edit: Any) -> Any:
    """What the simulator says of a program that is not the one that was proved."""
    planned = im.plan("gemm", "scalar", sizes={"i": 19, "j": 35, "k": 21}, threads=2)
    wrong = replace(planned.program, body=_edited(planned.program.body, edit))
    assert wrong != planned.program
    kernel = wrong.kernel
    made = Simulated(SimpleNamespace(program=wrong, proof=planned.checked.proof))  # type: ignore[arg-type]
    return made.observe(kernel, arrays_for(kernel, 0), seeds=2)


def test_a_wrong_result_is_told() -> None:
    def less(n: Node) -> Node:
        return replace(n, count=n.count - 1) if isinstance(n, Loop) and any(_computes(x) for x in n.body) else n

    assert _observed(less).judged.reason


def test_a_race_is_told() -> None:
    def parallel(n: Node) -> Node:
        return of_kind(Parallel, n) if isinstance(n, Loop) and any(_computes(x) for x in n.body) else n

    assert "two iterations of a parallel loop touch the same element" in _observed(parallel).races[0]


def _computes(n: Node) -> bool:
    return isinstance(n, Compute) or any(map(_computes, getattr(n, "body", ())))
