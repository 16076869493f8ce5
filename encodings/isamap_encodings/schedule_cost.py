"""The cost of one schedule in plain integers: the meaning of the CP-SAT encoding.

Traffic into level u telescopes: an operand's elements once, times the tiles of every axis that does not select them.
Those tiles are counted at the *cut* v >= u: v = u if each tile of level u fetches anew; v = u+1 if the operand is
stationary in block u (its own loops stand outside the others, so the innermost loops reuse its tile); further
out if its own loops in between make one trip.

If an operand is read in place, its rows are visited like an operand of their own, not selected by the axis along the
row. If they are stationary and few enough, they are visited once for all tiles along the row; otherwise each time
the operand itself is fetched, and at every tile if the first cache cannot keep their cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from isamap_encodings.schedule_problem import (
    CEILING,
    IN_PLACE,
    WORK,
    Choice,
    Component,
    CoreModel,
    Cost,
    RegisterTile,
    ScheduleProblem,
    TileAxis,
    TileOperand,
)
from isamap_encodings.schedule_sharing import shared

Burst = tuple[int, int]  # (the part of computing that hides it, time of the link)


def working_set(problem: ScheduleProblem, choice: Choice, level: int) -> int:
    """Bytes touched by one tile of `level`, all operands together."""
    tiles = {d: a.chains[choice.chains[d]][level] for d, a in enumerate(problem.axes)}
    return sum(o.bytes * prod(c.footprint(tiles) for c in o.components) for o in problem.operands)


def blockwise(problem: ScheduleProblem, choice: Choice) -> dict[int, int] | None:
    """Operand -> cells of its tile of level 2, for operands whose next tile is brought beside all uses of the one before.

    None if there is no such operand, a tile is used once only or too fast, or level 2 has no room for both tiles.
    """
    if problem.levels < 2 or not any(o.blockwise for o in problem.operands):
        return None
    tiles = {d: a.chains[choice.chains[d]][2] for d, a in enumerate(problem.axes)}
    found = {n: prod(c.footprint(tiles) for c in o.components) for n, o in enumerate(problem.operands) if o.blockwise}
    if any(walks(problem, choice, n) < 2 * refetch(problem, choice, n, 2) for n in found):
        return None
    if any(rows(problem, choice.register, problem.operands[n]) < problem.operands[n].blockwise for n in found):
        return None
    more = sum(problem.operands[n].bytes * cells for n, cells in found.items())
    return found if working_set(problem, choice, 2) + more <= problem.capacities[1] else None


def rows(problem: ScheduleProblem, register: int, operand: TileOperand) -> int:
    """How many outputs of a register tile each of the operand's elements adds to, in a step."""
    tile = problem.registers[register].tile
    return prod(tile[d] for d, a in enumerate(problem.axes) if d not in operand.axes and not a.reduction)


def first_tile(problem: ScheduleProblem, operand: TileOperand) -> int:
    """Cost per cell of the first tile brought blockwise: nothing is computed before it that could hide it."""
    return sum(operand.link[1:]) * (problem.threads if problem.parallelizable else 1)


def nontrivial(problem: ScheduleProblem, choice: Choice, block: int) -> tuple[int, ...]:
    """Axes whose loop in the block makes more than one trip, outermost first."""
    order = problem.orders[choice.orders[block - 1]]
    return tuple(
        d
        for d in order
        if problem.axes[d].tiles(choice.chains[d], block) != problem.axes[d].tiles(choice.chains[d], block + 1)
    )


def stationary(problem: ScheduleProblem, choice: Choice, operand: int, block: int) -> bool:
    """Whether the operand stays in level `block` while the loops of the block over other axes run.

    In block 1 this needs one tile's working set to fit the first cache.
    """
    if block == 1 and working_set(problem, choice, 1) > problem.capacities[0]:
        return False
    return in_order(problem, choice, problem.operands[operand].axes, block)


