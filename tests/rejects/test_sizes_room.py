"""Tensors that no memory holds are the sizes' fault, not isamap's."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import SizeError


@pytest.mark.parametrize("text", ["C[i,j] = A[i,j] where j > i", "C[i,j] += A[i,k]*B[k,j]"])
def test_a_tensor_that_memory_cannot_hold(text: str) -> None:
    names = "ABC" if "B" in text else "AC"
    kernel = im.kernel(text, dtypes=dict.fromkeys(names, "f32"))
    with pytest.raises(SizeError) as caught:
        im.plan(kernel, "host", sizes={"i": 2**31, "j": 2**31})
    assert str(caught.value) == (
        "C has shape [2147483648, 2147483648], at least 18,446,744,073,709,551,616 bytes; memory ends at 2^48, so lower a size"
    )


def test_one_that_it_might_hold_is_planned() -> None:
    kernel = im.kernel("C[i,j] = A[i,j] where j > i", dtypes=dict.fromkeys("AC", "f32"))
    assert im.plan(kernel, "host", sizes={"i": 2**23, "j": 2**23}).checked
