"""A program at values of its machine's parameters: its form on a machine with these values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import every_value, instruction_at
from isamap_smt.ir.program import If, Node, Program
from isamap_smt.ir.traversal import Nodes, map_bodies, map_parts, substituted


def nodes_at(nodes: Nodes, values: Mapping[str, int]) -> Nodes:
    """The nodes with numbers in the place of the parameters, without bodies under a relation false at these numbers."""
    changes = {**substituted(values), Instruction: lambda i: instruction_at(i, values)}
    there = (n for node in nodes for n in _there(map_parts(node, changes)))
    return tuple(map_bodies(n, lambda body: nodes_at(body, values)) for n in there)


def _there(node: Node) -> Nodes:
    """The node without true relations; nothing if one is false. Wrong marks of other relations stay wrong."""
    if not isinstance(node, If) or (node.known and len(node.known) != len(node.condition)):
        return (node,)
    if sp.false in node.condition:
        return ()
    left = [n for n, r in enumerate(node.condition) if r != sp.true]
    known = tuple(node.known[n] for n in left) if node.known else ()
    return (replace(node, condition=tuple(node.condition[n] for n in left), known=known),)


def program_at(program: Program, values: Mapping[str, int]) -> Program:
    """The program without parameters. Its schedules are left as they are."""
    return replace(map_bodies(program, lambda body: nodes_at(body, values)), parameters=())


def at_own_values(program: Program) -> Program:
    """The program at the values of its schedules' machine; itself if it has no parameters."""
    machine = program.schedules[0].hardware if program.parameters and not program.machine else None
    return program_at(program, dict(machine.values)) if machine else program


@lru_cache(maxsize=64)
def instances(program: Program) -> tuple[Program, ...]:
    """The program at every value of its machine's parameters; itself if it has none, or has engines."""
    if not program.parameters or program.machine:
        return (program,)
    machine = program.schedules[0].hardware
    assert machine is not None
    return tuple(program_at(program, values) for values in every_value(machine.whole))
