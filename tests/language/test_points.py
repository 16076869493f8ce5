"""Points are counted as one would count them one by one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isamap_smt.ir import points
from isamap_smt.ir.evaluate import points as walked
from isamap_smt.language import kernel
from isamap_smt.language.library import find_kernel
from isamap_smt.runtime.measure import operations

GUARDS = (
    "j <= i", "2*k - j <= 3*i - 4", "i == j", "i != k", "1 <= i", "i + j + k < 9", "i % 3 == 1", "k < (i + j) // 2", "2*i == j + k",
)  # fmt: skip


def one_by_one(text: str, sizes: dict[str, int]) -> int:
    """Points that the interpreter visits."""
    (statement,) = kernel(text).with_sizes(sizes).statements
    return sum(len(env["#"]) for env in walked(statement, 1000))


@given(
    st.lists(st.sampled_from(GUARDS), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
)
def test_all_guards_are_counted_exactly(guards: Sequence[str], extents: list[int]) -> None:
    sizes = dict(zip("ijk", extents, strict=True))
    text = f"Y[i,j,k] = X[i,j,k] where {' and '.join(guards)}"
    (statement,) = kernel(text).with_sizes(sizes).statements
    assert points.kept(statement) == one_by_one(text, sizes) <= points.box(statement)


def test_parts_of_a_grid_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text, sizes = "Y[i,j,k] = X[i,j,k] where i % 3 != j % 2 and k <= i", {"i": 7, "j": 8, "k": 9}
    monkeypatch.setattr(points, "AT_ONCE", 5)
    points.counted.cache_clear()
    (statement,) = kernel(text).with_sizes(sizes).statements
    assert points.kept(statement) == one_by_one(text, sizes)


def test_padding_of_a_convolution_is_not_computed() -> None:
    sizes = dict(n=1, p=54, q=54, k=8, c=4, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
    work = operations(find_kernel("conv2d").with_sizes(sizes))
    assert work == 2 * 8 * 4 * 160 * 160  # 160 of 162 rows of the window, and columns, meet elements of the image


def test_a_causal_product_has_half_the_points() -> None:
    large = kernel("S[q,k] += A[q,d] * B[k,d] where k <= q").with_sizes({"q": 1 << 17, "k": 1 << 17, "d": 64})
    assert operations(large) == 2 * 64 * ((1 << 17) * ((1 << 17) + 1) // 2)
