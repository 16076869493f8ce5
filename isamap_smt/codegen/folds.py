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
from isamap_smt.ir.expr import IMin, is_constant
from isamap_smt.ir.folds import folded
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.program import Copy, Loop, Node, Point, Program, Ref, Use
from isamap_smt.ir.traversal import nodes_of, parts, walk

_Touch = tuple[Ref, tuple[Axis, ...]]  # a place, with the ranges of the variables in it


def with_folds(program: Program) -> Program:
    """The program, with the tensors that its outermost loops fold."""
    assigned = set(program.assigned)
    fresh = set(program.unfilled) & set(program.kernel.temporaries)
    ahead = {r.name for r in parts(program.ahead, Ref)}
    names = [t.name for t in program.kernel.tensors if t.name in fresh - ahead]
    marked = replace(program, body=_marked(program.body, dict.fromkeys(names, ())))
    combined = {r.name for n in nodes_of(Point, program.body) if n.across is not None for r in n.reads}
    return _with_rings(marked, [n for n in names if n in assigned and n not in {*folded(marked), *combined}])


def _with_rings(program: Program, names: list[str]) -> Program:
    """The program, with those of the tensors of which each iteration of one of its loops touches two rows alone."""
    touched: dict[str, list[tuple[int, _Touch]]] = {t: [] for t in names}
    for n, node in enumerate(program.body):
        for name, touch in _touches(node):
            if name in touched:
                touched[name].append((n, touch))
    rings: dict[int, list[tuple[str, int]]] = {}
    for t, found in touched.items():
        ways = ((n, d) for n in sorted({n for n, _ in found}) if (d := _ring(program.body[n], n, found)) is not None)
        if (first := next(ways, None)) is not None:
            rings.setdefault(first[0], []).append((t, first[1]))
    body = (replace(x, rings=tuple(rings[n])) if n in rings and isinstance(x, Loop) else x
            for n, x in enumerate(program.body))  # fmt: skip
    return replace(program, body=tuple(body)) if rings else program


def _ring(loop: Node, at: int, touched: list[tuple[int, _Touch]]) -> int | None:
    """The dimension in which the loop touches rows var and var + 1, and what stands before and behind it those there are then; None
    where there are no more than these two, either."""
    if not isinstance(loop, Loop) or not loop.plain or loop.base is not None or loop.step != 1:
        return None
    ranks = {len(ref.index) for _, (ref, _) in touched}
    if not is_constant(loop.count) or loop.count < 2 or loop.end is not None or len(ranks) != 1:
        return None

    def fits(n: int, index: Any, ranges: tuple[Axis, ...]) -> bool:
        base = loop.var if n == at else sp.S.Zero if n < at else sp.sympify(loop.count) - 1
        off = sp.expand(index - base)
        low, high = (sp.Ge(off, 0, evaluate=False), sp.Lt(off, 2, evaluate=False))
        return always_true(low, ranges) and always_true(high, ranges)

    right = (d for d in range(min(ranks)) if all(fits(n, ref.index[d], ranges) for n, (ref, ranges) in touched))
    return next(right, None)


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
            copied = [Axis(str(v), most(n)) for v, n in x.over] if isinstance(x, Copy) else []
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
