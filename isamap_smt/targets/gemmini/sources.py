"""The C of this package, as one text that a compiler takes without other files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

GUEST = Path(__file__).with_name("guest")
HEADER = "gemmini_isa.h"
_MODEL = Path(__file__).with_name("model")
_OWN = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)


def model_source() -> str:
    """The model."""
    return joined(sorted(_MODEL.glob("*.c")), {"gemmini_model.h": _MODEL / "gemmini_model.h"})


def here_source(program: str) -> str:
    """The model, a program (C that includes gemmini_isa.h and defines gemmini_program) and what lets it run in this process."""
    headers = {"gemmini_model.h": _MODEL / "gemmini_model.h", HEADER: GUEST / HEADER}
    return joined([*sorted(_MODEL.glob("*.c")), GUEST / "host.c", program], headers)


def joined(files: Iterable[Path | str], headers: dict[str, Path]) -> str:
    """These files or texts one after the other, with each header written in where it is first included."""
    seen: set[str] = set()

    def header(found: re.Match[str]) -> str:
        name = found[1]
        if name not in headers:
            return found[0]
        text = "" if name in seen else headers[name].read_text()
        seen.add(name)
        return text

    return "\n".join(_OWN.sub(header, f if isinstance(f, str) else f.read_text()) for f in files)
