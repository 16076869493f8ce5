"""One deadline for everything a call does, if its caller gives one.

Without it only counted limits decide (solver steps, candidates, nodes): a busy machine changes no verdict. With it,
solvers stop there, and long loops ask `check()`. From `aim` on no improvement is sought; at `end`, LONGEST times as
late, everything stops. DeadlinePassed passes through handlers of errors, as KeyboardInterrupt does: an interrupted
answer is no answer. Only check() raises it, never in the middle of other code, so nothing is left half made.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LONGEST = 2.5  # times the seconds that were given, until everything stops
FIRST = 0.6  # of the time between aim and end, for a first answer; the rest is for what is made of it


class DeadlinePassed(BaseException):
    """The caller's time is over. stage: the step of a plan in which it ended, if any."""

    stage: str = ""


@dataclass
class Deadline:
    """seconds: as given. aim, end: by time.monotonic(). cut: whether it made somebody leave something out."""

    seconds: float
    aim: float
    end: float
    cut: bool = False


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[Deadline | None]:
    """Set a deadline for the block, besides those around it; none for None or infinity."""
    outer = _current.get()
    if seconds is None or math.isinf(seconds):
        yield outer
        return
    now = time.monotonic()
    mine = Deadline(seconds, now + seconds, now + LONGEST * seconds)
    if outer is not None:
        mine.aim, mine.end = min(mine.aim, outer.aim), min(mine.end, outer.end)
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)
        if outer is not None:
            outer.cut = outer.cut or mine.cut


def until(seconds: float | None) -> AbstractContextManager[Deadline | None]:
    """As within(), but everything stops after so many seconds."""
    return within(None if seconds is None else seconds / LONGEST)


def left() -> float | None:
    """Seconds until everything stops; None without a deadline."""
    d = _current.get()
    return None if d is None else d.end - time.monotonic()


def check() -> None:
    """Raise DeadlinePassed if the time is over."""
    d = _current.get()
    if d is not None and time.monotonic() >= d.end:
        d.cut = True
        raise DeadlinePassed(f"{LONGEST * d.seconds:g} s")


def enough() -> bool:
    """Whether to seek no improvement any more. The caller then leaves it out, and this is noted."""
    d = _current.get()
    if d is None or time.monotonic() < d.aim:
        return False
    d.cut = True
    return True


def first_answer() -> float | None:
    """Seconds left to a search without any answer yet; with one, it ends at the aim. None without a deadline."""
    d = _current.get()
    return None if d is None else max(0.01, d.aim + FIRST * (d.end - d.aim) - time.monotonic())


def stopped() -> None:
    """Note a search ended by the deadline with its best answer so far."""
    d = _current.get()
    if d is not None:
        d.cut = True


def was_cut() -> bool:
    """Whether the deadline made somebody leave something out; such an answer is not kept for other calls."""
    d = _current.get()
    return d is not None and d.cut
