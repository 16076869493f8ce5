"""Values of axes as elements of temporaries: the kernel computes the same, and each way of getting it wrong is refuted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Axis, Kernel
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.rows import Numbered
from isamap_smt.ir.scalar import IndexValue, Read, cast, rewrite_reads
from isamap_smt.mapping.numbered import numberable, numbered
from isamap_smt.proof.split import prove_split, require_split

I, J = np.arange(5)[:, None], np.arange(7)[None, :]
TEXTS: dict[str, Callable[[Any], Any]] = {
    "Y[i,j] = X[i,j] / (j + 1)": lambda x: x / (J + 1),
    "Y[i,j] = select(i < j, X[i,j], 0)": lambda x: np.where(I < J, x, 0),
    "Y[i,j] = select(2*j <= i + 3, X[i,j] * i, j)": lambda x: np.where(2 * J <= I + 3, x * I, J),
    "Y[i,j] = select(j % 3 == 0, X[i,j], i - j)": lambda x: np.where(J % 3 == 0, x, I - J),
    "Y[i,j] = f32(i32(X[i,j]) * i32(J - j))": lambda x: x.astype(np.int32) * (7 - J),
    "Y[i,j] = select(select(2*i < j + 1, X[i,j], 0) <= X[i,j], i, j)": lambda x: np.where(
        np.where(2 * I < J + 1, x, 0) <= x, I, J
    ),
    "Y[i] += X[i,j] * j": lambda x: (x * J).sum(1),
}


def whole(text: str) -> Kernel:
    return im.kernel(text, name="whole")


@pytest.mark.parametrize("text", TEXTS)
def test_it_computes_the_same(text: str) -> None:
    """Compared with NumPy; proved with open sizes and with fixed ones."""
    x = np.random.default_rng(2).integers(-9, 10, (5, 7)).astype(np.float32)
    for kernel in (whole(text), whole(text).with_sizes({"i": 5, "j": 7})):
        made = numbered(kernel, (0,))
        assert not [v for v in made.kernel.statements[made.added :] if v.value.has(IndexValue)]
        proof = prove_split(made)
        assert (proof.word, proof.arithmetic) == ("proved", "exact"), proof.failed()
        assert {"link", "coverage", "bounds", "axis", "scalar"} <= {c.claim for c in proof.claims}
        got = run_kernel(made.kernel, {"X": x}, sizes=None if kernel.free_sizes == () else {"i": 5, "j": 7})["Y"]
        np.testing.assert_array_equal(got, TEXTS[text](x).astype(np.float32))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", TEXTS)
def test_instructions_compute_it_bit_for_bit(text: str) -> None:
    """Registers are full and cut: 37 columns."""
    kernel = whole(text)
    x = np.random.default_rng(3).integers(-9, 10, (5, 37)).astype(np.float32)
    plan = im.plan(kernel, "host", sizes={"i": 5, "j": 37})
    if plan.program.schedules:  # not every machine has a choice by comparison
        assert plan.split is not None and isinstance(plan.split.split.chain[0].row, Numbered)
    got = im.compile(kernel, "host", sizes={"i": 5, "j": 37})(x)
    np.testing.assert_array_equal(got, run_kernel(kernel, {"X": x})["Y"])


def test_it_is_text_that_reads_back_and_is_made_again() -> None:
    kernel = whole("Y[i,j] = select(i < j, X[i,j] * j, i + j)").with_sizes({"i": 5, "j": 7})
    made = numbered(kernel, (0,))
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert split_from(kernel_document(made.kernel, None, made)) == made
    assert str(made) == "values of axes as elements of j_f32, i_j_f32, i_f32"


def test_a_comparison_is_in_a_type_that_holds_both_sides() -> None:
    text = "Y[i,j] = select(i < j, X[i,j], 0)"
    small, large = numbered(whole(text).with_sizes({"i": 5, "j": 7}), (0,)), numbered(whole(text), (0,))
    assert small.temporaries == ("i_f32", "j_f32") and large.temporaries == ("i_i32", "j_i32")
    wide = numbered(whole("Y[i,j] = select(i < 4*j, X[i,j], 0)"), (0,))
    assert wide.temporaries == ("i_i64", "j_i64")


@pytest.mark.parametrize(
    "text",
    [
        "Y[i,j] = X[i,j] * 2",
        "Y[i,j] = f32(j)\nZ[i,j] = X[i,j]",
        "Y[i,j] = X[i,j] * (2*i + j // 2)",
        "Y[i] = X[i] * J\nsize J",
        "Y[i] = sum(e, 3, X[i] * e)",
    ],
)
def test_what_is_left_as_it_is(text: str) -> None:
    assert numberable(whole(text)) == ()
    with pytest.raises(ScheduleError):
        numbered(whole("Y[i,j] = X[i,j] * 2"), (0,))


# ---- mutants


def made_of(text: str = "Y[i,j] = select(i < j, X[i,j], j)") -> Rewrite:
    return numbered(whole(text).with_sizes({"i": 6, "j": 6}), (0,))


def changed(made: Rewrite, number: int, **fields: Any) -> Rewrite:
    every = list(made.kernel.statements)
    every[number] = replace(every[number], **fields)
    return replace(made, kernel=replace(made.kernel, statements=tuple(every)))


def counted(made: Rewrite, number: int, change: Callable[[Any], Any]) -> Rewrite:
    """The temporary holds other numbers."""
    s = made.kernel.statements[number]
    kind = s.value.args[0].name
    return changed(made, number, value=cast(kind, IndexValue(sp.expand(change(s.axes[0].symbol)))))


def read_at(made: Rewrite, old: str, tensor: str, index: Any) -> Rewrite:
    s = made.kernel.statements[-1]
    value = rewrite_reads(s.value, lambda r: Read(sp.Symbol(tensor), index) if r.tensor == old else r)
    return changed(made, len(made.kernel.statements) - 1, value=value)


def typed(made: Rewrite, name: str, kind: str) -> Rewrite:
    n = next(n for n, s in enumerate(made.kernel.statements) if s.target.tensor == name)
    tensors = tuple(replace(t, dtype=dtype(kind)) if t.name == name else t for t in made.kernel.tensors)
    there = replace(made, kernel=replace(made.kernel, tensors=tensors))
    return changed(there, n, value=cast(kind, made.kernel.statements[n].value.args[1]))


def otherwise(made: Rewrite) -> Rewrite:
    s = made.kernel.statements[-1]
    return changed(made, len(made.kernel.statements) - 1, value=s.value.func(s.value.args[0], *s.value.args[:0:-1]))


def half(made: Rewrite) -> Rewrite:
    s = made.kernel.statements[0]
    return changed(made, 0, axes=(Axis("j", sp.Integer(3)),), target=s.target)


MUTANTS: dict[str, tuple[Callable[[Rewrite], Rewrite], str, str]] = {
    "one more": (lambda m: counted(m, 0, lambda j: j + 1), "axis", "fails at"),
    "twice": (lambda m: counted(m, 0, lambda j: 2 * j), "axis", "fails at"),
    "another axis": (lambda m: read_at(m, "j_f32", "j_f32", sym("i")), "axis", "fails at i=. j=."),
    "another table": (lambda m: read_at(m, "j_f32", "i_f32", sym("i")), "axis", "fails at"),
    "the neighbour": (lambda m: read_at(m, "j_f32", "j_f32", sym("j") - 1), "bounds", "fails at i=0 j=0"),
    "every second": (lambda m: read_at(m, "j_f32", "j_f32", 2 * sym("j")), "bounds", "fails at"),
    "no number": (lambda m: read_at(m, "j_f32", "X", sym("j")), "program", "rank|became no element"),
    "half of it": (half, "coverage", "computed twice, or never"),
    "another type": (lambda m: typed(m, "j_f32", "f16"), "program", "became no element"),
    "rounded": (lambda m: typed(made_of("Y[i,j] = X[i,j] * f32(j)"), "j_f32", "bf16"), "scalar", "is f32 there, and j_f32 is bf16"),
    "a narrow type": (lambda m: typed(made_of("Y[i,j] = select(i < j, X[i,j], 0)"), "i_f32", "i8"), "program", "became no element"),
    "the other side": (otherwise, "program", "stands where"),
    "no table": (lambda m: replace(m, roles=(m.roles[0], *m.roles[2:])), "link", "a statement is another one"),
    "guarded": (lambda m: changed(m, 0, guard=(sp.Lt(sym("j"), 3),)), "coverage", "computed twice, or never"),
    "added up": (lambda m: changed(m, 0, op="+"), "coverage", "computed twice, or never"),
    "fewer points": (lambda m: changed(m, 2, guard=(sp.Lt(sym("j"), 3),)), "link", "a statement is another one"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    change, claim, words = MUTANTS[name]
    wrong = change(made_of())
    failed = prove_split(wrong).failed()
    assert [c for c in failed if c.claim == claim and re.search(words, str(c.verdict))], failed
    with pytest.raises(NotProvedError, match="not proved to be the same as whole"):
        require_split(wrong)


def test_a_refuted_way_is_given_up_and_the_kernel_computed_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, sizes = whole("Y[i,j] = select(i < j, X[i,j], j + 7)"), {"i": 6, "j": 40}
    wrong = counted(numbered(kernel.with_sizes(sizes), (0,)), 0, lambda j: j + 1)
    monkeypatch.setattr("isamap_smt.pipeline.forms.in_numbers", lambda *_: wrong)
    plan = im.plan(kernel, "avx2", sizes=sizes)
    assert any("given up" in n and "not proved to be the same" in n for n in plan.notes) and plan.split is None
    x = np.arange(240, dtype=np.float32).reshape(6, 40)
    want = run_kernel(kernel.with_sizes(sizes), {"X": x})["Y"]
    np.testing.assert_array_equal(im.build(plan)(x), want)


def test_a_type_that_rounds_what_is_compared_is_refuted() -> None:
    """257 is no number of bf16: both sides would be 256."""
    made = numbered(whole("Y[i,j] = select(i < j, X[i,j], 0)").with_sizes({"i": 300, "j": 300}), (0,))
    wrong = typed(typed(made, "i_f32", "bf16"), "j_f32", "bf16")
    value = wrong.kernel.statements[-1].value
    value = rewrite_reads(value, lambda r: cast("bf16", r) if r.tensor != "X" else r)
    wrong = changed(wrong, 2, value=value)
    failed = prove_split(wrong).failed()
    assert {c.claim for c in failed} == {"scalar"} and "bf16 does not hold all of both sides" in str(failed[0].verdict)
    x = np.ones((300, 300), np.float32)
    got, want = run_kernel(wrong.kernel, {"X": x})["Y"], run_kernel(wrong.whole, {"X": x})["Y"]
    assert (got != want).any()


@pytest.mark.needs("avx2", "fma")
def test_a_mean_of_open_sizes_is_summed_by_lanes() -> None:
    """The size is an element that each term is divided by; it was computed element by element."""
    kernel = im.kernel("Y[n,c] += X[n,c,p,q] / (P*Q)", name="mean")
    plan = im.plan(kernel, "avx2")
    assert plan.proved is not None and "size_f32" in plan.proved.mapping.id, plan.notes
    assert numberable(im.kernel("Y[i] = X[i] / I", name="share")) == ()
    x = np.arange(2 * 9 * 3 * 5, dtype=np.float32).reshape(2, 9, 3, 5)
    np.testing.assert_allclose(im.build(plan)(x), x.mean((2, 3)), rtol=1e-6)
