"""Where a move is tried in memory: at the edges of pages that must not be touched, unaligned, and with rows far apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.instruction import Instruction
from isamap_smt.runtime.conformance.arena import BOTH, NOTHING, PAGE, READ, Arena
from isamap_smt.runtime.conformance.layout import offsets
from isamap_smt.runtime.conformance.source import memory_operand, row_bytes

Values = Callable[[DType, int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Spot:
    """first: where the first element lies. pitch: bytes between rows. regions: (place, bytes) of what may be accessed."""

    first: int
    pitch: int
    regions: tuple[tuple[int, int], ...]
    where: str


def alignment(move: Instruction) -> int:
    """Bytes of which the description lets every address be a multiple."""
    m = memory_operand(move)
    asked = [int(p.split()[2]) for p in move.preconditions if p.split()[0] == "aligned"]
    return max([move.kernel.tensor(m or "").dtype.bytes, *asked])


def spots(
    move: Instruction, cells: np.ndarray, arena: Arena, random: np.random.Generator, values: Values
) -> Iterator[Spot]:
    """Each place to try, laid out and filled with such values. cells: which cells of the register are active."""
    m = memory_operand(move)
    assert m is not None
    dtype = move.kernel.tensor(m).dtype
    place = _Places(move, dtype, cells, arena, random, values)
    dense = row_bytes(move)
    yield from place.at_edges(dense)
    step = alignment(move)
    for times in (1, 3):
        yield place.anywhere(dense, times * step, f"at an odd multiple of {step} bytes")
    if move.by_rows:
        size = dtype.bytes
        far = [dense + size, 3 * dense, -dense]
        for pitch in far if move.kind == "store" else (*far, size, 0):
            yield place.anywhere(pitch, 0, f"with rows {pitch} bytes apart")
        if dense <= PAGE:
            yield place.row_by_row("with each row before a page that must not be touched")


@dataclass
class _Places:
    move: Instruction
    dtype: DType
    cells: np.ndarray
    arena: Arena
    random: np.random.Generator
    values: Values

    def at_edges(self, pitch: int) -> Iterator[Spot]:
        """Against a page behind the last element, and one before the first."""
        low, high = self._span(pitch)
        step = alignment(self.move)
        count = -(-max(high - low, 1) // PAGE)
        region, end = self._region(count), self.arena.pages(1, NOTHING)
        first = end - high - (-high % step if high % step else 0)
        yield Spot(
            first, pitch, ((region, count * PAGE),), "with its last element before a page that must not be touched"
        )
        self.arena.pages(1, NOTHING)
        region = self._region(count)
        yield Spot(
            region - low,
            pitch,
            ((region, count * PAGE),),
            "with its first element behind a page that must not be touched",
        )

    def anywhere(self, pitch: int, shift: int, where: str) -> Spot:
        """In the middle of a region."""
        low, high = self._span(pitch)
        count = -(-(high - low + shift + 256) // PAGE)
        region = self._region(count)
        step = max(alignment(self.move), 64)
        return Spot(region - low + (low % step) + step + shift, pitch, ((region, count * PAGE),), where)

    def row_by_row(self, where: str) -> Spot:
        """Every row ends where a page does, and the next page must not be touched."""
        at = offsets(self.move, self.cells.shape, 0)[self.cells]
        width = int(at.max(initial=0)) + self.dtype.bytes if at.size else 0
        rows = offsets(self.move, self.cells.shape, 2 * PAGE)[self.cells]
        last = int(rows.max(initial=0)) // (2 * PAGE) + 1 if rows.size else 0
        self.arena.pages(1, NOTHING)
        regions = []
        for _ in range(last):
            regions.append((self._region(1), PAGE))
            self.arena.pages(1, NOTHING)
        first = regions[0][0] + PAGE - width if regions else self.arena.pages(1, NOTHING)
        step = alignment(self.move)
        return Spot(first - first % step, 2 * PAGE, tuple(regions), where)

    def _span(self, pitch: int) -> tuple[int, int]:
        """Bytes from the first element to the lowest of an active one, and to the end of the highest."""
        at = offsets(self.move, self.cells.shape, pitch)[self.cells]
        return (int(at.min()), int(at.max()) + self.dtype.bytes) if at.size else (0, 0)

    def _region(self, count: int) -> int:
        region = self.arena.pages(count, BOTH if self.move.kind == "store" else READ)
        size = count * PAGE // self.dtype.bytes
        self.arena.put(region, self.values(self.dtype, size, self.random))
        return region
