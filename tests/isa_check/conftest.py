"""What is collected here: a module that needs TVM only where it is installed. Its tests skip aloud by themselves."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from isamap_smt.targets import Target, find_target

collect_ignore = [] if find_spec("tvm") else ["tvm_planted.py"]


@pytest.fixture(scope="session")
def arm() -> Target:
    """64-bit Arm, emulated."""
    found = find_target("aarch64-linux-musl")
    if why := found.available():
        pytest.skip(why)
    return found
