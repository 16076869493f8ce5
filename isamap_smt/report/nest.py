"""The lowered program as nested boxes: loops with their trip counts, buffers with their bytes and index types."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import evaluate, symbols_of, words
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    AnyLoop,
    Ask,
    Buffer,
    Compute,
    Copy,
    If,
    Issued,
    Move,
    Node,
    Parallel,
    Point,
    Program,
    Serial,
    SetState,
    Unrolled,
)
from isamap_smt.ir.pseudocode import course_of, kept_by
from isamap_smt.ir.traversal import inside
from isamap_smt.report.header import count
from isamap_smt.report.quantities import byte_count

LONG = 40  # characters of a condition that has other words
BORDERS, BEGUN = ("interior", "border"), ("nothing added before", "added to before")


@dataclass(frozen=True)
class Box:
    """kind: loop, buffer, copy, work or guard. text: the line; detail: beside it; note: below it; tip: a guard's
    condition if the text is another.
    """

    kind: str
    text: str
    detail: str = ""
    note: str = ""
    inside: tuple[Box, ...] = ()
    tip: str = ""


def boxes(program: Program) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
    """(the part run ahead of the calls, the part run in each call)."""
    return _body(program.ahead), _body(program.body)


def _body(nodes: tuple[Node, ...]) -> tuple[Box, ...]:
    found: list[Box] = []
    work: Counter[str] = Counter()
    sides = _sides(nodes)
    for node in nodes:
        match node:
            case Compute() | Move() | SetState() | Ask() | Issued():
                work[node.instruction.name] += 1
                continue
            case Unrolled():
                if (inner := _unrolled(node)) is not None:
                    work.update(inner)
                    continue
        found += _flush(work)
        found.append(_guard(node, sides.get(id(node), "")) if isinstance(node, If) else _box(node))
    return (*found, *_flush(work))


def _sides(nodes: tuple[Node, ...]) -> dict[int, str]:
    """The side of each of two neighbouring guards with opposite conditions.

    The first is of whole tiles, or of elements to which nothing was added in this call or before.
    """
    found = {}
    for one, other in pairwise(nodes):
        if not (isinstance(one, If) and isinstance(other, If) and one.condition and other.condition):
            continue
        first, second = one.condition[0], other.condition[0]
        if isinstance(first, sp.Ge) and second == first.negated:
            fresh = FRESH in first.free_symbols
            found[id(one)], found[id(other)] = BEGUN if fresh else BORDERS
    return found


def _guard(node: If, side: str) -> Box:
    """Its condition, or its meaning, if known and the condition is long or has no name of the user's."""
    text = "if " + " and ".join(map(words, node.condition))
    if side and (side in BEGUN or len(text) > LONG):
        return Box("guard", side, "", "", _body(node.body), text)
    if len(text) > 2 * LONG:
        return Box("guard", f"{text[: 2 * LONG]}…", "", "", _body(node.body), text)
    return Box("guard", text, "", "", _body(node.body))


def _flush(work: Counter[str]) -> list[Box]:
    """A run of instructions as one box."""
    if not work:
        return []
    text = ", ".join(f"{n} × {name}" for name, n in work.items())
    work.clear()
    return [Box("work", text)]


def _unrolled(loop: Unrolled) -> Counter[str] | None:
    """Instructions in an unrolled loop, counted; None if it holds anything else."""
    count = int(evaluate(loop.count, {}))
    total: Counter[str] = Counter()
    for node in loop.body:
        match node:
            case Compute() | Move() | SetState() | Ask() | Issued():
                total[node.instruction.name + (" in turns" if loop.woven else "")] += count
            case Unrolled():
                inner = _unrolled(node)
                if inner is None:
                    return None
                for name, n in inner.items():
                    total[name] += n * count
            case _:
                return None
    return total


def _box(node: Node) -> Box:
    match node:
        case Alloc(buffer):
            return Box("buffer", f"{buffer.name}{_shape(buffer)}", _bytes(buffer), index_type(buffer))
        case Copy():
            over = ", ".join(f"{s} < {words(n)}" for s, n in node.over)
            text = f"{node.dst.name}[{_list(node.dst.index)}] = {node.src.name}[{_list(node.src.index)}]"
            where = f"where {' and '.join(map(words, node.where))}" if node.where else ""
            fill = f", elsewhere {node.fill}" if node.where and node.fill else ""
            return Box("copy", text, f"for {over}" if over else "", where + fill)
        case Point():
            by = "" if node.across is None else f" by {', '.join(i.name for i in node.across.steps)}"
            text = f"{node.dst.name}[{_list(node.dst.index)}] = {node.instruction.name}{by}"
            return Box("work", text, ", ".join(f"{r.name}[{_list(r.index)}]" for r in node.reads))
        case Serial():
            return _loop_box(node, "loop", "")
        case Parallel():
            return _loop_box(node, "parallel", "parallel")
        case Unrolled():
            return _loop_box(node, "loop", "unroll in turns" if node.woven else "unroll")
    raise AssertionError(f"not a box: {node!r}")


def _loop_box(loop: AnyLoop, box: str, kind: str) -> Box:
    steps = ", ".join([*([f"{loop.axis} in steps of {loop.step}"] if loop.axis else []), *course_of(loop)])
    text = f"{loop.var} < {words(loop.count)}"
    return Box(box, text, steps, "; ".join([*([kind] if kind else []), *kept_by(loop)]), _body(inside(loop)))


def index_type(buffer: Buffer) -> str:
    """`holds A[i0 + r, k] where i0 + r < I, elsewhere 0`."""
    t = buffer.type
    text = f"holds {t.tensor}[{_list(t.coordinates)}]"
    if t.guard:
        text += f" where {' and '.join(map(words, t.guard))}"
        text += ", elsewhere anything, never used" if t.outside == "dead" else f", elsewhere {t.outside}"
    return text


def _shape(buffer: Buffer) -> str:
    return "".join(f"[{c} < {words(n)}]" for c, n in zip(buffer.cells, buffer.shape, strict=True))


def _bytes(buffer: Buffer) -> str:
    if symbols_of(buffer.shape):
        return f"{buffer.dtype}, {buffer.memory}"
    shape = [int(evaluate(n, {})) for n in buffer.shape]
    if buffer.memory == "registers":
        outer = len(shape) - buffer.lanes
        return f"{count(prod(shape[:outer]), 'register')} of {prod(shape[outer:])} {buffer.dtype}"
    return f"{buffer.dtype}, {byte_count(prod(shape) * buffer.dtype.bytes)}"


def _list(exprs: tuple[Any, ...]) -> str:
    return ", ".join(map(words, exprs))
