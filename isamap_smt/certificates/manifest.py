"""A manifest names a certificate's subject; claims.json lists the proved claims, and digests every file with a formula in it.

The index digests every manifest, and a manifest claims.json. That file and the formulas stand beside the manifest, or in the
machine's archive. A digest does not make a certificate trusted: claims are derived again. It tells damage from a changed claim.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isamap_smt.certificates.archive import archive_of, archived
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.records.record import FormatError, Kind, RecordError, digest, for_people, read_file, sealed
from isamap_smt.runtime.whole_file import whole_file

KIND = Kind("certificate", 2)
_RENEW = "`isamap proofs update` writes the library's anew, and isamap_smt.save() your own"
INDEX = "proofs.json"
MANIFEST = "manifest.json"
CLAIMS = "claims.json"
KINDS = {
    "mapping": ("id", "kernel", "instruction", "mapping", "files"),
    "completeness": ("id", "kernel", "instruction", "family", "legal", "witnesses", "files"),
    "machine": ("id", "hardware", "parts", "files"),
}


@dataclass(frozen=True)
class Stored:
    """A certificate with its files as they were written. files: all but the manifest, by name."""

    document: dict[str, Any]
    files: dict[str, str]

    @property
    def claims(self) -> Any:
        """The proved claims of claims.json."""
        return json.loads(self.files[CLAIMS])["claims"] if CLAIMS in self.files else []


@contextmanager
def well_formed(what: str = MANIFEST) -> Iterator[None]:
    """While a manifest's contents are read: missing or misplaced parts raise DamagedError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise DamagedError(f"{what} is not of the form it should have: {error!r}") from None


def _read(path: Path, what: str) -> dict[str, Any]:
    try:
        if path.is_symlink():
            raise DamagedError(f"{what} is a link, which could lead anywhere")
        return read_file(KIND, path)
    except FileNotFoundError:
        raise DamagedError(f"{what} is missing") from None
    except OSError as error:
        raise DamagedError(f"{what} cannot be read: {error}") from None
    except FormatError as error:
        raise DamagedError(f"{what} {error}; {_RENEW}") from None
    except RecordError as error:
        raise DamagedError(f"{what} {error}") from None


def read_index(directory: Path) -> dict[str, str]:
    """Certificate id -> digest of its manifest's text. Raises DamagedError."""
    document = _read(directory / INDEX, INDEX)
    found = document.get("certificates")
    if not isinstance(found, dict):
        raise DamagedError(f"{INDEX} lists no certificates")
    return {str(k): str(v) for k, v in found.items()}


def write_index(directory: Path) -> None:
    """List every certificate now in the directory."""
    found = {i: digest((directory / i / MANIFEST).read_bytes()) for i in certificate_ids(directory)}
    with whole_file(directory / INDEX) as file:
        file.write(for_people(sealed(KIND, {"certificates": found})))


def certificate_ids(directory: Path) -> tuple[str, ...]:
    """Ids (paths below the directory) of everything with a manifest."""
    return tuple(sorted(m.parent.relative_to(directory).as_posix() for m in directory.rglob(MANIFEST)))


def read_manifest(place: Path, expected: str | None = None) -> dict[str, Any]:
    """The manifest of one certificate, checked with all its files. Raises DamagedError."""
    return read_certificate(place, expected).document


def read_certificate(place: Path, expected: str | None = None) -> Stored:
    """One certificate, checked: form, kind, own digest, the index's digest if given, and every file.

    Raises DamagedError with the file and its fault.
    """
    document = manifest_alone(place)
    if expected is not None and digest((place / MANIFEST).read_bytes()) != expected:
        raise DamagedError(f"{MANIFEST} is not the one that {INDEX} lists")
    with well_formed():
        listed = dict(document["files"])
        found = _files(place, document["id"], bool(listed))
        if set(listed) - {CLAIMS}:
            raise DamagedError(f"{MANIFEST} lists more than {CLAIMS}")
        texts = _checked(listed, found, MANIFEST)
    if CLAIMS in listed:
        with well_formed(CLAIMS):
            texts |= _checked(json.loads(texts[CLAIMS])["files"], found, CLAIMS)
    strangers = sorted(set(found) - set(texts))
    if strangers:
        raise DamagedError(f"{strangers[0]} is not listed in {CLAIMS if listed else MANIFEST}")
    return Stored(document, texts)


