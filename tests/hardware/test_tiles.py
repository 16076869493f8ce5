"""Moves of registers with numbers: rows lie any distance apart, masks cut both sides, and nothing else is touched."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from edge_operands import random_values, same_bits
from instruction_harness import as_in_memory, build, enter, move_numbered, run_compute
from test_descriptions import loaded

import isamap_hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.tiles import TileConfiguration
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.simde import find_simde

MACHINE = isamap_hardware.load("amx")
STATE = next(i.state for i in MACHINE.computes if i.state is not None)
LOADS = [i.short for i in MACHINE.moves if i.kind == "load" and i.by_rows]


def library() -> ctypes.CDLL:
    """The machine's instructions, and this thread in the state that they need."""
    found = loaded("amx")
    enter(found, MACHINE.computes[0])
    return found


def raw(number: int, found: ctypes.CDLL) -> np.ndarray:
    """The bytes of a tile, row after row."""
    rows = np.zeros((16, 64), np.uint8)
    move_numbered(found, MACHINE.instruction("store_i32"), number, rows.ctypes.data, 64)
    return rows


def rows_of(move: Instruction, pitch: int) -> np.ndarray:
    """Sixteen rows of random elements, `pitch` bytes apart, as bytes."""
    dtype = move.kernel.tensor("m").dtype
    return (
        random_values(dtype, 16 * pitch // dtype.bytes, np.random.default_rng(pitch)).view(np.uint8).reshape(16, pitch)
    )


@pytest.mark.parametrize("pitch", [64, 68, 4096])
@pytest.mark.parametrize("short", [n for n in LOADS if "masked" not in n])
def test_rows_lie_any_distance_apart(short: str, pitch: int) -> None:
    move, found = MACHINE.instruction(short), library()
    memory = rows_of(move, pitch)
    move_numbered(found, move, 3, memory.ctypes.data, pitch)
    assert (raw(3, found) == memory[:, :64]).all()


@pytest.mark.parametrize("short", [n for n in LOADS if "masked" in n])
def test_a_masked_load_reads_what_is_active_and_no_more(short: str) -> None:
    """The last active byte is the last of a page: what lies beyond must not be touched."""
    move, found = MACHINE.instruction(short), library()
    found.guarded_end.restype = ctypes.c_void_p
    end, pitch = found.guarded_end(), 192
    for rows in (0, 1, 7, 16):
        for columns in (16,) if move.masked == 1 else (0, 1, 5, 16):
            live = (rows - 1) * pitch + 4 * columns if rows and columns else 0
            memory = np.random.default_rng(rows).integers(1, 256, live).astype(np.uint8)
            ctypes.memmove(end - live, memory.ctypes.data, live)
            move_numbered(found, move, 2, end - live, pitch, (rows, columns))
            wanted = np.zeros((16, 64), np.uint8)
            for r in range(rows):
                wanted[r, : 4 * columns] = memory[r * pitch : r * pitch + 4 * columns]
            assert (raw(2, found) == wanted).all(), (rows, columns)


@pytest.mark.parametrize("short", ["masked_store_f32", "masked_store_i32"])
def test_a_masked_store_writes_what_is_active_and_no_more(short: str) -> None:
    move, found = MACHINE.instruction(short), library()
    tile = np.random.default_rng(1).integers(0, 256, (16, 64)).astype(np.uint8)
    move_numbered(found, MACHINE.instruction("load_i32"), 6, tile.ctypes.data, 64)
    for rows in (0, 1, 15, 16):
        for columns in (0, 1, 9, 16):
            memory = np.full((16, 80), 0xA5, np.uint8)
            move_numbered(found, move, 6, memory.ctypes.data, 80, (rows, columns))
            wanted = np.full((16, 80), 0xA5, np.uint8)
            wanted[:rows, : 4 * columns] = tile[:rows, : 4 * columns]
            assert (memory == wanted).all(), (rows, columns)


@pytest.mark.parametrize("rows", [1, 8, 16])
@pytest.mark.parametrize("row", [4, 32, 64])
def test_what_enters_the_state_does_what_its_data_says(rows: int, row: int) -> None:
    """A tile is loaded and stored whole: as many rows and bytes of each as the configuration has are written, no others."""
    library()  # skips where there are no tiles
    tile = TileConfiguration(((rows, row),) * 8, STATE.enter, STATE.leave)
    smaller = replace(MACHINE, instructions=tuple(replace(i, state=tile) for i in MACHINE.instructions))
    found = build(smaller, simde=bool(missing_features(smaller.instructions)))
    enter(found, smaller.computes[0])
    memory, out = rows_of(smaller.instruction("load_i32"), 64), np.full((16, 64), 0xA5, np.uint8)
    move_numbered(found, smaller.instruction("load_i32"), 5, memory.ctypes.data, 64)
    move_numbered(found, smaller.instruction("store_i32"), 5, out.ctypes.data, 64)
    wanted = np.full((16, 64), 0xA5, np.uint8)
    wanted[:rows, :row] = memory[:rows, :row]
    assert (out == wanted).all()


@pytest.mark.parametrize("short", ["zero_f32", "zero_i32"])
def test_zero(short: str) -> None:
    found = library()
    tile = np.full((16, 64), 7, np.uint8)
    move_numbered(found, MACHINE.instruction("load_i32"), 1, tile.ctypes.data, 64)
    move_numbered(found, MACHINE.instruction(short), 1, 0, 64)
    assert not raw(1, found).any()


def test_groups_are_interleaved_in_memory() -> None:
    """Row r of memory holds, for each column, the four elements from 4*r on: as the product wants them."""
    move = MACHINE.instruction("load_groups_i8")
    cells = np.arange(64 * 16).reshape(64, 16)
    memory = as_in_memory(move, cells)
    assert memory.shape == (16, 16, 4)
    assert (memory[2, 5] == cells[8:12, 5]).all()


def test_the_order_of_the_sums_is_seen() -> None:
    """1e30, then -1e30 and 1: the odd products are summed apart from the even ones, and the 1 is lost."""
    instruction = MACHINE.instruction("dpbf16ps")
    a, b = (np.zeros(shape, instruction.kernel.tensor("a").dtype.numpy) for shape in ((1, 16, 32), (1, 32, 16)))
    a[..., 0], a[..., 1], a[..., 3], b[:, :4] = 1e30, -1e30, 1, 1
    got = run_compute(loaded("amx"), instruction, {"a": a, "b": b, "c": np.zeros((1, 16, 16), np.float32)})
    assert (got == 0).all()


def test_emulated_tiles_do_the_same() -> None:
    """Where SIMDe is installed, tiles are emulated in plain C: bit for bit what this CPU does, if it has them."""
    if find_simde() is None:
        pytest.skip("SIMDe (libsimde-dev) is not installed")
    real, emulated = loaded("amx"), build(MACHINE, simde=True)
    for i in MACHINE.computes:
        rng = np.random.default_rng(5)
        arrays = {
            t.name: random_values(t.dtype, int(np.prod(t.shape)), rng).reshape(1, *map(int, t.shape))
            for t in i.kernel.tensors
        }
        assert same_bits(run_compute(emulated, i, arrays), run_compute(real, i, arrays)).all(), i.name
