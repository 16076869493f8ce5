"""Counts what a program of engines touches, use by use and cell by cell: it shares nothing with what counts it by columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from isamap_smt.ir.program import Alloc, If, Issued, Program, Serial
from tests.uses.plain_executor import made, number

Touches = Counter[tuple[str, str, str]]  # (memory, tensor, "read" or "write") -> elements


def uses(nodes: tuple[Any, ...], env: dict[str, int]) -> Iterator[tuple[Issued, dict[str, int]]]:
    """Every use of a run, in the order of the text."""
    for node in nodes:
        if isinstance(node, Serial):
            for n in range(max(number(node.count, env), 0)):
                yield from uses(node.body, {**env, node.var.name: n})
        elif isinstance(node, Issued):
            yield node, env
        elif isinstance(node, If):
            if all(made(r)(env) for r in node.condition):
                yield from uses(node.body, env)
        else:
            assert isinstance(node, Alloc)


def counted(program: Program, sizes: dict[str, int]) -> Touches:
    """Elements by memory and tensor."""
    held = {n.buffer.name: n.buffer for n in program.body if isinstance(n, Alloc)}
    found: Touches = Counter()
    for use, env in uses((*program.ahead, *program.body), dict(sizes)):
        i = use.instruction
        if i.kind in ("signal", "configure", "give", "take"):
            continue
        given = {p: number(e, env) for p, e in use.parameters.items()}
        active = {a: given[p] for a, p in i.active}
        front = {a: given[p] for a, p in i.front}
        (statement,) = i.kernel.statements
        target, sources = statement.target, {a.tensor: a for a in statement.inputs}
        inside: dict[str, set[tuple[int, ...]]] = {o: set() for o, _ in use.operands}
        beyond: set[tuple[int, ...]] = set()
        for point in product(*(range(n) for n in i.axes.values())):
            at = dict(zip(i.axes, point, strict=True))
            here = all(front.get(a, 0) <= v < active.get(a, n) for (a, n), v in zip(i.axes.items(), point, strict=True))
            for o, cells in inside.items():
                index = target.index if o == target.tensor else sources[o].index
                cell = tuple(number(e, at) for e in index)
                if here:
                    cells.add(cell)
                elif o == target.tensor and i.beyond == "zero":
                    beyond.add(cell)
        for o, ref in use.operands:
            b = held.get(ref.name)
            where = ("memory", str(ref.name)) if b is None else (b.memory, b.type.tensor)
            if o in sources or statement.op != "=":
                found[*where, "read"] += len(inside[o])
            if o == target.tensor:
                found[*where, "write"] += len(inside[o] | beyond)
    return +found
