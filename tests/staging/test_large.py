"""Sizes and times beyond what the solver counts in: planned with fewer tiles or coarser ticks, and timed as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engines import Shape, machine
from random_programs import by_symbol, proved_mapping

import isamap_smt as im
from isamap_smt.ir.errors import SizeError
from isamap_smt.pipeline.staged import stage
from isamap_smt.scheduling.staged_problem import EXECUTIONS, TICKS, question


@pytest.mark.parametrize("n", [2**18, 2**31])
def test_very_large_sizes_have_a_plan(n: int) -> None:
    """The bound is that of the executions; the loads take longer."""
    plan = stage("gemm", machine(Shape(each=0.5)), sizes=dict(i=n, j=n, k=n))
    s = plan.schedule
    assert plan.proof.proved and s.status == "FEASIBLE" and s.gap == pytest.approx(1 - s.bound / s.objective)
    assert s.bound == (n // 8) ** 3 * 12 < s.objective < 2 * s.bound
    assert any("fewer tiles" in text for text, _ in s.assumes)


def test_larger_sizes_are_refused() -> None:
    with pytest.raises(SizeError, match=r"size i is above 2\^31"):
        stage("gemm", machine(), sizes=dict(i=2**45, j=8, k=8))


def test_an_axis_is_shortened_where_all_executions_are_too_many() -> None:
    sizes = dict(i=2**16, j=64, k=2**20)
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(sizes.items()), Shape())
    q = question(proved.mapping, machine(), by_symbol("gemm", sizes), {})
    assert q.shortened == () and q.problem.execute * q.ticks > 0
    many = {**sizes, "j": 2**7}
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(many.items()), Shape())
    q = question(proved.mapping, machine(), by_symbol("gemm", many), {})
    tiles = [a.tiles for a in q.problem.axes]
    assert q.shortened == ("k_tile",) and tiles[0] * tiles[1] * tiles[2] <= EXECUTIONS
    assert all(a.open == (a.name in q.shortened) for a in q.problem.axes)


def test_long_uses_are_counted_in_coarser_ticks() -> None:
    """A description may say a million cycles, in thousandths: beyond 64 bits at large sizes."""
    slow = im.Work(999_999.999, 999_999.999, ("r",))
    hardware = replace(
        machine(), instructions=tuple(replace(i, work=slow) if i.name == "load" else i for i in machine().instructions)
    )
    sizes = dict(i=2**14, j=2**14, k=2**14)
    plan = stage("gemm", hardware, sizes=sizes, fix={"via.a": "gather", "via.b": "load"})
    assert plan.proof.proved and plan.schedule.bound is not None and plan.schedule.bound <= plan.cycles
    q = question(plan.proved.mapping, hardware, by_symbol("gemm", sizes), {})
    most = max(w.start + w.each * 8 for o in q.problem.stages for w in o.ways) * 2**33
    assert q.ticks < 1000 and most <= 2 * TICKS
