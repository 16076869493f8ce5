"""The schedule of one block of a phase, lifted to all blocks: a loop over them that neighbouring phases share."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine, evaluate, symbols_of
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.phases import with_barriers
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import LoopStep, Schedule
from isamap_smt.ir.staging import steps
from isamap_smt.scheduling.staged import SPACE, parts
from isamap_smt.scheduling.utilisation import utilisation
from isamap_smt.simulator.max_plus import timing

SPACE_OF_A_BLOCK = f"for one block of rows, {SPACE}"
BLOCKS = "loops over blocks that neighbouring phases share, and their length"


def loop_along(mapping: Mapping, axis: str, points: int) -> LoopStep:
    """The loop over blocks of so many points of a kernel's axis, in tiles. Raises ScheduleError if tiles do not fit."""
    e = dict(mapping.forward)[axis]
    outer = [a.name for a in mapping.outer if a.name in symbols_of([e])]
    along = affine(e, outer) if len(outer) == 1 else None
    side = along[0].get(outer[0]) if along else None
    if side is None or not side.is_Integer or symbols_of([along[1] if along else e]) & set(outer):
        raise ScheduleError(f"{mapping.id}: the tiles along {axis} are not those of one loop")
    if points % int(side):
        raise ScheduleError(f"{mapping.id}: a block of {points} points of {axis} is no whole number of {side}")
    return LoopStep(outer[0], points // int(side))


def over_blocks(
    s: Schedule, whole: ProvedMapping, blocks: tuple[LoopStep, ...], sizes: Dict[str, int],
    lowered: Callable[[Schedule], Program],
) -> Schedule:  # fmt: skip
    """The schedule `s` of one block, for all blocks. whole: its mapping, of the kernel with all its points.

    Its time is exact. Its bound holds for each whole block alone.
    """
    machine = s.hardware
    assert machine is not None
    made = replace(s, proved=whole, blocks=blocks, sizes=tuple(sorted(sizes.items())))
    seen = timing(with_barriers(lowered(made), len(blocks)), sizes, (whole.mapping.instruction.name,))
    cycles = float(seen.cycles)
    bound = min(cycles, (s.bound or 0.0) * _whole_blocks(whole.mapping, blocks, sizes))
    best = s.status == "OPTIMAL" and bound >= cycles and not seen.estimate
    estimate = ((f"the time is {seen.estimate}", ""),) if seen.estimate else ()
    return replace(
        made, status="OPTIMAL" if best else "FEASIBLE", space=SPACE_OF_A_BLOCK, objective=cycles, bound=bound,
        gap=1 - bound / cycles if cycles else 0.0, costs=parts(seen, machine), assumes=(*s.assumes, *estimate),
        decided_outside=(*s.decided_outside, BLOCKS),
        utilisation=utilisation(whole.mapping, machine, s.stages, s.loops, sizes, seen, blocks),
    )  # fmt: skip


def _whole_blocks(mapping: Mapping, blocks: tuple[LoopStep, ...], sizes: Dict[str, int]) -> int:
    """The number of blocks that are not cut off by the end of an axis."""
    found = 1
    for b in blocks:
        (axis,) = (n for n, e in mapping.forward if b.axis in symbols_of([e]))
        extent: Any = next(a.extent for a in mapping.statement.axes if a.name == axis)
        tiles = next(a.extent for a in mapping.outer if a.name == b.axis)
        points, all_tiles = int(evaluate(extent, dict(sizes))), int(evaluate(tiles, dict(sizes)))
        every, cut = int(evaluate(steps(tiles, b.step), dict(sizes))), all_tiles % b.step
        along = affine(dict(mapping.forward)[axis], [b.axis])
        assert along is not None
        found *= every - (cut != 0 or points % int(along[0][b.axis]) != 0)
    return found
