"""A folder whose files are listed with their digests in one of them, which has a digest of its own.

Digests show changes since the folder was written; they prove nothing about its contents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

from isamap_smt.certificates.errors import DamagedError
from isamap_smt.records.record import FormatError, Kind, RecordError, digest, for_people, read_file, sealed

MARK = "proofs.json"  # lists the files beside it
KIND = Kind("output", 2)


def seal(folder: Path, document: dict[str, Any]) -> None:
    """Write the document as the folder's mark: a record, with the digests of the files beside it."""
    files = {p.name: digest(p.read_bytes()) for p in sorted(folder.iterdir())}
    plain = json.loads(json.dumps({**document, "files": files}, default=str))
    (folder / MARK).write_text(for_people(sealed(KIND, plain)), encoding="utf-8")


def read_seal(folder: Path) -> dict[str, Any]:
    """The mark's document, as it was sealed. Raises OSError if it cannot be read, DamagedError if it is another one."""
    try:
        document = read_file(KIND, folder / MARK)
    except FormatError as error:
        document = json.loads((folder / MARK).read_bytes())
        if not isinstance(document, dict) or document.pop("digest", "") != digest(json.dumps(document, indent=2)):
            raise DamagedError(f"it {error}") from None
        # else version 1, which said no format, and is read as ever
    except RecordError as error:
        raise DamagedError(f"it {error}") from None
    if not isinstance(document.get("files"), dict):
        raise DamagedError("it lists no files")
    return document


def changed(folder: Path, files: Dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name beside the mark that differs from these digests, and its fault."""
    for name in sorted({*files} | {p.name for p in folder.iterdir()} - {MARK}):
        path = folder / name
        if name not in files:
            yield name, f"it is foreign: {MARK} does not list it"
        elif path.parent != folder or path.is_symlink():
            yield name, "it is a link, or lies elsewhere"
        elif not path.is_file():
            yield name, f"it is missing: {MARK} lists it"
        elif digest(path.read_bytes()) != files[name]:
            yield name, f"it is not as it was written: its digest differs from that in {MARK}"
