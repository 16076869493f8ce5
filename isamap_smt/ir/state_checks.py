"""What a machine may say of its states: every need is of a cell that exists, and instructions write and clear each state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isamap_smt.ir.engine_state_checks import check_engine_states
from isamap_smt.ir.errors import HardwareError, did_you_mean
from isamap_smt.ir.states import writes_state

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.ir.instruction import Instruction


def check_states(h: Hardware) -> None:
    """Nothing happens where each state that is needed can be written and given back. Raises HardwareError."""
    sizes = {m.name: m.capacity or 0 for m in h.memories if m.is_state}
    if h.engines:
        return check_engine_states(h)
    if several := next((m for m in h.memories if m.is_state and m.count > 1), None):
        raise HardwareError(
            f"hardware {h.name}: memory {several.name}: the cells of a core's state are one set; leave count out"
        )
    for i in h.instructions:
        _check_needs(h.name, i, sizes)
        for operand, place in i.places:
            if place in sizes and i.kind != "configure":
                raise HardwareError(
                    f"hardware {h.name}: {i.where}: {operand} lies in the state {place}; what writes it has the place "
                    f"'{place}[x]', and what an instruction reads of it is said by needs"
                )
        _check_written(h.name, i, sizes)
    _check_granted(h)
    return _check_both(h)


def _check_both(h: Hardware) -> None:
    """Each state that is needed is written by one instruction and cleared by another."""
    for memory in {n.memory for i in h.instructions for n in i.cells_needed}:
        both = {bool(i.kernel.inputs) for i in h.instructions if writes_state(i) == memory}
        for constants, example in ((True, "cfg[x] = new[x]"), (False, "cfg[x] = 0")):
            if constants not in both:
                who = next(i.name for i in h.instructions if any(n.memory == memory for n in i.cells_needed))
                missing = "writes" if constants else "clears"
                raise HardwareError(
                    f"hardware {h.name}: {who} needs {memory}, and no instruction {missing} it; add one with the contract "
                    f"{example!r} and the place '{memory}[x]'"
                )


def _check_granted(h: Hardware) -> None:
    """Each number that is needed can be asked for, up to as many points as the instruction has; and no cell is both."""
    bytes_ = {n.memory for i in h.instructions for n in i.cells_needed}
    for i in h.instructions:
        if i.grants is not None and writes_state(i) in bytes_:
            raise HardwareError(
                f"hardware {h.name}: {i.where} grants a number in {writes_state(i)}, of which others need cells; take two states"
            )
        for held in i.numbers_needed:
            points = i.extents[held.axis]
            if h.asking(held.memory, points) is None:
                raise HardwareError(
                    f"hardware {h.name}: {i.where} needs {held.text!r}, and no instruction grants {points} in {held.memory}; "
                    f"add one with grants={points}, the contract 'vl[x] = asked[x]' and the place '{held.memory}[x]'"
                )


def _check_needs(name: str, i: Instruction, sizes: dict[str, int]) -> None:
    for need in i.cells_needed:
        where = f"hardware {name}: {i.where} needs {need.text!r}"
        if need.memory not in sizes:
            raise HardwareError(
                f"{where}, and {need.memory} is no memory of kind='state'; {did_you_mean(need.memory, list(sizes))}"
            )
        for n in range(i.registers[need.operand] if need.operand else 1):
            if not 0 <= need.at(n) < sizes[need.memory]:
                raise HardwareError(
                    f"{where}, cell {need.at(n)} for register {n}; {need.memory} has {sizes[need.memory]} cells"
                )


def _check_written(name: str, i: Instruction, sizes: dict[str, int]) -> None:
    memory = writes_state(i)
    if not memory:
        return
    if memory not in sizes:
        raise HardwareError(f"hardware {name}: {i.where} writes {memory}, which is no memory of kind='state'")
    cells = int(i.kernel.axes[0].extent) if i.grants is None else 8  # one number, of 8 bytes
    if cells != sizes[memory]:
        raise HardwareError(f"hardware {name}: {i.where} writes {cells} cells of {memory}, which has {sizes[memory]}")
