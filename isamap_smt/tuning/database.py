"""Measurements, kept in SQLite: by task (kernel, sizes, hardware, options), machine and program.

Many processes may write at once (write-ahead log, a writer waits for another), and a killed one loses at most its
current write. A file is reported and left as it is if it is of another version, no tuning database, or damaged.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isamap_smt.runtime.cache import cache_directory
from isamap_smt.tuning.errors import TuningError

VERSION = 1
_APPLICATION = 0x69736D70  # "ismp", where SQLite keeps whose file it is
_WAIT = 30.0  # seconds to wait for another writer
_SCHEMA = """
CREATE TABLE task (id TEXT PRIMARY KEY, about TEXT NOT NULL);
CREATE TABLE machine (id TEXT PRIMARY KEY, about TEXT NOT NULL);
CREATE TABLE trial (
    task TEXT NOT NULL REFERENCES task(id),
    machine TEXT NOT NULL REFERENCES machine(id),
    program TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'wrong', 'failed', 'crashed')),
    seconds REAL CHECK (seconds IS NULL OR seconds > 0),
    median REAL,
    samples INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    reason TEXT NOT NULL,
    strategy TEXT NOT NULL,
    seed INTEGER NOT NULL,
    record TEXT NOT NULL,
    features TEXT NOT NULL,
    predicted TEXT NOT NULL,
    taken TEXT NOT NULL,
    PRIMARY KEY (task, machine, program),
    CHECK ((status = 'ok') = (seconds IS NOT NULL))
);
CREATE TABLE winner (
    task TEXT NOT NULL REFERENCES task(id),
    machine TEXT NOT NULL REFERENCES machine(id),
    program TEXT NOT NULL,
    seconds REAL NOT NULL CHECK (seconds > 0),
    baseline REAL,
    strategy TEXT NOT NULL,
    tried INTEGER NOT NULL,
    taken TEXT NOT NULL,
    PRIMARY KEY (task, machine)
);
"""


@dataclass(frozen=True)
class Trial:
    """One program, measured or found wanting, in the order of the table's columns. seconds: the best sample; features and
    predictions by name (seconds)."""

    program: str
    status: str
    seconds: float | None
    median: float | None
    samples: int
    dropped: int
    reason: str
    strategy: str
    seed: int
    record: dict[str, Any]
    features: dict[str, float]
    predicted: dict[str, float | None]
    taken: str = ""


@dataclass(frozen=True)
class Winner:
    """The fastest program found for a task.

    baseline: seconds of plan()'s choice without measurements, in the same minute.
    """

    program: str
    seconds: float
    baseline: float | None
    strategy: str
    tried: int
    taken: str
    record: dict[str, Any]


def database_path() -> Path:
    """The path of this user's measurements: beside the caches."""
    return cache_directory().parent / "tuning.sqlite"


