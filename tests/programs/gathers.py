"""Programs of tables in main memory: open and declared sizes, tails, two at once, sums and maxima of what is looked up."""

from __future__ import annotations

from functools import cache

import isamap_smt as im
from isamap_smt.ir.program import Program

TEXTS = {
    "elements": "X: i32\nY[i] = T[X[i]]",
    "a declared table": "T: [23]\nX: i32\nY[i,j] = T[X[j,i]]",
    "scaled": "X: i32\nY[i,j] = T[X[i,j]] * s[j] + b[i]",
    "two tables": "X: i32\nZ: i32\nY[i] = max(T[X[i]], U[Z[i]])",
    "two indices": "X: i32\nZ: i32\nY[i] = T[X[i]] + T[Z[i]]",
    "the largest": "X: i32\nY[i] max= T[X[i,j]]",
    "columns": "X: i32\nY[j] += T[X[i,j]] * B[i]",
    "sparse rows": "X: i32\nY[i] += A[i,k] * T[X[i,k]]",
    "integers": "X: i32\nY[i] = T[X[i]]",
}


@cache
def made(name: str, machine: str = "avx2") -> im.Plan:
    """The plan for every size."""
    kernel = im.kernel(TEXTS[name], name="table")
    kind = "i32" if name == "integers" else "f32"
    return im.plan(kernel.with_dtypes({t.name: kind for t in kernel.tensors if t.name not in "XZ"}), machine)


def program(name: str, machine: str = "avx2") -> Program:
    return made(name, machine).program
