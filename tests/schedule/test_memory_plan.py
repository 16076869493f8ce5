"""One memory for buffers of different times: no two overlap, no plan is smaller than the bound, and small ones are the least."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.scheduling import memory

Buffers = list[tuple[int, int, int]]


def painted(buffers: Buffers, plan: im.MemoryPlan) -> None:
    """Each buffer writes its number into its cells at each time that it is alive; none finds another one's."""
    assert plan.offsets is not None and plan.peak is not None
    times = sorted({t for b in buffers for t in b[:2]})
    memory = np.full((len(times), max(plan.peak, 1)), -1)
    for n, ((begin, end, size), offset) in enumerate(zip(buffers, plan.offsets, strict=True)):
        cells = memory[times.index(begin) : times.index(end), offset : offset + size]
        assert cells.shape[1] == size or begin == end
        assert (cells == -1).all(), n
        cells[...] = n


def least(buffers: Buffers) -> int:
    """The least peak, by all orders in which each buffer takes the lowest place that is left.

    One of them is best: take the buffers of any plan from its lowest offset up. Where one lay stays free, so that none lies higher.
    """
    return min(lowest(list(order)) for order in permutations(buffers))


def lowest(order: Buffers) -> int:
    """The peak of the buffers, each in turn at the first offset where it overlaps none of those before."""
    placed: list[tuple[int, int, int, int]] = []
    for begin, end, size in order:
        beside = [(low, high) for b, e, low, high in placed if b < end and begin < e]
        at = min(o for o in (0, *(high for _, high in beside)) if all(o >= h or o + size <= x for x, h in beside))
        placed.append((begin, end, at, at + size))
    return max((high for *_, high in placed), default=0)


def cut(count: int, seed: int, height: int = 1024) -> Buffers:
    """Buffers that fill a memory of this height at every time: a rectangle, cut again and again."""
    draw = random.Random(seed)
    pieces = [(0, 4 * count, 0, height)]
    while len(pieces) < count:
        begin, end, low, high = pieces.pop(max(range(len(pieces)), key=lambda n: draw.random() * _area(pieces[n])))
        if draw.random() < 0.5 and end - begin > 1:
            at = draw.randrange(begin + 1, end)
            pieces += [(begin, at, low, high), (at, end, low, high)]
        elif high - low > 1:
            at = draw.randrange(low + 1, high)
            pieces += [(begin, end, low, at), (begin, end, at, high)]
        else:
            pieces.append((begin, end, low, high))
    draw.shuffle(pieces)
    return [(begin, end, high - low) for begin, end, low, high in pieces]


def _area(piece: tuple[int, int, int, int]) -> int:
    return (piece[1] - piece[0]) * (piece[3] - piece[2])


SMALL = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 3), st.integers(1, 3)).map(lambda b: (b[0], b[0] + b[1], b[2])),
    min_size=1,
    max_size=5,
)


@given(SMALL)
def test_a_small_plan_is_the_least_there_is(buffers: Buffers) -> None:
    plan = im.plan_memory(buffers, alignment=1)
    painted(buffers, plan)
    assert (plan.status, plan.peak) == ("OPTIMAL", least(buffers))
    assert plan.bound == plan.peak and plan.gap == 0


@given(SMALL, st.integers(0, 9))
def test_a_capacity_is_kept_or_nothing_fits(buffers: Buffers, capacity: int) -> None:
    plan, needed = im.plan_memory(buffers, capacity, alignment=1), least(buffers)
    if needed > capacity:
        assert plan == im.MemoryPlan(None, None, plan.bound, "INFEASIBLE") and capacity < plan.bound <= needed
    else:
        painted(buffers, plan)
        assert plan.peak is not None and plan.bound <= needed <= plan.peak <= capacity


def test_the_load_is_no_peak_that_every_memory_reaches() -> None:
    """That nothing fits the load is shown by CP-SAT, and by trying everything."""
    buffers = [(4, 6, 1), (3, 6, 1), (6, 9, 3), (5, 8, 3), (1, 4, 3), (2, 3, 3), (3, 5, 2)]
    plan = im.plan_memory(buffers, alignment=1)
    held = max(sum(s for b, e, s in buffers if b <= t < e) for t, *_ in buffers)
    assert plan.status == "OPTIMAL" and plan.peak == plan.bound == least(buffers) == held + 1
    assert im.plan_memory(buffers, held, alignment=1).status == "INFEASIBLE"


