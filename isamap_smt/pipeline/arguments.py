"""The kernels, machines and names given to plan(), by value or by name."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.errors import UnknownNameError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.mapping.rule_verdicts import require


def found_hardware(hardware: Any) -> Hardware:
    """The machine, or the one of that name (as find_hardware). Raises UnknownNameError for anything else.

    Raises RuleError if a rule of the machine does not hold under its own conditions, and LanguageError if it is no rule.
    """
    if isinstance(hardware, (Hardware, str)):
        found = find_hardware(hardware)
        for rule in found.rules:
            require(rule)
        return found
    raise UnknownNameError(f"{type(hardware).__name__} is no hardware: pass isamap_smt.find_hardware('host') or a name")


def found_name(instruction: Any) -> str | None:
    """The name of an instruction, or None. Raises UnknownNameError for anything else."""
    if instruction is None or isinstance(instruction, str):
        return instruction
    raise UnknownNameError(f"instruction={instruction!r}: pass the name of one that the hardware has")
