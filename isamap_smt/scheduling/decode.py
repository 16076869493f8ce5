"""From the solver's choice to the loops, packing depths and parallel loop of a Schedule."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, prod

from isamap_encodings.schedule_cost import nontrivial
from isamap_encodings.schedule_problem import IN_PLACE, Choice, Cost, ScheduleProblem, TileOperand
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.schedule import LoopStep, Stage
from isamap_smt.scheduling.setting import Machine, Setting

BLOCK = "block"  # the level of a loop that closes accumulators after so many terms


@dataclass(frozen=True)
class Nest:
    """Loops outermost first with the block each belongs to; `accumulate` loops enclose the accumulators."""

    loops: tuple[LoopStep, ...]
    blocks: tuple[int, ...]
    accumulate: int


def nest(s: Setting, m: Machine, p: ScheduleProblem, c: Choice) -> Nest:
    """The loops with more than one trip, and one loop for every axis of open size."""
    loops: list[LoopStep] = []
    blocks: list[int] = []
    for block in range(p.levels, 0, -1):
        many = set(nontrivial(p, c, block))
        for d in p.orders[c.orders[block - 1]]:
            step = p.axes[d].chains[c.chains[d]][block]
            # At the assumed size one trip may do; at a larger one the tile must still be a tile.
            keep = s.axes[d].name in s.open and s.axes[d].name not in s.untiled and block == p.levels
            inner_too = d in many and step < _outer(loops, p.axes[d].name)
            if keep or inner_too or _closes(s, p, c, d, block, loops):
                loops.append(LoopStep(p.axes[d].name, step, m.names[block - 1]))
                blocks.append(block)
    accumulate = len(loops)
    for d in _innermost(s, p, c):
        a = p.axes[d]
        row = a.chains[c.chains[d]]
        opened = s.axes[d].name in s.open
        inside = ceil(a.extent / row[0]) != ceil(a.extent / row[1]) or opened
        if inside and row[0] < _outer(loops, a.name):
            loops.append(LoopStep(a.name, row[0], "register"))
    loops, more = _cut(s, loops, accumulate) if _may_cut(s) else (loops, 0)
    return Nest(tuple(loops), (*blocks, *[0] * more), accumulate + more)


# ---- Long sums in blocks: an accumulator that takes one term after the other rounds the whole sum so far each time. So a sum of
# floating point is closed after some hundred terms and begun anew, and what was summed before is added: one more load, addition and
# store for each register of the tile.


MOST = 512  # terms that an accumulator takes


def _may_cut(s: Setting) -> bool:
    """Whether it is a floating-point sum in any order, so its accumulators may be closed and begun anew."""
    x = s.mapping.statement
    return x.op == "+" and not x.ordered and s.kernel.tensor(x.target.tensor).dtype.is_float


def _cut(s: Setting, loops: list[LoopStep], accumulate: int) -> tuple[list[LoopStep], int]:
    """The loops, with enough of them around the accumulators for at most MOST terms each; and how many were added."""
    outside, inside = loops[:accumulate], loops[accumulate:]
    trips = [ceil(min(_outer(outside, x.axis), _extent(s, x.axis)) / x.step) for x in inside]
    if prod(trips) <= MOST:
        return loops, 0
    at = next(n for n in range(len(inside)) if prod(trips[n + 1 :]) <= MOST)
    most = MOST // prod(trips[at + 1 :])
    whole = any(x.axis == inside[at].axis for x in outside)  # then a step that divides no loop around it is none
    near = (*range(most, most // 2, -1), *(range(most + 1, 2 * most) if whole else ()))
    even = ceil(trips[at] / ceil(trips[at] / most))
    each = next((n for n in near if trips[at] % n == 0), None if whole else even)
    if each is None:
        return loops, 0
    block = LoopStep(inside[at].axis, inside[at].step * each, BLOCK)
    last = s.mapping.statement_index == len(s.kernel.statements) - 1
    if not last and not all(_counts(s, outside, x) for x in (*inside[:at], block)):
        return loops, 0
    rest = inside[at:] if each > 1 else inside[at + 1 :]
    return [*outside, *inside[:at], block, *rest], at + 1


def _counts(s: Setting, outside: list[LoopStep], loop: LoopStep) -> bool:
    """Whether the loop has the same number of trips at all iterations of the loops around it. Then the last one is
    known, and statements behind the sum can follow it there."""
    steps = [_extent(s, loop.axis), *(x.step for x in outside if x.axis == loop.axis), loop.step]
    return len(steps) == 2 or (loop.axis not in s.open and all(a % b == 0 for a, b in pairwise(steps)))


def _extent(s: Setting, axis: str) -> int:
    return int(next(a.extent for a in s.axes if a.name == axis))


def _innermost(s: Setting, p: ScheduleProblem, c: Choice) -> list[int]:
    """Reduction axes in the order of the loops inside the accumulators. An ordered statement keeps its own order;
    otherwise they follow the dimensions of operands read in place, so that successive steps read the same line of a
    cache."""
    sums = [d for d, a in enumerate(p.axes) if a.reduction]
    if s.mapping.statement.ordered:
        return sums
    place = dict.fromkeys(sums, -1.0)
    for operand, option in zip(p.operands, c.packing, strict=True):
        if operand.output or option != IN_PLACE:
            continue
        index = s.mapping.operand_access(operand.name).index
        for dimension, i in enumerate(index):
            for d in sums:
                if symbols_of([i]) & set(s.axes[d].members):
                    place[d] = max(place[d], (dimension + 1) / len(index))
    return sorted(sums, key=place.__getitem__)


def _outer(loops: list[LoopStep], axis: str) -> int:
    """Step of the innermost loop of the axis so far (larger than any tile when there is none)."""
    return next((x.step for x in reversed(loops) if x.axis == axis), 1 << 62)


def _closes(s: Setting, p: ScheduleProblem, c: Choice, d: int, block: int, loops: list[LoopStep]) -> bool:
    """Whether a loop is added: a looped non-reduction axis needs one whose step is the register tile, even for one trip."""
    row = p.axes[d].chains[c.chains[d]]
    outer = _outer(loops, p.axes[d].name)
    return block == 1 and not p.axes[d].reduction and outer < 1 << 62 and outer != row[1]


def packing(s: Setting, p: ScheduleProblem, c: Choice, n: Nest) -> tuple[Stage, ...]:
    """Depth of each packed operand: inside the loops down to its block, without trailing loops that don't select it."""
    made = []
    for operand, option in zip(p.operands, c.packing, strict=True):
        if operand.output:
            continue
        if option == IN_PLACE:
            made.append(Stage(operand.name))
        elif option > p.levels:
            made.append(Stage(operand.name, 0, True))
        else:
            made.append(Stage(operand.name, around(p, n, operand, option)))
    return tuple(made)


