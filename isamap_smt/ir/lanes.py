"""One execution of an instruction: the points it runs through, the cells they touch, and what it computes."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.ir.kernel import Kernel, Statement


@dataclass(frozen=True)
class Cells:
    """points: axis -> vector with one entry per point ('' numbers them); target and read: cell indices per point.

    first: the value of the first axis (all zero without axes), which `active` is compared with.
    """

    points: dict[str, np.ndarray]
    target: tuple[np.ndarray, ...]
    read: tuple[np.ndarray, ...]
    first: np.ndarray

    @staticmethod
    def of(kernel: Kernel) -> Cells:
        """The points of a kernel with one statement, axes in written order, first axis outermost."""
        return _cells(kernel)


@lru_cache(maxsize=256)
def _cells(kernel: Kernel) -> Cells:
    statement = kernel.statements[0]
    points = _points(statement, [a.name for a in statement.axes])
    read = statement.inputs[0].index if statement.inputs else ()
    first = points[statement.axes[0].name] if statement.axes else np.zeros(1, int)
    return Cells(points, _index(statement.target.index, points), _index(read, points), first)


def _points(statement: Statement, names: list[str]) -> dict[str, np.ndarray]:
    extents = [int(statement.axis(n).extent) for n in names]
    grids: Any = np.indices(extents).reshape(len(extents), -1) if extents else []
    total = int(np.prod(extents)) if extents else 1
    return {**dict(zip(names, grids, strict=True)), "": np.arange(total)}


def _index(index: tuple[Any, ...], points: Dict[str, Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.broadcast_to(np.asarray(evaluate(i, points)), (len(points[""]),)) for i in index)


def execute(instruction: Instruction, values: Dict[str, np.ndarray]) -> np.ndarray:
    """The accumulator after one execution, bit for bit what `exact` (or else the contract) says. Inputs are kept."""
    return run_instruction(instruction, values)[instruction.kernel.statements[0].target.tensor]
