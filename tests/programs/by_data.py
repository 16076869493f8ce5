"""Programs that read at indices which are data: rows, sums of rows, indices of indices, and what they overwrite themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import isamap_smt as im
from isamap_smt.codegen import lower_points
from isamap_smt.ir.program import Program

TEXTS = {
    "rows": "E: [V,J]\nidx: i32\nY[i,j] = E[idx[i], j]",
    "sums of rows": "E: [V,J]\nidx: i32\nY[i,j] += E[idx[i,l], j] * w[i,l]",
    "indices of indices": "E: [V]\na: u8[K]\nb: i32\nY[i] = E[a[b[i]]] + E[a[i]]\naxis i < K",
    "two at once": "E: [V,U]\na: i32\nb: i8\nY[i,j] = E[a[i], b[j]] where i + j < V",
    "overwritten": "Y: i32[V,J]\nidx: i32\nX: i32\naxis i < V\nY[i,j] = Y[idx[i],j] + X[i,j]",
    "sums and remainders": "E: [V,J]\nidx: i32\nY[i,j] = E[(idx[i] + 3) // 2, j] + E[idx[i] % V, j]",
    "from the end": "E: [V,J]\nidx: i64\nY[i,j] = E[select(idx[i] < 0, idx[i] + V, idx[i]), j]",
    "cut off": "E: [V,J]\nidx: i32\nY[i,j] = E[min(max(idx[i] - 1, 0), V - 1), j]",
    "left out": "X: [N,V]\nT: i32\nY[i] = select(T[i] == -2, 0, X[i,T[i]])",
    "written": "D: [V,J]\nidx: i32\nY[v,j] = D[v,j]\nY[idx[i],j] = X[i,j]",
    "added to": "Y: [V,J]\nidx: i32\nY[idx[i] - 1,j] += X[i,j]",
    "the largest of them": "Y: [V]\nidx: i32[N]\nY[idx[i]] max= X[i] where i >= 1\naxis i < N",
    "written and read": "Y: i32[V]\nidx: i32\nY[idx[i]] = Y[(idx[i] + 1) % V] + X[i]\nZ[v] = Y[v]",
    "time steps": "E: [V,J]\nidx: i32\nfor t:\n  S[t+1,j] = max(S[t,j], E[idx[t],j])",
}


def made(name: str, parallel: bool = False) -> Program:
    """The program that is made of a text, its outermost loops on threads where asked and possible."""
    return lower_points(im.kernel(TEXTS[name], name="by_data"), parallel)


ORIGINALS: dict[str, Callable[[], Program]] = {n: partial(made, n, bool(k % 2)) for k, n in enumerate(TEXTS)}
