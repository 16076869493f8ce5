"""What a program packs ahead of its calls, and what it asks of the operands: read off the program itself."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Compute, Copy, Exec, If, Loop, Move, Node, Program, buffers, walk


def used_instructions(program: Program) -> tuple[Instruction, ...]:
    """Every instruction that the program executes, each once."""
    nodes = (n for n, _ in walk((*program.ahead, *program.body)))
    return tuple({n.instruction.name: n.instruction for n in nodes if isinstance(n, Move | Exec)}.values())


def constant_tensors(program: Program) -> tuple[str, ...]:
    """Inputs that `ahead` reads, in the kernel's order: those packed before the first call."""
    sources = set()
    for node, _ in walk(program.ahead):
        if isinstance(node, Copy):
            sources.add(node.src.name)
        elif isinstance(node, Move) and node.memory is not None and node.instruction.kind != "store":
            sources.add(node.memory.name)
    return tuple(n for n in program.kernel.inputs if n in sources)


def mentioned(nodes: tuple[Node, ...]) -> list[Any]:
    """Every expression that decides what these nodes do: counts, indices, guards and buffer shapes."""
    found: list[Any] = []
    for node, _ in walk(nodes):
        match node:
            case Alloc(buffer):
                found += buffer.shape
            case Copy():
                found += [*node.dst.index, *node.src.index, *(n for _, n in node.over), *node.guard]
            case Move():
                found += [*node.register.index, *(node.memory.index if node.memory else ())]
                found += node.active
            case Exec():
                found += [i for _, ref in node.operands for i in ref.index]
            case Compute():
                found += [i for ref in (node.dst, *node.reads) for i in ref.index]
            case Loop():
                found.append(node.count)
            case If():
                found += node.condition
    return found


def assumed_ranges(program: Program) -> tuple[tuple[str, int, int], ...]:
    """(tensor, low, high) for each range that the proofs take for granted.

    These are the kernel's own (the program's proof has checked that it is the kernel that was mapped) and those under
    which an instruction of the program is what its contract says.
    """
    held = {name: b.type.tensor for name, b in buffers(program).items()}
    found = dict.fromkeys(program.kernel.ranges)
    for node, _ in walk((*program.ahead, *program.body)):
        if isinstance(node, Exec):
            operands = dict(node.operands)
            for operand, low, high in node.instruction.assume:
                found[held[operands[operand].name], low, high] = None
    return tuple(found)
