"""Every kind of record against files that are tampered with, cut off, of another version or of somebody else.

None crashes its reader, none is taken for what was found, and none is lost: what is refused stays, and a cache moves it aside.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.bench import results
from isamap_smt.certificates import cache as answers
from isamap_smt.certificates import sealed as sealed_folder
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.manifest import INDEX, MANIFEST, read_index, read_manifest
from isamap_smt.certificates.sealed import MARK, read_seal, seal
from isamap_smt.exploration import grid
from isamap_smt.exploration.cells import Answer
from isamap_smt.ir.errors import HardwareError
from isamap_smt.machine_model import calibration
from isamap_smt.machine_model.calibration import Calibration, identity, load, save
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.pipeline import decisions
from isamap_smt.records.record import Kind, compact, for_people, sealed
from isamap_smt.records.store import Cache
from isamap_smt.runtime.conformance import remembered
from isamap_smt.tuning import database
from isamap_smt.tuning.database import Database, Trial, database_path
from isamap_smt.tuning.errors import TuningError

PROOFS = Path(__file__).parents[2] / "proofs"


@dataclass(frozen=True)
class Case:
    """write: keeps a value, into a directory that is the cache's; returns the file. read: the value, or None where there is none.

    refuses: what read may raise; a cache raises nothing.
    """

    write: Callable[[Path], Path]
    read: Callable[[Path], Any]
    refuses: tuple[type[Exception], ...] = ()


def _cached(kind: Kind, name: str) -> Case:
    """Several records, so that the file has pages that are read and others that are not."""

    def put(place: Path) -> Path:
        with Cache(kind, name) as cache:
            fields = dict.fromkeys(kind.fields, 1)
            cache.put({f"key {n}": {**fields, "n": n, "said": "OPTIMAL" * 40} for n in range(30)})
        return place / name

    def get(_: Path) -> Any:
        with Cache(kind, name) as cache:
            found = cache.get("key 7")
        return None if found is None else {k: v for k, v in found.items() if k != "digest"}

    return Case(put, get)


def _answers() -> Case:
    def asked() -> answers.Answers:
        return answers.Answers(answers.opened(), "solver", "1")

    def put(place: Path) -> Path:
        made = asked()
        for n in range(30):
            made.note(f"(assert {n})", "unsat", 0.5)
        made.flush()
        return place / answers.FILE

    return Case(put, lambda _: asked().known("(assert 7)"))


def _calibration() -> Case:
    made = Calibration(identity(), 3.0, (), (), 900.0, (), (), (), (("L1", 4.0),), 5, "2026-01-01T00:00:00", 30.0)
    return Case(lambda _: save(made), lambda _: load(), (CalibrationError,))


def _tuning() -> Case:
    def put(_: Path) -> Path:
        with Database() as d:
            for n in range(20):
                d.add(
                    "t",
                    "",
                    "m",
                    "",
                    Trial(f"p{n}", "ok", 1e-3, 1e-3, 5, 0, "", "random", 0, {"n": n}, {"x": 1.0}, {}, "now"),
                )
        return database_path()

    def get(_: Path) -> Any:
        with Database() as d:
            return d.trials("t", "m") or None

    return Case(put, get, (TuningError,))


def _explored() -> Case:
    one = Answer("key", "OPTIMAL", 3, 120.0, 100.0, (("load", 4.0),), "outer")

    def put(place: Path) -> Path:
        grid._Book(place / grid.CELLS, ()).write(one)
        return place / grid.CELLS

    return Case(put, lambda place: grid._Book(place / grid.CELLS, ["key"]).known.get("key"), (HardwareError,))


def _bench() -> Case:
    def put(place: Path) -> Path:
        results.Results(place / "bench.json", {"cpu": "λ"}, "abc", {}, {}, {"quick": True}, entries=[{"n": 1.5}]).save()
        return place / "bench.json"

    return Case(put, lambda place: results.load(place / "bench.json"), (results.ResultsError,))


def _listed(name: str, file: str, get: Callable[[Path], Any]) -> Case:
    """A shipped certificate's manifest, or the index."""

    def put(place: Path) -> Path:
        shutil.copytree(PROOFS / name, place, dirs_exist_ok=True) if name else shutil.copy(PROOFS / file, place / file)
        return place / file

    return Case(put, get, (DamagedError,))


def _output() -> Case:
    def put(place: Path) -> Path:
        (place / "kernel.c").write_text("int x;")
        seal(place, {"network": "λ", "claims": [1, 2.5, None], "at": place.name})
        return place / MARK

    return Case(put, read_seal, (DamagedError,))


CASES = {
    "decisions": lambda: _cached(decisions.KIND, decisions.FILE),
    "checked instructions": lambda: _cached(remembered.KIND, remembered.FILE),
    "answers of solvers": _answers,
    "calibration": _calibration,
    "tuning": _tuning,
    "explored cells": _explored,
    "results of a bench": _bench,
    "a certificate": lambda: _listed("avx2/machine", MANIFEST, read_manifest),
    "the index of certificates": lambda: _listed("", INDEX, read_index),
    "what was compiled": _output,
}


