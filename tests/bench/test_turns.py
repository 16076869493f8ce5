"""What contenders do wrong is seen, said, and never averaged in."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isamap_smt.bench.case import Case
from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.machine import Probe, cores_for, foreign, usage
from isamap_smt.bench.session import Failed, Session
from isamap_smt.bench.turns import Effort, measure
from isamap_smt.bench.work import sample

QUICK = Effort(turns=2, seconds=0.005, patience=120.0, plan={"timeout": 5.0})
Make = Callable[..., Session]


def entry(case: Case, sessions: list[Session], folder: Path, effort: Effort = QUICK) -> dict:
    """The entry of the case with these contenders."""
    return measure(case, "free", 1, sessions, Probe(cores_for(1)), folder, effort, lambda _: None)


def test_only_right_results_count(small: Case, session: Make, tmp_path: Path) -> None:
    ours = session(OURS, "isamap_smt.bench.peers.ours:open_case")
    bad = ["not_a_number", "half_precision", "crashing", "crashing_later", "talking", "refusing"]
    found = entry(small, [ours, session("right"), *map(session, bad)], tmp_path)
    status = {name: c["status"] for name, c in found["contenders"].items()}
    assert status == {
        OURS: "ok",
        "right": "ok",
        "not_a_number": "wrong",
        "half_precision": "wrong",
        "crashing": "crashed",
        "crashing_later": "crashed",
        "talking": "failed",
        "refusing": "unsupported",
    }
    words = {name: c["words"] for name, c in found["contenders"].items()}
    assert words["not_a_number"].startswith("not a number at 0,0: nan, expected ")
    assert words["crashing"].startswith("killed by SIGSEGV")
    assert words["crashing_later"].startswith("killed by SIGABRT")
    assert words["talking"] == "OSError: no such device"
    assert words["refusing"] == "products of this type are for the next release"
    assert found["best_peer"] == "right"
    assert {n for n, c in found["contenders"].items() if "gflops" in c} == {OURS, "right"}
    assert found["contenders"][OURS]["exact"]
    assert found["contenders"][OURS]["about"]["verdict"] == "proved"
    assert found["ratio"]["median"] > 0
    assert found["peak"] > 0


def test_a_hanging_peer_is_ended(small: Case, session: Make, tmp_path: Path) -> None:
    effort = Effort(turns=1, seconds=0.005, patience=6.0)
    start = time.monotonic()
    found = entry(small, [session("right"), session("hanging")], tmp_path, effort)
    assert found["contenders"]["hanging"] == {"status": "hung", "words": "no answer within 6 s"}
    assert found["contenders"]["right"]["status"] == "ok"
    assert found["ratio"] is None  # isamap took no part
    assert time.monotonic() - start < 60


def test_a_contender_that_cannot_be_loaded(small: Case, session: Make, tmp_path: Path) -> None:
    found = entry(small, [session("gone", "no_such_module:open_case")], tmp_path)
    assert found["contenders"]["gone"]["status"] == "failed"
    assert "No module named 'no_such_module'" in found["contenders"]["gone"]["words"]
    assert found["best_peer"] is None


def test_no_process_is_left(session: Make) -> None:
    held = session("right")
    with pytest.raises(Failed, match="no such request"):
        held.ask({"do": "sing"}, 60.0)
    pid = held._process.pid
    held.end()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_samples_take_the_quickest_call() -> None:
    waits = iter([0.02, 0.001] * 100)  # many quick ones: a busy machine disturbs some
    taken = sample(lambda: time.sleep(next(waits)), budget=0.1)
    assert 0.001 <= taken.seconds < 0.015
    assert taken.samples >= 3


def test_short_calls_are_timed_many_at_a_time() -> None:
    calls = [0]
    taken = sample(lambda: calls.__setitem__(0, calls[0] + 1), budget=0.01)
    assert taken.samples < calls[0] / 50  # some hundred of them in each sample
    assert taken.seconds < 1e-5


def test_time_that_others_use_is_seen() -> None:
    """Work of a child process is foreign unless it is counted as a contender's."""
    before = usage()
    if before.system is None:
        pytest.skip("this system does not say how much processor time was used")
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"], os.environ)
    _, _, used = os.wait4(pid, 0)
    after = usage()
    busy = used.ru_utime + used.ru_stime
    seen = foreign(before, after, 0.0)
    assert seen is not None and seen > 0.5 * busy / (after.at - before.at)
    without = foreign(before, after, busy)
    assert without is not None and without < seen


def test_the_probe_knows_the_clock() -> None:
    probe = Probe(cores_for(1))
    assert 0.5 < probe.ghz() < 8.0
    assert probe.best >= probe.ghz() or probe.best > 0
