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
    compiled = build(plan(kernel, find_hardware("host"), timeout=30))  # any schedule packs it, the best or not
    for padding, stride in ((0, 1), (1, 2), (2, 1)):
        sizes = dict(n=1, p=5, q=4, c=9, r=3, s=2, sp=stride, sq=1, dp=1, dq=2, pp=padding, pq=1)
        arrays = random_arrays(kernel, sizes, np.random.default_rng(padding))
        parameters = {p.name: sizes[p.name] for p in kernel.parameters}
        expected = run_kernel(kernel, arrays, sizes=sizes)["O"]
        np.testing.assert_allclose(compiled(**arrays, sizes=parameters), expected, rtol=1e-5, atol=1e-5)
