"""A schedule that was chosen for one block or one time step, put inside the loop over all of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from isamap_smt.ir.schedule import LoopStep, Schedule, Stage


def nested(
    schedule: Schedule,
    outer: tuple[LoopStep, ...],
    *,
    stays: Collection[str],
    constant: Collection[str],
    without: str = "",
) -> Schedule:
    """The schedule inside of `outer`, the first of which is the loop over blocks or steps.

    stays: tensors that are the same in all of them, and are packed once per call; those also in `constant` may be packed ahead
    of the calls. What else is packed is packed anew inside the first loop. without: an axis whose own loops fall away.
    """
    kept = [k for k, x in enumerate(schedule.loops) if x.axis != without]

    def depth(d: int) -> int:
        return len(outer) + sum(k < d for k in kept) if d else 1

    def stage(x: Stage) -> Stage:
        x = replace(x, block=None if x.block is None else depth(x.block))
        tensor = schedule.tensor(x)
        if x.depth is None or (x.ahead and tensor in constant):
            return x
        return replace(x, depth=0 if x.depth == 0 and tensor in stays else depth(x.depth), ahead=False)

    parallel = schedule.parallel
    return replace(
        schedule,
        loops=(*outer, *(schedule.loops[k] for k in kept)),
        accumulate=len(outer) + sum(k < schedule.accumulate for k in kept),
        registers=tuple((a, 1 if a == without else n) for a, n in schedule.registers),
        stages=tuple(map(stage, schedule.stages)),
        parallel=depth(parallel) if parallel in kept else None,
    )
