"""Docstrings of the core are main clauses: at most 2 of 100 words are that, which, where or what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

WORDS = frozenset(("that", "which", "where", "what"))
MOST = 2.0  # of 100 words
APART = ("isa", "bench")  # above the core


def docstrings(folder: Path) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, kinds):
                yield ast.get_docstring(node) or ""


def share(texts: list[str]) -> float:
    """How many of 100 words begin a clause that depends on another."""
    words = [w.lower() for text in texts for w in re.findall(r"[A-Za-z']+", text)]
    return 100 * sum(w in WORDS for w in words) / max(1, len(words))


def test_of_main_clauses_and_others() -> None:
    assert share(["Solve; retry with inner parallel loops if no outer one is feasible."]) == 0
    assert share(["What it holds is that which", "was put there"]) == pytest.approx(100 * 3 / 9)


@pytest.mark.parametrize("package", ["isamap_smt", "encodings"])
def test_docstrings_are_main_clauses(repository: Path, package: str) -> None:
    folders = [p for p in (repository / package).iterdir() if p.is_dir() and p.name not in APART]
    found = {p.name: share(list(docstrings(p))) for p in folders}
    assert not {name: round(s, 2) for name, s in found.items() if s > MOST}
