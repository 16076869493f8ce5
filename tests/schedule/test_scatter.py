"""Outputs that several axes share: accumulators open together, and threads, must not stand for one element."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.interpret import random_arrays, run_kernel

SIZES = {"p": 9, "r": 4, "i": 13, "j": 5}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["f32", "i16"])
@pytest.mark.parametrize("text", ["O[p+r] += x[p] * w[r]", "O[i//2] += x[i] * w[i]", "O[3*j+i] += x[i] * w[j]"])
def test_a_scatter_is_scheduled_proved_and_right(text: str, dtype: str) -> None:
    kernel = im.kernel(text, name="scatter", dtypes=dict.fromkeys("Oxw", dtype))
    sizes = {a.name: SIZES[a.name] for a in kernel.axes}
    arrays = random_arrays(kernel, sizes)
    for given in (sizes, {}):
        compiled = im.compile(kernel, im.find_hardware("scalar"), sizes=given, threads=2)
        got = compiled(**arrays, threads=2)
        assert np.allclose(got, run_kernel(kernel, arrays, sizes=sizes)["O"], rtol=1e-5)


def test_threads_do_not_share_an_axis_that_scatters() -> None:
    kernel = im.kernel("O[p+r] += x[p] * w[r]", name="scatter", dtypes=dict.fromkeys("Oxw", "f32"))
    with pytest.raises(ScheduleError, match="parallel=p: p does not tell outputs apart; threads would add"):
        im.plan(kernel, im.find_hardware("scalar"), sizes={"p": 8, "r": 4}, threads=2, fix={"parallel": "p"})


def test_a_kernel_that_reads_its_output_is_computed_element_by_element() -> None:
    kernel = im.kernel("C[i] = C[i] + A[i] * B[i]", name="update", dtypes=dict.fromkeys("CAB", "f32"))
    with pytest.raises(
        ScheduleError, match="update reads its output C; instructions are used for kernels that only accumulate"
    ):
        im.plan(kernel, im.find_hardware("scalar"), sizes={"i": 4}, instruction="muladd_f32")
    assert "update reads its output C" in im.plan(kernel, im.find_hardware("scalar"), sizes={"i": 4}).notes[0]
