"""A reader that has seen enough (`| head`) ends us as it ends every other filter: by SIGPIPE, in silence.

Only standard output and standard error do: a worker process that died is a pipe without a reader as well, and whoever wrote
to that one wants to hear of it.
"""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
import threading
from typing import IO, Any


def end_with_reader() -> None:
    """From now on a write to a standard stream that nobody reads any more ends the process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # other pipes: BrokenPipeError
        sys.stdout, sys.stderr = _ending(sys.stdout), _ending(sys.stderr)


class _Pipe(io.FileIO):
    """The writing end of a pipe without which there is nothing left to do."""

    def write(self, data: Any, /) -> int:
        """As any file's, while somebody reads."""
        try:
            return super().write(data)
        except BrokenPipeError:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                signal.raise_signal(signal.SIGPIPE)
            raise


def _ending(stream: Any) -> Any:
    """The stream, if need be as another one with the same settings that ends with its reader."""
    if not isinstance(stream, io.TextIOWrapper) or not _has_reader(stream):
        return stream
    stream.flush()
    pipe = _Pipe(stream.fileno(), "wb", closefd=False)
    buffer: IO[bytes] = pipe if stream.write_through else io.BufferedWriter(pipe)
    return io.TextIOWrapper(
        buffer, stream.encoding, stream.errors, line_buffering=stream.line_buffering, write_through=stream.write_through
    )


def _has_reader(stream: io.TextIOWrapper) -> bool:
    """Whether it leads to a process: a pipe or a socket."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
