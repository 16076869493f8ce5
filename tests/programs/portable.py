"""Nodes of portable instructions, in tests."""

from __future__ import annotations

from isamap_smt.ir.program import Copy, Node, Point


def is_copy(n: Node) -> bool:
    """Whether it copies elements from memory to memory."""
    return isinstance(n, Copy)


def is_element(n: Node) -> bool:
    """Whether it computes one point of a statement."""
    return isinstance(n, Point)
