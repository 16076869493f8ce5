"""Axes that lie together in memory as one: the kernel computes the same, each mistake is refuted, and lanes walk them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, sym
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.mapping.joined import join_axes, joinable
from isamap_smt.mapping.rows import remade
from isamap_smt.mapping.split import split_sum
from isamap_smt.pipeline.split import after
from isamap_smt.proof.split import prove_split

MEAN = "Y[n,c] += X[n,c,p,q] / 12"
SIZES = {"p": 3, "q": 4}


def whole(text: str = MEAN) -> Kernel:
    kernel = im.kernel(text, name="whole")
    return kernel.with_sizes({n: v for n, v in SIZES.items() if n in {a.name for a in kernel.axes}})


def drawn(kernel: Kernel, sizes: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    rng, fixed = np.random.default_rng(seed), kernel.with_sizes(sizes)
    return {n: rng.integers(-9, 9, tuple(map(int, fixed.tensor(n).shape))).astype(np.float32) for n in kernel.inputs}


@pytest.mark.parametrize(
    "text",
    [
        MEAN,
        "Y[n,c] max= X[n,c,p,q]",
        "Y[c] += X[p,q,c]",
        "Y[n] += X[n,p,q] * W[p,q]",
        "Y[] += X[p,q]",
        "Y[n,k] += X[n,p,q] * W[k,p,q] * Z[n]",
    ],
)
def test_it_computes_the_same(text: str) -> None:
    kernel = whole(text)
    made = join_axes(kernel, ("p", "q"))
    proof = prove_split(made)
    assert (proof.word, proof.arithmetic) == ("proved", "exact"), [str(c) for c in proof.failed()]
    sizes = {n: 2 + k for k, n in enumerate(kernel.free_sizes)}
    arrays = drawn(kernel, sizes)
    found, want = (run_kernel(k, arrays, sizes=sizes)["Y"] for k in (made.kernel, kernel))
    np.testing.assert_array_equal(found, want)


def test_it_is_text_that_reads_back_and_is_made_again() -> None:
    made = join_axes(whole(), ("p", "q"))
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert remade(made, made.whole) == made
    assert split_from(kernel_document(made.kernel, None, made)) == made
    assert (str(made), made.key) == ("p and q as one axis", "joined-p-q-1")
    sums = after(made, split_sum(made.kernel, "p_q", 4), {})
    assert split_from(kernel_document(sums.kernel, None, sums)) == sums and prove_split(sums).proved


@pytest.mark.parametrize(
    "text",
    [
        "Y[n,c] += X[n,c,q,p]",  # not in the order of memory
        "X: [N,C,P,9]\naxis q < 4\nY[n,c] += X[n,c,p,q]",  # rows are longer than what is read of them
        "Y[n] += X[n,p,q] * W[q]",  # an operand has one of both
        "Y[n,c] += X[n,c,p,q] where p <= q",
        "Y[n,c] += X[n,c,p,q] ordered",
        "Y[n,c] += X[n,c,p,q] * p",
        "Y[n,p] += X[n,p,q]",
        "Y[n,c] += X[n+p,c,p,q]",
        "Y[n] += X[n,p,p] * W[p,q]",
        "for n:\n  S[n+1] = S[n]\n  S[n+1] += X[n,p,q]",
    ],
)
def test_what_is_not_one_axis(text: str) -> None:
    kernel = whole(text)
    position = len(kernel.statements) - 1
    assert ("p", "q") not in joinable(kernel, position)
    with pytest.raises(ScheduleError, match=f"p and q are no one axis of statement {position + 1} of whole"):
        join_axes(kernel, ("p", "q"), position)


def test_extents_are_known() -> None:
    assert joinable(im.kernel(MEAN, name="open"), 0) == ()


# ---- mutants


def changed(made: Rewrite, **fields: Any) -> Rewrite:
    (s,) = made.kernel.statements
    return replace(made, kernel=replace(made.kernel, statements=(replace(s, **fields),)))


def extent(made: Rewrite, points: int) -> Rewrite:
    axes = made.kernel.statements[0].axes
    return changed(made, axes=tuple(replace(a, extent=sp.Integer(points)) if a.name == "p_q" else a for a in axes))


def elsewhere(made: Rewrite, *index: Any) -> Rewrite:
    value = made.kernel.statements[0].value
    return changed(made, value=rewrite_reads(value, lambda r: Read(r.args[0], *r.index[:2], *index)))


def point(made: Rewrite, **at: Any) -> Rewrite:
    (piece,) = made.pieces
    return replace(made, roles=(replace(piece, point=tuple({**dict(piece.point), **at}.items())),))


R = sym("p_q")
MUTANTS: dict[str, tuple[set[str], Callable[[Rewrite], Rewrite]]] = {
    "a point more": ({"bounds"}, lambda m: extent(m, 13)),
    "a point less": ({"coverage"}, lambda m: extent(m, 11)),
    "the next element": ({"program"}, lambda m: elsewhere(m, FloorDiv(R, 4), FloorMod(R + 1, 4))),
    "columns for rows": ({"program"}, lambda m: elsewhere(m, FloorMod(R, 4), FloorDiv(R, 4))),
    "rows of three": ({"program"}, lambda m: elsewhere(m, FloorDiv(R, 3), FloorMod(R, 3))),
    "columns for rows, and says so": (
        {"order", "bounds"},
        lambda m: point(elsewhere(m, FloorMod(R, 3), FloorDiv(R, 3)), p=FloorMod(R, 3), q=FloorDiv(R, 3)),
    ),
    "the same point twice": (
        {"order", "exclusive", "coverage"},
        lambda m: point(elsewhere(m, FloorDiv(R, 4), 0), q=sp.S.Zero),
    ),
    "the axis in another place": (
        {"order"},
        lambda m: changed(m, axes=m.kernel.statements[0].axes[::-1]),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    claims, mutate = MUTANTS[name]
    proof = prove_split(mutate(join_axes(whole(), ("p", "q"))))
    failed = {c.claim for c in proof.failed()}
    assert not proof.proved and failed and failed <= claims, [str(c) for c in proof.failed()]


# ---- plans

LAYERS = {
    "mean": ("Y[n,c] += X[n,c,p,q] / (P*Q)", {"n": 2, "c": 24, "p": 7, "q": 7}),
    "sum": ("Y[n,c] += X[n,c,p,q]", {"n": 3, "c": 5, "p": 7, "q": 7}),
    "max": ("Y[n,c] max= X[n,c,p,q]", {"n": 3, "c": 17, "p": 5, "q": 7}),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.needs("avx2", "fma")
def test_lanes_sum_what_lies_together(name: str) -> None:
    text, sizes = LAYERS[name]
    kernel = im.kernel(text, name=name)
    plan = im.plan(kernel, "avx2", sizes=sizes)
    assert plan.split is not None and str(plan.split.split.chain[0]) == "p and q as one axis"
    (main, *_) = plan.program.schedules
    assert main.proved.mapping.id.startswith("l=p_q_part")
    assert all(stage.depth is None for stage in main.stages if stage.operand != main.proved.mapping.binding[0][0])
    arrays = drawn(kernel, sizes)
    found = im.build(plan)(**arrays)
    axes = (2, 3)
    want = {"mean": np.mean, "sum": np.sum, "max": np.max}[name](arrays["X"].astype(np.float64), axis=axes)
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("sizes", [{"i": 9, "j": 13, "c": 4}, {}])
@pytest.mark.needs("avx2", "fma")
def test_lanes_over_fused_axes_are_loaded_in_place(sizes: dict[str, int]) -> None:
    """They were packed in every call, where they lie together, too."""
    kernel = im.kernel("Y[j,c] += X[i,j,c]", name="middle")
    plan = im.plan(kernel, "avx2", sizes=sizes)
    (schedule,) = plan.program.schedules
    assert schedule.proved.mapping.id == "l=j.c;x0=X"
    assert all(stage.depth is None for stage in schedule.stages if stage.operand == "x0")
    arrays = drawn(kernel, {"I": 9, "J": 13, "C": 4})
    np.testing.assert_array_equal(im.build(plan)(**arrays), arrays["X"].sum(0))


@pytest.mark.needs("avx2", "fma")
def test_lanes_over_fused_axes_that_are_apart_are_no_vector_of_memory() -> None:
    """Rows of 9, of which 4 are read."""
    kernel = im.kernel("X: [I,J,9]\naxis c < 4\nY[j,c] += X[i,j,c]", name="apart")
    plan = im.plan(kernel, "avx2", sizes={"i": 9, "j": 13})
    fused = [s for s in plan.program.schedules if s.proved.mapping.id.startswith("l=j.c")]
    assert all(stage.depth is not None for s in fused for stage in s.stages if stage.operand == "x0")
    x = np.random.default_rng(0).integers(-9, 9, (9, 13, 9)).astype(np.float32)
    np.testing.assert_array_equal(im.build(plan)(X=x), x[:, :, :4].sum(0))
