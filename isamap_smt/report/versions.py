"""Which versions made a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

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
