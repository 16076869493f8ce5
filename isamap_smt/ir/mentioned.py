"""The expressions that decide what statements do."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.expr import substitute
from isamap_smt.ir.program import Alloc, If, Loop, Node, Use, walk
from isamap_smt.ir.scalar import index_values


def mentioned(nodes: tuple[Node, ...]) -> list[Any]:
    """Every expression that decides what these nodes do: counts, indices, guards and buffer shapes."""
    found: list[Any] = []
    for node, _ in walk(nodes):
        match node:
            case Alloc(buffer):
                found += buffer.shape
            case Use() if node.moves:
                found += [*node.register.index, *(node.memory.index if node.memory else ())]
                found += node.counted
            case Use() if not node.state:
                found += [i for _, ref in node.operands for i in ref.index]
                found += [*(n for _, n in node.over), *node.where]
                values = index_values(node.instruction.kernel.statements[0].value)
                found += [substitute(e, dict(node.point)) for e in values]
            case Use() if node.asks is not None:
                found.append(node.asks)
            case Loop():
                found.append(node.count)
            case If():
                found += node.condition
    return found


__all__ = ["mentioned"]
