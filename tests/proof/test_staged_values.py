"""What a guarded reduction takes, in a tensor of its own: the kernel computes the same, and each wrong way is refuted."""

from __future__ import annotations

import random
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
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import SNeg, read
from isamap_smt.mapping.rows import remade
from isamap_smt.mapping.staged_values import has_values, parts_of, stage_values
from isamap_smt.proof.split import prove_split, require_split

TEXT = "S[i] += A[i,j] * A[i,j] - B[j] where j <= i"
TEXTS = {
    TEXT: lambda A, B: np.tril(A * A - B).sum(1),
    "S[i] max= abs(A[i,j] - B[j]) where j <= i": lambda A, B: np.abs(A - B).max(1, where=_low(A), initial=-np.inf),
    "S[j] min= A[i,j] + B[j] where j <= i": lambda A, B: (A + B).min(0, where=_low(A), initial=np.inf),
    "S[] += A[i,j] - B[j] where j <= i and i + j < 5": lambda A, B: (A - B).sum(where=_low(A) & _near(A)),
}


def _low(A: np.ndarray) -> np.ndarray:
    return np.tri(*A.shape, dtype=bool)


def _near(A: np.ndarray) -> np.ndarray:
    return np.add.outer(np.arange(A.shape[0]), np.arange(A.shape[1])) < 5


def whole(text: str = TEXT) -> Kernel:
    return im.kernel(text, name="whole")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("i, j", [(1, 1), (4, 7), (9, 6)])
def test_it_computes_the_same(text: str, i: int, j: int) -> None:
    made = require_split(stage_values(whole(text), 0)).split
    rng = np.random.default_rng(i)
    arrays = {"A": rng.integers(-4, 5, (i, j)).astype(np.float32), "B": rng.integers(-4, 5, j).astype(np.float32)}
    got = run_kernel(made.kernel, arrays, sizes={"i": i, "j": j})["S"]
    np.testing.assert_array_equal(got, TEXTS[text](**arrays))


def test_it_is_text_that_reads_back_and_is_made_again() -> None:
    made = stage_values(whole(), 0)
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert remade(made, made.whole) == made
    assert split_from(kernel_document(made.kernel, None, made)) == made
    assert str(made) == "what statement 1 reduces in S_values"
    assert prove_split(made).arithmetic == "exact"


@pytest.mark.parametrize(
    "text",
    [
        "S[i] += A[i,j] where j <= i",  # an element alone has a number that changes nothing
        "S[i] += A[i,j] * A[i,j] - B[j]",
        "S[i] += A[i,j] - B[j] where i <= 5",  # the output decides it
        "S[i] += A[i,j] - B[j] where j <= i ordered",
        "S[i,j] = A[i,j] - B[j] where j <= i",
        "S[i] *= A[i,j] - B[j] where j <= i",
    ],
)
def test_what_is_not_staged(text: str) -> None:
    kernel = whole(text)
    assert not has_values(kernel, 0)
    with pytest.raises(ScheduleError, match="statement 1 of whole reduces no values that a guard leaves out"):
        stage_values(kernel, 0)


# ---- mutants


def statement(number: int, **fields: Any) -> Callable[[Rewrite], Rewrite]:
    def changed(made: Rewrite) -> Rewrite:
        every = list(made.kernel.statements)
        every[number] = replace(every[number], **fields)
        return replace(made, kernel=replace(made.kernel, statements=tuple(every)))

    return changed


def tensor(name: str, **fields: Any) -> Callable[[Rewrite], Rewrite]:
    def changed(made: Rewrite) -> Rewrite:
        found = tuple(replace(t, **fields) if t.name == name else t for t in made.kernel.tensors)
        return replace(made, kernel=replace(made.kernel, tensors=found))

    return changed


def reads_it(made: Rewrite) -> Rewrite:
    """One statement more that reads the temporary."""
    last = replace(made.kernel.statements[1], op="max")
    every = (*made.kernel.statements, last)
    after = (*made.whole.statements, last)
    return replace(
        made,
        kernel=replace(made.kernel, statements=every),
        whole=replace(made.whole, statements=after),
    )


def row(made: Rewrite) -> Rewrite:
    """One element for all points of a row, and a tensor that fits."""
    i = made.kernel.statements[0].target.index[0]
    first = statement(0, target=replace(made.kernel.statements[0].target, index=(i,)))
    second = statement(1, value=read("S_values", i))
    return tensor("S_values", shape=made.kernel.tensor("S_values").shape[:1])(second(first(made)))


S: Statement = stage_values(whole(), 0).kernel.statements[1]
E: Statement = stage_values(whole(), 0).kernel.statements[0]
I, J = (sp.Symbol(n, integer=True) for n in "ij")
WRONG: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "another value": (statement(0, value=read("A", *E.target.index)), "scalar"),
    "no guard of the values": (statement(0, guard=()), "coverage"),
    "no guard of the reduction": (statement(1, guard=()), "program"),
    "another guard": (statement(0, guard=(E.axes[1].symbol < E.axes[0].symbol,)), "coverage"),
    "elements added up": (statement(0, op="+"), "coverage"),
    "one element for a row": (
        statement(0, target=replace(E.target, index=(E.target.index[0], E.target.index[0]))),
        "coverage",
    ),
    "one element for a row, of a vector": (row, "coverage"),
    "elements the other way around": (statement(0, target=replace(E.target, index=E.target.index[::-1])), "coverage"),
    "another element": (statement(1, value=read("S_values", *E.target.index[::-1])), "program"),
    "another reduction": (statement(1, op="max"), "program"),
    "another output": (statement(1, target=replace(S.target, index=(S.axes[0].symbol + 1,))), "program"),
    "in an order": (statement(1, ordered=True), "program"),
    "axes in another order": (statement(1, axes=S.axes[::-1]), "program"),
    "a narrower type": (tensor("S_values", dtype=dtype("f16")), "neutral"),
    "a smaller tensor": (tensor("S_values", shape=(sp.Symbol("I", integer=True, positive=True), sp.Integer(3))), "coverage"),
    "read twice": (reads_it, "neutral"),
    "no temporary": (lambda m: replace(m, kernel=replace(m.kernel, temporaries=())), "link"),
    "a statement less": (lambda m: replace(m, kernel=replace(m.kernel, statements=m.kernel.statements[1:])), "link"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name: str) -> None:
    change, claim = WRONG[name]
    made = stage_values(whole(), 0)
    wrong = change(made)
    assert wrong != made
    proof = prove_split(wrong)
    assert claim in {c.claim for c in proof.failed()}, str(proof)
    with pytest.raises(NotProvedError):
        require_split(wrong)