@pytest.mark.parametrize("count, seed", [(80, 0), (80, 1), (80, 2), (300, 3), (600, 4), (1000, 8)])
def test_a_memory_that_is_full_at_all_times_is_filled(count: int, seed: int) -> None:
    buffers = cut(count, seed)
    random.Random(0).shuffle(buffers)
    plan = im.plan_memory(buffers, alignment=1, timeout=60)
    painted(buffers, plan)
    assert (plan.peak, plan.status) == (1024, "OPTIMAL")
    assert im.plan_memory(buffers, 1023, alignment=1).status == "INFEASIBLE"


def test_a_memory_that_is_full_but_for_one_buffer_is_no_wall() -> None:
    """What is tried for full memories alone says nothing of others, nor of full ones that have no plan."""
    buffers = cut(80, 1)[1:]
    painted(buffers, im.plan_memory(buffers, alignment=1, timeout=5))
    twisted = [
        (4, 6, 1),
        (3, 6, 1),
        (6, 9, 3),
        (5, 8, 3),
        (1, 4, 3),
        (2, 3, 3),
        (3, 5, 2),
        (0, 1, 6),
        (1, 2, 3),
        (8, 9, 3),
    ]
    twisted += [(4, 5, 2), (5, 6, 1)]
    assert {sum(size for b, e, size in twisted if b <= t < e) for t in range(9)} == {6}
    plan = im.plan_memory(twisted, alignment=1)
    painted(twisted, plan)
    assert plan.peak is not None and plan.peak >= plan.bound > 6


def test_the_same_buffers_get_the_same_plan() -> None:
    buffers = cut(60, 7)
    assert im.plan_memory(buffers, alignment=1) == im.plan_memory(buffers, alignment=1)


def test_offsets_are_aligned_and_sizes_count_as_multiples() -> None:
    buffers = [(0, 2, 100), (1, 3, 1), (0, 3, 64), (2, 9, 0)]
    plan = im.plan_memory(buffers)
    painted(buffers, plan)
    assert plan.offsets is not None and all(o % 64 == 0 for o in plan.offsets)
    assert plan.peak == 256 and plan.offsets[3] == 0
    assert im.plan_memory(buffers, 256).status == "OPTIMAL"
    assert im.plan_memory(buffers, 255).status == "INFEASIBLE"


def test_nothing_takes_nothing() -> None:
    assert im.plan_memory([]) == im.MemoryPlan((), 0, 0, "OPTIMAL")
    assert im.plan_memory([(0, 1, 0)], 0).peak == 0


def test_the_time_limit_ends_it_with_a_plan() -> None:
    plan = im.plan_memory(cut(400, 1, 1 << 20), alignment=1, timeout=0.2)
    assert plan.status in ("OPTIMAL", "FEASIBLE") and plan.peak is not None and plan.peak >= plan.bound == 1 << 20


@pytest.mark.parametrize(
    ("buffers", "options", "said"),
    [
        (3, {}, "buffers is int: pass (begin, end, size) of each buffer"),
        ([(0, 1)], {}, "buffers[0] is tuple: pass (begin, end, size)"),
        ([(0, 1, 2), "abcd"], {}, "buffers[1] is str: pass (begin, end, size)"),
        ([(0, 1, 2), 7], {}, "buffers[1] is int: pass (begin, end, size)"),
        (["abc"], {}, "buffers[0] begin='a' is str: pass a whole number, such as 8"),
        ([(2, 1, 4)], {}, "buffers[0] is alive from 2 to before 1: end must be above begin"),
        ([(1, 1, 4)], {}, "buffers[0] is alive from 1 to before 1: end must be above begin"),
        ([(0, 1.5, 4)], {}, "buffers[0] end=1.5 is float: pass a whole number, such as 8"),
        ([(0, 1, float("nan"))], {}, "buffers[0] size=nan is float: pass a whole number, such as 8"),
        ([(0, True, 4)], {}, "buffers[0] end=True is bool: pass a whole number, such as 8"),
        ([(0, 1, -4)], {}, "buffers[0] size=-4: must be at least 0"),
        ([(0, 1, 2**70)], {}, "buffers[0] size=1180591620717411303424: must be at most 9007199254740992"),
        ([(0, 1, 10**5000)], {}, "buffers[0] size is a number of 16610 bits: must be at most 9007199254740992"),
        ([(-(10**5000), 1, 4)], {}, "buffers[0] begin is a number of 16610 bits: must be at least -9007199254740992"),
        (
            [(0, 1, 2**52), (2, 3, 2**52 + 1)],
            {},
            "buffers: their sizes, rounded up to 64, add up to more than 2^53 bytes",
        ),
        ([(0, 1, 4)], {"alignment": 0}, "alignment=0: must be at least 1"),
        ([(0, 1, 4)], {"alignment": 48}, "alignment=48: must be a power of two"),
        ([(0, 1, 4)], {"capacity": -1}, "capacity=-1: must be at least 0"),
        ([(0, 1, 4)], {"capacity": 2.5}, "capacity=2.5 is float: pass a whole number, such as 8"),
        ([(0, 1, 4)], {"timeout": -1}, "timeout=-1: must be more than 0 seconds"),
    ],
)
def test_what_is_wrong_is_said(buffers: Buffers, options: dict[str, int], said: str) -> None:
    with pytest.raises(ScheduleError) as error:
        im.plan_memory(buffers, **options)
    assert str(error.value) == said


