"""What no schedule beats in the cost model: compute at full rate, and the least traffic through each link.

Compulsory traffic is every element once (outputs read and written). For a product of two matrices also Smith et al.
(2019): with S words of fast memory at least 2 M N K / sqrt(S) - 2 S words move.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt

from isamap_smt.scheduling.machine import Machine
from isamap_smt.scheduling.problem import points
from isamap_smt.scheduling.setting import Setting
from isamap_smt.scheduling.supply import compulsory, kept_between


def lower_bound(s: Setting, m: Machine, energy: bool) -> float:
    """Cycles (latency) or picojoules of data movement (energy) that every schedule needs."""
    traffic = [least_bytes(s, m, u) for u in range(1, len(m.caches) + 1)]
    if energy:
        return sum(b * m.energy(u) for u, b in enumerate(traffic, 1))
    lanes = prod(a.leaf for a in s.axes)
    compute = points(s) / (lanes * m.per_cycle)
    links = [b * m.cycles(u) for u, b in enumerate(traffic, 1) if u < kept_between(s, m)]
    return max(compute, *links) if links else compute


def least_bytes(s: Setting, m: Machine, level: int) -> float:
    """Bytes that must enter cache `level`."""
    sizes = {o: compulsory(s, o) * s.bytes(o) for o in s.inputs}
    least = float(sum(sizes.values()) + 2 * compulsory(s, s.output) * s.bytes(s.output))
    return max(least, least_product(s, m.caches[level - 1].capacity or 0))


def least_product(s: Setting, capacity: int) -> float:
    """Bytes that a product of two matrices moves at least into a memory of that many bytes; 0 for other kernels."""
    if not _is_matrix_product(s) or not capacity:
        return 0.0
    word = min(s.bytes(o) for o in (*s.inputs, s.output))
    words = capacity / word
    return (2 * points(s) / sqrt(words) - 2 * words) * word


def _is_matrix_product(s: Setting) -> bool:
    """Three operands; every axis with more than one point selects exactly two of them."""
    operands = [set(s.relevant(o)) for o in (*s.inputs, s.output)]
    moving = [d for d, a in enumerate(s.axes) if a.extent > 1]
    return len(operands) == 3 and all(sum(d in o for o in operands) == 2 for d in moving)


@dataclass(frozen=True)
class Limit:
    """Cycles that no program needs less of when it is called again and again, and what it would be busy with."""

    cycles: float
    resource: str


def limit(s: Setting, m: Machine) -> Limit:
    """The roofline: the slowest of computing at full rate on every thread and of what must move on each link.

    Between calls a cache keeps what fits: only the rest has to come again, or what a product of two matrices moves at
    least with a memory of that size.
    """
    lanes = prod(a.leaf for a in s.axes)
    found = [Limit(points(s) / (lanes * m.per_cycle * s.threads), s.mapping.instruction.name)]
    everything = sum(compulsory(s, o) * s.bytes(o) * (2 if o == s.output else 1) for o in (*s.inputs, s.output))
    for u, cache in enumerate(m.caches, 1):
        kept = (cache.capacity or 0) * (1 if cache.shared else s.threads)
        moved = max(everything - 2 * kept, least_product(s, kept), 0.0)
        found.append(Limit(moved * m.cycles(u) / s.threads, f"{m.links[u - 1].source}->{cache.name}"))
    return max(found, key=lambda x: x.cycles)
