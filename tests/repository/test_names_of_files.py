"""`python examples/online.py` searches its own folder first: a file there hides the module of Python with the same name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("folder", ["examples", "benchmarks", "docs"])
def test_no_file_hides_a_module_of_python(repository: Path, folder: str) -> None:
    files = {f.stem for f in (repository / folder).glob("*.py")}
    assert files and not files & set(sys.stdlib_module_names)
