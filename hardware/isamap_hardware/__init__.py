"""Machines, one file each, described with the public API of `isamap_smt` alone.

A machine's file exports HARDWARE. Other packages add machines through the entry-point group `isamap.hardware`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isamap_smt import Hardware

# best first: the order in which `host` offers their instructions
NAMES = (
    "amx",
    "avx512_bf16",
    "avx512_fp16",
    "avx512_vnni",
    "avx512",
    "avx_vnni",
    "avx2",
    "sve",
    "neon",
    "rvv",
    "rvv_groups",
    "scalar",
    "wmma",
    "gemmini",
    "vta",
)

# What `host` is made of: machines without parameters and engines -> a feature that all their instructions that compute require.
IN_HOST = {
    "amx": "amx_tile",
    "avx512_bf16": "avx512_bf16",
    "avx512_fp16": "avx512_fp16",
    "avx512_vnni": "avx512f",
    "avx512": "avx512f",
    "avx_vnni": "avx_vnni",
    "avx2": "avx2",
    "neon": "asimd",
    "scalar": "",
}

# Machines for which the project ships certificates of these kernels alone; of the others, of all.
CERTIFIED: dict[str, tuple[str, ...]] = {
    "avx_vnni": ("gemm", "linear_q4"),
    **dict.fromkeys(("avx512_fp16", "neon", "sve", "rvv", "rvv_groups", "gemmini", "vta"), ("gemm",)),
}


def names() -> tuple[str, ...]:
    """Names of the machines in this package, best first."""
    return NAMES


def certified(name: str, kernel: str) -> bool:
    """Whether the project ships certificates of this kernel on this machine's instructions."""
    return name not in CERTIFIED or kernel in CERTIFIED[name]


def load(name: str) -> Hardware:
    """The machine with this name. Raises KeyError when this package has none."""
    if name not in NAMES:
        raise KeyError(name)
    return importlib.import_module(f"{__name__}.{name}").HARDWARE
