"""Element types of a product's operands."""

from __future__ import annotations

from collections.abc import Mapping

from isamap_smt.architectures.form import OPERANDS, listed, refused
from isamap_smt.ir.dtypes import dtype


def typed(known: Mapping[str, str], given: Mapping[str, str] | None, file: str) -> dict[str, str]:
    """The types given, else those of the file. Raises ArchitectureError, DTypeError."""
    for o in given or {}:
        if o not in OPERANDS:
            raise refused(file, "", f"dtypes of {o}: the operands are {listed(OPERANDS)}")
    found = {o: dtype((given or {}).get(o, known[o])) for o in OPERANDS}
    kinds = {d.is_float for d in found.values()}
    if len(kinds) > 1:
        raise refused(
            file,
            "",
            f"{listed([f'{o} {d}' for o, d in found.items()])}: whole numbers, or floating point, for all three",
        )
    return {o: d.name for o, d in found.items()}
