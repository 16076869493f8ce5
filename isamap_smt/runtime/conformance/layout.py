"""Where a move's cells lie in memory, in bytes from its first element, as its contract says."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.mapping.moves import lane_symbols, memory_index, memory_shape
from isamap_smt.runtime.conformance.source import memory_operand


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
    """Which cells are active: below the number of active points along each axis that is masked."""
    names = [str(s) for s in lane_symbols(move)]
    found = np.ones(shape, bool)
    for axis, count in zip(move.axes, active, strict=False):
        found &= np.indices(shape)[names.index(axis)] < count
    return found
