"""Counts of a program's work at its sizes, taken from its text: uses of instructions, bytes, iterations of loops.

A node is executed at the points of a box, the trips of the loops around it, if all conditions around it hold. These
points are counted like points of statements (isamap_smt.ir.points). Sharing a loop among threads changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import BooleanAtom

from isamap_smt.ir.across import leaves
from isamap_smt.ir.expr import Element, IMin, evaluate, substitute, sym, symbols_of
from isamap_smt.ir.folds import laid_out
from isamap_smt.ir.points import all_points, counted
from isamap_smt.ir.program import FRESH, Alloc, Copy, If, Loop, Move, Node, Point, Program, Unrolled, Use
from isamap_smt.ir.program_at import at_own_values
from isamap_smt.ir.traversal import nodes_of


@dataclass
class Executed:
    """Counts of one call that adds to nothing.

    instructions: name -> uses; kinds: kind -> uses. elements: points computed one by one, and elements copied. read,
    written: bytes of memory named by uses, in tensors, temporaries and packed buffers alike. iterations: of loops not
    written out. exact: False if a condition is data; everything under it is counted.
    """

    instructions: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    elements: int = 0
    read: int = 0
    written: int = 0
    iterations: int = 0
    exact: bool = True

    def __add__(self, other: Executed) -> Executed:
        return Executed(
            self.instructions + other.instructions, self.kinds + other.kinds, self.elements + other.elements,
            self.read + other.read, self.written + other.written, self.iterations + other.iterations,
            self.exact and other.exact,
        )  # fmt: skip

    def as_document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "instructions": dict(sorted(self.instructions.items())),
            "kinds": dict(sorted(self.kinds.items())),
            "elements": self.elements,
            "bytes_read": self.read,
            "bytes_written": self.written,
            "iterations": self.iterations,
            "exact": self.exact,
        }


def executed(program: Program) -> Executed:
    """Counts of `body` in a call that adds to nothing, with bounded parameters at their upper ends.

    Raises SizeError or TypeError if sizes are open.
    """
    whole = laid_out(at_own_values(program))
    ends = {p.name: sp.Integer(p.high) for p in program.kernel.parameters if p.high is not None}
    sizes = {t.name: t.dtype.bytes for t in whole.kernel.tensors}
    sizes |= {n.buffer.name: n.buffer.dtype.bytes for n in nodes_of(Alloc, whole)}
    found = Executed()
    _Count(found, sizes).nodes(whole.body, _Box(known=(*_Box().known, *ends.items())))
    return found


@dataclass(frozen=True)
class _Box:
    """Axes with their numbers of values, relations over them, and symbols with their expressions."""

    extents: tuple[tuple[str, int], ...] = ()
    guard: tuple[Any, ...] = ()
    known: tuple[tuple[str, Any], ...] = ((FRESH.name, sp.S.One),)

    def expr(self, e: Any) -> Any:
        return substitute(sp.sympify(e), dict(self.known))

    def inside(self, var: Any, trips: Any) -> _Box:
        """With one more axis, `var`, of so many trips."""
        count = self.expr(trips)
        if count.is_Integer:
            return _Box((*self.extents, (var.name, max(0, int(count)))), self.guard, self.known)
        own = {n: e for n, e in self.extents if n in symbols_of([count])}
        largest = max((int(np.max(evaluate(count, env))) for env, _ in all_points(own)), default=0)
        below = count.args if isinstance(count, IMin) else (count,)
        guard = (*self.guard, *(sp.Lt(var, c) for c in below))
        return _Box((*self.extents, (var.name, max(0, largest))), guard, self.known)

    def where(self, relations: tuple[Any, ...]) -> _Box:
        """With more relations."""
        made = (self.expr(r) for r in relations)
        return _Box(self.extents, (*self.guard, *(r for r in made if r != sp.true)), self.known)

    @property
    def count(self) -> int:
        if any(g == sp.false for g in self.guard):
            return 0
        return counted(self.extents, self.guard)


class _Count:
    def __init__(self, found: Executed, sizes: dict[str, int]) -> None:
        self.found, self.sizes = found, sizes

    def nodes(self, nodes: tuple[Node, ...], box: _Box) -> None:
        for node in nodes:
            match node:
                case If():
                    data = tuple(c for c in node.condition if not isinstance(c, sp.Rel | BooleanAtom) or c.has(Element))
                    self.found.exact &= not data
                    self.nodes(node.body, box.where(tuple(c for c in node.condition if c not in data)))
                case Loop():
                    inner = box.inside(node.var, node.trips)
                    if node.base is not None:
                        inner = _Box(inner.extents, inner.guard, (*inner.known, (node.base.name, node.step * node.var)))
                    if not isinstance(node, Unrolled):
                        self.found.iterations += inner.count
                    self.nodes(node.body, inner)
                case Copy():
                    self._copy(node, box)
                case Point():
                    self._point(node, box)
                case Use():
                    self._use(node, box)

    def _uses(self, instructions: Iterator[tuple[Any, int]]) -> None:
        for i, times in instructions:
            if times:
                self.found.instructions[i.name] += times
                self.found.kinds[i.kind] += times

    def _copy(self, node: Copy, box: _Box) -> None:
        every = box
        for symbol, count in node.over:
            every = every.inside(symbol, count)
        kept = every.where(node.where).count
        filled = every.count if node.fill else kept
        self.found.elements += filled
        self.found.read += kept * self.sizes[node.src.name]
        self.found.written += filled * self.sizes[node.dst.name]

    def _point(self, node: Point, box: _Box) -> None:
        times = box.count
        held = self.sizes[node.dst.name]
        self.found.elements += times
        self.found.read += times * sum(self.sizes[r.name] for r in node.reads)
        self.found.read += times * held * (node.instruction.kernel.statements[0].op != "=")
        self.found.written += times * held
        if node.across is not None:
            across, registers = node.across, len(node.reads) // leaves(node.across.last)
            steps = [(across.load, registers), (across.last, 1)]
            steps += [(across.beside, registers - 1)] if across.beside is not None else []
            self._uses((i, n * times) for i, n in steps)

    def _use(self, node: Any, box: _Box) -> None:
        self._uses(iter([(node.instruction, box.count)]))
        if not isinstance(node, Move) or node.memory is None:
            return
        i, memory = node.instruction, node.memory
        active = dict(zip((a for a, _ in i.active), node.active, strict=False))
        named = symbols_of(memory.index)
        inner = box
        for axis, extent in i.axes.items():
            if axis not in named and axis not in active:
                continue
            own = sym(f"{axis} of the instruction")
            inner = _Box((*inner.extents, (own.name, extent)), inner.guard, inner.known)
            if axis in active:
                inner = inner.where((sp.Lt(own, active[axis]),))
        moved = inner.count * self.sizes[memory.name]
        if i.kind == "store":
            self.found.written += moved
        else:
            self.found.read += moved


__all__ = ["Executed", "executed"]
