"""An interrupt at a moment that would lose or change it is raised a little later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BUSY = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
for _ in range(10):
    time.sleep(0.001)
"""

MOMENTS = {
    # what an interrupt here would become without care: an ImportError, an ArgumentError, nothing
    "loading": "try:\n    import slow\nexcept ImportError:\n    print('turned into another error')\n",
    "converting": """
import ctypes
class Argument:
    @classmethod
    def from_param(cls, value):
        exec(BUSY)
        return value
f = ctypes.CDLL(None).abs
f.argtypes = [Argument]
try:
    f(1)
except ctypes.ArgumentError:
    print('turned into another error')
""",
    "finalizing": """
class Thing:
    def __del__(self):
        exec(BUSY)
thing = Thing()
del thing
""",
}


# as on a loaded machine, where the thread that is to send the interrupt again has done so before its start() returns
LOADED = """
import threading
start = threading.Thread.start
def late(thread):
    start(thread)
    time.sleep(0.1)
threading.Thread.start = late
"""


@pytest.mark.parametrize("loaded", ["", LOADED], ids=["quiet", "loaded"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_is_put_off(moment: str, loaded: str, tmp_path: Path) -> None:
    slow = "".join(f"    {line}\n" for line in BUSY.strip().splitlines())
    (tmp_path / "slow.py").write_text(f"try:\n{slow}except BaseException:\n    raise ImportError('not loaded')\n")
    program = (
        f"BUSY = {BUSY!r}\n"
        "import sys, time\n"
        f"{loaded}"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "from isamap_smt.cli.interrupt import take_interrupts\n"
        "take_interrupts()\n"
        "try:\n"
        + "".join(f"    {line}\n" for line in MOMENTS[moment].strip().splitlines())
        + "    sys.stdout.write('went on\\n')\n    time.sleep(20)\n    print('lost')\n"
        + "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    # the interrupt may come as soon as the moment is over; one write is whole, where print's text and newline are two
    told = done.stdout.removeprefix("went on\n")
    assert (told, done.stderr) == ("interrupted\n", "")


def test_a_module_that_loads_for_long_is_left(tmp_path: Path) -> None:
    """A user's own module may do its whole work while it is loaded."""
    (tmp_path / "slow.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(20)\n")
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "from isamap_smt.cli import interrupt\n"
        "interrupt.LONGEST = 0.2\n"
        "interrupt.take_interrupts()\n"
        "try:\n    import slow\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=15)
    assert done.stdout == "interrupted\n", done.stderr
