"""Long sums of floating point are closed after some hundred terms and begun anew: which, and how they round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.program import Move
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.scheduling.decode import MOST

GEMM = "C[i,j] += A[i,k] * B[k,j]"
BYTES = "A: u8\nB: i8\nC: i32\nC[i,j] += i32(A[i,k]) * i32(B[k,j])"
LAYER = "temporary T\nT[i,j] += A[i,k] * B[k,j]\nC[i,j] = relu(T[i,j])"
CONV = """axis p < 9
axis q < 7
axis m < 40
axis c < 160
axis r < 3
axis s < 3
temporary T
T[m,p,q] += X[c,p+r-1,q+s-1] * W[m,c,r,s] where 0 <= p+r-1 and p+r-1 < 9 and 0 <= q+s-1 and q+s-1 < 7
Y[m,p,q] = relu(T[m,p,q] + B[m])"""


def blocks(plan: im.Plan) -> list[tuple[str, int]]:
    """(axis, step) of loops that close accumulators."""
    return [(x.axis, x.step) for s in plan.program.schedules for x in s.loops if x.level == "block"]


def adds(plan: im.Plan) -> bool:
    """Whether what was summed before is added."""
    return any(n.instruction.kind == "accumulate" for n in nodes_of(Move, plan.program))


@pytest.mark.parametrize(
    ("text", "sizes", "wanted"),
    [
        (GEMM, {"i": 24, "j": 48, "k": 2048}, [("k", 512)]),
        (GEMM, {"i": 24, "j": 48, "k": 900}, [("k", 450)]),
        (GEMM, {"i": 24, "j": 48, "k": 521}, [("k", 261)]),
        (GEMM, {"i": 24, "j": 48, "k": MOST}, []),
        (LAYER, {"i": 24, "j": 48, "k": 2048}, [("k", 512)]),
        (CONV, {}, [("c", 40)]),  # of 160 by 9
        (f"{GEMM} ordered", {"i": 24, "j": 48, "k": 2048}, []),
        (BYTES, {"i": 24, "j": 48, "k": 2048}, []),
    ],
)  # fmt: skip
def test_which_sums_are_cut(text: str, sizes: dict[str, int], wanted: list[tuple[str, int]]) -> None:
    plan = im.plan(im.kernel(text, name="mine"), "avx2", sizes=sizes, fix=_whole(text, sizes))
    assert plan.proof.proved
    assert blocks(plan) == wanted
    assert adds(plan) is bool(wanted)
    told = [x for s in plan.program.schedules for x in s.decided_outside if "begun anew" in x]
    assert bool(told) is bool(wanted)


def _whole(text: str, sizes: dict[str, int]) -> dict[str, Any]:
    """The sum in one piece, as far as the caches are concerned."""
    return {"tile.k": sizes["k"], "split": "no"} if "k" in sizes else {"split": "no"}


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (GEMM, {"i": 13, "j": 21, "k": 8192}), (GEMM, {"i": 13, "j": 21, "k": 8191}), (GEMM, {}),
        (LAYER, {"i": 12, "j": 24, "k": 8192}), (LAYER, {}), (f"A: f64\nB: f64\nC: f64\n{GEMM}", {"i": 13, "j": 21, "k": 8192}),
    ],
)  # fmt: skip
def test_they_round_less(text: str, sizes: dict[str, int]) -> None:
    """Beside one term after the other. Elements are above 0, so that sums grow, as behind a relu."""
    plan = im.plan(im.kernel(text, name="mine"), "avx2", sizes=sizes)
    assert adds(plan)
    dtype = np.float64 if "f64" in text else np.float32
    random = np.random.default_rng(4)
    i, j, k = (sizes.get(a, n) for a, n in (("i", 11), ("j", 30), ("k", 8000)))
    a, b = random.random((i, k)).astype(dtype), random.random((k, j)).astype(dtype)
    compiled = im.build(plan)
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    one_by_one = np.zeros((i, j), dtype)
    for n in range(k):
        one_by_one += np.outer(a[:, n], b[n])
    ours, theirs = (np.abs(x - exact).max() for x in (compiled(A=a, B=b), one_by_one))
    assert ours < theirs * 0.5
    if "T" not in text:
        before = random.random((i, j)).astype(dtype)
        given = np.abs(compiled(A=a, B=b, out=before.copy()) - (exact + before)).max()
        assert given < theirs * 0.5


@pytest.mark.needs("avx2", "fma")
def test_a_convolution_with_a_border(in_empty_directory: object) -> None:
    plan = im.plan(im.kernel(CONV, name="mine"), "avx2", constant=["W"])
    assert blocks(plan) and adds(plan)
    random = np.random.default_rng(1)
    x, w, b = (random.standard_normal(s).astype(np.float32) for s in ((160, 9, 7), (40, 160, 3, 3), (40,)))
    wide = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    sums = sum(
        np.einsum("cpq,mc->mpq", wide[:, r : r + 9, s : s + 7], w[:, :, r, s]) for r in range(3) for s in range(3)
    )
    wanted = np.maximum(sums + b[:, None, None], 0)
    np.testing.assert_allclose(im.build(plan)(X=x, W=w, B=b), wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("k", [4000, 4096, 8192])
def test_steps_divide_the_loops_around_them(k: int) -> None:
    """1366 points of a cached part are no whole number of blocks of 456: the whole plan fell back to portable C."""
    plan = im.plan(
        im.kernel("Y[i] += A[i,k] * X[k]", name="rows"), "avx2", sizes={"i": 100, "k": k}, fix={"split": "no"}
    )
    assert plan.schedule is not None and not plan.notes
