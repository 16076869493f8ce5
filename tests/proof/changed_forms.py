"""Kernels in another form with something changed, for tests that each way of getting it wrong is refuted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import put_into_indices
from isamap_smt.proof.split import prove_split, require_split


def change(x: Rewrite, **fields: Any) -> Rewrite:
    """Its only statement with other fields."""
    statement = replace(x.kernel.statements[0], **fields)
    return replace(x, kernel=replace(x.kernel, statements=(statement,)))


def computing(x: Rewrite, point: Any, **fields: Any) -> Rewrite:
    """The kernel that computes `point` for j, and says so."""
    s = x.whole.statements[0]
    target = Access(s.target.tensor, tuple(substitute(i, {"j": point}) for i in s.target.index))
    piece = replace(x.pieces[0], point=tuple((a, point if a == "j" else e) for a, e in x.pieces[0].point))
    made = change(x, target=target, value=put_into_indices(s.value, {"j": point}), **fields)
    return replace(made, roles=(piece,))


def assert_refuted(right: Rewrite, wrong: Rewrite, claim: str, words: str) -> None:
    """The one is proved; of the other this claim is refuted, and the error has these words."""
    assert prove_split(right).proved
    proof = prove_split(wrong)
    assert proof.word == "refuted", str(proof)
    assert claim in [str(c).split(":")[0].strip() for c in proof.failed()], [str(c) for c in proof.failed()]
    with pytest.raises(NotProvedError, match=f"{words}: not proved"):
        require_split(wrong)
