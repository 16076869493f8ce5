"""How far ahead a packed operand is prefetched: as calibrated or pinned, only where it streams, and without effect on values."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.certificates import check_directory, save
from isamap_smt.cli.plan_view import packing_words
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.instruction import Cost
from isamap_smt.ir.schedule import Schedule
from isamap_smt.scheduling import schedule
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.record import from_record, to_record
from isamap_smt.scheduling.space import space
from isamap_smt.tuning.points import Space

pytestmark = pytest.mark.needs("avx2", "fma")
LARGE = {"i": 96, "j": 512, "k": 1024}
SMALL = {"i": 32, "j": 32, "k": 32}
HELPS = tuple((memory, 4, bytes_, 0.5 + bytes_ / 8192) for memory in ("L2", "L3", "DRAM") for bytes_ in (512, 1024))


@pytest.fixture(scope="module")
def proved() -> im.ProvedMapping:
    return im.plan("gemm", "host", sizes=SMALL, instruction="avx2.fmadd_ps", cost_model="analytic").schedule.proved


def distances(proved: im.ProvedMapping, sizes: dict[str, int], ahead: tuple, **fix: object) -> tuple[int, int, str]:
    """Of A and of B, and the notes; A is broadcast and B is packed."""
    pins = {"register.i": 6, "register.j": 16, "pack.A": "no", "pack.B": "ahead", **fix}
    made = schedule(proved, im.find_hardware("avx2"), sizes, fix=pins, constant=["B"], figures=figures(ahead))
    by_operand = [p.prefetch for p in made.stages]
    return by_operand[0], by_operand[1], "; ".join(made.notes)


def figures(ahead: tuple) -> Figures:
    return Figures("a test", costs=(("avx2.fmadd_ps", Cost(4.0, 2.0)),), prefetching=ahead)


def test_the_fastest_distance_is_taken_where_the_operand_streams(proved: im.ProvedMapping) -> None:
    a, b, told = distances(proved, LARGE, HELPS)
    assert (a, b) == (0, 512)
    assert re.search(
        r"B is prefetched 512 bytes ahead: its loads \(94% L2, 3% L3, 3% DRAM\) were measured to take 56% of the time",
        told,
    )


def test_there_is_none_where_nothing_was_measured_or_nothing_helps(proved: im.ProvedMapping) -> None:
    assert distances(proved, LARGE, ())[1] == 0
    assert distances(proved, LARGE, tuple((*row, 0.99) for *row, _ in HELPS))[1] == 0
    assert distances(proved, LARGE, tuple((*row, 0.9) for *row, _ in HELPS if row[0] == "DRAM"))[1] == 0


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
    assert [x.stage("b").prefetch for x in made] == [0, 512]


def test_there_is_none_for_what_the_first_cache_holds(proved: im.ProvedMapping) -> None:
    assert distances(proved, SMALL, HELPS)[1] == 0


def test_there_is_none_for_what_each_call_packs(proved: im.ProvedMapping) -> None:
    fix = {"register.i": 6, "register.j": 16, "pack.B": "L2"}
    made = schedule(proved, im.find_hardware("host"), LARGE, fix=fix, figures=figures(HELPS))
    assert [p.prefetch for p in made.stages] == [0, 0]


def test_a_pin_decides_and_says_what_it_cannot_do(proved: im.ProvedMapping) -> None:
    assert distances(proved, SMALL, HELPS, **{"prefetch.B": 4096})[1] == 4096
    assert distances(proved, LARGE, HELPS, **{"prefetch.B": "no"})[1] == 0
    with pytest.raises(ScheduleError, match=r"prefetch.A=512: only vectors .* and A is not loaded as whole vectors"):
        distances(proved, LARGE, HELPS, **{"prefetch.A": 512, "pack.A": "L2"})
    assert distances(proved, LARGE, (), **{"prefetch.B": 512, "pack.B": "no"})[1] == 512
    with pytest.raises(ScheduleError, match=r"prefetch.B=far: must be a number of bytes"):
        distances(proved, LARGE, HELPS, **{"prefetch.B": "far"})


def in_place(proved: im.ProvedMapping, sizes: dict[str, int], cycles: dict[int, float], **fix: object) -> Schedule:
    """B is read across its rows; cycles: for a line so many pieces ahead, from L3 and memory. From L2 nothing is gained."""
    far = tuple((memory, 4, pieces, c) for memory in ("L3", "DRAM") for pieces, c in cycles.items())
    near = tuple(("L2", 4, pieces, 6.0) for pieces in cycles)
    told = Figures("a test", costs=(("avx2.fmadd_ps", Cost(4.0, 2.0)),), across=(*near, *far))
    pins = {"register.i": 4, "register.j": 16, "pack.B": "no", "tile.k.L1": 44, **fix}
    return schedule(proved, im.find_hardware("avx2"), sizes, fix=pins, figures=told)


def test_rows_that_are_read_across_are_prefetched_pieces_ahead(proved: im.ProvedMapping) -> None:
    far, near = {"i": 4, "j": 1760, "k": 1760}, {"i": 4, "j": 160, "k": 88}
    made = in_place(proved, far, {0: 30.0, 1: 14.0, 2: 12.0, 4: 15.0})
    assert made.stage("b").depth is None and made.stage("b").prefetch == 2 * 64
    assert str(made.stage("b")) == "the tensor, in place, prefetched 128 bytes ahead"
    assert any("B is prefetched 128 bytes ahead: its loads (50% L3, 50% DRAM)" in n for n in made.notes)
    assert in_place(proved, far, {0: 14.0, 1: 13.0, 2: 12.5, 4: 15.0}).stage("b").prefetch == 0
    assert in_place(proved, near, {0: 30.0, 1: 14.0, 2: 12.0, 4: 15.0}).stage("b").prefetch == 0
    assert in_place(proved, far, {}).stage("b").prefetch == 0


def test_in_place_each_line_is_asked_for_once_and_the_result_is_the_same() -> None:
    sizes = {"i": 8, "j": 96, "k": 300}
    fix = {"register.i": 4, "register.j": 16, "pack.B": "no"}
    plain, ahead = (
        im.compile(
            "gemm", "avx2", sizes=sizes, fix={**fix, "prefetch.B": distance}, strategy="exact", cost_model="analytic"
        )
        for distance in ("no", 128)
    )
    assert "__builtin_prefetch" not in plain.source
    assert ahead.source.count("__builtin_prefetch") == 1 and ahead.source.count("+ 128));") == 1
    numbers = np.random.default_rng(0)
    arrays = {"A": numbers.random((8, 300), np.float32), "B": numbers.random((300, 96), np.float32)}
    assert np.array_equal(plain(**arrays), ahead(**arrays))


def test_one_line_is_asked_for_once_and_the_result_is_the_same() -> None:
    sizes, fix = {"i": 50, "j": 40, "k": 300}, {"register.i": 6, "register.j": 16, "pack.B": "L2"}
    plain = im.compile("gemm", "host", sizes=sizes, fix=fix, instruction="avx2.fmadd_ps", strategy="exact")
    asked = {**fix, "prefetch.B": 1024}
    ahead = im.compile("gemm", "host", sizes=sizes, fix=asked, instruction="avx2.fmadd_ps", strategy="exact")
    assert "__builtin_prefetch" not in plain.source
    # Two vectors of 32 bytes are one line.
    assert ahead.source.count("__builtin_prefetch") == 1 and ahead.source.count("+ 1024));") == 1
    numbers = np.random.default_rng(0)
    arrays = {"A": numbers.random((50, 300), np.float32), "B": numbers.random((300, 40), np.float32)}
    assert np.array_equal(plain(**arrays), ahead(**arrays))


def test_a_record_keeps_the_distance_and_is_as_before_without_one(proved: im.ProvedMapping) -> None:
    fix = {"register.i": 6, "register.j": 16}
    made = schedule(proved, im.find_hardware("host"), LARGE, figures=figures(HELPS), fix=fix, constant=["B"])
    record = to_record(made)
    again = from_record(record, proved.mapping.kernel, im.find_hardware("host"), made.sizes)
    assert again is not None and again.stages == made.stages and made.stage("b").prefetch
    plain = to_record(schedule(proved, im.find_hardware("host"), LARGE, fix=fix, constant=["B"]))
    assert all("prefetch" not in row for row in plain["packing"])


def test_several_threads_want_more_of_it(proved: im.ProvedMapping) -> None:
    ahead = tuple((memory, 1, 512, 0.96) for memory in ("L2", "L3", "DRAM"))
    fix = {"register.i": 6, "register.j": 16, "pack.A": "no", "pack.B": "ahead"}
    made = [
        schedule(
            proved, im.find_hardware("avx2"), LARGE, fix=fix, constant=["B"], figures=figures(ahead), threads=threads
        )
        for threads in (1, 2)
    ]
    assert [x.stage("b").prefetch for x in made] == [512, 0]


def test_a_pin_holds_however_the_operand_is_read() -> None:
    fix = {"prefetch.B": 1024}
    small = im.plan("gemm", "avx2", sizes=SMALL, fix=fix, cost_model="analytic", strategy="exact").schedule
    assert small.stage("b").prefetch == 1024
    where = space(small.proved, im.find_hardware("avx2"), LARGE, fix=fix)
    points = Space((where,))
    drawn = [points.draw(random.Random(seed)) for seed in range(20)]
    assert {points.schedule(p).stage("b").prefetch for p in drawn if p} == {1024}


def test_what_is_broadcast_in_groups_is_not_prefetched() -> None:
    kernel = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    sizes, constant = {"i": 512, "j": 512, "k": 2048}, ["A", "B"]
    plain = im.plan(kernel, "avx2", sizes=sizes, instruction="madd_u8i8", cost_model="analytic", strategy="exact")
    told = Figures("a test", costs=(("avx2.madd_u8i8", Cost(4.0, 1.0)),), prefetching=HELPS)
    made = schedule(plain.schedule.proved, im.find_hardware("avx2"), sizes, constant=constant, figures=told)
    assert made.stage("a").prefetch == 0 and made.stage("b").prefetch > 0
    assert not any("A is prefetched" in note for note in made.notes)


def test_a_certificate_keeps_it(tmp_path: Path) -> None:
    fix = {"pack.B": "L2", "prefetch.B": 1024}
    made = im.plan("gemm", "avx2", sizes=SMALL, fix=fix, cost_model="analytic", strategy="exact")
    folder = save(made.proved, tmp_path, schedule=made.schedule)
    assert "the line 1024 bytes ahead" in (folder / "program.txt").read_text()
    (checked,) = check_directory(tmp_path, jobs=1)
    assert checked.status == "ok", checked.told


def test_the_command_line_tells_it() -> None:
    fix = {"pack.B": "L2", "prefetch.B": 1024}
    made = im.plan("gemm", "avx2", sizes=SMALL, fix=fix, cost_model="analytic", strategy="exact").schedule
    assert packing_words(made, "b").endswith(", prefetched 1024 bytes ahead")


def test_a_tensor_may_have_the_name_of_a_type_that_the_c_uses() -> None:
    kernel = im.kernel("C[i,j] += A[i,k]*uintptr_t[k,j]")
    fix = {"pack.uintptr_t": "L2", "prefetch.uintptr_t": 1024}
    built = im.compile(kernel, "avx2", sizes=SMALL, fix=fix, cost_model="analytic", strategy="exact")
    ones = np.ones((32, 32), np.float32)
    assert np.array_equal(built(ones, ones), 32 * ones)
