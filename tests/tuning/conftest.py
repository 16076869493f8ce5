"""A small task, and caches of its own for each test."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.machine_model.calibration import identity
from isamap_smt.pipeline.choose import candidates
from isamap_smt.pipeline.spaces import Spaces, spaces
from isamap_smt.tuning.database import Database
from isamap_smt.tuning.task import Task

SIZES = {"i": 48, "j": 64, "k": 32}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where these tests keep what the C compiler made: the same C in another test is not compiled again."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture
def caches(tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory without a calibration or a measurement."""
    (tmp_path / "build").symlink_to(built, target_is_directory=True)
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    return tmp_path


def change_records(to: str) -> None:
    """Every schedule in the database becomes this one."""
    machine = identity().digest
    with Database() as d:
        for task, trial in d.measured(machine):
            d.add(task, "", machine, "", replace(trial, record=json.loads(to)))


@pytest.fixture(scope="session")
def task() -> Task:
    """A small matrix product on this machine."""
    return Task(im.find_kernel("gemm"), im.find_hardware("host"), tuple(sorted(SIZES.items())))


@pytest.fixture(scope="session")
def made(task: Task) -> Spaces:
    """Its space."""
    return spaces(task, candidates(task.kernel, task.hardware, dict(task.sizes)), 20.0)
