"""Schedules of statements in a recurrence: chosen for one time step, then put into the loop over the time steps.

Within a time step the schedule is chosen like any other. A tensor that the recurrence does not write stays the same over
all steps: it is packed once, and priced as packed ahead. A tensor that it writes is packed anew in each time step.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from dataclasses import replace

from isamap_smt.ir.kernel import Kernel, Recurrence
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, Schedule
from isamap_smt.pipeline.nested import nested


def one_time_step(kernel: Kernel, recurrence: Recurrence, sizes: Dict[str, int]) -> dict[str, int]:
    """The sizes, with a single time step unless the kernel itself fixes their number."""
    extent = kernel.statements[recurrence.first].axis(recurrence.axis).extent
    if not extent.is_Symbol:
        return dict(sizes)
    own = {recurrence.axis, extent.name}
    return {**{k: v for k, v in sizes.items() if k not in own}, recurrence.axis: 1}


def lasting(kernel: Kernel, recurrence: Recurrence, statement: int) -> tuple[str, ...]:
    """Tensors read by the statement at the same places in every time step, and written in none."""
    written = {s.target.tensor for s in kernel.statements[recurrence.first : recurrence.end]}
    return tuple(t for t in constant_along(kernel, statement, recurrence.axis) if t not in written)


def constant_along(kernel: Kernel, statement: int, axis: str) -> tuple[str, ...]:
    """Tensors read by the statement at places independent of the axis."""
    reads = kernel.statements[statement].inputs
    return tuple(dict.fromkeys(a.tensor for a in reads if not any(axis in map(str, i.free_symbols) for i in a.index)))


def counts_time_steps(mapping: Mapping, recurrence: Recurrence) -> bool:
    """Whether the time steps are left to a loop of their own, and not spread over an instruction's lanes."""
    return all(recurrence.axis not in group for _, group in mapping.groups)


def over_time_steps(
    schedule: Schedule, recurrence: Recurrence, sizes: tuple[tuple[str, int], ...], constant: Iterable[str]
) -> Schedule:
    """The schedule of one time step, inside a loop over all of them.

    constant: tensors packed ahead of the calls; other lasting operands are packed once per call.
    """
    mapping = schedule.proved.mapping
    stays = lasting(mapping.kernel, recurrence, mapping.statement_index)
    every = nested(
        schedule, (LoopStep(recurrence.axis, 1),), changes=lambda t: int(t not in stays), constant=tuple(constant),
        without=(recurrence.axis,),
    )  # fmt: skip
    told = f"chosen for one time step along {recurrence.axis}; traffic and objective are those of one time step"
    outside = f"the loop over {recurrence.axis}, around the schedule of one time step"
    return replace(
        every, notes=(*schedule.notes, told), sizes=sizes, decided_outside=(*schedule.decided_outside, outside)
    )
