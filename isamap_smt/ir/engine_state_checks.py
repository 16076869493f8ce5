"""What a machine with engines may say of its states: each is one engine's, and a command writes all cells of a set at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isamap_smt.ir.errors import HardwareError, did_you_mean
from isamap_smt.ir.states import writes_state

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware, Memory
    from isamap_smt.ir.instruction import Instruction

BYTES = 8  # of a cell


def check_engine_states(h: Hardware) -> None:
    """Nothing happens where each state that is needed can be written, by the engine that needs it. Raises HardwareError."""
    states = {m.name: m for m in h.memories if m.is_state}
    for i in h.instructions:
        where = f"hardware {h.name}: {i.where}"
        if i.grants is not None or i.numbers_needed or i.registers:
            raise HardwareError(
                f"{where}: numbers of registers and numbers that are granted are those of cores; leave them out"
            )
        for operand, place in i.places:
            if place in states and i.kind != "configure":
                raise HardwareError(
                    f"{where}: {operand} lies in the state {place}; what writes it has the place '{place}[x]', and what an "
                    "instruction reads of it is said by needs"
                )
        if written := writes_state(i):
            _check_written(where, i, written, states.get(written))
        for need in i.cells_needed:
            if need.memory not in states:
                hint = did_you_mean(need.memory, list(states))
                raise HardwareError(
                    f"{where} needs {need.text!r}, and {need.memory} is no memory of kind='state'; {hint}"
                )
            cells = _cells(states[need.memory])
            if need.at(0) >= cells:
                raise HardwareError(f"{where} needs {need.text!r}, and {need.memory} has {cells} cells")
    for memory in states.values():
        _check_one_engine(h, memory)


def _cells(memory: Memory) -> int:
    """Of one set."""
    return int(memory.capacity) // memory.count // BYTES


def _check_written(where: str, i: Instruction, name: str, memory: Memory | None) -> None:
    if memory is None:
        raise HardwareError(f"{where} writes {name}, which is no memory of kind='state'")
    cells = int(i.kernel.axes[0].extent)
    if BYTES * cells * memory.count != memory.capacity:
        sets = f"{memory.count} sets of " if memory.count > 1 else ""
        raise HardwareError(
            f"{where} writes {cells} cells of {BYTES} bytes of {name}, which has {memory.capacity} bytes for {sets}its cells"
        )


def _check_one_engine(h: Hardware, memory: Memory) -> None:
    """One instruction writes it, and that and all that need it are one engine's; each names its set in its C."""
    name = memory.name
    needing = [i for i in h.instructions if any(n.memory == name for n in i.cells_needed)]
    writing = [i for i in h.instructions if writes_state(i) == name]
    if len(writing) > 1:
        both = " and ".join(i.name for i in writing[:2])
        raise HardwareError(f"hardware {h.name}: {both} write {name}; one instruction writes all cells of a set")
    if needing and not writing:
        raise HardwareError(
            f"hardware {h.name}: {needing[0].name} needs {name}, and no instruction writes it; add one with the contract "
            f"'cfg[x] = new[x]' and the place '{name}[x]'"
        )
    for i in needing:
        if i.engine != writing[0].engine:
            raise HardwareError(
                f"hardware {h.name}: {i.where} needs {name} on {i.engine}, and {writing[0].name} writes it on {writing[0].engine}; "
                "engines do not wait for each other there: a state is written by the engine that needs it"
            )
    for i in (*needing, *writing):
        if memory.count > 1 and i.emit and f"{{{name}}}" not in i.emit:
            raise HardwareError(
                f"hardware {h.name}: {i.where} takes one of {memory.count} sets of {name}, and its emit does not say which; "
                f"{{{name}}} is the number there"
            )


__all__ = ["check_engine_states"]
