"""Several C files as one text a compiler takes without other files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_OWN = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)


def joined(files: Iterable[Path | str], headers: dict[str, Path]) -> str:
    """These files or texts one after the other, with each header written in at its first inclusion."""
    seen: set[str] = set()

    def header(found: re.Match[str]) -> str:
        name = found[1]
        if name not in headers:
            return found[0]
        text = "" if name in seen else headers[name].read_text()
        seen.add(name)
        return text

    return "\n".join(_OWN.sub(header, f if isinstance(f, str) else f.read_text()) for f in files)
