"""Instructions that combine elements side by side, step by step: what the C of such a point does, on the elements in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import instruction_actions
from isamap_smt.ir.program import Across
from isamap_smt.simulator.findings import LANES, Stop

Array = np.ndarray
instruction_steps = lru_cache(maxsize=1_000)(instruction_actions)


def combined_in_steps(across: Across, elements: Sequence[Array]) -> Array:
    """The one number that the steps make of these elements, each an array of one. Raises Stop where a step takes something else."""
    row = np.concatenate(elements)
    lanes = _size(across.last, across.last.kernel.inputs[0])
    if len(row) % lanes or across.load.active:
        raise Stop(LANES, f"{across.load.name} does not fill registers of {lanes} lanes with {len(row)} elements")
    memory = _size(across.load, across.load.kernel.inputs[0])
    held = [_run(across.load, row[n : n + memory]) for n in range(0, len(row), lanes)]
    while len(held) > 1:
        if across.beside is None or len(held) % 2:
            raise Stop(LANES, f"nothing combines {len(held)} registers for {across.last.name}")
        half = len(held) // 2
        held = [_run(across.beside, a, b) for a, b in zip(held[:half], held[half:], strict=True)]
    return _run(across.last, held[0])


def in_order(places: Sequence[tuple[int, Any]]) -> list[Any]:
    """What stands at these cells, in their order. Raises Stop where they are not side by side."""
    ordered = sorted(places, key=lambda p: p[0])
    if [n for n, _ in ordered] != list(range(ordered[0][0], ordered[0][0] + len(ordered))):
        raise Stop(LANES, "elements that do not lie side by side are combined by instructions")
    return [x for _, x in ordered]


def _size(i: Instruction, operand: str) -> int:
    return prod(int(e) for e in i.kernel.tensor(operand).shape)


def _run(i: Instruction, *given: Array) -> Array:
    k = i.kernel
    for operand, values in zip(k.inputs, given, strict=True):
        if values.dtype != k.tensor(operand).dtype.numpy or len(values) != _size(i, operand):
            raise Stop(LANES, f"{i.name} takes {k.tensor(operand)} for {operand}, not {len(values)} of {values.dtype}")
    out = k.statements[0].target.tensor
    held = dict(zip(k.inputs, given, strict=True)) | {out: np.zeros(_size(i, out), k.tensor(out).dtype.numpy)}
    for step in instruction_steps(i):
        step(held)
    return held[out]


__all__ = ["combined_in_steps", "in_order", "instruction_steps"]
