"""No file of a shipped certificate can be lost or changed, and nothing in a machine's description, without being named."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.certificates import DamagedError
from isamap_smt.certificates.archive import SUFFIX, archived, read_archive
from isamap_smt.certificates.digests import hardware_digests
from isamap_smt.certificates.manifest import INDEX, MANIFEST, read_index, read_manifest
from isamap_smt.certificates.run import survey
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from tests.families import draw

EVERY = [False, pytest.param(True, marks=pytest.mark.exhaustive)]  # of what is alike, or as many as are drawn


@pytest.fixture(scope="module")
def shipped(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(repository / "proofs", tmp_path_factory.mktemp("shipped") / "proofs"))


def turned(file: Path, at: int) -> bytes:
    """One byte of the file changed; returns what it held."""
    data = file.read_bytes()
    file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    return data


def test_a_changed_byte_of_any_shipped_manifest_is_named(shipped: Path) -> None:
    """One byte in the middle of each, one file at a time."""
    index = read_index(shipped)
    for identifier, expected in index.items():
        file = shipped / identifier / MANIFEST
        data = turned(file, file.stat().st_size // 2)
        with pytest.raises(DamagedError, match=re.escape(MANIFEST)):
            read_manifest(shipped / identifier, expected)
        file.write_bytes(data)
        assert read_manifest(shipped / identifier, expected)["id"] == identifier


def test_a_changed_byte_anywhere_in_a_shipped_archive_is_named(shipped: Path) -> None:
    """Beginning, end, and places between."""
    archives = sorted(shipped.glob(f"*{SUFFIX}"))
    assert archives
    for file in archives:
        size = file.stat().st_size
        for at in (0, 7, *range(size // 9, size - 1, size // 5), size - 20, size - 1):
            data = turned(file, at)
            with pytest.raises(DamagedError, match=re.escape(file.name)):
                read_archive(file)
            file.write_bytes(data)


@pytest.mark.parametrize("every", EVERY)
def test_a_changed_byte_of_any_file_in_an_archive_is_named(shipped: Path, tmp_path: Path, every: bool) -> None:
    """One byte in the middle of each, in an archive that fits it otherwise; of each certificate some files, or every one."""
    tried = 0
    for identifier in read_index(shipped):
        files = archived(shipped, identifier)
        manifest = (shipped / identifier / MANIFEST).read_bytes()
        place = tmp_path / identifier
        place.mkdir(parents=True)
        (place / MANIFEST).write_bytes(manifest)
        for name, data in files.items():
            (place / name).write_bytes(data)
        for name in files:
            if not every and draw(f"{identifier} {name}", 5):
                continue
            data = turned(place / name, len(files[name]) // 2)
            with pytest.raises(DamagedError, match=re.escape(name)):
                read_manifest(place)
            (place / name).write_bytes(data)
            tried += 1
    assert tried > (1000 if every else 200)


def test_what_is_shipped_is_small(repository: Path) -> None:
    files = [f for f in (repository / "proofs").rglob("*") if f.is_file()]
    assert sum(f.stat().st_size for f in files) < 8_000_000 and len(files) < 900


def test_a_certificate_that_is_deleted_is_named(shipped: Path) -> None:
    for identifier in list(read_index(shipped))[::9]:
        manifest = shipped / identifier / MANIFEST
        away = manifest.rename(shipped.parent / "away")
        found = {o.id: o for o in survey(shipped).found}
        assert found[identifier].told == (f"it is missing: {INDEX} lists it",)
        away.rename(manifest)


def variants(value: Any) -> Iterator[Any]:
    """The value with one number, truth value or text in it changed, for each of them; kernels with one statement negated."""
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
        case str():
            yield value + "_"
        case Kernel():
            yield dataclasses.replace(value, tensors=value.tensors[::-1], name=value.name + "_")
            for n, t in enumerate(value.tensors):
                wider = dataclasses.replace(t, shape=tuple(e + 1 for e in t.shape) or (2,))
                yield dataclasses.replace(value, tensors=(*value.tensors[:n], wider, *value.tensors[n + 1 :]))
        case tuple():
            for n, part in enumerate(value):
                for other in variants(part):
                    yield (*value[:n], other, *value[n + 1 :])
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            for f in dataclasses.fields(value):
                if f.init and f.compare:
                    for other in variants(getattr(value, f.name)):
                        with suppress(im.IsamapError):  # what is refused is noticed
                            yield dataclasses.replace(value, **{f.name: other})


PARTS = ("memories", "links", "instructions")


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_a_change_to_anything_in_a_description_changes_the_digest_of_its_part(machine: str, every: bool) -> None:
    """Every number and text of every memory, link and instruction, one at a time: what the machine's certificate compares.

    Of the instructions one of each kind and some that are drawn, or every one.
    """
    hardware: Hardware = isamap_hardware.load(machine)
    tried = 0
    for field in PARTS:
        items = getattr(hardware, field)
        of_kind = {i.kind: i.name for i in hardware.instructions}.values()
        for n, item in enumerate(items):
            if field == "instructions" and not every and item.name not in of_kind and draw(item.name, 6):
                continue
            # by itself, and not checked as a machine: the digests of its parts do not depend on each other
            empty: dict[str, Any] = dict.fromkeys(PARTS, ())
            kept = (item,) if field == "instructions" else items
            now = hardware_digests(cast(Hardware, SimpleNamespace(**{**empty, field: kept})))
            for other in variants(item):
                changed = (other,) if field == "instructions" else (*items[:n], other, *items[n + 1 :])
                then = hardware_digests(cast(Hardware, SimpleNamespace(**{**empty, field: changed})))
                different = {k for k in {*now, *then} if now.get(k) != then.get(k)}
                wanted = {item.name, other.name} if field == "instructions" else {field}
                assert different == wanted, f"{field} {n}: {item} and {other}"
                tried += 1
    assert tried > 50
