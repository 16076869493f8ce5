"""A calibration measures this machine, comes back as it was, is refused elsewhere, and prices schedules."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Cost
from isamap_smt.machine_model.calibrate import calibrate
from isamap_smt.machine_model.calibration import KIND, Calibration, calibration_path, identity, load, save
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.pipeline.plan import plan
from isamap_smt.records.record import for_people, sealed
from isamap_smt.report.roofline import roofline_position
from isamap_smt.runtime.measure import Measured
from isamap_smt.scheduling.figures import FARTHEST, NEAREST

SIZES = {"i": 64, "j": 64, "k": 64}


@pytest.fixture(scope="module")
def host() -> Hardware:
    """This machine with two of its instructions, so that measuring is quick."""
    machine = im.find_hardware("host")
    computes = [i for i in machine.computes if i.short in ("fmadd_ps", "muladd_f32")]
    moves = [i for i in machine.moves if not i.cells_needed]  # tiles need a configuration
    return replace(machine, instructions=(*computes, *moves))


@pytest.fixture(scope="module")
def taken(host: Hardware) -> Calibration:
    told: list[float] = []
    found = calibrate(host, progress=lambda fraction, text: told.append(fraction), rounds=1)
    assert told[0] == 0.0 and told[-1] == 1.0 and told == sorted(told)
    return found


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    return tmp_path


def decisions(planned: im.Plan) -> tuple[object, ...]:
    """What was decided, and at which price."""
    s = planned.schedule
    return s.loops, s.registers, s.stages, s.parallel, s.objective, s.notes


def test_what_is_measured_is_possible(taken: Calibration, host: Hardware) -> None:
    assert 0.3 < taken.clock < 8 and taken.seconds < 300  # 10 on a machine with nothing else to do
    costs = dict(taken.instructions)
    assert set(costs) == {i.name for i in host.computes}
    # No core starts more than four vector operations a cycle, and none multiplies and adds in one.
    assert all(0.02 < c.per_cycle < 4.5 and 1.5 < c.latency < 100 for c in costs.values())
    near, far = taken.stream("L1"), taken.stream("DRAM")
    assert near is not None and far is not None
    # More than two loads, or two stores, of a whole register a cycle would have been left out by the compiler.
    assert far.read < near.read < 3.5 * near.width and near.write < 2.5 * near.width
    # Asking for a line is one instruction beside twenty others.
    assert {a.memory for a in taken.ahead} == {s.memory for s in taken.streams} - {"L1"}
    assert all(a.distance >= 64 and 0.2 < a.time < 3 for a in taken.ahead)
    assert NEAREST <= taken.near <= FARTHEST
    assert {b.width for b in taken.beside} == {s.width for s in taken.streams}
    assert all(0.5 < b.loads < 5 and 0 <= b.far_row < 5 for b in taken.beside)
    assert {p.memory for p in taken.across} == {a.memory for a in taken.ahead}
    assert all(0.5 < p.cycles < 1000 for p in taken.across) and {p.ahead for p in taken.across} == {0, 1, 2, 4}
    waits = dict(taken.latencies)
    assert 2 < waits["L1"] <= waits["L2"] <= waits["DRAM"] < 5000  # on a busy machine two may be one
    assert far.working_set > 4 * near.working_set
    assert taken.start_threads == 0 or taken.start_threads > 300  # no line goes from core to core and back sooner


def test_copies_of_rows_are_priced_as_the_first_cache_copies(taken: Calibration, host: Hardware) -> None:
    near = taken.stream("L1")
    assert near is not None
    fast, slow = (replace(taken, streams=(replace(near, copy=rate),)).figures(host).pack_rows for rate in (64.0, 4.0))
    assert fast == 2 / 64 and slow == 1 / 8  # never dearer than without a calibration
    assert 0 < taken.figures(host).pack_rows <= 1 / 8


def test_it_comes_back_as_it_was(taken: Calibration, cache: Path) -> None:
    assert load() is None
    assert save(taken) == calibration_path()
    assert load() == taken
    assert [p.name for p in cache.glob("*calibration*")] == ["calibration.json"]


def test_a_place_that_is_taken_is_refused_before_measuring(
    taken: Calibration, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration_path().mkdir()
    started = time.monotonic()
    assert run(["calibrate"]) == 3
    assert time.monotonic() - started < 1.0  # it measures for longer than that
    said = f"cannot write the calibration to {calibration_path()}: a directory of that name is there; set ISAMAP_CACHE"
    assert capsys.readouterr().err == f"error: {said}\n"
    with pytest.raises(CalibrationError, match="a directory of that name is there"):
        save(taken)
    assert {p.name for p in cache.iterdir()} <= {"build", "calibration.json"}


def test_another_machine_is_refused_with_a_sentence(taken: Calibration, cache: Path) -> None:
    save(replace(taken, machine=replace(taken.machine, processor="A Slower One", cores=64)))
    with pytest.raises(
        CalibrationError, match=r"was taken on another machine \(A Slower One, 64 cores.*run `isamap cal"
    ):
        load()
    noted = plan("gemm", "host", sizes=SIZES)
    assert any("another machine" in n and "description is used instead" in n for n in noted.notes)
    assert decisions(noted) == decisions(plan("gemm", "host", sizes=SIZES, cost_model="analytic"))


def test_a_process_with_fewer_cores_is_on_the_same_machine(taken: Calibration, cache: Path) -> None:
    four = replace(taken, machine=replace(taken.machine, cores=4))
    save(four)
    for cores in (1, 4):
        assert load(here=replace(four.machine, cores=cores)) == four
    with pytest.raises(CalibrationError, match="was taken on another machine"):
        load(here=replace(four.machine, cores=5))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda d: {**d, "format": "isamap calibration 99"}, "is of version 99, and this isamap reads version 5"),
        (lambda d: {**d, "format": 5}, "is foreign: its format is '5', not 'isamap calibration 5'"),
        (
            lambda d: {"kind": "isamap calibration", "version": 4, **d, "format": None},
            "is of version 4, and this isamap",
        ),
        (lambda d: {k: v for k, v in d.items() if k != "streams"}, "is damaged: it lacks 'streams'"),
        (lambda d: {**d, "more": 1}, "it has an unknown 'more'"),
        (lambda d: {**d, "clock": float("nan")}, "clock is nan, not a number from 0.001 to 1e"),
        (lambda d: {**d, "clock": True}, "clock is True, not a number"),
        (lambda d: {**d, "clock": 10**400}, r"clock is 10+\.\.\., not a number from"),
        (lambda d: {**d, "machine": {**d["machine"], "cores": "x"}}, "machine.cores is 'x', not a whole number"),
        (lambda d: {**d, "machine": {**d["machine"], "caches": [["L1"]]}}, r"machine.caches\[0\] has 1 parts, not 2"),
        (lambda d: {**d, "machine": []}, "machine is a list, not an object"),
        (lambda d: {**d, "start_threads": -1}, "start_threads is -1, not a number from 0"),
        (lambda d: {**d, "left_out": [1]}, r"left_out\[0\] is 1, not a text"),
        (lambda d: {**d, "taken": 2026}, "taken is 2026, not a text"),
        (lambda d: {**d, "instructions": [{"name": "x", "latency": 1, "per_cycle": 0}]}, r"\[0\].per_cycle is 0, not"),
        (lambda d: {**d, "near": 99}, "near is 99, not a whole number from 4 to 8"),
        (lambda d: {**d, "near": 5.5}, "near is 5.5, not a whole number"),
        (lambda d: {**d, "beside": 7}, "beside is 7, not a list"),
        (lambda d: {**d, "beside": [{"width": 32, "loads": 2.0, "far_row": -1.0}]}, "far_row is -1.0, not a number"),
        (lambda d: {**d, "latencies": [["L1", 0.0]]}, r"latencies\[0\]\[1\] is 0.0, not a number"),
        (lambda d: {**d, "format": "foo"}, "is foreign: its format is 'foo'"),
    ],
)
def test_what_is_no_calibration_of_this_version_is_refused(taken: Calibration, cache: Path, damage, words: str) -> None:
    damaged = damage(taken.document())
    calibration_path().write_text(for_people({**damaged, "digest": sealed(KIND, damaged)["digest"]}))
    with pytest.raises(CalibrationError, match=words) as refused:
        load()
    assert str(calibration_path()) in str(refused.value) and str(refused.value).endswith("; run `isamap calibrate`")


def test_what_older_versions_wrote_is_refused_with_its_version(taken: Calibration, cache: Path) -> None:
    """Without a seal, with its kind and its version apart."""
    body = {k: v for k, v in taken.document().items() if k not in ("format", "digest")}
    calibration_path().write_text(json.dumps({"kind": "isamap calibration", "version": 4, **body}, indent=2))
    with pytest.raises(CalibrationError, match=r"is of version 4, and this isamap reads version 5; run `isamap calibr"):
        load()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe\x00", "cannot be read: it is no text"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"", "is truncated or no JSON"),
        (b'{"kind": 1', "is truncated or no JSON"),
        (b"[1, 2]", "is foreign: its format is 'list'"),
        (b"7" * 9999, "cannot be read: Exceeds the limit"),
    ],
)
def test_what_is_no_record_is_refused(cache: Path, data: bytes, words: str) -> None:
    calibration_path().write_bytes(data)
    with pytest.raises(CalibrationError, match=words) as refused:
        load()
    assert str(refused.value).endswith("; run `isamap calibrate`") and calibration_path().read_bytes() == data


@pytest.mark.parametrize(("old", "new"), [('"clock": ', '"clock": 1'), ('"near": ', '"near":  '), ("λ", "l")])
def test_an_edit_by_hand_is_refused(taken: Calibration, cache: Path, old: str, new: str) -> None:
    path = save(replace(taken, taken="λ"))
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(CalibrationError, match=r"was edited by hand: .*; run `isamap calibrate`"):
        load()


def test_a_damaged_one_is_not_shown_and_not_used(
    taken: Calibration, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration_path().write_text(for_people(sealed(KIND, {**taken.document(), "start_threads": -1})))
    assert run(["calibrate", "--show"]) == 3
    said = "start_threads is -1, not a number from 0 to 1e+07; run `isamap calibrate`"
    assert capsys.readouterr().err == f"error: the calibration {calibration_path()} is damaged: {said}\n"
    assert run(["schedule", "gemm", "scalar", "--sizes", "i=4,j=4,k=4"]) == 0
    assert f"{said}; the hardware's description is used instead" in capsys.readouterr().err


def test_one_without_a_few_measurements_is_shown(
    taken: Calibration, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(replace(taken, ahead=taken.ahead[1:], across=taken.across[1:]))
    assert run(["calibrate", "--show"]) == 0
    assert re.search(r" -( |$)", capsys.readouterr().out, re.MULTILINE)


def test_the_least_and_greatest_figures_can_be_planned_with(taken: Calibration, cache: Path) -> None:
    for number in (1e-3, 1e7):
        costs = tuple((name, Cost(number, number)) for name, _ in taken.instructions)
        streams = tuple(replace(s, **dict.fromkeys(("read", "write", "copy"), number)) for s in taken.streams)
        save(replace(taken, instructions=costs, streams=streams, start_threads=1e7))
        assert plan("gemm", "host", sizes=SIZES, threads=2).proof.word == "proved"


def test_half_a_file_is_refused(taken: Calibration, cache: Path) -> None:
    path = save(taken)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(CalibrationError, match=r"is truncated or no JSON .*; run `isamap calibrate`"):
        load()


@pytest.mark.needs("avx2", "fma")
def test_schedules_are_priced_with_it(taken: Calibration, cache: Path) -> None:
    slow = {n: replace(c, per_cycle=c.per_cycle / 10) for n, c in taken.instructions}
    save(replace(taken, instructions=tuple(slow.items())))
    plain, priced = (
        plan("gemm", "host", sizes=SIZES, instruction="fmadd_ps", cost_model=m) for m in ("analytic", "auto")
    )
    assert any("priced with the calibration of" in n for n in priced.schedule.notes)
    assert not any("priced" in n for n in plain.schedule.notes)
    assert priced.schedule.objective > 3 * plain.schedule.objective


def test_an_instruction_that_was_not_measured_keeps_its_description(taken: Calibration, cache: Path) -> None:
    only = replace(taken, instructions=(("another.instruction", taken.instructions[0][1]),))
    save(only)
    described = plan("gemm", "host", sizes=SIZES, cost_model="analytic")
    assert decisions(plan("gemm", "host", sizes=SIZES)) == decisions(described)


@pytest.mark.needs("avx2", "fma")
def test_the_report_says_predicted_measured_and_limit(taken: Calibration, cache: Path) -> None:
    planned = plan("gemm", "host", sizes=SIZES, instruction="avx2.fmadd_ps")
    assert roofline_position(planned) is None
    save(taken)
    cost = dict(taken.instructions)["avx2.fmadd_ps"]
    least = 64**3 / (8 * cost.per_cycle) / (taken.clock * 1e9)
    measured = Measured(False, 0.0, 4 * least, 1.0, "float64", 5)
    found = roofline_position(planned, measured)
    assert found is not None and found.limit == pytest.approx(least) and found.busy == "avx2.fmadd_ps"
    assert found.of_limit == pytest.approx(0.25)
    from isamap_smt.report.page import html_report
    from isamap_smt.report.quantities import seconds

    page = html_report(planned, measured)
    assert (
        f"25 <small>%</small></b><span>of the limit: {seconds(least)}, avx2.fmadd_ps at full rate, by the calib" in page
    )
    halved = roofline_position(planned, replace(measured, threads=2))
    assert halved is not None and halved.limit == pytest.approx(least / 2) and halved.predicted is None


def test_the_identity_says_no_name_of_the_machine() -> None:
    import platform

    here = identity()
    assert here == identity() and len(here.digest) == 16
    assert platform.node() not in repr(here) or not platform.node()
