"""isamap proofs update: certificates of the library's kernels, chosen with the search and the scheduler and derived
without them; those of one's own, of the mappings and decisions that they hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.lock import lock_path, lock_text, question, read_lock
from isamap_smt.certificates.manifest import INDEX, certificate_ids, manifest_alone, write_index
from isamap_smt.certificates.pack import pack, unpack
from isamap_smt.certificates.workers import spread
from isamap_smt.cli.directory import check_place, whole_directory, write_whole
from isamap_smt.cli.proofs_choice import Wanted, wanted, write
from isamap_smt.cli.proofs_own import Own, own, write_again


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
