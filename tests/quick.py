"""A C compiler that optimises nothing, for what runs a few times: its results count, and not its speed."""

from __future__ import annotations

from isamap_smt.runtime.compiler import find_compiler


def quick() -> str:
    """The default one, told so."""
    return f"{find_compiler().family} -O0"
