"""Ctrl-C wherever it comes: never lost, and never turned into another error.

An interrupt raised while a module is loaded becomes whatever the loading makes of exceptions (an ImportError, a
RuntimeError, a RecursionError), one raised while ctypes converts an argument becomes an ArgumentError, and one raised
in a finalizer is printed and dropped by the interpreter. Each is taken again a moment later.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

AGAIN = 0.02  # seconds until an interrupt that came at a bad moment is tried again
LONGEST = 3.0  # seconds an interrupt waits for a better moment; a user's own module may be loaded for hours


def take_interrupts() -> None:
    """From now on SIGINT raises KeyboardInterrupt in the main thread, put off over moments that would lose it."""
    since: list[float] = []
    raised: list[bool] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not since:
            since.append(now)
        if _delicate(frame) and now - since[0] < LONGEST:
            _again()
            return
        since.clear()
        raised.append(True)
        signal.default_int_handler(number, frame)

    def unraisable(lost: Any, /) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _again()
        elif not raised:  # afterwards, objects that were being made are put away half made
            sys.__unraisablehook__(lost)

    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = unraisable


def _delicate(frame: FrameType | None) -> bool:
    """Whether the frame, or one that called it, loads a module or converts an argument for ctypes."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" or frame.f_code.co_name == "from_param":
            return True
        frame = frame.f_back
    return False


def _again() -> None:
    """Send the main thread another interrupt, after the bad moment and so that it ends a wait."""
    timer = threading.Timer(AGAIN, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.daemon = True
    timer.start()
