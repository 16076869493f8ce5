"""The layers and the wall around the solvers hold, and the tools that guard them do catch a breach."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(sys.executable).parent
LAYERS = [
    "cli",
    "bench",
    "isa",
    "report",
    "exploration",
    "networks",
    "targets",
    "pipeline",
    "tuning",
    "certificates",
    "machine_model",
    "runtime",
    "codegen",
    "scheduling",
    "search",
    "equality",
    "proof",
    "mapping",
    "architectures",
    "language",
    "simulator",
    "records",
    "ir",
]
LAYERED = "Each layer of the library imports only what is below it"
WALL = "Only isamap_encodings imports a solver"
BOTTOM = "isamap_encodings knows nothing of kernels, machines or the library"
APART = "Certificates are checked without the search and the scheduler"
PUBLIC = "Machines and operators are written with the public API"
SOLVERS = ["import z3", "from ortools.sat.python import cp_model", "import cvc5", "from z3 import Solver"]


def ruff(repository: Path, file: str, source: str) -> str:
    """What ruff says about imports when this source stands in this file of the repository."""
    command = [TOOLS / "ruff", "check", "--no-cache", "--select", "TID", "--stdin-filename", file, "-"]
    return subprocess.run(command, cwd=repository, input=source, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "file",
    [
        "isamap_smt/search/new.py",
        "isamap_smt/proof/new.py",
        "hardware/isamap_hardware/new.py",
        "kernels/isamap_kernels/new.py",
    ],
)
def test_ruff_refuses_a_solver_outside_the_encodings(repository: Path, file: str, solver: str) -> None:
    said = ruff(repository, file, f"def load():\n    {solver}\n")
    assert "TID251" in said
    assert "Solvers are reached through isamap_encodings only." in said


@pytest.mark.parametrize("file", ["encodings/isamap_encodings/new.py", "tests/new.py", "benchmarks/new.py"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_ruff_allows_a_solver_in_the_encodings_and_in_tests(repository: Path, file: str, solver: str) -> None:
    assert "TID251" not in ruff(repository, file, f"{solver}\n")


def lint_imports(directory: Path) -> subprocess.CompletedProcess[str]:
    """The verdict of import-linter on the packages that stand in this directory, by its pyproject.toml."""
    path = os.pathsep.join(str(directory / shelf) for shelf in (".", "encodings", "hardware", "kernels"))
    return subprocess.run(
        [TOOLS / "lint-imports", "--no-cache", "--config", "pyproject.toml"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def skeleton(repository: Path, tmp_path: Path) -> Path:
    """The repository's packages and layers, empty, under the repository's own contracts."""
    shutil.copy(repository / "pyproject.toml", tmp_path)
    folders = [
        "isamap_smt",
        *(f"isamap_smt/{layer}" for layer in LAYERS),
        "encodings/isamap_encodings",
        "hardware/isamap_hardware",
        "kernels/isamap_kernels",
    ]
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    return tmp_path


def test_the_repository_keeps_its_contracts(repository: Path) -> None:
    verdict = lint_imports(repository)
    assert verdict.returncode == 0, verdict.stdout


def test_a_package_without_a_layer_is_told(skeleton: Path) -> None:
    (skeleton / "isamap_smt" / "beside.py").touch()
    verdict = lint_imports(skeleton)
    assert verdict.returncode != 0 and "beside" in verdict.stdout


def test_the_imports_that_are_meant_are_allowed(skeleton: Path) -> None:
    (skeleton / "isamap_smt/__init__.py").write_text("import isamap_smt.search\n")
    (skeleton / "isamap_smt/search/__init__.py").write_text("import isamap_smt.ir\nimport isamap_encodings\n")
    (skeleton / "encodings/isamap_encodings/__init__.py").write_text("import z3\nimport ortools.sat\n")
    (skeleton / "hardware/isamap_hardware/__init__.py").write_text("import isamap_smt as im\n")
    (skeleton / "kernels/isamap_kernels/__init__.py").write_text("import isamap_smt as im\n")
    verdict = lint_imports(skeleton)
    assert verdict.returncode == 0, verdict.stdout


@pytest.mark.parametrize(
    ("file", "source", "contract"),
    [
        *(
            (
                f"isamap_smt/{lower}/__init__.py",
                f"import isamap_smt.{upper}\n",
                "imports only what is below it",
            )
            for upper, lower in itertools.pairwise(LAYERS)
        ),
        ("isamap_smt/search/__init__.py", "import z3\n", WALL),
        ("isamap_smt/scheduling/__init__.py", "import ortools.sat\n", WALL),
        ("kernels/isamap_kernels/__init__.py", "import cvc5\n", WALL),
        ("isamap_smt/certificates/__init__.py", "import isamap_smt.search\n", APART),
        ("isamap_smt/certificates/__init__.py", "import isamap_smt.scheduling\n", APART),
        (
            "encodings/isamap_encodings/__init__.py",
            "import isamap_smt.ir\n",
            "isamap_encodings knows nothing",
        ),
        (
            "encodings/isamap_encodings/__init__.py",
            "import isamap_kernels\n",
            "isamap_encodings knows nothing",
        ),
        ("hardware/isamap_hardware/__init__.py", "import isamap_smt.ir\n", PUBLIC),
        ("kernels/isamap_kernels/__init__.py", "import isamap_encodings\n", PUBLIC),
    ],
)
def test_import_linter_refuses(skeleton: Path, file: str, source: str, contract: str) -> None:
    (skeleton / file).write_text(source)
    verdict = lint_imports(skeleton)
    assert verdict.returncode == 1, verdict.stdout + verdict.stderr
    (broken,) = (line for line in verdict.stdout.splitlines() if line.endswith(" BROKEN"))
    assert contract in broken
