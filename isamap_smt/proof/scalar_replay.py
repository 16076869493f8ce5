"""A scalar witness, run through the interpreter."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import execute


def run_cell(instruction: Instruction, values: dict[str, Any]) -> int | float:
    """The accumulator's first cell after one execution from 0, all elements 0 but those named (`a[l,0]`: at lane 0)."""
    arrays = {t.name: np.zeros(tuple(int(e) for e in t.shape), t.dtype.numpy) for t in instruction.kernel.tensors}
    for name, value in values.items():
        tensor, index = name.rstrip("]").split("[")
        cell = tuple(int(i) if re.fullmatch(r"\d+", i) else 0 for i in index.split(",") if i)
        arrays[tensor][cell] = float(value) if isinstance(value, str) else value
    target = instruction.kernel.statements[0].target
    first = tuple(0 for _ in target.index)
    found = execute(instruction, arrays)[first]
    return int(found) if np.asarray(found).dtype.kind in "iu" else float(found)
