"""Operands that are read where they lie: how many of their rows stay, what visits cost, and what is chosen for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_encodings.schedule_cost import rows_begun
from isamap_encodings.schedule_problem import Choice
from isamap_smt.ir.schedule import Schedule
from isamap_smt.scheduling.rows import room, rows, step_cycles, visit_cycles
from isamap_smt.scheduling.space import ScheduleSpace, space

sys.path.insert(0, str(Path(__file__).parent))
from machines import hardware, proved


def make(i: int, j: int, k: int, **options: Any) -> Schedule:
    return im.schedule(proved(), hardware(), {"i": i, "j": j, "k": k}, **options)


def made(i: int, j: int, k: int, **options: Any) -> ScheduleSpace:
    return space(proved(), hardware(), {"i": i, "j": j, "k": k}, **options)


@pytest.mark.parametrize(
    ("columns", "width", "kept", "ahead"),
    # The first cache has twelve ways. A row of 1024 is a page; rows of 1760 take every other set, of 1536 every 32nd.
    [(1024, 16, 12, 12), (1760, 16, 384, 64), (1760, 32, 384, 32), (1536, 16, 24, 24)],
)
def test_rows_that_share_sets_leave_room_for_few(columns: int, width: int, kept: int, ahead: int) -> None:
    s = made(16, columns, 512)
    assert room(s.setting, s.machine, "b", (4, 1, width)) == (kept, ahead)


def test_a_visit_costs_what_the_memory_behind_it_takes() -> None:
    near, l3, memory = (made(16, 1760, k) for k in (16, 1000, 5000))
    costs = [visit_cycles(s.setting, s.machine, "b", (4, 1, 16)) for s in (near, l3, memory)]
    assert costs[0] < costs[1] < costs[2]
    narrow, wide = (visit_cycles(l3.setting, l3.machine, "b", (4, 1, w)) for w in (8, 48))
    assert narrow < costs[1] < wide < 3 * costs[1]
    small = made(8, 8, 8)
    assert visit_cycles(small.setting, small.machine, "b", (4, 1, 8)) == 0.0


def test_masks_and_addresses_cost_at_every_step() -> None:
    s = made(35, 1000, 64)
    even, cut = (step_cycles(s.setting, s.machine, "b", (4, 1, w)) for w in (8, 24))
    assert even == 0.0 and cut > 0.0
    few, many = (step_cycles(s.setting, s.machine, "a", (n, 1, 8)) for n in (6, 13))
    assert few == 0.0 and many > 0.0
    whole = made(35, 35, 64)
    assert step_cycles(whole.setting, whole.machine, "b", (2, 1, 40)) == 0.0


def test_visits_count_the_loops_around_a_row() -> None:
    """B's 1760 rows by hand: once each where a few are walked along, else once per tile of the columns and more."""
    s = made(16, 1760, 1760, fix={"register.i": 4, "register.j": 16, "pack.B": "no"})
    p = s.problem
    b = next(n for n, o in enumerate(p.operands) if o.name == "b")
    assert p.operands[b].rows == rows(s.setting, "b")
    outer = next(n for n, order in enumerate(p.orders) if order == (1, 2, 0))  # k, j, i
    inner = next(n for n, order in enumerate(p.orders) if order == (0, 2, 1))  # i, j, k

    def chosen(block: int, order: int) -> Choice:
        i = next(c for c, row in enumerate(p.axes[0].chains) if row == (4, 4, 16, 16))
        k = next(c for c, row in enumerate(p.axes[1].chains) if row == (1, block, 1760, 1760))
        j = next(c for c, row in enumerate(p.axes[2].chains) if row == (16, 16, 1760, 1760))
        return Choice(0, (i, k, j), (order, outer, outer), tuple(o.options[0] for o in p.operands))

    assert rows_begun(p, chosen(44, outer), b) == 1760  # 44 rows are in use, for all 110 tiles of the columns
    assert (
        rows_begun(p, chosen(160, outer), b) == 1760 * 110
    )  # too many to be fetched ahead, but they stay for all of i
    assert rows_begun(p, chosen(1760, inner), b) == 1760 * 110 * 4  # too many to stay: the four tiles of i come back


@pytest.mark.parametrize(("i", "columns"), [(1, 1760), (4, 1536), (16, 1760)])
def test_a_matrix_read_once_is_walked_in_few_rows(i: int, columns: int) -> None:
    s = make(i, columns, 1760)
    assert s.stage("b").depth is None
    loops = [(x.axis, x.step) for x in s.loops[: s.accumulate]]
    blocks = [step for axis, step in loops if axis == "k"]
    last = max(n for n, (axis, _) in enumerate(loops) if axis == "k")
    assert blocks and min(blocks) <= 64
    assert "j" in [axis for axis, _ in loops[last:]]
    assert columns % s.register("j") == 0


def test_rows_of_a_page_are_packed_where_they_are_used_often() -> None:
    assert make(700, 1024, 512).stage("b").depth is not None


def test_what_every_cache_holds_costs_no_traffic_from_beyond() -> None:
    small, large = made(16, 512, 512), made(1024, 4096, 4096)
    assert all(o.link[-1] == 0 for o in small.problem.operands)
    assert all(o.link[-1] > 0 for o in large.problem.operands)
    cold = made(16, 512, 512, objective="energy")
    assert all(o.link[-1] > 0 for o in cold.problem.operands)
    for s in (make(16, 512, 512), make(64, 64, 64)):
        assert s.lower_bound is not None and s.objective is not None and s.lower_bound <= s.objective
