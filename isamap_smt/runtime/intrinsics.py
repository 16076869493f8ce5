"""The header of the vector instructions is compiled once for each compiler and its flags: reading it takes longer than a kernel.

A kernel for AVX2 takes 0.33 s of zig, 0.12 s of them its own. A header that cannot be used changes nothing but the time.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from isamap_smt.runtime.compiler import Compiler

INCLUDE = "#include <immintrin.h>\n"


def includes_it(source: str) -> bool:
    """Whether the source has INCLUDE, and no macro before it that headers could read."""
    before, found, _ = source.partition(INCLUDE)
    return bool(found) and "#define" not in before


def precompiled(compiler: Compiler, flags: Sequence[str], cache: Path, key: str, scratch: str) -> list[str]:
    """Arguments with which a source that includes_it() need not read the header; none where there is no compiled one.

    It is made at the second build with these flags: who builds once does not wait for it. key: of the compiler and its flags.
    scratch: how names of unfinished directories in the cache begin.
    """
    header = cache / f"intrinsics-{key}.h"
    made = header.with_suffix(".h.gch" if compiler.family == "gcc" else ".h.pch")
    try:
        if not made.exists():
            if not header.exists():
                header.write_text(INCLUDE)
                return []
            _make(compiler, flags, header, made, scratch)
    except OSError:
        return []  # the build itself says what is the matter with the cache or the compiler
    return ["-include", str(header)] if compiler.family == "gcc" else ["-include-pch", str(made)]


def forget(cache: Path, key: str) -> None:
    """Remove a header that may be damaged; it is made again."""
    for left in cache.glob(f"intrinsics-{key}.*"):
        left.unlink(missing_ok=True)


def _make(compiler: Compiler, flags: Sequence[str], header: Path, made: Path, scratch: str) -> None:
    """Compile it beside its place, and rename. Raises OSError where that does not work."""
    with tempfile.TemporaryDirectory(prefix=scratch, dir=header.parent) as directory:
        new = Path(directory) / made.name
        chosen = [f for f in flags if f != "-shared"]
        command = [*compiler.command, *chosen, "-x", "c-header", str(header), "-o", str(new)]
        subprocess.run(command, capture_output=True, check=False, cwd=directory)
        os.replace(new, made)
