"""No file of a shipped certificate can be lost or changed, and nothing in a machine's description, without being named."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.certificates import DamagedError, check_directory
from isamap_smt.certificates.digests import hardware_digests
from isamap_smt.certificates.manifest import INDEX, MANIFEST, read_index, read_manifest
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel


@pytest.fixture(scope="module")
def shipped(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(repository / "proofs", tmp_path_factory.mktemp("shipped") / "proofs"))


def test_a_changed_byte_of_any_shipped_file_is_named(shipped: Path) -> None:
    """One byte in the middle of each file, one file at a time."""
    index = read_index(shipped)
    changed = 0
    for identifier, expected in index.items():
        for file in sorted((shipped / identifier).iterdir()):
            data = file.read_bytes()
            middle = len(data) // 2
            file.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
            with pytest.raises(DamagedError) as told:
                read_manifest(shipped / identifier, expected)
            assert file.name in str(told.value)
            file.write_bytes(data)
            changed += 1
        assert read_manifest(shipped / identifier, expected)["id"] == identifier
    assert changed > len(index)


def test_a_certificate_that_is_deleted_is_named(shipped: Path) -> None:
    for identifier in read_index(shipped):
        manifest = shipped / identifier / MANIFEST
        away = manifest.rename(shipped.parent / "away")
        (outcome,) = check_directory(shipped, jobs=1, only=lambda i, wanted=identifier: i == wanted)
        assert (outcome.id, outcome.status) == (identifier, "damaged")
        assert outcome.told == (f"it is missing: {INDEX} lists it",)
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


@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_a_change_to_anything_in_a_description_changes_the_digest_of_its_part(machine: str) -> None:
    """Every number and text of every memory, link and instruction, one at a time: what the machine's certificate compares."""
    hardware: Hardware = isamap_hardware.load(machine)
    tried = 0
    for field in PARTS:
        items = getattr(hardware, field)
        for n, item in enumerate(items):
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
