"""A sum in partial sums: what is made is proved and computes the same; each way of getting it wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.expr import FloorDiv, sym
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Piece, ProvedSplit, Rewrite
from isamap_smt.ir.scalar import SAdd, SMul, read, rewrite_reads
from isamap_smt.mapping.split import split_sum
from isamap_smt.proof.split import prove_split, require_split

INTEGERS = {"A": "i8", "B": "i8", "C": "i32"}
NT = "C[i,j] += A[i,k] * B[j,k]"
GUARDED = "C[i] += A[i+k-1] * B[k] where i+k-1 >= 0 and i+k-1 < I\naxis i < I\nA: f32[I]"


def whole(text: str = NT, k: int = 21) -> Kernel:
    return im.kernel(text, name="whole").with_sizes({"k": k})


@pytest.mark.parametrize(
    "parts, blocks, inner", [(8, False, 1), (3, False, 2), (2, True, 1), (4, True, 2), (7, False, 3)]
)
@pytest.mark.parametrize("text", [NT, GUARDED, "s[] += A[k] * B[k]", "C[i] += A[i,k,m] * B[m,k]"])
def test_split_computes_the_same(text: str, parts: int, blocks: bool, inner: int) -> None:
    kernel = whole(text)
    made = split_sum(kernel, "k", parts, blocks=blocks, inner=inner)
    assert prove_split(made).word == "proved"
    sizes = dict.fromkeys(kernel.free_sizes, 5)
    ints = {t.name: "i32" for t in kernel.tensors}
    arrays = random_arrays(kernel.with_dtypes(ints), sizes, np.random.default_rng(4))
    typed = made.kernel.with_dtypes({t.name: "i32" for t in made.kernel.tensors})
    want = run_kernel(kernel.with_dtypes(ints), arrays, sizes=sizes)
    got = run_kernel(typed, arrays, sizes=sizes)
    for name in kernel.results:
        np.testing.assert_array_equal(got[name], want[name])


@pytest.mark.parametrize("parts, k", [(8, 21), (8, 16), (16, 31), (4, 5)])
@pytest.mark.parametrize("text", ["C[i] += A[i,k]", "C[i] max= A[i,k] where k <= i", NT])
def test_the_last_points_are_cut_off_by_a_condition(text: str, parts: int, k: int) -> None:
    kernel = whole(text, k).with_dtypes(dict.fromkeys("AB" if "B" in text else "A", "i32") | {"C": "i32"})
    made = split_sum(kernel, "k", min(parts, k), masked=True)
    assert (made.row.masked, len(made.pieces)) == (k % parts != 0, 1)
    assert made.key.endswith("-masked") == made.row.masked
    assert prove_split(made).word == "proved"
    sizes = dict.fromkeys(kernel.free_sizes, 9)
    arrays = random_arrays(kernel, sizes, np.random.default_rng(4))
    want, got = (run_kernel(x, arrays, sizes=sizes)["C"] for x in (kernel, made.kernel))
    np.testing.assert_array_equal(got, want)


def ends_at(x: Rewrite, k: Any) -> Rewrite:
    """The condition of the first piece lets points up to k pass."""
    return change(x, 0, guard=() if k is None else (sp.Lt(dict(x.pieces[0].point)["k"], k),))


@pytest.mark.parametrize("k, claim", [(None, "bounds"), (22, "bounds"), (20, "coverage"), (16, "coverage")])
def test_a_condition_that_cuts_off_other_points_is_refuted(k: Any, claim: str) -> None:
    made = split_sum(whole("C[i] += A[i,k]"), "k", 8, masked=True)
    assert prove_split(ends_at(made, 21)).proved
    assert claim in [c.claim for c in prove_split(ends_at(made, k)).failed() if c.verdict.word == "refuted"]


OPEN_SUMS = ["C[i] += A[i,k]", "C[i] max= A[i,k]", "s[] += A[k]", "s[] min= A[m,k]"]


@pytest.mark.parametrize("text", OPEN_SUMS)
def test_an_open_sum_is_cut_off_by_a_condition(text: str) -> None:
    """At every size, those of fewer points than partial sums included."""
    types = dict.fromkeys(["A", text[0]], "i32")
    kernel = im.kernel(text, name="whole", dtypes=types)
    made = split_sum(kernel, "k", 8, masked=True)
    assert made.row.masked
    assert prove_split(made).word == "proved"
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    for k in (1, 2, 7, 8, 9, 16, 21):
        sizes = dict.fromkeys(kernel.free_sizes, 3) | {"K": k}
        arrays = random_arrays(kernel, sizes, np.random.default_rng(k))
        want, got = (run_kernel(x, arrays, sizes=sizes)[text[0]] for x in (kernel, made.kernel))
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("k, claim", [(0, "bounds"), (1, "bounds"), (-1, "coverage"), (None, "bounds")])
def test_a_condition_on_an_open_sum_that_is_wrong_is_refuted(k: int | None, claim: str) -> None:
    made = split_sum(im.kernel("C[i] += A[i,k]", name="whole"), "k", 8, masked=True)
    wrong = ends_at(made, None if k is None else sym("K") + k)
    refuted = [c.claim for c in prove_split(wrong).failed() if c.verdict.word == "refuted"]
    assert (claim in refuted) == (k != 0)


def test_an_axis_that_has_no_point_at_some_size_is_refuted() -> None:
    """Whole steps, and what they leave over: right at every size, but a piece of the kernel is then an axis of no points, which
    no kernel has. No other claim says so."""
    made = split_sum(whole("C[i] += A[i,k]"), "k", 8)
    steps = FloorDiv(sym("K"), 8)
    first, closing, last = made.kernel.statements
    kernel = im.kernel("C[i] += A[i,k]", name="whole")

    def of(s: Statement, name: str, extent: Any) -> Statement:
        return replace(s, axes=tuple(Axis(name, extent) if a.name == name else a for a in s.axes))

    def moved(e: Any) -> Any:
        return e + 8 * steps - 16 if sym("k_rest") in e.free_symbols else e

    last = replace(last, value=rewrite_reads(last.value, lambda r: read(r.tensor, *map(moved, r.index))))
    last = of(last, "k_rest", sym("K") - 8 * steps)
    tensors = {t.name: t for t in made.kernel.tensors} | {"A": kernel.tensor("A")}
    one, two = made.pieces
    two = replace(
        two,
        point=tuple((n, moved(e)) for n, e in two.point),
        back=tuple((n, e - 8 * steps + 16 if n == "k_rest" else e) for n, e in two.back),
    )
    new = replace(made.kernel, tensors=tuple(tensors.values()), statements=(of(first, "k_step", steps), closing, last))
    failed = prove_split(with_pieces(replace(made, whole=kernel, kernel=new), one, two)).failed()
    found = [(c.claim, c.subject, c.verdict.word) for c in failed]
    assert found == [("bounds", "piece 1 axes", "refuted"), ("bounds", "piece 2 axes", "refuted")]


def test_split_kernel_is_text_that_reads_back() -> None:
    made = split_sum(whole(), "k", 8)
    assert im.kernel(made.kernel.text, name="whole") == made.kernel


def test_integers_are_exact_and_floats_regrouped() -> None:
    assert prove_split(split_sum(whole().with_dtypes(INTEGERS), "k", 4)).arithmetic == "exact"
    assert prove_split(split_sum(whole(), "k", 4)).arithmetic == "reassociate"


def test_recurrences_behind_the_sum_move_with_their_statements() -> None:
    kernel = im.kernel(
        "P[t,j] += X[t,c] * W[c,j]\nfor t:\n  H[t+1,j] = tanh(P[t,j] + H[t,j])", name="cell", sizes={"c": 12}
    )
    made = split_sum(kernel, "c", 4, statement=0)
    assert [(r.first, r.end) for r in made.kernel.recurrences] == [(2, 3)]
    assert prove_split(made).proved


@pytest.mark.parametrize(
    "text, axis, parts, words",
    [
        (NT, "j", 4, "does not sum over 'j'"),
        (NT, "k", 22, "2 to 21 partial sums, not 22"),
        (NT, "k", 1, "not 1"),
        (NT, "k", 0, "not 0"),
        ("C[i] += C[i] * A[i,k]", "k", 4, "reads what it adds to"),
        ("C[i] *= A[i,k]", "k", 4, "is no sum"),
    ],
)
def test_what_cannot_be_split_is_said(text: str, axis: str, parts: int, words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        split_sum(whole(text), axis, parts)


def test_open_extent_cannot_be_split() -> None:
    with pytest.raises(ScheduleError, match="extent K is open"):
        split_sum(im.find_kernel("gemm_nt"), "k", 8)


def test_fixed_order_cannot_be_split() -> None:
    kernel = whole()
    ordered = replace(kernel, statements=(replace(kernel.statements[0], ordered=True),))
    with pytest.raises(ScheduleError, match="order of the sum is fixed"):
        split_sum(ordered, "k", 8)


# ---- mutants -------------------------------------------------------------------------------------------------------


def change(x: Rewrite, number: int, **fields: Any) -> Rewrite:
    """The split with a statement of its kernel changed."""
    statements = list(x.kernel.statements)
    statements[number] = replace(statements[number], **fields)
    return replace(x, kernel=replace(x.kernel, statements=tuple(statements)))


def with_pieces(x: Rewrite, *pieces: Piece) -> Rewrite:
    """The split that says of itself that it has these pieces."""
    return replace(x, roles=(*pieces, *(r for r in x.roles if not isinstance(r, Piece))))


def piece(x: Rewrite, n: int, **fields: Any) -> Rewrite:
    """The split with a piece described otherwise."""
    pieces = list(x.pieces)
    pieces[n] = replace(pieces[n], **fields)
    return with_pieces(x, *pieces)


def moved(x: Rewrite, number: int, by: int) -> Rewrite:
    """A piece that reads elsewhere, and says so."""
    n = next(i for i, p in enumerate(x.pieces) if p.statement == number)
    k = dict(x.pieces[n].point)[x.row.axis] + by
    value = SMul(read("A", sym("i"), k), read("B", sym("j"), k))
    point = tuple((a, k if a == x.row.axis else e) for a, e in x.pieces[n].point)
    back = tuple((a, e.xreplace({sym(x.row.axis): sym(x.row.axis) - by})) for a, e in x.pieces[n].back)
    return piece(change(x, number, value=value), n, point=point, back=back)


def longer(x: Rewrite, number: int, axis: str, by: int) -> Rewrite:
    axes = tuple(Axis(a.name, a.extent + by) if a.name == axis else a for a in x.kernel.statements[number].axes)
    return change(x, number, axes=axes)


def without_rest(x: Rewrite) -> Rewrite:
    statements = x.kernel.statements[:2]
    return with_pieces(replace(x, kernel=replace(x.kernel, statements=statements)), x.pieces[0])


def closing_with(x: Rewrite, value: Any) -> Rewrite:
    return change(x, x.closing, value=value)


def cell(n: int) -> Any:
    return read("C_sums", sym("i"), sym("j"), sp.Integer(n))


def typed(x: Rewrite, kind: str) -> Rewrite:
    tensors = tuple(replace(t, dtype=dtype(kind)) if t.name == x.sums else t for t in x.kernel.tensors)
    return replace(x, kernel=replace(x.kernel, tensors=tensors))


def one_cell(x: Rewrite) -> Rewrite:
    return change(x, 0, target=Access("C_sums", (sym("i"), sym("j"), sp.Integer(0))))


def with_another(x: Rewrite) -> Rewrite:
    more = Statement(
        Access("C", (sym("i"), sym("j"))), "+", read("A", sym("i"), sp.Integer(0)), x.whole.statements[0].axes[:2]
    )
    return replace(x, kernel=replace(x.kernel, statements=(*x.kernel.statements, more)))


MUTANTS: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "one point further": (lambda x: moved(x, 0, 1), "exclusive pieces 1 and 2"),
    "the rest one earlier": (lambda x: moved(x, 2, -1), "exclusive pieces 1 and 2"),
    "the rest one later": (lambda x: moved(x, 2, 1), "bounds piece 2"),
    "no rest": (without_rest, "coverage"),
    "one step less": (lambda x: longer(x, 0, "k_step", -1), "coverage"),
    "one step more": (lambda x: longer(x, 0, "k_step", 1), "exclusive pieces 1 and 2"),
    "one part more": (lambda x: longer(x, 0, "k_part", 1), "exclusive C_sums"),
    "a rest of no points": (lambda x: longer(x, 2, "k_rest", -1), "program piece 2"),
    "reads another element than it says": (lambda x: piece(moved(x, 0, 1), 0, point=x.pieces[0].point), "program piece 1"),
    "another operation": (
        lambda x: change(x, 0, value=SAdd(*x.kernel.statements[0].value.args)),
        "program piece 1",
    ),
    "another output": (lambda x: change(x, 2, target=Access("C", (sym("i"), sp.Integer(0)))), "program piece 2"),
    "a partial sum left out": (lambda x: closing_with(x, SAdd(SAdd(cell(0), cell(1)), cell(2))), "coverage C_sums"),
    "a partial sum twice": (
        lambda x: closing_with(x, SAdd(SAdd(cell(0), cell(1)), SAdd(cell(2), cell(2)))),
        "coverage C_sums",
    ),
    "a product of partial sums": (
        lambda x: closing_with(x, SMul(SAdd(cell(0), cell(1)), SAdd(cell(2), cell(3)))),
        "coverage C_sums",
    ),
    "assigns in the end": (lambda x: change(x, x.closing, op="="), "link closing"),
    "ends at another place": (lambda x: change(x, x.closing, target=Access("C", (sym("j"), sym("i")))), "link closing"),
    "sums of another type": (lambda x: typed(x, "f16"), "neutral type"),
    "sums that last": (lambda x: replace(x, kernel=replace(x.kernel, temporaries=())), "link tensors"),
    "all in one cell": (one_cell, "exclusive C_sums"),
    "another statement besides": (with_another, "link statements"),
    "a maximum": (lambda x: change(x, 0, op="max"), "neutral C_sums"),
    "an ordered piece": (lambda x: change(x, 0, ordered=True), "program piece 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    mutate, claim = MUTANTS[name]
    made = split_sum(whole(), "k", 4)
    assert prove_split(made).proved
    proof = prove_split(mutate(made))
    assert proof.word == "refuted", str(proof)
    assert claim in [str(c).split(":")[0] for c in proof.failed()], str(proof)


def ranges_in_lanes() -> Rewrite:
    """A range for each of two, and four partial sums in each range, with points left over of both."""
    ranges = split_sum(im.kernel("Y[] += X[k]", name="long").with_sizes({"k": 39}), "k", 2, blocks=True)
    lanes = split_sum(ranges.kernel, "k_step", 4, statement=0)
    return replace(lanes, before=ranges)


def outer(x: Rewrite, mutate: Callable[[Rewrite], Rewrite]) -> Rewrite:
    assert isinstance(x.before, Rewrite)
    return replace(x, before=mutate(x.before))


INSIDE: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "ranges of another length": (lambda x: outer(x, lambda r: longer(r, 0, "k_step", -1)), "coverage"),
    "ranges that meet": (lambda x: outer(x, lambda r: longer(r, 0, "k_step", 1)), "exclusive"),
    "a range left out at the end": (
        lambda x: outer(x, lambda r: change(r, r.closing, value=read(r.sums, sp.Integer(0)))), "coverage Y_sums"),
    "ranges of another kernel": (
        lambda x: replace(x, before=split_sum(whole(), "k", 4)), "link before"),
    "lanes of one step less": (lambda x: longer(x, 0, "k_step_step", -1), "coverage"),
    "all lanes in one cell": (
        lambda x: change(x, 0, target=Access(x.sums, (sym("k_part"), sp.Integer(0)))), "exclusive Y_sums_sums"),
    "lanes of the first range alone": (
        lambda x: change(x, x.closing, target=Access("Y_sums", (sp.Integer(0),))), "link closing"),
}  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
def test_mutants_of_ranges_in_lanes_are_refuted(name: str) -> None:
    mutate, claim = INSIDE[name]
    made = ranges_in_lanes()
    assert prove_split(made).proved and made.within is made.before
    proof = prove_split(mutate(made))
    assert proof.word == "refuted" and any(str(c).startswith(claim) for c in proof.failed()), str(proof)


def added(x: Rewrite, n: int, *more: tuple[str, Any], back: tuple[tuple[str, Any], ...] = ()) -> Rewrite:
    """A piece that says more about its points."""
    return piece(x, n, point=(*x.pieces[n].point, *more), back=(*x.pieces[n].back, *back))


def without(x: Rewrite, n: int, axis: str) -> Rewrite:
    """A piece that does not say where an axis of the sum is."""
    return piece(x, n, point=tuple((a, e) for a, e in x.pieces[n].point if a != axis))


def renamed(x: Rewrite, old: str, new: str) -> Rewrite:
    """An axis of the first piece under another name, everywhere."""
    table = {sym(old): sym(new)}
    s = x.kernel.statements[0]
    index = tuple(i.xreplace(table) for i in s.target.index)
    value = rewrite_reads(s.value, lambda r: r.func(r.args[0], *(i.xreplace(table) for i in r.index)))
    axes = tuple(Axis(new if a.name == old else a.name, a.extent) for a in s.axes)
    point = tuple((a, e.xreplace(table)) for a, e in x.pieces[0].point)
    back = tuple((new if a == old else a, e) for a, e in x.pieces[0].back)
    return piece(change(x, 0, target=Access("C_sums", index), value=value, axes=axes), 0, point=point, back=back)


def too_small(x: Rewrite) -> Rewrite:
    """Partial sums for fewer rows than there are outputs."""
    tensors = tuple(
        replace(t, shape=(sp.Integer(1), *t.shape[1:])) if t.name == x.sums else t for t in x.kernel.tensors
    )
    axes = tuple(Axis(a.name, sp.Integer(1)) if a.name == "i" else a for a in x.kernel.statements[0].axes)
    return change(replace(x, kernel=replace(x.kernel, tensors=tensors)), 0, axes=axes)


# splits that say of themselves what is not so
FORGED: dict[str, tuple[Callable[[Rewrite], Rewrite], str]] = {
    "an axis of the sum is nowhere": (lambda x: without(x, 0, "k"), "program piece 1"),
    "an axis of the sum is in two places": (lambda x: added(x, 1, ("k", sym("k_rest"))), "program piece 2"),
    "a size is elsewhere": (lambda x: added(x, 0, ("I", sym("I") + 1)), "program piece 1"),
    "a size is elsewhere on the way back": (lambda x: added(x, 0, back=(("I", sym("I") + 9),)), "program piece 1"),
    "an axis with a prime": (lambda x: renamed(x, "k_step", "k_part'"), "hypotheses names"),
    "too few partial sums": (too_small, "program piece 1"),
    "no pieces": (with_pieces, "link statements"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_what_a_split_says_of_itself_is_not_believed(name: str) -> None:
    forge, claim = FORGED[name]
    proof = prove_split(forge(split_sum(whole(), "k", 4)))
    assert claim in [str(c).split(":")[0] for c in proof.failed()], str(proof)


def test_recurrences_that_are_dropped_or_moved_are_refuted() -> None:
    text = "for t:\n  G[t+1,j] = tanh(G[t,j])\nP[j] += A[c,j] * B[c]\nfor t:\n  Q[t+1,j] = tanh(Q[t,j] + P[j])"
    made = split_sum(im.kernel(text, name="two", sizes={"c": 8}), "c", 2, statement=1)
    assert prove_split(made).proved
    first, second = made.kernel.recurrences
    for wrong in ((second,), (first,), (replace(first, first=1, end=2), second), (second, first)):
        proof = prove_split(replace(made, kernel=replace(made.kernel, recurrences=wrong)))
        assert "link recurrences" in [str(c).split(":")[0] for c in proof.failed()]


def test_an_ordered_whole_is_refuted() -> None:
    made = split_sum(whole(), "k", 4)
    ordered = replace(made.whole, statements=(replace(made.whole.statements[0], ordered=True),))
    assert "order" in [c.claim for c in prove_split(replace(made, whole=ordered)).failed()]


def test_an_axis_named_like_a_size_is_refuted() -> None:
    made = split_sum(im.kernel("C[i,j] += A[i,k] * B[j,k] * S[k]", name="w").with_sizes({"k": 8}), "k", 2)
    s = made.kernel.statements[0]
    axes = tuple(Axis("I", a.extent) if a.name == "k_step" else a for a in s.axes)
    assert "hypotheses names" in [str(c).split(":")[0] for c in prove_split(change(made, 0, axes=axes)).failed()]


def test_only_the_prover_makes_a_proved_split() -> None:
    made = split_sum(whole(), "k", 4)
    proved = require_split(made)
    with pytest.raises(NotProvedError):
        ProvedSplit(made, proved.proof)
    with pytest.raises(NotProvedError):
        replace(proved, split=without_rest(made))
    with pytest.raises(NotProvedError, match="coverage"):
        require_split(without_rest(made))


def test_a_piece_of_no_statement_is_refuted() -> None:
    made = split_sum(whole(), "k", 4)
    assert not prove_split(replace(made, roles=(*made.roles, Piece(1, (), ())))).proved
