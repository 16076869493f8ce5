"""The C of this package, as one text a compiler takes without other files."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.targets.joined import joined

GUEST = Path(__file__).with_name("guest")
HEADER = "gemmini_isa.h"
_MODEL = Path(__file__).with_name("model")


def model_source() -> str:
    """The model."""
    return joined(sorted(_MODEL.glob("*.c")), {"gemmini_model.h": _MODEL / "gemmini_model.h"})


def here_source(program: str) -> str:
    """The model, a program (C including gemmini_isa.h and defining gemmini_program), and the C to run it here."""
    headers = {"gemmini_model.h": _MODEL / "gemmini_model.h", HEADER: GUEST / HEADER}
    return joined([*sorted(_MODEL.glob("*.c")), GUEST / "host.c", program], headers)
