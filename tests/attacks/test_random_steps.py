"""Random recurrences, compiled, in poisoned memory. benchmarks/fuzz_steps.py does this at length."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from benchmarks import fuzz_steps
from benchmarks.fuzz_steps import told

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None, reason="the batches are compiled by gcc, which is not installed"
)
# kernels that read a row before a later time step writes it
EARLY = 2_000_240


@pytest.mark.parametrize(
    "numbers", [range(16), pytest.param(range(16, 160), marks=pytest.mark.exhaustive)], ids=["some", "more"]
)
def test_nothing_depends_on_what_memory_held(numbers: range) -> None:
    found = list(told(numbers, proved=4))
    assert len(found) == len(numbers)
    assert not [x for x in found if x[1].startswith(("WRONG", "unknown"))], found
    assert sum(x[1].startswith("equal") for x in found) > len(numbers) * 3 // 4


def test_a_fill_too_few_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = fuzz_steps._memory

    def nothing_is_filled(d: Any, pattern: int) -> Any:
        held = real(d, pattern)
        for n in d.kernel.outputs:
            held[n].view("u1")[...] = pattern
        return held

    (right,) = told(range(EARLY, EARLY + 1))
    assert right[1].startswith("equal")
    monkeypatch.setattr(fuzz_steps, "_memory", nothing_is_filled)
    (wrong,) = told(range(EARLY, EARLY + 1))
    assert wrong[1] == "WRONG: differs"
    assert "poison 0xa5" in wrong[2]