def manifest_alone(place: Path) -> dict[str, Any]:
    """The manifest without a look at the other files: form, kind, and its own digest. Raises DamagedError."""
    document = _read(place / MANIFEST, MANIFEST)
    kind = document.get("kind")
    if kind not in KINDS:
        raise DamagedError(f"{MANIFEST} is of the unknown kind {kind!r}")
    missing = [k for k in KINDS[kind] if k not in document]
    if missing:
        raise DamagedError(f"{MANIFEST} lacks {missing[0]!r}")
    return document


def _files(place: Path, identifier: str, wanted: bool) -> dict[str, bytes]:
    """The files beside the manifest, or in the archive; a certificate without files needs no readable archive."""
    beside = [f for f in place.iterdir() if f.name != MANIFEST]
    for file in beside:
        if file.is_symlink() or not file.is_file():
            raise DamagedError(f"{file.name} is a link, or something else that is no file")
    whole, depth = place.absolute(), len(identifier.split("/"))
    root = whole.parents[min(depth, len(whole.parents)) - 1]  # as many levels up as the id has parts
    try:
        packed = archived(root, whole.relative_to(root).as_posix())
    except DamagedError:
        if wanted and not beside:
            raise
        packed = {}
    if packed and beside:
        archive = archive_of(place, identifier).name
        raise DamagedError(f"{beside[0].name} stands beside {MANIFEST}, and its files are in {archive}")
    return {**packed, **{f.name: f.read_bytes() for f in beside}}


def _checked(listed: Dict[str, str], found: Dict[str, bytes], by: str) -> dict[str, str]:
    for name, wanted in listed.items():
        if name not in found:
            raise DamagedError(f"{name} is missing")
        if digest(found[name]) != wanted:
            raise DamagedError(f"{name} is not as it was written: its digest differs from that in {by}")
    try:
        return {name: found[name].decode() for name in listed}
    except UnicodeDecodeError as error:
        raise DamagedError(f"a file that {by} lists is no text: {error}") from None


def check_root(directory: Path) -> None:
    """Raise CertificateError if the directory holds no certificates, or is only a part of a directory of them.

    Certificates without any index above them pass: its absence is a finding of the check.
    """
    if not directory.is_dir():
        raise CertificateError(f"there are no certificates at {directory}: no such directory")
    if (directory / INDEX).exists():
        return
    for root in directory.resolve().parents:
        if (root / INDEX).is_file() and _lists_below(root, directory.resolve().relative_to(root).as_posix()):
            whole = os.path.relpath(root)
            raise CertificateError(f"{directory} is a part of {whole}, whose {INDEX} lists what is in it; name {whole}")
    if not certificate_ids(directory):
        raise CertificateError(f"{directory} holds no certificates: there is no {INDEX} in it")


def _lists_below(root: Path, part: str) -> bool:
    try:
        return any(f"{i}/".startswith(f"{part}/") for i in read_index(root))
    except DamagedError:
        return False


def write_certificate(place: Path, document: Dict[str, Any], files: Dict[str, str]) -> None:
    """Write files and manifest into a new or empty directory."""
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise CertificateError(f"{place} is not empty")
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    listed = {CLAIMS: digest(files[CLAIMS])} if CLAIMS in files else {}
    whole = sealed(KIND, {**document, "files": listed})
    (place / MANIFEST).write_text(for_people(whole), encoding="utf-8")


def claims_text(claims: list[dict[str, Any]], files: Dict[str, str]) -> str:
    """claims.json: every claim in words with the file of its formulas, and the digest of each file."""
    return for_people({"claims": claims, "files": {name: digest(text) for name, text in files.items()}})
