"""An instruction that is right for a range of values only refuses other values."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.pipeline.build import compile as compile_kernel


def test_a_range_that_the_proof_assumes_is_checked() -> None:
    machine = im.find_hardware("scalar")
    narrow = replace(machine.instruction("muladd_i32"), name="narrow.muladd", assume=(("a", 0, 127),))
    narrow_machine = replace(machine, name="narrow", instructions=(narrow, *machine.moves))
    gemm = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", "i32"))
    run = compile_kernel(gemm, narrow_machine, sizes={"i": 2, "j": 3, "k": 4}, instruction="narrow.muladd")
    assert "each call checks that 0 <= A <= 127" in str(run)
    a, b = np.full((2, 4), 127, np.int32), np.full((4, 3), 1000, np.int32)
    assert (run(a, b) == a @ b).all()
    for bad in (128, -1):
        a[1, 2] = bad
        with pytest.raises(ArgumentError, match=re.escape(f"A[1, 2] is {bad}, and gemm was proved for A in [0, 127]")):
            run(a, b)
