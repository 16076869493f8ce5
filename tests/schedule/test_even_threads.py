"""Threads share an outermost loop evenly where there is one, and any loop where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_smt as im
from isamap_encodings.schedule_cost import shared, trips
from isamap_smt.codegen.nest import build_nest
from isamap_smt.scheduling import solved
from isamap_smt.scheduling.space import space


def proved() -> im.ProvedMapping:
    found = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(found, im.ProvedMapping)
    return found


def parallel_trips(schedule: im.Schedule) -> tuple[int, int]:
    """Position of the loop that threads share, and its trips."""
    assert schedule.parallel is not None
    return schedule.parallel, int(build_nest(schedule).loops[schedule.parallel].count)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("sizes", [{"i": 16, "j": 1760, "k": 1760}, {"i": 64, "j": 96, "k": 64}])
def test_no_thread_waits_long(sizes: dict[str, int], threads: int) -> None:
    chosen = im.schedule(proved(), im.find_hardware("avx2"), sizes, threads=threads)
    _, count = parallel_trips(chosen)
    assert -count % threads <= (count + -count % threads) / 6


def test_where_nothing_is_even_the_loop_is_shared_all_the_same() -> None:
    """Three rows, one by one, for two threads, and one vector of columns: 2 + 1."""
    where = space(proved(), im.find_hardware("avx2"), {"i": 3, "j": 8, "k": 64}, threads=2, fix={"tile.i": 1})
    assert where.problem.evenly
    found, answer = solved(where, 30.0)
    assert not found.problem.evenly and found.problem.spread
    assert answer.choice is not None
    assert parallel_trips(found.answered(answer))[1] == 3


def test_even_is_asked_of_the_outermost_block_alone() -> None:
    where = space(proved(), im.find_hardware("avx2"), {"i": 16, "j": 1760, "k": 1760}, threads=2)
    problem, levels = where.problem, where.problem.levels
    some = [(c, u) for c in range(len(problem.axes[0].chains)) for u in range(1, levels + 1)]
    even = {(c, u) for c, u in some if shared(problem, c, u, 0)}
    assert even
    assert even == {(c, levels) for c, u in some if u == levels and _idle(trips(problem, c, u, 0)) <= 1 / 6}
    loose = replace(problem, evenly=False)
    assert {(c, u) for c, u in some if shared(loose, c, u, 0)} == {x for x in some if trips(problem, *x, 0) >= 2}


def _idle(count: int) -> float:
    """The share of two threads' time in which one of them waits; 1 where there is not a trip for each."""
    return 1.0 if count < 2 else (count % 2) / (count + count % 2)
