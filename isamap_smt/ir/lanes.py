"""One execution of an instruction: the points it runs through, the cells they touch, and what it computes."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir import scalar as sc
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
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
    grids = np.indices(extents).reshape(len(extents), -1) if extents else []
    total = int(np.prod(extents)) if extents else 1
    return {**dict(zip(names, grids, strict=True)), "": np.arange(total)}


def _index(index: tuple[Any, ...], points: Dict[str, Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.broadcast_to(np.asarray(evaluate(i, points)), (len(points[""]),)) for i in index)


def neutral(op: str, dtype: DType) -> Any:
    """The value that a reduction starts from: x op neutral = x."""
    low = -np.inf if dtype.is_float else dtype.low
    high = np.inf if dtype.is_float else dtype.high
    return {"+": 0, "*": 1, "max": low, "min": high, "=": 0}[op]


def execute(instruction: Instruction, values: Dict[str, np.ndarray]) -> np.ndarray:
    """The accumulator after one execution, bit for bit what `exact` (or else the contract) says. Inputs are kept."""
    kernel = instruction.exact or instruction.kernel
    held = {n: v.copy() for n, v in values.items()}
    for statement in kernel.statements:
        _run(kernel, statement, held)
    return held[instruction.kernel.statements[0].target.tensor]


def _run(kernel: Kernel, statement: Statement, held: dict[str, np.ndarray]) -> None:
    """Reduction points one after the other, all other points at once."""
    reduced = list(statement.reduction_axes)
    kept = [a.name for a in statement.axes if a.name not in reduced]
    dtype = kernel.tensor(statement.target.tensor).dtype
    outer, inner = _points(statement, reduced), _points(statement, kept)
    for n in range(len(outer[""])):
        points = {**inner, **{a: outer[a][n] for a in reduced}}
        at = _index(statement.target.index, points)
        value = _Value(kernel, held, points, dtype).of(statement.value)
        held[statement.target.tensor][at] = _reduce(statement.op, held[statement.target.tensor][at], value, dtype)


def _reduce(op: str, old: np.ndarray, new: Any, dtype: DType) -> Any:
    with np.errstate(all="ignore"):
        new = np.asarray(new).astype(dtype.numpy)
        table: dict[str, Any] = {
            "+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum, "=": lambda _, b: b,
        }  # fmt: skip
        return table[op](old, new)


class _Value:
    """Evaluates a scalar tree at many points. Elements without a written cast are converted to the output's dtype."""

    def __init__(self, kernel: Kernel, held: Dict[str, np.ndarray], points: Dict[str, Any], dtype: DType) -> None:
        self.kernel, self.held, self.points, self.dtype = kernel, held, points, dtype

    def of(self, e: Any, raw: bool = False) -> Any:
        match e:
            case sc.Read():
                at = _index(e.index, self.points)
                value = self.held[e.tensor][at]
                return value if raw else value.astype(self.dtype.numpy)
            case sc.Cast():
                return np.asarray(self.of(e.args[1], True)).astype(DTYPES[e.args[0].name].numpy)
            case sc.Saturate():
                to = DTYPES[e.args[0].name]
                return np.clip(np.asarray(self.of(e.args[1], True)).astype(np.int64), to.low, to.high).astype(to.numpy)
            case sp.Integer() | sp.Float():
                return np.asarray(float(e) if self.dtype.is_float else int(e)).astype(self.dtype.numpy)
        args = [self.of(a) for a in e.args]
        with np.errstate(all="ignore"):
            match e:
                case sc.SAdd():
                    return args[0] + args[1]
                case sc.SSub():
                    return args[0] - args[1]
                case sc.SMul():
                    return args[0] * args[1]
                case sc.SMax():
                    return np.maximum(*args)
                case sc.SMin():
                    return np.minimum(*args)
                case sc.SNeg():
                    return -args[0]
        raise TypeError(f"no meaning for {type(e).__name__} in an instruction")
