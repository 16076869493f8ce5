"""Durations and amounts of memory for people, and which versions made a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


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


_PACKAGES = ("isamap-smt", "z3-solver", "ortools", "sympy", "numpy", "ziglang")


def versions() -> dict[str, str]:
    """Name -> version of Python and of every package that takes part in a result and is installed."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
