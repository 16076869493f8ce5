"""The lemmas behind a fused and split axis. Each is proved by Z3 once per process, then used by name.

digit    F*N + t = G*N + u,  0 <= t, u < N            implies  F = G and t = u
range    0 <= u < A,  0 <= v < B                      implies  0 <= u*B + v < A*B
unfuse   F = u*B + v,  0 <= v < B,  0 <= F < A*B      implies  0 <= u < A
tile     N*A + w = N*O + d,  0 <= w < N*m,  0 <= d < N  implies  A <= O < A + m      (N a number)
frozen   G*m*N + w in tile O, 0 <= w < m*N; tile and digit lemma: one tile holds one G
split    F = N*O + d,  0 <= d < N,  T <= N*C < T + N   implies
         (0 <= F < T implies 0 <= O < C) and (0 <= O and F < T implies 0 <= F)            (N a number)
ceil     C = (T + N - 1) div N                        implies  T <= N*C < T + N             (N a number)
whole    F = N*O + d,  0 <= d < N,  0 <= O < C,  T = N*C  implies  F < T: no guard needed   (N a number)
"""

from __future__ import annotations

from functools import cache

import z3

from isamap_encodings.solve import ask
from isamap_encodings.verdict import Proved, Verdict


@cache
def lemma(name: str, n: int = 0) -> Verdict:
    """The verdict of a lemma; `n` is the number of points of the instruction axis, if the lemma names one."""
    f, g, t, u, v, a, b, w, o, d, m, c = z3.Ints("F G t u v A B w O d m C")
    match name:
        case "digit":
            given = [b >= 1, f * b + t == g * b + u, t >= 0, t < b, u >= 0, u < b]
            return ask(given, z3.And(f == g, t == u), "digit lemma")
        case "range":
            given = [a >= 1, b >= 1, u >= 0, u < a, v >= 0, v < b]
            return ask(given, z3.And(u * b + v >= 0, u * b + v < a * b), "range lemma", 20_000_000)
        case "unfuse":
            given = [a >= 1, b >= 1, f == u * b + v, v >= 0, v < b, f >= 0, f < a * b]
            return ask(given, z3.And(u >= 0, u < a), "unfuse lemma", 20_000_000)
        case "tile":
            given = [m >= 1, n * a + w == n * o + d, w >= 0, w < n * m, d >= 0, d < n]
            return ask(given, z3.And(a <= o, o < a + m), f"tile lemma {n}")
        case "split":
            tile = [f == n * o + d, d >= 0, d < n, a >= 1, n * c >= a, n * c < a + n]
            down = z3.Implies(z3.And(f >= 0, f < a), z3.And(o >= 0, o < c))
            up = z3.Implies(z3.And(o >= 0, o < c, f < a), z3.And(f >= 0, f < a))
            return ask(tile, z3.And(down, up), f"split lemma {n}")
        case "ceil":
            return ask([a + n - 1 == n * c + d, d >= 0, d < n], z3.And(a <= n * c, n * c < a + n), f"ceil lemma {n}")
        case "whole":
            given = [f == n * o + d, d >= 0, d < n, o >= 0, o < c, a == n * c]
            return ask(given, f < a, f"whole lemma {n}")
    raise KeyError(name)


def lemmas(*names: tuple[str, int]) -> Verdict | None:
    """None when all named lemmas are proved, else the verdict of the first other one."""
    for name, n in names:
        verdict = lemma(name, n)
        if not isinstance(verdict, Proved):
            return verdict
    return None