def in_order(problem: ScheduleProblem, choice: Choice, mine: frozenset[int], block: int) -> bool:
    """Whether the loops of the block over these axes stand outside its other loops."""
    seen_other = False
    for d in nontrivial(problem, choice, block):
        if d in mine and seen_other:
            return False
        seen_other |= d not in mine
    return True


def cut(problem: ScheduleProblem, choice: Choice, operand: int, level: int) -> int:
    """The level at which tiles are counted along axes that do not select the operand."""
    mine = problem.operands[operand].axes
    return _cut(problem, choice, mine, level, lambda block: stationary(problem, choice, operand, block))


def _cut(
    problem: ScheduleProblem, choice: Choice, mine: frozenset[int], level: int, stays: Callable[[int], bool]
) -> int:
    v = level
    while v <= problem.levels and stays(v):
        v += 1
        if any(d in mine for d in nontrivial(problem, choice, v - 1)):
            break
    return v


def elements(problem: ScheduleProblem, choice: Choice, operand: int, level: int) -> int:
    """Elements of one whole sweep over the operand in tiles of `level`, overlaps between tiles counted."""
    return cells(problem, choice, problem.operands[operand].components, level)


def cells(problem: ScheduleProblem, choice: Choice, components: tuple[Component, ...], level: int) -> int:
    """Cells of one whole sweep over these dimensions in tiles of `level`, overlaps between tiles counted."""
    total = 1
    for c in components:
        if len(c.axes) == 1:
            total *= problem.axes[c.axes[0]].extent
            continue
        tiles = {d: problem.axes[d].chains[choice.chains[d]][level] for d in c.axes}
        total *= prod(problem.axes[d].tiles(choice.chains[d], level) for d in c.axes) * c.footprint(tiles)
    return total


def refetch(problem: ScheduleProblem, choice: Choice, operand: int, level: int) -> int:
    """How many refetches are made into `level`."""
    v = cut(problem, choice, operand, level)
    mine = problem.operands[operand].axes
    return prod(a.tiles(choice.chains[d], v) for d, a in enumerate(problem.axes) if d not in mine)


def walks(problem: ScheduleProblem, choice: Choice, operand: int) -> int:
    """How often registers walk over the operand: the register tiles along all axes that do not select it."""
    mine = problem.operands[operand].axes
    return prod(a.tiles(choice.chains[d], 1) for d, a in enumerate(problem.axes) if d not in mine)


def first_walks(problem: ScheduleProblem, choice: Choice, operand: int, level: int) -> int:
    """Time of computing during the walks over the operand while it comes into the level from beyond.

    The time of one walk is rounded, then multiplied: more refetches never hide more than their share, and so never
    cost less.
    """
    one = problem.registers[choice.register].compute // walks(problem, choice, operand)
    return one * refetch(problem, choice, operand, level)


def rows_begun(problem: ScheduleProblem, choice: Choice, operand: int) -> int:
    """How often rows of the operand are begun, over all rows, if it is read in place."""
    o, rows = problem.operands[operand], problem.operands[operand].rows
    register = problem.registers[choice.register]
    if rows is None or not register.row:
        return 0
    chosen = [a.chains[c] for a, c in zip(problem.axes, choice.chains, strict=True)]
    used = prod(c.footprint({d: chosen[d][1] for d in c.axes}) for c in rows.components)
    few = used <= register.ahead[operand]
    v = _cut(problem, choice, rows.axes, 1, lambda b: (b > 1 or few) and in_order(problem, choice, rows.axes, b))
    begun = prod(a.tiles(choice.chains[d], v) for d, a in enumerate(problem.axes) if d not in rows.axes)
    if used <= register.kept[operand]:
        along = prod(problem.axes[d].tiles(choice.chains[d], 1) for d in o.axes - rows.axes)
        begun = min(begun, along * refetch(problem, choice, operand, 1))
    return cells(problem, choice, rows.components, 1) * begun


