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

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import If, Loop, Node, Program, Ref, Use

Nodes = tuple[Node, ...]
_Moved = Dict[str, tuple[tuple[int, Any], ...]]


def laid_out(program: Program) -> Program:
    """The program with each place of such a tensor where it lies in memory, and without the marks."""
    return replace(program, body=_nodes(program.body, {})) if folded(program) else program


def folded(program: Program) -> tuple[str, ...]:
    """The tensors that the program folds."""
    return tuple(t for n in program.body if isinstance(n, Loop) for t, _ in n.folds)


def assigned_whole(kernel: Kernel) -> tuple[str, ...]:
    """Tensors every element of which the kernel assigns before anything reads it: what they held before is in no result."""
    found, seen = [], set[str]()
    for s in kernel.statements:
        name, index = s.target.tensor, s.target.index
        seen |= {a.tensor for a in s.inputs}
        extents = {a.name: a.extent for a in s.axes}
        plain = len({str(i) for i in index}) == len(index) and all(i.is_Symbol and i.name in extents for i in index)
        whole = plain and all(extents[i.name] == n for i, n in zip(index, kernel.tensor(name).shape, strict=True))
        if s.op == "=" and whole and not s.guard and name not in seen:
            found.append(name)
        seen.add(name)
    return tuple(found)


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
