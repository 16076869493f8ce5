"""A file appears whole or not at all: it is written beside its place, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def check_file_place(place: Path) -> None:
    """Raise OSError unless a file of that name can be written; nothing is left there."""
    with tempfile.TemporaryFile(dir=_target(place).parent):
        pass


@contextmanager
def whole_file(place: Path) -> Iterator[IO[str]]:
    """A text to write: it becomes the file when the body ends well, and is removed otherwise.

    A symbolic link stays, and its target is written. Raises OSError, also if something else than a file is there.
    """
    target = _target(place)
    with tempfile.NamedTemporaryFile(
        "w", dir=target.parent, prefix=f".{target.name}-", delete=False, encoding="utf-8"
    ) as scratch:
        try:
            yield scratch
            scratch.close()
            os.chmod(scratch.name, 0o644)
            os.replace(scratch.name, target)
        except BaseException:
            Path(scratch.name).unlink(missing_ok=True)  # Ctrl-C may come just behind the rename
            raise


def _target(place: Path) -> Path:
    """The file to write: the end of that name's links. Raises OSError if anything but a file is there."""
    target = Path(os.path.realpath(place))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a directory of that name is there", str(place))
    if os.path.lexists(target) and not target.is_file():
        raise OSError(errno.EEXIST, "what is there is not a regular file", str(place))
    return target
