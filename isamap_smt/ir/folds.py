"""Temporaries of which each iteration of a loop needs a few rows alone: they lie at the front of the memory in all of them.

A loop that several statements share hands over rows of its own block. In a tensor of full size every block writes memory that was
never touched before; at the front it lies in a cache. A loop inside may do the same in another dimension.
Loop.folds names the tensors, and the dimension that the loop counts; claim 16 shows that an element is touched in one iteration
alone. What executes a program, or prints it, takes it as it is laid out.

The state of a recurrence, of which each time step reads one row and writes the next, keeps two rows (Loop.rings).
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true
from isamap_smt.ir.expr import FloorMod, substitute, sym
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.program import If, Loop, Node, Program, Ref, Use
from isamap_smt.ir.scalar import bound_axes

Nodes = tuple[Node, ...]
_Moved = Dict[str, tuple[tuple[int, Any], ...]]


def laid_out(program: Program) -> Program:
    """The program with each place of such a tensor where it lies in memory, and without the marks."""
    rings = {t: ((d, None),) for n in program.body if isinstance(n, Loop) for t, d in n.rings}
    return replace(program, body=_nodes(program.body, rings)) if folded(program) else program


def folded(program: Program) -> tuple[str, ...]:
    """The tensors that the program folds."""
    return tuple(t for n in program.body if isinstance(n, Loop) for t, _ in (*n.folds, *n.rings))


def assigned_whole(kernel: Kernel) -> tuple[str, ...]:
    """Tensors every element of which the kernel assigns before anything reads it, or a temporary every element that is read: what
    they held before is in no result."""
    found, seen = [], set[str]()
    for n, s in enumerate(kernel.statements):
        name, index = s.target.tensor, s.target.index
        seen |= {a.tensor for a in s.inputs}
        extents = {a.name: a.extent for a in s.axes}
        plain = len({str(i) for i in index}) == len(index) and all(i.is_Symbol and i.name in extents for i in index)
        whole = plain and all(extents[i.name] == n for i, n in zip(index, kernel.tensor(name).shape, strict=True))
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
    extents, rest = {a.name: a.extent for a in s.axes}, s.target.index[1:]
    plain = len({str(i) for i in rest}) == len(rest) and all(i.is_Symbol and i.name in extents for i in rest)
    shape = kernel.tensor(s.target.tensor).shape[1:]
    return s.op == "=" and not s.guard and plain and all(extents[i.name] == n for i, n in zip(rest, shape, strict=True))


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


def _nodes(nodes: Nodes, moved: _Moved) -> Nodes:
    return tuple(_node(n, moved) for n in nodes)


def _node(node: Node, moved: _Moved) -> Node:
    match node:
        case Loop():
            inside = {**moved, **{t: (*moved.get(t, ()), (d, node.step * node.var)) for t, d in node.folds}}
            return replace(node, body=_nodes(node.body, inside), folds=(), rings=())
        case If():
            return replace(node, body=_nodes(node.body, moved))
        case Use() if moved:
            return replace(node, operands=tuple((o, _ref(r, moved)) for o, r in node.operands))
    return node


def _ref(ref: Ref, moved: _Moved) -> Ref:
    if ref.name not in moved:
        return ref
    index = list(ref.index)
    for d, base in ((d, b) for d, b in moved[ref.name] if 0 <= d < len(index)):  # claim 16 refuses others
        at = sp.sympify(index[d])
        index[d] = FloorMod(at, sp.Integer(2)) if base is None else sp.expand(at - base)
    return replace(ref, index=tuple(index))
