"""A few certificates, written once for each process; every test gets a copy of its own to damage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.certificates import check_directory, save
from isamap_smt.certificates.manifest import CLAIMS, KIND, MANIFEST, write_index
from isamap_smt.certificates.store import completeness_certificate, machine_certificate
from isamap_smt.records.record import digest, for_people, sealed

FMA = "avx2/gemm/fmadd_ps,l=j,a=A,b=B"
DOT = "avx2/gemm/madd_u8i8,l=j,e=k,a=A,b=B"
COMPLETE = "wmma/gemm/complete,16x16x16"
MACHINE = "avx2/machine"


Edit = Callable[[Any], object]


def nothing(_: Any) -> None:
    """No edit."""


def seal(root: Path, identifier: str, edit: Edit = nothing, claims: Edit = nothing) -> None:
    """Rewrite claims.json, the manifest and the index around the files that are there now, so that every digest fits.

    edit: of the manifest. claims: of the list in claims.json.
    """
    place = root / identifier
    document = json.loads((place / MANIFEST).read_text())
    if (place / CLAIMS).is_file():
        told = json.loads((place / CLAIMS).read_text())
        claims(told["claims"])
        beside = sorted(f for f in place.iterdir() if f.name not in (MANIFEST, CLAIMS))
        told["files"] = {f.name: digest(f.read_bytes()) for f in beside}
        (place / CLAIMS).write_text(for_people(told))
        document["files"] = {CLAIMS: digest((place / CLAIMS).read_bytes())}
    edit(document)
    (place / MANIFEST).write_text(for_people(sealed(KIND, document)))
    write_index(root)


def gemm_schedule() -> im.Schedule:
    """A small program for gemm on AVX2, all sizes open; nothing is packed."""
    mapping = im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j")
    proved = im.prove(mapping)
    assert isinstance(proved, im.ProvedMapping)
    loops = (im.LoopStep("i", 2), im.LoopStep("j", 8), im.LoopStep("k", 1))
    registers = (("i", 2), ("j", 8), ("k", 1))
    packing = (im.Stage("a"), im.Stage("b", 0))
    return im.Schedule(proved, loops, 2, registers, packing, hardware=im.find_hardware("avx2"))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of a program, of a mapping, of a complete list, of a machine."""
    directory = tmp_path_factory.mktemp("certificates") / "proofs"
    gemm = im.find_kernel("gemm")
    schedule = gemm_schedule()
    save(schedule.proved, directory, schedule)
    bytes_ = gemm.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    dot = im.prove(im.fuse(bytes_, im.find_instruction("avx2.madd_u8i8"), "l=j,e=k"))
    assert isinstance(dot, im.ProvedMapping)
    save(dot, directory)
    half = gemm.with_dtypes({"A": "f16", "B": "f16", "C": "f32"})
    found = im.find_mappings(half, im.find_instruction("wmma.16x16x16"))
    legal = [p.mapping.id for p in found]
    completeness_certificate(found.family, legal, found.witnesses).write(directory)
    machine_certificate(im.find_hardware("avx2")).write(directory)
    write_index(directory)
    return directory


@pytest.fixture(scope="session")
def checked(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the certificates as they were written have been checked."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISAMAP_CACHE", str(cache))
        assert {o.status for o in check_directory(written, jobs=1)} == {"ok"}
    return cache


@pytest.fixture
def proofs(written: Path, checked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the certificates, and the cache: what is damaged or changed is derived anew, the rest need not be."""
    monkeypatch.setenv("ISAMAP_CACHE", str(checked))
    return Path(shutil.copytree(written, tmp_path / "proofs"))


@pytest.fixture
def edited(repository: Path, tmp_path: Path) -> EditedMachine:
    """A copy of a machine's file with one piece of text replaced."""
    return EditedMachine(repository / "hardware" / "isamap_hardware", tmp_path)


class EditedMachine:
    """edited("avx2.py", old, new) is the copy's path."""

    def __init__(self, source: Path, place: Path) -> None:
        self.source, self.place = source, place

    def __call__(self, name: str, old: str, new: str) -> Path:
        text = (self.source / name).read_text()
        assert old in text
        (self.place / name).write_text(text.replace(old, new, 1))
        return self.place / name
