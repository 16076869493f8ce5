"""Which mappings are scheduled first: by cycles at the rates that were measured, where there are any."""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.host import host
from isamap_smt.ir.instruction import Cost
from isamap_smt.pipeline.choose import candidates
from isamap_smt.scheduling.figures import Figures


def test_an_instruction_that_was_measured_to_be_slow_comes_later() -> None:
    """vdpbf16ps starts every second cycle on some cores; widening to f32 computes twice as fast there."""
    machine = host({"avx512f", "avx512_bf16"})
    kernel = im.find_kernel("gemm_nt").with_dtypes({"A": "bf16", "B": "bf16", "C": "f32"})
    measured = Figures(
        "a test", costs=(("avx512_bf16.dpbf16_ps", Cost(8.6, 0.46)), ("avx512.fmadd_ps", Cost(4.4, 1.6)))
    )
    sizes = dict.fromkeys("ijk", 1024)  # of fewer, what is converted costs more than it gains
    first = [candidates(kernel, machine, sizes, figures=f).found[0][1] for f in (Figures(), measured)]
    assert [m.mapping.instruction.name for m in first] == ["avx512_bf16.dpbf16_ps", "avx512.fmadd_ps"]


def test_another_form_comes_before_the_same_on_vectors_half_as_wide() -> None:
    """With AVX-512 measured slow, its second mapping costs more than AVX2's first, which is the same mapping as its own first."""
    machine = host({"avx2", "fma", "avx512f"})
    costs = (("avx512.fmadd_ps", Cost(4.7, 1.59)), ("avx2.fmadd_ps", Cost(4.1, 1.92)))
    found = candidates(
        im.find_kernel("gemm_nt"), machine, {"i": 16, "j": 1760, "k": 1760}, figures=Figures("a test", costs=costs)
    )
    first = [(m.mapping.instruction.name, m.mapping.id) for _, m in found.found[:3]]
    assert first[0] == ("avx512.fmadd_ps", "l=i;a=A,b=B")  # of 16 rows, to gather A takes less than to gather B
    assert first[1] == ("avx512.fmadd_ps", "l=j;a=A,b=B")
    assert ("avx2.fmadd_ps", "l=j;a=A,b=B") in [(m.mapping.instruction.name, m.mapping.id) for _, m in found.found]
