"""A directory of results appears whole or not at all: it is written beside its place, then renamed. So does a file.

The user's own files are not replaced. A directory is replaced if all its contents are as isamap wrote them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.sealed import MARK, changed, read_seal
from isamap_smt.ir.errors import IsamapError
from isamap_smt.runtime.whole_file import check_file_place, whole_file

Foreign = Callable[[Path], str]  # a name in a directory not written by isamap, or "" if there is none


class OutputError(IsamapError):
    """Raised for a file or directory that cannot be written."""


def unsealed(directory: Path) -> str:
    """The first name in the directory that is not as seal() left it; "" if all are."""
    try:
        files = read_seal(directory)["files"]
    except (OSError, DamagedError):
        return MARK if (directory / MARK).exists() else next(iter(_names(directory)), "")
    return next((name for name, _ in changed(directory, files) if os.path.lexists(directory / name)), "")


def _names(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir())


@contextmanager
def whole_directory(place: Path, foreign: Foreign = unsealed) -> Iterator[Path]:
    """A scratch directory: it becomes `place` when the body ends well, and is removed otherwise.

    An earlier result at `place` is replaced; a link stays, and its target is written. Raises OutputError as check_place().
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
        _put(scratch, target)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _put(scratch: Path, target: Path) -> None:
    """The scratch directory stands at the target, or the old contents still do. Raises OSError."""
    if not target.exists():
        scratch.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.parent))
    try:
        target.rename(old / target.name)
        try:
            scratch.rename(target)
        except OSError:
            (old / target.name).rename(target)  # where this fails, too, it stays in the old place
            raise
    except OSError:
        with suppress(OSError):
            old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def check_place(place: Path, foreign: Foreign = unsealed) -> None:
    """Raise OutputError unless a result may stand here.

    It refuses files, directories with contents not written by isamap, and directories that cannot be renamed: the current one,
    those around it, and mount points.
    """
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
    """Raise OutputError unless the directory around the file exists: a mistyped path makes none."""
    if not place.parent.is_dir():
        raise OutputError(f"cannot write {place}: no such directory {place.parent}")


def check_file(
    place: Path,
    ours: Callable[[str], bool],
    force: bool = False,
    otherwise: str = "replace it with --force, or name another with -o",
) -> None:
    """Raise OutputError unless a file may be written: nothing is there, or an earlier one, recognised by `ours` from its text.

    force: any regular file may be replaced. otherwise: the advice to the user.
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
    """Write a file, whole or not at all; missing directories are made. Raises OutputError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(place) as scratch:
            scratch.write(text)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror}") from None
