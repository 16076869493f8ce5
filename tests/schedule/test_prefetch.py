"""How far ahead a packed operand is prefetched: as calibrated or pinned, only where it streams, and without effect on values."""

from __future__ import annotations

import re

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.instruction import Cost
from isamap_smt.scheduling import schedule
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.record import from_record, to_record

pytestmark = pytest.mark.needs("avx2", "fma")
LARGE = {"i": 96, "j": 512, "k": 1024}
SMALL = {"i": 32, "j": 32, "k": 32}
HELPS = tuple((memory, 4, bytes_, 0.5 + bytes_ / 8192) for memory in ("L2", "L3", "DRAM") for bytes_ in (512, 1024))


@pytest.fixture(scope="module")
def proved() -> im.ProvedMapping:
    return im.plan("gemm", "host", sizes=SMALL, instruction="avx2.fmadd_ps", cost_model="analytic").schedule.proved


def distances(proved: im.ProvedMapping, sizes: dict[str, int], ahead: tuple, **fix: object) -> tuple[int, int, str]:
    """Of A and of B, and the notes; A is broadcast and B is packed."""
    pins = {"register.i": 6, "register.j": 16, "pack.A": "no", "pack.B": "L2", **fix}
    made = schedule(proved, im.find_hardware("host"), sizes, fix=pins, figures=figures(ahead))
    by_operand = [p.prefetch for p in made.packing]
    return by_operand[0], by_operand[1], "; ".join(made.notes)


def figures(ahead: tuple) -> Figures:
    return Figures("a test", costs=(("avx2.fmadd_ps", Cost(4.0, 2.0)),), ahead=ahead)


def test_the_fastest_distance_is_taken_where_the_operand_streams(proved: im.ProvedMapping) -> None:
    a, b, told = distances(proved, LARGE, HELPS)
    assert (a, b) == (0, 512)
    assert re.search(
        r"B is prefetched 512 bytes ahead: its loads \(94% L2, .*\) were measured to take 56% of the time", told
    )


def test_there_is_none_where_nothing_was_measured_or_nothing_helps(proved: im.ProvedMapping) -> None:
    assert distances(proved, LARGE, ())[1] == 0
    assert distances(proved, LARGE, tuple((*row, 0.99) for *row, _ in HELPS))[1] == 0
    assert distances(proved, LARGE, tuple(x for x in HELPS if x[0] == "DRAM"))[1] == 0


def test_as_many_rows_or_the_next_fewer_count(proved: im.ProvedMapping) -> None:
    more = tuple((memory, 8, distance, distance / 10_000) for memory, _, distance, _ in HELPS)
    fewer = tuple((memory, 1, distance, 1 - distance / 2048) for memory, _, distance, _ in HELPS)
    assert distances(proved, LARGE, (*fewer, *HELPS, *more))[1] == 512
    assert distances(proved, LARGE, more)[1] == 0


def test_weights_come_from_the_memory_that_keeps_them_between_calls(proved: im.ProvedMapping) -> None:
    far = tuple(x for x in HELPS if x[0] == "DRAM")
    packed = {"pack.B": "ahead", "register.i": 4, "register.j": 24}
    made = [
        schedule(proved, im.find_hardware("avx2"), sizes, fix=packed, constant=["B"], figures=figures(far))
        for sizes in ({"i": 4, "j": 240, "k": 240}, {"i": 4, "j": 7680, "k": 7680})
    ]
    assert [x.packing_of("b").prefetch for x in made] == [0, 512]


def test_there_is_none_for_what_the_first_cache_holds(proved: im.ProvedMapping) -> None:
    assert distances(proved, SMALL, HELPS)[1] == 0


def test_a_pin_decides_and_says_what_it_cannot_do(proved: im.ProvedMapping) -> None:
    assert distances(proved, SMALL, HELPS, **{"prefetch.B": 4096})[1] == 4096
    assert distances(proved, LARGE, HELPS, **{"prefetch.B": "no"})[1] == 0
    with pytest.raises(ScheduleError, match=r"prefetch.A=512: A is not read as whole vectors of a packed buffer"):
        distances(proved, LARGE, HELPS, **{"prefetch.A": 512})
    with pytest.raises(ScheduleError, match=r"prefetch.B=far: must be a number of bytes"):
        distances(proved, LARGE, HELPS, **{"prefetch.B": "far"})


def test_one_line_is_asked_for_once_and_the_result_is_the_same() -> None:
    sizes, fix = {"i": 50, "j": 40, "k": 300}, {"register.i": 6, "register.j": 16, "pack.B": "L2"}
    plain = im.compile("gemm", "host", sizes=sizes, fix=fix, instruction="avx2.fmadd_ps", strategy="exact")
    asked = {**fix, "prefetch.B": 1024}
    ahead = im.compile("gemm", "host", sizes=sizes, fix=asked, instruction="avx2.fmadd_ps", strategy="exact")
    assert "__builtin_prefetch" not in plain.source
    # Two vectors of 32 bytes are one line.
    assert ahead.source.count("__builtin_prefetch") == 1 and ahead.source.count("+ 1024));") == 1
    random = np.random.default_rng(0)
    arrays = {"A": random.random((50, 300), np.float32), "B": random.random((300, 40), np.float32)}
    assert np.array_equal(plain(**arrays), ahead(**arrays))


def test_a_record_keeps_the_distance_and_is_as_before_without_one(proved: im.ProvedMapping) -> None:
    fix = {"register.i": 6, "register.j": 16, "pack.B": "L2"}
    made = schedule(proved, im.find_hardware("host"), LARGE, figures=figures(HELPS), fix=fix)
    record = to_record(made)
    again = from_record(record, proved.mapping.kernel, im.find_hardware("host"), made.sizes)
    assert again is not None and again.packing == made.packing and made.packing_of("b").prefetch
    plain = to_record(schedule(proved, im.find_hardware("host"), LARGE, fix=fix))
    assert all("prefetch" not in row for row in plain["packing"])


def test_several_threads_want_more_of_it(proved: im.ProvedMapping) -> None:
    ahead = tuple((memory, 1, 512, 0.96) for memory in ("L2", "L3", "DRAM"))
    fix = {"register.i": 6, "register.j": 16, "pack.B": "ahead"}
    made = [
        schedule(
            proved, im.find_hardware("avx2"), LARGE, fix=fix, constant=["B"], figures=figures(ahead), threads=threads
        )
        for threads in (1, 2)
    ]
    assert [x.packing_of("b").prefetch for x in made] == [512, 0]
