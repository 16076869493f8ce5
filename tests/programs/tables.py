"""Programs of tables in registers: whole and shorter ones, tails, two at once, sums of products and maxima of what is looked up."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import isamap_smt as im
from isamap_smt.ir.program import Program

TEXTS = {
    "bytes": "T: [16]\nY[i] = T[X[i]]",
    "a shorter table": "T: [11]\nY[i,j] = T[X[j,i]]",
    "scaled": "T: [16]\nY[i,j] = T[X[i,j]] * s[j] + X[i,j]",
    "two tables": "T: [16]\nU: [9]\nY[i] = max(T[X[i]], U[Z[i]])",
    "two indices": "T: [16]\nY[i] = T[X[i]] + T[Z[i]]",
    "the largest": "T: [16]\nY[i] max= T[X[i,j]]",
}
FLOATS = {
    "floats": "T: [8]\nX: i32\nY[i] = T[X[i]]",
    "sums of floats": "T: [8]\nX: i32\nY[j] += T[X[i,j]] * B[i]",
}


@cache
def made(text: str, kind: str, machine: str = "avx2") -> im.Plan:
    """The plan for every size."""
    kernel = im.kernel(text, name="table")
    types = {t.name: kind for t in kernel.tensors if not (kind == "f32" and t.name == "X")}
    return im.plan(kernel.with_dtypes(types), machine)


def program(text: str, kind: str) -> Program:
    return made(text, kind).program


ORIGINALS: dict[str, Callable[[], Program]] = {
    **{n: partial(program, t, "u8") for n, t in TEXTS.items()},
    **{n: partial(program, t, "f32") for n, t in FLOATS.items()},
}
