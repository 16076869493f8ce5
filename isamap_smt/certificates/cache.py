"""Answers remembered between runs, keyed by the digest of everything they depend on: changed text is asked again.

The cache stands in the user's cache directory (or ISAMAP_CACHE) and may be deleted at any time. An unreadable or unwritable one
is as good as none; a damaged entry, or one under another key than its own, is no entry. A solver's answer
is filed under the question's complete SMT-LIB text, the solver's name and version, and the code and limits of asking it.
Only that digest finds an answer, never a certificate's word for it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from isamap_encodings.solve import DIRECT, SEED, versions
from isamap_encodings.z3_check import RESOURCES, cvc5_version
from isamap_smt.certificates.digests import canonical, encodings_digest
from isamap_smt.certificates.sealed import digest

_SEAL = 64  # hexadecimal digits before a value
_MOST = 200_000  # entries; beyond that the oldest half goes
_PATIENCE = 20.0  # seconds to wait while another process writes


class Cache:
    """Text by digest. Without a file nothing is remembered."""

    def __init__(self, use: bool = True) -> None:
        self._database = _opened() if use else None

    def get(self, key: str) -> str | None:
        """The text put under this key, or None."""
        if self._database is None:
            return None
        with suppress(sqlite3.Error):
            row = self._database.execute("select value from answers where key = ?", (key,)).fetchone()
            if row is None or not isinstance(row[0], str):
                return None
            seal, value = row[0][:_SEAL], row[0][_SEAL:]
            return value if seal == _seal(key, value) else None
        return None

    def put(self, entries: dict[str, str]) -> None:
        """Remember these."""
        if self._database is None or not entries:
            return
        rows = [(key, _seal(key, value) + value) for key, value in entries.items()]
        with suppress(sqlite3.Error), self._database:
            self._database.executemany("insert or replace into answers values (?, ?)", rows)
            (count,) = self._database.execute("select count(*) from answers").fetchone()
            if count > _MOST:
                half = "select rowid from answers order by rowid limit ?"
                self._database.execute(f"delete from answers where rowid in ({half})", (count // 2,))

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None


def _seal(key: str, value: str) -> str:
    return digest(f"{key} {value}")


def _opened() -> sqlite3.Connection | None:
    """The cache's file; a new one if the present file is no database. None if it cannot be used now."""
    directory = Path(os.environ.get("ISAMAP_CACHE") or user_cache_dir("isamap"))
    file = directory / "proofs.sqlite"
    for _ in range(2):
        try:
            directory.mkdir(parents=True, exist_ok=True)
            return _connected(file)
        except (OSError, sqlite3.OperationalError):  # no such place, or others hold it: theirs is left alone
            return None
        except sqlite3.DatabaseError:
            with suppress(OSError):
                file.unlink()
    return None


def _connected(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=_PATIENCE)
    try:
        database.execute("pragma synchronous = off")  # an entry left half written by a crash has no fitting seal
        database.execute("create table if not exists answers (key text primary key, value text)")
    except sqlite3.Error:
        database.close()
        raise
    return database


class Answers:
    """Answers of one solver. about: its name, its version, and everything else that may change its answers."""

    def __init__(self, cache: Cache, *about: Any) -> None:
        self._cache = cache
        self._about = about
        self._heard: dict[str, tuple[str, float]] = {}
        self._fresh: dict[str, str] = {}

    def known(self, text: str) -> tuple[str, float] | None:
        """(answer, seconds it took) of exactly this text, or None."""
        key = self._key(text)
        found = self._heard.get(key)
        if found is None and (kept := self._cache.get(key)) is not None:
            answer, seconds = json.loads(kept)
            found = self._heard[key] = str(answer), float(seconds)
        return found

    def note(self, text: str, answer: str, seconds: float) -> None:
        """The solver has just said this."""
        key = self._key(text)
        self._heard[key] = answer, seconds
        self._fresh[key] = json.dumps([answer, round(seconds, 5)])

    def flush(self) -> None:
        """Let later runs, and the other processes of this one, know the new answers."""
        self._cache.put(self._fresh)
        self._fresh = {}

    def _key(self, text: str) -> str:
        return digest(canonical([*self._about, text]))


class Memory:
    """Everything one process of a check remembers: outcomes of certificates, and each solver's answers.

    use: whether earlier runs count, and later ones may know. Without it every question is asked, once in each process.
    """

    def __init__(self, use: bool = True) -> None:
        self.outcomes = Cache(use)
        self.z3 = Answers(self.outcomes, "z3", versions()["z3"], SEED, DIRECT, encodings_digest())
        self.cvc5 = Answers(self.outcomes, "cvc5", cvc5_version(), RESOURCES, encodings_digest())

    def flush(self) -> None:
        """Write down the new answers."""
        self.z3.flush()
        self.cvc5.flush()

    def close(self) -> None:
        """The same, and let go of the file."""
        self.flush()
        self.outcomes.close()
