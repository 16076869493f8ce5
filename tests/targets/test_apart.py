"""NEON is a description and nothing else: no other file of the library knows that it exists."""

from __future__ import annotations

import re
from pathlib import Path

# Tables of what features of CPUs are called, by archspec, LLVM and GCC.
OTHERS = (
    "isamap_smt/isa/",
    "isamap_smt/cli/check_isa.py",
)  # they read the tables of other people, Neon's among them
TABLES = {"isamap_smt/ir/features.py", "isamap_smt/runtime/feature_flags.py"}
PACKAGES = ("isamap_smt", "encodings/isamap_encodings", "kernels/isamap_kernels", "hardware/isamap_hardware")


def test_no_file_of_the_library_names_it(repository: Path) -> None:
    files = [f for p in PACKAGES for f in (repository / p).rglob("*") if f.suffix in (".py", ".c", ".html", ".j2")]
    naming = {str(f.relative_to(repository)) for f in files if re.search(r"\bneon\b", f.read_text(), re.IGNORECASE)}
    naming = {name for name in naming if not name.startswith(OTHERS)}
    own = {
        "hardware/isamap_hardware/__init__.py",
        "hardware/isamap_hardware/neon.py",
        "hardware/isamap_hardware/neon_indexed.py",
        "hardware/isamap_hardware/neon_tiles.py",
    }
    assert naming - TABLES == own
    assert naming >= TABLES
