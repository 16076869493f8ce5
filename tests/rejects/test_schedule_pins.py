"""A pinned decision that is impossible, or means nothing, is refused with its reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.pipeline.problems import nothing_scheduled

sys.path.insert(0, str(Path(__file__).parent.parent / "schedule"))
from machines import GEMM_NT, cube, hardware, proved


@pytest.mark.parametrize(
    ("pins", "text"),
    [
        ({"tile.kk": 64}, "cannot fix axis 'kk': there is no such axis; did you mean k?"),
        ({"tile.k.L4": 64}, "no cache 'L4' to tile for; did you mean"),
        ({"tile.k": 0}, "tile.k=0: must be at least 1"),
        ({"tile.k": 9999999999999}, "tile.k=9999999999999: must be at most 2147483648"),
        ({"tile.k": "many"}, "tile.k=many: must be a number of points"),
        ({"tiles.k": 64}, "cannot fix 'tiles.k'; did you mean tile?"),
        ({"onlin.k": 64}, "cannot fix 'onlin.k'; did you mean online?"),
        ({"fold.k": 64}, "digits, online, pack, pad, parallel, prefetch, register, share, split"),
        (
            {"online.k": 64},
            "cannot fix 'online.k' of one schedule: it is about the kernel, and im.plan() and --fix take it",
        ),
        ({"register.i": 20}, "fits: the smallest needs 22 registers, avx2.fmadd_ps has 16"),
        ({"register.j": 12}, "register.j=12: must be a multiple of the instruction's 8 points"),
        ({"register.k": 2}, "register.k=2: k is a reduction axis; its register tile is 1"),
        ({"tile.i": 64, "register.i": 6}, "no tiles of i satisfy tile.i.L3=64"),
        ({"pack.D": "L2"}, "no input operand 'D'"),
        ({"pack.B": "L9"}, "pack.B=L9: did you mean"),
        ({"pack.B": "ahead"}, "B is not declared constant"),
        ({"tile.k": 1024, "tile.i.L2": 1024, "tile.j.L2": 1024}, "some tile does not fit its cache (INFEASIBLE)"),
    ],
)
def test_impossible_pins(pins: dict[str, Any], text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        im.schedule(proved(), hardware(), cube(1024), fix=pins)
    assert text in str(caught.value)


@pytest.mark.parametrize("points", [2**31, 2**31 - 1])
def test_a_large_tile_is_answered_at_once(points: int) -> None:
    """Its divisors are not looked for one by one."""
    assert im.schedule(proved(), hardware(), fix={"tile.k": points}, timeout=5).status == "OPTIMAL"


def test_in_place_is_refused_where_lanes_are_apart() -> None:
    with pytest.raises(ScheduleError, match=r"pack.B=no: B must be packed, because neighbours along j are K elements"):
        im.schedule(proved(GEMM_NT), hardware(), None, fix={"pack.B": "no"})


def test_threads_cannot_share_a_reduction() -> None:
    with pytest.raises(ScheduleError, match="parallel=k: k is a reduction axis"):
        im.schedule(proved(), hardware(), cube(64), fix={"parallel": "k"}, threads=2)


def test_too_few_trips_for_the_threads() -> None:
    with pytest.raises(ScheduleError, match="or no loop has 8 trips for 8 threads"):
        im.schedule(proved(), hardware(), {"i": 2, "j": 8, "k": 64}, fix={"parallel": "i"}, threads=8)


@pytest.mark.parametrize(
    ("pins", "text"),
    [
        ({"register.q": 3}, "cannot fix axis 'q': there is no such axis; known: i, j, k"),
        ({"tile.k": 0}, "tile.k=0: must be at least 1"),
        ({"share.zz": 8}, "share.zz=8: blocks are of several statements that have schedules, and of gemm only one has"),
    ],
)
def test_what_all_mappings_have_in_common_is_said_once(pins: dict[str, Any], text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        im.plan("gemm", "host", fix=pins)
    assert str(caught.value) == text


def test_pins_of_what_has_no_schedule() -> None:
    """They are named, with why there is none."""
    kernel = im.kernel("X: [V]\nY[i] = X[D[i]]", dtypes={"D": "i32", "X": "f64", "Y": "f64"})
    with pytest.raises(ScheduleError) as caught:
        im.plan(kernel, "avx2", fix={"register.zz": 8})
    assert str(caught.value) == (
        "kernel: an index of statement 1 is data, and X is f64, and tables in registers are here f32, i32, i8, u8; so "
        "there is no schedule of which register.zz=8 could decide anything: leave it out"
    )


def test_what_some_mappings_have_in_common_is_said_once() -> None:
    found = nothing_scheduled(
        [("l=j", "A is too large; pack it"), ("l=i", "B lies apart"), ("l=k", "A is too large; or not")]
    )
    assert str(found).splitlines() == [
        "no mapping could be scheduled:",
        "  l=j and 1 more: A is too large; pack it",
        "  l=i: B lies apart",
    ]
