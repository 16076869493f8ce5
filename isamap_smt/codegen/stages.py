"""Stages left open by a solver: padding cut off by the kernel's guard, and outputs without a move.

They follow from the loops and tiles, by predicted costs, and stand in the schedule before it is lowered.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from isamap_smt.codegen.accumulators import is_direct
from isamap_smt.codegen.boundary import boundary_of, window_costs_more
from isamap_smt.codegen.nest import Nest, build_nest
from isamap_smt.codegen.operands import guards_carried, keeps_finite, padding_is_neutral, window
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.schedule import LEFT_OUT, ZEROS, Schedule, Stage
from isamap_smt.proof.windows import copied_whole


def with_stages(schedule: Schedule) -> Schedule:
    """The schedule with a stage for every operand that needs one. Stages it already has stay unchanged.

    Raises ScheduleError if padding can be treated in neither way.
    """
    nest = build_nest(schedule)
    statement = nest.mapping.instruction.kernel.statements[0]
    output = statement.target.tensor
    inputs = tuple(a.tensor for a in statement.inputs if a.tensor != output)
    found = {s.operand: s for s in schedule.stages}
    for operand in inputs:
        stage = schedule.stage(operand)
        whole = copied_whole(nest.mapping, operand)
        if stage.depth is None and not stage.padding and whole:
            found[operand] = replace(stage, padding=ZEROS)
        elif stage.depth is None and not stage.padding and guards_carried(nest, operand):
            found[operand] = replace(
                stage, padding=_padding(nest, schedule, operand, tuple(o for o in inputs if o != operand))
            )
    if output not in found and schedule.hardware is not None and not is_direct(nest, schedule.hardware.whole, output):
        found[output] = Stage(output, schedule.accumulate)
    stages = tuple(found.values())
    return schedule if stages == schedule.stages else replace(schedule, stages=stages)


def _padding(nest: Nest, schedule: Schedule, operand: str, others: tuple[str, ...]) -> str:
    """The treatment of points outside the guard, for an operand read in place. others: the other inputs."""
    boundary = boundary_of(nest, guards_carried(nest, operand), operand)
    neutral = padding_is_neutral(nest.statement) and keeps_finite(nest)
    if boundary is not None and (
        boundary.masks or _growing(nest, schedule, operand) or nest.statement.ordered or not neutral
    ):
        return LEFT_OUT  # a mask costs nothing; its points stand in one place, and have nothing added for padding
    copy = window(nest, operand).setup[0].buffer  # type: ignore[union-attr]
    if (
        nest.mapping.element(operand).lies_as(nest.held(operand))
        and boundary is not None
        and is_constant(prod(copy.shape))
    ):
        size = int(prod(copy.shape)) * nest.kernel.tensor(copy.type.tensor).dtype.bytes
        if window_costs_more(nest, operand, boundary, size, _looked_at(nest, schedule, others)):
            return LEFT_OUT
    return ZEROS


def _looked_at(nest: Nest, schedule: Schedule, others: tuple[str, ...]) -> int:
    """Bytes of other floating-point factors, of known size, given at each call."""
    given = {nest.mapping.operand_access(o).tensor for o in others if not schedule.stage(o).ahead}
    tensors = [nest.kernel.tensor(n) for n in sorted(given)]
    return sum(int(prod(t.shape)) * t.dtype.bytes for t in tensors if is_constant(prod(t.shape)) and t.dtype.is_float)


def _growing(nest: Nest, schedule: Schedule, operand: str) -> bool:
    """Whether its tensor is written while loops shared by statements run: then it cannot be copied whole before."""
    together = bool(schedule.fused) or nest.kernel.recurrence_of(nest.mapping.statement_index) is not None
    written = {s.target.tensor for s in nest.kernel.statements}
    return together and nest.mapping.operand_access(operand).tensor in written


__all__ = ["with_stages"]
