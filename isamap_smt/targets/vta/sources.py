"""The C that lets programs list their instructions, as one text that a compiler takes without other files."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.targets.joined import joined

GUEST = Path(__file__).with_name("guest")
HEADER = "vta_stream.h"


def here_source(program: str) -> str:
    """A program (C that includes vta_stream.h and defines vta_program) and what lets it run in this process."""
    return joined([program, GUEST / "host.c"], {HEADER: GUEST / HEADER})