def _spoiled(whole: bytes, n: int, rng: random.Random) -> bytes:
    """Another file in the place of this one."""
    data, at = bytearray(whole), rng.randrange(len(whole))
    match n % 10:
        case 0:
            return bytes(data[:at])
        case 1:
            return rng.randbytes(rng.choice([0, 1, 99, 9_000]))
        case 2:
            return bytes(data[:at] + data[at + 1 :])
        case 3:
            return whole.replace(b"isamap ", b"isamap  ", 1) if n % 20 == 3 else whole.replace(b" 1", b" 9")
        case 4:
            return whole + whole[at:]
        case 5:
            begin = rng.randrange(len(data))
            data[begin : begin + 4096] = bytes(min(4096, len(data) - begin))  # a page that never reached the disk
        case _:
            for _ in range(rng.choice([1, 1, 3, 40])):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("name", CASES)
def test_no_file_crashes_its_reader_is_believed_or_is_lost(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    case, rng = CASES[name](), random.Random(name)
    file = case.write(tmp_path)
    whole, before = file.read_bytes(), case.read(tmp_path)
    assert before is not None and case.read(tmp_path) == before
    refused = unseen = 0
    for n in range(200):
        if (data := _spoiled(whole, n, rng)) == whole:
            continue
        file.write_bytes(data)
        for suffix in ("-journal", "-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        try:
            found = case.read(tmp_path)
        except case.refuses as error:
            refused += 1
            assert len(str(error)) > 20
            assert file.read_bytes() == data, n  # left as it is
            continue
        # An empty file is a new one, and SQLite leaves bits of unused bytes alone.
        assert found is None or found == before or (name == "tuning" and found.items() <= before.items()), n
        unseen += found is not None
        beside = [f.read_bytes() for f in tmp_path.glob(f"{file.name}*") if f.is_file()]
        assert data in beside or len(data) < 2, n  # a byte is an empty database to SQLite
        for aside in tmp_path.glob(f"{file.name}.*"):
            aside.unlink()
        if not case.refuses:  # what is found anew is kept again, once damage that only a write meets is moved aside
            assert any(case.write(tmp_path) and case.read(tmp_path) == before for _ in range(3)), n
    assert refused or not case.refuses
    assert unseen < 140


KINDS = {
    "answers of solvers": answers.KIND,
    "calibration": calibration.KIND,
    "tuning": database.KIND,
    "explored cells": grid.KIND,
    "results of a bench": results.KIND,
    "what was compiled": sealed_folder.KIND,
}


@pytest.mark.parametrize("body", [{}, {"answer": 1, "files": 2, "parts": 3, "entries": 4, "status": "ok"}])
@pytest.mark.parametrize("name", KINDS)
def test_a_sealed_record_without_its_fields_is_none(
    name: str, body: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its kind and version, with the digest of its contents, which are not those of its kind."""
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    case, kind = CASES[name](), KINDS[name]
    file = case.write(tmp_path)
    if file.suffix == ".json":
        file.write_text(for_people(sealed(kind, body)))
    else:
        with closing(sqlite3.connect(file)) as c, c:
            for (key,) in c.execute("SELECT key FROM record").fetchall():
                text = compact(sealed(kind, {**body, "key": key}))
                c.execute("UPDATE record SET text = ? WHERE key = ?", (text, key))
    try:
        assert case.read(tmp_path) is None
    except case.refuses as error:
        assert len(str(error)) > 10


@pytest.mark.parametrize(
    "body", [{}, {"schedule": {}, "said": 1, "least": None}, {"schedule": 7, "said": [], "least": [1]}]
)
def test_a_sealed_decision_without_its_fields_is_none(
    body: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    with Cache(decisions.KIND, decisions.FILE) as cache:
        cache.put({"key": body})
    assert decisions.load("key", im.find_kernel("gemm"), im.find_hardware("avx2"), ()) is None


@pytest.mark.parametrize("name", CASES)
def test_files_of_older_and_newer_versions_and_of_others(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case's reader gets the files of all the others, and a database and a text that are nobody's."""
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    case = CASES[name]()
    file = case.write(tmp_path / "own")
    nobody = tmp_path / "nobody"
    with closing(sqlite3.connect(nobody)) as c, c:
        c.execute("CREATE TABLE record (key TEXT PRIMARY KEY, text TEXT NOT NULL)")
    others = [nobody.read_bytes(), b"a letter\n", b'{"format": "isamap letter 1"}']
    for n, other in enumerate(o for o in CASES if o != name):
        place = tmp_path / str(n)
        place.mkdir()
        monkeypatch.setenv("ISAMAP_CACHE", str(place))
        others.append(CASES[other]().write(place).read_bytes())
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "own"))
    for data in others:
        file.write_bytes(data)
        try:
            assert case.read(tmp_path / "own") is None
        except case.refuses:
            assert file.read_bytes() == data
            continue
        assert data in [f.read_bytes() for f in file.parent.glob(f"{file.name}*")]
        for aside in file.parent.glob(f"{file.name}.*"):
            os.unlink(aside)
