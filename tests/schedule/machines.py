"""Proved mappings and machines that the schedule tests share."""

from __future__ import annotations

from functools import cache

import isamap_smt as im
from isamap_hardware import load
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove

GEMM = "C[i,j] += A[i,k] * B[k,j]"
GEMM_NT = "C[i,j] += A[i,k] * B[j,k]"
CONV = "O[n,p,q,k] += I[n,p+r-1,q+s-1,c] * W[r,s,c,k] where 0 <= p+r-1 < H and 0 <= q+s-1 < V"


def cube(n: int) -> dict[str, int]:
    """Sizes of a square matrix product."""
    return {"i": n, "j": n, "k": n}


@cache
def hardware(name: str = "avx2") -> Hardware:
    """The machine of that name, with the caches of its description (not this CPU's)."""
    return load(name)


@cache
def proved(text: str = GEMM, lane: str = "j", machine: str = "avx2", instruction: str = "fmadd_ps") -> ProvedMapping:
    """The kernel with one axis in the lanes, proved."""
    kernel: Kernel = im.kernel(text)
    mapping = fuse(kernel, hardware(machine).instruction(instruction), {"l": (lane,)})
    made = prove(mapping)
    assert isinstance(made, ProvedMapping), made
    return made


@cache
def proved_bytes() -> ProvedMapping:
    """u8 x i8 GEMM on VNNI: four products of k in each lane of j."""
    kernel = im.kernel(GEMM).with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    dot = hardware("avx512_vnni").instruction("dpbusd")
    made = prove(fuse(kernel, dot, {"l": ("j",), "e": ("k",)}))
    assert isinstance(made, ProvedMapping), made
    return made
