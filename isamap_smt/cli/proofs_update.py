"""isamap proofs update: certificates of the library's kernels, chosen with the search and the scheduler and derived without them;
those of one's own, of the mappings and decisions that they hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.load import renewed
from isamap_smt.certificates.lock import lock_path, lock_text, question, read_lock
from isamap_smt.certificates.manifest import INDEX, certificate_ids, manifest_alone, read_manifest, write_index
from isamap_smt.certificates.place import pack, unpack
from isamap_smt.certificates.subject import Sources
from isamap_smt.certificates.undecided import UndecidedError
from isamap_smt.certificates.workers import spread
from isamap_smt.cli.directory import check_place, whole_directory, write_whole
from isamap_smt.cli.proofs_choice import Wanted, wanted, write
from isamap_smt.ir.errors import IsamapError


@dataclass(frozen=True)
class Own:
    """One certificate, where it stands."""

    directory: str
    id: str


def own(directory: Path, pattern: str = "*") -> list[Own]:
    """Those that match the pattern (`accel`, `accel/layer`, `*/layer/outer`, or a whole id).

    Raises CertificateError for one of one's own that stands where the library's would be written.
    """
    library = wanted()
    found: list[Own] = []
    for identifier in certificate_ids(directory):
        by = next((w for w in library if w.covers(identifier)), None)
        if _matches(identifier, pattern):
            if by is None:
                found.append(Own(str(directory), identifier))
            else:
                _require_library(directory, identifier, by)
    return found


def write_again(one: Own, scratch: str) -> list[str]:
    """Write it below the scratch directory, from today's sources; returns its id, which may be another one.

    Raises CertificateError where it is damaged, not proved any more, or what it is about is not found.
    """
    place = Path(one.directory) / one.id
    try:
        certificate = renewed(place, Sources())
    except UndecidedError as error:
        raise UndecidedError(f"{place} cannot be written anew: {error}", error.formulas) from None
    except IsamapError as error:
        hint = "delete it, or save it again" if isinstance(error, DamagedError) else "mend that, or delete it"
        raise CertificateError(f"{place} cannot be written anew: {error}\n{hint}") from error
    certificate.write(Path(scratch))
    return [certificate.id]


def _matches(identifier: str, pattern: str) -> bool:
    """As patterns match the library's: by hardware/kernel/instruction or its first parts."""
    name = identifier.split(",", maxsplit=1)[0]
    return identifier == pattern or any(fnmatchcase(name, p) for p in (pattern, f"{pattern.rstrip('/')}/*"))


def _require_library(directory: Path, identifier: str, by: Wanted) -> None:
    try:
        document = read_manifest(directory / identifier)
    except DamagedError:
        return  # it is written anew
    kernel, instruction = document.get("kernel", {}), document.get("instruction", {})
    if by.kernel and (kernel.get("source") != by.kernel or ".py" in str(instruction.get("source"))):
        raise CertificateError(
            f"{directory / identifier} is of {kernel.get('source') or 'a kernel of your own'}, and the library's {by.name} "
            "would take its place; update another directory, or give your kernel another name"
        )


@dataclass(frozen=True)
class Updated:
    """written: ids. lock: the file that lists them; added, removed, changed: in what it differs from what it said before."""

    written: list[str]
    lock: Path
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def update_directory(
    place: Path,
    pattern: str = "*",
    jobs: int | None = None,
    progress: Callable[[int, int, list[str]], None] | None = None,
) -> Updated:
    """Write every certificate that matches the pattern, the library's and those of one's own that stand at the place, and list
    all in the lock beside it. The others stay as they are.

    Raises CertificateError where nothing matches, one is not proved, or one of one's own is gone that the lock lists; OutputError
    where the place holds something else.
    """
    check_place(place)
    mine, chosen, lock = own(place, pattern), wanted(pattern), lock_path(place)
    if not chosen and not mine:
        raise CertificateError(
            f"no certificate of the library, and none in {place}, matches {pattern!r}; write hardware/kernel, such as "
            "avx2/gemm or */conv2d"
        )
    before = read_lock(lock) if os.path.lexists(lock) else {}
    library = chosen if pattern == "*" else wanted()
    gone = [i for i in before if i not in certificate_ids(place) and not any(w.covers(i) for w in library)]
    if gone:
        raise CertificateError(f"{gone[0]} is missing: {lock} lists it; put it back, or remove its line")
    replaced = {one.id for one in mine}
    with whole_directory(place) as scratch:
        results = spread(_write, [(w, str(scratch)) for w in (*mine, *chosen)], jobs, progress)
        written = [i for ids in results for i in ids]
        if pattern != "*" and (place / INDEX).is_file():
            for identifier in certificate_ids(place):
                if identifier not in replaced and not any(w.covers(identifier) for w in chosen):
                    _keep(place, identifier, scratch)
        pack(scratch, place)
        write_index(scratch)
        now = {i: question(manifest_alone(scratch / i)) for i in certificate_ids(scratch)}
    if pattern != "*":  # what is missing of the rest stays missed
        now |= {i: q for i, q in before.items() if i not in now and not any(w.covers(i) for w in chosen)}
    if now != before:
        write_whole(lock, lock_text(now))
    changed = tuple(i for i in now if i in before and now[i] != before[i])
    return Updated(written, lock, tuple(sorted({*now} - {*before})), tuple(sorted({*before} - {*now})), changed)


def _keep(place: Path, identifier: str, scratch: Path) -> None:
    """One that is not written anew goes over as it is; a damaged one would be lost."""
    try:
        unpack(place, identifier, scratch)
    except CertificateError as error:
        raise CertificateError(f"{error}; update or delete it first") from None


def _write(one: Own | Wanted, directory: str) -> list[str]:
    return write_again(one, directory) if isinstance(one, Own) else write(one, directory)
