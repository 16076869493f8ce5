"""How a thread writes its states before instructions need them, and clears them again."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import SetState
from isamap_smt.ir.states import Need, c_bytes, image_of

Uses = tuple[SetState, ...]


def configuring(hardware: Hardware, needs: Iterable[tuple[Need, int]]) -> tuple[Uses, Uses]:
    """(writes of each needed state, with cells that meet all needs; writes that clear them, in reverse order).

    Raises ScheduleError if a cell would need two values.
    """
    enter: list[SetState] = []
    leave: list[SetState] = []
    asked = list(needs)
    for memory in dict.fromkeys(need.memory for need, _ in asked):
        write, clear = hardware.configuring(memory)
        cells = int(write.kernel.axes[0].extent)
        image, wrong = image_of([x for x in asked if x[0].memory == memory], cells)
        if wrong:
            raise ScheduleError(f"{hardware.name}: instructions of one thread need different things: {wrong}")
        enter.append(SetState(write, image))
        leave.insert(0, SetState(clear, (0,) * cells))
    return tuple(enter), tuple(leave)


def c_use(use: SetState, failed: str) -> str:
    """Its C, as one statement; failed: the statements to take if the system refuses it."""
    constants = {name: c_bytes(use.cells) for name in use.instruction.kernel.inputs}
    code = use.instruction.statement(constants)
    if not use.instruction.may_fail:
        return code
    return f"if ({code}) {failed}"
