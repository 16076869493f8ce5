"""Which mappings are scheduled first: by cycles at the rates that were measured, where there are any."""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.host import host
from isamap_smt.ir.instruction import Cost
from isamap_smt.pipeline.choose import candidates
from isamap_smt.scheduling.figures import Figures

SIZES = {"i": 64, "j": 64, "k": 64}


def test_an_instruction_that_was_measured_to_be_slow_comes_later() -> None:
    """vdpbf16ps starts every second cycle on some cores; widening to f32 computes twice as fast there."""
    machine = host({"avx512f", "avx512_bf16"})
    kernel = im.find_kernel("gemm_nt").with_dtypes({"A": "bf16", "B": "bf16", "C": "f32"})
    measured = Figures(
        "a test", costs=(("avx512_bf16.dpbf16_ps", Cost(8.6, 0.46)), ("avx512.fmadd_ps", Cost(4.4, 1.6)))
    )
    first = [candidates(kernel, machine, SIZES, figures=f).found[0][1] for f in (Figures(), measured)]
    assert [m.mapping.instruction.name for m in first] == ["avx512_bf16.dpbf16_ps", "avx512.fmadd_ps"]
