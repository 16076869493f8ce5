"""The database survives concurrent writers and a killed one, and refuses what is not its own without touching it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.records.record import compact, read, sealed
from isamap_smt.tuning.database import KIND, Database, Trial, Winner
from isamap_smt.tuning.errors import TuningError

WRITER = """
import sys
from pathlib import Path
from isamap_smt.tuning.database import Database, Trial
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Database(path) as d:
    for n in range(count):
        d.add("task", "a task", "machine", "a machine", Trial(
            f"{name}-{n}", "ok", 1e-3 + n * 1e-6, 2e-3, 5, 0, "", "random", 0, {"n": n}, {"x": 1.0}, {"analytic": 1e-3}))
        print(n, flush=True)
"""


def trial(program: str, seconds: float | None = 1e-3, status: str = "ok") -> Trial:
    return Trial(
        program, status, seconds, seconds, 5, 1, "", "random", 3, {"a": [1, 2]}, {"x": 2.0}, {"analytic": None}
    )


def test_a_trial_and_a_winner_come_back_as_they_were(tmp_path: Path) -> None:
    with Database(tmp_path / "t.sqlite") as d:
        d.add("t", "a task", "m", "a machine", trial("p"))
        d.add("t", "a task", "m", "a machine", trial("q", None, "crashed"))
        d.crown("t", "m", Winner("p", 1e-3, 2e-3, "random", 2, "", {}))
    with Database(tmp_path / "t.sqlite") as d:
        found = d.trials("t", "m")
        assert found["p"].record == {"a": [1, 2]} and found["p"].features == {"x": 2.0}
        assert found["q"].status == "crashed" and found["q"].seconds is None
        assert [t.program for _, t in d.measured("m")] == ["p"]
        winner = d.winner("t", "m")
        assert winner is not None and winner.seconds == 1e-3 and winner.record == {"a": [1, 2]}
        assert d.winner("t", "another machine") is None and d.trials("u", "m") == {}


def test_a_time_without_success_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a program that is wrong has a time of 0\.001 s"):
        trial("p", 1e-3, "wrong")
    for none in (None, 0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="a program that is ok has a time of"):
            trial("p", none)
    with pytest.raises(ValueError, match="status is 'fine'"):
        trial("p", None, "fine")


@pytest.mark.parametrize(
    "change",
    [
        {"features": []}, {"predicted": []}, {"seconds": None}, {"seconds": -1.0}, {"seconds": "1"}, {"status": "wrong"},
        {"more": 1},
    ],
)  # fmt: skip
def test_a_row_that_is_no_trial_is_said(tmp_path: Path, change: dict[str, Any]) -> None:
    """Sealed anew, so that it is taken for what was written."""
    with Database(tmp_path / "t.sqlite") as d:
        d.add("t", "a task", "m", "a machine", trial("p"))
    with sqlite3.connect(tmp_path / "t.sqlite") as c:
        (text,) = c.execute("SELECT text FROM record").fetchone()
        c.execute("UPDATE record SET text = ?", (compact(sealed(KIND, {**read(KIND, text), **change})),))
    c.close()
    with Database(tmp_path / "t.sqlite") as d, pytest.raises(TuningError, match="holds a damaged row"):
        d.trials("t", "m")


def test_two_processes_write_at_once_into_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, str(n), "40"], stdout=subprocess.DEVNULL) for n in range(2)]
    assert [w.wait(120) for w in writers] == [0, 0]
    with Database(path) as d:
        assert len(d.trials("task", "machine")) == 80


OPENER = """
import sys, time
from pathlib import Path
from isamap_smt.tuning.database import Database
print("ready", flush=True)
begin = float(sys.stdin.readline())
for n in range(50):
    while time.time() < begin + n * 0.02:
        pass
    Database(Path(sys.argv[1], f"{n}.sqlite")).close()
"""


def test_two_processes_make_a_file_in_the_same_moment(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENER, str(tmp_path)]
    openers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    ready = [o.stdout.readline() for o in openers if o.stdout is not None]
    assert ready == ["ready\n", "ready\n"]
    moment = f"{time.time() + 0.1}\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write(moment)
        opener.stdin.flush()
    for opener in openers:
        opener.communicate(timeout=120)
    assert [o.returncode for o in openers] == [0, 0]


def test_a_killed_writer_loses_nothing_that_it_had_finished(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "w", "100000"], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    finished = [int(writer.stdout.readline()) for _ in range(50)]
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with Database(path) as d:
        assert {f"w-{n}" for n in finished} <= set(d.trials("task", "machine"))
        d.add("task", "", "machine", "", trial("after"))


def assert_refused(path: Path, words: str) -> None:
    """Opening fails with these words, and the file stays as it is."""
    before = path.read_bytes()
    with pytest.raises(TuningError, match=words):
        Database(path)
    assert path.read_bytes() == before


def test_another_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as c:
        c.execute("PRAGMA user_version = 7")
    c.close()
    assert_refused(path, "is of version 7, and this isamap reads version 2; it was left as it is: move it away")


def test_the_database_of_an_older_isamap_is_refused_with_the_command_that_renews_it(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as c:
        c.execute("PRAGMA journal_mode = WAL")
        for table in ("task (id)", "machine (id)", "trial (task, machine, program)", "winner (task, machine)"):
            c.execute(f"CREATE TABLE {table}")
        c.execute(f"PRAGMA application_id = {0x69736D70}")
        c.execute("PRAGMA user_version = 1")
    c.close()
    assert_refused(
        path, r"is of version 1, and this isamap reads version 2; .* move it away, and `isamap tune` starts a new one"
    )


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as c:
        c.execute("CREATE TABLE recipe (name TEXT)")
    c.close()
    assert_refused(path, "is a database of another program; it was left as it is: move it away")


def test_a_half_written_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Database(path) as d:
        for n in range(60):
            d.add("t", "", "m", "", trial(f"p{n}"))
    whole = path.read_bytes()
    assert len(whole) > 8192
    for part in (whole[: len(whole) // 2], whole[:700], b"not a database at all" * 40):
        path.write_bytes(part)
        assert_refused(path, "cannot be used|damaged")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TuningError, match="cannot be used"):
        Database(tmp_path / "file" / "t.sqlite")
