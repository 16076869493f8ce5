"""Unrolled loops whose iterations take turns: the first step of each, then the second of each, and so on.

A processor looks only so far ahead. Of chains of dependent steps written one after the other it sees two or three, where it could
compute all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest

from isamap_smt.codegen.c_order import register_name
from isamap_smt.codegen.c_state import Printer, register_indices
from isamap_smt.ir.program import Alloc, Compute, If, Loop, Node

Body = Callable[[Printer, tuple[Node, ...]], None]


def print_woven(p: Printer, loop: Loop, print_body: Body) -> None:
    """The iterations of the loop, in a block of their own. print_body: prints what has no steps."""
    p.put("{")
    p.depth += 1
    for text in _turns(p, loop, print_body):
        p.lines += text
    p.depth -= 1
    p.put("}")


def _turns(p: Printer, loop: Loop, print_body: Body) -> list[list[str]]:
    """The lines of each step, all iterations' in turn."""
    held, iterations = dict(p.registers), []
    for k in range(int(loop.count)):
        p.constants[str(loop.var)] = k
        iterations.append(list(_steps(p, loop.body, print_body)))
        p.registers = dict(held)
    p.constants.pop(str(loop.var), None)
    return [step for turn in zip_longest(*iterations) for step in turn if step is not None]


def _steps(p: Printer, body: tuple[Node, ...], print_body: Body) -> Iterable[list[str]]:
    """What one iteration does, step by step. Its own registers and what its steps declare have names of this iteration."""
    for node in body:
        match node:
            case Alloc():
                mark = _mark(p)
                for index in register_indices(node.buffer):
                    p.registers[node.buffer.name, index] += f"_{mark}"
                yield _printed(p, (node,), print_body)
            case Compute():
                names = {o: register_name(p, ref) for o, ref in node.operands}
                for line in node.instruction.taking_turns(names, _mark(p)):
                    yield ["    " * p.depth + line]
            case Loop(woven=True):
                yield from _turns(p, node, print_body)
            case If() if not node.open_at(p.constants):
                yield from _steps(p, node.body, print_body)
            case _:
                yield _printed(p, (node,), print_body)


def _mark(p: Printer) -> str:
    """Which iteration of each unrolled loop this is."""
    return "_".join(str(k) for k in p.constants.values())


def _printed(p: Printer, nodes: tuple[Node, ...], print_body: Body) -> list[str]:
    kept, p.lines = p.lines, []
    print_body(p, nodes)
    printed, p.lines = p.lines, kept
    return printed
