"""A folder whose files are listed with their digests in one of them, which has a digest of its own.

Digests show what has changed since the folder was written; they prove nothing of what stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

from isamap_smt.certificates.errors import DamagedError
from isamap_smt.records.record import digest

MARK = "proofs.json"  # lists the files beside it


def seal(folder: Path, document: dict[str, Any]) -> None:
    """Write the document as the folder's mark, with the digests of the files beside it and its own."""
    files = {p.name: digest(p.read_bytes()) for p in sorted(folder.iterdir())}
    text = json.dumps({**document, "files": files}, indent=2, default=str)
    whole = {**json.loads(text), "digest": digest(text)}
    (folder / MARK).write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def read_seal(folder: Path) -> dict[str, Any]:
    """The mark's document, as it was sealed. Raises OSError where it cannot be read, DamagedError where it is another one."""
    text = (folder / MARK).read_bytes()
    try:
        document = json.loads(text)
        own = document.pop("digest")
        dict(document["files"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"it is no list of files: {type(error).__name__}: {error}") from None
    if own != digest(json.dumps(document, indent=2)):
        raise DamagedError("it has been changed: its digest is not that of its contents")
    assert isinstance(document, dict)
    return document


def changed(folder: Path, files: Dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name beside the mark that is not as these digests say, and what is wrong with it."""
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
