"""The cells read and written by copies and moves, for all their rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from isamap_smt.ir.convert import constant
from isamap_smt.ir.instruction import ACCUMULATE, Instruction
from isamap_smt.ir.interpret import left_beyond
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.program import Copy, Move, Ref, Use
from isamap_smt.simulator.findings import BOUNDS, LANES, UNDEFINED, WRITE, Stop
from isamap_smt.simulator.iterations import Rows

if TYPE_CHECKING:
    from isamap_smt.simulator.core import Core, Space

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a space, each with its row. live: the touched ones. wrong: row -> its error."""

    space: Space
    number: Array
    row: Array
    live: Array
    wrong: dict[int, tuple[str, str]]

    def check(self, row: int) -> None:
        """Nothing happens for a row whose cells there are. Raises Stop."""
        if self.wrong and row in self.wrong:
            raise Stop(*self.wrong[row])

    @staticmethod
    def of(
        space: Space, rows: Rows, index: Sequence[Any], row: Array | None = None, touched: Array | None = None,
        writes: bool = False,
    ) -> Cells:  # fmt: skip
        """The cell of each of the rows at an index. row: the node's row of each one; touched: whether each is touched."""
        row = np.arange(rows.count) if row is None else row
        some = np.ones(rows.count, bool) if touched is None else touched
        if len(index) != len(space.shape):
            wrong = (BOUNDS, f"{space.name} has {len(space.shape)} dimensions, not {len(index)}")
            return Cells(
                space,
                np.zeros(rows.count, np.int64),
                row,
                np.zeros(rows.count, bool),
                dict.fromkeys(row.tolist(), wrong),
            )
        number, found = np.zeros(rows.count, np.int64), dict[int, tuple[str, str]]()
        at = [rows.column(e, f"an index of {space.name}") for e in index]
        for d, (i, n) in enumerate(zip(at, space.shape, strict=True)):
            number = number * n + i
            off = ((i < 0) | (i >= n)) & some
            for bad in np.flatnonzero(off).tolist() if off.any() else ():
                where = (
                    f"{space.name}{[int(x[bad]) for x in at]} is outside its shape {list(space.shape)} (dimension {d})"
                )
                found.setdefault(int(row[bad]), (BOUNDS, where))
        if writes and space.readonly:
            text = f"{space.name} is an input and is written"
            found |= {r: (WRITE, text) for r in row[some].tolist() if r not in found}
        return Cells(space, number, row, some if not found else np.zeros(rows.count, bool), found)

    @staticmethod
    def registers(space: Space, start: Array, size: int) -> Cells:
        """Whole registers, one a row."""
        number = (start[:, None] + np.arange(size)[None, :]).reshape(-1)
        return Cells(space, number, np.repeat(np.arange(len(start)), size), np.ones(len(number), bool), {})


@dataclass(frozen=True, eq=False)
class Transfer:
    """Points from begins[row] to begins[row + 1] belong to a row. inside: the points read; fill: the value for the
    cells of the others, None to keep them. whole: rows with all points inside. source: None if every cell gets the
    fill. adds: the others stay, and the values read are added."""

    target: Cells
    source: Cells | None
    begins: Array
    inside: Array
    whole: Array
    fill: Any
    adds: bool = False

    def check(self, row: int) -> None:
        """Nothing happens for a row whose cells there are. Raises Stop."""
        if self.source is not None:
            self.source.check(row)
        self.target.check(row)


def start_of(space: Space, rows: Rows, ref: Ref, tensor: Tensor | None = None) -> tuple[Array, int]:
    """The first cell of the register at leading indices, row by row, and its number of cells.

    tensor: the operand it stands for, or None. Raises Stop if no row can be right.
    """
    lead = len(ref.index)
    size, shape = prod(space.shape[lead:]), space.shape
    if rows.count and tensor is not None:
        cells = [int(e) for e in tensor.shape]
        if list(shape[lead:]) != cells:
            raise Stop(BOUNDS, f"{ref.name}{list(ref.index)} is no register of shape {cells}")
        if space.dtype != tensor.dtype:
            raise Stop(UNDEFINED, f"{ref.name} holds {space.dtype}, operand {tensor.name} is {tensor.dtype}")
    start = np.zeros(rows.count, np.int64)
    for e, n in zip(ref.index, shape, strict=False):
        i = rows.column(e, f"a register of {ref.name}")
        if ((i < 0) | (i >= n)).any():
            raise Stop(BOUNDS, f"{ref.name}{list(ref.index)}: no such register")
        start = start * n + i
    return start * size, size


def check_types(core: Core, node: Use, rows: Rows) -> None:
    """Raises Stop if a use gives an operand of another type than its instruction's, or lacks an operand or has a foreign one."""
    tensors = {t.name: t for t in node.instruction.kernel.tensors}
    if sorted(o for o, _ in node.operands) != sorted(tensors):
        raise Stop(
            UNDEFINED, f"{node.instruction.name} has operands {sorted(tensors)}, not {[o for o, _ in node.operands]}"
        )
    for operand, ref in node.operands:
        space = core.space(rows, ref.name)
        if space.dtype != tensors[operand].dtype:
            raise Stop(UNDEFINED, f"{ref.name} holds {space.dtype}, operand {operand} is {tensors[operand].dtype}")


