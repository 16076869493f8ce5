"""Kernels on the machines with engines that isamap ships: their programs, and what is wrong with edited ones."""

from __future__ import annotations

import random

import summed

import isamap_smt as im
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program

PRODUCT = "T[i,j] += i32(X[i,k]) * i32(W[k,j])"
BLOCKS = "T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])"
SIDES = {"o": 16, "c": 16}
BYTES = dict.fromkeys("XWHVY", "i8") | dict.fromkeys("TUbR", "i32")


def _kernel(name: str, text: str, **sizes: int) -> Kernel:
    types = {n: d for n, d in BYTES.items() if f"{n}[" in text}
    return im.kernel(text, name=name, dtypes=types, sizes=sizes)


SHIPPED = (
    ("gemm", _kernel("gemm", PRODUCT), "gemmini"),
    ("layer", _kernel("layer", f"temporary T\n{PRODUCT}\nY[i,j] = round_i8(f32(T[i,j]) * 0.01)"), "gemmini"),
    ("layers", _kernel("layers", f"temporary T, H\n{PRODUCT}\nH[i,j] = round_i8(f32(T[i,j]) * 0.01)\n"
                       "U[i,m] += i32(H[i,j]) * i32(V[j,m])"), "gemmini"),
    ("dense", _kernel("dense", f"temporary T\n{BLOCKS}\nY[i,jo,o] = i8(max(min(T[i,jo,o] >> 7, 127), -128))", **SIDES), "vta"),
    ("biased", _kernel("biased", f"temporary T\n{BLOCKS}\nY[i,jo,o] = i8(min(relu((T[i,jo,o] + b[jo,o] + 64) >> 7), 127))",
                       **SIDES), "vta"),
    ("residual", _kernel("residual", f"temporary T\n{BLOCKS}\nY[i,jo,o] = i8((T[i,jo,o] + R[i,jo,o]) >> 7)", **SIDES), "vta"),
)  # fmt: skip
_MOST = {"i": 40, "j": 40, "k": 40, "m": 20, "jo": 2, "ko": 2, "q": 20, "s": 3}


def some_sizes(kernel: Kernel, rng: random.Random) -> dict[str, int]:
    """Of its axes that have none."""
    axes = {a.name: a for s in kernel.statements for a in s.axes}
    return {n: rng.randint(1, _MOST[n]) for n, a in sorted(axes.items()) if str(a.extent) in kernel.free_sizes}


def what_goes_wrong(kernel: Kernel, program: Program, seed: int, seeds: int, plainly: int = 0) -> str:
    """At a few sizes; '' for nothing. The program may have fixed some of them."""
    rng = random.Random(seed)
    names = {a.name: str(a.extent) for s in kernel.statements for a in s.axes}
    at = [{names[a]: n for a, n in some_sizes(kernel, rng).items()} for _ in range(2)]
    return summed.wrong(program, at, seeds, plainly=plainly)


__all__ = ["SHIPPED", "some_sizes", "what_goes_wrong"]
