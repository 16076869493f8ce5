"""The scheduler takes nothing but what prove() made, and says what else it was handed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NotProvedError, ScheduleError, SizeError
from isamap_smt.mapping.fuse import fuse

sys.path.insert(0, str(Path(__file__).parent.parent / "schedule"))
from machines import GEMM, cube, hardware, proved


def test_an_unproved_mapping() -> None:
    mapping: Any = fuse(im.kernel(GEMM), hardware().instruction("fmadd_ps"), {"l": ("j",)})
    with pytest.raises(NotProvedError, match=r"takes what prove\(\) returns .* not Mapping"):
        im.schedule(mapping, hardware(), cube(64))


def test_an_unknown_objective() -> None:
    with pytest.raises(ScheduleError, match="no objective 'speed'; known: latency, energy"):
        im.schedule(proved(), hardware(), cube(64), objective="speed")


def test_no_threads() -> None:
    with pytest.raises(ScheduleError, match="threads=0: must be at least 1"):
        im.schedule(proved(), hardware(), cube(64), threads=0)


def test_an_unknown_constant() -> None:
    with pytest.raises(ScheduleError, match="no input operand 'X'"):
        im.schedule(proved(), hardware(), cube(64), constant=("X",))


def test_an_unknown_size() -> None:
    with pytest.raises(SizeError, match="no size 'm'"):
        im.schedule(proved(), hardware(), {"m": 64})


@pytest.mark.parametrize("objective", ["speed", 3, None])
def test_plans_refuse_it_too(objective: Any) -> None:
    """And make no portable code in its place."""
    with pytest.raises(ScheduleError, match=r"no objective .*; known: latency, energy"):
        im.plan("gemm", "avx2", objective=objective)
