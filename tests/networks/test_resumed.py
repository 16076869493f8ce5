"""Planning that is interrupted goes on where it was: what was decided of a kernel is not decided again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PLANNING = """
import sys
import numpy as np
import isamap_smt as im
from isamap_smt import scheduling

stop, solved, original = int(sys.argv[1]), [], scheduling.solve

def solve(*arguments, **options):
    solved[-1] += 1
    return original(*arguments, **options)

def progress(done, of, node):
    if done == stop:
        raise KeyboardInterrupt
    solved.append(0)

scheduling.solve = solve
x = im.input("x", (3, 40))
for n in (24, 56, 72, 8):
    x = im.relu(im.matmul(x, np.ones((x.shape[1], n), np.float32)))
try:
    planned = im.plan_network(im.network({"y": x}, name="four"), "scalar", progress=progress)
    print(len(planned.plans), *solved)
except KeyboardInterrupt:
    print("interrupted", *solved)
"""


def test_an_interrupted_plan_goes_on_in_another_process(tmp_path: Path) -> None:
    def planned(stop: int, cache: str) -> list[str]:
        environment = {**os.environ, "ISAMAP_CACHE": str(tmp_path / cache)}
        done = subprocess.run(
            [sys.executable, "-c", PLANNING, str(stop)], capture_output=True, text=True, env=environment, check=True
        )
        return done.stdout.split()

    number, *alone = planned(-1, "alone")
    assert number == "4" and all(int(n) > 0 for n in alone)
    assert planned(3, "both") == ["interrupted", *alone[:3]]
    assert planned(-1, "both") == ["4", "0", "0", "0", alone[3]]
    assert planned(-1, "both") == ["4", "0", "0", "0", "0"]
