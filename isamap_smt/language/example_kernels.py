"""The kernels of examples/, in a checkout and in an installed package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.library import find_kernel


def examples() -> Path:
    """The folder: in an installed package beside the library's kernels, else in this checkout."""
    import isamap_kernels

    kernels = Path(isamap_kernels.__file__).parent
    packaged = kernels / "examples"
    return packaged if packaged.is_dir() else kernels.parents[1] / "examples"


@cache
def example(spec: str) -> Kernel:
    """The kernel of this file and name.

    >>> example("norms.py:SILU").inputs
    ('x',)
    """
    return find_kernel(f"{examples() / spec}")
