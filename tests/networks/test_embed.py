"""examples/embed: a C program that runs a network with neither Python nor a heap says what ONNX's reference computes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx

from tests.networks.models import expected

EMBED = Path(__file__).parents[2] / "examples" / "embed"
MADE = re.compile(r"class (\d), score (0\.\d{5})\n")


def test_the_program_builds_and_runs(tmp_path: Path) -> None:
    for name in ("Makefile", "classify.c", "model.py"):
        shutil.copy(EMBED / name, tmp_path)
    made = subprocess.run(
        ["make", "-s", "CC=cc -Wall -Wextra -Werror", f"PYTHON={sys.executable}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    ran = subprocess.run([tmp_path / "classify"], capture_output=True, text=True, check=True)
    said = MADE.fullmatch(ran.stdout)
    assert said
    image = (np.arange(28 * 28) % 28 / np.float32(28)).astype(np.float32).reshape(1, 1, 28, 28)
    scores = expected(onnx.load(tmp_path / "model.onnx"), {"image": image})["scores"][0]
    assert int(said[1]) == scores.argmax()
    assert abs(float(said[2]) - scores.max()) < 1e-4
    symbols = subprocess.run(["nm", "-u", tmp_path / "classify"], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"alloc|memalign|\bfree\b|Py", symbols)
    assert len((EMBED / "classify.c").read_text().splitlines()) < 25
