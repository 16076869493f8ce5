"""Offsets of blocks that fill a memory at all times, like tiles: none of it is ever free.

    A A A A D      A ends where D begins, and is as long in memory: one rectangle
    B B C C D      so is C behind B; the two lie above or below A for as long: one rectangle again; and it is as high as D

First, rectangles are made of neighbours in time with equal cells, one block or several beside several. If sizes are
seldom equal by chance, most of these pairs lie so in each solution. The remaining blocks are searched: at the lowest
free place, between higher neighbours on both sides, one block must begin at the left end and one must end at the right.
One rectangle too many leaves no solution, so this is tried a few times, with more risk and with less. Each attempt has
a limit. Nothing is proved here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random

from isamap_encodings import deadline
from isamap_encodings.memory_fit import Block, loads, renumbered

ATTEMPTS, STEPS = 30, 2_000  # and places that are tried in an attempt, more of them in later ones
CHANCES = (
    1.0,
    0.3,
    0.1,
    0.03,
    0.01,
)  # sets that were compared, for each cell of those that are equal: no more are by chance
SETS = 4_000  # sets of blocks of one time, of one, two or three, and all of them
LARGEST = 1_500  # blocks to be searched

Times = tuple[int, int]


def tiled(blocks: Sequence[Block], capacity: int) -> list[int] | None:
    """Offsets in cells of renumbered blocks that hold `capacity` cells at all times. None if no attempt finds any, or
    the blocks hold fewer or more. Ends at the deadline."""
    if not blocks or set(loads(blocks)) != {capacity}:
        return None
    for attempt in range(ATTEMPTS):
        left = deadline.left()
        if left is not None and left <= 0:
            return None
        draw = Random(attempt)
        made = _Rectangles(blocks, draw, CHANCES[attempt % len(CHANCES)]).made()
        found = _placed(made, capacity, STEPS * (1 + attempt // len(CHANCES)), draw)
        if found is not None:
            return _offsets(len(blocks), made, found)
    return None


# ---- Rectangles of rectangles.


@dataclass(frozen=True, eq=False)
class _Rectangle(Block):
    """Blocks in a fixed arrangement: one behind the other in time, or, if `above`, one above the other in memory.

    of: the number of its only block, or -1.
    """

    parts: tuple[_Rectangle, ...] = ()
    above: bool = False
    of: int = -1

    def blocks(self, base: int) -> Iterator[tuple[int, int]]:
        """The numbers of the blocks, and their offsets."""
        left = [(self, base)]
        while left:
            r, at = left.pop()
            if r.of >= 0:
                yield r.of, at
            for p in r.parts:
                left.append((p, at))
                at += p.size if r.above else 0


def _offsets(count: int, made: Sequence[_Rectangle], places: Sequence[int]) -> list[int]:
    offsets = [0] * count
    for n, at in chain(*(r.blocks(at) for r, at in zip(made, places, strict=True))):
        offsets[n] = at
    return offsets


@dataclass(frozen=True)
class _Pair:
    """Rectangles that end at a time and as many cells of others that begin then. rank: the fewest rectangles, and the
    least likely to be equal by chance. chance: compared sets per cell."""

    rank: tuple[float, float]
    chance: float
    before: tuple[_Rectangle, ...]
    behind: tuple[_Rectangle, ...]


class _Rectangles:
    """Joins blocks to rectangles, as long as their being equal by chance is no more likely than `chance`."""

    def __init__(self, blocks: Sequence[Block], draw: Random, chance: float) -> None:
        self.draw, self.chance = draw, chance
        self.alike: dict[Times, list[_Rectangle]] = defaultdict(list)
        self.ends: dict[int, set[Times]] = defaultdict(set)
        self.begins: dict[int, set[Times]] = defaultdict(set)
        for n, b in enumerate(blocks):
            self._put(_Rectangle(b.first, b.last, b.size, of=n))

    def made(self) -> list[_Rectangle]:
        """The remaining rectangles after all joins."""
        best: dict[int, _Pair] = {}
        changed = set(self.ends) & set(self.begins)
        while True:
            for t in changed:
                pairs = [p for p in self._pairs(t) if p.chance <= self.chance]
                best.pop(t, None)
                if pairs:
                    best[t] = min(pairs, key=lambda p: p.rank)
            if not best:
                return [r for alike in self.alike.values() for r in alike]
            pair = min(best.values(), key=lambda p: p.rank)
            before, behind = self._taken(pair.before), self._taken(pair.behind)
            self._put(_Rectangle(before.first, behind.last, before.size, (before, behind)))
            changed = {before.first, behind.first, behind.last}

    def _pairs(self, time: int) -> Iterator[_Pair]:
        """Of each two pairs of times, for each number of cells: the fewest rectangles."""
        for early in self.ends.get(time, ()):
            ones = self.alike[early]
            sums = _sums(ones)
            for late in self.begins.get(time, ()):
                others = self.alike[late]
                found = _sums(others)
                for cells in sums.keys() & found.keys():
                    before, behind = sums[cells], found[cells]
                    whole = (len(before) == len(ones)) + (len(behind) == len(others))
                    chance = len(sums) * len(found) / (cells + 1) * self.draw.uniform(0.3, 3)
                    yield _Pair((len(before) + len(behind) - 0.7 * whole, chance), chance, before, behind)

    def _put(self, r: _Rectangle) -> None:
        times = r.first, r.last
        self.alike[times].append(r)
        self.begins[r.first].add(times)
        self.ends[r.last].add(times)

    def _taken(self, some: tuple[_Rectangle, ...]) -> _Rectangle:
        """One rectangle made of several with the same times; its parts are removed."""
        times = some[0].first, some[0].last
        self.alike[times] = [r for r in self.alike[times] if r not in some]
        if not self.alike[times]:
            del self.alike[times]
            self.begins[times[0]].discard(times)
            self.ends[times[1]].discard(times)
        return some[0] if len(some) == 1 else _Rectangle(*times, sum(r.size for r in some), some, above=True)


def _sums(alike: list[_Rectangle]) -> dict[int, tuple[_Rectangle, ...]]:
    """The smallest set of rectangles for each number of cells: of at most three, unless these sets are too many; and all."""
    found: dict[int, tuple[_Rectangle, ...]] = {}
    sets = 0
    for number in (1, 2, 3):
        sets = max(sets, 1) * max(len(alike) - number + 1, 0) // number
        for some in combinations(alike, number) if sets <= SETS else ():
            found.setdefault(sum(r.size for r in some), some)
    if alike:
        found.setdefault(sum(r.size for r in alike), tuple(alike))
    return found


# ---- The remaining rectangles are placed, each at the lowest free place.

_Level = tuple[int, int, int]  # from one time to before another, all cells below are taken


@dataclass
class _Choice:
    """A place, and the rectangles that may lie there, the last one first. placed: the current one."""

    levels: list[_Level]
    at: int
    left: list[int]
    placed: int = -1


def _placed(some: Sequence[_Rectangle], capacity: int, steps: int, draw: Random) -> list[int] | None:
    """An offset for each, filling the memory; None if there are none, or none within this many steps."""
    if len(some) > LARGEST:
        return None
    blocks = renumbered(some)
    search = _Search(blocks, capacity, draw)
    levels: list[_Level] = [(0, max(b.last for b in blocks), 0)]
    choices = [search.choice(levels)]
    for _ in range(steps):
        while choices and not choices[-1].left:
            search.take_back(choices.pop())
        if not choices:
            return None
        choice = choices[-1]
        search.take_back(choice)
        levels = search.place(choice)
        if levels == [(0, levels[-1][1], capacity)]:
            return search.offsets
        choices.append(search.choice(levels))
    return None


class _Search:
    """Rectangles with their offsets so far, and the candidates for each place."""

    def __init__(self, blocks: Sequence[Block], capacity: int, draw: Random) -> None:
        self.blocks, self.capacity, self.draw = blocks, capacity, draw
        self.offsets = [-1] * len(blocks)
        self.first: dict[int, list[int]] = defaultdict(list)
        self.last: dict[int, list[int]] = defaultdict(list)
        for n, b in enumerate(blocks):
            self.first[b.first].append(n)
            self.last[b.last].append(n)

    def choice(self, levels: list[_Level]) -> _Choice:
        """Of the lowest places and their two ends: the one with the fewest fitting rectangles."""
        low = min(height for *_, height in levels)
        best: _Choice | None = None
        for at, (begin, end, height) in enumerate(levels):
            for some in (self.first[begin], self.last[end]) if height == low else ():
                fits = [n for n in some if self._fits(self.blocks[n], begin, end, height) and self.offsets[n] < 0]
                if best is None or len(fits) < len(best.left):
                    best = _Choice(levels, at, fits)
        assert best is not None
        once = {self.blocks[n]: n for n in best.left}  # of equal ones it is the same which
        best.left = sorted(once.values(), key=lambda n: self._promise(best, self.blocks[n]))
        return best

    def _fits(self, b: Block, begin: int, end: int, height: int) -> bool:
        return begin <= b.first and b.last <= end and height + b.size <= self.capacity

    def _promise(self, choice: _Choice, b: Block) -> tuple[int, bool, float]:
        """The larger, the likelier: its top is level with a neighbour's, it fills the place, or it lives long."""
        begin, end, height = choice.levels[choice.at]
        sides = choice.levels[: choice.at][-1:], choice.levels[choice.at + 1 :][:1]
        flush = [b.first == begin, b.last == end]
        even = sum(
            is_flush and bool(s) and s[0][2] == height + b.size for is_flush, s in zip(flush, sides, strict=True)
        )
        return even, all(flush), b.long * self.draw.uniform(0.5, 1.5)

    def place(self, choice: _Choice) -> list[_Level]:
        """Places the choice's next rectangle. Returns the levels then, with equal neighbours merged."""
        choice.placed = n = choice.left.pop()
        b, (begin, end, height) = self.blocks[n], choice.levels[choice.at]
        self.offsets[n] = height
        inside = [(begin, b.first, height), (b.first, b.last, height + b.size), (b.last, end, height)]
        levels: list[_Level] = choice.levels[: choice.at - 1] if choice.at else []
        beside = choice.levels[max(choice.at - 1, 0) : choice.at], choice.levels[choice.at + 1 : choice.at + 2]
        for level in (*beside[0], *inside, *beside[1]):
            if level[0] == level[1]:
                continue
            if levels and levels[-1][2] == level[2]:
                levels[-1] = (levels[-1][0], level[1], level[2])
            else:
                levels.append(level)
        return levels + choice.levels[choice.at + 2 :]

    def take_back(self, choice: _Choice) -> None:
        if choice.placed >= 0:
            self.offsets[choice.placed] = -1
            choice.placed = -1
