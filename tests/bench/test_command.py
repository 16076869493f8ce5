"""isamap bench, as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isamap_smt.bench import machine
from isamap_smt.cli.app import run

ONE = ["bench", "gemm-f32", "--only", "^512x16x512 TN", "--turns", "1", "--threads", "1", "--peers", "numpy"]


def test_results_are_measured_kept_and_shown_again(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    assert run([*ONE, "--weights", "free"]) == 0
    said = capsys.readouterr()
    assert "512x16x512 TN" in said.out
    assert "wrote isamap-bench.json" in said.out
    document = json.loads(Path("isamap-bench.json").read_text())
    (entry,) = document["entries"]
    assert entry["contenders"]["isamap"]["exact"]
    assert entry["contenders"]["isamap"]["about"]["verdict"] == "proved"
    assert entry["best_peer"] == "numpy"
    assert entry["turns"]["quiet"] + entry["turns"]["dropped"] >= 1

    # going on measures nothing anew, and the other condition is added
    assert run([*ONE, "--resume", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["entries"][0] == entry
    assert [e["condition"] for e in again["entries"]] == ["free", "constant"]
    assert again["entries"][1]["best_peer"] is None  # numpy packs nothing ahead


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "missing argument SUITE: one or more of gemm-f32"),
        (["gemm"], "no such suite 'gemm'; did you mean"),
        (["conv", "--threads", "two"], "--threads two: numbers of threads with commas between, such as 1,2"),
        (["conv", "--threads", "0"], "--threads 0: numbers of threads"),
        (["conv", "--threads", "4096"], "--threads 4096: this process may use"),
        (["conv", "--peers", "tourch"], "no such peer 'tourch'; did you mean torch"),
        (["conv", "--strategy", "luck"], "strategy='luck' is not installed; known: auto"),
        (["gru", "--weights", "free"], "gru has no figures with weights free, only constant"),
        (["conv", "--only", "^gemm"], "--only ^gemm: no case of conv has such a name"),
        (["conv", "--resume", "--force"], "--resume and --force exclude each other"),
        (["conv", "-o", "gone/r.json"], "cannot write gone/r.json: no such directory gone"),
    ],
)
def test_misuse(words: list[str], said: str, capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run(["bench", *words, "--json"]) == 3
    out = capsys.readouterr()
    assert said in out.err
    assert said in json.loads(out.out)["error"]
    assert list(in_empty_directory.iterdir()) == []


def test_results_are_never_replaced_unasked(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("isamap-bench.json").write_text("precious")
    assert run(ONE) == 3
    assert "isamap-bench.json is there: go on with it with --resume, replace it with --force" in capsys.readouterr().err
    assert run([*ONE, "--resume"]) == 3
    assert "isamap-bench.json is truncated or no JSON (line 1: " in capsys.readouterr().err
    assert Path("isamap-bench.json").read_text() == "precious"


def test_schedules_are_measured_first_when_asked(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run([*ONE, "--weights", "free", "--tune", "2", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["entries"]
    about = entry["contenders"]["isamap"]["about"]
    assert about["tuned"] > 0
    assert any("found by `isamap tune`" in note for note in about["notes"])
    assert run([*ONE, "--resume"]) == 3
    assert "give the same options, or start anew with --force" in capsys.readouterr().err


def test_it_fails_where_isamap_fails_in_every_case(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(in_empty_directory / "cache"))  # where no calibration is
    assert run([*ONE, "--weights", "free", "--cost-model", "calibrated", "--json"]) == 4
    said = capsys.readouterr()
    (entry,) = json.loads(said.out)["entries"]
    ours = entry["contenders"]["isamap"]
    assert ours["status"] == "failed" and "run `isamap calibrate`" in ours["words"]
    assert (
        said.err == f"error: isamap failed in every case; the first: gemm-f32 512x16x512 TN: failed: {ours['words']}\n"
    )
    assert json.loads(Path("isamap-bench.json").read_text())["entries"] == [entry]


def test_one_core_gives_figures_for_one_thread(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not bind processes to cores")
    only = {min(machine.cores())}

    def on_one_core(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "isamap_smt", *words]
        bind = lambda: os.sched_setaffinity(0, only)  # noqa: E731
        return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=bind)

    at = ONE.index("--threads")
    done = on_one_core(*ONE[:at], *ONE[at + 2 :], "--weights", "free", "--json")
    assert done.returncode == 0, done.stderr
    assert "note: there is one core: no figures for two threads" in done.stderr
    assert {e["threads"] for e in json.loads(done.stdout)["entries"]} == {1}
    done = on_one_core(*ONE, "--force", "--threads", "2")
    assert done.returncode == 3
    assert "--threads 2: this process may use 1 core; figures" in done.stderr


def test_an_interrupt_leaves_whole_results_and_no_process(in_empty_directory: Path) -> None:
    command = [sys.executable, "-m", "isamap_smt", "bench", "gemm-f32", "--quick", "--threads", "1", "--peers", "numpy"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    path = in_empty_directory / "isamap-bench.json"
    end = time.monotonic() + 120
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    children = _descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "go on with --resume" in err
    assert json.loads(path.read_text())["entries"]
    assert [p.name for p in in_empty_directory.iterdir()] == ["isamap-bench.json"]
    assert children
    assert not [c for c in children if Path(f"/proc/{c}").exists()]


def _descendants(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("this system does not list the children of a process")
    return [int(c) for c in found.read_text().split()]
