"""The module that imports TVM is imported by its tests alone: it takes seconds, in each process that collects tests."""

from __future__ import annotations

import pytest

from isamap_smt.targets import Target, find_target

collect_ignore = ["tvm_planted.py"]


@pytest.fixture(scope="session")
def arm() -> Target:
    """64-bit Arm, emulated."""
    found = find_target("aarch64-linux-musl")
    if why := found.available():
        pytest.skip(why)
    return found
