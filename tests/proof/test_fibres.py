"""How many points meet in one element is an upper bound, and a near one: against counting, and each way of counting wrong."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.fibres import determined
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir import fibres as module
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, sym
from isamap_smt.ir.fibres import fibres, least_points
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.narrow import sums_fit
from isamap_smt.proof.overflow import overflow

OPEN = [
    ("C[i,j] += A[i,k] * B[k,j]", "K", ("k",)), ("S[i+k] += X[i,k] * W[k]", "IMin(K, I)", ("i", "k")),
    ("S[i//4] += X[i]", "4", ("i",)),
    ("S[i%2] += X[i]", "FloorDiv(I - 1, 2) + 1", ("i",)), ("S[i//2,i%2] += X[i,k]", "K", ("k",)), ("S[i,i+k] += X[i,k]", "1", ()),
    ("param s >= 1\nS[s*p+r] += X[p,r]", "IMin(R, P)", ("p", "r")), ("param n >= 1\nS[i//n] += X[i]", "n", ("i",)),
    ("S[2*p+r,q] += X[p,r,q,k]", "K*IMin(R, P)", ("p", "r", "k")), ("S[] += X[i]", "I", ("i",)), ("S[i//2,i%3] += X[i]", "1", ()),
    ("S: [9]\nS[min(i,8)] += X[i]", "I", ("i",)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "most", "axes"), OPEN)
def test_open_sizes(text: str, most: str, axes: tuple[str, ...]) -> None:
    kernel = im.kernel(text, name="open")
    found = fibres(kernel, kernel.statements[0])
    assert (str(found.most), found.axes, found.apart) == (most, axes, most == "1")


def counted(kernel: im.Kernel, number: int = 0) -> tuple[int, int]:
    """The least and the most points of an element, by a loop over all points; no code is shared."""
    s = kernel.statements[number]
    shape = tuple(map(int, kernel.tensor(s.target.tensor).shape))
    seen = dict.fromkeys(product(*map(range, shape)), 0)
    names = [a.name for a in s.axes]
    for point in product(*(range(int(a.extent)) for a in s.axes)):
        env = dict(zip(names, point, strict=True))
        if all(bool(sp.sympify(g).subs({sym(n): v for n, v in env.items()})) for g in s.guard):
            seen[tuple(int(sp.sympify(i).subs({sym(n): v for n, v in env.items()})) for i in s.target.index)] += 1
    return min(seen.values()), max(seen.values())


INDICES = (
    "i",
    "k",
    "i+k",
    "2*i+k",
    "i+j",
    "j",
    "i//2",
    "(i+k)//3",
    "i%2",
    "(i+2*k)%3",
    "i+1",
    "3-j",
    "2*(i//3)+k%2",
    "i//2+j%2",
)
GUARDS = ("", "", " where k <= i", " where i < j", " where 1 <= i+k and i+k < 4")


def drawn(rng: random.Random) -> tuple[str, dict[str, int]]:
    """A statement, and its sizes."""
    index = ",".join(rng.sample(INDICES, rng.randint(1, 2)))
    axes = sorted(n for n in "ijk" if n in index) or ["i"]
    more = rng.choice([axes, sorted({*axes, "k"}), ["i", "j", "k"]])
    guard = rng.choice([g for g in GUARDS if all(n not in g.replace("where", "") or n in more for n in "ijk")])
    return f"S: [16{',16' * index.count(',')}]\nS[{index}] += X[{','.join(more)}]{guard}", {
        n: rng.randint(1, 4) for n in more
    }


@pytest.mark.parametrize("seed", range(60))
def test_no_element_has_more_and_each_has_as_many(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted; and determined by Z3, with sizes and without, which may say more than there are."""
    text, sizes = drawn(random.Random(seed))
    open_ = im.kernel(text, name="drawn")
    fixed = open_.with_sizes(sizes)
    least, most = counted(fixed)
    found = fibres(fixed, fixed.statements[0])
    assert found.number is not None and found.number >= most and (not found.exact or found.number == most)
    assert least_points(fixed, 0) <= least
    if not fixed.statements[0].guard:
        assert found.number == most and least_points(fixed, 0) == least
    monkeypatch.setattr(module, "COUNTED", 0)
    module._counts.cache_clear()
    for kernel in (open_, fixed):
        far = fibres(kernel, kernel.statements[0])
        assert most <= int(evaluate(sp.sympify(far.most), {n.upper(): v for n, v in sizes.items()}))
    assert least_points(fixed, 0) <= least
    module._counts.cache_clear()


AXES = (("i", sym("I")), ("k", sym("K")))
KNOWN = (("le", sp.S.One, sym("I")), ("le", sp.S.One, sym("K")))
WHOLE = (sym("k"), sp.S.Zero, sym("K"))
REST = (FloorMod(sym("i"), sp.Integer(4)), sp.S.Zero, sp.Integer(4))
QUARTERS = (FloorDiv(sym("i"), sp.Integer(4)), sym("k"))


