"""The current step and its progress, on standard error; elsewhere than on a terminal, only the latest step, now and then."""

from __future__ import annotations

import sys
import threading
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
    """A function to show the current step, with the time."""
    if not sys.stderr.isatty():
        with _log() as tell:
            tell(first)
            yield lambda text: tell(str(text))
        return
    with _shown(first, None, SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as update:
        yield lambda text: update(description=str(text))


@contextmanager
def progress_bar(first: str) -> Iterator[Callable[[float, str], None]]:
    """A function to show the fraction done and the current step."""
    if not sys.stderr.isatty():
        with _log() as tell:
            tell(first)
            yield lambda fraction, text: tell(f"{fraction:.0%}, {text}")
        return
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with _shown(first, 1.0, *columns) as update:
        yield lambda fraction, text: update(completed=fraction, description=text)


@contextmanager
def counting_bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A function to show how many are done, of how many, and the latest."""
    if not sys.stderr.isatty():
        with _log() as tell:
            tell(what)
            yield lambda done, of, about: tell(f"{what}: {done} of {of}, at {about[:_LONGEST]}")
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with _shown("", None, *columns, TextColumn("{task.description}")) as update:
        yield lambda done, of, about: update(completed=done, total=of, description=about[:_LONGEST])


@contextmanager
def _log() -> Iterator[Callable[[str], None]]:
    """A function to tell the current step. Every EVERY seconds a line says the latest one, new or not."""
    begun, latest, done = time.monotonic(), [""], threading.Event()

    def beat() -> None:
        while not done.wait(EVERY):
            sys.stderr.write(f"after {time.monotonic() - begun:.0f} s: {latest[0]}\n")
            sys.stderr.flush()

    def tell(text: str) -> None:
        latest[0] = text

    teller = threading.Thread(target=beat, daemon=True)
    teller.start()
    try:
        yield tell
    finally:
        done.set()
        teller.join()


@contextmanager
def _shown(first: str, total: float | None, *columns: ProgressColumn) -> Iterator[Callable[..., None]]:
    """A function to change a line of these columns."""
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        yield partial(line.update, line.add_task(first, total=total))
