"""Elements side by side, combined in halves: which instructions of the machine do it, in place of a tree of scalar operations.

    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))      avx2.sum_of_8xf32 of one register
    16 of them                                                            avx2.add_ps of two, then the same

Partial results are combined so. Each operation is the one of the tree, on the same values, so the bits are the tree's: that is an
obligation of the program's proof (isamap_smt.proof.program_across).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from isamap_smt.ir.across import combined, in_a_row, lane_by_lane, leaves
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Across, Node, Point, Program
from isamap_smt.ir.traversal import map_nodes, nodes_of
from isamap_smt.mapping.moves import look_for_move

Nodes = tuple[Node, ...]


def with_across(program: Program) -> Program:
    """The program with such points given to instructions, where its machine has them."""
    machine = None if program.schedule is None else program.schedule.hardware
    single = any(nodes_of(Point, program.body))
    if machine is None or machine.simulated or not single:
        return program
    return replace(program, body=_nodes(program.body, machine))


def _nodes(nodes: Nodes, machine: Hardware) -> Nodes:
    def visit(node: Node) -> Node:
        return replace(node, across=_chosen(node, machine)) if isinstance(node, Point) else node

    return map_nodes(nodes, visit)


@lru_cache(maxsize=64)
def _ways(machine: Hardware, kind: DType) -> tuple[Across, ...]:
    """The machine's instructions on elements of this type that combine the lanes of one register, most lanes first, each alone and
    behind each that combines two registers lane by lane."""
    found: list[Across] = []
    offered = [i for i in machine.computes if machine.offers(i) and set(i.types.values()) == {kind}]
    pairs = [i for i in offered if len(i.types) == 3]
    for last in sorted((i for i in offered if leaves(i) > 1), key=lambda i: -leaves(i)):
        (register,) = last.kernel.inputs
        load = look_for_move(machine, last, register, False, (0,), False)
        if load is not None:
            found.append(Across(load, None, last))
            found += [Across(load, i, last) for i in pairs if lane_by_lane(i, last)]
    return tuple(found)


def _chosen(node: Point, machine: Hardware) -> Across | None:
    function = pointwise(node.instruction)
    names = [name for name, _ in in_a_row(node)]
    kinds = {t.dtype for t in node.instruction.kernel.tensors}
    for made in _ways(machine, *kinds) if names and len(kinds) == 1 else ():
        over, rest = divmod(len(names), leaves(made.last))
        fits = not rest and (over > 1) == (made.beside is not None)
        if fits and combined(made, names) == function.tree:
            return made
    return None
