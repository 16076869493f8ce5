"""Standard output carries the answer (JSON alone with --json); progress and messages go to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from isamap_smt.cli.bar import progress
from isamap_smt.ir.strict_json import finite
from isamap_smt.report.quantities import byte_count, seconds, table

__all__ = [
    "answer", "byte_count", "console", "print_json", "progress", "say", "say_notes", "seconds", "table", "tell", "verdict",
]  # fmt: skip
VERDICT_STYLE = {"proved": "green", "refuted": "bold red", "unknown": "yellow"}


def print_json(document: Any) -> None:
    """One JSON document on standard output. Numbers unknown to JSON (infinity) become null."""
    sys.stdout.write(json.dumps(finite(document), indent=2, default=_plain, allow_nan=False) + "\n")
    sys.stdout.flush()


def answer(as_json: bool, document: Callable[[], Any], show: Callable[[], object]) -> None:
    """The answer of a command: the document as JSON, or the output of `show` for people; the other is not made."""
    if as_json:
        print_json(document())
    else:
        show()


def say(text: str) -> None:
    """One message on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say_notes(notes: Iterable[str]) -> None:
    """Each on standard error."""
    for note in notes:
        say(f"note: {note}")


def console() -> Console:
    """The console for answers to people. Narrow only as far as the terminal is; a pipe gets 120 columns."""
    return Console(file=sys.stdout, highlight=False, markup=False, width=None if sys.stdout.isatty() else 120)


def tell(*lines: str, style: str = "") -> None:
    """Lines for people, wrapped by a narrow terminal as it likes."""
    for line in lines:
        console().print(line, style=style or None, soft_wrap=True)


def verdict(word: str) -> Text:
    """The verdict's word in its colour."""
    return Text(word, style=VERDICT_STYLE.get(word, ""))


def _plain(value: Any) -> Any:
    """Numbers of NumPy and SymPy as numbers, everything else as its text."""
    if getattr(value, "is_Integer", False):
        return int(value)
    if hasattr(value, "item"):
        return value.item()
    return str(value)
