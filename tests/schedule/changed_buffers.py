"""Programs with other buffers, and the claims that then fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from isamap_smt.ir.program import Alloc, If, Loop, Node, Program
from isamap_smt.proof.program import prove_program


def changed(program: Program, change: Callable[[Any], Any]) -> Program:
    def visit(n: Node) -> Node:
        if isinstance(n, Alloc):
            return replace(n, buffer=change(n.buffer))
        return replace(n, body=tuple(map(visit, n.body))) if isinstance(n, Loop | If) else n

    return replace(program, body=tuple(map(visit, program.body)), ahead=tuple(map(visit, program.ahead)))


def failures(program: Program) -> set[str]:
    return {c.claim for c in prove_program(program).failed()}
