"""Only a reader of what we print ends us; whoever writes to a process that died hears of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

DEAD = """
import os, sys
from isamap_smt.cli.interrupt import end_with_reader
end_with_reader()
reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"work")
except BrokenPipeError:
    print("told")
"""

SPEAKS = """
import sys
from isamap_smt.cli.interrupt import end_with_reader
end_with_reader()
sys.stdin.read()
print("said", file=sys.{stream}, flush=True)
"""


def test_a_pipe_to_a_process_that_died_is_an_error() -> None:
    done = subprocess.run([sys.executable, "-c", DEAD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "told\n", "")


@pytest.mark.parametrize("flags", [[], ["-u"]])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_is_gone_ends_the_process(stream: str, flags: list[str]) -> None:
    command = [sys.executable, *flags, "-c", SPEAKS.format(stream=stream)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, **pipes)
    gone, other = (child.stdout, child.stderr) if stream == "stdout" else (child.stderr, child.stdout)
    assert child.stdin is not None and gone is not None and other is not None
    gone.close()
    child.stdin.close()
    assert other.read() == b""
    other.close()
    assert child.wait(timeout=60) == -13
