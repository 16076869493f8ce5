"""Keeping a compiler from bringing the next operand before the last one was used.

In a register tile one operand streams through a register while the accumulators fill nearly all others. Compilers like to
load early, run out of registers and move accumulators to and fro: on Zen 3 a tile of 4x24 ran at 41 GF/s so, and runs at
94 where each load waits for the executions before it. An empty `asm` says that: it has their results, and memory, for
operands. No instruction comes of it, and the processor still reorders as it likes. Where registers are left, loading early is
right: a tile of 4x16 that reads far rows in place is a tenth faster without.
"""

from __future__ import annotations

from collections.abc import Iterator

from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.program import Compute, If, Move, Node, Ref, Unrolled
from isamap_smt.ir.traversal import buffers, nodes_of
from isamap_smt.ir.vector_types import vector_type

# Emulated registers are no registers.
MACRO = """\
#ifdef ISAMAP_SIMDE
#define isamap_first(...)
#else
#define isamap_first(...) __asm__ volatile("" : __VA_ARGS__ : : "memory")
#endif
"""
_MOST = 14  # operands of one asm: compilers take 30, and one that is read and written counts twice


def used_up(p: Printer, body: tuple[Node, ...]) -> str:
    """The line that follows the executions with one value of the streaming operand; '' where none is of use.

    It is of use where the operands of the executions take all registers. A vector that streams through a single execution
    can be an operand in memory, and shared with the next where windows overlap; so only broadcasts, and vectors with several
    executions, are kept in order.
    """
    broadcast = any(n.instruction.kind == "broadcast" for n in nodes_of(Move, body))
    names = dict(_written(p, body))
    if not names or len(names) > _MOST or (len(names) == 1 and not broadcast) or not _full(p, body):
        return ""
    operands = ", ".join(f'"+{constraint}"({name})' for name, constraint in names.items())
    return f"isamap_first({operands});"


def _full(p: Printer, body: tuple[Node, ...]) -> bool:
    """Whether the operands of the body's executions take as many registers as there are."""
    names = {ref.name for n in nodes_of(Compute, body) for _, ref in n.operands}
    held = [b for name, b in buffers(p.program).items() if name in names]
    kinds = {name: vector_type(p.register_types[name]) for name in names}
    count = sum(b.registers * (kind.group if (kind := kinds[b.name]) else 1) for b in held)
    types = list(kinds.values())
    return count >= min((t.registers for t in types if t), default=count + 1)


def _written(p: Printer, body: tuple[Node, ...]) -> Iterator[tuple[str, str]]:
    """The vector registers that executions of the body write, with their constraints; unrolled loops are unrolled."""
    for node in body:
        match node:
            case Compute():
                target = node.instruction.kernel.statements[0].target.tensor
                ref = dict(node.operands)[target]
                if kind := vector_type(p.register_types[ref.name]):
                    yield register_name(p, ref), kind.constraint
            case If():
                yield from _written(p, node.body)
            case Unrolled():
                for k in range(int(node.count)):
                    p.constants[str(node.var)] = k
                    yield from _written(p, node.body)
                p.constants.pop(str(node.var), None)
            case _:
                pass


def register_name(p: Printer, ref: Ref) -> str:
    """The C variable of one register of a buffer."""
    return p.registers[ref.name, tuple(int(substitute(i, p.constants)) for i in ref.index)]
