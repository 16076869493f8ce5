"""Files of certificates moved into one archive a machine, and written out again for any solver to read."""

from __future__ import annotations

import shutil
from pathlib import Path

from isamap_smt.certificates.archive import archive_of, by_certificate, write_archive
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.manifest import INDEX, MANIFEST, certificate_ids, check_root, read_certificate, read_index


def pack(root: Path, before: Path | None = None) -> None:
    """Afterwards beside each manifest stands nothing, and one archive for each machine holds the rest.

    before: a directory whose archives are taken as they are where they hold the same.
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
    """Write one certificate with its files side by side. Raises CertificateError where it is damaged."""
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
    """Write every certificate into an empty directory, each file by itself, with the index; returns how many there are.

    Raises CertificateError where the directory holds none, and for one that is damaged, missing or not listed.
    """
    check_root(root)
    ids = certificate_ids(root)
    if different := sorted({*ids} ^ {*read_index(root)}):
        raise CertificateError(f"{root} is damaged: {INDEX} does not list what is there, such as {different[0]}")
    for identifier in ids:
        unpack(root, identifier, to)
    shutil.copyfile(root / INDEX, to / INDEX)
    return len(ids)
