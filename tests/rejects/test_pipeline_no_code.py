"""A machine whose instructions have no C falls back to nothing, and says so; one of vector registers alone has portable C."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError


def test_a_machine_for_proofs_alone_makes_no_code() -> None:
    transpose = im.kernel("C[i,j] = A[j,i]", name="transpose", dtypes={"A": "i64", "C": "i64"})
    with pytest.raises(ScheduleError) as error:
        im.plan(transpose, im.find_hardware("wmma"), sizes={"i": 4, "j": 4})
    assert str(error.value) == (
        "no vector instruction of wmma computes transpose, and it has no registers for single elements\n"
        "wmma is for mapping and proof only, so nothing is computed in portable C either; use `host`"
    )


def test_a_machine_of_vectors_alone_computes_element_by_element() -> None:
    transpose = im.kernel("C[i,j] = A[j,i]", name="transpose", dtypes={"A": "i64", "C": "i64"})
    planned = im.plan(transpose, im.find_hardware("avx2"), sizes={"i": 4, "j": 4})
    assert planned.notes == (
        "transpose is computed element by element, in portable C: no vector instruction of avx2 computes transpose, and it has no "
        "registers for single elements",
    )
