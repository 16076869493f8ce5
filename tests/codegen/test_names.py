"""Tensors may be named like the buffers of the lowering, like C's words, or like what its headers declare."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from tests.families import with_one

NAMES = [
    ("acc", "A", "B"), ("C", "A", "b_r"), ("C", "a_r", "B"), ("C", "B_packed", "B"), ("acc_staged", "A", "acc"),
    ("NULL", "free", "int64_t"), ("aligned_alloc", "memcpy", "double"),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("names", "constant"), with_one(NAMES, [True, False]))
def test_values(names: tuple[str, str, str], constant: bool) -> None:
    c, a, b = names
    kernel = im.kernel(f"{c}[i,j] += {a}[i,k] * {b}[k,j]").with_dtypes(dict.fromkeys(names, "f32"))
    sizes = {"i": 9, "j": 21, "k": 7}
    run = im.compile(kernel, "avx2", sizes=sizes, constant=[b] if constant else [])
    random = np.random.default_rng(0)
    left = random.integers(-4, 5, (9, 7)).astype(np.float32)
    right = random.integers(-4, 5, (7, 21)).astype(np.float32)
    assert (run(**{a: left, b: right}) == left @ right).all()
