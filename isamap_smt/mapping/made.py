"""Instructions made for one statement: a point of it in portable C, and its value in a machine's lanes."""

from __future__ import annotations

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.point import point_instruction
from isamap_smt.mapping.selection import SELECTED, selected_instruction

POINT = "scalar.point"


def is_made(name: str) -> bool:
    """Whether an instruction of this name is made for a statement, and stands in no description."""
    return name == POINT or name.rpartition(".")[2] == SELECTED


def instruction_named(machine: Hardware, name: str, kernel: Kernel, statement: int = 0) -> Instruction:
    """The instruction of this name, made for the statement if need be. Raises UnknownNameError and ScheduleError."""
    if name == POINT:
        return point_instruction(kernel, statement)
    if name not in (SELECTED, f"{machine.name}.{SELECTED}") or any(i.short == SELECTED for i in machine.instructions):
        return machine.instruction(name)
    found = selected_instruction(machine, kernel, statement)
    if found is None:
        raise ScheduleError(
            f"statement {statement + 1} of {kernel.name} is not computed by instructions of {machine.name}, lane by lane"
        )
    return found
