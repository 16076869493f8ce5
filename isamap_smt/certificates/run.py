"""All certificates of a directory, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from isamap_smt.certificates.answers import Memory
from isamap_smt.certificates.cache import Cache
from isamap_smt.certificates.check import check_certificate
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.manifest import INDEX, certificate_ids, check_root, read_index
from isamap_smt.certificates.outcome import Outcome
from isamap_smt.certificates.remember import remembered
from isamap_smt.certificates.subject import Sources
from isamap_smt.certificates.workers import spread
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.language.hardware_library import find_hardware

Progress = Callable[[int, int, Outcome], None]  # done, all, the latest


def check_directory(
    directory: Path,
    hardware: Sequence[str] = (),
    *,
    jobs: int | None = None,
    cache: bool = True,
    only: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
) -> list[Outcome]:
    """The outcome of every certificate listed in the directory's index, and of every one found there, by id.

    hardware: files whose machines stand for those of the same name (an edited description). jobs: processes; all cores by
    default. cache: whether answers to unchanged text may be taken from an earlier run. only: which ids. Raises CertificateError
    where the directory is not one of certificates, HardwareError for a file that is no machine.
    """
    check_root(directory)
    sources = load_sources(tuple(hardware))  # a file that does not load is misuse, before any work
    found = certificate_ids(directory)
    outcomes: list[Outcome] = []
    try:
        listed = read_index(directory)
    except DamagedError as error:
        outcomes.append(Outcome(INDEX, "damaged", (str(error),)))
        listed = dict.fromkeys(found, "")
    work: list[tuple[str, str | None]] = []
    for identifier in sorted(i for i in {*listed, *found} if only is None or only(i)):
        if identifier not in found:
            outcomes.append(Outcome(identifier, "damaged", (f"it is missing: {INDEX} lists it",)))
        elif identifier not in listed:
            outcomes.append(Outcome(identifier, "damaged", (f"it is foreign: {INDEX} does not list it",)))
        else:
            work.append((identifier, listed[identifier] or None))
    known = _remembered(directory, work, sources, cache)
    run = uuid4().hex
    calls = [(run, str(directory), i, expected, tuple(hardware), cache) for i, expected in work if i not in known]
    outcomes += known.values()
    calls.sort(key=lambda call: _length(directory / call[2]), reverse=True)  # so that no long one starts last
    try:
        outcomes += spread(_check, calls, jobs, progress)
    finally:
        if desk := _desks.pop(run, None):
            desk.memory.close()
    return sorted(outcomes, key=lambda o: o.id)


def _remembered(
    directory: Path, work: Sequence[tuple[str, str | None]], sources: Sources, use: bool
) -> dict[str, Outcome]:
    """Outcomes that need no new work, so that a run without changes starts no process."""
    cache = Cache(use)
    try:
        found = {i: remembered(directory, i, expected, sources, cache) for i, expected in work}
    finally:
        cache.close()
    return {i: o for i, o in found.items() if o is not None}


def _length(place: Path) -> tuple[bool, int]:
    """Larger where a check is expected to take longer: whole families first, then by the size of the files."""
    return place.name.startswith("complete,"), sum(f.stat().st_size for f in place.iterdir() if f.is_file())


def load_sources(hardware: tuple[str, ...]) -> Sources:
    """Sources in which the machines of these files stand for the library's. Raises HardwareError."""
    machines: dict[str, Hardware] = {}
    for spec in hardware:
        found = find_hardware(spec)
        if found.name in machines:
            raise HardwareError(f"--hardware names the machine {found.name} twice")
        machines[found.name] = found
    return Sources(machines)


@dataclass(frozen=True)
class _Desk:
    """What one process keeps for all certificates of one run."""

    sources: Sources
    memory: Memory


_desks: dict[str, _Desk] = {}  # by run; there is one at a time


def _check(
    run: str, directory: str, identifier: str, expected: str | None, hardware: tuple[str, ...], use: bool
) -> Outcome:
    """In a process of its own, sources are loaded once."""
    if run not in _desks:
        _desks[run] = _Desk(load_sources(hardware), Memory(use))
    desk = _desks[run]
    return check_certificate(Path(directory), identifier, expected, desk.sources, desk.memory)
