"""A contract that reads one operand at two cells is not supported, and the error says so."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError


@pytest.mark.parametrize("text", ["C[i] += A[i] * B[i]", "C[i] += A[i] * A[I-1-i]"])
def test_two_cells_of_one_operand(text: str) -> None:
    types = dict.fromkeys("ac", "i32")
    odd = im.instruction("odd", "c[l] += a[l] * a[7-l]", axes={"l": 8}, dtypes=types, places=dict.fromkeys("ac", "v"))
    kernel = im.kernel(text)
    typed = kernel.with_dtypes({t.name: "i32" for t in kernel.tensors})
    with pytest.raises(IsamapError, match=r"odd reads its operand 'a' at 2 cells per point.*not supported"):
        im.find_mappings(typed, odd)
