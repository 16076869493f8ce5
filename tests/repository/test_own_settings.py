"""What a user has set for isamap does not reach the tests, nor do the tests write where it points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ONE = "tests/cli/test_compile.py::test_everything_is_there"


def test_a_cache_and_a_compiler_of_the_users(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text("{}")
    theirs = {"ISAMAP_CACHE": str(tmp_path), "ISAMAP_CC": "/nowhere/cc"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ONE]
    done = subprocess.run(
        command, cwd=repository, env={**os.environ, **theirs}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["calibration.json"]
