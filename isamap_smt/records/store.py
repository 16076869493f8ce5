"""Records of one kind by key, in one SQLite file shared by many processes.

Each method is one transaction: an interrupt, a kill or a full disk leaves the earlier records as they were. A damaged or
foreign file, or one of another version, is never written and never deleted: Store refuses it, and Cache moves it aside.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from platformdirs import user_cache_dir

from isamap_smt.records.record import Document, Kind, RecordError, compact, read, sealed

if TYPE_CHECKING:
    import sqlite3  # at run time once a file is opened: a start needs none

VERSION = 2  # of the file's table; 1 had tables of its own for each kind
PATIENCE = 20.0  # seconds to wait for another process that writes
_APPLICATION = 0x69736D70  # "ismp", where SQLite keeps whose file it is
_AFTER = "\U0010ffff"  # sorts behind every key that begins alike


class Fault(Enum):
    """Why a file cannot be used."""

    FILE = "damaged, of another version or of another program"
    BUSY = "held by another process"
    PLACE = "not to be read or written there"


class StoreError(Exception):
    """An unusable file, in words behind its path."""

    def __init__(self, fault: Fault, said: str) -> None:
        super().__init__(said)
        self.fault = fault


class Closed(ABC):
    """Closed at the end of a `with`."""

    @abstractmethod
    def close(self) -> None:
        """Let the file go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def kept_directory() -> Path:
    """The directory of this user's records and caches: ISAMAP_CACHE, or the user's cache directory. It may be missing."""
    return Path(os.environ.get("ISAMAP_CACHE") or user_cache_dir("isamap"))


class Store(Closed):
    """An open file of records, made if there is none. Raises StoreError; records are read as record.read() does."""

    def __init__(self, kind: Kind, file: Path, *, lasting: bool = True, patience: float | None = None) -> None:
        """lasting: records survive a crash of the system, and a damaged file is found when it is opened."""
        import sqlite3

        self.kind, self.file = kind, file
        with _told():
            file.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(file, PATIENCE if patience is None else patience, isolation_level=None)
            self._database.text_factory = _text
            try:
                self._open(lasting)
            except BaseException:
                self._database.close()
                raise

    def close(self) -> None:
        """Let the file go."""
        self._database.close()

    def get(self, key: str) -> Document | None:
        """The record under this key, or None. Raises RecordError if it is not as written, or another's."""
        with _told():
            row = self._database.execute("SELECT text FROM record WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._read(key, row[0])

    def under(self, prefix: str) -> Iterator[tuple[str, Document]]:
        """(key, record) of every key with this beginning, in the order of writing. Raises RecordError."""
        with _told():
            asked = "SELECT key, text FROM record WHERE key >= ? AND key < ? ORDER BY rowid"
            rows = self._database.execute(asked, (prefix, prefix + _AFTER)).fetchall()
        return ((key, self._read(key, text)) for key, text in rows)

    def put(self, records: Dict[str, Dict[str, Any]]) -> None:
        """Keep these bodies, by key, in the place of earlier ones; beyond the kind's `most` those written first go."""
        rows = [(key, compact(sealed(self.kind, {**body, "key": key}))) for key, body in records.items()]
        with self._writing() as database:
            database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?)", rows)
            if self.kind.most:
                database.execute(
                    "DELETE FROM record WHERE rowid <= (SELECT max(rowid) FROM record) - ?", (self.kind.most,)
                )

    def _read(self, key: str, text: Any) -> Document:
        found = read(self.kind, text if isinstance(text, str) else "")
        if found.get("key") != key:
            raise RecordError("stands under another key than its own")
        return found

    def _open(self, lasting: bool) -> None:
        """Check whose file it is; make the table of a new one."""
        if self._version() is None:
            with self._writing() as database:
                if self._version() is None:  # else another process was faster
                    database.execute("CREATE TABLE record (key TEXT PRIMARY KEY, text TEXT NOT NULL)")
                    database.execute(f"PRAGMA application_id = {_APPLICATION}")
                    database.execute(f"PRAGMA user_version = {VERSION}")
        if (found := self._version()) != VERSION:
            raise StoreError(Fault.FILE, f"is of version {found}, and this isamap reads version {VERSION}")
        if lasting and (said := self._database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise StoreError(Fault.FILE, f"is damaged ({said})")
        if not lasting:  # what a crash leaves half written is damaged, and found anew
            self._database.execute("PRAGMA synchronous = OFF")

    def _version(self) -> int | None:
        """The version of the file; None if it holds nothing yet."""
        # One statement, so that another process makes the file before it or after it.
        tables, owner, version = self._database.execute(
            "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version "
            "FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if owner not in (0, _APPLICATION) or (tables and not owner):
            raise StoreError(Fault.FILE, "is a database of another program")
        return int(version) if tables or owner or version else None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise


class Cache(Closed):
    """Records to be found again at any time: an unusable file is as good as none, and a damaged one is begun anew."""

    def __init__(self, kind: Kind, name: str, use: bool = True) -> None:
        """name: of the file among the user's caches. Without `use` nothing is kept."""
        self._kind, self._file, self._use = kind, kept_directory() / name, use
        self._store: Store | None = None

    def get(self, key: str) -> Document | None:
        """The record put under this key, or None."""
        with self._opened() as store, suppress(RecordError):
            return None if store is None else store.get(key)
        return None

    def put(self, records: Dict[str, Dict[str, Any]]) -> None:
        """Keep these, if the file can be written."""
        with self._opened() as store:
            if store is not None and records:
                store.put(records)

    def close(self) -> None:
        """Let the file go."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @contextmanager
    def _opened(self) -> Iterator[Store | None]:
        """The store, or None; its faults are no errors here."""
        try:
            if self._use and self._store is None:
                self._store = Store(self._kind, self._file, lasting=False)
        except StoreError as error:
            self._give_up(error.fault)
        try:
            yield self._store
        except StoreError as error:
            self._give_up(error.fault)

    def _give_up(self, fault: Fault) -> None:
        """Go on without the file, or with a new one. A file may still be read if it cannot be written."""
        if fault is Fault.PLACE and self._store is not None:
            return
        self.close()
        if fault in (Fault.BUSY, Fault.PLACE):
            self._use = False  # nobody waits twice
        else:
            _move_aside(self._file)


def _move_aside(file: Path) -> None:
    """Free the name: its file gets the first free one of NAME.1, NAME.2, ..."""
    number = 1
    while os.path.lexists(aside := file.with_name(f"{file.name}.{number}")):
        number += 1
    with suppress(OSError):
        file.rename(aside)
        file.with_name(f"{file.name}-journal").unlink()  # it is of the one that is gone


@contextmanager
def _told() -> Iterator[None]:
    """Errors of SQLite and of the place become StoreErrors."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(Fault.BUSY, "is held by another process; try again") from None
        damaged = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
        raise StoreError(Fault.FILE if damaged else Fault.PLACE, f"cannot be used: {error}") from None
    except OSError as error:
        raise StoreError(Fault.PLACE, f"cannot be used: {error}") from None


def _text(data: bytes) -> str:
    """A cell's text; anything else has no fitting digest."""
    return data.decode(errors="replace")
