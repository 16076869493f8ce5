"""Bars add up to what they are of: the objective, and the tiles as the cost model counts them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isamap_encodings.schedule_cost import working_set
from isamap_encodings.schedule_problem import Choice
from isamap_smt.ir.schedule import CostPart, Schedule
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.report.bars import cost_bar, memory_bars
from isamap_smt.report.page import html_report
from isamap_smt.scheduling.breakdown import EXPOSED, PACKING, READ_IN_PLACE, SHARING, SPILLS
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.problem import problem
from isamap_smt.scheduling.setting import machine, setting
from tests.report.test_page import text_of
from tests.report.test_whole import planned

NAMES = ("gemm", "conv2d", "gru", "attention.py:ATTENTION")


def large() -> Plan:
    """A product whose innermost tiles leave the first cache, and whose operand is packed."""
    return plan("gemm", "avx512", sizes=dict(i=512, j=512, k=512))


@pytest.mark.parametrize("name", NAMES)
def test_a_cost_adds_up_to_the_objective(name: str) -> None:
    for s in planned(name).schedules:
        found = cost_bar(s)
        assert found is not None and found.unit == s.unit
        assert found.total == pytest.approx(s.objective) == pytest.approx(sum(g.amount for g in found.segments))
        assert sum(g.share for g in found.segments) == pytest.approx(1)
        assert all(0 <= g.share <= 1 for g in found.overlapped)
        assert len({g.colour for g in found.segments}) == len(found.segments)
        assert {g.name for g in found.overlapped} == {p.name for p in s.costs if p.within}


def test_without_a_price_there_is_no_bar() -> None:
    made = planned("gemm")
    assert cost_bar(replace(made.schedule, costs=())) is None
    assert memory_bars(made, replace(made.schedule, tiles=())) == ()


def test_each_part_of_an_energy_has_a_colour_of_its_own() -> None:
    made = planned("gemm").schedule
    links = ("moves into registers", "L2->L1", "L3->L2", "DRAM->L3")
    every = (*links, EXPOSED, SPILLS, PACKING, READ_IN_PLACE, SHARING)
    found = cost_bar(replace(made, unit="pJ", costs=tuple(CostPart(name, 1.0) for name in every)))
    assert found is not None and len({g.colour for g in found.segments}) == len(every)


def counted(made: Plan, s: Schedule, level: int) -> int:
    """Bytes that the tiles of a level touch, by the problem that the solver was given."""
    x = setting(s.proved, made.hardware, dict(s.sizes), (), 1)
    p = problem(x, machine(made.hardware, s.proved.mapping.instruction), Pins(), False)
    points = {axis: [n for _, n in levels] for axis, levels in s.tiles}
    chains = tuple(next(n for n, c in enumerate(a.chains) if min(c[level], x.axes[d].extent) == points[a.name][level])
                   for d, a in enumerate(p.axes))  # fmt: skip
    return working_set(p, Choice(0, chains, (0,) * p.levels, (0,) * len(p.operands)), level)


@pytest.mark.parametrize("name", ["gemm", "conv2d", "large"])
def test_tiles_are_those_that_the_solver_counted(name: str) -> None:
    made = large() if name == "large" else planned(name)
    s = made.schedule
    found = memory_bars(made, s)
    assert [m.name for m in found] == ["L1", "L2", "L3"]
    for level, m in enumerate(found, 1):
        assert m.filled == counted(made, s, level)
        assert sum(g.share for g in m.segments) <= 1 and 0 < m.limit <= m.usable / m.capacity
        assert m.streamed == (m.filled > m.usable)
        assert level == 1 or not m.streamed  # of caches behind the first the model asks that tiles fit
        assert {g.name for g in m.segments} == {a.tensor for _, a in s.proved.mapping.binding}
    assert found[0].streamed == (name == "large")


def test_a_cost_of_several_threads_says_so() -> None:
    made = plan("gemm", "avx512", sizes=dict(i=512, j=512, k=512), threads=2)
    assert made.schedule is not None and made.schedule.parallel is not None
    assert f"Predicted cost: {made.schedule.objective:,.0f} cycles of all threads together" in text_of(
        html_report(made)
    )


def test_the_page_draws_them() -> None:
    made = large()
    page = html_report(made)
    told = text_of(page)
    cost = cost_bar(made.schedule)
    assert cost is not None
    for g in cost.segments:
        assert f"{g.name} {g.amount:,.0f} {100 * g.share:.1f} %" in told
    assert f"Predicted cost: {made.schedule.objective:,.0f} cycles" in told
    assert page.count('<u style="left:') == len(memory_bars(made, made.schedule)) == 3
    assert "stream through: none is counted as reused here" in told and "free " in told
    assert "beside it" not in told and "What the cost rests on" not in told
    assert f"{len(made.schedule.assumes)} assumptions of the cost model, of" in told
