"""What was measured, kept as records: by machine, task (kernel, sizes, hardware, options) and program.

Many processes may write at once, and one that is killed loses at most what it was writing. A file of another version, one that
is no tuning database, or one that is damaged is reported and left as it is: measuring again takes hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isamap_smt.records.record import Document, Kind
from isamap_smt.records.store import Closed, Fault, Store, StoreError, kept_directory
from isamap_smt.tuning.errors import TuningError

KIND = Kind("tuning", 2)
_WAIT = 30.0  # seconds to wait for another writer
_LEFT = "it was left as it is: move it away, and `isamap tune` starts a new one"


@dataclass(frozen=True)
class Trial:
    """One program, measured or found wanting. status: ok, wrong, failed or crashed. seconds: the best sample, of what is ok alone;
    features and predictions by name (seconds). Raises ValueError for what is no trial."""

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

    def __post_init__(self) -> None:
        if self.status not in ("ok", "wrong", "failed", "crashed"):
            raise ValueError(f"status is {self.status!r}")
        if not (self.seconds is None if self.status != "ok" else self.seconds is not None and self.seconds > 0):
            raise ValueError(f"a program that is {self.status} has a time of {self.seconds} s")


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
    """Where this user's measurements lie: beside the caches."""
    return kept_directory() / "tuning.sqlite"


class Database(Closed):
    """An open tuning database. Each method is one transaction, and safe beside other processes. Raises TuningError."""

    def __init__(self, path: Path | None = None) -> None:
        """Open it, or make a new one where there is none."""
        self.path = path or database_path()
        with self._told():
            self._store = Store(KIND, self.path, patience=_WAIT)

    def close(self) -> None:
        """Let the file go."""
        self._store.close()

    def add(self, task: str, about_task: str, machine: str, about_machine: str, trial: Trial) -> None:
        """Keep a trial; one of the same program is replaced."""
        body = {"task": about_task, "machine": about_machine, **asdict(replace(trial, taken=trial.taken or _now()))}
        with self._told():
            self._store.put({f"trial {machine} {task} {trial.program}": body})

    def crown(self, task: str, machine: str, winner: Winner) -> None:
        """Keep the winner of a search; it replaces that of an earlier one."""
        body = {k: v for k, v in asdict(winner).items() if k != "record"}
        with self._told():
            self._store.put({f"winner {machine} {task}": {**body, "taken": winner.taken or _now()}})

    def trials(self, task: str, machine: str) -> dict[str, Trial]:
        """Every trial of a task on a machine, by program, oldest first."""
        return {t.program: t for _, t in self._trials(f"trial {machine} {task} ")}

    def measured(self, machine: str) -> list[tuple[str, Trial]]:
        """(task, trial) of everything that ran right on a machine, oldest first."""
        return [(key.split(" ")[2], t) for key, t in self._trials(f"trial {machine} ") if t.status == "ok"]

    def winner(self, task: str, machine: str) -> Winner | None:
        """The winner of the last search for a task on a machine."""
        with self._told():
            found = self._store.get(f"winner {machine} {task}")
            if found is None or (trial := self._store.get(f"trial {machine} {task} {found['program']}")) is None:
                return None
            return Winner(**_body(found), record=_trial(trial).record)

    def _trials(self, prefix: str) -> list[tuple[str, Trial]]:
        with self._told():
            found = [(key, _trial(record)) for key, record in self._store.under(prefix)]
        return sorted(found, key=lambda f: (f[1].taken, f[0]))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong with the file becomes a TuningError that names it."""
        try:
            yield
        except StoreError as error:
            told = f"the tuning database {self.path} {error}"
            raise TuningError(told if error.fault is Fault.BUSY else f"{told}; {_LEFT}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise TuningError(f"the tuning database {self.path} holds a damaged row: {error}; {_LEFT}") from None


def _body(record: Document) -> Document:
    return {k: v for k, v in record.items() if k not in ("format", "key", "digest")}


def _trial(record: Document) -> Trial:
    if not isinstance(record["features"], dict) or not isinstance(record["predicted"], dict):
        raise ValueError("features and predictions are not by name")
    return Trial(**{k: v for k, v in _body(record).items() if k not in ("task", "machine")})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
