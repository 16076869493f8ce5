"""Private blocks of temporaries: each iteration of a loop has a block of its own, in memory its thread reuses.

A loop shared by several statements hands over rows of its own block. In a tensor of full size every block writes memory
never touched before, and threads sharing the loop need memory apart. A loop inside may do the same, in another
dimension or within the block of a loop around: results handed by one register tile to an epilogue then stay in the
first cache.

Loop.folds names the tensors, and the dimension counted by the loop; claim 16 shows that an element is touched in one
iteration alone. Execution and printing take the program as laid out: the block is a buffer, declared in the innermost
loop folding the tensor, so it is private to each iteration, and to each thread. If tiles of many rows would crowd the
first cache (64 rows of 4,096 bytes), the block's rows lie a line further apart.

The state of a recurrence keeps two rows (Loop.rings): each time step reads one and writes the next.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorMod, free_name, sym
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.program import Alloc, Buffer, Counted, If, IndexType, Loop, Node, Program, Ref, Serial, Unrolled, Use
from isamap_smt.ir.traversal import buffers, map_bodies, map_nodes, map_parts, nodes_of

Nodes = tuple[Node, ...]
PAGE, WAYS = 4096, 8  # lines of a first cache at this distance in bytes share a place; it holds so many of them


@dataclass(frozen=True)
class _Block:
    """Of a tensor: its start and its length in each dimension folded by loops around.

    buffer: its name; '' while a loop further in folds the tensor, too.
    """

    tensor: Tensor
    begins: tuple[tuple[int, Any], ...] = ()
    lengths: tuple[tuple[int, Any], ...] = ()
    buffer: str = ""

    def inside(self, loop: Loop, dimension: int) -> _Block:
        """The part of it touched by one iteration of a loop."""
        if not 0 <= dimension < len(self.tensor.shape):  # claim 16 refuses it
            return self
        begins, lengths = dict(self.begins), dict(self.lengths)
        begins[dimension] = begins.get(dimension, 0) + loop.step * loop.var
        lengths[dimension] = loop.step
        return replace(self, begins=tuple(begins.items()), lengths=tuple(lengths.items()))

    def declared(self) -> Alloc:
        """The buffer, with the element held by each cell."""
        t = self.tensor
        cells = tuple(sym(f"{self.buffer}_{d}") for d in range(len(t.shape)))
        begin, long = dict(self.begins), dict(self.lengths)
        coordinates = tuple(c + begin.get(d, 0) for d, c in enumerate(cells))
        shape = _apart(tuple(sp.sympify(long.get(d, n)) for d, n in enumerate(t.shape)), t.dtype.bytes)
        return Alloc(Buffer(self.buffer, t.dtype, cells, shape, IndexType(t.name, coordinates)))

    def place(self, ref: Ref) -> Ref:
        """The cell for an element."""
        begin = dict(self.begins)
        return Ref(self.buffer, tuple(sp.expand(sp.sympify(x) - begin.get(d, 0)) for d, x in enumerate(ref.index)))


def _apart(shape: tuple[Any, ...], size: int) -> tuple[Any, ...]:
    """The shape, with rows a line longer if the lines of a column would not fit their places in a first cache.

    A line lies at its address modulo a page, in one of WAYS ways.
    """
    if len(shape) < 2 or not all(n.is_Integer for n in shape[-2:]):
        return shape
    rows, row = int(shape[-2]), int(shape[-1]) * size
    crowded = row % LINE == 0 and rows > WAYS * (PAGE // gcd(row, PAGE))
    return (*shape[:-1], shape[-1] + LINE // size) if crowded else shape


def laid_out(program: Program) -> Program:
    """The program with a buffer for each folded block and two rows for each state, and without the marks."""
    if not folded(program):
        return program
    rings = {t: d for n in program.body if isinstance(n, Loop) for t, d in n.rings}
    ringed = _ringed(program.body, rings)
    taken = {t.name for t in program.kernel.tensors} | set(buffers(program))
    return replace(program, body=_Layout(program.kernel, taken).nodes(ringed, {}))


def shapes(program: Program) -> dict[str, tuple[Any, ...]]:
    """For each folded tensor, the shape of one iteration's block: addresses are made from it."""
    mine = set(buffers(program))
    return {b.type.tensor: b.shape for name, b in buffers(laid_out(program)).items() if name not in mine}


def _ringed(nodes: Nodes, rings: Dict[str, int]) -> Nodes:
    """The nodes with row r of each of these tensors at r % 2 of the dimension, and without these marks."""

    def place(r: Ref) -> Ref:
        d = rings.get(r.name, -1)
        if not 0 <= d < len(r.index):  # claim 16 refuses others
            return r
        index = list(r.index)
        index[d] = FloorMod(sp.sympify(index[d]), sp.Integer(2))
        return replace(r, index=tuple(index))

    def visit(node: Node) -> Node:
        return map_parts(replace(node, rings=()) if isinstance(node, Serial) else node, {Ref: place})

    return map_nodes(nodes, visit) if rings else nodes


def folded(program: Program) -> tuple[str, ...]:
    """The tensors that the program folds."""
    return tuple(t for n in program.body if isinstance(n, Loop) for t, _ in (*n.folds, *n.rings))


class _Layout:
    """taken: names of tensors and buffers, those of new ones among them."""

    def __init__(self, kernel: Kernel, taken: set[str]) -> None:
        self.kernel, self.taken = kernel, taken

    def nodes(self, nodes: Nodes, blocks: Dict[str, _Block]) -> Nodes:
        return tuple(self._node(n, blocks) for n in nodes)

    def _node(self, node: Node, blocks: Dict[str, _Block]) -> Node:
        match node:
            case Counted():
                further = {t for x in nodes_of(Loop, node.body) for t, _ in x.folds}
                here = {t: blocks.get(t, _Block(self.kernel.tensor(t))).inside(node, d) for t, d in node.folds}
                here = {t: b if t in further else replace(b, buffer=self._name(t)) for t, b in here.items()}
                made = tuple(b.declared() for b in here.values() if b.buffer)
                return replace(node, body=(*made, *self.nodes(node.body, {**blocks, **here})), folds=())
            case Unrolled() | If():
                return map_bodies(node, lambda body: self.nodes(body, blocks))
            case Use() if blocks:
                return map_parts(node, {Ref: lambda r: b.place(r) if (b := blocks.get(r.name)) and b.buffer else r})
        return node

    def _name(self, tensor: str) -> str:
        name = free_name(f"{tensor}_block", self.taken)
        self.taken.add(name)
        return name
