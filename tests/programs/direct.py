"""Kernels whose points must keep an order, computed over memory alone: programs without instructions."""

from __future__ import annotations

import isamap_smt as im
from isamap_smt.codegen import lower_points
from isamap_smt.ir.program import Program

# each keeps an order that no other claim asks for
TWICE = "axis i < 6\naxis j < 3\nC[i+j] = A[i,j]"  # the last one stays
ROUND = "axis i < 7\nC[i//3] = A[i]"
SHIFT = "C[i] = C[i+1] + A[i]\nC: f32[I+1]"  # reads what is not written yet
CHAIN = "C[i+1] = C[i] + A[i]"  # reads what was just written
OWN = "C[i] += C[i]*A[i,k]"
BEFORE = "D[i] = C[i] * 2\nC[i] += A[i,k]"
BETWEEN = "C[i] += A[i,k]\nD[i] = C[i]\nC[i] = B[i]"
TURNS = "for t:\n  S[t//2] = X[t] - S[t//2]\n  Y[t] = S[t//2]"
LATER = "for t:\n  Y[t] = S[t+1] + X[t]\n  S[t] = Y[t] * 2\nS: f32[T+1]"
STATE = "for t:\n  S[t%2,j] = S[1-t%2,j] + X[t,j]\nS: f32[2,J]"
ALL = [TWICE, ROUND, SHIFT, CHAIN, OWN, BEFORE, BETWEEN, TURNS, LATER, STATE]


def made(text: str, parallel: bool = False) -> Program:
    """All tensors in f32, every statement computed element by element."""
    kernel = im.kernel(text)
    return lower_points(kernel.with_dtypes({t.name: "f32" for t in kernel.tensors}), parallel)
