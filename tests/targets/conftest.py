"""Programs for another machine, run by QEMU: skipped aloud, with the line that installs it, where something is missing."""

from __future__ import annotations

import pytest

from isamap_smt.targets import Target, find_target

TRIPLE = "aarch64-linux-musl"


@pytest.fixture(scope="session")
def arm() -> Target:
    """64-bit Arm, emulated."""
    found = find_target(TRIPLE)
    if why := found.available():
        pytest.skip(why)
    return found