def test_numbers_of_numpy_are_numbers() -> None:
    assert im.plan_memory(np.array([(0, 3, 64), (2, 4, 1)])).peak == 128


def test_one_buffer_lies_at_zero() -> None:
    assert im.plan_memory([(-7, 2**50, 65)]) == im.MemoryPlan((0,), 128, 128, "OPTIMAL")


def test_buffers_of_the_same_interval_stand_on_each_other() -> None:
    plan = im.plan_memory([(3, 5, 64)] * 40)
    assert plan.offsets is not None and sorted(plan.offsets) == list(range(0, 40 * 64, 64)) and plan.status == "OPTIMAL"


@pytest.mark.parametrize("buffers", [[(n, 1200 - n, 3) for n in range(600)], [(n, n + 90, 3) for n in range(600)]])
def test_many_buffers_of_deep_nests_and_long_chains(buffers: Buffers) -> None:
    plan = im.plan_memory(buffers, alignment=1)
    painted(buffers, plan)
    assert plan.status == "OPTIMAL"


def test_a_capacity_takes_the_first_plan_within_it() -> None:
    buffers = cut(80, 1)
    plan = im.plan_memory(buffers, 4096, alignment=1)
    painted(buffers, plan)
    assert plan.status == "FEASIBLE" and plan.bound == 1024 < (plan.peak or 0) <= 4096
    assert "no plan; any takes at least 1,024 bytes" in str(im.plan_memory(buffers, 1000, alignment=1))


def test_a_search_that_ends_early_is_no_proof() -> None:
    """Nothing fits the load, which takes a search to show: with no time for it the plan is neither optimal nor refused."""
    buffers = [(begin, end, 1 << 10 | size) for begin, end, size in cut(300, 2, 1 << 16)]
    plan = im.plan_memory(buffers, alignment=1, timeout=0.3)
    painted([(b, e, s) for b, e, s in buffers], plan)
    assert plan.peak is not None and (plan.status == "OPTIMAL") == (plan.peak == plan.bound)
    assert im.plan_memory(buffers, plan.bound, alignment=1, timeout=0.01).status in ("UNKNOWN", "INFEASIBLE", "OPTIMAL")


@pytest.mark.parametrize(
    "buffers, search", [(cut(80, 1), "tiled"), (sorted(cut(80, 1), key=lambda b: b[2])[1:], "fit")]
)
def test_ctrl_c_ends_it_with_the_best_plan(buffers: Buffers, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"isamap_smt.scheduling.memory.{search}", pressed)
    plan = im.plan_memory(buffers, alignment=1)
    painted(buffers, plan)
    assert plan.status == "FEASIBLE" and plan.bound == 1024
    assert im.plan_memory(buffers, 1024, alignment=1) == im.MemoryPlan(None, None, 1024, "UNKNOWN")


@pytest.mark.parametrize("wrong", [lambda o: -1, lambda o: max(0, o - 1), lambda o: 0, lambda o: o // 2])
def test_a_wrong_plan_is_not_handed_out(wrong: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    lowest = memory._lowest
    monkeypatch.setattr(memory, "_lowest", lambda *a: [wrong(o) for o in lowest(*a)])
    with pytest.raises(ValueError, match="the memory plan"):
        im.plan_memory([(0, 2, 64), (1, 3, 64), (2, 4, 64), (1, 4, 32)], 256, alignment=2)
