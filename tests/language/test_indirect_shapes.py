"""How large a dimension is that data indexes: as other uses say, else a size of its own, which a call's array has."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.language import to_text

CROSS_ENTROPY = """
temporary M, S
T: i32
M[i] max= X[i,j]
S[i] += exp(X[i,j] - M[i])
L[i] = M[i] + log(S[i]) - X[i,T[i]]
"""


def shapes(kernel: im.Kernel) -> dict[str, str]:
    return {t.name: " ".join(map(str, t.shape)) for t in kernel.tensors}


@pytest.mark.parametrize("text", [CROSS_ENTROPY, CROSS_ENTROPY.replace("S[i] += exp(X[i,j] - M[i])", "S[i] += X[i,j]")])
def test_other_uses_say_it(text: str) -> None:
    kernel = im.kernel(text)
    assert shapes(kernel)["X"] == "I J" and kernel.free_sizes == ("I", "J")
    assert im.kernel(to_text(kernel)) == kernel


def test_a_use_before_and_one_behind_count_alike() -> None:
    found = [im.kernel(f"T: i32\n{a}\n{b}") for a, b in (
        ("Y[i] = X[i,T[i]]", "Z[i] += X[i,2*j+1]"), ("Z[i] += X[i,2*j+1]", "Y[i] = X[i,T[i]]"),
    )]  # fmt: skip
    assert [shapes(k)["X"] for k in found] == ["I 2*J", "I 2*J"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I: i32\nY[b,d] += E[I[b,k],d]", {"E": "N D", "I": "B K", "Y": "B D"}),
        ("I: i32\nY[n,d] += E[I[n,k],d]", {"E": "M D", "I": "N K", "Y": "N D"}),  # N is n's
        ("I: i32\nJ: i32\nY[i] = E[I[J[i]]]", {"E": "N", "I": "M", "J": "I", "Y": "I"}),
        ("I: i32\nN: [L]\nY[i] = E[I[i]] + N[i]", {"E": "M", "I": "I", "N": "L", "Y": "I"}),
        ("I: i32\nJ: i32\nY[i] = E[I[i],J[i]]", {"E": "N M", "I": "I", "J": "I", "Y": "I"}),
        ("I: i32\nparam N\nY[i] = E[I[i]] + f32(N)", {"E": "M", "I": "I", "Y": "I"}),
    ],
)
def test_else_it_is_a_size_of_its_own(text: str, wanted: dict[str, str]) -> None:
    kernel = im.kernel(text)
    assert shapes(kernel) == wanted
    assert im.kernel(to_text(kernel)) == kernel


def test_a_call_says_it_and_looks_at_every_index() -> None:
    made = im.build(im.plan(im.kernel("I: i32\nY[b,d] += E[I[b,k],d]"), "scalar"))
    rows, at = np.random.default_rng(0).standard_normal((5, 7), dtype=np.float32), np.array([[0, 4], [2, 2]], np.int32)
    assert np.allclose(made(E=rows, I=at), rows[at].sum(axis=1))
    assert np.allclose(made(E=rows[:3], I=np.minimum(at, 2)), rows[np.minimum(at, 2)].sum(axis=1))
    with pytest.raises(ArgumentError, match=r"I\[0, 1\] is 4 at b=0, k=1, .* dimension 0 of E, which has 3 elements"):
        made(E=rows[:3].copy(), I=at)


def test_a_loss_of_classes() -> None:
    made = im.build(im.plan(im.kernel(CROSS_ENTROPY), "scalar"))
    x, t = np.random.default_rng(0).standard_normal((4, 6), dtype=np.float32), np.array([0, 5, 3, 3], np.int32)
    wanted = np.log(np.exp(x.astype(np.float64)).sum(1)) - x[np.arange(4), t]
    assert np.allclose(made(X=x, T=t), wanted, rtol=1e-5)
    with pytest.raises(ArgumentError, match=r"T\[1\] is 6 at i=1, .* dimension 1 of X, which has 6 elements"):
        made(X=x, T=np.array([0, 6, 3, 3], np.int32))