def segments(problem: ScheduleProblem, choice: Choice, operand: int, level: int) -> int:
    """How many pieces of rows are copied if the operand is packed for the level."""
    o, rows = problem.operands[operand], problem.operands[operand].rows
    if rows is None or not o.segment:
        return 0
    along = prod(problem.axes[d].tiles(choice.chains[d], level) for d in o.axes - rows.axes)
    return cells(problem, choice, rows.components, level) * along * refetch(problem, choice, operand, level)


def evaluate(problem: ScheduleProblem, choice: Choice) -> Cost | None:
    """The cost of a choice, or None if it is not in the space (tiles disagree, a cache overflows, no loop to share)."""
    register = problem.registers[choice.register]
    if any(a.chains[choice.chains[d]][0] != register.tile[d] for d, a in enumerate(problem.axes)):
        return None
    if any(working_set(problem, choice, u) > problem.capacities[u - 1] for u in range(2, problem.levels + 1)):
        return None
    levels = range(1, problem.levels + 1)
    traffic: list[tuple[int, ...]] = []
    links, exposed, packing, in_place, blocks = [0] * problem.levels, 0, 0, 0, 1
    bursts: dict[int, dict[int, Burst]] = {}
    for n, o in enumerate(problem.operands):
        moved = tuple(elements(problem, choice, n, u) * refetch(problem, choice, n, u) for u in levels)
        if any(moved[u - 1] * dearest(o, u) > CEILING for u in levels):
            return None
        traffic.append(moved)
        bursts[n] = {
            u: (first_walks(problem, choice, n, u), moved[u - 1] * o.link[u - 1]) for u in levels if o.bursts(u)
        }
        for u in levels:
            links[u - 1] += moved[u - 1] * o.link[u - 1]
            exposed += moved[u - 1] * o.exposed[u - 1]
        option = choice.packing[n]
        if option not in o.options:
            return None
        if option == IN_PLACE:
            walked = rows_begun(problem, choice, n) * register.visit(n)
            if walked > CEILING:
                return None
            in_place += register.in_place[n] + walked + moved[0] * o.apart
        elif option <= problem.levels:
            begun = segments(problem, choice, n, option) * o.segment
            if begun > CEILING:
                return None
            packing += moved[option - 1] * o.pack[option - 1] + begun
    for d, a in enumerate(problem.axes):
        blocks *= a.tiles(choice.chains[d], 1) if a.reduction else 1
    scopes = register.scope * blocks
    if max(scopes, register.compute) > CEILING:
        return None
    if problem.overlap:
        together, first = _together(problem, choice, links, bursts)
        exposed += first
    else:
        together = register.compute + sum(links)
    alone = together + exposed + scopes + packing + in_place
    found = of_all_threads(problem, choice, alone)
    if found is None:
        return None
    total, loop = found
    return Cost(total, register.compute, tuple(links), exposed, scopes, packing, in_place, tuple(traffic), alone, loop)


def floor(
    axes: Sequence[TileAxis], operands: Sequence[TileOperand], registers: Iterable[RegisterTile], core: CoreModel
) -> int:
    """No choice costs one thread fewer cycles: evaluate() with each operand moved once, and each sum in one piece.

    Raises ValueError without register tiles.
    """
    once = [(o, prod(axes[c.axes[0]].extent for c in o.components if len(c.axes) == 1)) for o in operands]
    links = [sum(link) for link in zip(*([n * x for x in o.link] for o, n in once), strict=True)]
    if any(o.blockwise for o in operands):  # which come sooner, or not
        links = [0] * len(links)
    rest = sum(n * (sum(o.exposed) + (o.apart if o.options == (IN_PLACE,) else 0)) for o, n in once)
    fixed = [n for n, o in enumerate(operands) if o.options == (IN_PLACE,)]
    return rest + min(
        overlapped(r.compute, links, core) + r.scope + sum(r.in_place[n] for n in fixed) for r in registers
    )


