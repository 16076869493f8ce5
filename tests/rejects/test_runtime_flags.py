"""Flags of a call are True or False, NumPy's too; numbers and texts are refused, as `threads=True` is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError


@pytest.fixture(scope="module")
def product() -> Any:
    return im.compile(im.kernel("Y[i,j] += A[i,k] * B[k,j]"), "scalar", constant=["B"])


@pytest.mark.parametrize("flag", ["check_finite", "check_ranges"])
def test_numbers_are_no_flags(product: Any, flag: str) -> None:
    a = np.eye(3, dtype=np.float32)
    for wrong in (0, 1, None, "no", np.int64(0), 0.0):
        said = f"{flag}={wrong!r} is {type(wrong).__name__}: pass True or False"
        for call in (lambda w=wrong: product(a, a, **{flag: w}), lambda w=wrong: product.pack(a, **{flag: w})):
            with pytest.raises(ArgumentError) as error:
                call()
            assert str(error.value) == said


@pytest.mark.parametrize("flag", ["check_finite", "check_ranges"])
def test_flags_of_numpy_are(product: Any, flag: str) -> None:
    a = np.eye(3, dtype=np.float32)
    for right in (True, False, np.True_, np.bool_(False)):
        for _ in range(3):  # the third call is one that is known
            assert (product(a, a, **{flag: right}) == a).all()
    with pytest.raises(ArgumentError, match="threads=True is bool: pass a whole number, such as 8"):
        product(a, a, threads=True)
