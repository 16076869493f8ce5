"""Durations, amounts of memory and tables for people, and the versions behind a result."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.table import Table


def table(title: str, *columns: str, rows: Iterable[Sequence[Any]] = (), right: Sequence[str] = ()) -> Table:
    """A table of these rows; columns named in `right` are right-aligned."""
    result = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        result.add_row(*row)
    return result


def seconds(value: float) -> str:
    """A duration for people.

    >>> seconds(3.1e-7), seconds(3.1e-6), seconds(3.1e-5), seconds(0.0042), seconds(1.5)
    ('310 ns', '3.1 µs', '31 µs', '4.2 ms', '1.50 s')
    """
    if value < 1e-6:
        return f"{value * 1e9:.0f} ns" if value else "0"
    if value < 1e-3:
        return f"{value * 1e6:.{1 if value < 1e-5 else 0}f} µs"
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def rate(value: float) -> str:
    """Operations a nanosecond, for people.

    >>> rate(1204.56), rate(12.5), rate(0.034)
    ('1204.6', '12.5', '0.034')
    """
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def byte_count(value: float) -> str:
    """A number of bytes for people.

    >>> byte_count(512), byte_count(3 << 20), byte_count(1536)
    ('512 B', '3 MiB', '1.5 KiB')
    """
    power = 0
    while value >= 1024 and power < 3:
        value, power = value / 1024, power + 1
    return f"{value:.1f}".removesuffix(".0") + " " + ("B", "KiB", "MiB", "GiB")[power]


PACKAGES = ("isamap-smt", "z3-solver", "ortools", "sympy", "numpy", "ziglang")


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Name -> version of Python and of the installed packages; by default of all those taking part in a result."""
    return {"python": platform.python_version(), **installed(packages)}


def installed(packages: Iterable[str]) -> dict[str, str]:
    """Name -> version of the installed ones."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
