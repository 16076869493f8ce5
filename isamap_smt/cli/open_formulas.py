"""Formulas that no solver has decided, written where the user finds them, and the message about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from isamap_smt.certificates.directory import write_whole

option = click.option(
    "--undecided", default="undecided", metavar="DIR",
    help="Where formulas are written that no solver has decided; only if there are any.")  # fmt: skip


def save(formulas: Mapping[str, str], directory: str) -> list[str]:
    """Write each file below the directory, whole or not at all; returns their paths. Raises OutputError."""
    paths = [Path(directory) / name for name in formulas]
    for path, text in zip(paths, formulas.values(), strict=True):
        write_whole(path, text)
    return [str(p) for p in paths]


def told(paths: list[str]) -> list[str]:
    """The message about them, in lines; empty if there are none."""
    if not paths:
        return []
    example = paths[0] if len(paths) == 1 else "FILE"
    return [
        *(f"the formula is saved: {path}" for path in paths),
        f"another solver, or Z3 with more time, may decide it: cvc5 {example}, z3 -T:600 {example}",
    ]
