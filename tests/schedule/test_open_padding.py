"""A padded convolution of unknown padding cannot be read through a window, so the schedule packs it."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.pipeline.build import build
from isamap_smt.pipeline.plan import plan


def test_one_convolution_for_all_sizes() -> None:
    kernel = find_kernel("depthwise_conv2d")
    compiled = build(plan(kernel, find_hardware("host"), timeout=3))  # any schedule packs it, the best or not
    for padding, stride in ((0, 1), (1, 2), (2, 1)):
        sizes = dict(n=1, p=5, q=4, c=9, r=3, s=2, sp=stride, sq=1, dp=1, dq=2, pp=padding, pq=1)
        arrays = random_arrays(kernel, sizes, np.random.default_rng(padding))
        parameters = {p.name: sizes[p.name] for p in kernel.parameters}
        expected = run_kernel(kernel, arrays, sizes=sizes)["O"]
        np.testing.assert_allclose(compiled(**arrays, sizes=parameters), expected, rtol=1e-5, atol=1e-5)


def test_maxima_of_windows_for_all_sizes() -> None:
    """No zero stands for an element outside of a maximum; the input is read in place, and what lies outside is tested for."""
    kernel = find_kernel("examples/windows.py:MAX_POOL")
    made = plan(kernel, find_hardware("host"))
    assert made.schedule is not None, made.notes
    compiled = build(made)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        p, q, r, s, t = (int(rng.integers(1, n)) for n in (7, 7, 5, 5, 4))
        most = min((p - 1) * t + r, (q - 1) * t + s)
        pad = int(rng.integers(0, (most - 1) // 2 + 1))
        sizes = dict(n=2, p=p, q=q, c=int(rng.integers(1, 20)), r=r, s=s, t=t, pad=pad)
        arrays = random_arrays(kernel, sizes, rng)
        expected = run_kernel(kernel, arrays, sizes=sizes)["O"]
        np.testing.assert_array_equal(compiled(**arrays, sizes=sizes), expected)
