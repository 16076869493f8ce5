"""A top-level folder is a shelf: it holds one prefixed package and is not itself a package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHELVES = {"encodings": "isamap_encodings", "hardware": "isamap_hardware", "kernels": "isamap_kernels"}
PACKAGES = ["isamap_smt", *(f"{shelf}/{package}" for shelf, package in SHELVES.items())]


@pytest.mark.parametrize(("shelf", "package"), SHELVES.items())
def test_shelf_holds_one_package_and_is_none(repository: Path, shelf: str, package: str) -> None:
    kept = {path.name for path in (repository / shelf).iterdir() if path.name != "__pycache__"}
    assert kept == {package}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_of_modules_is_a_package(repository: Path, package: str) -> None:
    folders = {path.parent for path in (repository / package).rglob("*.py")}
    assert folders, f"{package} holds no modules"
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_marked_as_typed(repository: Path, package: str) -> None:
    assert (repository / package / "py.typed").is_file()


def start_python(path: list[Path]) -> subprocess.CompletedProcess[str]:
    """What happened when Python started with these folders on its path."""
    return subprocess.run(
        [sys.executable, "-c", "import encodings.utf_8; print(encodings.__file__)"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_python_starts_with_the_repository_on_its_path(repository: Path) -> None:
    started = start_python([repository, *(repository / shelf for shelf in SHELVES)])
    assert started.returncode == 0, started.stderr
    assert not Path(started.stdout.strip()).is_relative_to(repository / "encodings")


def test_python_does_not_start_where_the_shelf_is_a_package(tmp_path: Path) -> None:
    """The reason for the rule, kept true: the day this fails, the rule may go."""
    (tmp_path / "encodings").mkdir()
    (tmp_path / "encodings" / "__init__.py").touch()
    started = start_python([tmp_path])
    assert started.returncode != 0
    assert "encoding" in started.stderr
