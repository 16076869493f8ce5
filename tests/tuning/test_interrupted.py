"""Ctrl-C during a search: one status, what was found so far, no tracebacks of workers, and no process left."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.certificates.test_interrupt import PROC, ends, in_session, wait_until

pytestmark = pytest.mark.skipif(not (PROC / "self" / "stat").is_file(), reason="processes are read from /proc")

FOUND = "interrupted: what was found until then is above\n"
SOLVES = """
import os, signal, time
from isamap_smt.runtime.interrupted import interrupts_kept
try:
    with interrupts_kept():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            print("the best so far")
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""


def start(caches: Path) -> subprocess.Popen[str]:
    """A long search with two workers, leader of a session of its own."""
    words = ["tune", "gemm", "--sizes", "i=48,j=64,k=32", "--workers", "2", "--budget", "300", "--strategy", "random"]
    return subprocess.Popen(
        [sys.executable, "-m", "isamap_smt", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ISAMAP_CACHE": str(caches)},
        start_new_session=True,
    )


def tried(caches: Path) -> int:
    """Programs in the database so far."""
    try:
        with closing(sqlite3.connect(caches / "tuning.sqlite")) as c:
            return int(c.execute("SELECT count(*) FROM record WHERE key LIKE 'trial %'").fetchone()[0])
    except sqlite3.OperationalError:  # it is being made
        return 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize("after", [0.0, 0.2])
def test_while_the_workers_start(caches: Path, after: float) -> None:
    started = start(caches)
    wait_until(lambda: len(in_session(started.pid)) > 3)  # itself, the tracker, a worker, and compilers of this moment
    time.sleep(after)
    os.killpg(started.pid, signal.SIGINT)
    status, said = ends(started)
    assert status == 130 and said in (FOUND, "\ninterrupted\n")


def test_what_was_found_is_kept_and_told(caches: Path) -> None:
    started = start(caches)
    wait_until(lambda: tried(caches) > 2)
    os.killpg(started.pid, signal.SIGINT)
    status, said = ends(started)
    told = "".join(x for x in said.splitlines(True) if not x.startswith("after "))  # how far it is, on a slow machine
    assert (status, told) == (130, FOUND)
    with closing(sqlite3.connect(caches / "tuning.sqlite")) as c:
        assert c.execute("SELECT count(*) FROM record WHERE key LIKE 'winner %'").fetchone() == (1,)


def test_a_search_that_is_killed_leaves_no_worker(caches: Path) -> None:
    started = start(caches)
    wait_until(lambda: tried(caches) > 0)
    started.kill()
    assert ends(started)[0] == -signal.SIGKILL


def test_a_solver_that_takes_an_interrupt_for_its_own_does_not_keep_it() -> None:
    done = subprocess.run([sys.executable, "-c", SOLVES], capture_output=True, text=True, check=False)
    assert done.stdout == "the best so far\ninterrupted\n", done.stderr
