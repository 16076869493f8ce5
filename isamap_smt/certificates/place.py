"""A certificate appears at its place whole or not at all, and an earlier one of the same thing is renewed.

Files of many are moved into one archive a machine, and written out again for any solver to read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isamap_smt.certificates.archive import SUFFIX, archive_of, by_certificate, write_archive
from isamap_smt.certificates.directory import swap
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.lock import lock_path, lock_text, question, read_lock
from isamap_smt.certificates.manifest import (
    INDEX,
    MANIFEST,
    certificate_ids,
    check_root,
    manifest_alone,
    read_certificate,
    read_index,
    read_manifest,
    write_index,
)
from isamap_smt.certificates.store import PROGRAM, Certificate
from isamap_smt.runtime.whole_file import whole_file


def put_all(certificates: Sequence[Certificate], root: Path) -> Path:
    """Write all of them below the directory, in place of earlier certificates of the same things; returns the first's place.

    Their files stand beside the manifests afterwards, even if they were in an archive. The index lists them, and so does the
    lock, if there is one. Raises CertificateError, and leaves everything as it is, if something else stands in a place.
    """
    lock = lock_path(root)
    locked = read_lock(lock) if os.path.lexists(lock) else None
    for c in certificates:
        if (root / c.id).exists():
            _require_same(root / c.id, c.document)
    places = [put(c, root) for c in certificates]
    write_index(root)
    if locked is not None:
        locked |= {c.id: question(manifest_alone(p)) for c, p in zip(certificates, places, strict=True)}
        with whole_file(lock) as file:
            file.write(lock_text(locked))
    return places[0]


def put(certificate: Certificate, root: Path) -> Path:
    """Write one; the index is not brought up to date. Raises CertificateError like put_all()."""
    place = root / certificate.id
    if place.exists():
        _require_same(place, certificate.document)
    root.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{root.name}-", dir=root.parent))  # beside it: a check sees no half of it
    try:
        made = certificate.write(scratch)
        place.parent.mkdir(parents=True, exist_ok=True)
        swap(made, place, scratch.with_name(f"{scratch.name}-old"), lambda: _take_out(root, certificate.id))
    except OSError as error:
        raise CertificateError(f"cannot write {place}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return place


def _take_out(root: Path, identifier: str) -> None:
    """The machine's archive without this certificate's files."""
    archive = archive_of(root, identifier)
    packed = by_certificate(archive)
    if identifier in packed:
        kept = {i: files for i, files in packed.items() if i != identifier}
        write_archive(archive, {f"{i}/{name}": data for i, files in kept.items() for name, data in files.items()})


def _require_same(place: Path, document: Dict[str, Any]) -> None:
    """Raise CertificateError unless the place is free, or has an intact certificate of the document's subject."""
    advice = f"delete {place}, or save into another directory"
    if not place.is_dir() or (any(place.iterdir()) and not (place / MANIFEST).is_file()):
        raise CertificateError(f"{place} is taken by something that is no certificate; {advice}")
    if not any(place.iterdir()):
        return
    try:
        there = read_manifest(place)
    except DamagedError as error:
        raise CertificateError(f"the certificate at {place} is damaged ({error}); {advice}") from None
    for what, known, mine in zip(("id", "kernel", "instruction"), _about(there), _about(document), strict=True):
        if known != mine:
            here, now = _shown(known), _shown(mine)
            raise CertificateError(
                f"the certificate at {place} is about something else: its {what} is {here}, not {now}; {advice}"
            )
    if "schedule" in there and "schedule" not in document:
        raise CertificateError(f"the certificate at {place} holds a program too: pass its schedule, or {advice}")


def _about(document: Dict[str, Any]) -> tuple[Any, ...]:
    """The identity of a certificate's subject: the origin of the kernel (or its text) and of the instruction."""
    kernel = document.get("kernel", {})
    names = {k: kernel.get(k) for k in ("name", "source", "dtypes", "ranges", "sizes", "split")}
    if names["source"] is None:
        names["text"] = kernel.get("text")
    return document["id"], names, document.get("instruction", {}).get("source")


def _shown(about: Any) -> str:
    if not isinstance(about, dict):
        return str(about)
    said = about["source"] or f"the text {about['text'].strip()!r}"
    types = ", ".join(f"{n}={d}" for n, d in about["dtypes"].items())
    assumed = ", ".join(f"{low} <= {n} <= {high}" for n, (low, high) in about["ranges"].items())
    return f"{said} with {types}" + (f" and {assumed}" if assumed else "")


def no_certificate(root: Path) -> str:
    """The first file below the directory outside of every certificate, index and archive; "" if there is none."""
    known = {root / i for i in certificate_ids(root)} if (root / INDEX).is_file() else set()
    for path in sorted(p for p in root.rglob("*") if p.is_symlink() or not p.is_dir()):
        if path.parent == root:
            ours = bool(known) and (path.name == INDEX or path.name.endswith(SUFFIX))
        else:
            ours = path.parent in known and (path.suffix in {".json", ".smt2"} or path.name == PROGRAM)
        if not ours:
            return path.relative_to(root).as_posix()
    return ""


def pack(root: Path, before: Path | None = None) -> None:
    """Move all files beside the manifests into one archive for each machine.

    before: a directory whose archives are taken as they are if they hold the same.
    """
    machines: dict[Path, dict[str, bytes]] = {}
    for identifier in certificate_ids(root):
        beside = [f for f in (root / identifier).iterdir() if f.name != MANIFEST]
        archive = archive_of(root, identifier)
        files = machines.setdefault(archive, {})
        files.update({f"{identifier}/{f.name}": f.read_bytes() for f in beside})
        files.update({f"{identifier}/{n}": data for n, data in by_certificate(archive).get(identifier, {}).items()})
    for archive, files in machines.items():
        if before is not None and (before / archive.name).is_file() and not archive.exists():
            shutil.copyfile(before / archive.name, archive)
        write_archive(archive, files)
    for identifier in certificate_ids(root):
        for file in (root / identifier).iterdir():
            if file.name != MANIFEST:
                file.unlink()


def unpack(root: Path, identifier: str, to: Path) -> None:
    """Write one certificate with its files side by side. Raises CertificateError if it is damaged."""
    try:
        stored = read_certificate(root / identifier)
    except DamagedError as error:
        raise CertificateError(f"{root / identifier} is damaged: {error}") from None
    place = to / identifier
    place.mkdir(parents=True)
    shutil.copyfile(root / identifier / MANIFEST, place / MANIFEST)
    for name, text in stored.files.items():
        (place / name).write_text(text, encoding="utf-8")


def export(root: Path, to: Path) -> int:
    """Write every certificate into an empty directory, each file by itself, with the index; returns their number.

    Raises CertificateError if the directory holds none, and for one that is damaged, missing or not listed.
    """
    check_root(root)
    ids = certificate_ids(root)
    if different := sorted({*ids} ^ {*read_index(root)}):
        raise CertificateError(f"{root} is damaged: {INDEX} does not list what is there, such as {different[0]}")
    for identifier in ids:
        unpack(root, identifier, to)
    shutil.copyfile(root / INDEX, to / INDEX)
    return len(ids)
