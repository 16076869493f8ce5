"""Standard output carries the answer (JSON alone with --json); progress and messages go to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

VERDICT_STYLE = {"proved": "green", "refuted": "bold red", "unknown": "yellow"}


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, default=_plain) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """One message on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def console() -> Console:
    """Where answers for people go. Narrow only as far as the terminal is; a pipe gets 120 columns."""
    return Console(file=sys.stdout, highlight=False, markup=False, width=None if sys.stdout.isatty() else 120)


def table(title: str, *columns: str, right: Sequence[str] = ()) -> Table:
    """An empty table; columns named in `right` are right-aligned."""
    result = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return result


def verdict(word: str) -> Text:
    """The verdict's word in its colour."""
    return Text(word, style=VERDICT_STYLE.get(word, ""))


@contextmanager
def progress(first: str) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done, with the time: on standard error, and only on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=None)
        yield lambda text: bar.update(task, description=str(text))


def seconds(value: float) -> str:
    """A duration for people.

    >>> seconds(0.0042), seconds(1.5)
    ('4.2 ms', '1.50 s')
    """
    if value < 1e-4:
        return f"{value * 1e6:.0f} µs" if value else "0"
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def byte_count(value: float) -> str:
    """A number of bytes for people.

    >>> byte_count(512), byte_count(3 << 20), byte_count(1536)
    ('512 B', '3 MiB', '1.5 KiB')
    """
    power = 0
    while value >= 1024 and power < 3:
        value, power = value / 1024, power + 1
    return f"{value:.1f}".removesuffix(".0") + " " + ("B", "KiB", "MiB", "GiB")[power]


def _plain(value: Any) -> Any:
    """Numbers of NumPy and SymPy as numbers, everything else as its text."""
    if getattr(value, "is_Integer", False):
        return int(value)
    if hasattr(value, "item"):
        return value.item()
    return str(value)
