"""Time of uses at memories shared by engines, in the form of `work`: a lower bound for any active points.

The solver knows moves by `start` and `each` for every point of some axes. Elements read are as many as active points;
cleared elements are always all. Accesses to rows, many banks at a time, are at least the rows by the banks.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

from isamap_smt.ir.engines import ZERO, Work
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.layouts import is_box, rows_of
from isamap_smt.ir.scalar import reads
from isamap_smt.simulator.service import limited, of_whole_tiles, rate, touches

Served = tuple[str, Work]  # memory, cycles


def shared(machine: Hardware) -> tuple[Memory, ...]:
    """The memories at which uses of several engines wait."""
    found = limited(machine)
    return tuple(m for m in found if len({i.engine for i in machine.instructions if touches(i, (m,))}) > 1)


def served(i: Instruction, memories: Sequence[Memory]) -> tuple[Served, ...]:
    """(memory, its least work for a use of the instruction), in one part or several."""
    whole = dict(of_whole_tiles(i, tuple(memories)))
    return tuple((m.name, work) for m in memories if m.name in whole for work in _parts(i, m))


def longest(i: Instruction, memories: Sequence[Memory]) -> Work:
    """The least work of a use that is served alone: its own, or that of one memory, if this is longer."""
    found = [i.occupies, *(w for m in memories if len(works := _parts(i, m)) == 1 for w in works)]
    return max(found, key=lambda w: w.cycles(prod(i.axes[a] for a in w.per)))


def _parts(i: Instruction, m: Memory) -> tuple[Work, ...]:
    """By bytes or by accesses, whichever are more of a whole tile."""
    operands = [o for _, own in touches(i, (m,)) for o in own]
    moving = [w for o in operands for w in _moved(i, o, m)] if m.bandwidth is not None else []
    accessing = [w for o in operands for w in _accessed(i, o, m)] if m.banks else []
    return tuple(
        max((moving, accessing), key=lambda works: sum(w.cycles(prod(i.axes[a] for a in w.per)) for w in works))
    )


def _moved(i: Instruction, operand: str, m: Memory) -> list[Work]:
    index = i.indices[operand]
    if i.kernel.statements[0].guard or not all(e.is_Symbol for e in index) or len(set(index)) < len(index):
        return []  # elements that are no product of points
    element = Fraction(i.kernel.tensor(operand).dtype.bytes) / rate(m)
    return _counted(i, operand, element, tuple(map(str, index)))


def _accessed(i: Instruction, operand: str, m: Memory) -> list[Work]:
    row, rows = str(i.operand(operand).row), rows_of(i, i.operand(operand))
    each = Fraction(1, m.banks * m.ports) if rows >= m.banks else Fraction(1, rows * m.ports)
    if not is_box(i.operand(operand)):
        return _counted(i, operand, rows * each, ())
    return _counted(i, operand, each, (row,) if row in i.axes else ())


def _counted(i: Instruction, operand: str, each: Fraction, axes: tuple[str, ...]) -> list[Work]:
    """Reading, and writing, each active point of some axes."""
    statement = i.kernel.statements[0]
    writes = statement.target.tensor == operand
    read = any(r.tensor == operand for r in reads(statement.value)) or (writes and statement.op != "=")
    clears = writes and statement.op == "=" and i.beyond == ZERO
    counted = tuple(dict(i.active))
    others = prod(i.axes[a] for a in counted if a not in axes)  # nothing is touched where an axis has no active point
    start: Any = each * prod(i.axes[a] for a in axes) if clears else 0
    point: Any = (read + (writes and not clears)) * each * prod(i.axes[a] for a in axes if a not in counted) / others
    found = [Work(start, 0)] if start else []
    return [*found, Work(0, point, counted)] if point else found


__all__ = ["longest", "served", "shared"]
