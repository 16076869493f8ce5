"""Two uses of different engines race if they touch one cell, one of them writes it, and nothing orders them: in some
order the one is complete before the other begins, and in some the other before the one.

By the clocks, the uses of another engine that are not ordered with a use are consecutive: those before are complete
when it begins, those behind wait for it. So take two footprints with a common cell: a use of the one races with the
users of the other whose places lie in this window. All pairs are found, and no ordered one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isamap_smt.simulator.places import Access
from isamap_smt.simulator.sites import Elaborated, Site

Array = np.ndarray
RACE, BOUNDS = "race", "bounds"


@dataclass(frozen=True)
class Touch:
    """A use and the operand by which it touches cells. number: the iteration of its place in the text, from 0. at:
    its loop variables."""

    engine: str
    instruction: str
    number: int
    operand: str
    place: str
    at: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        loops = " ".join(f"{n}={v}" for n, v in self.at)
        return f"{self.instruction} {self.number} ({self.place}" + (f"; {loops})" if loops else ")")


@dataclass(frozen=True)
class Race:
    """Two uses unordered by counters (kind 'race'), in program order, or one outside its memory (kind 'bounds').

    uses: the first such, by program order of the later. pairs: how many there are of these two operands of these two
    places in the text.
    """

    kind: str
    text: str
    uses: tuple[Touch, ...]
    pairs: int

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" + (f" ({self.pairs} such in all)" if self.pairs > 1 else "")


def bounds(elaborated: Elaborated, accesses: tuple[Access, ...], done: list[int]) -> Iterator[Race]:
    """Completed uses with accesses beyond a memory, buffer or tensor, or with a parameter beyond the instruction's."""
    for a in accesses:
        site = elaborated.sites[a.site]
        outside = np.asarray([bool(w) for w in a.wrong], bool)[a.which] & (site.ranks < done[site.engine])
        if outside.any():
            first = int(np.argmax(outside))
            touch = _touch(elaborated, a, first)
            verb = "writes" if a.writes else "reads"
            yield Race(BOUNDS, f"{touch} {verb} {a.wrong[a.which[first]]}", (touch,), int(outside.sum()))
    for number, site in enumerate(elaborated.sites):
        yield from _parameters(elaborated, number, site, done)


def _parameters(elaborated: Elaborated, number: int, site: Site, done: list[int]) -> Iterator[Race]:
    instruction = site.use.instruction
    for axis, parameter in instruction.counted:
        largest, values = instruction.axes[axis], site.parameters[parameter]
        outside = ((values < instruction.least) | (values > largest)) & (site.ranks < done[site.engine])
        if outside.any():
            first = int(np.argmax(outside))
            name = elaborated.queues[site.engine].name
            touch = Touch(name, instruction.name, first, "", parameter, tuple(site.at(first).items()))
            text = f"{touch} has {parameter} {values[first]}, which is not in {instruction.least}..{largest}"
            yield Race(BOUNDS, text, (touch,), int(outside.sum()))


def races(
    elaborated: Elaborated, accesses: tuple[Access, ...], clocks: tuple[Array, ...], done: list[int]
) -> Iterator[Race]:
    """One record for each two operands in a race."""
    for a, b in combinations(accesses, 2):
        p, q = elaborated.sites[a.site].engine, elaborated.sites[b.site].engine
        if p != q and a.space == b.space and (a.writes or b.writes):
            # Uses of q up to `low` are complete before the n-th use of p begins; those from `high` on wait for it.
            low, high = clocks[p][:, q], np.searchsorted(clocks[q][:, p], np.arange(done[p]), side="right")
            yield from _between(elaborated, a, b, (low, high), done)


