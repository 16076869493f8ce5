"""A record is a JSON object with its format and its digest: it is read as it was written, or refused with a reason.

Digests show damage and edits by hand; they prove nothing about its contents. Nothing in a record is carried out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of records. version: of their form. most: how many a cache keeps; the first written go first. fields: those of
    every body."""

    name: str
    version: int
    most: int = 0
    fields: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """As a record says it."""
        return f"isamap {self.name} {self.version}"


class RecordError(ValueError):
    """A record's fault, as the rest of a sentence about it."""


class FormatError(RecordError):
    """It is of another version, or something else."""


def digest(data: str | bytes | memoryview) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def canonical(document: Any) -> str:
    """JSON text, the same for equal documents."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def compact(document: Any) -> str:
    """JSON text on one line, in the document's order."""
    return json.dumps(document, separators=(",", ":"))


def for_people(document: Any) -> str:
    """JSON text with a line for each value, in the document's order."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def sealed(kind: Kind, body: Dict[str, Any]) -> Document:
    """The record with this body."""
    whole = {"format": kind.format, **{k: v for k, v in body.items() if k not in ("format", "digest")}}
    return {**whole, "digest": digest(canonical(whole))}


def read(kind: Kind, text: str, spelled: Callable[[Any], str] = compact) -> Document:
    """The record in a text written by `spelled`. Raises RecordError."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise RecordError("is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"is truncated or no JSON (line {error.lineno}: {error.msg})") from None
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"cannot be read: {error}") from None
    _check_format(kind, document)
    own = document.get("digest")
    if own != digest(canonical({k: v for k, v in document.items() if k != "digest"})):
        raise RecordError("was edited by hand: its digest is not that of its contents")
    if text != spelled(document):  # a key that stands twice, of which only the last was read
        raise RecordError("was edited by hand: it is not written as isamap writes it")
    assert isinstance(document, dict)
    if absent := [n for n in kind.fields if n not in document]:
        raise RecordError(f"lacks {', '.join(absent)}")
    return document


def read_file(kind: Kind, path: Path) -> Document:
    """The record in a file for people. Raises RecordError, and OSError if the file cannot be read."""
    try:
        return read(kind, path.read_bytes().decode(), for_people)
    except UnicodeDecodeError:
        raise RecordError("cannot be read: it is no text") from None


def _check_format(kind: Kind, document: Any) -> None:
    """Nothing happens for a record of this kind and version. Raises FormatError."""
    found = type(document).__name__
    if isinstance(document, dict):
        found = str(document.get("format") or document.get("kind") or "none")[:80]
        if found != kind.format and "version" in document:  # some said it apart before they were records
            found = f"{found} {document['version']}"[:99]
    if found == kind.format:
        return
    name, _, version = found.rpartition(" ")
    if f"{name} {kind.version}" == kind.format:
        raise FormatError(f"is of version {version}, and this isamap reads version {kind.version}")
    raise FormatError(f"is foreign: its format is {found!r}, not {kind.format!r}")
