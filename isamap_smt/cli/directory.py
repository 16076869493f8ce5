"""A directory of results appears whole or not at all: it is written beside its place, then renamed. So does a file.

What the user has put there is not replaced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isamap_smt.ir.errors import IsamapError
from isamap_smt.runtime.whole_file import check_file_place, whole_file

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


def check_file(place: Path, ours: Callable[[str], bool], force: bool = False) -> None:
    """Nothing happens where a file may be written: nothing is there, or an earlier one, of which `ours` says so by its text.

    force: any regular file may be replaced. Raises OutputError.
    """
    if not os.path.lexists(place):
        return
    try:
        check_file_place(place)
        foreign = not force and place.exists() and not ours(place.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    if foreign:
        raise OutputError(f"{place} was not written by this command; replace it with --force, or name another with -o")


def write_whole(place: Path, text: str) -> None:
    """Write a file, whole or not at all; directories that lack are made. Raises OutputError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(place) as scratch:
            scratch.write(text)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
