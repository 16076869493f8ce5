"""Tensors named like an option of the call are passed by position, and the error says so."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError
from tests.families import part


@pytest.mark.parametrize("name", ["sizes", "out", "threads", "check_finite", "accumulate"])
def test_by_position(name: str) -> None:
    run = im.compile(im.kernel(f"C[i] += {name}[i]"), "scalar")
    a = np.arange(6, dtype=np.float32)
    assert (run(a) == a).all()
    with pytest.raises(ArgumentError, match=f"no array for {name}; {name}= is an option of the call"):
        run()


@pytest.mark.parametrize(
    "name",
    part(["sizes", "check_finite", "check_ranges", "positional", "constants"], ("sizes", "constants").__contains__),
)
def test_a_constant_that_is_called_like_an_option_is_packed_by_position(name: str) -> None:
    compiled = im.compile(im.kernel(f"C[i,j] += A[i,k] * {name}[k,j]", name="mine"), "scalar", constant=[name])
    a, b = np.eye(3, dtype=np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(compiled.pack(b)(a), b)
    with pytest.raises(ArgumentError, match=f"constant operands are {name}; got 2 arrays"):
        compiled.pack(b, b)


def test_a_constant_given_twice_is_refused() -> None:
    compiled = im.compile("gemm", "scalar", constant=["B"])
    b = np.zeros((3, 4), np.float32)
    with pytest.raises(ArgumentError, match="B is given twice, by position and by name"):
        compiled.pack(b, B=b)