# ---- programs


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", [*TEXTS, "S[i] += exp(A[i,j] - B[j]) where j <= i"])
@pytest.mark.parametrize("i, j", [(37, 41), (70, 33)])
def test_it_runs(text: str, i: int, j: int) -> None:
    """Against NumPy; small numbers, so that sums are exact but for exp."""
    run = im.compile(im.kernel(text), "host", sizes={"i": i, "j": j})
    rng = np.random.default_rng(i)
    A, B = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((i, j), (j,)))
    want = TEXTS[text](A, B) if text in TEXTS else np.tril(np.exp((A - B).astype(np.float64))).sum(1)
    np.testing.assert_allclose(run(A, B), want, rtol=1e-5 if text not in TEXTS else 0)


def test_masks_reach_what_is_computed_first() -> None:
    plan = im.plan(whole("S[i] += exp(A[i,j] - B[j]) where j <= i"), "avx512", sizes={"i": 64, "j": 64})
    assert "what statement 1 reduces in S_values" in str(plan.split)
    assert "partial sums" in str(plan.split)


def test_a_tensor_larger_than_what_is_read_is_not_made() -> None:
    plan = im.plan(im.kernel("S[i,j] max= A[i,k] + B[k,j] where k <= i"), "host", sizes={"i": 20, "j": 20, "k": 20})
    assert not any("_values" in t.name for t in plan.program.kernel.tensors)


def test_a_sum_behind_what_it_adds_up_is_in_partial_sums() -> None:
    """In pieces it goes over more axes than the statement before it, and is the main one."""
    text = "temporary E\nE[i,j] = exp(A[i,j])\nS[i] += E[i,j]"
    plan = im.plan(im.kernel(text), "host", sizes={"i": 64, "j": 256})
    assert any("partial sums" in note for note in plan.notes)


# ---- other parts


def random_value(rng: random.Random, depth: int, bytes_: bool) -> str:
    """A value of elements of A[i,j], B[j] and C[i], in f32, or in i32 of bytes."""
    if depth == 0 or rng.random() < 0.15:
        element = rng.choice(["A[i,j]", "B[j]", "C[i]"])
        return f"i32({element})" if bytes_ else element
    a, b = (random_value(rng, depth - 1, bytes_) for _ in "ab")
    forms = [
        f"({a} + {b})",
        f"({a} - {b})",
        f"({a} * {b})",
        f"max({a}, {b})",
        f"relu({a})",
        f"({a} * 3)",
        f"min({b}, 2)",
    ]
    narrow = [f"i32(i8({a}))", f"i32(sat_i8({a}))", f"({a} >> 1)"]
    return rng.choice([*forms, *(narrow if bytes_ else [f"exp(min({a}, 3))", f"({a} / 2)"])])


@pytest.mark.parametrize("bytes_", [False, True], ids=["f32", "bytes"])
@pytest.mark.parametrize("seed", range(15))
def test_every_part_of_a_random_value(seed: int, bytes_: bool) -> None:
    """With it in a statement of its own the kernel computes the same bits; with another value there it is not proved."""
    rng = random.Random(seed)
    value, op = random_value(rng, 4, bytes_), rng.choice(["=", "+=", "max="])
    end = "sat_i8({})" if bytes_ and op == "=" and rng.random() < 0.5 else "{}"
    out = "i8" if "sat" in end else "i32" if bytes_ else "f32"
    element = "i32(A[i,j])" if bytes_ else "A[i,j]"  # so that both axes are in it
    text = f"Y[i,j] = {end.format(value)}" if op == "=" else f"Y[i] {op} {value} + {element} * 0"
    types = dict.fromkeys("ABC", "i8" if bytes_ else "f32") | {"Y": out}
    kernel = im.kernel(text, dtypes={n: d for n, d in types.items() if f"{n}[" in text}, name="k")
    kernel = kernel.with_sizes({a.name: n for a, n in zip(kernel.axes, (3, 4), strict=False)})
    draw = np.random.default_rng(seed)
    shapes = {t: [int(e) for e in kernel.tensor(t).shape] for t in kernel.inputs}
    arrays = {t: draw.integers(-100, 100, s).astype(kernel.tensor(t).dtype.numpy) for t, s in shapes.items()}
    want = run_kernel(kernel, arrays)["Y"]
    for part in range(1, len(parts_of(kernel.statements[0])) + 1):
        try:
            made = stage_values(kernel, 0, part)
        except ScheduleError:
            continue  # all of what is assigned
        assert prove_split(made).proved, (text, part)
        np.testing.assert_array_equal(run_kernel(made.kernel, arrays)["Y"], want)
        first, *rest = made.kernel.statements
        other = replace(first, value=SNeg(first.value))
        assert not prove_split(replace(made, kernel=replace(made.kernel, statements=(other, *rest)))).proved