def test_what_determines_a_point_is_proved_and_each_mistake_refuted() -> None:
    joined = (sym("i") + sym("k"),)
    assert isinstance(determined(AXES, KNOWN, joined, [WHOLE]), Proved)
    assert isinstance(determined(AXES, KNOWN, joined, []), Refuted)
    assert isinstance(determined(AXES, KNOWN, joined, [(*WHOLE[:2], sym("K") - 1)]), Refuted)
    assert isinstance(determined(AXES, KNOWN, joined, [(WHOLE[0], sp.S.One, WHOLE[2])]), Refuted)
    assert isinstance(determined(AXES, KNOWN, QUARTERS, [REST]), Proved)
    three = (FloorMod(sym("i"), sp.Integer(3)), sp.S.Zero, sp.Integer(3))
    assert isinstance(determined(AXES, KNOWN, QUARTERS, [three]), Refuted)
    assert isinstance(determined(AXES, KNOWN, QUARTERS, [(*REST[:2], sp.Integer(3))]), Refuted)


def test_wrong_proposals_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few values of what an index drops: all points of the axis may meet, then."""
    kernel = im.kernel("S[i//4] += X[i]", name="quarters")
    monkeypatch.setattr(module, "_dropped", lambda e, axes: [(REST[0], sp.S.Zero, sp.Integer(3))])
    assert fibres(kernel, kernel.statements[0]).most == sym("I")


def test_elements_that_nobody_reads_need_no_point() -> None:
    text = "temporary S\naxis j < I\nS[i+1] += X[i,k]\nY[j] = S[j+1]"
    kernel = im.kernel(text, name="moved", sizes={"i": 4, "k": 3})
    assert least_points(kernel, 0) == 3
    for other in (text.replace("S[j+1]", "S[j]"), text.replace("temporary S\n", ""), text + "\nS[j] += Y[j]"):
        assert least_points(im.kernel(other, name="moved", sizes={"i": 4, "k": 3}), 0) == 0
    guarded = im.kernel(
        "temporary S\nS[q,k] += X[q,d] * W[k,d] where k <= q\nM[q] max= S[q,k] where k <= q",
        sizes={"q": 4, "k": 4, "d": 3},
    )
    assert least_points(guarded, 0) == 3 and least_points(guarded, 1) == 1
    wider = im.kernel(guarded.text.replace("max= S[q,k] where k <= q", "max= S[q,k]"), sizes={"q": 4, "k": 4, "d": 3})
    assert least_points(wider, 0) == 0


JOINED = "S[i+k] += i16(A[i,k,q]) * i16(B[q])"


def bytes_(text: str = JOINED, **sizes: int) -> im.Kernel:
    return im.kernel(text, name="joined", dtypes={"A": "i8", "B": "i8", "S": "i16"}).with_sizes(sizes)


def test_joined_axes_count_for_overflow() -> None:
    found = overflow(bytes_(i=16, k=16, q=1))
    assert found is not None and (found.name, found.points, found.fits) == ("terms", 16, False)
    assert "no sum overflows up to terms = 1; 2 terms can" in str(found) and "terms = 16 does not fit" in str(found)
    one = bytes_("S[2*i+k] += i16(A[i,k,q]) * i16(B[q])", i=16, k=2, q=1)
    assert overflow(one) is None  # each element has one term
    open_ = overflow(bytes_())
    assert open_ is not None and open_.fits is None
    assert isinstance(sums_fit(bytes_(i=2, k=16, q=1), 17, "acc"), Proved)
    refuted = sums_fit(bytes_(i=3, k=16, q=1), 16, "acc")
    assert isinstance(refuted, Refuted) and refuted.witness["terms"] == 3
    assert (np.int16(-128) * np.int16(-128)).astype(np.int64) * 2 > np.iinfo(np.int16).max


@pytest.mark.parametrize(("index", "right"), [("l//2", False), ("l", True)])
def test_an_instruction_that_adds_joined_lanes_keeps_no_order(index: str, right: bool) -> None:
    pairs = im.instruction(
        "t.pairs", f"acc[{index}] += a[l] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys(("acc", "a", "b"), "f32"),
        places=dict.fromkeys(("acc", "a", "b"), "v"), rounding="unfused",
    )  # fmt: skip
    kernel = im.kernel(f"S[{index.replace('l', 'i')}] += X[i] * W[i] ordered", name="pairs")
    found = prove(fuse(kernel, pairs, "l=i"))
    assert found.proof.proved == right
    assert right or "adds 8 points of l in one execution" in found.proof.failed()[0].verdict.text


def test_that_joined_terms_come_in_any_order_is_an_assumption() -> None:
    kernel = im.kernel("S[i+k] += X[i,k] * W[k]", name="joined")
    vfma = im.find_instruction("avx2.fmadd_ps")
    words = [str(a) for a in prove(fuse(kernel, vfma, "l=i")).proof.assumptions]
    assert "terms over i, k may be combined in any order, each result rounded to nearest even" in words
    apart = im.kernel("S[2*i+k] += X[i,k] * W[k]", name="apart").with_sizes({"k": 2})
    assert not any("any order" in str(a) for a in prove(fuse(apart, vfma, "l=i")).proof.assumptions)