class Database:
    """An open tuning database. Each method is one transaction, and safe beside other processes."""

    def __init__(self, path: Path | None = None) -> None:
        """Open it, or make a new one if there is none. Raises TuningError for a file that is not ours."""
        self.path = path or database_path()
        with self._told():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, task: str, about_task: str, machine: str, about_machine: str, trial: Trial) -> None:
        """Keep a trial; one of the same program is replaced."""
        held = [getattr(trial, f.name) for f in fields(Trial)[:-1]]
        row = (task, machine, *(json.dumps(x) if isinstance(x, dict) else x for x in held), trial.taken or _now())
        with self._writing() as c:
            c.execute("INSERT OR IGNORE INTO task VALUES (?, ?)", (task, about_task))
            c.execute("INSERT OR IGNORE INTO machine VALUES (?, ?)", (machine, about_machine))
            c.execute(f"INSERT OR REPLACE INTO trial VALUES ({', '.join('?' * len(row))})", row)

    def crown(self, task: str, machine: str, winner: Winner) -> None:
        """Keep the winner of a search, in place of an earlier one."""
        w = winner
        row = (task, machine, w.program, w.seconds, w.baseline, w.strategy, w.tried, w.taken or _now())
        with self._writing() as c:
            c.execute(f"INSERT OR REPLACE INTO winner VALUES ({', '.join('?' * len(row))})", row)

    def trials(self, task: str, machine: str) -> dict[str, Trial]:
        """Every trial of a task on a machine, by program, oldest first."""
        sql = "SELECT * FROM trial WHERE task = ? AND machine = ? ORDER BY taken, program"
        return {t.program: t for t in self._trials(sql, (task, machine))}

    def measured(self, machine: str) -> list[tuple[str, Trial]]:
        """(task, trial) of every right run on a machine, oldest first."""
        sql = "SELECT * FROM trial WHERE machine = ? AND status = 'ok' ORDER BY taken, task, program"
        with self._told(), closing(self._connection.execute(sql, (machine,))) as rows:
            return [(row[0], _trial(row)) for row in rows]

    def winner(self, task: str, machine: str) -> Winner | None:
        """The winner of the last search for a task on a machine."""
        sql = (
            "SELECT w.program, w.seconds, w.baseline, w.strategy, w.tried, w.taken, t.record FROM winner w "
            "JOIN trial t USING (task, machine, program) WHERE w.task = ? AND w.machine = ?"
        )
        with self._told():
            row = self._connection.execute(sql, (task, machine)).fetchone()
            if row is None:
                return None
            return Winner(*(*row[:-1], json.loads(row[-1])))

    def _trials(self, sql: str, values: tuple[Any, ...]) -> Iterator[Trial]:
        with self._told(), closing(self._connection.execute(sql, values)) as rows:
            for row in rows:
                yield _trial(row)

    def _open(self) -> None:
        """Check whose file it is; make the tables of a new one, in one transaction."""
        c = self._connection
        if self._version() is None:
            self._log_ahead()
            c.execute("BEGIN IMMEDIATE")
            if self._version() is None:  # else another process was faster
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    c.execute(statement)
                c.execute(f"PRAGMA application_id = {_APPLICATION}")
                c.execute(f"PRAGMA user_version = {VERSION}")
            c.execute("COMMIT")
        found = self._version()
        if found != VERSION:
            raise TuningError(
                f"the tuning database {self.path} is of version {found}, and this isamap reads version {VERSION}; "
                "it was left as it is: move it away to start a new one"
            )
        said = c.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise TuningError(f"the tuning database {self.path} is damaged ({said}); {_LEFT}")
        c.execute(
            "PRAGMA synchronous = NORMAL"
        )  # with the log: a crash of the system may lose the last trials, no more

    def _log_ahead(self) -> None:
        """Let the file keep a write-ahead log, retrying for _WAIT seconds.

        SQLite fails here at once, without waiting, if another process does the same.
        """
        end = time.monotonic() + _WAIT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _version(self) -> int | None:
        """The version of the tables; None if the file holds nothing yet. Raises TuningError for another's file."""
        # One statement, so that another process makes the file before it or after it.
        tables, owner, version = self._connection.execute(
            "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version "
            "FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if not tables and not owner and not version:
            return None
        if owner != _APPLICATION:
            raise TuningError(f"{self.path} is a database, but no tuning database of isamap; {_LEFT}")
        return int(version)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of SQLite become TuningErrors with the file's name."""
        try:
            yield
        except (sqlite3.DatabaseError, OSError) as error:
            if "locked" in str(error):
                raise TuningError(
                    f"another process kept the tuning database {self.path} for {_WAIT:g} s; try again"
                ) from None
            raise TuningError(f"the tuning database {self.path} cannot be used: {error}; {_LEFT}") from None
        except ValueError as error:
            raise TuningError(f"the tuning database {self.path} holds a damaged row: {error}; {_LEFT}") from None


_LEFT = "it was left as it is: move it away to start a new one"


def _trial(row: tuple[Any, ...]) -> Trial:
    values = list(row[2:])
    values[-4:-1] = map(json.loads, values[-4:-1])
    if not isinstance(values[-3], dict) or not isinstance(values[-2], dict):
        raise ValueError("features and predictions are not by name")
    return Trial(*values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
