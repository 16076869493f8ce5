"""Ctrl-C while worker processes start, load and prove: none of them is left, and nothing but `interrupted` is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.workers import spread

PROC = Path("/proc")

pytestmark = pytest.mark.skipif(not (PROC / "self" / "stat").is_file(), reason="processes are read from /proc")


def in_session(leader: int) -> list[int]:
    """Ids of the processes alive in the session of that leader."""
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (OSError, ValueError):  # it has ended meanwhile
                continue
            if int(session) == leader and state != "Z":
                found.append(int(entry.name))
    return found


def wait_until(true: object, seconds: float = 60) -> None:
    """Until true() holds."""
    assert callable(true)
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def start(directory: Path, cache: Path, arguments: list[str]) -> subprocess.Popen[str]:
    """The command with three workers, leader of a session of its own, once a first worker is there."""
    started = subprocess.Popen(
        [sys.executable, "-m", "isamap_smt", "proofs", *arguments, "--jobs", "3"],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ISAMAP_CACHE": str(cache)},
        start_new_session=True,
    )
    wait_until(lambda: len(in_session(started.pid)) > 2 or started.poll() is not None)  # itself, the tracker, a worker
    assert started.poll() is None
    return started


def ends(started: subprocess.Popen[str]) -> tuple[int, str]:
    """Status and standard error. Whoever is left, holding standard output, fails this, and is ended by it."""
    try:
        _, said = started.communicate(timeout=20)
        wait_until(lambda: not in_session(started.pid), 10)
    finally:
        for left in in_session(started.pid):
            os.kill(left, signal.SIGKILL)
    return started.returncode, said


CHECK, UPDATE = ["check", "--no-cache"], ["update", "avx2/gemm", "--dir", "new"]


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (CHECK, 0.0),
        (UPDATE, 0.3),
        (CHECK, 1.5),
        *(pytest.param(*c, marks=pytest.mark.exhaustive) for c in ((UPDATE, 0.0), (CHECK, 0.3), (UPDATE, 1.5))),
    ],
)
def test_no_worker_outlives_an_interrupt(proofs: Path, tmp_path: Path, arguments: list[str], after: float) -> None:
    started = start(proofs.parent, tmp_path / "cache", arguments)
    time.sleep(after)
    os.killpg(started.pid, signal.SIGINT)
    assert ends(started) == (130, "\ninterrupted\n")  # the blank line ends that of the ^C
    assert not (proofs.parent / "new").exists() and not list(proofs.parent.glob(".new-*"))


@pytest.mark.parametrize("after", [1.5])
def test_no_worker_outlives_a_process_that_is_killed(proofs: Path, tmp_path: Path, after: float) -> None:
    started = start(proofs.parent, tmp_path / "cache", ["update", "avx2/gemm", "--dir", "new"])
    wait_until(lambda: len(in_session(started.pid)) == 5)
    time.sleep(after)
    started.kill()
    assert ends(started)[0] == -signal.SIGKILL


def test_results_come_in_the_order_of_the_calls() -> None:
    told: list[tuple[int, int, int]] = []
    found = spread(divmod, [(n, 3) for n in range(20)], 3, lambda n, of, last: told.append((n, of, last[0])))
    assert found == [divmod(n, 3) for n in range(20)]
    assert [t[:2] for t in told] == [(n + 1, 20) for n in range(20)]


def test_an_error_in_a_worker_is_the_caller_s() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        spread(divmod, [(1, 1), (1, 0), (2, 1)], 2)
    assert "in a worker" in "".join(caught.value.__notes__)


def test_a_worker_that_is_ended_from_outside_is_said() -> None:
    with pytest.raises(CertificateError, match=r"ended by signal 9 .* fewer --jobs"):
        spread(signal.raise_signal, [(signal.SIGKILL,), (signal.SIGKILL,)], 2)
