"""Contenders from this directory's bad_peers.py, and a small case."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from isamap_smt.bench.case import Case
from isamap_smt.bench.contenders import Contender
from isamap_smt.bench.machine import cores_for
from isamap_smt.bench.session import Session

HERE = Path(__file__).parent
SMALL = Case(
    name="16x8x24 NN",
    family="matmul",
    kernel="gemm",
    sizes=(("i", 8), ("j", 16), ("k", 24)),
    dtypes=(("A", "f32"), ("B", "f32"), ("C", "f32")),
    weights=("B",),
    group="tiny",
    form="NN",
)


@pytest.fixture
def small() -> Case:
    """C[8,16] += A[8,24] B[24,16]."""
    return SMALL


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Session]]:
    """A session with a peer of bad_peers.py, by the name of its function; all are ended after the test."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
    started = []

    def make(name: str, where: str | None = None) -> Session:
        contender = Contender(name, where or f"bad_peers:{name}", "", (("matmul", "f32", "free"),))
        started.append(Session(contender, 1, cores_for(1)))
        return started[-1]

    yield make
    for s in started:
        s.end()
