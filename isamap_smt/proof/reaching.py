"""Which writes may have reached a node last: one analysis of program trees, for threads of cores and for engines.

A key names what is written: a state, a set of one, the content of a buffer. A way is a write of a key, or none since the
beginning, and the loops that had no iteration on it. Ways meet behind a condition, behind a loop, and where an iteration
begins: an earlier one may have left what it wrote. For each way it is known how many of the loops around, from the
outermost, are in the iteration of the write; of the others, any iteration may have written last.

A parallel loop's body runs on threads of its own, which begin without any write, and on the surrounding one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from isamap_smt.ir.program import Alloc, If, Loop, Node, Parallel
from isamap_smt.proof.program_sites import Site

# Of a node: its index in each body around it. Edges of a parallel loop stand at -1 and behind the last index of its body.
Position = tuple[int, ...]
Positions = frozenset[Position]
Key = tuple[str, int]  # a state and a set of it; or a buffer and CONTENT
CONTENT = -1


class Way(NamedTuple):
    """The last write, None if there is none; and the loops that had no iteration since."""

    write: Site | None
    skipped: Positions = frozenset()


Reach = Mapping[Way, int]  # each way -> how many loops, from the outermost, are in the iteration of the write
Now = Mapping[Key, Reach]
UNWRITTEN: Reach = {Way(None): 0}


@dataclass
class Visit:
    """One of the cases in which a node runs, with its ways. first: the loops known to be in their first iteration."""

    reach: Reach
    first: Positions


@dataclass
class Reaching:
    """touches: the keys needed by a node, and the keys written by it.

    Once body() has run: sites: every node by its position, in order. seen: position -> needed key -> its visits, which
    are all cases together. left: position of a parallel loop -> what reaches the end of a thread of its own.
    """

    touches: Callable[[Node], tuple[Iterable[Key], Iterable[Key]]]
    sites: dict[Position, Site] = field(default_factory=dict)
    seen: dict[Position, dict[Key, list[Visit]]] = field(default_factory=dict)
    left: dict[Position, Now] = field(default_factory=dict)
    _visits: list[Visit] = field(default_factory=list)

    def body(
        self, nodes: tuple[Node, ...], at: Position, around: tuple[Loop | If, ...] = (), now: Now | None = None,
        first: Positions = frozenset(),
    ) -> Now:  # fmt: skip
        """What reaches the end of a body entered with `now`; nothing of what is declared in it."""
        now, own = now or {}, set[Key]()
        for n, node in enumerate(nodes):
            site = self.sites.setdefault((*at, n), Site(node, (*at, n), around))
            match node:
                case Parallel():
                    now = self._threads(site, node, now, first)
                case Loop():
                    behind = self._iterations(site, node, now, first, first | {site.position})
                    now = _joined(now, behind, skipped=site.position)
                case If():
                    now = _joined(now, self.body(node.body, site.position, (*around, node), now, first))
                case _:
                    own |= set(self.touches(node)[1]) if isinstance(node, Alloc) else set()
                    now = self._node(site, now, first)
        return {key: reach for key, reach in now.items() if key not in own}

    def _node(self, site: Site, now: Now, first: Positions) -> Now:
        needed, written = self.touches(site.node)
        for key in needed:
            visit = Visit(now.get(key, UNWRITTEN), first)
            self.seen.setdefault(site.position, {}).setdefault(key, []).append(visit)
            self._visits.append(visit)
        return {**now, **{key: {Way(site): len(site.loops)} for key in written}}

    def _iterations(self, site: Site, loop: Loop, now: Now, first: Positions, at_first: Positions) -> Now:
        """What reaches the end of one iteration or more. at_first: the loops in their first iteration in its own first one."""
        begins, noted = now, len(self._visits)
        while True:
            inside = self.body(
                loop.body, site.position, (*site.around, loop), begins, at_first if begins is now else first
            )
            leaves = _outside(inside, len(site.loops))
            again = _joined(begins, leaves)
            if again == begins:
                break
            begins = again
        if begins is now:  # no iteration changes what the next one finds
            for visit in self._visits[noted:]:
                visit.first -= at_first - first
        return leaves

    def _threads(self, site: Site, loop: Parallel, now: Now, first: Positions) -> Now:
        """If there is an iteration, the surrounding thread does what all do at their edges."""
        self.left[site.position] = self._thread(site, loop, {}, first)
        behind = self._thread(site, loop, now, first)
        return _joined(now, behind, skipped=site.position if loop.enter else None)

    def _thread(self, site: Site, loop: Parallel, now: Now, first: Positions) -> Now:
        """What reaches the end of a thread that takes any number of iterations."""
        now = self.body(loop.enter, (*site.position, -1), site.around, now, first)
        now = _joined(now, self._iterations(site, loop, now, first, first))
        return self.body(loop.leave, (*site.position, len(loop.body)), site.around, now, first)


def _joined(a: Now, b: Now, skipped: Position | None = None) -> Now:
    """What reaches a node on one path or the other. skipped: on the first one, this loop has no iteration."""
    found: dict[Key, Reach] = {}
    for key in {**a, **b}:
        first, second = a.get(key, UNWRITTEN), b.get(key, UNWRITTEN)
        if skipped is not None and first != second:
            first = {Way(way.write, way.skipped | {skipped}): level for way, level in first.items()}
        found[key] = either(first, second)
    return found


def either(*reaches: Reach) -> Reach:
    """The ways of all of them, but those that say no more than another one with the same write."""
    all_: dict[Way, int] = {}
    for way, level in ((w, n) for reach in reaches for w, n in reach.items()):
        all_[way] = min(level, all_.get(way, level))
    return {a: n for a, n in all_.items() if not any(_within(a, n, b, m) for b, m in all_.items())}


def _within(a: Way, level: int, b: Way, other: int) -> bool:
    """Whether the second way stands for the first one, too."""
    return a != b and a.write is b.write and b.skipped <= a.skipped and other <= level


def _outside(now: Now, depth: int) -> Now:
    """The same behind an iteration: of the loops inside, any iteration may have been the last."""
    return {key: either({way: min(level, depth) for way, level in reach.items()}) for key, reach in now.items()}


__all__ = ["CONTENT", "Key", "Now", "Position", "Positions", "Reach", "Reaching", "Visit", "Way", "either"]
