"""Facts read off a program itself: its instructions, the operands packed ahead of its calls, and the ranges assumed of them."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Command, Compute, Copy, Move, Program, Use
from isamap_smt.ir.traversal import buffers, nodes_of


def used_instructions(program: Program) -> tuple[Instruction, ...]:
    """Every instruction that the program executes, each once, except portable C. Those made for statements may share a name."""
    return tuple(dict.fromkeys(i for n in nodes_of(Use, program) for i in n.instructions if not i.portable))


def constant_tensors(program: Program) -> tuple[str, ...]:
    """Inputs read by `ahead`, in the kernel's order: those packed before the first call."""
    sources = {n.src.name for n in nodes_of(Copy, program.ahead)}
    for move in nodes_of(Move, program.ahead):
        if move.memory is not None and move.instruction.kind != "store":
            sources.add(move.memory.name)
    return tuple(n for n in program.kernel.inputs if n in sources)


def assumed_ranges(program: Program) -> tuple[tuple[str, Any, Any], ...]:
    """(tensor, low, high) for each range the proofs take for granted.

    These are the kernel's own (the program's proof has checked it against the mapped kernel), 0 to 1 for bool inputs, and those
    under which an instruction of the program fulfils its contract.
    """
    held = {name: b.type.tensor for name, b in buffers(program).items()}
    found = dict.fromkeys((*program.kernel.ranges, *((n, 0, 1) for n in program.bools if n in program.kernel.inputs)))
    for node in (*nodes_of(Compute, program), *nodes_of(Command, program)):
        operands = dict(node.operands)
        for operand, low, high in node.instruction.assume if node.instruction.kind == "compute" else ():
            if operand in node.instruction.immediates:
                continue  # the program's proof has looked at the number
            name = operands[operand].name
            found[held.get(name, name), low, high] = None
    return tuple(found)
