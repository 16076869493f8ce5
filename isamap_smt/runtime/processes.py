"""Worker processes that Ctrl-C never reaches, and that never outlive the process that started them."""

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
    """A parent that is gone, however it went, has no use for the rest of a long proof."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
