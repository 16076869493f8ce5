"""Schedules of statements in a recurrence: chosen for one turn, then put into the loop over the turns.

Within a turn the schedule is chosen like any other. What the recurrence does not write stays the same over all turns, so it
is packed once and priced as if it were packed ahead; what it writes is packed in each turn anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from dataclasses import replace

from isamap_smt.ir.kernel import Kernel, Recurrence
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, Schedule
from isamap_smt.pipeline.nested import nested


def one_turn(kernel: Kernel, turn: Recurrence, sizes: Dict[str, int]) -> dict[str, int]:
    """The sizes, with a single turn where the number of turns is not fixed in the kernel itself."""
    extent = kernel.statements[turn.first].axis(turn.axis).extent
    if not extent.is_Symbol:
        return dict(sizes)
    own = {turn.axis, extent.name}
    return {**{k: v for k, v in sizes.items() if k not in own}, turn.axis: 1}


def lasting(kernel: Kernel, turn: Recurrence, statement: int) -> tuple[str, ...]:
    """What the statement reads that no turn writes and that is the same in every turn."""
    written = {s.target.tensor for s in kernel.statements[turn.first : turn.end]}
    return tuple(t for t in constant_along(kernel, statement, turn.axis) if t not in written)


def constant_along(kernel: Kernel, statement: int, axis: str) -> tuple[str, ...]:
    """What the statement reads at places that do not depend on the axis."""
    reads = kernel.statements[statement].inputs
    return tuple(dict.fromkeys(a.tensor for a in reads if not any(axis in map(str, i.free_symbols) for i in a.index)))


def counts_turns(mapping: Mapping, turn: Recurrence) -> bool:
    """Whether the turns are left to a loop of their own, and not spread over an instruction's lanes."""
    return all(turn.axis not in group for _, group in mapping.groups)


def turned(
    schedule: Schedule, turn: Recurrence, sizes: tuple[tuple[str, int], ...], constant: Iterable[str]
) -> Schedule:
    """The schedule of one turn, inside a loop over all of them.

    constant: what is packed ahead of the calls; other lasting operands are packed once per call.
    """
    mapping = schedule.proved.mapping
    stays = lasting(mapping.kernel, turn, mapping.statement_index)
    every = nested(schedule, (LoopStep(turn.axis, 1),), stays=stays, constant=tuple(constant), without=turn.axis)
    told = f"chosen for one turn along {turn.axis}; traffic and objective are those of one turn"
    outside = f"the loop over {turn.axis}, around the schedule of one turn"
    return replace(
        every, notes=(*schedule.notes, told), sizes=sizes, decided_outside=(*schedule.decided_outside, outside)
    )
