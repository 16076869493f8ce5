"""How a register that has only a number is seen: the machine's own store shows it, or an instruction that computes with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.move_form import register_operand
from isamap_smt.runtime.conformance import source
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.outcome import NotRunnableError, cells_differ, example
from isamap_smt.runtime.conformance.rounding import judged_by, right
from isamap_smt.runtime.conformance.spots import as_cells, as_memory

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Seen:
    """before: a load that fills the register first. by: what shows it: a store, or an instruction that computes.

    operand: the register's name in `by`. loads: of its other operands; after: the store of its result.
    """

    move: Instruction
    before: Instruction | None
    by: Instruction
    operand: str
    loads: dict[str, Instruction]
    after: Instruction | None

    def function(self, number: int, machine: Hardware) -> str:
        """The move as C, with what comes before and after it."""
        return source.numbered_move(number, self.move, machine, self.before, self.by, self.loads, self.after)

    def places(
        self, first: int, register: np.ndarray, random: np.random.Generator, arena: Arena
    ) -> tuple[tuple[int, ...], tuple[int, ...], Arrays]:
        """Where it finds its operands, where it leaves what is looked at, and the other operands of what shows it."""
        filled = arena.room(1) if self.before is None else arena.array(as_memory(self.before, register))
        given: Arrays = {}
        others = []
        for n, load in self.loads.items():
            t = self.by.kernel.tensor(n)
            given[n] = plain_values(t.dtype, source.size(t) // t.dtype.bytes, random).reshape(
                *(int(e) for e in t.shape)
            )
            others.append(arena.array(as_memory(load, given[n])))
        return (first, filled, *others), (arena.room(source.size(self._shown)),), given

    @property
    def _shown(self) -> Tensor:
        return self.by.kernel.tensor(self.by.kernel.outputs[0] if self.after else self.operand)

    def differs(self, wanted: np.ndarray, a: Arena, at: int, given: Arrays) -> str:
        """How what is seen differs from what it is where the register holds these cells; '' where it does not."""
        t, shows = self._shown, self.after or self.by
        got = as_cells(shows, a.read(at, source.size(t)).view(t.dtype.numpy))
        if self.after is None:
            return cells_differ(self.move, wanted, got, f", seen by {shows.short}")
        arrays = {n: c[None] for n, c in {**given, self.operand: wanted}.items()}
        found, expected = right(self.by, arrays, got[None])
        return "" if found.all() else f"seen by {self.by.short}: {example(self.by, arrays, got[None], expected, found)}"


def plain_values(dtype: DType, count: int, random: np.random.Generator) -> np.ndarray:
    """Elements whose sums of products are exact, so that no cell hides another."""
    return random.integers(1, 100, count).astype(dtype.numpy)


def seen_by(move: Instruction, machine: Hardware) -> Seen:
    """What shows the register of a move that has only a number. Raises NotRunnableError."""
    r = register_operand(move)
    before = source.whole_move(machine, move, r, store=False)
    if move.kind == "store":
        if before is None:
            raise NotRunnableError(f"{machine.name} has no load of all cells of what it stores")
        return Seen(move, before, move, r, {}, None)
    store = source.whole_move(machine, move, r, store=True)
    if store is not None:
        return Seen(move, before, store, register_operand(store), {}, None)
    place, t = dict(move.places)[r], move.kernel.tensor(r)
    for i in machine.computes:
        target = i.kernel.outputs[0]
        for o in (x for x in i.kernel.tensors if x.name != target):
            if (dict(i.places)[o.name], o.dtype, o.shape) != (place, t.dtype, t.shape) or not judged_by(i):
                continue
            others = {x.name: source.whole_move(machine, i, x.name, store=False) for x in i.kernel.tensors if x != o}
            after = source.whole_move(machine, i, target, store=True)
            loads = {n: load for n, load in others.items() if load is not None}
            if len(loads) == len(others) and after is not None:
                return Seen(move, before, i, o.name, loads, after)
    raise NotRunnableError(
        f"{machine.name} has nothing that shows its register: no store of it, and none of a result of it"
    )
