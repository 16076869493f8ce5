"""The wheel holds the four packages, typed and licensed, and nothing else; it imports from where it lies."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from isamap_smt.bench.operators import OPERATORS

PACKAGES = {"isamap_smt", "isamap_encodings", "isamap_hardware", "isamap_kernels"}


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built by the installed hatchling: no network, no isolated environment."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=repository,
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def files(wheel: Path) -> list[str]:
    """Paths inside the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_top_level_is_the_four_packages_and_the_metadata(files: list[str]) -> None:
    top = {name.split("/")[0] for name in files}
    metadata = {name for name in top if name.endswith(".dist-info")}
    assert top - metadata == PACKAGES
    assert len(metadata) == 1


def test_every_module_of_the_checkout_is_in_it(repository: Path, files: list[str]) -> None:
    shelves = [repository, repository / "encodings", repository / "hardware", repository / "kernels"]
    modules = {
        path.relative_to(shelf).as_posix()
        for shelf in shelves
        for package in PACKAGES
        for path in (shelf / package).rglob("*.py")
    }
    kernels = {k.partition(".py:")[0] for k in (o.kernel for o in OPERATORS.values())}
    examples = {"isamap_hardware/examples/outer_product.py", *(f"isamap_kernels/examples/{n}.py" for n in kernels)}
    assert modules | examples == {name for name in files if name.endswith(".py")}
    assert {f"isamap_smt/runtime/{n}.c" for n in ("idle_memory", "known_calls")} <= set(files)
    assert "isamap_kernels/models/resnet8.onnx" in files


def test_the_demonstration_finds_its_machine_in_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "from pathlib import Path; from isamap_smt.cli.demo import do_engines; "
        "do_engines({'i': 9, 'j': 9, 'k': 9}, Path('pages'), False)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert f"described in {tmp_path / 'isamap_hardware' / 'examples' / 'outer_product.py'}, " in done.stdout


def test_benchmarks_find_the_examples_in_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "from isamap_smt.language.example_kernels import examples; from isamap_smt.bench.suites import SUITES;"
        "print(examples(), *(len(SUITES[n].cases()) for n in ('reductions', 'attention')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == [str(tmp_path / "isamap_kernels" / "examples"), "23", "4"]


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_each_package_is_marked_as_typed(files: list[str], package: str) -> None:
    assert f"{package}/py.typed" in files


def test_it_carries_no_tests_and_no_leftovers(files: list[str]) -> None:
    parts = {part for name in files for part in name.split("/")}
    assert parts.isdisjoint({"tests", "test", "benchmarks", "proofs", "docs", "__pycache__", ".venv"})
    assert [name for name in files if Path(name).name.startswith(("test_", "conftest"))] == []


def test_the_licence_is_in_it(repository: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (licence,) = (name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        assert archive.read(licence) == (repository / "LICENSE").read_bytes()
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert Parser().parsestr(archive.read(metadata).decode())["License-Expression"] == "Apache-2.0"


def test_it_installs_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = (name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        assert "isamap = isamap_smt.cli:main" in archive.read(entry).decode().splitlines()


def test_the_packages_import_from_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    names = sorted(PACKAGES)
    found = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(names)}\nfor m in {', '.join(names)}: print(m.__file__)"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert found.stdout.split() == [str(tmp_path / name / "__init__.py") for name in names]
