"""A machine of vector registers alone cannot fall back to portable C, and says where that is possible."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError


def test_portable_c_needs_scalars() -> None:
    transpose = im.kernel("C[i,j] = A[j,i]", name="transpose", dtypes={"A": "i64", "C": "i64"})
    with pytest.raises(ScheduleError) as error:
        im.plan(transpose, im.find_hardware("avx2"), sizes={"i": 4, "j": 4})
    assert str(error.value) == (
        "no vector instruction of avx2 computes transpose, and portable C needs a memory 'scalar', which avx2 has not; "
        "try the hardware `host` or `scalar`"
    )
