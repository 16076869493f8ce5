"""Ctrl-C and processes: workers it never reaches, and a solver answering it with the best solution so far.

Such workers never outlive their starter. To a caller asking for more than the solver's answer it is still Ctrl-C.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from types import FrameType


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Ctrl-C during the body is one after it, and processes started in the body are never reached by any."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, note) if main else None
    resource_tracker.ensure_running()  # it would unblock the signal again if it started later
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which processes inherit, from their first moment
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if main:
            signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def leave_with_parent() -> None:
    """End once the parent is gone, however it went: it has no use for the rest of a long proof."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raise KeyboardInterrupt after the body if one came during it, even if the body turned it into something else."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            came.append(number)
            raise

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
