"""All certificates of a directory, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

from isamap_smt.certificates.archive import SUFFIX, archived, by_certificate
from isamap_smt.certificates.cache import Memory, opened
from isamap_smt.certificates.check import check_certificate
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.lock import line_of, lock_path, question, read_lock
from isamap_smt.certificates.manifest import (
    INDEX,
    certificate_ids,
    check_root,
    manifest_alone,
    read_index,
    well_formed,
)
from isamap_smt.certificates.remember import Outcome, remembered
from isamap_smt.certificates.subject import Sources
from isamap_smt.certificates.workers import spread
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.language.hardware_library import find_hardware

Progress = Callable[[int, int, Outcome], None]  # done, all, the latest


@dataclass(frozen=True)
class Survey:
    """The certificates to look at. work: id of each one to check, and the digest of its manifest in the index.

    found: outcomes known already, missing certificates among them. lock: the file with the obligations; None if there is none.
    """

    work: tuple[tuple[str, str | None], ...]
    found: tuple[Outcome, ...]
    lock: Path | None

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids with an outcome to come."""
        return tuple(sorted({*(o.id for o in self.found), *(i for i, _ in self.work)}))


def survey(directory: Path, lock: Path | None = None, only: Callable[[str], bool] | None = None) -> Survey:
    """The directory compared with the lists of its index and the lock.

    lock: the file with the obligations; by default the one beside the directory, if there is one. Raises
    CertificateError if the directory is none of certificates, and for a missing lock.
    """
    check_root(directory)
    ids = certificate_ids(directory)
    found: dict[str, Outcome] = {}

    def damaged(identifier: str, told: str) -> None:
        found.setdefault(identifier, Outcome(identifier, "damaged", (told,)))

    listed = _listed(lambda: read_index(directory), INDEX, damaged)
    for identifier in sorted({*(ids if listed is None else listed)} ^ {*ids}):
        missing = identifier not in ids
        damaged(
            identifier, f"it is missing: {INDEX} lists it" if missing else f"it is foreign: {INDEX} does not list it"
        )
    place = lock or lock_of(directory)
    locked = None if place is None else _listed(partial(read_lock, place), place.name, damaged)
    if place is not None and locked is not None:
        for identifier in sorted(i for i in {*locked, *ids} if only is None or only(i)):
            missing = identifier not in ids
            told = f"it is missing: {place.name} lists it" if missing else ""
            if told := told or _beside_lock(directory / identifier, identifier, locked, place.name):
                damaged(identifier, told)
    for archive in sorted(directory.glob(f"*{SUFFIX}")):
        try:
            strangers = sorted(set(by_certificate(archive)) - set(ids))
        except DamagedError as error:
            damaged(archive.name, str(error))
            continue
        if strangers:
            damaged(archive.name, f"{archive.name} holds files of {strangers[0]}, which has no manifest")
    chosen = [i for i in ids if i not in found and (only is None or only(i))]
    work = [(i, (listed or {}).get(i)) for i in chosen]
    return Survey(tuple(work), tuple(o for i, o in found.items() if only is None or "/" not in i or only(i)), place)


def lock_of(directory: Path) -> Path | None:
    """The lock beside the directory, if there is one."""
    beside = lock_path(directory)
    return beside if os.path.lexists(beside) else None


def _listed(
    read: Callable[[], dict[str, str]], name: str, damaged: Callable[[str, str], None]
) -> dict[str, str] | None:
    try:
        return read()
    except DamagedError as error:
        damaged(name, str(error))
        return None


def _beside_lock(place: Path, identifier: str, locked: dict[str, str], name: str) -> str:
    """The difference between a certificate and the lock, in words; '' if there is none, or it is damaged anyway."""
    try:
        with well_formed():
            asked = question(manifest_alone(place))
    except DamagedError:
        return ""
    line = f"if that is meant, its line is: {line_of(identifier, asked)}"
    if identifier not in locked:
        return f"it is foreign: {name} does not list it; {line}"
    return "" if locked[identifier] == asked else f"it asks something else than {name} says; {line}"


def check_directory(
    directory: Path,
    hardware: Sequence[str] = (),
    *,
    sources: Sequence[str] = (),
    jobs: int | None = None,
    cache: bool = True,
    only: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
    lock: Path | None = None,
) -> list[Outcome]:
    """The outcome of every certificate listed by the directory's index or the lock, and of every one found there, by id.

    hardware: files whose machines stand for those of the same name (an edited description). sources: Python files that
    certificates may name; no other named code is carried out. jobs: processes; all cores by default. cache: whether answers
    to unchanged text may be taken from an earlier run. only: which ids. lock: as for survey().
    Raises the errors of survey(), and HardwareError for a file that is no machine.
    """
    seen = survey(directory, lock, only)
    given = tuple(hardware), tuple(sources)
    found = load_sources(*given)  # a file that does not load is misuse, before any work
    outcomes, work = [*seen.found], seen.work
    known = _remembered(directory, work, found, cache)
    run = uuid4().hex
    calls = [(run, str(directory), i, expected, given, cache) for i, expected in work if i not in known]
    outcomes += known.values()
    calls.sort(key=lambda call: _length(directory, call[2]), reverse=True)  # so that no long one starts last
    try:
        outcomes += spread(_check, calls, jobs, progress)
    finally:
        if desk := _desks.pop(run, None):
            desk.memory.close()
    return sorted(outcomes, key=lambda o: o.id)


def _remembered(
    directory: Path, work: Sequence[tuple[str, str | None]], sources: Sources, use: bool
) -> dict[str, Outcome]:
    """Outcomes without new work: a run without changes starts no process."""
    with opened(use) as cache:
        found = {i: remembered(directory, i, expected, sources, cache) for i, expected in work}
    return {i: o for i, o in found.items() if o is not None}


def _length(directory: Path, identifier: str) -> tuple[bool, int]:
    """Larger if a check is expected to take longer: whole families first, then by the size of the files."""
    beside = sum(f.stat().st_size for f in (directory / identifier).iterdir() if f.is_file())
    with suppress(DamagedError):
        beside += sum(map(len, archived(directory, identifier).values()))
    return "/complete," in identifier, beside


def load_sources(hardware: tuple[str, ...], sources: tuple[str, ...] = ()) -> Sources:
    """Sources with the machines of these files in place of the library's. Raises HardwareError.

    Certificates may name the code of both kinds of files.
    """
    machines: dict[str, Hardware] = {}
    for spec in hardware:
        found = find_hardware(spec)
        if found.name in machines:
            raise HardwareError(f"--hardware names the machine {found.name} twice")
        machines[found.name] = found
    return Sources(machines, (*hardware, *sources))


@dataclass(frozen=True)
class _Desk:
    """The data of one process for all certificates of one run."""

    sources: Sources
    memory: Memory


_desks: dict[str, _Desk] = {}  # by run; there is one at a time


def _check(
    run: str,
    directory: str,
    identifier: str,
    expected: str | None,
    given: tuple[tuple[str, ...], tuple[str, ...]],
    use: bool,
) -> Outcome:
    """In a process of its own, sources are loaded once."""
    if run not in _desks:
        _desks[run] = _Desk(load_sources(*given), Memory(use))
    desk = _desks[run]
    return check_certificate(Path(directory), identifier, expected, desk.sources, desk.memory)
