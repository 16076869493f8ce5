"""Schedules of real kernels: proved optimal, within bounds, as pinned, and as good as what is known to be fast."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.schedule import Schedule

sys.path.insert(0, str(Path(__file__).parent))
from machines import CONV, GEMM_NT, cube, hardware, proved, proved_bytes

CONV_SIZES = {"n": 1, "p": 56, "q": 56, "k": 64, "r": 3, "s": 3, "c": 64, "H": 56, "V": 56}


def make(sizes: dict[str, int] | None, machine: str = "avx2", **options: Any) -> Schedule:
    return im.schedule(proved(machine=machine), hardware(machine), sizes, **options)


def check(s: Schedule) -> None:
    """What every schedule must satisfy, whatever was chosen."""
    assert s.objective is not None and s.bound is not None and s.lower_bound is not None
    assert 0 < s.lower_bound <= s.objective and s.bound <= s.objective
    assert s.gap is not None and 0 <= s.gap < 1
    axes = {name: dict(levels) for name, levels in s.tiles}
    for name, levels in axes.items():
        steps = [x.step for x in s.loops if x.axis == name]
        assert all(outer % inner == 0 and outer > inner for outer, inner in pairwise(steps))
        assert levels["register"] == s.register(name)
        for loop in s.loops:
            if loop.axis == name and loop.level != "block":
                assert levels[loop.level] == loop.step
    for p in s.stages:
        assert p.depth is None or 0 <= p.depth <= s.accumulate
    if s.parallel is not None:
        assert s.parallel < s.accumulate


@pytest.mark.parametrize(("machine", "objective"), [("avx2", "latency"), ("avx512", "latency"), ("avx2", "energy")])
def test_gemm_is_solved_to_the_optimum(machine: str, objective: str) -> None:
    s = make(cube(1024), machine, objective=objective)
    check(s)
    assert (s.status, s.gap) == ("OPTIMAL", 0.0)
    assert "register tiles" in s.space and "L2" in s.space
    assert [link for link, _ in s.traffic] == ["L2->L1", "L3->L2", "DRAM->L3"]
    assert s.seconds < 60


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
def test_conv_is_solved_to_the_optimum(machine: str) -> None:
    s = im.schedule(proved(CONV, "k", machine), hardware(machine), CONV_SIZES)
    check(s)
    assert s.status == "OPTIMAL"
    assert s.objective is not None and s.lower_bound is not None and s.objective < 1.35 * s.lower_bound


def test_register_tiles_are_those_known_to_be_fast() -> None:
    # AVX2 has room for 12 accumulators beside the operands (6x16); AVX-512 for 20 to 28 (10x32 ... 14x32, 6x64).
    for machine, lanes, accumulators in (("avx2", 8, range(8, 13)), ("avx512", 16, range(20, 29))):
        s = make({"i": 1024, "j": 700, "k": 512}, machine)
        assert s.register("i") * s.register("j") // lanes in accumulators


def test_few_rows_read_the_matrix_in_place_and_many_pack_it() -> None:
    few = make({"i": 12, "j": 512, "k": 512}, "avx512")
    many = make({"i": 2048, "j": 512, "k": 512}, "avx512")
    assert few.stage("b").depth is None
    assert many.stage("b").depth is not None


def test_a_constant_operand_is_packed_ahead() -> None:
    s = make(cube(256), constant=("B",))
    assert s.stage("b").ahead and s.stage("b").depth == 0
    assert not s.stage("a").ahead
    plain = make(cube(256))
    assert s.objective is not None and plain.objective is not None and s.objective <= plain.objective


def test_what_does_not_lie_side_by_side_is_packed() -> None:
    transposed = im.schedule(proved(GEMM_NT), hardware(), cube(256))
    assert transposed.stage("b").depth is not None
    pairs = im.schedule(proved_bytes(), hardware("avx512_vnni"), cube(256))
    check(pairs)
    assert pairs.stage("b").depth is not None
    assert pairs.register("k") == 4


def test_pins_are_kept() -> None:
    pins = {"tile.k": 64, "tile.i": 48, "register.i": 6, "register.j": 16, "pack.A": "L2", "parallel": "i"}
    s = make({"i": 100, "j": 128, "k": 300}, fix=pins, threads=2)
    check(s)
    tiles = {name: dict(levels) for name, levels in s.tiles}
    assert tiles["k"]["L1"] == 64 and tiles["i"]["L3"] == 48
    assert [x.step for x in s.loops if x.axis == "k"] == [64, 1]
    assert (s.register("i"), s.register("j")) == (6, 16)
    assert s.stage("a").depth is not None
    assert s.parallel is not None and s.loops[s.parallel].axis == "i"


def test_a_pin_never_makes_it_cheaper() -> None:
    free = make(cube(256)).objective
    assert free is not None
    for pins in ({"tile.k": 32, "register.i": 4}, {"pack.A": "L2"}, {"pack.B": "no"}):
        pinned = make(cube(256), fix=pins).objective
        assert pinned is not None and pinned >= free


def test_open_sizes_stay_open_and_get_tiles() -> None:
    s = make(None)
    check(s)
    assert s.sizes == ()
    assert any("legal for every size" in n for n in s.notes)
    for axis in "ijk":
        assert any(x.axis == axis for x in s.loops)
    # Each open axis has an outermost loop, so that buffers stay within a tile for every size.
    assert {x.axis for x in s.loops if x.level == "L3"} == {"i", "j", "k"}


def test_threads_share_a_loop_with_enough_trips() -> None:
    s = make(cube(128), threads=4)
    check(s)
    assert s.parallel is not None
    loop = s.loops[s.parallel]
    assert loop.axis in "ij"
    assert -(-128 // loop.step) >= 4
    assert make(cube(128), threads=4, fix={"parallel": "no"}).parallel is None


def test_too_little_work_for_the_threads_runs_on_one() -> None:
    s = make({"i": 2, "j": 8, "k": 64}, threads=8)
    check(s)
    assert s.parallel is None
    assert "runs on one thread, which is predicted to be faster than 8" in s.notes


def test_many_open_axes_and_large_sizes_stay_within_64_bits() -> None:
    tile = {"register.q": 6, "register.k": 16, "register.n": 1, "register.p": 1}
    check(im.schedule(proved(CONV, "k"), hardware(), None, fix=tile))
    check(make(cube(20_000), fix={"register.i": 6, "register.j": 16}))
    with pytest.raises(im.IsamapError, match="more than 10\\^12 cycles"):
        make({"i": 200_000, "j": 200_000, "k": 2_000_000})


def test_the_same_call_gives_the_same_schedule() -> None:
    """Both are watched: what nobody watches is remembered (test_remembered.py)."""
    told: list[list[tuple[int, float, float]]] = [[], []]
    first, second = (make(cube(300), progress=lambda *what, to=to: to.append(what)) for to in told)
    assert told[0] and told[0] == told[1]
    assert (first.loops, first.stages, first.objective, first.bound) == (
        second.loops,
        second.stages,
        second.objective,
        second.bound,
    )


def test_one_register_tile_needs_no_loops_but_the_reduction() -> None:
    s = make({"i": 3, "j": 5, "k": 7})
    check(s)
    assert [(x.axis, x.step) for x in s.loops] == [("k", 1)] and s.accumulate == 0


def test_progress_is_told_and_an_interrupt_keeps_the_best() -> None:
    seen: list[tuple[int, float, float]] = []

    def stop(solutions: int, objective: float, bound: float) -> None:
        seen.append((solutions, objective, bound))
        raise KeyboardInterrupt

    s = make(cube(1024), progress=stop)
    check(s)
    assert seen[0][0] == 1
    assert s.status == "FEASIBLE"
    assert s.gap is not None and s.gap > 0
    assert any("interrupted" in n for n in s.notes)
    # CP-SAT may price its own first solution too high (a reuse literal left unset); the schedule's price is exact.
    assert s.objective is not None and s.objective <= seen[0][1]


def test_ctrl_c_ends_the_search_with_the_best() -> None:
    def press(solutions: int, objective: float, bound: float) -> None:
        if solutions == 1:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    s = make(cube(1024), progress=press)
    check(s)
    assert s.status == "FEASIBLE" and any("interrupted" in n for n in s.notes)


def test_ctrl_c_is_heard_after_a_plan_for_engines() -> None:
    """CP-SAT's own handler would leave the system's behind, and the next Ctrl-C would end the process without a word."""
    gemm = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", dtypes={"A": "i8", "B": "i8", "C": "i32"})
    im.stage(gemm, "gemmini")
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)


def test_a_short_limit_says_so() -> None:
    full = make(cube(1024))
    try:
        s = make(cube(1024), timeout=0.05)
    except im.IsamapError as e:
        assert "UNKNOWN" in str(e) and "ended the search" in str(e)
        return
    check(s)
    assert s.status == "FEASIBLE" and any("wall clock" in n for n in s.notes)
    assert s.objective is not None and full.objective is not None and s.objective >= full.objective


def test_importing_a_part_first_does_not_hide_the_function() -> None:
    code = (
        "import isamap_smt.scheduling.pins, isamap_smt as im\n"
        "try:\n    im.schedule(None, None)\nexcept im.IsamapError as e:\n    print(type(e).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "WrongKindError"
