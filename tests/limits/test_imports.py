"""What a plan imports, and what it leaves to others."""

from __future__ import annotations

import subprocess
import sys

import pytest

SMALL = 'im.plan("gemm", "avx2", sizes={"i": 12, "j": 16, "k": 4})'
SERIES = """
from ortools.sat.python import cp_model
import pandas
assert pandas.DataFrame({"a": [1, 2]})["a"].sum() == 3
model = cp_model.CpModel()
x = model.new_int_var_series("x", pandas.Index([0, 1]), 0, 3)
model.maximize(sum(x))
solver = cp_model.CpSolver()
assert solver.status_name(solver.solve(model)) == "OPTIMAL" and solver.values(x).sum() == 6
"""
CASES = {
    "the planner imports no solver of schedules": ("im.plan; im.find_hardware('host')", "ortools pandas sqlite3"),
    "a plan imports no pandas": (SMALL, "pandas"),
    "OR-Tools' series of variables have pandas": (SMALL + SERIES, ""),
    "pandas that is there before stays": (
        "import pandas\n" + SMALL + "\nassert pandas.Series([1]).sum() == 1" + SERIES,
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_imported(case: str) -> None:
    text, absent = CASES[case]
    asked = f"import sys\nimport isamap_smt as im\n{text}\nprint([m for m in {absent.split()!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert run.stdout == "[]\n", run.stdout + run.stderr
