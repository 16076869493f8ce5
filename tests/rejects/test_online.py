"""A chain that cannot run block by block is refused with what is in its way, and what to do."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError

CHAIN = """
temporary M, E, D
M[q] max= x[q,k]
E[q,k] = exp(x[q,k] - M[q])
D[q] += E[q,k]
L[q] = M[q] + log(D[q])
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("temporary M, E, D", "temporary E, D", "M is a result; make it a temporary, and assign it to a result behind the sums"),
        ("D[q] += E[q,k]", "D[q] += E[q,k] ordered", "the order of the sum in statement 3 is fixed"),
        ("D[q] += E[q,k]", "D[q] *= E[q,k]", "statement 3 is no sum and no maximum of floating point"),
        ("E[q,k] = exp(x[q,k] - M[q])", "E[q,k] = exp(x[q,k])", "sums nothing over k that depends on a maximum over it"),
        ("E[q,k] = exp(x[q,k] - M[q])", "E[q,k] = x[q,k] * M[q]", "has no exponential of what M is the maximum of, less M"),
        ("D[q] += E[q,k]", "N[q] = M[q] * 2\nD[q] += E[q,k] + N[q]\ntemporary N",
         "statement 3 stands between the others and does not go over k"),
        ("D[q] += E[q,k]", "G[q,k] += E[q,j]\nD[q] += E[q,k] + G[q,k]\naxis j < 8\ntemporary G", "reads E of other points of k"),
        ("D[q] += E[q,k]", "D[q] += E[q,k]\nF[q] += E[q,k] / D[q]\nX[q] = F[q]\ntemporary F",
         "reads D, which is whole only behind the last block"),
        ("D[q] += E[q,k]", "N[q] max= E[q,k]\nD[q] += E[q,k] + N[q]\ntemporary N",
         "the maximum in statement 3 depends on another one"),
    ],
)  # fmt: skip
def test_other_chains(old: str, new: str, words: str) -> None:
    kernel = im.kernel(CHAIN.replace(old, new), name="chain", sizes={"k": 8})
    with pytest.raises(ScheduleError) as caught:
        im.online(kernel, axis="k", block=4)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("axis", "block", "words"),
    [
        ("k", 9, "k has 8 points: blocks have 1 to 8 of them, not 9"),
        ("k", 0, "block=0: must be at least 1"),
        ("K", 4, "chain has no axis 'K'; did you mean k?"),
        ("q", 2, "chain reduces nothing over q"),
    ],
)
def test_other_blocks(axis: str, block: int, words: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        im.online(im.kernel(CHAIN, name="chain", sizes={"k": 8}), axis=axis, block=block)
    assert words in str(caught.value)


def test_an_axis_that_cannot_run_is_no_question_of_its_size() -> None:
    with pytest.raises(ScheduleError, match="sums nothing over k that depends on a maximum over it"):
        im.online(im.kernel("y[q] += x[q,k]", name="sums"), axis="k", block=4)
    with pytest.raises(ScheduleError, match="the extent K of k is open; give its size"):
        im.online(im.kernel(CHAIN, name="chain"), axis="k", block=4)


def test_axis_over_which_nothing_is_reduced() -> None:
    with pytest.raises(ScheduleError, match="chain reduces nothing over q"):
        im.online(im.kernel(CHAIN, name="chain", sizes={"k": 8, "q": 3}), axis="q", block=2)


def test_pin_that_is_no_number() -> None:
    with pytest.raises(ScheduleError, match=r"online\.k=many: must be a number of points"):
        im.plan(im.kernel(CHAIN, name="chain", sizes={"k": 8}), "avx2", fix={"online.k": "many"})
