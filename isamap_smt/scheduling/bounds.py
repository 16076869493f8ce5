"""What no schedule beats in the cost model: compute at full rate, and the least traffic through each link.

Compulsory traffic is every element once (outputs read and written). For a product of two matrices also Smith et al.
(2019): with S words of fast memory at least 2 M N K / sqrt(S) - 2 S words move.
"""

from __future__ import annotations

from math import prod, sqrt

from isamap_smt.scheduling.machine import Machine
from isamap_smt.scheduling.problem import compulsory, points
from isamap_smt.scheduling.setting import Setting


def lower_bound(s: Setting, m: Machine, energy: bool) -> float:
    """Cycles (latency) or picojoules of data movement (energy) that every schedule needs."""
    traffic = [least_bytes(s, m, u) for u in range(1, len(m.caches) + 1)]
    if energy:
        return sum(b * m.energy(u) for u, b in enumerate(traffic, 1))
    lanes = prod(a.leaf for a in s.axes)
    compute = points(s) / (lanes * m.per_cycle)
    return max(compute, *(b * m.cycles(u) for u, b in enumerate(traffic, 1)))


def least_bytes(s: Setting, m: Machine, level: int) -> float:
    """Bytes that must enter cache `level`."""
    sizes = {o: compulsory(s, o) * s.bytes(o) for o in s.inputs}
    least = float(sum(sizes.values()) + 2 * compulsory(s, s.output) * s.bytes(s.output))
    if not _is_matrix_product(s):
        return least
    word = min(s.bytes(o) for o in (*s.inputs, s.output))
    words = (m.caches[level - 1].capacity or 0) / word
    return max(least, (2 * points(s) / sqrt(words) - 2 * words) * word)


def _is_matrix_product(s: Setting) -> bool:
    """Three operands; every axis with more than one point selects exactly two of them."""
    operands = [set(s.relevant(o)) for o in (*s.inputs, s.output)]
    moving = [d for d, a in enumerate(s.axes) if a.extent > 1]
    return len(operands) == 3 and all(sum(d in o for o in operands) == 2 for d in moving)