def copied(core: Core, node: Copy, rows: Rows) -> Transfer:
    """All points of a copy."""
    check_types(core, node, rows)
    points, row = rows, np.arange(rows.count)
    for symbol, count in node.over:
        points, own, of = points.repeated(points.column(count, f"the count of {symbol}").clip(min=0))
        points.env[symbol.name], row = own, row[of]
    inside = np.ones(points.count, bool)
    for g in node.where:
        inside &= points.column(g, "a guard") != 0
    fill = None if node.fill == "" else -0.0 if node.fill == "-0" else 0.0
    source = Cells.of(core.space(rows, node.src.name), points, node.src.index, row, inside)
    target = Cells.of(
        core.space(rows, node.dst.name), points, node.dst.index, row, inside if fill is None else None, writes=True
    )
    return _transfer(target, source, rows, row, inside, fill)


def moved(core: Core, node: Move, rows: Rows) -> Transfer:
    """All points of a move; those below the active numbers are read. A load puts zeros beyond, a store nothing."""
    check_types(core, node, rows)
    i, statement = node.instruction, node.instruction.kernel.statements[0]
    space, axes = core.space(rows, node.register.name), i.axes
    points, own, row = rows.repeated(np.full(rows.count, prod(axes.values())))
    digits = np.unravel_index(own, tuple(axes.values())) if axes else ()
    inside = np.ones(points.count, bool)
    for e, extent, at in zip(node.active, axes.values(), digits, strict=False):
        inside &= at < points.column(e, "a number of active points").clip(0, extent)
    register = Rows(points.count, {n: v for n, v in points.env.items() if n not in axes}, points.loops)
    points.env.update(dict(zip(axes, digits, strict=True)))
    store = i.kind == "store"
    held, far = (statement.inputs[0].index, statement.target.index) if store else (statement.target.index, None)
    leads = [register.column(e, f"a register of {space.name}") for e in node.register.index]
    names = [sp.Symbol(f"lead {n}") for n in range(len(leads))]
    points.env.update({s.name: v for s, v in zip(names, leads, strict=True)})
    if node.memory is None or not (store or statement.inputs):
        if node.memory is not None:
            raise Stop(BOUNDS, f"{i.short} has no memory operand and is given one")
        target = Cells.of(space, points, (*names, *held), row, writes=True)
        number = constant(sp.sympify(statement.value), i.kernel.tensors[0].dtype)
        return _transfer(target, None, rows, row, inside, number)
    other = core.space(rows, node.memory.name)
    register_cells = Cells.of(space, points, (*names, *held), row, inside if store else None, writes=not store)
    memory = Cells.of(other, points, node.memory.index, row, inside, writes=store)
    _lies(i, memory, (points, inside, row), far if store else statement.inputs[0].index)
    if store:
        return _transfer(memory, register_cells, rows, row, inside, None)
    if i.kind == ACCUMULATE:
        return _transfer(register_cells, memory, rows, row, inside, None, adds=True)
    kind = i.kernel.tensor(register_operand(i)).dtype
    return _transfer(register_cells, memory, rows, row, inside, constant(left_beyond(i.beyond, kind), kind))


def _transfer(
    target: Cells, source: Cells | None, rows: Rows, row: Array, inside: Array, fill: Any, adds: bool = False
) -> Transfer:
    begins = np.searchsorted(row, np.arange(rows.count + 1))
    outside = np.bincount(row[~inside], minlength=rows.count) if rows.count else np.zeros(0)
    return Transfer(target, source, begins, inside, outside == 0, fill, adds)


def _lies(i: Instruction, memory: Cells, points: tuple[Rows, Array, Array], index: Any) -> None:
    """Marks rows whose lanes do not lie as the instruction's place says."""
    at, inside, row = points
    name = next(t.name for t in i.kernel.tensors if t.name != register_operand(i))
    address = i.address(name)
    each = prod(i.axes.values())
    if not each or not at.count or memory.wrong:
        return
    own = [at.column(e, "an axis").reshape(-1, each)[0] for e in index]
    number, active = memory.number.reshape(-1, each), inside.reshape(-1, each)
    patterns, which = _patterns(active)
    for n, pattern in enumerate(patterns):
        some, chosen = np.flatnonzero(which == n), np.flatnonzero(pattern)
        if not chosen.size:
            continue
        found = number[np.ix_(some, chosen)]
        found = found - found[:, :1]
        apart = (found != address.offsets([k[chosen] for k in own], found)).any(axis=1)
        text = f"{i.short}: lanes do not lie as its place says in {memory.space.name}"
        memory.wrong.update(dict.fromkeys(row.reshape(-1, each)[some[apart], 0].tolist(), (LANES, text)))


def _patterns(active: Array) -> tuple[Array, Array]:
    """The distinct rows of truth values, in order, and for each row the number of its own."""
    if active.all():
        return active[:1], np.zeros(len(active), np.int64)
    packed = np.packbits(active, axis=1)
    rows = packed.view(f"S{packed.shape[1]}").reshape(-1)  # compared as one value each
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return active[first], which.reshape(-1)
