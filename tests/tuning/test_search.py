"""A search measures proved programs, survives what goes wrong, goes on where it stopped, and plan() uses its winner."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import SizeError, UnknownNameError
from isamap_smt.machine_model.calibration import identity
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.pipeline.plan import plan
from isamap_smt.pipeline.spaces import Spaces
from isamap_smt.pipeline.tune import tune
from isamap_smt.runtime.judge import judge, wanted
from isamap_smt.scheduling.record import program_of
from isamap_smt.tuning.database import Database, database_path
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.task import Task
from isamap_smt.tuning.trial import Job, _arrays, run_trial
from tests.tuning.conftest import SIZES, change_records
from tests.tuning.workers import by_the_record, dies_unless_in_six_rows


def quick(strategy: str = "random", **options):
    """A search on threads of this process, with times that follow from the schedules; the fastest race for a short time."""
    asked = {
        "trials": 6,
        "budget": None,
        "executor": lambda: ThreadPoolExecutor(1),
        "measure": by_the_record,
        "each": 0.005,
        **options,
    }
    kernel, sizes = asked.pop("kernel", "gemm"), asked.pop("sizes", SIZES)
    return tune(kernel, "host", sizes=sizes, strategy=strategy, **asked)


def test_the_winner_is_measured_proved_and_used_from_then_on(caches: Path) -> None:
    before = plan("gemm", "host", sizes=SIZES)
    found = tune("gemm", "host", sizes=SIZES, strategy="heuristic", trials=3, budget=None, each=0.02)
    assert [t.status for t in found.trials] == ["ok"] * len(found.trials)
    assert found.winner is not None and found.winner.baseline is not None
    assert found.winner.seconds <= found.winner.baseline
    assert len(found.race) == len(found.trials)
    after = plan("gemm", "host", sizes=SIZES)
    assert after.schedule.status == "TUNED" and before.schedule.status == "OPTIMAL"
    assert any("found by `isamap tune` (heuristic, 3 programs" in n for n in after.notes)
    assert after.proof.word == "proved"
    a, b = np.random.default_rng(0).random((48, 32), np.float32), np.random.default_rng(1).random((32, 64), np.float32)
    assert np.allclose(im.build(after)(a, b), a @ b, rtol=1e-5)
    assert plan("gemm", "host", sizes=SIZES, strategy="exact").schedule.loops == before.schedule.loops
    assert plan("gemm", "host", sizes={**SIZES, "i": 40}).schedule.status == "OPTIMAL"


@pytest.mark.needs("avx2", "fma")
def test_a_sum_that_is_computed_in_partial_sums_is_searched_so(caches: Path) -> None:
    sizes = {"i": 2, "j": 24, "k": 144}
    found = quick("heuristic", trials=2, kernel="gemm_nt", sizes=sizes)
    assert found.winner is not None
    after = plan("gemm_nt", "host", sizes=sizes)
    assert after.split is not None and after.schedule.status == "TUNED"
    whole = quick("heuristic", trials=2, kernel="gemm_nt", sizes=sizes, fix={"split": "no"})
    assert whole.winner is not None
    assert plan("gemm_nt", "host", sizes=sizes, fix={"split": "no"}).schedule.status == "TUNED"
    assert plan("gemm_nt", "host", sizes=sizes).split is not None
    with pytest.raises(TuningError, match=r"and a rest; .* pin split=no"):
        quick(kernel="gemm_nt", sizes={**sizes, "k": 139})


def test_an_executor_of_the_callers_own_stays_open(caches: Path) -> None:
    with ThreadPoolExecutor(1) as own:
        assert len(quick(trials=2, executor=own).trials) == 2
        assert own.submit(lambda: "open").result() == "open"
    with pytest.raises(TuningError, match=r"pass a concurrent\.futures executor, or a function that makes one"):
        quick(trials=2, executor=3)


def test_a_search_goes_on_where_it_stopped(caches: Path) -> None:
    whole = quick(trials=9)
    shutil.rmtree(caches)
    caches.mkdir()
    first = quick(trials=4)
    assert len(first.trials) == 4 and first.reused == 0 and first.ended == "4 programs were tried"
    second = quick(trials=5)
    assert second.reused == 4
    assert [t.program for t in second.trials] == [t.program for t in whole.trials]
    assert [t.seconds for t in second.trials] == [t.seconds for t in whole.trials]


def test_another_strategy_measures_nothing_twice(caches: Path) -> None:
    quick("heuristic", trials=3)
    again = quick("heuristic", trials=1)
    assert again.reused >= 3


def test_the_rank_correlation_is_told_for_every_model(caches: Path) -> None:
    found = quick(trials=8)
    assert dict(found.ranks).keys() == {"analytic"}
    assert -1.0 <= dict(found.ranks)["analytic"] <= 1.0


def test_a_program_that_kills_its_process_is_crashed_and_the_search_goes_on(caches: Path) -> None:
    fix = {"register.j": 16}
    found = tune(
        "gemm",
        "host",
        sizes=SIZES,
        fix=fix,
        strategy="random",
        trials=4,
        budget=None,
        each=0.02,
        measure=dies_unless_in_six_rows,
    )
    words = {t.status for t in found.trials}
    assert "crashed" in words and words <= {"ok", "crashed"}
    assert all(t.seconds is None and "died" in t.reason for t in found.trials if t.status == "crashed")


def test_ctrl_c_keeps_what_was_found(caches: Path) -> None:
    calls = []

    def interrupted(job: Job):
        calls.append(job)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return by_the_record(job)

    found = quick(measure=interrupted)
    assert found.ended == "it was interrupted" and len(found.trials) == 2 and found.winner is not None
    assert quick(trials=1).reused == 2


def test_what_is_not_proved_does_not_run(task: Task, made: Spaces, caches: Path) -> None:
    record = made.space.record(made.exact)
    job = Job(task.kernel, task.hardware, task.sizes, record, seconds=0.01)
    assert run_trial(job).status == "ok"
    first = record["loops"][0]["axis"]
    cut = {**record, "loops": [x for x in record["loops"] if x["axis"] != first]}
    outcome = run_trial(replace(job, record=cut))
    assert outcome.status == "failed" and outcome.seconds is None and outcome.reason
    assert run_trial(replace(job, record={**record, "groups": {"l": ["k"]}})).status == "failed"


def test_a_wrong_result_or_a_nan_never_passes(task: Task) -> None:
    kernel = task.kernel.with_sizes(SIZES)
    expected = wanted(kernel, _arrays(kernel, 0), "reassociate")
    right = expected["C"].astype(np.float32)
    assert judge(kernel, right, expected).reason == ""
    for value in (np.nan, np.inf, right.flat[5] + 0.01 * np.abs(right).max()):
        wrong = right.copy()
        wrong.flat[5] = value
        assert "C differs" in judge(kernel, wrong, expected).reason


def test_a_sum_that_ends_in_a_temporary_is_measured_by_what_follows_it(caches: Path) -> None:
    found = quick(kernel="linear_relu", sizes={"i": 20, "j": 24, "k": 16}, trials=2, measure=run_trial, each=0.01)
    assert [t.status for t in found.trials] == ["ok", "ok"] and found.winner is not None


def test_the_rounding_of_a_sum_is_allowed_in_what_follows_it() -> None:
    kernel = im.find_kernel("linear_relu").with_sizes({"i": 2, "j": 8, "k": 512})
    expected = wanted(kernel, _arrays(kernel, 0), "reassociate")
    right = expected["Y"]
    rounded, wrong = right + 2e-5 * right.max(), right + 1e-3 * right.max()
    assert judge(kernel, rounded.astype(np.float32), expected).reason == ""
    assert "Y differs" in judge(kernel, wrong.astype(np.float32), expected).reason


def test_a_damaged_database_is_said_and_planning_goes_on(caches: Path) -> None:
    database_path().write_bytes(b"half a database" * 100)
    noted = plan("gemm", "host", sizes={**SIZES, "i": 36})
    assert any("no search was looked up: the tuning database" in n for n in noted.notes)
    with pytest.raises(TuningError, match="it was left as it is"):
        quick()
    assert database_path().read_bytes().startswith(b"half a database")


def test_a_damaged_schedule_is_left_out_and_told(caches: Path) -> None:
    before = quick(trials=3)
    assert before.notes == ()
    for record in ('{"instruction": "gone"}', "{}", "null", "[1]"):
        change_records(record)
        planned = plan("gemm", "host", sizes=SIZES)
        assert planned.schedule.status == "OPTIMAL", record
        assert any("winner of an earlier search was left out" in n and "is damaged" in n for n in planned.notes), record
        again = quick(trials=3)
        assert again.reused == 0 and [t.program for t in again.trials] == [t.program for t in before.trials], record
        assert len(again.notes) == 1, record
        assert "holds 3 trials of this kernel with a damaged schedule" in again.notes[0], record
        assert plan("gemm", "host", sizes=SIZES).schedule.status == "TUNED", record
    assert quick(trials=3).reused == 3 and plan("gemm", "host", sizes=SIZES).schedule.status == "TUNED"


def test_a_winner_that_means_nothing_any_more_is_not_used(caches: Path) -> None:
    quick(trials=3)
    machine = identity().digest
    with Database() as d:
        task, trial = d.measured(machine)[0]
        winner = d.winner(task, machine)
        assert winner is not None
        gone = {**winner.record, "instruction": "gone"}
        d.add(task, "", machine, "", replace(trial, record=gone, program=program_of(gone)))
        d.crown(task, machine, replace(winner, program=program_of(gone)))
    planned = plan("gemm", "host", sizes=SIZES)
    assert planned.schedule.status == "OPTIMAL"
    assert any("winner of an earlier search was left out" in n and "no legal mapping" in n for n in planned.notes)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"strategy": "topk"}, UnknownNameError, "did you mean top-k"),
        ({"cost_model": "calibrated"}, CalibrationError, "run `isamap calibrate`"),
        ({"trials": None, "budget": None}, TuningError, "a search needs an end"),
        ({"workers": 0}, TuningError, "workers=0: must be at least 1"),
        ({"seed": -1}, TuningError, "seed=-1: must be at least 0"),
    ],
)
def test_a_search_that_cannot_be_run_says_why(caches: Path, options, error, words: str) -> None:
    with pytest.raises(error, match=words):
        quick(**options)


def test_sizes_must_be_known(caches: Path) -> None:
    with pytest.raises(SizeError, match="K missing"):
        tune("gemm", "host", sizes={"i": 4, "j": 8})


def test_a_model_is_learned_from_the_database(caches: Path) -> None:
    pytest.importorskip("sklearn", reason="the learned cost model needs scikit-learn: pip install isamap-smt[tune]")
    with pytest.raises(TuningError, match="needs 20 measurements on this machine, and there are 0"):
        quick(cost_model="learned")
    quick(trials=22)
    found = quick(cost_model="learned", seed=1, trials=5)
    assert "learned" in dict(found.ranks)
    taught = plan("gemm", "host", sizes=SIZES, strategy="random", cost_model="learned")
    assert any("with the cost model 'learned'" in n for n in taught.notes)


def test_dask_workers_do_the_work(caches: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install isamap-smt[tune]")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        found = tune(
            "gemm", "host", sizes=SIZES, strategy="random", trials=4, budget=None, each=0.02, workers=2,
            executor=client.get_executor,
        )  # fmt: skip
    assert len(found.trials) >= 4 and all(t.status == "ok" for t in found.trials)
