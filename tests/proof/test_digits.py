"""An axis in two digits: what is made is proved and computes the same; each way of getting it wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.kernel import Access, Axis
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import put_into_indices
from isamap_smt.mapping.digits import split_axes
from isamap_smt.proof.split import prove_split
from tests.proof.changed_forms import assert_refuted, change, computing

GEMM = "C[i,j] += A[i,k] * B[k,j]"
GUARDED = "C[i] += A[i+j-1] * B[j] where i+j-1 >= 0 and i+j-1 < I\naxis i < I\nA: f32[I]"
HIGH, LOW = sym("j_by4"), sym("j_mod4")


def split(text: str = GEMM, points: int = 4, **sizes: int) -> Rewrite:
    made = split_axes(im.kernel(text, name="whole").with_sizes(sizes), (("j", points),))
    assert made is not None
    return made


@pytest.mark.parametrize("sizes", [{}, {"j": 8}, {"j": 7}, {"j": 3}])
@pytest.mark.parametrize("text", [GEMM, GUARDED, "C[j] = A[j] * B[j]", "m[] max= A[i,j]", GEMM + " ordered"])
def test_a_kernel_in_digits_computes_the_same(text: str, sizes: dict[str, int]) -> None:
    made = split(text, **sizes)
    assert prove_split(made).word == "proved"
    assert prove_split(made).arithmetic == "exact"
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    free = dict.fromkeys(made.whole.free_sizes, 5)
    ints = {t.name: "i32" for t in made.whole.tensors}
    arrays = random_arrays(made.whole.with_dtypes(ints), free, np.random.default_rng(4))
    want = run_kernel(made.whole.with_dtypes(ints), arrays, sizes=free)
    got = run_kernel(made.kernel.with_dtypes(ints), arrays, sizes=free)
    for name in made.whole.results:
        np.testing.assert_array_equal(got[name], want[name])


def test_two_axes_and_a_digit_of_a_digit() -> None:
    made = split_axes(im.kernel(GEMM), (("i", 8), ("j", 4), ("i_mod8", 2)))
    assert made is not None and prove_split(made).proved
    assert made.low_digits == {"i_mod8": "i%8", "j_mod4": "j%4", "i_mod8_mod2": "i_mod8%2"}


@pytest.mark.parametrize(
    "digits, words",
    [
        ((("z", 4),), "no axis 'z'"),
        ((("j", 1),), "1 is no digit of it"),
        ((("k", 4),), "runs to 2: 4 is no digit of it"),
    ],
)
def test_what_has_no_digits_is_said(digits: tuple[tuple[str, int], ...], words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        split_axes(im.kernel(GEMM).with_sizes({"k": 2}), digits)


# ---- mutants: wrong order, wrong factor, overlapping digits, ...


def at_point(x: Rewrite, point: Any) -> Rewrite:
    """The kernel that computes `point` for j as long as that is inside, and says so."""
    return computing(x, point, guard=(sp.Lt(point, x.whole.statements[0].axis("j").extent, evaluate=False),))


def extents(x: Rewrite, **new: Any) -> Rewrite:
    return change(x, axes=tuple(Axis(a.name, new.get(a.name, a.extent)) for a in x.kernel.statements[0].axes))


def axes_as(x: Rewrite, *names: str) -> Rewrite:
    return change(x, axes=tuple(x.kernel.statements[0].axis(n) for n in names))


MUTANTS: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "the digits in the other order": (lambda x: at_point(x, 4 * LOW + HIGH), "order digits"),
    "overlapping digits": (lambda x: at_point(x, 3 * HIGH + LOW), "order digits"),
    "digits with a gap": (lambda x: at_point(x, 5 * HIGH + LOW), "coverage"),
    "one further": (lambda x: at_point(x, 4 * HIGH + LOW + 1), "coverage"),
    "backwards": (lambda x: at_point(x, x.whole.statements[0].axis("j").extent - 1 - 4 * HIGH - LOW), "order digits"),
    "a low digit of three": (lambda x: extents(x, j_mod4=sp.Integer(3)), "coverage"),
    "a low digit of five": (lambda x: extents(x, j_mod4=sp.Integer(5)), "order digits"),
    "one high digit less": (lambda x: extents(x, j_by4=x.kernel.statements[0].axis("j_by4").extent - 1), "coverage"),
    "nothing cut off": (lambda x: change(x, guard=()), "bounds piece 1"),
    "cut off too early": (lambda x: change(x, guard=(sp.Lt(4 * HIGH + LOW + 1, sym("J")),)), "coverage"),
    "the low digit outside": (lambda x: axes_as(x, "i", "j_mod4", "j_by4", "k"), "order digits"),
    "a digit elsewhere": (lambda x: axes_as(x, "i", "j_by4", "k", "j_mod4"), "order axes"),
    "another order of axes": (lambda x: axes_as(x, "j_by4", "j_mod4", "i", "k"), "order axes"),
    "an output of another axis": (
        lambda x: change(x, target=Access("C", (4 * HIGH + LOW, sym("i")))),
        "program piece 1",
    ),
    "elements of another place": (
        lambda x: change(x, value=put_into_indices(x.whole.statements[0].value, {"j": 4 * HIGH})),
        "program piece 1",
    ),
    "a fixed order more": (lambda x: change(x, ordered=True), "program piece 1"),
    "a maximum": (lambda x: change(x, op="max"), "program piece 1"),
    "a temporary": (lambda x: replace(x, kernel=replace(x.kernel, temporaries=("C",))), "link tensors"),
    "two statements": (
        lambda x: replace(x, kernel=replace(x.kernel, statements=x.kernel.statements * 2)),
        "link statements",
    ),
    "a point of its own": (lambda x: replace(x, roles=(replace(x.pieces[0], back=x.pieces[0].back[:-1]),)), "program piece 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    mutate, claim = MUTANTS[name]
    assert_refuted(split(), mutate(split()), claim, "j in digits, the low one of 4")


def test_a_mapping_of_a_wrong_split_is_refuted() -> None:
    mapping = im.fuse(im.kernel(GEMM), im.find_instruction("avx2.fmadd_ps"), "l=i.j%4")
    assert im.prove(mapping)
    assert mapping.split is not None
    result = im.prove(replace(mapping, split=at_point(mapping.split, 3 * HIGH + LOW)))
    assert not result
