"""Random kernels in the forms that they are rewritten to: each is proved and computes the same; a form that is wrong is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import fuzz_forms
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import SMul

KERNELS = 60


def test_random_forms_are_proved_and_compute_the_same() -> None:
    kinds = [fuzz_forms.trial(n)[0] for n in range(KERNELS)]
    assert set(kinds) <= {"equal", "no form", "refused", "no meaning"}, kinds
    assert kinds.count("equal") > KERNELS // 5


def test_a_wrong_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added behind the sum is left out of the claims and of the kernel."""
    right = fuzz_forms.multiply_out

    def wrong(kernel: Kernel, n: int) -> Rewrite:
        made = right(kernel, n)
        every = list(made.kernel.statements)
        every[made.closing] = replace(every[made.closing], value=SMul(every[made.closing].value, 2))
        return replace(made, kernel=replace(made.kernel, statements=tuple(every)))

    monkeypatch.setattr(fuzz_forms, "multiply_out", wrong)
    kinds = {fuzz_forms.trial(n)[0].partition(":")[0] for n in range(KERNELS)}
    assert "not proved" in kinds
