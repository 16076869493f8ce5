"""Signed bytes moved to those without a sign: the kernel computes the same, and each way of getting it wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_hardware.host import host
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import Read, read, rewrite_reads
from isamap_smt.mapping.rows import remade
from isamap_smt.mapping.shift import movable, shift_operand
from isamap_smt.proof.split import prove_split, require_split

BYTES = {"X": "i8", "W": "i8", "T": "i32"}
GEMM = "T[i,j] += i32(X[i,k]) * i32(W[k,j])"
CONV = "T[p,c] += i32(X[p+r,k]) * i32(W[r,k,c])"
TEXTS = {
    GEMM: lambda X, W: X @ W,
    "T[j,i] += i32(W[j,k]) * i32(X[i,k])": lambda X, W: W @ X.T,
    "T[h,i,j] += i32(X[h,i,k]) * i32(W[h,k,j])": lambda X, W: X @ W,
    "T[i] += i32(X[i,k]) * i32(W[k])": lambda X, W: X @ W,
    CONV: lambda X, W: sum(X[r : r + len(X) - len(W) + 1] @ W[r] for r in range(len(W))),
}


def whole(text: str = GEMM) -> Kernel:
    return im.kernel(text, name="whole", dtypes=BYTES)


def drawn(kernel: Kernel, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    shapes = {t.name: tuple(int(n) for n in t.shape) for t in kernel.with_sizes(sizes).tensors}
    return {
        n: rng.choice([-128, -127, -1, 0, 1, 127, int(rng.integers(-128, 128))], shapes[n]).astype(np.int8)
        for n in "XW"
    }


@pytest.mark.parametrize("text", TEXTS)
def test_it_computes_the_same(text: str) -> None:
    """Compared with NumPy in 64 bits."""
    kernel = whole(text)
    made = shift_operand(kernel, "X")
    proof = prove_split(made)
    assert (proof.word, proof.arithmetic) == ("proved", "exact")
    rng = np.random.default_rng(5)
    for _ in range(4):
        sizes = {n: int(rng.choice([1, 2, 3, 5, 7])) for n in kernel.free_sizes}
        arrays = drawn(kernel, sizes, rng)
        want = TEXTS[text](*(arrays[n].astype(np.int64) for n in "XW"))
        np.testing.assert_array_equal(run_kernel(made.kernel, arrays, sizes=sizes)["T"], want)


def test_it_is_text_that_reads_back_and_is_made_again() -> None:
    made = shift_operand(whole(), "X")
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert remade(made, made.whole) == made
    assert split_from(kernel_document(made.kernel, None, made)) == made
    assert str(made) == "X moved by 128"


@pytest.mark.parametrize(
    "text, types",
    [
        (GEMM, {"X": "u8"}),
        (GEMM, {"X": "i16", "W": "i16"}),
        ("T[i,j] += X[i,k] * W[k,j]", dict.fromkeys("XWT", "f32")),
        ("T[i,j] max= i32(X[i,k]) * i32(W[k,j])", {}),
        ("T[i,j] += i32(X[i,k]) * i32(W[k,j]) where k <= i", {}),
        ("T[i,j] += i32(X[i,k]) * i32(W[j])", {}),
        ("X: [N, K]\nT[i,j] += i32(X[i,k]) * i32(X[j,k])", {}),
        ("T[i,j] += i32(X[i,k]) + i32(W[k,j])", {}),
    ],
)  # fmt: skip
def test_what_is_not_moved(text: str, types: dict[str, str]) -> None:
    kernel = im.kernel(text, name="whole", dtypes={n: d for n, d in {**BYTES, **types}.items() if n in text})
    assert "X" not in movable(kernel, 0)
    with pytest.raises(ScheduleError, match="statement 1 of whole adds no products of X that can be moved by a number"):
        shift_operand(kernel, "X")


# ---- mutants


def changed(made: Rewrite, number: int, **fields: Any) -> Rewrite:
    """The same with another statement of that number."""
    every = list(made.kernel.statements)
    every[number] = replace(every[number], **fields)
    return replace(made, kernel=replace(made.kernel, statements=tuple(every)))


def tensor(made: Rewrite, name: str, **fields: Any) -> Rewrite:
    """The same with another tensor of that name."""
    found = tuple(replace(t, **fields) if t.name == name else t for t in made.kernel.tensors)
    return replace(made, kernel=replace(made.kernel, tensors=found))


def with_number(made: Rewrite, number: int, old: int, new: int) -> Rewrite:
    value = made.kernel.statements[number].value
    return changed(made, number, value=value.xreplace({sp.Integer(old): sp.Integer(new)}))


def elsewhere(made: Rewrite, number: int, name: str, index: tuple[Any, ...]) -> Rewrite:
    """Another element of that tensor is read."""
    value = made.kernel.statements[number].value
    return changed(
        made, number, value=rewrite_reads(value, lambda r: Read(r.args[0], *index) if r.tensor == name else r)
    )


def symbols(made: Rewrite) -> dict[str, Any]:
    return {x.name: x.symbol for s in made.kernel.statements for x in s.axes}


def short(made: Rewrite) -> Rewrite:
    """What moving adds, over all points but the first."""
    axes = tuple(replace(x, extent=x.extent - 1) if x.name == "k" else x for x in made.kernel.statements[1].axes)
    return changed(made, 1, axes=axes)


def without_closing(made: Rewrite) -> Rewrite:
    return replace(made, kernel=replace(made.kernel, statements=made.kernel.statements[:3]))


def read_again(made: Rewrite) -> Rewrite:
    """Another statement reads what moving adds."""
    more = Statement(
        Access("T", made.whole.statements[0].target.index),
        "+",
        read("T_moves", symbols(made)["j"]),
        made.kernel.statements[3].axes,
    )
    return replace(made, kernel=replace(made.kernel, statements=(*made.kernel.statements, more)))


def twice(made: Rewrite) -> Rewrite:
    """Added once for each of two points of a new axis."""
    return changed(made, 3, axes=(*made.kernel.statements[3].axes, Axis("more", sp.Integer(2))))


MUTANTS: dict[str, tuple[str, Callable[[Rewrite], Rewrite]]] = {
    "moved by 127": ("scalar", lambda m: with_number(m, 0, 128, 127)),
    "127 taken off": ("scalar", lambda m: with_number(m, 1, -128, -127)),
    "added instead of taken off": ("scalar", lambda m: with_number(m, 1, -128, 128)),
    "moved bytes with a sign": ("scalar", lambda m: tensor(m, "X_moved", dtype=dtype("i8"))),
    "sums of 16 bits": ("neutral", lambda m: tensor(m, "T_moves", dtype=dtype("i16"))),
    "one point too few": ("exclusive", short),
    "not taken off": ("link", without_closing),
    "taken off twice": ("link", twice),
    "another column taken off": ("link", lambda m: elsewhere(m, 3, "T_moves", (symbols(m)["j"] + 1,))),
    "another row of weights": ("exclusive", lambda m: elsewhere(m, 1, "W", (symbols(m)["k"] + 1, symbols(m)["j"]))),
    "the next element moved": ("coverage", lambda m: elsewhere(m, 0, "X", (symbols(m)["x_at0"], symbols(m)["x_at1"] + 1))),
    "some elements moved": ("coverage", lambda m: changed(m, 0, guard=(sp.Lt(symbols(m)["x_at0"], 3),))),
    "added to what was there": ("coverage", lambda m: changed(m, 0, op="+")),
    "sum of another row": ("program", lambda m: elsewhere(m, 2, "X_moved", (symbols(m)["i"] + 1, symbols(m)["k"]))),
    "a condition on the sum": ("program", lambda m: changed(m, 2, guard=(sp.Lt(symbols(m)["i"], 3),))),
    "the maximum of what moving adds": ("exclusive", lambda m: changed(m, 1, op="max")),
    "read by another": ("link", read_again),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    claim, mutate = MUTANTS[name]
    proof = prove_split(mutate(shift_operand(whole(), "X")))
    assert not proof.proved and claim in {c.claim for c in proof.failed()}, [str(c) for c in proof.failed()]


def test_a_guarded_sum_is_refuted_where_it_is_claimed() -> None:
    """Points that are left out add nothing, and what moving adds would be taken off for them, too."""
    made = shift_operand(whole(), "X")
    guard = (sp.Le(symbols(made)["k"], symbols(made)["i"]),)
    s = made.whole.statements[0]
    claimed = replace(changed(made, 2, guard=guard), whole=replace(made.whole, statements=(replace(s, guard=guard),)))
    with pytest.raises(NotProvedError, match="exclusive terms: refuted"):
        require_split(claimed)


def test_one_operand_read_twice_is_refuted() -> None:
    """One number is taken off for two factors that were moved."""
    made = shift_operand(whole(), "X")
    squares = rewrite_reads(
        made.whole.statements[0].value, lambda r: r if r.tensor == "X" else read("X", *r.index[::-1])
    )
    both = rewrite_reads(squares, lambda r: Read(sp.Symbol("X_moved"), *r.index))
    s = made.whole.statements[0]
    claimed = replace(changed(made, 2, value=both), whole=replace(made.whole, statements=(replace(s, value=squares),)))
    assert not prove_split(claimed).proved


def test_a_factor_of_two_operands_is_refuted() -> None:
    """The number is that of one element that is moved; with two in the factor, one number would be taken off too much."""
    made = shift_operand(whole(), "X")
    other = im.kernel("T[i,j] += (i32(X[i,k]) + i32(Y[i,k])) * i32(W[k,j])", name="whole", dtypes={**BYTES, "Y": "i8"})
    value = rewrite_reads(
        other.statements[0].value, lambda r: Read(sp.Symbol("X_moved"), *r.index) if r.tensor == "X" else r
    )
    for off in (-128, -256):
        claimed = with_number(changed(made, 2, value=value), 1, -128, off)
        kernel = replace(claimed.kernel, tensors=(*claimed.kernel.tensors, other.tensor("Y")))
        assert [str(c) for c in prove_split(replace(claimed, whole=other, kernel=kernel)).failed()] == [
            "scalar product: refuted"
        ]


def test_a_plan_moves_signed_bytes_where_weights_serve_many_rows() -> None:
    machine = host({"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni"})
    for rows, moved in ((512, True), (1, False)):
        made = im.plan(whole(), machine, sizes={"i": rows, "j": 256, "k": 256}, constant=["W"])
        assert ("X moved by 128" in " ".join(made.notes)) == moved
        assert made.split is None or made.split.proof.proved
