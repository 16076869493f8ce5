"""A program of isamap's own that its proof refutes is not used; the note says what happened, what is computed, and what to send."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mutants
import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.program import Loop, Program
from isamap_smt.pipeline import element_by_element

SIZES = {"i": 6, "j": 16, "k": 5}


def test_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault is put into the lowering: loops over k stop one early."""
    lower = element_by_element.lower

    def one_short(*schedules: Any) -> Program:
        def shorter(node: Any) -> Any:
            return (replace(node, count=node.count - 1),) if isinstance(node, Loop) and node.axis == "k" else None

        return mutants.rewritten(lower(*schedules), shorter)

    monkeypatch.setattr(element_by_element, "lower", one_short)
    planned = im.plan(im.find_kernel("gemm").with_sizes(SIZES), "avx2")  # no other test asks for this plan
    assert planned.schedule is None and planned.proof.proved
    (note,) = planned.notes
    what, _, why = note.partition(" Its proof: ")
    assert what == (
        "gemm is computed element by element, in portable C: the program that isamap made with instructions is refuted by its "
        "proof, and not used; what is computed instead is proved, only slower. This is a fault of isamap: please report it with "
        "this note, the kernel, the machine, the sizes and what `isamap --version` prints."
    )
    assert why.startswith("coverage: refuted: every point of the kernel's domain is computed: fails at ")
    a, b = np.ones((6, 5), np.float32), np.ones((5, 16), np.float32)
    assert (im.build(planned)(a, b) == 5).all()
