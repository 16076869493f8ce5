"""Elements side by side, combined in halves: which instructions of the machine do it, in place of a tree of scalar operations.

    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))      avx2.sum_of_8xf32 of one register
    16 of them                                                            avx2.add_ps of two, then the same

Partial results are combined so. Each operation is the one of the tree, on the same values, so the bits are the tree's: that is an
obligation of the program's proof (isamap_smt.proof.program_across).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from isamap_smt.ir.across import combined, in_a_row, leaves
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Across, If, Loop, Node, Program, Use
from isamap_smt.mapping.moves import look_for_move

Nodes = tuple[Node, ...]


def with_across(program: Program) -> Program:
    """The program with such points given to instructions, where its machine has them."""
    machine = None if program.schedule is None else program.schedule.hardware
    if machine is None or machine.simulated:
        return program
    return replace(program, body=_nodes(program.body, tuple(_steps(machine)), machine))


def _nodes(nodes: Nodes, steps: tuple[Instruction, ...], machine: Hardware) -> Nodes:
    def visit(node: Node) -> Node:
        match node:
            case Loop() | If():
                return replace(node, body=_nodes(node.body, steps, machine))
            case Use() if node.by_element:
                return replace(node, across=_chosen(node, steps, machine))
        return node

    return tuple(map(visit, nodes)) if steps else nodes


def _steps(machine: Hardware) -> Iterator[Instruction]:
    """The machine's instructions that combine the lanes of one register, most lanes first."""
    found = [i for i in machine.computes if machine.offers(i) and leaves(i) > 1]
    yield from sorted(found, key=lambda i: -leaves(i))


def _chosen(node: Use, steps: tuple[Instruction, ...], machine: Hardware) -> Across | None:
    function = pointwise(node.instruction)
    names = [name for name, _ in in_a_row(node)]
    for last in steps:
        lanes = leaves(last)
        kinds = {t.dtype for t in (*last.kernel.tensors, *node.instruction.kernel.tensors)}
        if not names or len(names) % lanes or len(kinds) > 1:
            continue
        (register,) = last.kernel.inputs
        load = look_for_move(machine, last, register, False, (0,), False)
        if load is None:
            continue
        beside = (i for i in machine.computes if machine.offers(i) and len(i.kernel.inputs) == 2)
        for between in beside if len(names) > lanes else (None,):
            made = Across(load, between, last)
            if combined(made, names) == function.tree:
                return made
    return None
