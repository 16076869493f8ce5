"""What a load of vectors asks for besides: the line some bytes ahead, and a share of the block that comes next.

A block is the part of a packed buffer that the loops inside some position use, over and over: once for each iteration of the loops
among them that do not select the operand. The first use would wait for every line of it. So each use of a block brings a
share of the next block, which lies behind it, into the second cache: an even stream beside all computing.
"""

from __future__ import annotations

from math import ceil, prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.nest import Nest, most_trips
from isamap_smt.codegen.operands import Packed, StagedOperand
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.program import Prefetch
from isamap_smt.ir.schedule import Stage


def prefetches(nest: Nest, source: StagedOperand, stage: Stage, to_and_fro: int) -> tuple[Prefetch, ...]:
    """The lines that each load of whole vectors asks for. A block whose loops' trips depend on sizes asks for none.

    to_and_fro: so many loops after the first run backwards in every other iteration of that.
    """
    near = (Prefetch(sp.Integer(stage.prefetch)),) if stage.prefetch else ()
    if stage.block is None or not isinstance(source, Packed):
        return near
    return (*near, *_next_block(nest, source, stage.block, to_and_fro))


def _next_block(nest: Nest, source: Packed, block: int, to_and_fro: int) -> tuple[Prefetch, ...]:
    """Steps of one use of the block: n of them before this one; uses before this one: w. A step asks for `share` bytes.

    This load is `step * n` bytes into the block, and asks for what lies `share * (n + steps * w)` bytes into the next. The next
    of the last is the first, which is used next: in the next iteration of a loop around all of them, or in the next call; where
    loops run to and fro, see below.
    """
    outside, mine = (
        [position for kind, position in source.dims if kind == "loop" and (position >= block) == inside]
        for inside in (False, True)
    )
    others = [p for p in range(block, nest.accumulate) if p not in mine]
    trips = {p: most_trips(nest, p) for p in (*outside, *mine, *others)}
    if not all(t.is_Integer for t in trips.values()):
        return ()
    buffer = source.setup[0].buffer  # type: ignore[union-attr]
    inside = [n for (kind, _), n in zip(source.dims, buffer.shape, strict=True) if kind != "loop"]
    step = buffer.dtype.bytes * prod(map(int, inside))
    (at, blocks), (n, steps), (w, uses) = (_counted(nest, positions, trips) for positions in (outside, mine, others))
    if blocks == 1:
        return ()
    share = ceil(step / uses)
    following = FloorMod(at + 1, blocks) - at
    if to_and_fro and 1 in outside:
        following = _to_and_fro(nest, outside, trips, to_and_fro) - at
    distance = steps * step * following + sp.expand(share * steps * w + (share - step) * n)
    return (Prefetch(distance, ceil(share / LINE), 2),)


def _to_and_fro(nest: Nest, outside: list[int], trips: dict[int, Any], to_and_fro: int) -> Any:
    """The next block where the outermost of these loops run backwards in every other iteration of the first loop of all. At the end
    of an iteration it is among those that the next one begins with: the same, where no other loop tells blocks apart."""
    before, count = _counted(nest, [p for p in outside if p <= to_and_fro], trips)
    within, of_one = _counted(nest, [p for p in outside if p > to_and_fro], trips)
    step = FloorDiv(within + 1, of_one) * (1 - 2 * FloorMod(nest.loops[0].var, 2))
    return IMax(sp.S.Zero, IMin(sp.Integer(count - 1), before + step)) * of_one + FloorMod(within + 1, of_one)


def _counted(nest: Nest, positions: list[int], trips: dict[int, Any]) -> tuple[Any, int]:
    """(iterations of these loops before this one, all of them)."""
    before: Any = sp.S.Zero
    for p in positions:
        before = before * trips[p] + nest.loops[p].var
    return before, prod(int(trips[p]) for p in positions)
