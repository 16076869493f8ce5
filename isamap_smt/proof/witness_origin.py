"""Where a statement of a kernel stands: the file it was loaded from, and the line."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.ir.kernel import Kernel, Statement


def origin(kernel: Kernel, statement: Statement) -> str:
    """`ops.py:12: S[i,j] += ...`; without the line where the file does not hold the statement as written; '' if no file.

    A kernel's file is `path:name` or a path, as find_kernel() takes it.
    """
    if not kernel.file:
        return ""
    path, _, name = kernel.file.rpartition(":")
    if not path or not name.isidentifier():
        path, name = kernel.file, ""
    source = (statement.source.strip() or kernel.text.strip()).splitlines()
    written = source[0].strip() if source else ""
    line = _line(Path(path), written, name)
    return f"{path}:{line}: {written}" if line else f"{path}: {written}"


def _line(path: Path, written: str, name: str) -> int:
    """The line (from 1) that holds the statement, the first after `name` is assigned; else where `name` is; else 0."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    start = next((n for n, text in enumerate(lines) if name and text.replace(" ", "").startswith(f"{name}=")), -1)
    wanted = "".join(written.split())
    # logical lines are joined from several: what stands on the first one is enough to find it
    for n in range(max(start, 0), len(lines)):
        have = "".join(lines[n].split())
        if wanted and (wanted in have or (len(have) > 8 and wanted.startswith(have))):
            return n + 1
    return start + 1


__all__ = ["origin"]
