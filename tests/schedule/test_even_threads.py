"""The loop that threads share is priced: by the work of the thread with most of it, and by how often threads are started."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import pytest

import isamap_smt as im
from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_model import solve
from isamap_encodings.schedule_problem import (
    Choice,
    Component,
    Part,
    RegisterTile,
    ScheduleProblem,
    TileAxis,
    TileOperand,
)
from isamap_encodings.schedule_sharing import trips, uneven
from isamap_smt.codegen.nest import build_nest
from isamap_smt.scheduling import solved
from isamap_smt.scheduling.figures import FARTHEST, core_model
from isamap_smt.scheduling.setting import UNIT
from isamap_smt.scheduling.space import space
from tests.schedule.exhaustive import every_choice

START, COMPUTE = 1000, 64_000
CORE = core_model(FARTHEST)
EVEN, CUT = CORE.even, CORE.cut
ONE_TRIP_EACH = COMPUTE // EVEN * (EVEN + 7)  # what the faster threads wait for the slowest, with nothing to help with


def proved() -> im.ProvedMapping:
    found = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(found, im.ProvedMapping)
    return found


def small(*axes: TileAxis, threads: int = 2, parallelizable: tuple[bool, ...] = (True, True)) -> ScheduleProblem:
    """Axes i, j and k (a reduction) of one cache, in which nothing costs anything but computing and starting threads."""
    parts = {d: Component((d,), ((Part(d, 1, 1, a.extent),),)) for d, a in enumerate(axes)}
    out = TileOperand("C", 4, True, tuple(p for d, p in parts.items() if not axes[d].reduction), (0,), (0,))
    tile = RegisterTile(tuple(a.chains[0][0] for a in axes), COMPUTE, 0, (0,))
    everything = tuple(range(len(axes)))
    orders = (everything, everything[::-1])
    return ScheduleProblem(CORE, axes, (out,), (tile,), (1 << 30,), orders, True, parallelizable, threads, START)


@pytest.mark.parametrize(
    ("extent", "chain", "threads", "share"),
    [
        (64, (1, 2), 2, EVEN),  # 16 trips for each thread, in chunks of two
        (16, (1, 2), 2, ceil(EVEN + EVEN * (8 - 4) / 128 / 4)),  # four trips, in chunks of one
        (4, (1, 2), 2, ceil(EVEN + EVEN * (8 - 1) / 128)),  # one trip
        (10, (1, 2), 2, ceil(EVEN * 6 * 2 / 10 * (1 + (8 - 3) / 128 / 3))),  # five trips: three and two
        (10, (1, 2), 3, ceil(EVEN * 4 * 3 / 10 * (1 + (8 - 2) / 128 / 2))),  # two, two and one
        (3, (1, 2), 2, ceil(EVEN * 2 * 2 / 3 * (1 + 7 / 128))),  # two trips, but of two rows and of one
        (3, (2, 2), 2, ceil(EVEN * (1 + 7 / 128))),  # the tail is a whole register tile
        (8, (1, 4), 3, None),  # two trips for three threads
    ],
)
def test_unevenness_is_the_work_of_the_busiest_thread(
    extent: int, chain: tuple[int, int], threads: int, share: int | None
) -> None:
    problem = small(TileAxis("i", extent, False, (chain,)), threads=threads, parallelizable=(True,))
    assert uneven(problem, 0, (1, 0)) == share


def test_parts_of_rows_are_dearer_than_rows() -> None:
    i, j = (TileAxis(n, 64, False, ((1, 1),)) for n in "ij")
    rows, parts = (
        evaluate(small(i, j, parallelizable=(d == 0, d == 1)), Choice(0, (0, 0), (0,), (0,))) for d in (0, 1)
    )
    assert rows is not None and parts is not None
    assert rows.total - 2 * START == COMPUTE  # i stands outside: one start
    problem = replace(small(i, j), cutting=frozenset({1}))
    chosen = evaluate(problem, Choice(0, (0, 0), (0,), (0,)))
    assert chosen is not None and chosen.shared == (1, 0)
    assert uneven(problem, 0, (1, 1)) == EVEN + CUT and uneven(problem, 0, (1, 0)) == EVEN


def test_rows_of_the_output_are_along_its_outermost_axis() -> None:
    avx2 = im.find_hardware("avx2")
    many = space(proved(), avx2, {"i": 700, "j": 1024, "k": 512}, threads=2).problem
    one = space(proved(), avx2, {"i": 1, "j": 1024, "k": 512}, threads=2).problem
    names = [a.name for a in many.axes]
    assert many.cutting == {names.index("j")} and one.cutting == {names.index("i")}


def test_threads_start_once_for_each_trip_around_the_loop() -> None:
    """j shared alone is even and started four times where i stands outside; i costs a third more work, and waiting."""
    i, j = TileAxis("i", 4, False, ((1, 1),)), TileAxis("j", 6, False, ((1, 2),))
    shares = {order: evaluate(small(i, j, threads=3), Choice(0, (0, 0), (order,), (0,))) for order in (0, 1)}
    outside, inside = shares[1], shares[0]
    assert outside is not None and (outside.shared, outside.total) == ((1, 1), ONE_TRIP_EACH + 3 * START)
    assert inside is not None and (inside.shared, inside.total) == ((1, 1), ONE_TRIP_EACH + 4 * 3 * START)
    dear = evaluate(replace(small(i, j, threads=3), start=10 * START), Choice(0, (0, 0), (0,), (0,)))
    assert dear is not None and (dear.shared, dear.total) == ((1, 0), COMPUTE // EVEN * 197 + 3 * 10 * START)


def test_a_reduction_is_not_shared() -> None:
    i, k = TileAxis("i", 2, False, ((1, 2), (1, 1))), TileAxis("k", 64, True, ((1, 1), (1, 16)))
    for threads, shareable in ((2, True), (3, False)):
        problem = small(i, k, threads=threads, parallelizable=(True, False))
        costs = [evaluate(problem, c) for c in every_choice(problem)]
        assert {c.shared for c in costs if c} == ({(1, 0)} if shareable else set())
        assert solve(problem, 10.0).status == ("OPTIMAL" if shareable else "INFEASIBLE")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    "sizes", [{"i": 16, "j": 1760, "k": 1760}, {"i": 64, "j": 96, "k": 64}, {"i": 256, "j": 256, "k": 256}]
)
def test_no_thread_waits_long(sizes: dict[str, int], threads: int) -> None:
    where, answer = solved(space(proved(), im.find_hardware("avx2"), sizes, threads=threads), 30.0)
    assert answer.choice is not None and answer.cost is not None and answer.cost.shared is not None
    block, d = answer.cost.shared
    share = uneven(where.problem, answer.choice.chains[d], (block, d))
    assert block == where.problem.levels and share is not None and share <= 1.1 * EVEN
    made = where.answered(answer)
    assert made.parallel is not None and made.loops[made.parallel].axis == where.problem.axes[d].name
    count = trips(where.problem, answer.choice.chains[d], block, d)
    assert int(build_nest(made).loops[made.parallel].count) == count


def test_all_of_the_price_is_in_cycles_of_all_threads() -> None:
    sizes, avx2 = {"i": 64, "j": 96, "k": 64}, im.find_hardware("avx2")
    where, answer = solved(space(proved(), avx2, sizes, threads=2), 30.0)
    made = where.answered(answer)
    assert answer.choice is not None and made.objective is not None and made.bound == made.objective
    elapsed = where.elapsed(answer.choice)
    assert elapsed is not None and made.objective == 2 * elapsed
    alone = im.schedule(proved(), avx2, sizes)
    assert alone.objective is not None
    assert made.objective >= alone.objective + 2 * where.problem.start / UNIT


def test_where_no_outermost_loop_has_a_trip_for_each_thread_an_inner_one_is_shared() -> None:
    pins = {"register.i": 4, "tile.i.L3": 64, "tile.j.L3": 16}
    where = space(proved(), im.find_hardware("avx2"), {"i": 64, "j": 16, "k": 1024}, threads=2, fix=pins)
    found, answer = solved(where, 30.0)
    assert found.problem.inner and found.problem.parallelizable
    assert answer.cost is not None and answer.cost.shared is not None and answer.cost.shared[0] < where.problem.levels
    made = found.answered(answer)
    assert made.parallel is not None and made.loops[made.parallel].axis == "i"


@pytest.mark.parametrize("threads", [2, 3])
def test_one_thread_does_what_starting_others_would_not_shorten(threads: int) -> None:
    """Beside the work, starts cost 1000 for each thread: parts of 1000 are no sooner done, those of 64,000 are."""
    i = TileAxis("i", 4 * threads, False, ((1, 1),))
    for compute, alone in ((1_000, True), (COMPUTE, False)):
        plain = small(i, threads=threads, parallelizable=(True,))
        tiles = tuple(replace(r, compute=compute) for r in plain.registers)
        must, may = (
            evaluate(replace(plain, registers=tiles, or_alone=x), Choice(0, (0,), (0,), (0,))) for x in (False, True)
        )
        assert must is not None and may is not None and must.shared == (1, 0)
        assert (may.shared is None, may.total) == (alone, threads * compute if alone else must.total)
        found = solve(replace(plain, registers=tiles, or_alone=True), 10.0)
        assert found.cost == may


def test_open_sizes_and_pins_are_shared() -> None:
    """Work that is not known may be long, and who asks for a loop gets it."""
    avx2, sizes = im.find_hardware("avx2"), {"i": 8, "j": 8, "k": 8}
    alone, pinned = (im.schedule(proved(), avx2, sizes, threads=2, fix=fix) for fix in ({}, {"parallel": "i"}))
    assert alone.parallel is None and pinned.parallel is not None
    assert any("runs on one thread, which is predicted to be faster than 2" in n for n in alone.notes)
    assert im.schedule(proved(), avx2, {}, threads=2).parallel is not None


def test_where_nothing_can_be_shared_all_threads_but_one_are_idle() -> None:
    sizes, avx2 = {"i": 1, "j": 8, "k": 64}, im.find_hardware("avx2")
    made, alone = im.schedule(proved(), avx2, sizes, threads=2), im.schedule(proved(), avx2, sizes)
    assert made.parallel is None and any("runs on one thread" in note for note in made.notes)
    assert alone.objective is not None and made.objective == 2 * alone.objective
