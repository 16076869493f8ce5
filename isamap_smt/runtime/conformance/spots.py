"""Places to try a move in memory: at the edges of pages not to be touched, unaligned, and with rows far apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.preconditions import Aligned
from isamap_smt.mapping.moves import lane_symbols, memory_index, memory_shape
from isamap_smt.runtime.conformance.arena import BOTH, NOTHING, PAGE, READ, Arena
from isamap_smt.runtime.conformance.source import dense, memory_operand

Values = Callable[[DType, int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Spot:
    """first: the place of the first element. strides: in elements. regions: (place, bytes) to which access is allowed."""

    first: int
    strides: tuple[int, ...]
    regions: tuple[tuple[int, int], ...]
    where: str


def alignment(move: Instruction) -> int:
    """The alignment that the description asks of every address, in bytes."""
    m = memory_operand(move)
    asked = [p.multiple for p in move.asks if isinstance(p, Aligned)]
    return max([move.kernel.tensor(m or "").dtype.bytes, *asked])


def spots(
    move: Instruction, cells: np.ndarray, arena: Arena, random: np.random.Generator, values: Values
) -> Iterator[Spot]:
    """Each place to try, laid out and filled with such values. cells: mask of the register's active cells."""
    m = memory_operand(move)
    assert m is not None
    dtype = move.kernel.tensor(m).dtype
    place = _Places(move, dtype, cells, arena, random, values)
    whole = dense(move)
    yield from place.at_edges(whole)
    step = alignment(move)
    for times in (1, 3):
        yield place.anywhere(whole, times * step, f"at an odd multiple of {step} bytes")
    for n, stride in enumerate(move.strides):
        for apart in (whole[n] + 1, 3 * whole[n], -whole[n], 1, 0):
            strides = (*whole[:n], apart, *whole[n + 1 :])
            if move.kind != "store" or place.distinct(strides):
                yield place.anywhere(strides, 0, f"with {stride}={apart}")
        yield from place.in_pages(n, f"with what {stride} parts each before a page that must not be touched")


@dataclass
class _Places:
    move: Instruction
    dtype: DType
    cells: np.ndarray
    arena: Arena
    random: np.random.Generator
    values: Values

    def at_edges(self, strides: tuple[int, ...]) -> Iterator[Spot]:
        """Against a page behind the last element, and one before the first."""
        low, high = self._span(strides)
        step = alignment(self.move)
        count = -(-max(high - low, 1) // PAGE)
        region, end = self._region(count), self.arena.pages(1, NOTHING)
        first = end - high - (-high % step if high % step else 0)
        yield Spot(
            first, strides, ((region, count * PAGE),), "with its last element before a page that must not be touched"
        )
        self.arena.pages(1, NOTHING)
        region = self._region(count)
        yield Spot(
            region - low,
            strides,
            ((region, count * PAGE),),
            "with its first element behind a page that must not be touched",
        )

    def anywhere(self, strides: tuple[int, ...], shift: int, where: str) -> Spot:
        """In the middle of a region."""
        low, high = self._span(strides)
        count = -(-(high - low + shift + 256) // PAGE)
        region = self._region(count)
        step = max(alignment(self.move), 64)
        return Spot(region - low + (low % step) + step + shift, strides, ((region, count * PAGE),), where)

    def in_pages(self, stride: int, where: str) -> Iterator[Spot]:
        """The cells parted by a stride end with their page, and the next must not be touched. Nothing if they do not fit one."""
        whole, far = dense(self.move), 2 * PAGE // self.dtype.bytes
        _, width = self._span((*whole[:stride], 0, *whole[stride + 1 :]))
        if width > PAGE:
            return
        strides = (*whole[:stride], far, *whole[stride + 1 :])
        _, end = self._span(strides)
        self.arena.pages(1, NOTHING)
        regions = []
        for _ in range(-(-end // (2 * PAGE))):
            regions.append((self._region(1), PAGE))
            self.arena.pages(1, NOTHING)
        first = regions[0][0] + PAGE - width if regions else self.arena.pages(1, NOTHING)
        yield Spot(first - first % alignment(self.move), strides, tuple(regions), where)

    def distinct(self, strides: tuple[int, ...]) -> bool:
        """Whether no two active cells lie at one place."""
        at = offsets(self.move, self.cells.shape, strides)[self.cells]
        return np.unique(at).size == at.size

    def _span(self, strides: tuple[int, ...]) -> tuple[int, int]:
        """Bytes from the first element to the lowest of an active one, and to the end of the highest."""
        at = offsets(self.move, self.cells.shape, strides)[self.cells]
        return (int(at.min()), int(at.max()) + self.dtype.bytes) if at.size else (0, 0)

    def _region(self, count: int) -> int:
        region = self.arena.pages(count, BOTH if self.move.kind == "store" else READ)
        size = count * PAGE // self.dtype.bytes
        self.arena.put(region, self.values(self.dtype, size, self.random))
        return region


def cell_index(move: Instruction, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """For each cell of the register, the index of its element in the memory operand."""
    names = tuple(map(str, lane_symbols(move)))
    points = dict(zip(names, np.indices(shape), strict=True))
    return tuple(np.broadcast_to(np.asarray(evaluate(e, points)), shape) for e in memory_index(move, names))


def as_memory(move: Instruction, cells: np.ndarray) -> np.ndarray:
    """The elements of a register's cells, as the move has them in memory: row after row."""
    memory = np.zeros(memory_shape(move), cells.dtype)
    memory[cell_index(move, cells.shape)] = cells
    return memory


def as_cells(move: Instruction, memory: np.ndarray) -> np.ndarray:
    """A register's cells, from memory as the move has it."""
    shape = tuple(int(e) for e in move.kernel.tensor(_register(move)).shape)
    return np.asarray(memory.reshape(memory_shape(move))[cell_index(move, shape)])


def offsets(move: Instruction, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """For each cell of the register, the bytes from the first element to its own."""
    m = memory_operand(move)
    assert m is not None
    table = dict(zip(move.strides, strides, strict=True))
    steps = (table.get(str(s), s) for s in move.address(m).steps)
    apart = sum((i * s for i, s in zip(cell_index(move, shape), steps, strict=True)), np.zeros(shape, np.int64))
    return apart * move.kernel.tensor(m).dtype.bytes


def _register(move: Instruction) -> str:
    m = memory_operand(move)
    return next(t.name for t in move.kernel.tensors if t.name != m)


def live(move: Instruction, shape: tuple[int, ...], active: tuple[int, ...]) -> np.ndarray:
    """Mask of the active cells: below the number of active points along each masked axis."""
    names = [str(s) for s in lane_symbols(move)]
    found = np.ones(shape, bool)
    for axis, count in zip(move.axes, active, strict=False):
        found &= np.indices(shape)[names.index(axis)] < count
    return found
