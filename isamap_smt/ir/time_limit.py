"""A caller's time limit, turned into an error in words when it is reached."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from isamap_encodings.deadline import LONGEST, DeadlinePassed, within
from isamap_smt.ir.errors import TimeLimitError, UndecidedError


@contextmanager
def limited(timeout: float | None, what: str) -> Iterator[None]:
    """The work inside ends at the time limit. Raises TimeLimitError then; with None, limits of callers stay theirs."""
    try:
        with within(timeout):
            yield
    except DeadlinePassed as passed:
        if timeout is None or math.isinf(timeout):
            raise  # it is the caller's
        raise TimeLimitError(_over(timeout, what, passed)) from None
    except TimeLimitError:
        raise
    except UndecidedError as error:  # searches count steps, as many as the time allows
        if timeout is None or math.isinf(timeout):
            raise
        raise TimeLimitError(f"{what}: not decided with timeout={timeout:g}: {error}") from None


def found_in_time(timeout: float) -> str:
    """A note about an answer that is the best so far."""
    return f"the best that was found within timeout={timeout:g} seconds; a longer search may find better"


def _over(timeout: float, what: str, passed: DeadlinePassed) -> str:
    """The end of the time, in words."""
    during = f" in the stage '{passed.stage}'" if passed.stage else ""
    after = f"{LONGEST * timeout:g} s, {LONGEST:g} times timeout={timeout:g}, were over"
    return f"{what}: not decided: {after}{during}; allow more time, or fix more sizes and decisions"
