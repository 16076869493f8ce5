"""Index terms of drawn programs, as texts of the tests: each as an expression of the program, and as a number of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isamap_encodings.verdict import Refuted, Verdict
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin

TERMS = {
    "div": (FloorDiv, lambda a, b: a // b), "mod": (FloorMod, lambda a, b: a % b), "low": (IMin, min), "high": (IMax, max),
}  # fmt: skip


def term(text: str, names: Mapping[str, Any]) -> Any:
    """The text as an expression. names: its symbols."""
    return eval(text, {n: a for n, (a, _) in TERMS.items()}, dict(names))  # noqa: S307 (texts of the tests)


def number(text: str, env: dict[str, int]) -> int:
    """Its value."""
    return int(eval(text, {n: b for n, (_, b) in TERMS.items()}, env))  # noqa: S307 (texts of the tests)


def agreed(verdict: str, verdicts: list[Verdict], found: str, tree: Any) -> tuple[str, bool]:
    """(the verdict, whether runs go wrong), which do not contradict each other."""
    assert not (verdict == "proved" and found), (found, tree)
    texts = [v.text for v in verdicts if isinstance(v, Refuted)]
    assert not (verdict == "refuted" and not found), (texts, tree)
    return verdict, bool(found)
