"""Ways through the graph of memories: from main memory to an instruction's operands, and back.

The order of memories in a description says nothing. A way leads over links, through caches alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware, Link, Memory

MOST = 16  # memories on a way, at most


@dataclass(frozen=True)
class Way:
    """memories: the nearest first, the last is main memory; links[n] leads from memories[n] inwards."""

    memories: tuple[Memory, ...]
    links: tuple[Link, ...]


def way_in(hardware: Hardware, place: str) -> Way | None:
    """The way of data to a memory: the one through the most caches; of several such, the widest at its nearest link.

    None if no links lead there from main memory.
    """
    known = {m.name: m for m in hardware.memories}
    found = list(_ways(known, hardware.links, place, main_memories(hardware.memories)))
    best = max(found, key=lambda way: (len(way), [k.bandwidth for k in way]), default=None)
    return None if best is None else Way(tuple(known[k.source] for k in best), best)


def way_out(hardware: Hardware, place: str) -> Link | None:
    """The link for results leaving a memory: to the nearest memory of its way in, if one leads there, else to another."""
    way = way_in(hardware, place)
    order = {m.name: n for n, m in enumerate(way.memories)} if way else {}
    out = (k for k in hardware.links if k.source == place)
    return min(out, key=lambda k: order.get(k.target, len(order)), default=None)


def behind_registers(hardware: Hardware) -> tuple[Memory, ...]:
    """The caches and main memory behind the register files, nearest first: the longest way into one of them."""
    files = {m.name for m in hardware.memories if m.is_register} or {m.name for m in hardware.memories}
    found = (way_in(hardware, name) for name in sorted(files))
    return max((way.memories for way in found if way is not None), key=len, default=())


def main_memories(memories: Sequence[Memory]) -> frozenset[str]:
    """The memories of tensors: those of kind 'main', unlimited ones, or the last cache if there are none."""
    found = frozenset(m.name for m in memories if m.is_main)
    plain = [m.name for m in memories if m.is_cache]
    return found or frozenset(plain[-1:])


def _ways(
    known: dict[str, Memory], links: Sequence[Link], place: str, ends: frozenset[str]
) -> Iterator[tuple[Link, ...]]:
    """Every way without a memory twice, its links from `place` outwards."""
    todo: list[tuple[Link, ...]] = [()]
    while todo:
        way = todo.pop()
        here = way[-1].source if way else place
        if way and here in ends:
            yield way
            continue
        been = {place, *(k.source for k in way)}
        further = (k for k in links if k.target == here and k.source not in been and len(way) < MOST)
        todo += [(*way, k) for k in further if k.source in ends or known[k.source].is_cache]


__all__ = ["Way", "behind_registers", "main_memories", "way_in", "way_out"]
