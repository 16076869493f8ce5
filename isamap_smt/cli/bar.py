"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar(first: str) -> Iterator[Callable[[float, str], None]]:
    """A function that is told the fraction done and what is being done."""
    if not sys.stderr.isatty():
        yield lambda fraction, text: None
        return
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=1.0)
        yield lambda fraction, text: bar.update(task, completed=fraction, description=text)
