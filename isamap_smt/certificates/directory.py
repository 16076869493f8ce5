"""A directory of results appears whole or not at all: it is written beside its place, then renamed. So does a file.

What the user has put there is not replaced: a directory is, if all that it holds is as isamap wrote it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.sealed import MARK, changed, read_seal
from isamap_smt.ir.errors import IsamapError
from isamap_smt.runtime.whole_file import check_file_place, whole_file

Foreign = Callable[[Path], str]  # what in a directory isamap did not write, or "" where it wrote everything


class OutputError(IsamapError):
    """A file or directory that cannot be written."""


def unsealed(directory: Path) -> str:
    """The first name in the directory that is not as seal() left it; "" where all are."""
    try:
        files = read_seal(directory)["files"]
    except (OSError, DamagedError):
        return MARK if (directory / MARK).exists() else next(iter(_names(directory)), "")
    return next((name for name, _ in changed(directory, files) if os.path.lexists(directory / name)), "")


def _names(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir())


@contextmanager
def whole_directory(place: Path, foreign: Foreign = unsealed) -> Iterator[Path]:
    """A scratch directory that becomes `place` when the body ends well, and is removed when it does not.

    An earlier result at `place` is replaced; a link stays, and what it leads to is written. Raises OutputError as check_place().
    """
    check_place(place, foreign)
    target = Path(os.path.realpath(place))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    try:
        yield scratch
        scratch.chmod(0o755)
        check_place(place, foreign)  # it may have changed meanwhile
        swap(scratch, target, scratch.with_name(f"{scratch.name}-old"))
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def swap(made: Path, target: Path, old: Path, then: Callable[[], None] = lambda: None) -> None:
    """`made` stands at the target, or what stood there still does, whatever ends this; until `then` is done that is at `old`."""
    if not target.exists():
        made.rename(target)
        return
    try:
        target.rename(old)
        made.rename(target)
        then()
    except BaseException:
        if old.exists():  # where this fails, too, it stays there
            shutil.rmtree(target, ignore_errors=True)
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def check_place(place: Path, foreign: Foreign = unsealed) -> None:
    """Nothing happens where a result may stand. Raises OutputError for files, for directories that hold what isamap did not
    write, and for those that cannot be renamed: the current one, those around it, and mount points."""
    target = Path(os.path.realpath(place))
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"cannot write {place}: a file of that name is there")
    try:
        found, here, mount = foreign(target), Path.cwd(), os.path.ismount(target)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    if found:
        raise OutputError(
            f"{place} is not empty, and {found} in it is not as isamap wrote it; name another directory, or move that away"
        )
    if mount or target in (here, *here.parents):
        kind = "a mount point" if mount else "the current directory, or one around it"
        raise OutputError(
            f"cannot write {place}: it is {kind}, which a result cannot replace; name one in it: {place / 'out'}"
        )


def check_folder(place: Path) -> None:
    """Nothing happens where the directory that a file is to lie in is there. Raises OutputError: a mistyped path makes none."""
    if not place.parent.is_dir():
        raise OutputError(f"cannot write {place}: no such directory {place.parent}")


def check_file(
    place: Path,
    ours: Callable[[str], bool],
    force: bool = False,
    otherwise: str = "replace it with --force, or name another with -o",
) -> None:
    """Nothing happens where a file may be written: nothing is there, or an earlier one, of which `ours` says so by its text.

    force: any regular file may be replaced. otherwise: what the user can do. Raises OutputError.
    """
    check_folder(place)
    if not os.path.lexists(place):
        return
    try:
        check_file_place(place)
        foreign = not force and place.exists() and not ours(place.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    if foreign:
        raise OutputError(f"{place} was not written by this command; {otherwise}")


def write_whole(place: Path, text: str) -> None:
    """Write a file, whole or not at all; directories that lack are made. Raises OutputError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(place) as scratch:
            scratch.write(text)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
