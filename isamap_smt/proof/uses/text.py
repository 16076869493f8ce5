"""A program of engines in the form for its claims: loops over executed iterations, and signals before awaits.

Each engine takes its own uses, in their order, and nothing else of the text has a meaning. So parts of a body without a
common engine may change places. The claims look for one order of the text that is a legal execution; they are asked of
this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

import sympy as sp

from isamap_smt.ir.program import If, Issued, Loop, Node, Program, Serial
from isamap_smt.ir.traversal import map_bodies, map_nodes, nodes_of, walk

First = Mapping[Any, Any]  # variables and numbers of loops -> 0


def in_order(program: Program) -> Program:
    """The same program in another order of text, with loops over executed iterations only (Loop.trips).

    Parts of its text are exchanged if this brings signals before the awaits that need them.
    """
    program = map_bodies(program, lambda body: map_nodes(body, _of_its_trips))
    loops = list(nodes_of(Loop, program.body))
    first = {e: sp.S.Zero for x in loops for e in (x.var, x.number)}
    return map_bodies(program, lambda body: _ordered(body, first))


def _of_its_trips(node: Node) -> Node:
    return replace(node, count=node.trips, end=None) if isinstance(node, Serial) else node


@dataclass(frozen=True)
class _Part:
    """A node of a body. engines: None if it has to keep its place. needs: counters awaited before any iteration ends."""

    node: Node
    engines: frozenset[str] | None
    signals: frozenset[str]
    needs: frozenset[str]

    def meets(self, other: _Part) -> bool:
        """Whether their order is part of their meaning."""
        return self.engines is None or other.engines is None or bool(self.engines & other.engines)


def _ordered(body: tuple[Node, ...], first: First) -> tuple[Node, ...]:
    parts = [_part(map_bodies(n, lambda inner: _ordered(inner, first)), first) for n in body]
    before: dict[int, set[int]] = {n: set() for n in range(len(parts))}
    for n, later in enumerate(parts):
        for k, other in enumerate(parts[:n]):
            if other.meets(later):
                before[n].add(k)
            elif later.signals & other.needs:
                before[k].add(n)
    try:
        order = list(_first_ready(TopologicalSorter(before)))
    except CycleError:
        order = list(range(len(parts)))
    return tuple(parts[n].node for n in order)


def _first_ready(sorter: TopologicalSorter[int]) -> Iterator[int]:
    """Of the parts ready to come next, the first in the text. Raises CycleError."""
    sorter.prepare()
    ready: set[int] = set()
    while sorter.is_active():
        ready |= set(sorter.get_ready())
        yield min(ready)
        sorter.done(min(ready))
        ready.remove(min(ready))


def _part(node: Node, first: First) -> _Part:
    uses = list(nodes_of(Issued, (node,)))
    if any(not isinstance(n, Issued | Loop | If) for n, _ in walk((node,))):
        return _Part(node, None, frozenset(), frozenset())
    return _Part(
        node,
        frozenset(u.instruction.engine for u in uses),
        frozenset(c for u in uses for c in u.signals),
        frozenset(c for u in uses for c, amount in u.awaits if _at_first(amount, first)),
    )


def _at_first(amount: Any, first: First) -> bool:
    """Whether something is awaited in the first iteration of all loops, at the least sizes."""
    e = sp.sympify(amount).xreplace(first)
    least = e.xreplace(dict.fromkeys(e.free_symbols, sp.S.One))
    return bool(least.is_number and least >= 1)


__all__ = ["in_order"]