def _between(
    elaborated: Elaborated, a: Access, b: Access, window: tuple[Array, Array], done: list[int]
) -> Iterator[Race]:
    """The races of two operands, if there are any."""
    sites = elaborated.sites[a.site], elaborated.sites[b.site]
    users = [_users(x, s, done[s.engine]) for x, s in zip((a, b), sites, strict=True)]
    low, high = window
    pairs, best, found = 0, None, None
    for f, g in _overlapping(a, b):
        mine, ranks = users[0][f], sites[1].ranks[users[1][g]]
        if not mine.size or not ranks.size:
            continue
        at = sites[0].ranks[mine]
        begin, end = np.searchsorted(ranks, low[at]), np.searchsorted(ranks, high[at])
        racing = np.flatnonzero(end > begin)
        if not racing.size:
            continue
        pairs += int((end - begin)[racing].sum())
        x, y = mine[racing], users[1][g][begin[racing]]
        later = np.maximum(sites[0].position[x], sites[1].position[y])
        n = int(np.argmin(later))
        if best is None or later[n] < best:
            best, found = int(later[n]), (int(x[n]), int(y[n]), np.intersect1d(a.touched(f), b.touched(g)))
    if found is None:
        return
    first, second = (a, found[0]), (b, found[1])
    if sites[0].position[found[0]] > sites[1].position[found[1]]:
        first, second = second, first
    touches = _touch(elaborated, *first), _touch(elaborated, *second)
    text = _said(first[0], second[0], touches, _cells(a, found[2]))
    yield Race(RACE, text, touches, pairs)


def _users(access: Access, site: Site, done: int) -> list[Array]:
    """For each footprint the completed iterations on it, in order."""
    order = np.argsort(access.which, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(access.which, minlength=len(access.cells)))[:-1])
    return [part[site.ranks[part] < done] for part in parts]


def _overlapping(a: Access, b: Access) -> list[tuple[int, int]]:
    """Footprints of the two with a common cell."""
    left, right = _listed(a), _listed(b)
    order = np.argsort(right[0], kind="stable")
    cells, numbers = right[0][order], right[1][order]
    begin, end = np.searchsorted(cells, left[0]), np.searchsorted(cells, left[0], side="right")
    count = end - begin
    mine = np.repeat(left[1], count)
    other = numbers[np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())]
    wide = len(b.cells) + 1
    codes = np.unique(mine * wide + other)
    return [divmod(int(c), wide) for c in codes]


def _listed(access: Access) -> tuple[Array, Array]:
    """Every cell of every footprint, and the footprint of each."""
    touched = [access.touched(f) for f in range(len(access.cells))]
    empty = np.zeros(0, np.int64)
    sizes = [t.size for t in touched]
    return np.concatenate([empty, *touched]), np.repeat(np.arange(len(touched)), sizes)


def _touch(elaborated: Elaborated, access: Access, iteration: int) -> Touch:
    site = elaborated.sites[access.site]
    place = dict(site.use.operands)[access.operand]
    words = access.space.name
    if access.slots is not None:
        words = f"{place.name}, slot {access.slots[iteration]}"
    name = elaborated.queues[site.engine].name
    return Touch(name, site.use.instruction.name, iteration, access.operand, words, tuple(site.at(iteration).items()))


def _said(first: Access, second: Access, touches: tuple[Touch, Touch], cells: str) -> str:
    """The race in words; the first comes first in the program."""
    if second.writes:
        verb, done = "overwrites", "written" if first.writes else "read"
    else:
        verb, done = "reads", "written"
    return f"{touches[1]} {verb} {cells} before {touches[0]} has {done} them: no counter orders the two"


def _cells(access: Access, cells: Array) -> str:
    """Cells in words: a box around them."""
    shape = access.space.shape
    at = list(np.unravel_index(cells, shape)) if shape else []
    if access.space.tensor:
        return f"{access.space.name}[{', '.join(map(_range, at))}]"
    ranges = [_range(at[0]), _range(at[1] // access.width)]
    columns = "" if ranges[1] == _range(np.arange(shape[1]) // access.width) else f", columns {ranges[1]},"
    return f"rows {ranges[0]}{columns} of {access.space.name}"


def _range(values: Array) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}..{high}"
