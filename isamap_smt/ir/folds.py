"""Temporaries of which each iteration of a loop needs a block alone: each has a block of its own, in memory that its thread reuses.

A loop that several statements share hands over rows of its own block. In a tensor of full size every block writes memory that was
never touched before, and threads that share the loop need memory apart. A loop inside may do the same in another dimension.
Loop.folds names the tensors, and the dimension that the loop counts; claim 16 shows that an element is touched in one iteration
alone. What executes a program, or prints it, takes it as it is laid out: the block is a buffer, declared in the innermost loop that
folds the tensor, so that it is private to each iteration, and to each thread. Where tiles of many rows would find no place for
their lines in the first cache (64 rows of 4,096 bytes), its rows lie a line further apart.

The state of a recurrence, of which each time step reads one row and writes the next, keeps two rows (Loop.rings).
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true
from isamap_smt.ir.expr import FloorMod, substitute, sym
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.program import Alloc, Buffer, If, IndexType, Loop, Node, Program, Ref, Use, buffers, walk
from isamap_smt.ir.scalar import bound_axes

Nodes = tuple[Node, ...]
PAGE, WAYS = 4096, 8  # bytes after which lines of a first cache share a place, and how many of them it holds


@dataclass(frozen=True)
class _Block:
    """Of a tensor: where it begins, and how long it is, in each dimension that loops around fold. buffer: its name; '' while a loop
    further in folds the tensor, too."""

    tensor: Tensor
    begins: tuple[tuple[int, Any], ...] = ()
    lengths: tuple[tuple[int, Any], ...] = ()
    buffer: str = ""

    def inside(self, loop: Loop, dimension: int) -> _Block:
        """The part of it that one iteration of a loop touches."""
        if not 0 <= dimension < len(self.tensor.shape):  # claim 16 refuses it
            return self
        begins = (*self.begins, (dimension, loop.step * loop.var))
        return replace(self, begins=begins, lengths=(*self.lengths, (dimension, loop.step)))

    def declared(self) -> Alloc:
        """The buffer, with the elements that its cells stand for."""
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
    """The shape, with rows a line longer where the lines of a column would not fit their places in a first cache: a line lies at
    its address modulo a page, in one of so many ways."""
    if len(shape) < 2 or not all(n.is_Integer for n in shape[-2:]):
        return shape
    rows, row = int(shape[-2]), int(shape[-1]) * size
    crowded = rows > WAYS * (PAGE // gcd(row, PAGE))
    return (*shape[:-1], shape[-1] + LINE // size) if crowded else shape


def laid_out(program: Program) -> Program:
    """The program with a buffer for each block of such a tensor, two rows of each state, and without the marks."""
    if not folded(program):
        return program
    rings = {t: d for n in program.body if isinstance(n, Loop) for t, d in n.rings}
    ringed = _ringed(program.body, rings)
    taken = {t.name for t in program.kernel.tensors} | set(buffers(program))
    return replace(program, body=_Layout(program.kernel, taken).nodes(ringed, {}))


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
        match node:
            case Loop():
                return replace(node, body=_ringed(node.body, rings), rings=())
            case If():
                return replace(node, body=_ringed(node.body, rings))
            case Use():
                return replace(node, operands=tuple((o, place(r)) for o, r in node.operands))
        return node

    return tuple(map(visit, nodes)) if rings else nodes


def folded(program: Program) -> tuple[str, ...]:
    """The tensors that the program folds."""
    return tuple(t for n in program.body if isinstance(n, Loop) for t, _ in (*n.folds, *n.rings))


@lru_cache(maxsize=256)  # each tensor that a loop folds is asked about
def assigned_whole(kernel: Kernel) -> tuple[str, ...]:
    """Tensors every element of which the kernel assigns before anything reads it, or a temporary every element that is read: what
    they held before is in no result."""
    found, seen = [], set[str]()
    for n, s in enumerate(kernel.statements):
        name = s.target.tensor
        seen |= {a.tensor for a in s.inputs}
        whole = s.extents_of(s.target.index) == kernel.tensor(name).shape
        if s.op == "=" and whole and name not in seen and (not s.guard or _read_inside(kernel, n)):
            found.append(name)
        seen.add(name)
    return (*found, *(n for n in kernel.outputs if n not in found and _assigned_in_rows(kernel, n)))


def _assigned_in_rows(kernel: Kernel, name: str) -> bool:
    """Whether the first row is assigned before a recurrence, and each time step assigns the next one, before any is read."""
    writers = [(n, s) for n, s in enumerate(kernel.statements) if s.target.tensor == name]
    if len(writers) != 2:
        return False
    (begin, first), (step, each) = writers
    block = kernel.recurrence_of(step)
    if block is None or begin >= block.first or kernel.recurrence_of(begin) is not None:
        return False
    t, rows = sym(block.axis), kernel.tensor(name).shape[0]
    right = first.target.index[0] == 0 and each.target.index[0] == t + 1 and each.axis(block.axis).extent + 1 == rows
    if not right or not all(_assigns_row(kernel, s) for s in (first, each)):
        return False

    def written(n: int, a: Access) -> bool:
        if n < block.first:
            return n > begin and bool(a.index[0] == 0)
        return n >= block.end or bool(a.index[0] == t or (a.index[0] == t + 1 and n > step))

    return all(written(n, a) for n, s in enumerate(kernel.statements) for a in s.inputs if a.tensor == name)


def _assigns_row(kernel: Kernel, s: Statement) -> bool:
    """Whether the statement assigns every element of a row, behind the first dimension."""
    return s.op == "=" and not s.guard and s.extents_of(s.target.index[1:]) == kernel.tensor(s.target.tensor).shape[1:]


def _read_inside(kernel: Kernel, position: int) -> bool:
    """Whether the target is a temporary, and whoever reads it later, or adds to it, has the statement's guard, said of the elements
    that are read."""
    s = kernel.statements[position]
    later = [(x, a) for x in kernel.statements[position + 1 :] for a in (x.target, *x.inputs)]
    reads = [
        (x, a) for x, a in later if a.tensor == s.target.tensor and (x.op != "=" or a != x.target or a in x.inputs)
    ]
    own = {a.name for a in s.axes} <= {str(i) for i in s.target.index}
    return s.target.tensor in kernel.temporaries and own and all(_has_guard(s, x, a) for x, a in reads)


def _has_guard(s: Statement, reader: Statement, access: Access) -> bool:
    table = {i.name: e for i, e in zip(s.target.index, access.index, strict=True)}
    needed = [substitute(g, table) for g in s.guard]
    return not bound_axes(reader.value) and all(g in reader.guard or always_true(g, reader.axes) for g in needed)


class _Layout:
    """taken: names of tensors and buffers, those of new ones among them."""

    def __init__(self, kernel: Kernel, taken: set[str]) -> None:
        self.kernel, self.taken = kernel, taken

    def nodes(self, nodes: Nodes, blocks: Dict[str, _Block]) -> Nodes:
        return tuple(self._node(n, blocks) for n in nodes)

    def _node(self, node: Node, blocks: Dict[str, _Block]) -> Node:
        match node:
            case Loop():
                further = {t for x, _ in walk(node.body) if isinstance(x, Loop) for t, _ in x.folds}
                here = {t: blocks.get(t, _Block(self.kernel.tensor(t))).inside(node, d) for t, d in node.folds}
                here = {t: b if t in further else replace(b, buffer=self._name(t)) for t, b in here.items()}
                made = tuple(b.declared() for b in here.values() if b.buffer)
                return replace(node, body=(*made, *self.nodes(node.body, {**blocks, **here})), folds=())
            case If():
                return replace(node, body=self.nodes(node.body, blocks))
            case Use() if blocks:
                found = ((o, r, blocks.get(r.name)) for o, r in node.operands)
                return replace(node, operands=tuple((o, b.place(r) if b and b.buffer else r) for o, r, b in found))
        return node

    def _name(self, tensor: str) -> str:
        name = f"{tensor}_block"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name
