"""A schedule chosen for one block or one time step, put inside the loop over all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from isamap_smt.ir.schedule import LoopStep, Schedule, Stage


def nested(
    schedule: Schedule,
    outer: tuple[LoopStep, ...],
    *,
    changes: Callable[[str], int],
    constant: Collection[str],
    without: Collection[str] = (),
) -> Schedule:
    """The schedule inside of `outer`, whose first loops are those over blocks or steps.

    changes(tensor): the number of these loops in which the tensor changes. A tensor equal in all blocks is packed once per call,
    or ahead of the calls if it is also in `constant`. without: axes to lose their own loops.
    """
    kept = [k for k, x in enumerate(schedule.loops) if x.axis not in without]

    def depth(d: int) -> int:
        return len(outer) + sum(k < d for k in kept)

    def stage(x: Stage) -> Stage:
        tensor = schedule.tensor(x)
        x = replace(x, block=None if x.block is None else depth(x.block) if x.block else 1)
        if x.depth is None or (x.ahead and tensor in constant):
            return x
        return replace(x, depth=depth(x.depth) if x.depth else changes(tensor), ahead=False)

    parallel = schedule.parallel
    return replace(
        schedule,
        loops=(*outer, *(schedule.loops[k] for k in kept)),
        accumulate=len(outer) + sum(k < schedule.accumulate for k in kept),
        registers=tuple((a, 1 if a in without else n) for a, n in schedule.registers),
        stages=tuple(map(stage, schedule.stages)),
        parallel=depth(parallel) if parallel in kept else None,
    )
