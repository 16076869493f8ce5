"""Programs without what is marked in them for the printer."""

from __future__ import annotations

from dataclasses import replace

from isamap_smt.ir.program import Copy, If, Node, Parallel, Program, Serial, Unrolled


def unmarked(program: Program) -> Program:
    """The program as it is written, and not how it is printed: edits of it are none of its marks."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(map(plain, nodes))

    def plain(n: Node) -> Node:
        match n:
            case If():
                return replace(n, body=visit(n.body), known=())
            case Serial():
                return replace(n, body=visit(n.body), folds=(), end=None)
            case Parallel():
                return replace(n, body=visit(n.body), folds=())
            case Unrolled():
                return replace(n, body=visit(n.body))
            case Copy():
                return replace(n, form=None)
        return n

    return replace(program, ahead=visit(program.ahead), body=visit(program.body))
