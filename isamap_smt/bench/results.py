"""The results of a run as one file, whole after every case, and what a later run may add to it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import isamap_smt
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.strict_json import finite
from isamap_smt.language.example_kernels import examples
from isamap_smt.records.record import FormatError, Kind, RecordError, for_people, read_file, sealed
from isamap_smt.runtime.whole_file import whole_file

_NAMES = ("machine", "code", "peers", "missing", "settings", "bandwidth", "entries")
KIND = Kind("bench", 2, fields=_NAMES)
_SAME = ("cpu", "features", "cores")  # of the machine, for figures to stand side by side


class ResultsError(IsamapError):
    """A results file that cannot be read, or that this run may not add to."""


Key = tuple[str, str, str, int]


@dataclass
class Results:
    """entries: one for each suite, case, condition and number of threads. missing: peers that are not installed."""

    path: Path
    machine: dict[str, str]
    code: str
    peers: dict[str, str]
    missing: dict[str, str]
    settings: dict[str, Any]
    bandwidth: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)

    def done(self) -> set[Key]:
        """What has been measured."""
        return {key(e) for e in self.entries}

    def add(self, entry: dict[str, Any]) -> None:
        """Append, and write the file anew: it is whole at every moment. Raises ResultsError where it cannot be."""
        self.entries.append(entry)
        self.save()

    def document(self) -> dict[str, Any]:
        """As a record. Numbers that JSON does not have become null."""
        return sealed(KIND, finite({n: getattr(self, n) for n in _NAMES}))

    def save(self) -> None:
        """Write the file anew, whole or not at all, and through to the disk."""
        try:
            with whole_file(self.path) as scratch:
                scratch.write(for_people(self.document()))
                scratch.flush()
                os.fsync(scratch.fileno())
        except OSError as error:
            raise ResultsError(f"cannot write {self.path}: {error.strerror}") from None

    def continues(self, other: Results) -> None:
        """Take over the entries of `other`. Raises ResultsError where figures of the two may not stand side by side."""
        for name in _SAME:
            if other.machine.get(name) != self.machine.get(name):
                raise ResultsError(
                    f"{self.path}: measured on another machine ({name} {other.machine.get(name)}, here "
                    f"{self.machine.get(name)}); write to another file with -o"
                )
        if other.code != self.code:
            raise ResultsError(f"{self.path}: measured with other code of isamap; start anew with --force")
        changed = {n for n in self.peers if other.peers.get(n, self.peers[n]) != self.peers[n]}
        if changed:
            was = ", ".join(f"{n} {other.peers[n]}, now {self.peers[n]}" for n in sorted(changed))
            raise ResultsError(f"{self.path}: measured with other versions ({was}); start anew with --force")
        if other.settings.get("plan") != self.settings.get("plan"):
            raise ResultsError(
                f"{self.path}: scheduled with {other.settings.get('plan')}, now {self.settings.get('plan')}; "
                "give the same options, or start anew with --force"
            )
        self.entries = [*other.entries]
        self.bandwidth = {**other.bandwidth, **self.bandwidth}


def key(entry: dict[str, Any]) -> Key:
    """What an entry is about."""
    return entry["suite"], entry["case"]["name"], entry["condition"], entry["threads"]


def load(path: Path) -> Results:
    """The results in a file. Raises ResultsError for everything that save() did not write."""
    try:
        document = read_file(KIND, path)
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from None
    except FormatError as error:
        raise ResultsError(f"{path} {error}; name another with -o") from None
    except RecordError as error:
        raise ResultsError(f"{path} {error}; remove it, or name another with -o") from None
    return Results(path, **{n: document[n] for n in _NAMES})


def code_digest() -> str:
    """Of every source that figures depend on: the library without its command line, reports and benchmarks, and the examples."""
    import isamap_encodings
    import isamap_hardware
    import isamap_kernels

    digest = hashlib.blake2b(digest_size=8)
    for package in (isamap_smt, isamap_encodings, isamap_hardware, isamap_kernels):
        root = Path(str(package.__file__)).parent
        for file in sorted(f for f in root.rglob("*") if f.suffix in (".py", ".c")):
            if file.relative_to(root).parts[0] not in ("bench", "cli", "report", "certificates"):
                digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    for file in sorted(examples().glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
