"""Programs of uses with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isamap_smt.ir.uses import BufferPlace, CountedLoop, Use, UseNode, UseProgram

Change = Callable[[Use], Use]


def edited(program: UseProgram, change: Change) -> UseProgram:
    """The program with change(use) for every use."""

    def node(n: UseNode) -> UseNode:
        return replace(n, body=tuple(map(node, n.body))) if isinstance(n, CountedLoop) else change(n)

    return replace(program, body=tuple(map(node, program.body)))


def without_await(program: UseProgram, counter: str) -> UseProgram:
    """Nobody waits for the counter."""
    return edited(program, lambda u: replace(u, awaits=tuple(a for a in u.awaits if a[0] != counter)))


def without_signal(program: UseProgram, counter: str) -> UseProgram:
    """Nobody signals the counter."""
    return edited(program, lambda u: replace(u, signals=tuple(s for s in u.signals if s != counter)))


def with_slot(program: UseProgram, instruction: str, operand: str, slot: Callable[[object], object]) -> UseProgram:
    """One operand of one instruction takes another slot."""

    def change(u: Use) -> Use:
        if u.instruction.name != instruction:
            return u
        places = []
        for name, place in u.places:
            moved = name == operand and isinstance(place, BufferPlace)
            places.append((name, replace(place, slot=slot(place.slot)) if moved else place))
        return replace(u, places=tuple(places))

    return edited(program, change)
