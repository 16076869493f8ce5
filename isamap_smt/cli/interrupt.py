"""The command line ended from outside: by Ctrl-C, or by a reader that has seen enough (`| head`).

Ctrl-C is never lost and never turned into another error. A lost reader ends us like every other filter: by SIGPIPE, in
silence.

An interrupt raised while a module is loaded becomes whatever the loading makes of exceptions (an ImportError, a
RuntimeError, a RecursionError), one raised while ctypes converts an argument becomes an ArgumentError, and one
raised in a finalizer is printed and dropped by the interpreter. Each is taken again a moment later. Of pipes only
standard output and standard error end the process: a dead worker is a pipe without a reader as well, and its writer
wants to hear of it.
"""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
import threading
import time
from types import CodeType, FrameType
from typing import IO, Any

AGAIN = 0.02  # seconds until an interrupt that came at a bad moment is tried again
LONGEST = 3.0  # seconds an interrupt waits for a better moment; a user's own module may be loaded for hours


def take_interrupts() -> None:
    """From now on SIGINT raises KeyboardInterrupt in the main thread, delayed over moments that would lose it."""
    since: list[float] = []
    raised: list[bool] = []
    sender = _Sender()

    def interrupt(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not since:
            since.append(now)
        if _within(frame, unraisable.__code__) or (_delicate(frame) and now - since[0] < LONGEST):
            sender.again()
            return
        since.clear()
        raised.append(True)
        sender.pending = False
        signal.default_int_handler(number, frame)

    def unraisable(lost: Any, /) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            sender.again()
        elif not raised:  # afterwards, objects that were being made are put away half made
            sys.__unraisablehook__(lost)

    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = unraisable


class _Sender:
    """Sends the main thread another interrupt after the bad moment, to end a wait, and one more until one is raised.

    One thread, and no lock: the request comes from a handler, possibly while this thread is being started. On a busy
    machine a start takes longer than AGAIN.
    """

    def __init__(self) -> None:
        self.pending = self.started = False

    def again(self) -> None:
        """An interrupt is to come."""
        self.pending = True
        if not self.started:
            self.started = True
            threading.Thread(target=self._send, daemon=True).start()

    def _send(self) -> None:
        main = threading.main_thread().ident
        while main is not None:
            time.sleep(AGAIN)
            if self.pending:
                signal.pthread_kill(main, signal.SIGINT)


def _within(frame: FrameType | None, code: CodeType) -> bool:
    """Whether the code, or a callee of it, is being executed.

    Asked of the hook for exceptions lost in finalizers: an interrupt inside the hook is lost, too.
    """
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _delicate(frame: FrameType | None) -> bool:
    """Whether the frame, or a caller of it, loads a module or converts an argument for ctypes."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" or frame.f_code.co_name == "from_param":
            return True
        frame = frame.f_back
    return False


def end_with_reader() -> None:
    """From now on a write to a standard stream without a reader ends the process; a closed stream takes everything."""
    sys.stdout, sys.stderr = sys.stdout or open(os.devnull, "w"), sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # other pipes: BrokenPipeError
        sys.stdout, sys.stderr = _ending(sys.stdout), _ending(sys.stderr)


class _Pipe(io.FileIO):
    """The writing end of a pipe; without a reader there is nothing left to do."""

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
    """The stream, or another one with the same settings that ends with its reader."""
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
