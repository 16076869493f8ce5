"""What a program does about the points that a kernel's guard excludes, in words: left out by tests, or a copy with zeros."""

from __future__ import annotations

from math import prod

from isamap_smt.ir.boxes import decided_at
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.program import Buffer, Program, buffers
from isamap_smt.ir.schedule import Schedule


def padding(program: Program) -> tuple[str, ...]:
    """A note for each operand that is read in place and that the guard cuts off."""
    copies = {b.type.tensor: b for b in buffers(program).values() if _is_window(b)}
    notes = []
    for schedule in program.schedules:
        for tensor in _cut_off(program, schedule):
            if tensor in copies:
                notes.append(f"{tensor} is copied at each call with the zeros around it{_size(copies[tensor])}")
            else:
                notes.append(
                    f"points outside of {tensor} are left out, by tests where a register tile reaches over its border"
                )
    return tuple(dict.fromkeys(notes))


def _cut_off(program: Program, schedule: Schedule) -> list[str]:
    """Tensors of operands in place whose elements decide a guard that can fail."""
    statement = program.kernel.statements[schedule.proved.mapping.statement_index]
    found = [schedule.proved.mapping.operand_access(p.operand) for p in schedule.stages if p.depth is None]
    return [a.tensor for a in found if decided_at(statement, a.index)]


def _is_window(b: Buffer) -> bool:
    """Whether it holds a tensor as it lies, with constants around it."""
    t = b.type
    return b.memory == "heap" and len(b.cells) == len(t.coordinates) and bool(t.guard) and t.outside == "0"


def _size(b: Buffer) -> str:
    return f" ({prod(map(int, b.shape)) * b.dtype.bytes:,} bytes)" if all(map(is_constant, b.shape)) else ""
