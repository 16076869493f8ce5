"""Floats compared in a statement of integers: without a written cast they would be made integers first, and 0.5 be equal to 0.7."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError

MESSAGE = (
    "line 2: X is f32 and is compared in a statement of i64: as no cast is written, it would be converted to i64 before that; "
    "write one, such as select(X[..] == .., i64(a), i64(b)), and f32 is compared, or give A a floating-point type"
)
TEXT = "M[i] max= X[i,j]\nA[i] min= select(X[i,j] == M[i], {0}j{1}, {0}J{1})"


def test_the_message() -> None:
    made = im.kernel(TEXT.format("", ""), dtypes={"A": "i64"})
    for run in (lambda: im.compile(made, "scalar"), lambda: im.run_kernel(made, {"X": np.ones((2, 3), np.float32)})):
        with pytest.raises(DTypeError) as e:
            run()
        assert str(e.value) == MESSAGE


def test_what_is_asked_for_works() -> None:
    made = im.kernel(TEXT.format("i64(", ")"), dtypes={"A": "i64"})
    x = np.array([[0.5, 0.7, 0.6], [0.1, 0.0, -0.2]], np.float32)
    assert im.run_kernel(made, {"X": x})["A"].tolist() == [1, 0]