def least(problem: ScheduleProblem) -> int:
    """No choice costs less; 0 if that is not known without a search."""
    if not problem.overlap or problem.parallelizable:
        return 0
    return problem.threads * floor(problem.axes, problem.operands, problem.registers, problem.core)


def _together(
    problem: ScheduleProblem, choice: Choice, links: list[int], bursts: dict[int, dict[int, Burst]]
) -> tuple[int, int]:
    """(time of computing beside the links, cost of first tiles on top), whichever is less: with blockwise operands, or without.

    An operand brought blockwise no longer bursts, and comes sooner, except while the link into level 1 works:
    in_turns(). bursts: operand -> level -> burst.
    """
    compute = problem.registers[choice.register].compute
    found = [x for levels in bursts.values() for x in levels.values()]
    core = problem.core
    ways = [(max(overlapped(compute, links, core), in_bursts(compute, found, core)), 0)]
    if (cells := blockwise(problem, choice)) is not None:
        rest = [x for n, levels in bursts.items() if n not in cells for x in levels.values()]
        sooner = [core.whole * x for x in links]
        for n in cells:
            for level, (_, link) in bursts[n].items():
                sooner[level - 1] -= (core.whole - core.sooner) * link
        first = sum(c * first_tile(problem, problem.operands[n]) for n, c in cells.items())
        ways.append((max(in_turns(compute, sooner, core), in_bursts(compute, rest, core)), first))
    return min(ways, key=sum)


def of_all_threads(problem: ScheduleProblem, choice: Choice, alone: int) -> tuple[int, tuple[int, int] | None] | None:
    """(cost, shared loop) of all threads, given the cost `alone` of one; None if threads ought to share a loop and cannot.

    Energy is the cost alone. While one thread does everything, the others are idle.
    """
    if not problem.parallelizable:
        return alone * (problem.threads if problem.overlap else 1), None
    found = shared(problem, choice, alone)
    if not problem.overlap:
        return found and (alone, found[1])
    idle = alone * problem.threads
    if problem.or_alone and idle <= WORK and (found is None or idle <= found[0]):
        found = idle, None
    return found if alone <= CEILING else None


def dearest(operand: TileOperand, level: int) -> int:
    """The largest cost of one element of the operand at a level, at least 1."""
    pack = operand.pack[level - 1] if operand.pack else 0
    return max(1, operand.link[level - 1], operand.exposed[level - 1], pack, operand.apart if level == 1 else 0)


def overlapped(compute: int, links: list[int], core: CoreModel) -> int:
    """Time of computing beside the links into levels 1, 2 ..., each pair as the core says."""
    pairs = ((link, a, b) for u, link in enumerate(links, 1) for a, b in core.contention(u))
    return max(-(-(a * compute + b * link) // core.whole) for link, a, b in pairs)


def in_turns(compute: int, links: list[int], core: CoreModel) -> int:
    """Time of computing beside the links into levels 1, 2 ..., in parts of `whole`, if the second works all the
    time: once computing waits for it, the first is in its way."""
    (first, *rest), whole = links, core.whole
    ways = [-(-(whole * a * compute + b * link) // whole**2) for a, b in core.into_others for link in rest]
    a, b = core.into_others[-1]
    ways.append(-(-(whole * a * compute + b * (core.delaying * first // whole + rest[0])) // whole**2))
    return max(overlapped(compute, [first // whole], core), *ways)


def in_bursts(compute: int, bursts: list[tuple[int, int]], core: CoreModel) -> int:
    """Time of computing beside links that each have only a part of it to hide behind: pairs (part, time of the link)."""
    waiting = [0]
    for hidden, link in bursts:
        waiting += [-(-(b * link - (core.whole - a) * hidden) // core.whole) for a, b in core.into_others]
    return compute + max(waiting)
