"""A search of plans ends by counts: few plans are timed, mappings that cannot be quicker are left alone, and gaps are said."""

from __future__ import annotations

from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.pipeline import staged
from tests.pinned.questions import kernels

PADDED = dict(H=24, JO=33, KO=16, N=24, P=33, Q=7, R=3, S=3, V=16, pp=0, pq=1, sp=1, sq=1)
ASKED = {
    # kernel, machine, sizes; how many programs are timed at most, and the cycles of the best that is known
    "a product on a unit that holds sums": ("gemm i8", "gemmini", dict.fromkeys("IJK", 512), 24, 552_129),
    "a padded convolution": ("vta_kernels.conv2d", "vta", PADDED, 40, 32_940_429),
}


@pytest.mark.parametrize("name", ASKED)
def test_few_plans_are_timed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds are near, so the best plan is among the first ones."""
    kernel, machine, sizes, most, cycles = ASKED[name]
    lowered, seen = staged._lowered, []

    def counted(*given: Any) -> Any:
        seen.append(given)
        return lowered(*given)

    monkeypatch.setattr(staged, "_lowered", counted)
    plan = im.stage(kernels()[kernel], find_hardware(machine), sizes=sizes)
    (s,) = plan.phases
    assert len(seen) <= most
    assert plan.cycles <= cycles and s.bound is not None and s.bound > 0.99 * plan.cycles
    assert (s.status == "OPTIMAL") == (s.bound == plan.cycles) == (s.gap == 0)
