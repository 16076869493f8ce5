"""A file of the user's is executed once by a command, and what it prints is no part of the command's answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from isamap_smt.cli.app import run
from isamap_smt.ir.errors import UnknownNameError

MINE = """\
import os
import isamap_smt as im
print("printed here")
os.system("echo by another process")
K = "c[i] += a[i,k] * b[k]"
def UNIT(n):
    print("made")
    types, places = dict.fromkeys("abc", "f32"), dict.fromkeys("abc", "vector")
    return im.instruction("npu.dot", K, axes={"i": n, "k": 4}, dtypes=types, places=places)
"""


def test_json_stands_alone_and_the_file_is_executed_once(in_empty_directory: Path) -> None:
    Path("mine.py").write_text(MINE)
    words = ["map", "mine.py:K", "mine.py:UNIT(n=8)", "--json"]  # both are of the same file
    done = subprocess.run([sys.executable, "-m", "isamap_smt", *words], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["legal"] == 1
    assert [done.stderr.count(s) for s in ("printed here", "by another process", "made")] == [1, 1, 1]


def test_a_file_that_has_changed_is_executed_again(in_empty_directory: Path) -> None:
    Path("mine.py").write_text("K = 'C[i] += A[i]'\n")
    assert run(["map", "mine.py:K", "scalar.muladd_f32"]) == 0
    Path("mine.py").write_text("L = 'C[i] += A[i]'\n")
    assert run(["map", "mine.py:L", "scalar.muladd_f32"]) == 0
    assert run(["map", "mine.py:K", "scalar.muladd_f32"]) == UnknownNameError.code


def test_a_directory_is_no_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("mine.py").mkdir()
    assert run(["map", "mine.py:K", "scalar.muladd_f32"]) == 3
    assert capsys.readouterr().err == "error: mine.py is a directory or a device; name a Python file\n"


def test_a_machine_is_made_once(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("mine.py").write_text(
        "import isamap_smt as im\ndef M(n):\n    print('made')\n    return im.find_hardware('scalar')\n"
    )
    assert run(["schedule", "gemm", "mine.py:M(n=8)", "--sizes", "i=4,j=4,k=4"]) == 0
    assert capsys.readouterr().err.count("made\n") == 1
