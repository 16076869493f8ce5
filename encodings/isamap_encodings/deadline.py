"""One deadline for everything that a call does, where its caller gave one.

Limits that are counted (solver steps, candidates, nodes) decide as long as nobody gives a deadline, so that a busy machine changes
no verdict. With one, solvers are stopped at it, and every loop that may be long asks `check()`. There are two times: from `aim` on
nothing more is looked for that could only be better; at `end`, LONGEST times as late, everything stops.
The exception passes through whatever catches errors, as Ctrl-C does: no answer that was cut short is taken for another one.
It is raised at these places alone, never in the middle of other code, so nothing is left half made.
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
    """The time that the caller gave is over. stage: what was done then, where somebody says so."""

    stage: str = ""


@dataclass
class Deadline:
    """seconds: as they were given. aim, end: by time.monotonic(). cut: whether something was left out because of it."""

    seconds: float
    aim: float
    end: float
    cut: bool = False


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[Deadline | None]:
    """Inside the block this deadline holds, and those around it. None: those around it alone."""
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
    """As within(), and everything stops after so many seconds."""
    return within(None if seconds is None else seconds / LONGEST)


def left() -> float | None:
    """Seconds until everything stops; None where nobody gave a deadline."""
    d = _current.get()
    return None if d is None else d.end - time.monotonic()


def check() -> None:
    """Raise DeadlinePassed where the time is over."""
    d = _current.get()
    if d is not None and time.monotonic() >= d.end:
        d.cut = True
        raise DeadlinePassed(f"{LONGEST * d.seconds:g} s")


def enough() -> bool:
    """Whether what could only be better is to be left out from now on; whoever asks then leaves it out."""
    d = _current.get()
    if d is None or time.monotonic() < d.aim:
        return False
    d.cut = True
    return True


def first_answer() -> float | None:
    """Seconds that a search may take that has nothing yet to give back; one that has ends at the aim. None without a deadline."""
    d = _current.get()
    return None if d is None else max(0.01, d.aim + FIRST * (d.end - d.aim) - time.monotonic())


def stopped() -> None:
    """Something was stopped by the deadline and goes on with what it has."""
    d = _current.get()
    if d is not None:
        d.cut = True


def was_cut() -> bool:
    """Whether something was left out because of the deadline: an answer that another call is not to be given."""
    d = _current.get()
    return d is not None and d.cut
