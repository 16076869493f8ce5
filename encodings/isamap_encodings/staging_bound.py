"""A lower bound on the time of a staged plan: the longest of some paths through its uses, over numbers or a solver's expressions.

A use begins when the one before it on its engine is done and its awaited signals have come. So a chain of uses, each
waiting for the one before, takes no longer than the plan. The counters of a program of stages (in visits
`n = 0, 1, ...` of a stage):

    fill n of an input   awaits released n - slots;    its executions await filled n
    released n           the executions of visit n;    of a further stage: the moves on from it
    begin n of outputs   awaits stored n - slots;      store n awaits finished n

An engine's own uses follow the text: its fills outside of a stage come behind the last tiles of that stage.

Executions take the same time in all visits of a stage, unless the instruction passes fewer points at rims: then one
visit counts the quickest of them. Moves differ at rims and in tiles cut by `where`. A path counts the first visit of a
stage as it is (whole tiles), and any other one as its last, the quickest. Of moves cut by `where` it counts all points,
and none if it counts single visits.

A memory shared by engines serves one use after the other, so all its services are a path as well. If a use waits for
it, the use takes longer, and paths through the use stay bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from isamap_encodings.staging_problem import (
    REGIONS,
    Choices,
    Numbers,
    StagingAxis,
    StagingOperand,
    StagingProblem,
    Way,
    ahead,
)


@dataclass(frozen=True)
class _Moves:
    """Of a stage by one engine, in ticks: all of them; those of the first visit before executions begin, at least; those of
    any visit, at least and at most."""

    total: Any
    first: Any
    least: Any
    most: Any


def paths(problem: StagingProblem, chosen: Choices, n: Numbers) -> dict[str, Any]:
    """By name, in ticks. Each is at most the time of the plan."""
    return _Paths(problem, chosen, n).found()


def bound(problem: StagingProblem, chosen: Choices, n: Numbers) -> Any:
    """The longest of them."""
    return n.most(*paths(problem, chosen, n).values())


class _Paths:
    def __init__(self, problem: StagingProblem, chosen: Choices, n: Numbers) -> None:
        self.p, self.c, self.n = problem, chosen, n
        self.visits = [
            n.times(*(n.where(chosen.outside[a.name, r], chosen.count[a.name], 1) for a in problem.axes))
            for r in range(REGIONS)
        ]
        self.of = {o.name: self._visits(o) for o in problem.stages}
        self.fills = (*problem.outers, *problem.inputs)
        engines = {w.engine for o in problem.stages for w in o.ways} | {problem.engine}
        engines |= {x.engine for w in problem.output.ways for x in (*w.begins, *w.ends)}
        self.engines = sorted(engines)
        self.moves = {
            (o.name, e): m for o in problem.stages for e in engines if (m := self._moves(o, _of(e))) is not None
        }
        self.out, self.own = problem.output.name, problem.engine
        self.alike = n.times(problem.execute, *chosen.padded.values())  # if each took what the quickest one does
        self.executed = problem.executed or self.alike
        begins, ends = ([getattr(w, x) for w in problem.output.ways] for x in ("begins", "ends"))
        self.begun = {e: self._beside(begins, _of(e)) for e in engines}
        self.ended = {e: self._beside(ends, _of(e)) for e in engines}

    def _visits(self, o: StagingOperand) -> Any:
        """How often a stage is filled."""
        n, stands = self.n, self.c.stands
        return n.largest(1, *(n.where(stands[o.name, r], self.visits[r], 0) for r in range(REGIONS)))

    # ---- What moves take.

    def _moves(self, o: StagingOperand, part: _Part) -> _Moves | None:
        """Moves of a stage, by the selected parts of its ways; None if no way has one."""
        mine = [(bit, found) for bit, w in zip(self.c.ways[o.name], o.ways, strict=True) if (found := part(w))]
        if not mine:
            return None
        parts = [
            _sum([self._made(o, w) for w in found]) if len(found) > 1 else self._made(o, found[0]) for _, found in mine
        ]
        if len(mine) < len(o.ways) or len(mine) > 1:
            parts = [self._if(bit, m) for (bit, _), m in zip(mine, parts, strict=True)]
        if o.of:
            parts = [self._if(self.c.present[o.name], m) for m in parts]
        return _sum(parts)

    def _made(self, o: StagingOperand, way: Way) -> _Moves:
        """Moves of all tiles of a stage one way, where these are filled."""
        found, inside = self._moved(o, way), self.c.inside[o.name]
        if inside is False or way.outer:
            return found
        return replace(found, first=self.n.where(inside, self._tiles_of(o, way), found.first))

    def _beside(self, ways: list[tuple[Way, ...]], part: _Part) -> _Moves:
        """Moves of each tile of the output beside its products. ways: for each way of the output, its moves of this kind."""
        found = [_Moves(0, 0, 0, 0)]
        for bit, steps in zip(self.c.ways[self.p.output.name], ways, strict=True):
            mine = [self._moved(self.p.output, w) for step in steps for w in part(step)]
            if mine:
                found.append(self._if(bit, _sum(mine)) if len(ways) > 1 else _sum(mine))
        return _sum(found)

    def _if(self, condition: Any, m: _Moves) -> _Moves:
        return _Moves(*(self.n.where(condition, x, 0) for x in (m.total, m.first, m.least, m.most)))

    def _moved(self, o: StagingOperand, way: Way) -> _Moves:
        """Moves of all tiles of a stage one way. Loops around it make the moves again if it does not depend on them."""
        n, c = self.n, self.c
        points = {a.name: a.points for a in self.p.axes}
        again = n.times(
            *(n.where(c.around[a.name, o.name], c.count[a.name], 1) for a in self.p.axes if a.name not in o.axes)
        )

        def tiles(per: Any) -> Any:
            """The product of a number for each axis."""
            return n.times(*map(per, o.axes))

        def visited(of: dict[str, Any]) -> Any:
            """Of points of a step in a visit of the stage, and of tiles of it."""
            return tiles(lambda a: n.where(c.around[a, o.name], of[a], points[a]) if a in way.per else inside(a))

        def inside(a: str) -> Any:
            return n.where(c.around[a, o.name], c.tiles[a], c.padded[a])

        visit, every, runs = tiles(inside), tiles(lambda a: c.padded[a]), 1
        if o.slides is not None:
            pair, runs = (o.slides.along, o.slides.over), o.slides.runs
            held = o.slides.count(n, *map(inside, pair))
            others = [a for a in o.axes if a not in pair]
            visit = n.times(held, *map(inside, others))
            steps = (n.where(c.around[a, o.name], c.count[a], 1) for a in pair)
            every = n.times(held, *steps, *(c.padded[a] for a in others))
        if not way.per:
            each = (way.start + way.each) // runs
            total = n.times(each, every, again)
            visit = n.times(each, visit) if each else 0
            return _Moves(total, visit, visit, visit)
        cut = way.points is not None
        active = way.points if cut else tiles(lambda a: points[a] if a in way.per else c.padded[a])
        if o.slides is not None and cut:  # moves that are left out have as many points as the largest, at most
            active = n.less(active, n.times(way.largest, n.less(n.times(runs, tiles(lambda a: c.padded[a])), every)))
        total = n.times(n.times(way.start // runs, every) + n.times(way.each, active), again)
        issued = n.times(way.start // runs, visit) if way.start else 0
        whole = issued + n.times(way.each, visited(c.first))
        return _Moves(
            total, issued if cut else whole, issued if cut else issued + n.times(way.each, visited(c.last)), whole
        )

    def _tiles_of(self, o: StagingOperand, way: Way, every: Mapping[str, Any] | None = None) -> Any:
        """Moves of the tiles of the first step. every: axis -> whether of all steps along it."""
        n, c = self.n, self.c
        all_points = {a.name: a.points for a in self.p.axes}
        whole = {a: (every or {}).get(a, False) for a in o.axes}
        pairs = {a: ((c.padded[a], c.tiles[a]), (all_points[a], c.first[a])) for a in o.axes}
        of = [tuple(n.where(whole[a], x, y) for x, y in pairs[a]) for a in o.axes]
        tiles = n.times(*(t for t, _ in of))
        if not way.per:
            return n.times(way.start + way.each, tiles)
        issued = n.times(way.start, tiles) if way.start else 0
        points = (p if a in way.per else t for a, (t, p) in zip(o.axes, of, strict=True))
        return issued if way.points is not None else issued + n.times(way.each, n.times(*points))

    def _serial(self, o: StagingOperand, m: _Moves, whole: Any) -> Any:
        """Moves that come before all executions; of a stage filled inside of the loops only the first ones do."""
        inside = self.c.inside[o.name]
        return whole if inside is False else self.n.where(inside, m.first, whole)

    def _often(self, o: StagingOperand) -> Any:
        """After how many parts of the executions, at most, a stage may be filled again."""
        inside = self.c.inside[o.name]
        return self.of[o.name] if inside is False else self.n.where(inside, self._every, self.of[o.name])

    @cached_property
    def _every(self) -> Any:
        """The visits of the stage that is filled most often."""
        return self.n.largest(*self.of.values())

    # ---- Paths.

    def found(self) -> dict[str, Any]:
        """All of them."""
        found = {**self._work, **self._computing(), **self._filling(), **self._in_turns(), **self._stored_in_turns()}
        return {**found, **self._ahead(), **self._inside(), **self._served()}

    def _served(self) -> dict[str, Any]:
        """Each memory serves all uses, one after the other."""
        found = {}
        for memory, one, every in self.p.served:
            part = _at(memory)
            begins, ends = ([getattr(w, x) for w in self.p.output.ways] for x in ("begins", "ends"))
            moves = [m.total for o in self.p.stages if (m := self._moves(o, part)) is not None]
            beside = [self._beside(x, part).total for x in (begins, ends)]
            executed = every or self.n.times(one, *self.c.padded.values())
            found[f"served by {memory}"] = _add(*moves, *beside, executed)
        return found

    def _of(self, engine: str) -> list[tuple[StagingOperand, _Moves]]:
        """The inputs' stages with a way to be filled by the engine."""
        return [(o, self.moves[o.name, engine]) for o in self.fills if (o.name, engine) in self.moves]

    @cached_property
    def _stores(self) -> dict[str, _Moves]:
        return {e: self.moves[self.out, e] for e in self.engines if (self.out, e) in self.moves}

    @cached_property
    def _work(self) -> dict[str, Any]:
        """Each engine does all its uses, one after the other."""
        found = {}
        for e in self.engines:
            parts = [m.total for _, m in self._of(e)] + [x[e].total for x in (self.begun, self.ended)]
            parts += [self._stores[e].total] if e in self._stores else []
            found[f"work of {e}"] = _add(*parts, self.executed if e == self.own else 0)
        return found

    @cached_property
    def _head(self) -> Any:
        """Before the first execution: each other engine's first fills; tiles on the way through a further memory move twice."""
        heads = [0]
        for e in self.engines:
            if e != self.own and (self._of(e) or not _none(self.begun[e].total)):
                heads.append(_add(*(m.first for _, m in self._of(e)), self.begun[e].first))
        for _, first, on in self._passed:
            heads += [_add(first.first, m.first) for e, m in on.items() if e != self.own]
        return self.n.largest(*heads)

    @cached_property
    def _passed(self) -> list[tuple[StagingOperand, _Moves, dict[str, _Moves]]]:
        """Each further stage with its fills, and by engine the moves on from it; 0 if it is passed by."""
        found = []
        for o in self.p.outers:
            (home,) = (x for x in self.p.inputs if x.name == o.of)
            fills = _sum([m for e in self.engines if (m := self.moves.get((o.name, e))) is not None])
            on = {}
            for e in self.engines:
                mine = [
                    self._if(bit, self._moved(home, w))
                    for bit, w in zip(self.c.ways[home.name], home.ways, strict=True)
                    if w.engine == e and w.outer == o.name
                ]
                if mine:
                    on[e] = _sum(mine)
            found.append((o, fills, on))
        return found

    @cached_property
    def _ending(self) -> Any:
        """After the last execution: the last tiles are changed and stored."""
        return _add(*(m.least for m in self._stores.values()), self.ended[self.own].least)

    @cached_property
    def _rest(self) -> Any:
        """The uses of the computing engine from its first execution on."""
        mine = self._work[f"work of {self.own}"]
        before = _add(*(m.most for _, m in self._of(self.own)), self.begun[self.own].most)
        return self.n.less(mine, before)

    def _computing(self) -> dict[str, Any]:
        """The computing engine from its first execution on; and then another one stores the last tiles."""
        rest, head = self._rest, self._head
        tail = _add(*(m.least for e, m in self._stores.items() if e != self.own))
        found = {"computing": _add(head, rest, tail)}
        for o, first, on in self._passed:
            if self.own in on:
                moved = self.n.where(self.c.present[o.name], _add(first.first, on[self.own].first, rest, tail), 0)
                found[f"computing behind {o.name}"] = moved
        one = self.n.quotient(self.alike, self.of[self.out])
        found["storing"] = _add(head, one, *(m.total for m in self._stores.values()))
        return found

    def _filling(self) -> dict[str, Any]:
        """An engine that fills; its last tiles are used and stored. If it stores as well, it waits for sums in between."""
        n, found = self.n, {}
        for e in self.engines:
            mine = self._of(e)
            if e == self.own or not mine:
                continue
            filled = _add(*(m.total for _, m in mine))
            often = n.largest(1, *(n.where(self._does(o, e), self.of[o.name], 0) for o, _ in mine))
            parts = n.largest(1, *(n.where(self._does(o, e), self._often(o), 0) for o, _ in mine))
            found[f"filling by {e}"] = _add(filled, n.quotient(self.alike, parts), self._ending)
            if e not in self._stores:
                continue
            stored = self._stores[e].total
            turns, inner = n.smallest(self.of[self.out], often), n.largest(self.of[self.out], parts)
            waits = n.times(turns, n.quotient(self.alike, inner))
            found[f"filling and storing by {e}"] = n.where(self._by(e), _add(filled, stored, waits), 0)
            visits = self.of[self.out]
            each = [self._serial(o, m, n.times(n.smallest(visits, self.of[o.name]), m.least)) for o, m in mine]
            # what fills no stage for each tile of the output stores the last of them before it fills the next
            last = n.times(n.smallest(often, self.of[self.out]), self._stores[e].least)
            some = n.where(n.fewer(often, self.of[self.out]), last, stored)
            whole = _add(*each, self.executed, self.ended[self.own].total, some)
            found[f"storing before filling by {e}"] = n.where(self._by(e), whole, 0)
        return found

    def _does(self, o: StagingOperand, engine: str) -> Any:
        """Whether the engine fills the stage."""
        bits = [b for b, w in zip(self.c.ways[o.name], o.ways, strict=True) if w.engine == engine]
        if len(bits) == len(o.ways):
            return self.c.present[o.name] if o.of else True
        return self.n.some(*bits)

    def _by(self, engine: str) -> Any:
        """Whether the engine stores."""
        return self._does(self.p.output, engine)

    def _in_turns(self) -> dict[str, Any]:
        """Tiles in one slot are filled and used in turns; behind such a fill, the engine fills the stages inside anew.
        A further stage in one slot is filled when its last tiles are taken on."""
        n, c, found = self.n, self.c, {}
        for e in self.engines:
            if e == self.own:
                continue
            inputs = [(o, m) for o, m in self._of(e) if not o.of]
            if not inputs:
                continue
            one = {o.name: n.both(c.single[o.name], self._does(o, e)) for o, _ in inputs}
            turns = [n.where(one[o.name], self._serial(o, m, m.total), 0) for o, m in inputs]
            often = n.largest(0, *(n.where(one[o.name], self.of[o.name], 0) for o, _ in inputs))
            anew = []
            for r in range(1, REGIONS):
                outside = [
                    n.where(n.both(one[o.name], c.stands[o.name, q]), self.visits[q], 0)
                    for o, _ in inputs
                    for q in range(r)
                ]
                times = n.largest(0, *outside)
                for o, m in self._of(e):
                    several = n.where(n.both(c.stands[o.name, r], n.without(one.get(o.name, False))), m.least, 0)
                    anew.append(n.times(times, several))
            beside = [self._but(m, often, self.of[o.name]) for o, m in self._of(self.own)]
            beside.append(self._but(self.begun[self.own], often, self.of[self.out]))
            whole = _add(*turns, *anew, *beside, self.executed, self._ending)
            found[f"one slot, by {e}"] = n.where(n.fewer(0, often), whole, 0)
        for o, fills, on in self._passed:
            for e, m in on.items():
                last = n.quotient(self.alike, self.of[o.of])
                serial = e == self.own and not self.p.executed
                between = n.less(self.executed, n.times(self.of[o.name], last)) if serial else 0
                whole = _add(self._serial(o, fills, fills.total), m.total, between, last, self._ending)
                here = n.both(n.both(c.single[o.name], c.present[o.name]), self._chosen(o, e))
                found[f"one slot of {o.name}, by {e}"] = n.where(here, whole, 0)
        return found

    def _ahead(self) -> dict[str, Any]:
        """An engine fills a stage ahead of its uses by the stage's slots, no more; before it fills those outside
        anew, it fills the last tiles of this stage. So the executions it was ahead of are left out of all executions
        at each such fill. A further stage is filled when its tiles are taken on, by the computing engine, before the
        executions of that visit."""
        n, c, found = self.n, self.c, {}
        for e in self.engines:
            mine = self._of(e)
            if e == self.own or len(mine) < 2:
                continue
            for r, (o, m) in product(range(REGIONS - 1), mine):
                outside = [
                    n.where(c.stands[x.name, q], self._serial(x, moves, moves.total), 0)
                    for x, moves in mine
                    for q in range(r + 1)
                ]
                # at most its visits, also where it is no stage inside: products stay countable
                again, ahead = n.smallest(self.visits[r] - 1, self.of[o.name]), c.slots[o.name] + (1 if o.of else 0)
                lost = n.times(again, ahead, n.quotient(self.alike, self.of[o.name]))
                whole = [*outside, n.times(again, m.least), n.less(self.alike, lost), self._ending]
                for x, moves in self._of(self.own):
                    inside = n.some(*(c.stands[x.name, q] for q in range(r + 1, REGIONS)))
                    whole.append(n.where(inside, self._but_few(x, moves, self.visits[r], o, 2), 0))
                here = n.both(n.some(*(c.stands[o.name, q] for q in range(r + 1, REGIONS))), self._does(o, e))
                if o.of:
                    here = n.both(here, self._chosen(o, self.own))
                found[f"ahead of {o.name} in region {r}, by {e}"] = n.where(here, _add(*whole), 0)
        return found

    def _inside(self) -> dict[str, Any]:
        """A stage filled inside of the loops is filled for the last time in the first iteration of the loops that it does
        not depend on. Its engine has filled the other stages until then; and all that the computing engine does in later
        iterations follows."""
        n, c, found = self.n, self.c, {}
        several = [a for a in self.p.axes if a.tiles > 1]
        for o in self.fills:
            if c.inside[o.name] is False:
                continue
            others = [a for a in several if a.name not in o.axes]
            parts = {a.name: self._outermost(a, several) for a in others}
            left = [n.times(c.count[a] - 1, n.quotient(self.alike, parts[a])) for a in parts]
            left.append(n.quotient(self.alike, self._every))
            left += [n.times(self._later(x, parts), m.least) for x, m in self._of(self.own) if x is not o]
            stored = _add(*(m.least for m in self._stores.values()))
            left.append(n.where(self._alone, n.times(self._later(self.p.output, parts), stored), 0))
            for e in (w.engine for w in o.ways):
                if e == self.own:
                    continue
                before = [self._until(x, m, o, parts, e) for x, m in self._of(e) if x is not o]
                whole = _add(self.moves[o.name, e].total, *before, *left, self._ending)
                here = n.both(c.inside[o.name], self._does(o, e))
                found[f"filling {o.name} inside, by {e}"] = n.where(here, whole, 0)
        return found

    def _outermost(self, a: StagingAxis, several: list[StagingAxis]) -> Any:
        """How many iterations there are of a loop over steps, with those around it."""
        n = self.n
        around = (n.where(self._outside(b, a), self.c.count[b.name], 1) for b in several if b is not a)
        return n.times(self.c.count[a.name], *around)

    def _outside(self, a: StagingAxis, b: StagingAxis) -> Any:
        """Whether one loop over steps stands outside of another one."""
        regions = self.c.regions
        return self.n.fewer(regions[a.name], regions[b.name] + int(ahead(self.p, a, b)))

    def _filled_by(self, x: StagingOperand, o: StagingOperand) -> dict[str, Any]:
        """Of two stages filled inside of the loops: axes of the one -> whether tiles of all steps along it have come when the
        other is filled for the last time. Along one that the other does not depend on: if outside of its loop stands another
        one, of that stage alone, which is then past its first iteration."""
        n, c = self.n, self.c
        several = {a.name: a for a in self.p.axes if a.tiles > 1}
        passed = [several[a] for a in o.axes if a not in x.axes and a in several]
        found: dict[str, Any] = dict.fromkeys(o.axes, True)
        for b in (several[a] for a in x.axes if a not in o.axes and a in several):
            past = [n.both(n.fewer(1, c.count[a.name]), self._outside(a, b)) for a in passed]
            found[b.name] = n.some(*past) if past else False
        return found

    def _later(self, x: StagingOperand, parts: dict[str, Any]) -> Any:
        """Visits of a stage in later iterations. parts: of each loop over steps that is then in its first iteration, how many
        iterations there are, with those around it."""
        n, c = self.n, self.c
        after = (n.times(c.count[a] - 1, n.quotient(self.of[x.name], parts[a])) for a in parts)
        return _add(*(n.where(c.around[a, x.name], some, 0) for a, some in zip(parts, after, strict=True)))

    def _until(self, x: StagingOperand, m: _Moves, o: StagingOperand, parts: dict[str, Any], engine: str) -> Any:
        """Moves of a stage until another one is filled for the last time inside of the loops, if none stands further in."""
        n, c = self.n, self.c
        made = n.times(n.less(self.of[x.name], self._later(x, parts)), m.least)
        if c.inside[x.name] is not False:
            ways, every = zip(c.ways[x.name], x.ways, strict=True), self._filled_by(x, o)
            some = (
                n.where(bit, self._tiles_of(x, w, every), 0) for bit, w in ways if w.engine == engine and not w.outer
            )
            made = n.where(c.inside[x.name], _add(*some), made)
        if not o.of:
            return made
        further = (
            n.both(c.stands[o.of, r], c.stands[y.name, q])
            for y in self.p.stages
            for r in range(REGIONS)
            for q in range(r + 1, REGIONS)
        )
        return n.where(n.some(*further), 0, made)

    def _but_few(self, o: StagingOperand, m: _Moves, times: Any, by: StagingOperand, more: int) -> Any:
        """All moves of a stage, but so many times those of as many visits of another stage as that one has slots, and `more`."""
        n = self.n
        mine, its = self.of[o.name], self.of[by.name]
        often = n.times(n.smallest(times, its), self.c.slots[by.name] + more, n.quotient(n.largest(mine, its), its))
        return self._but(m, often, mine)

    def _but(self, m: _Moves, times: Any, visits: Any) -> Any:
        """All moves of a stage, but so many visits of it."""
        return self.n.less(m.total, self.n.times(self.n.smallest(times, visits), m.most))

    def _chosen(self, o: StagingOperand, engine: str) -> Any:
        """Whether an engine takes tiles on from a further stage."""
        (home,) = (x for x in self.p.inputs if x.name == o.of)
        pairs = zip(self.c.ways[home.name], home.ways, strict=True)
        return self.n.some(*(bit for bit, w in pairs if w.engine == engine and w.outer == o.name))

    @cached_property
    def _alone(self) -> Any:
        """Whether an output is stored before the next one begins."""
        n, c = self.n, self.c
        waiting = [b for b, w in zip(c.ways[self.out], self.p.output.ways, strict=True) if w.waits]
        if len(waiting) == len(self.p.output.ways):
            return False
        return n.both(c.single[self.out], n.without(n.some(*waiting))) if waiting else c.single[self.out]

    def _stored_in_turns(self) -> dict[str, Any]:
        """An output in one slot is stored before the next one begins."""
        n, single = self.n, self._alone
        if all(w.waits for w in self.p.output.ways):
            return {}
        apart = _add(*(m.total for e, m in self._stores.items() if e != self.own))
        outside = [n.where(n.fewer(self.of[o.name], self.of[self.out]), m.total, 0) for o, m in self._of(self.own)]
        begun = _add(*(n.less(m.total, m.most) for e, m in self.begun.items() if e != self.own))
        whole = _add(self._head, n.less(self._rest, _add(*outside)), apart, begun)
        found = {"one slot of the output": n.where(single, whole, 0)}
        everything = _add(
            self.executed, self.ended[self.own].total, *(m.total for m in self.begun.values()),
            *(m.total for m in self._stores.values()),
        )  # fmt: skip
        for e in self.engines:
            inputs = [(o, m) for o, m in self._of(e) if not o.of]
            if e == self.own or not inputs:
                continue
            inner = [
                n.where(
                    n.both(self.c.single[o.name], self._does(o, e)), self._but(m, self.of[self.out], self.of[o.name]), 0
                )
                for o, m in inputs
            ]
            found[f"one slot of the output and of inputs by {e}"] = n.where(single, _add(everything, *inner), 0)
            found |= {
                f"one slot of the output, filling {o.name} by {e}": self._resumed(o, e, single) for o, _ in inputs
            }
        return found

    def _resumed(self, o: StagingOperand, e: str, single: Any) -> Any:
        """An engine fills a stage inside of an output in one slot: it waits with the tiles it is not ahead of until
        the slot is stored; and with all of them, if it also begins the output."""
        n, visits, begins = self.n, self.of[self.out], self._begins(e)
        parts = [
            n.where(n.fewer(visits, self.of[x.name]), n.where(begins, m.total, self._but_few(x, m, visits, o, 1)), 0)
            for x, m in self._of(e)
        ]
        executed = n.times(n.smallest(visits, self.of[o.name]), n.quotient(self.alike, self.of[o.name]))
        stored = _add(self.begun[e].total, self.ended[self.own].total, *(m.total for m in self._stores.values()))
        inside = n.both(n.both(single, self._does(o, e)), n.fewer(visits, self.of[o.name]))
        return n.where(inside, _add(*parts, executed, stored), 0)

    def _begins(self, engine: str) -> Any:
        """Whether the engine begins tiles of the output."""
        ways = zip(self.c.ways[self.out], self.p.output.ways, strict=True)
        bits = [bit for bit, w in ways if any(x.engine == engine for x in w.begins)]
        return True if len(bits) == len(self.p.output.ways) else bool(bits) and self.n.some(*bits)


_Part = Callable[[Way], Sequence[Way]]


def _of(engine: str) -> _Part:
    """The ways of an engine."""
    return lambda w: [w] if w.engine == engine else []


def _at(memory: str) -> _Part:
    """The part of a way served by the memory."""
    return lambda w: [x for m, x in w.served if m == memory]


def _sum(parts: list[_Moves]) -> _Moves:
    return _Moves(*(_add(*(getattr(m, x) for m in parts)) for x in ("total", "first", "least", "most")))


def _add(*x: Any) -> Any:
    return sum((v for v in x if not _none(v)), start=0)


def _none(x: Any) -> bool:
    return isinstance(x, int) and not x


__all__ = ["bound", "paths"]