def around(p: ScheduleProblem, n: Nest, operand: TileOperand, level: int) -> int:
    """How many loops stand around the uses of the operand's tile of the level, before it is used up."""
    mine = {p.axes[d].name for d in operand.axes}
    depth = sum(1 for b in n.blocks if b >= level)
    while depth and n.loops[depth - 1].axis not in mine:
        depth -= 1
    return depth


def parallel(p: ScheduleProblem, n: Nest, cost: Cost) -> int | None:
    """Position of the loop shared by threads; None if there is none."""
    if cost.shared is None:
        return None
    block, d = cost.shared
    return next(i for i, x in enumerate(n.loops) if (x.axis, n.blocks[i]) == (p.axes[d].name, block))


def tiles(s: Setting, m: Machine, p: ScheduleProblem, c: Choice) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """axis -> level -> points; a cache tile of a whole known axis is reported as its extent."""
    made = []
    for d, a in enumerate(p.axes):
        row = a.chains[c.chains[d]]
        most = a.extent if a.name not in s.open else max(row)
        caches = [(m.names[u - 1], min(row[u], most)) for u in range(1, p.levels + 1)]
        made.append((a.name, (("register", row[0]), *caches)))
    return tuple(made)


def traffic(m: Machine, p: ScheduleProblem, cost: Cost) -> tuple[tuple[str, float], ...]:
    """link -> bytes, outputs counted both ways."""
    made = []
    for u in range(1, p.levels + 1):
        total = sum(cost.traffic[n][u - 1] * o.bytes * (2 if o.output else 1) for n, o in enumerate(p.operands))
        made.append((f"{m.links[u - 1].source}->{m.links[u - 1].target}", float(total)))
    return tuple(made)
