"""What the commands of the README write into a working copy is left out of commits, and `make clean` removes it."""

from __future__ import annotations

import re
from pathlib import Path

from isamap_smt.cli.demo import command


def test_what_the_demo_writes_is_ignored_and_cleaned(repository: Path) -> None:
    (place,) = (str(p.default) for p in command.params if p.name == "output")
    assert f"/{place}/" in (repository / ".gitignore").read_text().splitlines()
    clean = re.search(r"^clean:\n((?:\t.*\n)+)", (repository / "Makefile").read_text(), re.MULTILINE)
    assert clean is not None
    assert place in clean[1].split()
