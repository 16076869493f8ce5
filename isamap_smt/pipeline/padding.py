"""The treatment of points excluded by a kernel's guard, in words: left out by tests, or a copy with zeros."""

from __future__ import annotations

from math import prod

from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.program import Buffer, Program
from isamap_smt.ir.schedule import LEFT_OUT, ZEROS
from isamap_smt.ir.traversal import buffers


def padding(program: Program) -> tuple[str, ...]:
    """A note for each operand cut off by the guard: copied with zeros, or with tests at its border."""
    copies = {b.type.tensor: b for b in buffers(program).values() if _is_window(b)}
    notes: dict[str, None] = {}
    for schedule in program.schedules:
        for stage in schedule.stages:
            tensor = schedule.tensor(stage)
            if stage.padding == ZEROS:
                notes[f"{tensor} is copied at each call with the zeros around it{_size(copies[tensor])}"] = None
            elif stage.padding == LEFT_OUT:
                words = "are left out, by tests where a register tile reaches over its border"
                notes[f"points outside of {tensor} {words}"] = None
    return tuple(notes)


def _is_window(b: Buffer) -> bool:
    """Whether the buffer holds a tensor as it lies, with zeros around it."""
    return not b.lanes and len(b.cells) == len(b.type.coordinates) and b.type.outside == "0"


def _size(b: Buffer) -> str:
    return f" ({prod(map(int, b.shape)) * b.dtype.bytes:,} bytes)" if all(map(is_constant, b.shape)) else ""
