"""Writing certificates anew, put in place at once: the library's, found by the search and the scheduler and derived
without them; those of one's own, of the mappings and decisions that they hold."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.manifest import INDEX, certificate_ids, write_index
from isamap_smt.certificates.workers import spread
from isamap_smt.cli.directory import check_place, whole_directory
from isamap_smt.cli.proofs_choice import Wanted, wanted, write
from isamap_smt.cli.proofs_own import Own, own, write_again


def update_directory(
    place: Path,
    pattern: str = "*",
    jobs: int | None = None,
    progress: Callable[[int, int, list[str]], None] | None = None,
) -> list[str]:
    """Write every certificate that matches the pattern, the library's and those of one's own that stand at the place;
    returns their ids. The others stay as they are.

    Raises CertificateError where nothing matches or one is not proved, OutputError where the place holds something else.
    """
    check_place(place)
    mine = own(place, pattern)
    chosen = wanted(pattern)
    if not chosen and not mine:
        raise CertificateError(
            f"no certificate of the library, and none in {place}, matches {pattern!r}; write hardware/kernel, such as "
            "avx2/gemm or */conv2d"
        )
    replaced = {one.id for one in mine}
    with whole_directory(place) as scratch:
        if pattern != "*" and (place / INDEX).is_file():
            for identifier in certificate_ids(place):
                if identifier not in replaced and not any(w.covers(identifier) for w in chosen):
                    shutil.copytree(place / identifier, scratch / identifier)
        results = spread(_write, [(w, str(scratch)) for w in (*mine, *chosen)], jobs, progress)
        write_index(scratch)
    return [i for ids in results for i in ids]


def _write(one: Own | Wanted, directory: str) -> list[str]:
    return write_again(one, directory) if isinstance(one, Own) else write(one, directory)
