"""Answers remembered between runs, keyed by the digest of everything they depend on: changed text is asked again.

The cache stands in the user's cache directory (or ISAMAP_CACHE) and may be deleted at any time. One that cannot be read
or written is as good as none; an entry that is damaged, or stands under another key than its own, is no entry.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_dir

from isamap_smt.certificates.digests import digest

_SEAL = 64  # hexadecimal digits before a value
_MOST = 200_000  # entries; beyond that the oldest half goes
_PATIENCE = 20.0  # seconds to wait while another process writes


class Cache:
    """Text by digest. Without a file nothing is remembered."""

    def __init__(self, use: bool = True) -> None:
        self._database = _opened() if use else None

    def get(self, key: str) -> str | None:
        """What was put under this key, or None."""
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
    """The cache's file; a new one where what stands there is no database. None where it cannot be used now."""
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
        database.execute("pragma synchronous = off")  # what a crash leaves half written has no seal that fits
        database.execute("create table if not exists answers (key text primary key, value text)")
    except sqlite3.Error:
        database.close()
        raise
    return database
