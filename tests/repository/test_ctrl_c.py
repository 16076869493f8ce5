"""Tests of interrupts do not depend on how the shell started them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

INTERRUPTS = "tests/tuning/test_interrupted.py::test_a_solver_that_takes_an_interrupt_for_its_own_does_not_keep_it"


def test_tests_of_interrupts_pass_in_a_background_job(repository: Path) -> None:
    """A non-interactive shell starts a background job with SIGINT ignored, which its children inherit."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", INTERRUPTS]
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0, done.stdout
