"""The C for programs to list their instructions, as one text a compiler takes without other files."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.targets.joined import joined

GUEST = Path(__file__).with_name("guest")
HEADER = "vta_stream.h"


def here_source(program: str) -> str:
    """A program (C including vta_stream.h and defining vta_program), and the C to run it in this process."""
    return joined([program, GUEST / "host.c"], {HEADER: GUEST / HEADER})
