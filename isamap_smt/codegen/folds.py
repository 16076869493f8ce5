"""Which temporaries a loop folds: those that each of its iterations fills anew, and that nothing else touches.

Nothing here is trusted: claim 16 asks the same of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true, most
from isamap_smt.ir.expr import IMin
from isamap_smt.ir.folds import assigned_whole
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.program import Loop, Node, Program, Ref, Use, walk

_Touch = tuple[Ref, tuple[Axis, ...]]  # a place, with the ranges of the variables in it


def with_folds(program: Program) -> Program:
    """The program, with the tensors that its outermost loops fold."""
    fresh = {*program.starts, *assigned_whole(program.kernel)} & set(program.kernel.temporaries)
    ahead = {r.name for n, _ in walk(program.ahead) if isinstance(n, Use) for _, r in n.operands}
    names = [t.name for t in program.kernel.tensors if t.name in fresh - ahead]
    return replace(program, body=_marked(program.body, dict.fromkeys(names, ())))


def _marked(nodes: tuple[Node, ...], taken: Dict[str, tuple[int, ...]]) -> tuple[Node, ...]:
    """The nodes with the tensors that loops among them fold; taken: the dimensions in which loops around fold these already."""
    touched: dict[str, list[tuple[int, _Touch]]] = {t: [] for t in taken}
    for n, node in enumerate(nodes):
        for name, touch in _touches(node):
            if name in touched:
                touched[name].append((n, touch))
    folds: dict[int, list[tuple[str, int]]] = {}
    for t, found in touched.items():
        where = {n for n, _ in found}
        if len(where) == 1:
            (n,) = where
            d = _dimension(nodes[n], [touch for _, touch in found], taken[t])
            folds.setdefault(n, []).extend([] if d is None else [(t, d)])
    return tuple(
        replace(x, folds=tuple(folds[n]), body=_marked(x.body, {t: (*taken[t], d) for t, d in folds[n]}))
        if isinstance(x, Loop) and folds.get(n)
        else x
        for n, x in enumerate(nodes)
    )


def _touches(node: Node) -> Iterator[tuple[str, _Touch]]:
    for x, around in walk((node,)):
        if isinstance(x, Use):
            loops = [Axis(str(y.var), most(y.count)) for y in around if isinstance(y, Loop)]
            own = [Axis(a, sp.sympify(n)) for a, n in x.instruction.extents.items()]
            copied = [Axis(str(v), most(n)) for v, n in x.over]
            for _, ref in x.operands:
                yield ref.name, (ref, (*loops, *own, *copied))


def _dimension(node: Node, touches: list[_Touch], taken: tuple[int, ...]) -> int | None:
    """The dimension that the loop counts in blocks of its step, wherever the tensor is touched; None where none is left."""
    if not isinstance(node, Loop) or not node.folding:
        return None
    ranks = {len(ref.index) for ref, _ in touches}
    left = [d for d in range(min(ranks)) if d not in taken]
    fits = [d for d in left if all(_within(ref.index[d], ranges, node) for ref, ranges in touches)]
    return fits[0] if len(ranks) == 1 and fits else None


def _within(index: Any, ranges: tuple[Axis, ...], loop: Loop) -> bool:
    """Whether it lies in the block that the loop's variable counts; False where that is not to be seen."""
    base = loop.step * loop.var
    parts = [sp.expand(x - base) for x in (index.args if isinstance(index, IMin) else (index,))]
    if not any(sp.sympify(x).has(loop.var) for x in (index.args if isinstance(index, IMin) else (index,))):
        return False
    low = all(always_true(sp.Ge(x, 0, evaluate=False), ranges) for x in parts)
    return low and any(always_true(sp.Lt(x, loop.step, evaluate=False), ranges) for x in parts)
