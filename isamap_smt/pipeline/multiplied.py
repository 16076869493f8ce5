"""Products of differences, multiplied out where an instruction takes what is left of them and that is predicted to cost less."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.notes import Rewritten
from isamap_smt.ir.program import Program
from isamap_smt.ir.rewrite import ProvedSplit, Rewrite
from isamap_smt.mapping.fuse import takes
from isamap_smt.mapping.multiplied import multipliable, multiply_out
from isamap_smt.pipeline.decide import of_split
from isamap_smt.pipeline.question import Clock, Question
from isamap_smt.pipeline.split import REUSED, after
from isamap_smt.proof.split import require_split

POINT_CYCLES = 2.0  # of a sum that no instruction computes, per point
ADDED_CYCLES = 0.25  # of what is added to each element behind the sum
ASSUMED = 1024  # points of an axis that is left open


def multiplied_out(q: Question, clock: Clock, before: ProvedSplit | None) -> tuple[Question, ProvedSplit] | None:
    """The question about the kernel in which what does not vary along sums stands outside of them.

    None where nothing is to be taken out, where no instruction takes what is left, or where somebody pinned how the kernel as it is
    written is scheduled.
    """
    if q.pins or q.tuned or q.strategy != "exact" or q.objective != "latency":
        return None
    kernel, way = q.kernel, None if before is None else before.split
    made: Rewrite | None = None
    taken = False
    while (n := _first(kernel)) is not None:
        one = multiply_out(kernel, n)
        taken = taken or any(
            q.hardware.offers(i) and takes(one.kernel, i, one.closing - 1) for i in q.hardware.computes
        )
        way = made = one if way is None else after(way, one, dict(q.sizes))
        kernel = made.kernel
    if made is None or not taken:
        return None
    proved = clock.time("prove", require_split, made)
    return replace(of_split(q, made), said=(*q.said, Rewritten(proved))), proved


def _first(kernel: Kernel) -> int | None:
    return next((n for n in range(len(kernel.statements)) if multipliable(kernel, n)), None)


def surely_cheaper(split: Rewrite, program: Program, sizes: dict[str, int]) -> bool:
    """Whether instructions compute everything that is summed, and elements that are totalled are in many products each."""
    mapped = {s.proved.mapping.statement_index for s in program.schedules}
    sums = [n for n, s in enumerate(program.kernel.statements) if s.reduction_axes]
    one = split.kernel.with_sizes({n: v for n, v in sizes.items() if n in split.kernel.free_sizes})
    *totals, product = one.statements[split.row.restated[0] : split.closing]
    return set(sums) <= mapped and all(_points(t) * REUSED <= _points(product) for t in totals)


def predicted(program: Program, sizes: dict[str, int]) -> float:
    """Cycles that the program is predicted to take, statements that no instruction computes included."""
    kernel = program.kernel.with_sizes({n: v for n, v in sizes.items() if n in program.kernel.free_sizes})
    mapped = {s.proved.mapping.statement_index: s for s in program.schedules}
    alone = [s for n, s in enumerate(kernel.statements) if n not in mapped]
    rest = sum(_points(s) * (POINT_CYCLES if s.reduction_axes else ADDED_CYCLES) for s in alone)
    return rest + sum(s.objective or 0.0 for s in mapped.values())


def _points(s: Statement) -> int:
    return prod(int(a.extent) if is_constant(a.extent) else ASSUMED for a in s.axes)


__all__ = ["multiplied_out", "predicted", "surely_cheaper"]
