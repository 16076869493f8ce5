"""Sizes and threads of a call are whole numbers: others are refused, and never rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, IsamapError, SizeError


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"sizes": {"P": 1.5}}, SizeError, "size P=1.5 is float: pass a whole number"),
        ({"sizes": {"P": "1"}}, SizeError, "size P='1' is str"),
        ({"sizes": {"P": [1]}}, SizeError, "size P=[1] is list"),
        ({"sizes": [1]}, SizeError, "sizes is list"),
        ({"sizes": {"P": 1}, "threads": 1.5}, ArgumentError, "threads=1.5 is float"),
        ({"sizes": {"P": 1}, "threads": "2"}, ArgumentError, "threads='2' is str"),
        ({"sizes": {"P": 1}, "threads": 0}, ArgumentError, "threads=0: must be at least 1"),
    ],
)
def test_types(options: dict[str, Any], kind: type[IsamapError], text: str) -> None:
    run = im.compile(im.kernel("C[i] += A[i+P]\nparam P >= 0"), "scalar")
    a = np.arange(5, dtype=np.float32)
    assert (run(a, sizes={"P": np.int64(1)}, threads=10**30) == a[1:]).all()
    out = np.zeros(4, np.float32)
    with pytest.raises(kind) as caught:
        run(a, out=out, **options)
    assert text in str(caught.value) and not out.any()


def test_a_mask_is_not_ignored() -> None:
    run = im.compile(im.kernel("S[] += X[i]"), "scalar")
    masked = np.ma.MaskedArray(np.ones(4, np.float32), mask=[True, False, True, False])
    with pytest.raises(ArgumentError, match=r"X is a masked array, and kernels know no masks; try X\.filled"):
        run(masked)
    assert run(masked.filled(0.0)) == 2
