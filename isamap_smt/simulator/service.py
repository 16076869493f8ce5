"""How long memories with a bandwidth or banks serve a use: by the bytes and rows it moves there.

    bytes that it reads and writes / bandwidth            accesses to rows, banks at a time / ports

The time is the longer of the two, if a memory has both. A memory serves one use after the other, in the order in which
they begin; of uses begun in one cycle, first the one whose engine the machine lists first. A use is complete when its
own work is done and every memory has served it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import GIVE, TAKE, Instruction
from isamap_smt.ir.layouts import is_box, rows_of
from isamap_smt.ir.move_form import MAIN
from isamap_smt.simulator.traffic import Span, elements

FINE = 10_000  # parts of a cycle that are counted without rounding
Service = tuple[tuple[str, Fraction], ...]  # memory, cycles


def limited(machine: Hardware | None) -> tuple[Memory, ...]:
    """The memories that serve one use after the other."""
    return tuple(m for m in machine.memories if m.is_limited) if machine else ()


def touches(i: Instruction, memories: Iterable[Memory]) -> tuple[tuple[Memory, tuple[str, ...]], ...]:
    """Each of these memories with the instruction's operands there."""
    if i.kind in ("signal", "configure", GIVE, TAKE):
        return ()
    found = (
        (m, tuple(o.name for o in i.operands if _lies(o.memory, m) and o.name not in i.immediates)) for m in memories
    )
    return tuple((m, own) for m, own in found if own)


def _lies(place: str, memory: Memory) -> bool:
    return memory.is_main if place == MAIN else place == memory.name


@lru_cache(maxsize=1 << 14)
def service(i: Instruction, memories: tuple[Memory, ...], active: Span = (), front: Span = ()) -> Service:
    """Cycles for which each memory serves one use, without memories in which it moves nothing.

    active: axis -> end of its active points; front: axis -> their start.
    """
    found = []
    for m, operands in touches(i, memories):
        moved, accesses = 0, 0
        for name in operands:
            o, t = i.operand(name), i.kernel.tensor(name)
            read, written = elements(i, name, active, front)
            moved += (read + written) * t.dtype.bytes
            if m.banks:
                every = rows_of(i, o)
                some = (
                    max(dict(active).get(str(o.row), every) - dict(front).get(str(o.row), 0), 0)
                    if every > 1 and is_box(o)
                    else every
                )
                clears = name == i.target and i.beyond == ZERO and bool(i.active)
                for count, touched in ((some, read), (every if clears else some, written)):
                    accesses += -(-count // m.banks) if touched else 0
        each = [Fraction(moved) / rate(m)] if m.bandwidth is not None else []
        cycles = max([*each, Fraction(accesses, m.ports)])
        if cycles:
            found.append((m.name, cycles))
    return tuple(found)


def of_whole_tiles(i: Instruction, memories: tuple[Memory, ...]) -> Service:
    """Of a use of all points."""
    return service(i, memories, tuple((a, i.axes[a]) for a, _ in i.active))


def rate(m: Memory) -> Fraction:
    """Bytes a cycle, of a memory with a bandwidth."""
    assert m.bandwidth is not None
    return Fraction(m.bandwidth).limit_denominator(FINE)


# ---- Ticks.


def figures_of(memories: Iterable[Memory]) -> list[int]:
    """Numbers of ticks per cycle to make the memories' times whole."""
    return [n for m in memories for n in (m.ports, *([rate(m).numerator] if m.bandwidth is not None else []))]


def ticks_per_cycle(instructions: Iterable[Instruction], memories: Iterable[Memory] = ()) -> int:
    """Ticks per cycle to make all figures whole, at most FINE squared; 1 if there are no figures."""
    figures = {float(x) for i in instructions for x in (i.occupies.start, i.occupies.each)}
    made = [Fraction(x).limit_denominator(FINE).denominator for x in figures]
    made += figures_of(memories)
    return min(lcm(*made), FINE * FINE) if made else 1


def in_ticks(cycles: Any, scale: int) -> float:
    """So many cycles; a whole number if the scale makes it one."""
    near = round(cycles * scale)
    return float(near) if abs(near - cycles * scale) <= 1e-9 * max(1.0, abs(near)) else float(cycles * scale)


def in_cycles(ticks: float, scale: int) -> float:
    """So many ticks in cycles; an int if they are whole."""
    found = ticks / scale
    return int(found) if found == int(found) else found
