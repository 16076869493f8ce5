"""Every claim about a mapping is proved where it holds, and has a mutant that this claim alone refutes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.expr import FloorDiv, FloorMod, sym
from isamap_smt.ir.kernel import Access, Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.scalar import SAdd, read
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import MappingError, Rejection, prove

F32 = dict.fromkeys("abc", "f32")
PLACES = dict.fromkeys("abc", "v")
GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
FMA = im.instruction("toy.fma", "c[l] += a[] * b[l]", axes={"l": 8}, dtypes=F32, places=PLACES, rounding="fused")
PAIR = im.instruction("toy.pair", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=F32, places=PLACES)
TILE = im.instruction("toy.mma", "c[i,j] += a[i,k] * b[k,j]", axes={"i": 4, "j": 4, "k": 4}, dtypes=F32, places=PLACES)
CONV = """
param sp >= 1
param dp >= 1
param pp >= 0
H = (P-1)*sp + (R-1)*dp + 1 - 2*pp
I: [N,H,C]
O[n,p,k] += I[n,p*sp+r*dp-pp,c] * W[r,c,k] where 0 <= p*sp+r*dp-pp < H
"""


def by_hand(m: Mapping, **changes: object) -> Mapping:
    """The mapping as if written by hand: without groups, so that its own expressions are what is proved."""
    return replace(m, groups=(), **changes)


def refuted(result: ProvedMapping | Rejection) -> set[str]:
    return {c.claim for c in result.proof.claims if isinstance(c.verdict, Refuted)}


def unproved(result: ProvedMapping | Rejection) -> set[str]:
    return {c.claim for c in result.proof.claims if not isinstance(c.verdict, Proved)}


def test_gemm_on_an_fma_is_proved_for_all_sizes() -> None:
    p = prove(fuse(GEMM, FMA, "l=j"))
    assert isinstance(p, ProvedMapping)
    assert {c.claim for c in p.proof.claims} == {
        "hypotheses", "scalar", "agreement", "exclusive", "coverage", "bounds", "neutral",
    }  # fmt: skip
    assert p.proof.arithmetic == "reassociate"
    assert set(p.proof.assumptions) == {
        "I >= 1", "J >= 1", "K >= 1", "toy.fma rounds a product and its sum once",
        "terms over k may be combined in any order, each result rounded to nearest even",
    }  # fmt: skip


@pytest.mark.parametrize("axes", ["i=n.p,j=k,k=r.c", "i=p,j=k,k=c", "i=n,j=k,k=c.r", "i=p.n,j=k,k=r"])
def test_a_strided_padded_convolution_is_proved(axes: str) -> None:
    p = prove(fuse(im.kernel(CONV, name="conv"), TILE, axes))
    assert isinstance(p, ProvedMapping), str(p)
    assert "operand cells that no guarded point reads are filled with 0" in p.proof.assumptions


def test_padding_needs_finite_weights_and_says_so() -> None:
    p = prove(fuse(im.kernel(CONV, name="conv"), TILE, "i=p,j=k,k=r"))
    assert "W is finite" in p.proof.assumptions
    assert "W is finite" not in prove(fuse(GEMM, TILE, "i=i,j=j,k=k")).proof.assumptions


@pytest.mark.parametrize("axes", ["l=j", "l=i.j"])
def test_a_mapping_written_by_hand_goes_through_its_own_expressions(axes: str) -> None:
    instruction = PAIR if axes == "l=i.j" else FMA
    p = prove(by_hand(fuse(GEMM, instruction, axes)))
    assert not refuted(p)
    # One axis cut by a number is within the solver's reach, mixed radix with symbolic sizes may be unknown.
    assert axes != "l=j" or isinstance(p, ProvedMapping), str(p)


def test_a_mapping_of_another_family_is_proved() -> None:
    """Lanes hold 2 x 4 elements of C, and every lane has its own element of A and of B."""
    m = fuse(GEMM, instruction(8), "l=j")
    tile_i, tile_j, lane, k = sym("it"), sym("jt"), sym("l"), sym("kt")
    i, j = 2 * tile_i + FloorDiv(lane, 4), 4 * tile_j + FloorMod(lane, 4)
    hand = replace(
        m,
        groups=(),
        outer=(Axis("it", FloorDiv(sym("I") + 1, 2)), Axis("jt", FloorDiv(sym("J") + 3, 4)), Axis("kt", sym("K"))),
        forward=(("i", i), ("j", j), ("k", k)),
        inverse=(
            ("it", FloorDiv(sym("i"), 2)),
            ("jt", FloorDiv(sym("j"), 4)),
            ("kt", sym("k")),
            ("l", 4 * FloorMod(sym("i"), 2) + FloorMod(sym("j"), 4)),
        ),
        guard=(sp.Lt(i, sym("I")), sp.Lt(j, sym("J"))),
    )
    p = prove(hand)
    assert isinstance(p, ProvedMapping), str(p)
    wrong = replace(hand, inverse=(*hand.inverse[:3], ("l", 2 * FloorMod(sym("i"), 2) + FloorMod(sym("j"), 4))))
    assert refuted(prove(wrong)) == {"coverage"}


def instruction(n: int) -> im.Instruction:
    return replace(PAIR, name="toy.pair8", kernel=replace(PAIR.kernel, statements=_widened(n), tensors=_cells(n)))


def _widened(n: int) -> tuple[object, ...]:
    return (replace(PAIR.kernel.statements[0], axes=(Axis("l", sp.Integer(n)),)),)


def _cells(n: int) -> tuple[object, ...]:
    return tuple(replace(t, shape=(sp.Integer(n),)) for t in PAIR.kernel.tensors)


# ---- one mutant per claim, refuted by that claim alone --------------------------------------------------------------


def test_only_agreement_refutes_columns_in_the_rows() -> None:
    r = prove(fuse(GEMM, TILE, "i=j,j=-,k=k", partial=True))
    assert refuted(r) == unproved(r) == {"agreement"}


def test_only_exclusive_refutes_a_sum_split_over_lanes() -> None:
    r = prove(fuse(GEMM, PAIR, "l=k"))
    assert refuted(r) == unproved(r) == {"exclusive"}
    assert "cells c[0] and c[1] would both hold C[0,0], each a part of its sum" in str(r)


@pytest.mark.parametrize(("op", "result"), [("+", "sum"), ("*", "product"), ("max", "maximum"), ("min", "minimum")])
def test_the_parts_are_those_of_what_the_statement_computes(op: str, result: str) -> None:
    contract = f"c[l] {op}= a[l] * b[l]"
    f32 = dict.fromkeys("abc", "f32")
    places = dict.fromkeys("abc", "ymm")
    lanes = im.instruction("toy.lanes", contract, axes={"l": 4}, dtypes=f32, places=places)
    r = prove(fuse(im.kernel(f"C[i] {op}= A[i,k] * B[i,k]"), lanes, "l=k"))
    assert f"cells c[0] and c[1] would both hold C[0], each a part of its {result}" in str(r)


def test_only_coverage_refutes_a_loop_that_stops_early() -> None:
    m = fuse(GEMM, FMA, "l=j")
    short = tuple(Axis(a.name, FloorDiv(sym("J"), 8)) if a.name == "l_tile" else a for a in m.outer)
    r = prove(by_hand(m, outer=short))
    assert refuted(r) == unproved(r) == {"coverage"}
    assert "which the loop l_tile does not have" in str(r)


def test_only_coverage_refutes_two_lanes_for_one_point() -> None:
    m = fuse(GEMM, FMA, "l=j")
    r = prove(by_hand(m, outer=(*m.outer, Axis("twice", sp.Integer(2))), inverse=(*m.inverse, ("twice", sp.S.Zero))))
    assert refuted(r) == unproved(r) == {"coverage"}
    assert "another lane computes this iteration, too" in str(r)


def test_only_bounds_refutes_an_index_past_the_end() -> None:
    k = im.kernel("A: [I,K]\nC[i,j] += A[i,k+1] * B[k,j]", name="shifted")
    r = prove(fuse(k, FMA, "l=j"))
    assert refuted(r) == unproved(r) == {"bounds"}
    assert "A[0,1] lies outside A, whose shape is [1,1]" in str(r)


def test_only_neutral_refutes_a_guard_that_no_operand_knows() -> None:
    k = im.kernel("C[i,j] += A[i,k] * B[k,j] where i + j + k < I", name="corner")
    r = prove(fuse(k, TILE, "i=i,j=j,k=k"))
    assert refuted(r) == unproved(r) == {"neutral"}
    assert "is outside the guard, but adds" in str(r)


def test_only_scalar_refutes_other_element_types() -> None:
    r = prove(fuse(GEMM.with_dtypes({"A": "f64"}), FMA, "l=j"))
    assert refuted(r) == unproved(r) == {"scalar"}
    assert "operand a of toy.fma is f32, A holds f64" in str(r)


def test_only_hypotheses_fail_where_the_domain_is_empty() -> None:
    k = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    s = replace(k.statements[0], guard=(sp.Ge(sym("i"), sym("I"), evaluate=False),))
    r = prove(fuse(replace(k, statements=(s,)), FMA, "l=j"))
    assert unproved(r) == {"hypotheses"}


# ---- fixed sizes, where a part can be refuted and the whole legal ---------------------------------------------------


def test_an_axis_frozen_within_every_execution_is_proved() -> None:
    free = fuse(GEMM, TILE, "i=i,j=-,k=j.k", partial=True)
    assert "agreement" in refuted(prove(free))
    fixed = fuse(GEMM.with_sizes({"k": 8}), TILE, "i=i,j=-,k=j.k", partial=True)
    assert isinstance(prove(fixed), ProvedMapping), str(prove(fixed))
    other = fuse(GEMM.with_sizes({"k": 6}), TILE, "i=i,j=-,k=j.k", partial=True)
    assert "agreement" in refuted(prove(other))


def test_an_axis_of_one_point_conflicts_with_nothing() -> None:
    assert isinstance(prove(fuse(GEMM.with_sizes({"k": 1}), PAIR, "l=k")), ProvedMapping)


def test_large_fixed_sizes_are_refuted_without_enumerating_them() -> None:
    fixed = GEMM.with_sizes({"i": 4096, "j": 4096, "k": 4096})
    assert refuted(prove(fuse(fixed, PAIR, "l=k"))) == {"exclusive"}
    assert isinstance(prove(fuse(fixed, FMA, "l=j")), ProvedMapping)


# ---- reductions other than sums, and statements without one ---------------------------------------------------------


@pytest.mark.parametrize("op", ["max", "min", "*"])
def test_padding_of_other_reductions_names_its_fill(op: str) -> None:
    k = im.kernel(f"y[i] {op}= x[i,k]", name="reduce")
    v = im.instruction(
        "toy.reduce", f"c[l] {op}= a[l,e]", axes={"l": 4, "e": 4}, dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "v"),
    )  # fmt: skip
    p = prove(fuse(k, v, "l=i,e=k"))
    assert isinstance(p, ProvedMapping), str(p)
    fill = {"*": "1", "max": "the least value of their type", "min": "the greatest value of their type"}[op]
    assert f"operand cells that no guarded point reads are filled with {fill}" in p.proof.assumptions


def test_products_do_not_pad_a_maximum() -> None:
    k = im.kernel("y[i] max= x[i,k] * w[k]", name="reduce")
    v = im.instruction("toy.maxmul", "c[l] max= a[l,e] * b[e]", axes={"l": 4, "e": 4}, dtypes=F32, places=PLACES)
    assert refuted(prove(fuse(k, v, "l=i,e=k"))) == {"neutral"}


def test_an_overwriting_statement_must_write_each_element_once() -> None:
    v = im.instruction("toy.mul", "c[l] = a[l] * b[l]", axes={"l": 4}, dtypes=F32, places=PLACES)
    once = im.kernel("y[i,j] = x[i,j] * w[j,i]", name="product")
    assert isinstance(prove(fuse(once, v, "l=j")), ProvedMapping)
    accumulating = prove(fuse(once, PAIR, "l=j"))
    assert refuted(accumulating) == {"scalar"}


def test_a_statement_that_reads_what_it_writes_is_not_decided() -> None:
    k = im.kernel("axis i < N\naxis j < N\nC[i,j] += C[j,i] * B[i,j]", name="inplace")
    r = prove(fuse(k, PAIR, "l=j"))
    assert "order" in {c.claim for c in r.proof.claims if isinstance(c.verdict, Unknown)}
    assert not r


# ---- misuse ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("l=j", "prove() takes a mapping, such as isamap_smt.fuse(kernel, instruction, 'l=j') makes, not str"),
        (prove(fuse(GEMM, FMA, "l=j")), "not ProvedMapping; its .mapping is one"),
    ],
)
def test_what_is_of_another_type_is_misuse(value: object, words: str) -> None:
    with pytest.raises(MappingError) as e:
        prove(value)  # type: ignore[arg-type]
    assert str(e.value).endswith(words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: {"forward": m.forward[:-1]}, "forward has nothing for 'k'"),
        (lambda m: {"inverse": m.inverse[:-1]}, "inverse has nothing for 'l'"),
        (lambda m: {"guard": (sp.Lt(sym("zz"), 3),)}, "guard uses 'zz'"),
        (lambda m: {"binding": m.binding[:-1]}, "binding has nothing for 'b'"),
        (lambda m: {"binding": (*m.binding[:-1], ("b", Access("B", (sym("j"),))))}, "does not read"),
        (lambda m: {"statement_index": 3}, "gemm has no statement 3"),
    ],
)
def test_what_is_no_mapping_is_misuse(change: object, words: str) -> None:
    m = fuse(GEMM, FMA, "l=j")
    with pytest.raises(MappingError) as e:
        prove(replace(m, **change(m)))  # type: ignore[operator]
    assert words in str(e.value)


def test_the_same_input_gives_the_same_words() -> None:
    one, two = (str(prove(fuse(GEMM, TILE, "i=i,j=k,k=j"))) for _ in range(2))
    assert one == two
    assert one.splitlines()[0] == "gemm does not map onto toy.mma"


def test_an_assignment_that_accumulates_is_padded_and_split_like_a_sum() -> None:
    def written(k: im.Kernel, accumulate: bool) -> im.Kernel:
        s = k.statements[0]
        own = read(s.target.tensor, *s.target.index)
        return replace(k, statements=(replace(s, op="=", value=SAdd(own, s.value) if accumulate else s.value),))

    sums = replace(TILE, kernel=written(TILE.kernel, True))
    assert isinstance(prove(fuse(written(GEMM, True), sums, "i=i,j=j,k=k")), ProvedMapping)
    overwriting, move = written(GEMM, False), replace(TILE, kernel=written(TILE.kernel, False))
    r = prove(fuse(overwriting, move, "i=i,j=j,k=k"))
    assert "both write C[0,0], and `=` keeps only one of the two" in str(r)


def test_a_divisor_that_can_be_zero_is_refuted_before_anything_else() -> None:
    m = fuse(GEMM, FMA, "l=j")
    table = dict(m.inverse)
    r = prove(by_hand(m, inverse=tuple({**table, "k_out": FloorDiv(sym("k"), sym("K") - 1)}.items())))
    assert [c.claim for c in r.proof.claims] == ["hypotheses"]
    assert "the divisor K - 1 is 0 at K=1" in str(r)


def test_the_sizes_of_a_solvers_counterexample_are_looked_at_on_integers() -> None:
    """The guard leaves out one point that no small size has."""
    m = fuse(GEMM, FMA, "l=j")
    r = prove(by_hand(m, guard=(*m.guard, sp.Ne(sym("k_out"), 40))))
    assert refuted(r) == {"coverage"}
    assert "k=40" in str(r) and "K=41" in str(r)
