"""Loads, broadcasts and stores move the right bytes, and masked forms touch no inactive lane.

Memory is placed so that everything from the first inactive lane on is in a page that must not be touched.
"""

from __future__ import annotations

import ctypes
import signal

import numpy as np
import pytest
from edge_operands import random_values
from instruction_harness import c_name, run_move
from test_descriptions import EMITTED, loaded

import isamap_hardware
from isamap_smt.ir.instruction import Instruction

# registers with numbers: test_tiles.py
MOVES = [i.name for n in EMITTED for i in isamap_hardware.load(n).moves if not i.numbered]


def move_of(name: str) -> tuple[str, Instruction]:
    """The machine's name and the move."""
    machine, short = name.split(".", 1)
    return machine, isamap_hardware.load(machine).instruction(short)


def cells(move: Instruction, operand: str) -> int:
    """Number of elements of an operand."""
    return int(np.prod([int(e) for e in move.kernel.tensor(operand).shape], dtype=int))


def values(move: Instruction, operand: str, seed: int) -> np.ndarray:
    """Random and edge elements for an operand."""
    return random_values(move.kernel.tensor(operand).dtype, cells(move, operand), np.random.default_rng(seed))


def unaligned(array: np.ndarray) -> np.ndarray:
    """A copy that starts one element past a 64-byte boundary."""
    size = array.dtype.itemsize
    raw = np.zeros(array.nbytes + 128 + size, np.uint8)
    start = -raw.ctypes.data % 64 + size
    copy = raw[start : start + array.nbytes].view(array.dtype)
    copy[:] = array
    return copy


def bits(array: np.ndarray) -> np.ndarray:
    """The bytes, so that NaN equals itself."""
    return np.ascontiguousarray(array).view(np.uint8)


@pytest.mark.parametrize("name", [n for n in MOVES if "masked" not in n])
def test_full_move(name: str) -> None:
    machine, move = move_of(name)
    library = loaded(machine)
    statement = move.kernel.statements[0]
    for seed in range(20):
        register = values(move, "r", seed)
        if move.kind == "store":
            memory = unaligned(np.zeros_like(register))
            run_move(library, move, memory.ctypes.data, register, 0)
            assert (bits(memory) == bits(register)).all()
            continue
        if move.kind == "zero":
            run_move(library, move, 0, register, 0)
            assert not bits(register).any()
            continue
        memory = unaligned(values(move, "m", seed + 100))
        run_move(library, move, memory.ctypes.data, register, 0)
        once = len(statement.inputs[0].index) == len(statement.target.index)
        wanted = memory if once else np.tile(memory, len(register) // len(memory))
        assert (bits(register) == bits(wanted)).all()


@pytest.mark.parametrize("name", [n for n in MOVES if "masked" in n])
def test_masked_move_touches_active_lanes_only(name: str) -> None:
    machine, move = move_of(name)
    library = loaded(machine)
    library.guarded_end.restype = ctypes.c_void_p
    end = library.guarded_end()
    assert end
    lanes, register = move.axes["l"], values(move, "r", 1)
    group = len(register) // lanes
    for active in range(lanes + 1):
        live = active * group * register.itemsize
        ctypes.memset(end - 4096, 0xA5, 4096)
        before = end - live - 64
        if move.kind == "store":
            run_guarded(library, move, end - live, register, active)  # must not fault
            memory = np.full(register.nbytes + 64, 0x5A, np.uint8)  # nor write past the active lanes
            run_move(library, move, memory.ctypes.data, register, active)
            assert (memory[:live] == bits(register)[:live]).all()
            assert (memory[live:] == 0x5A).all()
            run_move(library, move, end - live, register, active)
            assert ctypes.string_at(end - live, live) == bits(register)[:live].tobytes()
        else:
            ctypes.memmove(end - live, register.ctypes.data, live)
            got = values(move, "r", 2)
            run_guarded(library, move, end - live, got, active)
            run_move(library, move, end - live, got, active)
            assert (bits(got)[:live] == bits(register)[:live]).all()
            assert not bits(got)[live:].any()
        assert ctypes.string_at(before, 64) == b"\xa5" * 64


def run_guarded(library: ctypes.CDLL, move: Instruction, memory: int, register: np.ndarray, active: int) -> None:
    """The move in a child process; fails the test with the signal that killed it."""
    assert killed_by(library, move, memory, register, active) == 0, f"{move.name}: active={active}"


def killed_by(library: ctypes.CDLL, move: Instruction, memory: int, register: np.ndarray, active: int) -> int:
    """The signal that killed a child process which made this move; 0 when it survived."""
    held = np.ascontiguousarray(register).copy()
    return int(
        library.signal_of(
            library[c_name(move)], ctypes.c_int64(active), ctypes.c_void_p(memory), ctypes.c_void_p(held.ctypes.data)
        )
    )


@pytest.mark.parametrize("short", ["load_f32", "store_f32"])
def test_the_guard_catches_a_full_move(short: str) -> None:
    """The test above can fail: a move without a mask is killed at the same address."""
    machine, move = move_of(f"{'avx2' if 'avx2' in EMITTED else EMITTED[0]}.{short}")
    library = loaded(machine)
    library.guarded_end.restype = ctypes.c_void_p
    assert killed_by(library, move, library.guarded_end() - 4, values(move, "r", 1), 1) == signal.SIGSEGV


def test_a_vector_machine_has_all_six_moves_of_every_register() -> None:
    for machine in ("avx2", "avx512", "avx512_vnni", "avx512_bf16"):
        described = isamap_hardware.load(machine)
        names = {i.short for i in described.moves}
        for suffix in {n.removeprefix("load_") for n in names if n.startswith("load_")}:
            for form in ("load", "broadcast", "zero", "store", "masked_load", "masked_store"):
                assert f"{form}_{suffix}" in names, f"{machine} has no {form}_{suffix}"
        used = {
            described.instruction(i.short).kernel.tensor(o).dtype.name for i in described.computes for o, _ in i.places
        }
        assert used == {i.kernel.tensors[0].dtype.name for i in described.moves}
