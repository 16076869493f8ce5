"""An axis within its guard: what is made is proved and computes the same; each way of getting it wrong is refuted."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.kernel import Access, Axis, Kernel
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.rows import Bounded
from isamap_smt.ir.scalar import put_into_indices
from isamap_smt.mapping.bounded import bound_axis, boundable
from isamap_smt.mapping.rows import remade
from isamap_smt.proof.split import prove_split
from tests.proof.changed_forms import assert_refuted, change, computing

STENCIL = "Y: [I,J]\nX: [I,J]\nY[i,j] = X[i,j-1] + 2*X[i,j+1] where 1 <= j and j <= J-2"
SUM = "Y: [I]\nX: [I,K]\nW: [K]\nY[i] += X[i,k-3] * W[k] where k >= 3 and k <= i + 2"
WITHIN = sym("j_within")


def bounded(text: str = STENCIL, axis: str = "j", **sizes: int) -> Rewrite:
    return bound_axis(im.kernel(text, name="whole").with_sizes(sizes), axis, 0)


CASES = {
    STENCIL: ("j", "axis j_within < J - 2"),
    SUM: ("k", "k_within + 3 <= i + 2"),
    "X: [J]\nY: [J]\nY[j] = X[J-j] where j > 0": ("j", "X[J - j_within - 1]"),
    "X: [J]\nY: [J]\nY[j] = X[2*j] where 2*j < J": ("j", "axis j_within < (J - 1) // 2 + 1"),
    "X: [J]\nY: [J]\nY[j] = X[j-2] where 3*j >= 5 and 1 <= j": ("j", "axis j_within < J - 2"),
    "X: [J]\nY: [J]\nY[j] = X[j-1] * j where 1 <= j": ("j", "j_within + 1)"),
    "X: [J]\nY: [J]\nY[j] = X[j-1] where j == 3": ("j", "axis j_within < min(J - 3, 1)"),
    "X: [J]\nY: [J]\nY[j] max= X[j-1] where 1 <= j and j <= K and 2*j <= 3*J\nZ[k] = X[0] * W[k]": (
        "j",
        "< min(J - 1, K)",
    ),
}


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("sizes", [{}, {"j": 7}, {"j": 5, "k": 9}])
def test_a_kernel_within_its_guard_computes_the_same(text: str, sizes: dict[str, int]) -> None:
    kernel = im.kernel(text, name="whole")
    axis, printed = CASES[text]
    assert boundable(kernel, 0) == (axis,)
    sizes = {n: v for n, v in sizes.items() if n in {a.name for a in kernel.axes}}
    made = bound_axis(kernel.with_sizes(sizes), axis, 0)
    assert sizes or printed in made.kernel.text, made.kernel.text
    assert prove_split(made).word == "proved"
    assert prove_split(made).arithmetic == "exact"
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert boundable(made.kernel, 0) == ()
    free = dict.fromkeys(made.whole.free_sizes, 5)
    ints = {t.name: "i32" for t in made.whole.tensors}
    arrays = random_arrays(made.whole.with_dtypes(ints), free, np.random.default_rng(4))
    want = run_kernel(made.whole.with_dtypes(ints), arrays, sizes=free)
    got = run_kernel(made.kernel.with_dtypes(ints), arrays, sizes=free)
    for name in made.whole.results:
        np.testing.assert_array_equal(got[name], want[name])


@pytest.mark.parametrize(
    "text, axes",
    [
        ("Y[i,j] = X[i,j] * 2 where 1 <= j and j <= i", ()),  # nothing is moved
        ("X: [I,J]\nY[i,j] = X[i,j-1] where i + 1 <= j", ()),  # no bound of one axis
        ("X: [I,J]\nY[i,j] = X[i-1,j-1] where 1 <= j and 1 <= i", ("i", "j")),
        ("X: [I,J]\nY[i,j] = X[i-1,j] where 1 <= j and 1 <= i", ("i",)),  # a guard along j by itself is a mask
        ("X: [J]\nY[j] = X[j % 3] where 1 <= j", ()),  # not affine
    ],
)
def test_axes_are_bounded_where_inputs_reach_out(text: str, axes: tuple[str, ...]) -> None:
    assert boundable(im.kernel(text), 0) == axes


@pytest.mark.parametrize("axis, sizes", [("i", {}), ("j", {"j": 2}), ("j", {"j": 1})])
def test_what_has_no_bounds_or_no_points_is_said(axis: str, sizes: dict[str, int]) -> None:
    with pytest.raises(ScheduleError, match=f"no guard within which {axis} could run"):
        bounded(axis=axis, **sizes)


def test_a_bound_that_is_none_at_some_sizes_is_one_of_two() -> None:
    made = bounded("Y: [J]\nX: [J]\nY[j] = X[j-1] where 1 <= j and j < 2*J - 30")
    assert "axis j_within < min(J - 1, 2*J - 31)" in made.kernel.text
    assert prove_split(made).proved
    wrong = change(made, axes=(Axis("j_within", 2 * sym("J") - 31),))
    assert "bounds piece 1" in [str(c).split(":")[0] for c in prove_split(wrong).failed()]


# ---- mutants: moved too far, runs too long or too short, ...


def running(x: Rewrite, extent: Any) -> Rewrite:
    return change(x, axes=(x.kernel.statements[0].axis("i"), Axis("j_within", sp.sympify(extent))))


def longer(kernel: Kernel) -> Kernel:
    return replace(kernel, tensors=tuple(replace(t, shape=(*t.shape[:-1], t.shape[-1] + 1)) for t in kernel.tensors))


MUTANTS: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "one further": (lambda x: computing(x, WITHIN + 2), "bounds piece 1"),
    "not moved": (lambda x: computing(x, WITHIN), "bounds piece 1"),
    "every second point": (lambda x: computing(x, 2 * WITHIN + 1), "bounds piece 1"),
    "all at one point": (lambda x: computing(x, sp.Integer(1)), "order digits"),
    "backwards": (lambda x: computing(x, sym("J") - 2 - WITHIN), "order digits"),
    "one point more": (lambda x: running(x, sym("J") - 1), "bounds piece 1"),
    "one point less": (lambda x: running(x, sym("J") - 3), "coverage"),
    "as long as before": (lambda x: running(x, sym("J")), "bounds piece 1"),
    "no points": (lambda x: running(x, 0), "program piece 1"),
    "a guard more": (lambda x: change(x, guard=(sp.Ge(WITHIN, 1),)), "coverage"),
    "the guard of before": (lambda x: change(x, guard=(sp.Le(WITHIN, sym("J") - 4),)), "coverage"),
    "an output of before": (lambda x: change(x, target=Access("Y", (sym("i"), WITHIN))), "program piece 1"),
    "elements of before": (
        lambda x: change(x, value=put_into_indices(x.whole.statements[0].value, {"j": WITHIN})), "program piece 1",
    ),
    "the other order of axes": (lambda x: change(x, axes=x.kernel.statements[0].axes[::-1]), "order axes"),
    "a sum": (lambda x: change(x, op="+"), "program piece 1"),
    "a maximum": (lambda x: change(x, op="max"), "program piece 1"),
    "another value": (lambda x: change(x, value=x.kernel.statements[0].value.args[0]), "program piece 1"),
    "a tensor that is longer": (lambda x: replace(x, kernel=longer(x.kernel)), "link tensors"),
    "another axis": (lambda x: replace(x, row=replace(x.row, axis="i")), "order axes"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    mutate, claim = MUTANTS[name]
    assert_refuted(bounded(), mutate(bounded()), claim, "of statement 1 within its guard")


def test_it_is_made_again_from_a_certificates_document() -> None:
    kernel = im.kernel(STENCIL, name="whole")
    made = bound_axis(kernel, "j", 0)
    assert made.key == "bounded-j-J-1" and isinstance(made.row, Bounded) and made.reductions == ()
    assert split_from(kernel_document(made.kernel, split=made)) == made
    assert remade(made, kernel.with_sizes({"J": 9})) == bound_axis(kernel.with_sizes({"J": 9}), "j", 0)


# ---- plans


PLANNED = {
    "X: [I]\nY[i] = X[i-1] * 2 where 1 <= i": "selected",
    "X: [I,K]\nY[i] += X[i-1,k] * W[k] where 1 <= i": "fmadd_ps",
    "X: [I,K]\nY[i] += X[i,k-1] * W[k] where 1 <= k": "fmadd_ps",
    STENCIL.replace("2*", ""): "add_ps",
    "X: [I,J]\nY[i,j] = X[i-1,j] + X[i+1,j] + X[i,j-1] + X[i,j+1] where 1 <= i and i <= I-2 and 1 <= j and j <= J-2": "selected",
    "X: [I,J]\nY[i,j] = 2 * X[i,j-1] where 1 <= j and j <= i": "selected",
    "X: [I]\nY[i] = X[i-1] * i where 1 <= i": "mul_ps",
    "X: [I]\nT[i] = X[i-1] * 2 where 1 <= i\nY[i] = T[i] + 1\ntemporary T": "selected",
}  # fmt: skip


@pytest.mark.parametrize("text", PLANNED)
@pytest.mark.parametrize("fixed", [False, True], ids=["open", "fixed"])
def test_shifted_elements_are_computed_in_lanes(text: str, fixed: bool) -> None:
    kernel = im.kernel(text, name="shifted")
    for n in (21,) if fixed else (1, 2, 3, 8, 21):
        sizes = dict.fromkeys(kernel.free_sizes, n)
        plan = im.plan(kernel, "avx2", sizes=sizes if fixed else None)
        assert plan.instruction is not None and plan.instruction.short == PLANNED[text], plan.notes
        assert any("within its guard" in note for note in plan.notes)
        sized, draw = kernel.with_sizes(sizes), np.random.default_rng(n)
        shapes = {t.name: tuple(map(int, t.shape)) for t in sized.tensors}
        arrays = {name: draw.integers(-9, 9, shapes[name]).astype(np.float32) for name in sized.inputs}
        out = np.full(shapes["Y"], 7, np.float32)
        want = run_kernel(sized, arrays, {"Y": out.copy()})["Y"]
        assert np.array_equal(im.build(plan)(**arrays, out=out), want)


@pytest.mark.parametrize(
    "lines",
    ["T[i] = X[i-1] * 2 where 1 <= i\nY[i] = T[i] + 1", "T[i] = X[i] * 2\nY[i] = T[i-1] + 1 where 1 <= i"],
    ids=["the first", "the second"],
)
def test_a_statement_whose_guard_leaves_no_points_is_no_fault(lines: str) -> None:
    kernel = im.kernel(f"temporary T\nX: [I]\n{lines}", name="one")
    plan = im.plan(kernel, "avx2", sizes={"I": 1})
    assert any("at these sizes its guard leaves no points" in note for note in plan.notes), plan.notes
    assert not any("fault" in note for note in plan.notes)
    x, seven = np.ones(1, np.float32), np.full(1, 7, np.float32)
    want = run_kernel(kernel.with_sizes({"I": 1}), {"X": x}, {"Y": seven.copy()})["Y"]
    assert np.array_equal(im.build(plan)(x, out=seven.copy()), want)


BEHIND = {
    "a sum that may be empty": "T[i] += X[i,j-1] where j >= 1\nY[i] = T[i]",
    "a maximum that may be empty": "T[i] max= X[i,j-1] where 1 <= j\nY[i] = Z[i] - T[i-1] where 1 <= i",
    "some of a temporary's elements": "T[i] += 2 * X[i+1,j] where i < I - 1\nY[i] = T[i]",
    "an axis that was written shorter": "axis k < I - 1\nT[k] += 2 * X[k+1,j]\nY[i] = T[i]",
}


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
@pytest.mark.parametrize("name", BEHIND)
def test_what_stands_behind_a_bounded_sum_is_no_fault(name: str, machine: str) -> None:
    kernel = im.kernel(f"temporary T\nX: [I,J]\nT: [I]\nY: [I]\n{BEHIND[name]}", name="behind")
    for sizes in (None, {"I": 9, "J": 40}):
        plan = im.plan(kernel, machine, sizes=sizes)
        assert not any("fault" in note for note in plan.notes), plan.notes
        assert plan.program.schedules or sizes is None  # a maximum over what may be no points stays in portable C


def test_other_axes_than_that_of_time_are_bounded_in_recurrences() -> None:
    step = "  R[t,j] += Y[t,k] * U[k,j]\n  Y[t+1,j] = R[t,j-1] + X[t-1,j] where 1 <= j and 1 <= t"
    kernel = im.kernel(f"temporary R\nU: [J,J]\nX: [S,J]\nY: [S+1,J]\nR: [S,J]\nfor t:\n{step}", name="steps")
    assert boundable(kernel, 1) == ("j",)
    assert prove_split(bound_axis(kernel, "j", 1)).proved
    assert prove_split(bound_axis(kernel, "t", 1)).word == "refuted"


def test_an_axis_of_fewer_than_no_points_has_none() -> None:
    within = bounded().kernel
    x = np.ones((2, 1), np.float32)
    assert np.array_equal(run_kernel(within, {"X": x}, {"Y": x.copy()})["Y"], x)
    compiled = im.compile(within, "avx2")
    assert np.array_equal(compiled(x, out=x.copy()), x)


@pytest.mark.parametrize(
    "fix", [{"tile.j": 16}, {"register.j": 8, "parallel": "no"}, {"split.k": 8}, {"parallel": "j"}]
)
def test_pins_name_the_axis_as_it_is_written(fix: dict[str, Any]) -> None:
    text = "X: [J,K]\nY[j] += X[j-1,k-1] * W[k] where 1 <= j and 1 <= k" if "split.k" in fix else STENCIL
    kernel = im.kernel(text, name="pinned")
    sizes = dict.fromkeys(kernel.free_sizes, 40)
    plan = im.plan(kernel, "host", sizes=sizes, fix=fix, threads=2)
    assert plan.split is not None and plan.program.schedules
    again = {k.replace(".j", ".j_within").replace(".k", ".k_within"): v for k, v in fix.items()}
    assert again == fix or im.plan(kernel, "host", sizes=sizes, fix=again).program.schedules


def test_errors_speak_of_the_kernel_as_it_is_written() -> None:
    kernel = im.kernel("X: [I]\nY: [I]\nY[i] = X[i-1] + X[i+1] where 1 <= i", name="half")
    with pytest.raises(im.IsamapError, match=r"add a guard such as `where 0 <= i \+ 1 < I`"):
        im.plan(kernel, "avx2")
    with pytest.raises(ScheduleError, match="over 'j'"):
        im.plan(im.kernel(STENCIL, name="summed"), "avx2", sizes={"I": 40, "J": 40}, fix={"split.j": 8})


@pytest.mark.needs("avx2", "fma")
def test_nothing_around_a_tensor_is_read_or_written() -> None:
    """Both tensors fill a page each, between pages that must not be touched."""
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 5 * page)
    libc = ctypes.CDLL(None, use_errno=True)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for n in (0, 2, 4):
        assert libc.mprotect(ctypes.c_void_p(start + n * page), ctypes.c_size_t(page), 0) == 0
    x, y = (np.frombuffer(memory, np.float32, page // 4, n * page) for n in (1, 3))
    x[:] = np.random.default_rng(2).integers(-99, 99, len(x))
    moved = im.compile(
        im.kernel("X: [I]\nY: [I]\nY[i] = X[i-1] + X[i+1] where 1 <= i and i <= I-2", name="moved"), "avx2"
    )
    moved(x, out=y)
    assert np.array_equal(y, [0, *(x[:-2] + x[2:]), 0])
