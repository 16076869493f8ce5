"""What is packed outside of the loop that threads share is packed by threads, too, if it is much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.program import Loop, Node, Parallel, Program
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from tests.programs.portable import is_copy

SIZES = {"i": 96, "j": 256, "k": 144}


def planned(kernel: str, sizes: dict[str, int], **more: Any) -> im.Plan:
    return im.plan(kernel, "avx2", sizes=sizes, threads=2, strategy="exact", cost_model="analytic", **more)


def copying(nodes: tuple[Node, ...]) -> list[Parallel]:
    """Loops over threads that hold a copy and nothing else."""
    return [n for n in nodes_of(Parallel, nodes) if all(is_copy(x) for x in n.body)]


def once_per_call(sizes: dict[str, int] = SIZES) -> Program:
    """Threads share rows; B is packed before them."""
    plan = planned(
        "gemm", sizes, fix={"parallel": "i", "pack.B": "L3", "tile.j.L3": sizes["j"], "tile.k.L3": sizes["k"]}
    )
    (found,) = {p.depth for p in plan.schedule.stages if p.depth is not None}
    assert plan.schedule.parallel is not None and found <= plan.schedule.parallel
    return plan.program


def test_a_large_copy_is_shared_and_proved() -> None:
    program = once_per_call()
    (loop,) = copying(program.body)
    assert prove_program(program).proved
    assert not list(nodes_of(Loop, loop.body))


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_it_computes_the_same(threads: int) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, s).astype(np.float32) for s in ((96, 144), (144, 256)))
    np.testing.assert_array_equal(im.build(once_per_call())(A=a, B=b, threads=threads), a @ b)


def test_a_small_copy_is_not() -> None:
    assert not copying(once_per_call({"i": 96, "j": 64, "k": 48}).body)


def test_one_thread_shares_nothing() -> None:
    plan = im.plan("gemm", "avx2", sizes=SIZES, fix={"pack.B": "L3"}, strategy="exact", cost_model="analytic")
    assert not any(nodes_of(Parallel, plan.program.body))


def test_copies_of_one_thread_stay_inside_its_loop() -> None:
    plan = planned("gemm", SIZES, fix={"parallel": "j", "pack.B": "L2"})
    outer = [n for n in plan.program.body if isinstance(n, Parallel)]
    for loop in outer:
        assert not any(nodes_of(Parallel, loop.body))


def test_threads_that_fill_one_cell_are_refuted() -> None:
    """The dimension that threads share is left out of the buffer's index."""
    program = once_per_call()
    (loop,) = copying(program.body)
    (copy,) = loop.body
    assert is_copy(copy)
    wrong = replace(loop, body=(copy.placed(replace(copy.dst, index=(0 * loop.var, *copy.dst.index[1:])), copy.src),))

    def changed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            wrong if n is loop else replace(n, body=changed(n.body)) if isinstance(n, Loop) else n for n in nodes
        )

    failed = {c.claim for c in prove_program(replace(program, body=changed(program.body))).failed()}
    assert "disjoint" in failed, failed
