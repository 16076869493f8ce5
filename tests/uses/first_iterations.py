"""A matrix product whose tiles of A stay outside of all loops, each filled in the first iteration of the loop over J.

for j: for k:
    load b;  if j == 0: load a;  signal filled_a
    multiply                               awaits filled_a, filled_b
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import outer_product as outer
from judged import runs_wrong

from isamap_smt.ir.program import If, Issued, Loop, Node, Program
from isamap_smt.pipeline.staged import stage

I, K = 17, 25
COLUMNS = (1, 9, 25)
PINS = {
    "inside.a": 1, "stage.a": 0, "stage.b": 2, "stage.acc": 1, "region.j_tile": 1, "region.k_tile": 2,
    "tile.i_tile": 3, "tile.j_tile": 1, "tile.k_tile": 1,
}  # fmt: skip


@cache
def gemm() -> Program:
    """J is open."""
    return stage("gemm_tn", outer.machine(), sizes={"i": I, "k": K}, fix=PINS).program


def wrong(program: Program, columns: tuple[int, ...] = COLUMNS, seeds: int = 2, plainly: int = 2) -> str:
    """What is wrong with it at some J, by both executors; '' for nothing."""
    for j in columns:
        rng = np.random.default_rng(j)
        a, b = (rng.integers(-8, 9, s).astype(np.float32) for s in ((K, I), (K, j)))
        if said := runs_wrong(program, {"A": a, "B": b}, {"J": j}, {"C": a.T @ b}, seeds, plainly):
            return f"J={j}: {said}"
    return ""


def conditions(program: Program, change: Callable[[If], tuple[Node, ...]]) -> Program:
    """Every condition replaced."""

    def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
        for n in body:
            if isinstance(n, Loop | If):
                made = replace(n, body=tuple(nodes(n.body)))
                yield from change(made) if isinstance(made, If) else (made,)
            else:
                yield n

    return replace(program, body=tuple(nodes(program.body)))


def behind_conditions(program: Program, change: Callable[[If, Issued], tuple[Node, ...]]) -> Program:
    """Every condition replaced with the use behind it."""

    def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
        left = list(body)
        while left:
            n = left.pop(0)
            if isinstance(n, If):
                signal = left.pop(0)
                assert isinstance(signal, Issued)
                yield from change(n, signal)
            else:
                yield replace(n, body=tuple(nodes(n.body))) if isinstance(n, Loop) else n

    return replace(program, body=tuple(nodes(program.body)))
