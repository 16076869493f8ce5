"""Tensors named like an option of the call are passed by position, and the error says so."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError


@pytest.mark.parametrize("name", ["sizes", "out", "threads", "check_finite"])
def test_by_position(name: str) -> None:
    run = im.compile(im.kernel(f"C[i] += {name}[i]"), "scalar")
    a = np.arange(6, dtype=np.float32)
    assert (run(a) == a).all()
    with pytest.raises(ArgumentError, match=f"no array for {name}; {name}= is an option of the call"):
        run()
