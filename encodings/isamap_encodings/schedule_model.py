"""The CP-SAT encoding of a schedule problem: its optimum is the cheapest choice of `schedule_cost.evaluate`.

Each axis takes one chain (a literal per chain), the register tile is one literal per row of its table, each block
one order. Tiles, trip counts and the footprints of single-axis dimensions are then linear; only dimensions over
several axes (convolution) need a table, and only products over several axes a multiplication. Literals say in which
blocks an operand is stationary and at which cut its refetches count. The solver may set one only if the choice
allows it; as fewer refetches never cost more, the cheapest setting is the truth.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import gcd, prod
from typing import Any

from isamap_encodings import cp_sat, deadline
from isamap_encodings.schedule_answer import ENOUGH, INTERRUPTED, LIMIT, OPEN, WALL, Answer
from isamap_encodings.schedule_cost import dearest, evaluate, first_tile, least, rows
from isamap_encodings.schedule_problem import (
    CEILING,
    IN_PLACE,
    WORK,
    Choice,
    Component,
    ScheduleProblem,
    TileAxis,
    TileOperand,
)
from isamap_encodings.schedule_sharing import Loop, loops, most_starts, outside, repeats, uneven
from isamap_encodings.without_pandas import cp_model

Range = tuple[
    Any, int, int
]  # expression, smallest and largest value (kept here: CP-SAT's own bounds are not read back)


@dataclass
class ScheduleModel:
    """The model with its decision literals: registers[r], chains[d][c], orders[block-1][o], packing[operand][option]."""

    model: Any
    registers: list[Any]
    chains: list[list[Any]]
    orders: list[list[Any]]
    packing: list[dict[int, Any]]
    objective: Any


class Builder:
    """Builds the model step by step; every integer expression travels with its range."""

    def __init__(self, problem: ScheduleProblem) -> None:
        self.p = problem
        self.m = cp_model.CpModel()
        self.u = problem.levels
        self.registers = self._one_of("register", len(problem.registers))
        self.chains = [self._one_of(f"chain_{a.name}", len(a.chains)) for a in problem.axes]
        self.orders = [self._one_of(f"order_{b}", len(problem.orders)) for b in range(1, self.u + 1)]
        self.one_trip: dict[tuple[int, int], Any] = {}
        self.sizes: dict[tuple[int, int], Range] = {}
        self.counts: dict[tuple[int, int], Range] = {}
        self.tables: dict[tuple[Component, int], tuple[Range, Range]] = {}
        self.touched: dict[tuple[str, int], Any] = {}
        self.fetched: dict[tuple[int, int], Range] = {}
        self.traffic: dict[tuple[int, int], Range] = {}

    # ---- helpers

    def _one_of(self, name: str, count: int) -> list[Any]:
        literals = [self.m.new_bool_var(f"{name}_{n}") for n in range(count)]
        self.m.add_exactly_one(literals)
        return literals

    def _pick(self, literals: list[Any], values: list[int]) -> Range:
        """The entry of `values` at the one true literal."""
        low, high = min(values), max(values)
        if low == high:
            return low, low, low
        moving = [(x, v - low) for x, v in zip(literals, values, strict=True) if v != low]
        return cp_model.LinearExpr.weighted_sum(*zip(*moving, strict=True)) + low, low, high

    def _variable(self, r: Range, name: str) -> Any:
        v = self.m.new_int_var(r[1], r[2], name)
        self.m.add(v == r[0])
        return v

    def _times(self, factors: list[Range], name: str, most: int | None = None) -> Range:
        """The product; constants are folded. Choices with a product above `most` are excluded."""
        constant = prod(f[1] for f in factors if f[1] == f[2])
        moving = [f for f in factors if f[1] != f[2]]
        if not moving:
            return constant, constant, constant
        so_far = moving[0]
        if most is not None and constant * so_far[2] > most:
            self.m.add(so_far[0] <= most // constant)
            so_far = (so_far[0], so_far[1], max(so_far[1], most // constant))
            so_far = (
                self._variable(so_far, f"{name}_few"),
                *so_far[1:],
            )  # CP-SAT asks what sums may come to, by domains alone
        for n, f in enumerate(moving[1:]):
            low, high = so_far[1] * f[1], so_far[2] * f[2]
            if most is not None and constant * high > most:
                high = max(low, most // constant)
            v = self.m.new_int_var(low, high, f"{name}_{n}")
            a, b = self._variable(so_far, f"{name}_{n}a"), self._variable(f, f"{name}_{n}b")
            self.m.add_multiplication_equality(v, [a, b])
            so_far = (v, low, high)
        return constant * so_far[0], constant * so_far[1], constant * so_far[2]

    def _tile(self, d: int, level: int) -> Range:
        if (d, level) not in self.sizes:
            self.sizes[d, level] = self._pick(self.chains[d], [c[level] for c in self.p.axes[d].chains])
        return self.sizes[d, level]

    def _tiles(self, d: int, level: int) -> Range:
        if (d, level) not in self.counts:
            self.counts[d, level] = self._pick(self.chains[d], self.p.axes[d].counts(level))
        return self.counts[d, level]

    # ---- constraints

    def link_registers(self) -> None:
        """Every axis' T0 is the register tile's."""
        for d, a in enumerate(self.p.axes):
            values = {r.tile[d] for r in self.p.registers} | {c[0] for c in a.chains}
            for t in sorted(values):
                here = [x for x, r in zip(self.registers, self.p.registers, strict=True) if r.tile[d] == t]
                there = [x for x, c in zip(self.chains[d], a.chains, strict=True) if c[0] == t]
                self.m.add(sum(here) == sum(there))

    def trivial(self, block: int, d: int) -> Any:
        """Literal: the axis' loop in the block makes one trip."""
        if (block, d) not in self.one_trip:
            a = self.p.axes[d]
            pairs = zip(self.chains[d], a.counts(block), a.counts(block + 1), strict=True)
            single = [x for x, here, around in pairs if here == around]
            v = self.m.new_bool_var(f"one_trip_{block}_{a.name}")
            self.m.add(sum(single) == v)
            self.one_trip[block, d] = v
        return self.one_trip[block, d]

    def footprint(self, component: Component, level: int) -> tuple[Range, Range]:
        """(cells one tile touches, cells of one sweep) along the component's dimensions."""
        key = (component, level)
        if key not in self.tables:
            self.tables[key] = self._footprint(component, level)
        return self.tables[key]

    def _footprint(self, component: Component, level: int) -> tuple[Range, Range]:
        if len(component.axes) == 1:
            (d,) = component.axes
            cells = [component.footprint({d: c[level]}) for c in self.p.axes[d].chains]
            extent = self.p.axes[d].extent
            return self._pick(self.chains[d], cells), (extent, extent, extent)
        domains = [sorted({c[level] for c in self.p.axes[d].chains}) for d in component.axes]
        rows: list[tuple[int, ...]] = []
        for tiles in product(*domains):
            by_axis = dict(zip(component.axes, tiles, strict=True))
            once = component.footprint(by_axis)
            tiles_needed = prod(-(-self.p.axes[d].extent // t) for d, t in by_axis.items())
            rows.append((*tiles, once, once * tiles_needed))
        name = f"cells_{'_'.join(self.p.axes[d].name for d in component.axes)}_{level}"
        # A literal for each row, and sums over them: of add_allowed_assignments() CP-SAT makes a literal for each value, too.
        chosen = self._one_of(name, len(rows))
        for n, d in enumerate(component.axes):
            for t in domains[n]:
                here = [x for x, row in zip(chosen, rows, strict=True) if row[n] == t]
                there = [x for x, c in zip(self.chains[d], self.p.axes[d].chains, strict=True) if c[level] == t]
                self.m.add(sum(here) == sum(there))
        return self._pick(chosen, [row[-2] for row in rows]), self._pick(chosen, [row[-1] for row in rows])

    def working_set(self, level: int, operands: tuple[TileOperand, ...] | None = None) -> Any:
        """Bytes one tile of the level touches, of these operands or of all."""
        # CP-SAT's expressions change in place under +=, and footprints are shared: parts are collected, then summed.
        return sum([self._touched(o, level) for o in (self.p.operands if operands is None else operands)])

    def _touched(self, o: TileOperand, level: int) -> Any:
        if (o.name, level) not in self.touched:
            factors = [self.footprint(c, level)[0] for c in o.components]
            # The tile of level 2 fits its cache, and it holds the tile of level 1.
            most = self.p.capacities[max(level, 2) - 1] // o.bytes if self.u > 1 else CEILING
            self.touched[o.name, level] = self._times(factors, f"footprint_{o.name}_{level}", most)[0]
        return o.bytes * self.touched[o.name, level]

    def stationary(self, fits: Any) -> dict[tuple[int, int], Any]:
        """(operand, block) -> literal; if true, the operand is stationary in the block."""
        named = enumerate(self.p.operands)
        return {(n, b): x for n, o in named for b, x in self.stays(o.name, o.axes, fits).items()}

    def stays(self, name: str, axes: frozenset[int], fits: Any) -> dict[int, Any]:
        """block -> literal; if true, the cells selected by these axes stay while the other loops run."""
        literals = {}
        for b in range(1, self.u + 1):
            s = self.m.new_bool_var(f"stationary_{name}_{b}")
            literals[b] = s
            if b == 1:
                self.m.add_implication(s, fits)
            for x, order in zip(self.orders[b - 1], self.p.orders, strict=True):
                for inner, d in enumerate(order):
                    for e in order[:inner]:
                        if d in axes and e not in axes:
                            self.m.add_bool_or(s.Not(), x.Not(), self.trivial(b, d), self.trivial(b, e))
        return literals

    def refetch(self, n: int, level: int, stationary: dict[tuple[int, int], Any]) -> Range:
        """Sweeps of operand n into the level, at a cut allowed by the stationary literals."""
        if (n, level) not in self.fetched:
            o = self.p.operands[n]
            stays = {b: x for (m, b), x in stationary.items() if m == n}
            self.fetched[n, level] = self.at_cut(o.name, o.axes, level, stays)
        return self.fetched[n, level]

    def at_cut(self, name: str, axes: frozenset[int], level: int, stays: dict[int, Any]) -> Range:
        """Sweeps into the level over the cells selected by these axes, at a cut allowed by the literals of stays()."""
        others = [d for d in range(len(self.p.axes)) if d not in axes]
        if all(self._tiles(d, level)[2] == 1 for d in others):
            return 1, 1, 1
        cuts = list(range(level, self.u + 2))
        chosen = self._one_of(f"cut_{name}_{level}", len(cuts))
        high = max(1, prod(self._tiles(d, level)[2] for d in others))
        result = self.m.new_int_var(1, high, f"refetch_{name}_{level}")
        for v, x in zip(cuts, chosen, strict=True):
            factors = [self._tiles(d, v) for d in others if v <= self.u]
            self.m.add(result == self._times(factors, f"sweeps_{name}_{v}")[0]).only_enforce_if(x)
            for b in range(level, v):
                self.m.add_implication(x, stays[b])
                if b < v - 1:
                    for d in sorted(axes):
                        self.m.add_implication(x, self.trivial(b, d))
        return result, 1, high

    def rows_begun(self, n: int, stationary: dict[tuple[int, int], Any]) -> list[Range]:
        """Factors of how often a row of operand n is begun: its rows, and times for each."""
        o, rows = self.p.operands[n], self.p.operands[n].rows
        assert rows is not None
        few, kept = self.m.new_bool_var(f"ahead_{o.name}"), self.m.new_bool_var(f"kept_{o.name}")
        used = self._times([self.footprint(c, 1)[0] for c in rows.components], f"rows_{o.name}")
        for literal, room in (
            (few, [r.ahead[n] for r in self.p.registers]),
            (kept, [r.kept[n] for r in self.p.registers]),
        ):
            self.m.add(used[0] <= self._pick(self.registers, room)[0]).only_enforce_if(literal)
        begun = self.at_cut(f"rows_{o.name}", rows.axes, 1, self.stays(f"rows_{o.name}", rows.axes, few))
        along = [self._tiles(d, 1) for d in sorted(o.axes - rows.axes)]
        fetched = self._times([*along, self.refetch(n, 1, stationary)], f"segments_{o.name}")
        times = self.m.new_int_var(1, begun[2], f"begun_{o.name}")
        first = self.m.new_bool_var(f"rows_stay_{o.name}")
        self.m.add_bool_or(first, kept)
        self.m.add(times == begun[0]).only_enforce_if(first)
        self.m.add(times == fetched[0]).only_enforce_if(first.Not())
        return [*(self.footprint(c, 1)[1] for c in rows.components), (times, 1, begun[2])]

    def packing(self, n: int) -> dict[int, Any]:
        """Packing literals of operand n."""
        o = self.p.operands[n]
        return dict(zip(o.options, self._one_of(f"packing_{o.name}", len(o.options)), strict=True))

    def shared(self) -> dict[Loop | None, Any]:
        """loop -> literal "threads share this loop"; exactly one is true. A shared loop has a trip for each thread.
        The key None is there only if one thread may do everything (`or_alone`)."""
        found = (*loops(self.p), *([None] if self.p.or_alone else []))
        literals = dict(zip(found, self._one_of("shared", len(found)), strict=True))
        for loop, y in literals.items():
            for c, x in enumerate(self.chains[loop[1]] if loop else ()):
                if loop and uneven(self.p, c, loop) is None:
                    self.m.add_implication(y, x.Not())
        return literals

    def of_all_threads(self, alone: Any, least: int) -> Any:
        """Cost of all threads together (work, idle time, starts), given the cost `alone` of one thread, at least `least`."""
        one, even = self._variable((alone, 0, CEILING), "alone"), self.p.core.even
        threads = self.p.threads
        work = self.m.new_int_var(0, WORK, "work")
        starts = self.m.new_int_var(1, most_starts(self.p), "starts")
        idle: list[Any] = []
        literals = self.shared()
        nobody = literals.pop(None, 0)
        if self.p.or_alone and least * threads > WORK:
            self.m.add(nobody == 0)
        elif self.p.or_alone:
            short = self.m.new_int_var(0, WORK // threads, "short")  # not one * threads, which may leave 64 bits
            self.m.add(short >= one).only_enforce_if(nobody)
            self.m.add(work >= threads * short).only_enforce_if(nobody)
            idle.append(even * (threads - 1) * nobody)
        for loop, y in literals.items():
            assert loop is not None
            by_share: dict[int, list[Any]] = {}
            for c, x in enumerate(self.chains[loop[1]]):
                by_share.setdefault(uneven(self.p, c, loop) or even, []).append(x)
            for share, chains in by_share.items():
                if share > even:
                    here = self.m.new_bool_var(f"share_{loop}_{share}")
                    self.m.add(sum(chains) + y <= 1 + here)
                    self.m.add(even * work >= share * one).only_enforce_if(here)
                    idle.append((share - even) * here)
            self._started(loop, y, starts)
        # It follows from the above, and is linear: one loop is shared, with one share.
        self.m.add(even * work >= even * one + least * sum(idle))
        return work + self.p.start * threads * (starts - nobody)

    def _started(self, loop: Loop, y: Any, starts: Any) -> None:
        """If the loop is shared (literal `y`), `starts` is no less than the trips of the loops around it."""
        by_place: dict[tuple[int, ...], list[Any]] = {}
        for o, order in enumerate(self.p.orders):
            by_place.setdefault(outside(order, loop), []).append(self.orders[loop[0] - 1][o])
        for first, orders in by_place.items():
            factors: list[Range] = []
            for e, a in enumerate(self.p.axes):
                times = self._pick(self.chains[e], [repeats(self.p, c, first[e], e) for c in range(len(a.chains))])
                if times[2] > 1:
                    high = min(times[2], most_starts(self.p))
                    factor = self.m.new_int_var(1, high, f"around_{loop}_{first}_{a.name}")
                    for order in orders:
                        self.m.add(factor >= times[0]).only_enforce_if(y, order)
                    factors.append((factor, 1, high))
            if factors:
                self.m.add(starts >= self._times(factors, f"starts_{loop}_{first}", most_starts(self.p))[0])


def build(problem: ScheduleProblem) -> ScheduleModel:
    """The model of the whole problem."""
    b = Builder(problem)
    b.link_registers()
    fits = b.m.new_bool_var("tile_fits_level_1")
    b.m.add(b.working_set(1) <= problem.capacities[0]).only_enforce_if(fits)
    for level in range(2, problem.levels + 1):
        b.m.add(b.working_set(level) <= problem.capacities[level - 1])
    stationary = b.stationary(fits)
    waits, first = _waits(b, stationary)
    links, added, packing = _moves(b, stationary)
    compute = b._pick(b.registers, [r.compute for r in problem.registers])
    blocks = b._times([b._tiles(d, 1) for d, a in enumerate(problem.axes) if a.reduction], "reduction_blocks")
    scope = b._times([b._pick(b.registers, [r.scope for r in problem.registers]), blocks], "scopes", CEILING)
    added = added + scope[0] + first
    if problem.overlap:
        high = compute[2] + 2 * max(compute[2], sum(x[2] for x in links))
        slowest = b.m.new_int_var(compute[1], high, "slowest")
        for level, link in enumerate(links, 1):
            for x, y in problem.core.contention(level):
                late = b.m.add(problem.core.whole * slowest >= x * compute[0] + y * link[0])
                if waits is not None and level > 1:
                    late.only_enforce_if(waits)
        if waits is not None:
            _sooner(b, slowest, compute, links, waits)
        _bursts(b, slowest, compute, stationary, waits)
        alone = slowest + added
        objective = (
            b.of_all_threads(alone, compute[1] + scope[1]) if problem.parallelizable else alone * problem.threads
        )
    else:
        objective = sum((x[0] for x in links), compute[0]) + added
        if problem.parallelizable:
            b.shared()
    b.m.minimize(objective)
    return ScheduleModel(b.m, b.registers, b.chains, b.orders, packing, objective)


def _bursts(b: Builder, slowest: Any, compute: Range, stationary: dict[tuple[int, int], Any], waits: Any) -> None:
    """`slowest` is at least computing plus the part of each burst into a cache that its first walks do not hide."""
    for n, o in enumerate(b.p.operands):
        levels = [u for u in range(2, b.u + 1) if o.bursts(u)]
        if not levels:
            continue
        walks = _walks(b, o)
        one = b.m.new_int_var(0, compute[2] // prod(w[1] for w in walks), f"walk_{o.name}")
        walk = (one, 0, compute[2] // prod(w[1] for w in walks))
        b.m.add(b._times([walk, *walks], f"walks_{o.name}", CEILING)[0] <= compute[0])
        for u in levels:
            hidden = b._times([walk, b.refetch(n, u, stationary)], f"hidden_{o.name}_{u}", CEILING)
            moved, link = b.traffic[n, u], o.link[u - 1]
            whole = b.p.core.whole
            for x, y in b.p.core.into_others:
                waiting = b.m.add(whole * (slowest - compute[0]) >= y * link * moved[0] - (whole - x) * hidden[0])
                if o.blockwise and waits is not None:
                    waiting.only_enforce_if(waits)


def _walks(b: Builder, o: TileOperand) -> list[Range]:
    """Factors of how often registers walk over the operand."""
    return [b._tiles(d, 1) for d in range(len(b.p.axes)) if d not in o.axes]


def _waits(b: Builder, stationary: dict[tuple[int, int], Any]) -> tuple[Any, Any]:
    """(literal "tiles are waited for", cost of the first tiles of operands brought blockwise).

    The literal may be false only if level 2 has room for the next tiles, each tile is used at least twice, and the
    register tile has at least `blockwise` outputs per element. It is None, and the cost 0, without blockwise operands
    or without a level 2.
    """
    operands = tuple(o for o in b.p.operands if o.blockwise)
    if not operands or b.u < 2:
        return None, 0
    waits = b.m.new_bool_var("waits")
    b.m.add(b.working_set(2) + b.working_set(2, operands) <= b.p.capacities[1]).only_enforce_if(waits.Not())
    for n, o in enumerate(b.p.operands):
        if o.blockwise:
            uses = b._times(_walks(b, o), f"uses_{o.name}", CEILING)[0]
            b.m.add(uses >= 2 * b.refetch(n, 2, stationary)[0]).only_enforce_if(waits.Not())
            for r, x in enumerate(b.registers):
                if rows(b.p, r, o) < o.blockwise:
                    b.m.add_implication(x, waits)
    paid = []
    for o in operands:
        most = first_tile(b.p, o) * (b.p.capacities[1] // o.bytes)
        paid.append(b.m.new_int_var(0, most, f"first_{o.name}"))
        b.m.add(o.bytes * paid[-1] >= first_tile(b.p, o) * b.working_set(2, (o,))).only_enforce_if(waits.Not())
    return waits, sum(paid)


def _sooner(b: Builder, slowest: Any, compute: Range, links: list[Range], waits: Any) -> None:
    """`slowest` is at least schedule_cost.in_turns(), with the links of operands brought blockwise sooner."""
    core = b.p.core
    part = gcd(
        core.whole, *(y for _, y in core.into_others)
    )  # by which all numbers are divided, so that they stay small
    for level in range(2, b.u + 1):
        early = [
            (core.whole - core.sooner) * o.link[level - 1] * b.traffic[n, level][0]
            for n, o in enumerate(b.p.operands)
            if o.blockwise and o.bursts(level)
        ]
        for x, y in core.into_others:
            first = core.delaying * links[0][0] if level == 2 and (x, y) == core.into_others[-1] else 0
            beside = y // part * (first + core.whole * links[level - 1][0] - sum(early))
            time, own = core.whole**2 // part * slowest, core.whole * x // part * compute[0]
            b.m.add(time >= own + beside).only_enforce_if(waits.Not())


def _moves(b: Builder, stationary: dict[tuple[int, int], Any]) -> tuple[list[Range], Any, list[dict[int, Any]]]:
    """Cost of each link, the costs added on top (exposed, packing, in place), and the packing literals."""
    p = b.p
    links: list[Range] = [(0, 0, 0)] * p.levels
    added: list[Any] = []  # not a running sum: += would change the expression it began with
    packing = []
    for n, o in enumerate(p.operands):
        literals = b.packing(n)
        packing.append(literals)
        for u in range(1, p.levels + 1):
            factors = [b.footprint(c, u)[1] for c in o.components] + [b.refetch(n, u, stationary)]
            moved = b._times(factors, f"traffic_{o.name}_{u}", CEILING // dearest(o, u))
            b.traffic[n, u] = moved
            e, low, high = links[u - 1]
            k = o.link[u - 1]
            links[u - 1] = (e + k * moved[0], low + k * moved[1], high + k * moved[2])
            added.append(o.exposed[u - 1] * moved[0])
            if u == 1 and o.apart and IN_PLACE in literals:
                lost = b.m.new_int_var(0, o.apart * moved[2], f"apart_{o.name}")
                b.m.add(lost >= o.apart * moved[0]).only_enforce_if(literals[IN_PLACE])
                added.append(lost)
            if u in literals:
                paid = b.m.new_int_var(0, o.pack[u - 1] * moved[2], f"pack_{o.name}_{u}")
                b.m.add(paid >= o.pack[u - 1] * moved[0]).only_enforce_if(literals[u])
                added.append(paid)
                if o.rows is not None and o.segment:
                    added.append(_copied(b, n, u, stationary, literals[u]))
        if IN_PLACE in literals and any(r.in_place[n] for r in p.registers):
            worst = max(r.in_place[n] for r in p.registers)
            paid = b.m.new_int_var(0, worst, f"in_place_{o.name}")
            cost = b._pick(b.registers, [r.in_place[n] for r in p.registers])
            b.m.add(paid >= cost[0]).only_enforce_if(literals[IN_PLACE])
            added.append(paid)
        if IN_PLACE in literals and o.rows is not None and any(r.visit(n) for r in p.registers):
            added.append(_walked(b, n, stationary, literals[IN_PLACE]))
    return links, sum(added), packing


def _copied(b: Builder, n: int, level: int, stationary: dict[tuple[int, int], Any], packed: Any) -> Any:
    """The cost of beginning the copied pieces of rows, paid only if operand n is packed for the level."""
    o = b.p.operands[n]
    assert o.rows is not None
    pieces = [b.footprint(c, level)[1] for c in o.rows.components]
    pieces += [b._tiles(d, level) for d in sorted(o.axes - o.rows.axes)]
    return _paid(b, [*pieces, b.refetch(n, level, stationary)], (o.segment,) * 3, f"copied_{o.name}_{level}", packed)


def _paid(b: Builder, factors: list[Range], each: Range, name: str, where: Any) -> Any:
    """The product of the factors, times `each` if the literal is true, else 0."""
    most = min(CEILING, prod(f[2] for f in (*factors, each)))
    seen = b.m.new_int_var(0, each[2], f"each_{name}")
    b.m.add(seen >= each[0]).only_enforce_if(where)
    return b._times([*factors, (seen, 0, each[2])], name, most)[0]


def _walked(b: Builder, n: int, stationary: dict[tuple[int, int], Any], in_place: Any) -> Any:
    """The cost of visiting the rows of operand n, paid only if it is read in place."""
    each = b._pick(b.registers, [r.visit(n) for r in b.p.registers])
    return _paid(b, b.rows_begun(n, stationary), each, f"walked_{b.p.operands[n].name}", in_place)


# ---- Solve a schedule problem with CP-SAT, under a deterministic limit, and check the answer against plain integers.
#
# The pool is CP-SAT's optimum, then the optimum of what is left, and so on. Dozens of choices share the least price, because the
# outer tiles of an operand that is not fetched again cost nothing. So two choices count as one kind when register tile, packing and
# the part of each reduction that is done while the accumulators stay open agree, and the pool holds the cheapest of each kind.


# One deterministic second of CP-SAT takes about one second of one core; the wall clock may run this many times longer
# before it stops a solve on a loaded machine.
WALL_FACTOR = 4.0
# What part of the time to search how: (share, linear relaxation), which takes twice as long as is counted. Without the relaxation
# nearly all models are solved soonest; others, such as 700x1024x512 for two threads, end with a gap of 90% without it.
SEARCHES = ((0.25, 0), (0.4, 1))
SHORT = 1.0  # deterministic seconds after which an answer that is near enough is taken
LAST, NOISE = 50, 0.002  # so many solutions that together gain less than this part are no gain
# The first search looks among so many chains of each register tile's part alone. It finds the best choice nearly always, in a third
# of the time: then the whole search only has to show that there is no better one, and never ends far from it.
FEW = 3
FEW_SHARE = 0.1  # of the time
Progress = Callable[[int, float, float], None]


class _Watch(cp_model.CpSolverSolutionCallback):
    """Counts the choices found, tells `progress` (solutions, objective, bound) of them, and ends a search without a further gain.

    enough: the relative gap at which a search may end; 0: only at the optimum. last: no other search follows to come
    nearer.
    """

    def __init__(self, progress: Progress | None, enough: float, last: bool) -> None:
        super().__init__()
        self.progress, self.enough, self.last, self.near = progress, enough, last, False
        self.solutions = 0
        self.interrupted = self.noise = False
        self.objectives: list[float] = []

    def interrupt(self) -> None:
        """Ctrl-C came: the search ends at its next solution, if it has not before."""
        self.interrupted = True

    def on_solution_callback(self) -> None:
        self.solutions += 1
        if self.interrupted:  # Ctrl-C came before CP-SAT could be stopped
            self.stop_search()
        elif self._gains_nothing(self.objective_value, self.best_objective_bound):
            self.noise = True
            self.stop_search()
        elif self.progress is not None:
            try:
                self.progress(self.solutions, self.objective_value, self.best_objective_bound)
            except KeyboardInterrupt:
                self.interrupted = True
                self.stop_search()

    def _gains_nothing(self, objective: float, bound: float) -> bool:
        """Whether the last solutions together were no gain, and another search may find more, or it is near enough."""
        if not self.enough:
            return False
        self.objectives.append(objective)
        self.near = objective - bound <= self.enough * abs(objective)
        before = self.objectives[-LAST - 1] if len(self.objectives) > LAST else math.inf
        return (self.near or not self.last) and before - objective <= NOISE * abs(objective)


def solve(
    problem: ScheduleProblem,
    deterministic_seconds: float,
    progress: Progress | None = None,
    seed: int = 0,
    enough: float = 0.0,
    model: ScheduleModel | None = None,
) -> Answer:
    """The cheapest choice, with the bound proved. Ctrl-C ends the search with the best choice so far.

    enough: a gap at which the search ends, once SHORT seconds have not closed it or nothing is gained any more. The
    same problem, limit and seed give the same answer on any load, unless `stopped` says otherwise. model: one of the
    problem, with further constraints.
    """
    started = time.monotonic()
    attempts: list[Answer] = []
    if model is None:
        model, attempts = _begun(problem, deterministic_seconds, seed, watched=progress is not None)
    if model is None:
        return _with_fewest_loops(problem, _answer(problem, attempts, time.monotonic() - started))
    searches = [(share * deterministic_seconds, linearization, enough) for share, linearization in SEARCHES]
    if enough:
        searches.insert(0, (min(SHORT, searches[0][0]), searches[0][1], 0.0))
    for n, (limit, linearization, near) in enumerate(searches, 1):
        wall = max(1.0, max(10.0, WALL_FACTOR * deterministic_seconds) - (time.monotonic() - started))
        if attempts and attempts[-1].stopped == INTERRUPTED:
            break
        if attempts and attempts[-1].choice is not None and deadline.enough():
            attempts[-1] = replace(attempts[-1], stopped=WALL)
            break
        solver = _solver(limit, wall, linearization, seed)
        solver.parameters.relative_gap_limit = near
        before = sum(x.solutions for x in attempts)
        attempts.append(_attempt(problem, model, solver, progress, before, enough, n == len(searches)))
        if attempts[-1].status not in OPEN or attempts[-1].stopped != LIMIT:
            break
        _hint(model, attempts[-1].choice)
    model.model.clear_hints()
    return _with_fewest_loops(problem, _answer(problem, attempts, time.monotonic() - started))


def _begun(
    problem: ScheduleProblem, deterministic_seconds: float, seed: int, watched: bool
) -> tuple[ScheduleModel | None, list[Answer]]:
    """The model of the whole problem, and the best choice among few chains, if they are fewer: its cost bounds the objective.

    No model if that choice costs as little as anything can, and nobody watches for better ones.
    """
    places = [_few(a) for a in problem.axes]
    if all(len(p) == len(a.chains) for p, a in zip(places, problem.axes, strict=True)):
        return build(problem), []
    axes = zip(problem.axes, places, strict=True)
    small = replace(problem, axes=tuple(replace(a, chains=tuple(a.chains[n] for n in p)) for a, p in axes))
    limit = FEW_SHARE * deterministic_seconds
    found = _attempt(small, build(small), _solver(limit, max(10.0, WALL_FACTOR * limit), 0, seed), None, 0, 0.0, False)
    if found.choice is None:
        return build(problem), [found] if found.stopped == INTERRUPTED else []
    choice = replace(found.choice, chains=tuple(p[n] for p, n in zip(places, found.choice.chains, strict=True)))
    cost = evaluate(problem, choice)
    if cost is None:
        raise ValueError("a choice among few chains is none of the whole space")
    if cost.total == least(problem) and not found.stopped and not watched:
        return None, [replace(found, status="OPTIMAL", choice=choice, cost=cost, bound=cost.total)]
    whole = build(problem)
    whole.model.add(whole.objective <= cost.total)
    _hint(whole, choice)
    return whole, [replace(found, status="FEASIBLE", choice=choice, cost=cost, bound=0, solutions=0)]


def _with_fewest_loops(problem: ScheduleProblem, answer: Answer) -> Answer:
    """The answer with the fewest loops of each axis at its cost: tiles without a gain only add loops, and loops take time."""
    choice, cost = answer.choice, answer.cost
    if choice is None or cost is None:
        return answer
    for d, axis in enumerate(problem.axes):
        trips = [[axis.tiles(n, level) for level in range(1, problem.levels + 2)] for n in range(len(axis.chains))]
        loops = [sum(x != y for x, y in pairwise(t)) for t in trips]
        now = choice.chains[d]
        alike = (n for n, c in enumerate(axis.chains) if c[0] == axis.chains[now][0] and loops[n] < loops[now])
        for n in sorted(alike, key=lambda n: (loops[n], n)):
            other = replace(choice, chains=(*choice.chains[:d], n, *choice.chains[d + 1 :]))
            price = evaluate(problem, other)
            if price is not None and price.total <= cost.total:
                choice, cost = other, price
                break
    return replace(answer, choice=choice, cost=cost)


def _few(axis: TileAxis) -> list[int]:
    """Positions of FEW chains for each first tile, spread over its chains."""
    by_tile: dict[int, list[int]] = {}
    for n, chain in enumerate(axis.chains):
        by_tile.setdefault(chain[0], []).append(n)
    return sorted({those[k * (len(those) - 1) // (FEW - 1)] for those in by_tile.values() for k in range(FEW)})


def _solver(deterministic_seconds: float, wall: float, linearization: int, seed: int) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = deterministic_seconds
    solver.parameters.max_time_in_seconds = wall
    solver.parameters.random_seed = seed
    solver.parameters.cp_model_probing_level = 0  # GEMM 1024^3: 9.0 s with probing, 1.0 s without
    solver.parameters.linearization_level = linearization
    solver.parameters.num_workers = 1  # several workers race each other: the answer would depend on the load
    return solver


def _attempt(
    problem: ScheduleProblem,
    model: ScheduleModel,
    solver: Any,
    progress: Progress | None,
    before: int,
    enough: float,
    last: bool,
) -> Answer:
    """One search. before: solutions of earlier searches, for the progress. enough: the gap at which a search without
    a gain ends; only the last search has to reach it."""
    told = None if progress is None else lambda n, best, bound: progress(before + n, best, bound)
    watch = _Watch(told, enough, last)
    status, interrupted = cp_sat.run(solver, model.model, watch, watch.interrupt)
    found = status is not None and solver.status_name(status) in ("OPTIMAL", "FEASIBLE")
    choice = _read(model, solver.boolean_value) if found else None
    cost = evaluate(problem, choice) if choice is not None else None
    word = solver.status_name(status) if status is not None else "UNKNOWN"
    near = False
    if word == "OPTIMAL" and cost is not None and round(solver.best_objective_bound) < cost.total:
        word, near = "FEASIBLE", True
    if word == "MODEL_INVALID":
        raise ValueError(f"the schedule model is not well formed: {model.model.validate()}")
    if choice is not None and cost is None:
        raise ValueError("CP-SAT's choice is not in the space; the encoding and schedule_cost disagree")
    if word == "OPTIMAL" and cost is not None and round(solver.objective_value) != cost.total:
        raise ValueError(f"CP-SAT prices its choice {solver.objective_value}, schedule_cost {cost.total}")
    stopped = ""
    if (interrupted or watch.interrupted) and word in OPEN:
        stopped = INTERRUPTED
    elif near or (watch.noise and watch.near and word in OPEN):
        stopped = ENOUGH
    elif word in OPEN:
        late = solver.wall_time >= solver.parameters.max_time_in_seconds or (choice is not None and deadline.enough())
        stopped = WALL if late else LIMIT
    if stopped == WALL:
        deadline.stopped()
    best = solver.best_objective_bound
    bound = round(best) if choice is not None and math.isfinite(best) else 0
    deterministic = solver.response_proto.deterministic_time
    return Answer(word, choice, cost, bound, solver.wall_time, watch.solutions, stopped, deterministic)


def _hint(model: ScheduleModel, choice: Choice | None) -> None:
    """Let the next search begin with this choice."""
    model.model.clear_hints()
    if choice is None:
        return
    rows = [(model.registers, choice.register), *zip(model.chains, choice.chains, strict=True)]
    rows += [*zip(model.orders, choice.orders, strict=True)]
    for literals, picked in rows:
        for n, x in enumerate(literals):
            model.model.add_hint(x, n == picked)
    for literal, option in zip(model.packing, choice.packing, strict=True):
        for o, x in literal.items():
            model.model.add_hint(x, o == option)


def _answer(problem: ScheduleProblem, attempts: list[Answer], seconds: float) -> Answer:
    """The best choice of all searches, and the best bound. Raises ValueError if they contradict each other."""
    last = attempts[-1]
    found = [(x.cost.total, x) for x in attempts if x.cost is not None]
    best = min(found, key=lambda f: f[0])[1] if found else last
    total = best.cost.total if best.cost is not None else None
    if total is not None and last.status == "INFEASIBLE":
        raise ValueError("CP-SAT calls a model infeasible that it has found a choice of")
    if total is not None and last.status == "OPTIMAL" and last.cost is not None and last.cost.total > total:
        raise ValueError(f"CP-SAT calls {last.cost.total} the optimum, and has found a choice that costs {total}")
    word = "FEASIBLE" if total is not None and last.status == "UNKNOWN" else last.status
    # Stopped early, CP-SAT may have no bound yet; computing alone gives one.
    bound = max(min(r.compute + r.scope for r in problem.registers), *(x.bound for x in attempts), 0)
    if word == "OPTIMAL" and total is not None:
        bound = total
    found_in_all = sum(x.solutions for x in attempts)
    worked = sum(x.deterministic for x in attempts)
    return Answer(word, best.choice, best.cost, bound, seconds, found_in_all, last.stopped, worked)


def _read(model: ScheduleModel, value: Any) -> Choice:
    """The choice spelled by the true literals."""

    def which(literals: list[Any]) -> int:
        return next(n for n, x in enumerate(literals) if value(x))

    return Choice(
        which(model.registers),
        tuple(which(c) for c in model.chains),
        tuple(which(o) for o in model.orders),
        tuple(next(option for option, x in p.items() if value(x)) for p in model.packing),
    )


def pool(problem: ScheduleProblem, deterministic_seconds: float, seed: int = 0) -> Iterator[Answer]:
    """The cheapest choice of each kind, one after another, cheapest first; each is solved for on demand.

    This order holds while every answer is OPTIMAL; after the last kind the pool ends. A FEASIBLE answer was cut
    short by the limit and is the last. The limit holds for each answer.
    """
    model = build(problem)
    while True:
        answer = solve(problem, deterministic_seconds, seed=seed, model=model)
        if answer.choice is None or answer.cost is None:
            return
        yield answer
        if answer.status != "OPTIMAL":
            return
        model.model.add(model.objective >= answer.cost.total)
        model.model.add_bool_or(_otherwise(problem, model, answer.choice))


def _otherwise(problem: ScheduleProblem, model: ScheduleModel, choice: Choice) -> list[Any]:
    """Literals of another kind of choice: one is true exactly if a choice differs in kind from this one."""
    found = [model.registers[choice.register].negated()]
    found += [literals[option].negated() for literals, option in zip(model.packing, choice.packing, strict=True)]
    for axis, literals, n in zip(problem.axes, model.chains, choice.chains, strict=True):
        if axis.reduction:
            part = axis.chains[n][1]
            found += [x for x, row in zip(literals, axis.chains, strict=True) if row[1] != part]
    return found
