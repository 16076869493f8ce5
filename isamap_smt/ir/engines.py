"""The graph of a machine whose description has engines: what programs of uses are written on."""

from __future__ import annotations

from functools import lru_cache

from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.graph import ADDRESSED, Machine, MachineInstruction, Memory, Operand, Work
from isamap_smt.ir.graph import MAIN as MAIN_MEMORY
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.move_form import MAIN


@lru_cache(maxsize=64)
def machine_of(hardware: Hardware) -> Machine:
    """Memories in rows of numbers, engines, and an instruction that only signals for each engine (`signal ENGINE`).

    Raises HardwareError for a machine without engines, and for preconditions, which no use can promise here.
    """
    if not hardware.engines:
        raise HardwareError(f"{hardware.name} has no engines; programs of uses are made for machines that have some")
    widths = {m: i.kernel.tensor(o).dtype.bytes for i in hardware.instructions for o, m in i.places if m != MAIN}
    memories = tuple(
        Memory(m.name, ADDRESSED, m.rows, m.row // widths[m.name]) for m in hardware.memories if m.name in widths
    )
    made = tuple(graph_instruction(i) for i in hardware.instructions)
    signals = tuple(MachineInstruction(f"signal {e.name}", e.name, work=Work(0, 0)) for e in hardware.engines)
    return Machine(hardware.name, (*memories, Memory(MAIN_MEMORY, MAIN_MEMORY)), hardware.engines, (*made, *signals))


def graph_instruction(i: Instruction) -> MachineInstruction:
    """One instruction over cells. Raises HardwareError for a precondition."""
    if i.preconditions:
        raise HardwareError(
            f"{i.where}: precondition {i.preconditions[0]!r}: uses of a machine with engines promise nothing but where cells lie"
        )
    cells = {o: (row, column) for o, row, column in i.cells}
    operands = tuple(
        Operand(o, MAIN_MEMORY, steps=dict(i.steps).get(o, ())) if memory == MAIN else Operand(o, memory, *cells[o])
        for o, memory in i.places
    )
    return MachineInstruction(
        i.name, i.engine, i.kernel, operands, i.active, i.beyond, work_of(i), 0 if i.active else 1
    )  # fmt: skip


def work_of(i: Instruction) -> Work:
    """What a use occupies its engine for; one use at a time of `per_cycle` where the description says no more."""
    return i.work if i.work is not None else Work(1 / i.cost.per_cycle, 0)
