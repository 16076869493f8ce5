"""How long a product and moves take: of the array, or of the slowest memory at an end."""

from __future__ import annotations

from isamap_smt.architectures.form import ACC, INDEXED, OPERANDS, Level
from isamap_smt.architectures.placed import Placed
from isamap_smt.ir.dtypes import dtype


def touched(placed: Placed, operand: str, level: Level) -> tuple[int, int]:
    """(elements read, elements written) by a product in a level at the array, each counted in each instance.

    The innermost level serves each step, but an element staying in place while the array goes on in time is read once.
    The levels before it bring a tile.
    """
    way, extents = placed.ways[operand], placed.extents
    tile = placed.elements(operand) * placed.copies(level, operand)
    points = extents["i"] * extents["j"] * extents["k"]
    innermost = (way.inside or (way.own,))[-1] is level
    reads = points // placed.shared(level, operand) // placed.stays(operand) if innermost else tile
    if operand == ACC:
        return reads, reads
    return reads, 0 if level is way.own else tile


def busy(placed: Placed) -> float:
    """Cycles of a product: of the multipliers, or of the slowest memory they read from or write to."""
    found = [float(placed.steps)]
    types = {o: dtype(name) for o, name in placed.architecture.types}
    for o in OPERANDS:
        level = placed.ways[o].own
        instances = placed.apart(level, o) * placed.copies(level, o)
        for rate, count in zip((level.read, level.write), touched(placed, o, level), strict=True):
            if rate is not None and count:
                found.append(count * types[o].bits / (rate * instances))
    return rounded(max(found))


def each_row(placed: Placed, operand: str, source: Level, target: Level) -> float:
    """Cycles for each row of a tile, at the slower end, all instances with different elements side by side."""
    bits = placed.extents[INDEXED[operand][1]] * dtype(dict(placed.architecture.types)[operand]).bits
    rates = [
        rate * placed.apart(level, operand)
        for level, rate in ((source, source.read), (target, target.write))
        if rate is not None
    ]
    return rounded(bits / min(rates)) if rates else 0.0


def rounded(cycles: float) -> float:
    """To thousandths, for sums with few digits."""
    return round(cycles, 3)
