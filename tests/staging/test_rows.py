"""A move that asks for contiguous rows is refuted where a tile has none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from use_edits import edited

import isamap_smt as im
from isamap_smt.ir.uses import Use

MACHINE = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"


def test_rows_of_columns_are_refuted() -> None:
    """A[i,k] is gathered; brought by rows the same program would read other elements."""
    program = im.stage("gemm", MACHINE).program
    assert im.prove_uses(program).proved
    load = program.machine.instruction("load")

    def by_rows(use: Use) -> Use:
        return replace(use, instruction=load) if use.instruction.name == "gather" else use

    failed = im.prove_uses(edited(program, by_rows)).failed()
    assert [(c.claim, c.verdict.word) for c in failed] == [("precondition", "refuted")]
    assert "asks for rows, and takes A[" in failed[0].verdict.text  # type: ignore[union-attr]
