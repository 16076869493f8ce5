"""Other ways to compute a kernel, from its user: proved equal before they are planned, and called as the kernel itself."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im

LEFT = "temporary T\nT[i,l] += A[i,k] * B[k,l]\nY[i,j] += T[i,l] * C[l,j]"
RIGHT = "temporary T\nT[k,j] += B[k,l] * C[l,j]\nY[i,j] += A[i,k] * T[k,j]"
SPLIT = """
temporary P
A: [I,4*S]
B: [4*S,J]
axis q < 4
P[i,j,q] += A[i,4*s+q] * B[4*s+q,j]
C[i,j] += P[i,j,q]
"""


@pytest.mark.parametrize(("sizes", "taken"), [((64, 64, 64, 2), "right"), ((2, 64, 64, 64), "left")])
def test_the_cheaper_one_is_planned(sizes: tuple[int, ...], taken: str) -> None:
    left, right = im.kernel(LEFT, name="left"), im.kernel(RIGHT, name="right")
    given = dict(zip("iklj", sizes, strict=True))
    made = im.plan(left, "scalar", sizes=given, rewrites=[right])
    assert made.kernel.name == taken
    assert any("right in place of left" in n for n in made.notes) == (taken == "right")
    i, k, m, j = sizes
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(s).astype(np.float32) for s in ((i, k), (k, m), (m, j)))
    call = im.build(made)
    assert np.allclose(call(a, b, c), a @ b @ c, atol=1e-3)  # in the order of the kernel that was asked for
    assert np.allclose(call(C=c, A=a, B=b), a @ b @ c, atol=1e-3)


def test_sizes_stay_open() -> None:
    left, right = im.kernel(LEFT, name="left"), im.kernel(RIGHT.replace("l", "m"), name="right")
    call = im.compile(left, "scalar", rewrites=[right])
    for n in (1, 5):
        a, b, c = (np.full(s, 2, np.float32) for s in ((n, 3), (3, 4), (4, 2)))
        assert np.array_equal(call(a, b, c), a @ b @ c)


def test_a_wrong_one_is_refused_with_an_input() -> None:
    left = im.kernel(LEFT, name="left")
    wrong = im.kernel(RIGHT.replace("* T[k,j]", "* T[0,j]"), name="wrong")
    with pytest.raises(im.IsamapError, match=r"wrong does not compute left: Y\[\d+, \d+\] is .* in the first and"):
        im.plan(left, "scalar", rewrites=[wrong])


def test_one_for_some_sizes_asks_for_them() -> None:
    gemm, split = im.find_kernel("gemm"), im.kernel(SPLIT, name="split")
    with pytest.raises(im.IsamapError, match=r"K = 4\*S alone"):
        im.plan(gemm, "scalar", rewrites=[split])
    made = im.plan(gemm, "scalar", sizes={"k": 64}, rewrites=[split])
    assert made.kernel.name in ("gemm", "split")


@pytest.mark.parametrize(
    ("rewrites", "said"),
    [
        (["gem"], "gemm"),
        ([3], "int is no kernel"),
        ("gemm", "pass a list"),
        ([im.kernel("C[i,j] += A[i,k] * D[k,j]", name="other")], "input D"),
    ],
)
def test_what_is_no_rewrite_is_told(rewrites: object, said: str) -> None:
    with pytest.raises(im.IsamapError, match=said):
        im.plan("gemm", "scalar", rewrites=rewrites)  # type: ignore[arg-type]


def test_pins_and_rewrites_do_not_meet() -> None:
    with pytest.raises(im.IsamapError, match="fix pins"):
        im.plan("gemm", "avx2", fix={"tile.k": 64}, rewrites=["gemm"])


def test_an_undecided_one_is_not_taken() -> None:
    one, other = im.kernel("Y[i] = log(X[i] * X[i])", name="one"), im.kernel("Y[i] = 2 * log(abs(X[i]))", name="other")
    with pytest.raises(im.IsamapError, match="not decided"):
        im.plan(one, "scalar", rewrites=[other])


# ---- The order of inputs


def test_a_line_says_the_order_of_inputs() -> None:
    k = im.kernel("input B, A\nY[i] = A[i] - B[i]", name="k")
    assert k.inputs == ("B", "A")
    assert im.kernel(im.to_text(k), name="k") == k
    assert im.kernel("input B\nY[i] = A[i] - B[i] * C[i]").inputs == ("B", "A", "C")
    call = im.compile(k, "scalar")
    one, two = np.ones(3, np.float32), np.full(3, 2, np.float32)
    assert call(two, one).tolist() == [-1, -1, -1]
    assert im.run_kernel(k, {"A": one, "B": two})["Y"].tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("input Y", "a statement writes Y"),
        ("input Z", "no statement reads Z"),
        ("input A, A", "named twice"),
        ("input A < 3", "an input has no bound"),
    ],
)
def test_a_wrong_line_is_told(line: str, said: str) -> None:
    with pytest.raises(im.IsamapError, match=said):
        im.kernel(f"{line}\nY[i] = A[i]")
