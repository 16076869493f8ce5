"""A directory of results appears whole or not at all: it is written beside its place, then renamed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isamap_smt.ir.errors import IsamapError

MARK = "proofs.json"  # a directory that holds it was written by us, and may be replaced


class OutputError(IsamapError):
    """A file or directory that cannot be written."""


@contextmanager
def whole_directory(place: Path) -> Iterator[Path]:
    """A scratch directory that becomes `place` when the body ends well, and is removed when it does not.

    An earlier result at `place` is replaced. Raises OutputError where `place` holds anything else.
    """
    check_place(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    try:
        yield scratch
        scratch.chmod(0o755)
        if place.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
            place.rename(old / place.name)
            scratch.rename(place)
            shutil.rmtree(old, ignore_errors=True)
        else:
            scratch.rename(place)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_place(place: Path) -> None:
    """Nothing happens where a result may stand. Raises OutputError for files, and for directories of something else."""
    if place.exists() and not place.is_dir():
        raise OutputError(f"cannot write {place}: a file of that name is there")
    if place.is_dir() and any(place.iterdir()) and not (place / MARK).is_file():
        raise OutputError(f"{place} is not empty and was not written by isamap; name another directory")


def write_whole(place: Path, text: str) -> None:
    """Write a file through a scratch file beside it. Raises OutputError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, prefix=f".{place.name}-", delete=False) as scratch:
            scratch.write(text)
        Path(scratch.name).chmod(0o644)
        Path(scratch.name).replace(place)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
