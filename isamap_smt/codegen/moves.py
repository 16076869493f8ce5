"""Choosing the move instruction that fills or empties a register, by the shape of what moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.scalar import Read


def register_operand(move: Instruction) -> str:
    """The name of the move's register operand: target of a load, source of a store."""
    s = move.kernel.statements[0]
    return s.inputs[0].tensor if move.kind == "store" else s.target.tensor


def memory_pattern(move: Instruction) -> tuple[int, ...]:
    """Which dimensions of the register the memory operand runs over: () for a broadcast of one element."""
    s = move.kernel.statements[0]
    register, memory = (s.inputs[0], s.target) if move.kind == "store" else (s.target, s.inputs[0])
    return tuple(register.index.index(i) for i in memory.index)


def find_move(
    hardware: Hardware,
    compute: Instruction,
    operand: str,
    store: bool,
    pattern: tuple[int, ...],
    masked: bool,
) -> Instruction:
    """The move between memory and the register of `operand` of `compute`.

    pattern: register dimensions that advance in memory, the others are broadcast.
    Raises ScheduleError when the machine has none.
    """
    kinds = ("store",) if store else ("load", "broadcast")
    for move in _moves(hardware, compute, operand, kinds):
        if move.masked == masked and memory_pattern(move) == pattern:
            return move
    form = "masked " if masked else ""
    what = f"{form}{'store' if store else 'load'} of {_register(compute, operand)}"
    raise ScheduleError(f"{hardware.name} has no {what} over its dimensions {list(pattern)} for {compute.name}")


def find_zero(hardware: Hardware, compute: Instruction, operand: str) -> Instruction | None:
    """The move that zeroes the register of `operand` of `compute`; None when the machine has none."""
    return next(_moves(hardware, compute, operand, ("zero",)), None)


def _moves(hardware: Hardware, compute: Instruction, operand: str, kinds: tuple[str, ...]) -> Iterator[Instruction]:
    """The machine's moves of these kinds that fill or empty the register of `operand`."""
    place = dict(compute.places).get(operand, "")
    tensor = compute.kernel.tensor(operand)
    for move in hardware.moves:
        if move.kind not in kinds:
            continue
        register = register_operand(move)
        t = move.kernel.tensor(register)
        if dict(move.places).get(register, "") == place and t.dtype == tensor.dtype and t.shape == tensor.shape:
            yield move


def _register(compute: Instruction, operand: str) -> str:
    tensor = compute.kernel.tensor(operand)
    return f"{tensor.dtype}{list(tensor.shape)} in {dict(compute.places).get(operand, '')}"


def lane_symbols(move: Instruction) -> tuple[Any, ...]:
    """The move's own axes in the order of its register's dimensions."""
    s = move.kernel.statements[0]
    value = s.value
    return tuple(s.target.index) if move.kind != "store" else tuple(value.index if isinstance(value, Read) else ())


def contiguous(offset: Any, lanes: list[tuple[str, int]], broadcast: list[str] | None = None) -> bool:
    """Whether a row-major offset advances by exactly one element per lane, lanes given outermost first."""
    parts = affine(offset, [n for n, _ in lanes] + list(broadcast or []))
    if parts is None:
        return False
    coefficients, _ = parts
    stride = 1
    for name, count in reversed(lanes):
        if count > 1 and coefficients.get(name, 0) != stride:
            return False
        stride *= count
    return not any(coefficients.get(n, sp.S.Zero) != 0 for n in broadcast or [])
