"""Writing the shipped certificates: found by the search and the scheduler, derived without them, put in place at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.manifest import INDEX, certificate_ids, write_index
from isamap_smt.certificates.workers import spread
from isamap_smt.cli.directory import whole_directory
from isamap_smt.cli.proofs_choice import wanted, write


def update_directory(
    place: Path,
    pattern: str = "*",
    jobs: int | None = None,
    progress: Callable[[int, int, list[str]], None] | None = None,
) -> list[str]:
    """Write every certificate that matches the pattern; returns their ids. The others stay as they are.

    Raises CertificateError where nothing matches, OutputError where the place holds something else.
    """
    chosen = wanted(pattern)
    if not chosen:
        raise CertificateError(
            f"no certificate matches {pattern!r}; write hardware/kernel, such as avx2/gemm or */conv2d"
        )
    with whole_directory(place) as scratch:
        if pattern != "*" and (place / INDEX).is_file():
            for identifier in certificate_ids(place):
                if not any(w.covers(identifier) for w in chosen):
                    shutil.copytree(place / identifier, scratch / identifier)
        results = spread(write, [(w, str(scratch)) for w in chosen], jobs, progress)
        write_index(scratch)
    return [i for ids in results for i in ids]
