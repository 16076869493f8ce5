"""What is being done and how far it is: on standard error; elsewhere than on a terminal, only what counts, now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

EVERY = 15.0  # seconds between two lines of a log
_LONGEST = 60  # characters said beside a bar


@contextmanager
def progress(first: str) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done, with the time."""
    with _shown(first, None, SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as update:
        yield lambda text: update(description=str(text))


@contextmanager
def progress_bar(first: str) -> Iterator[Callable[[float, str], None]]:
    """A function that is told the fraction done and what is being done."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with _shown(first, 1.0, *columns) as update:
        yield lambda fraction, text: update(completed=fraction, description=text)


@contextmanager
def counting_bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A function that is told how many are done, of how many, and the latest.

    Not on a terminal (a log of continuous integration) it says so in a line, at most every EVERY seconds.
    """
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with _shown("", None, *columns, TextColumn("{task.description}")) as update:
        yield lambda done, of, about: update(completed=done, total=of, description=about[:_LONGEST])


def _lines(what: str) -> Callable[[int, int, str], None]:
    begun = time.monotonic()
    last = [begun]

    def tell(done: int, of: int, about: str) -> None:
        now = time.monotonic()
        if now - last[0] >= EVERY:
            last[0] = now
            sys.stderr.write(f"{what}: {done} of {of} after {now - begun:.0f} s, at {about[:_LONGEST]}\n")
            sys.stderr.flush()

    return tell


@contextmanager
def _shown(first: str, total: float | None, *columns: ProgressColumn) -> Iterator[Callable[..., None]]:
    """What changes a line of these columns; nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield lambda **_: None
        return
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        yield partial(line.update, line.add_task(first, total=total))
