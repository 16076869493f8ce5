"""Temporaries of which each iteration of a loop needs a few rows alone: they lie at the front of the memory in all of them.

A loop that several statements share hands over rows of its own block. In a tensor of full size every block writes memory that was
never touched before; at the front it lies in a cache. A loop inside may do the same in another dimension.
Loop.folds names the tensors, and the dimension that the loop counts; claim 16 shows that an element is touched in one iteration
alone. What executes a program, or prints it, takes it as it is laid out.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.program import If, Loop, Node, Program, Ref, Use
from isamap_smt.ir.scalar import bound_axes

Nodes = tuple[Node, ...]
_Moved = Dict[str, tuple[tuple[int, Any], ...]]


def laid_out(program: Program) -> Program:
    """The program with each place of such a tensor where it lies in memory, and without the marks."""
    return replace(program, body=_nodes(program.body, {})) if folded(program) else program


def folded(program: Program) -> tuple[str, ...]:
    """The tensors that the program folds."""
    return tuple(t for n in program.body if isinstance(n, Loop) for t, _ in n.folds)


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
    return tuple(found)


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
            return replace(node, body=_nodes(node.body, inside), folds=())
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
        index[d] = sp.expand(sp.sympify(index[d]) - base)
    return replace(ref, index=tuple(index))
