"""A program at values of its machine's parameters: what it is on a machine that has these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import substitute
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import every_value, instruction_at
from isamap_smt.ir.program import (
    Alloc,
    Block,
    Buffer,
    CopyForm,
    If,
    IndexType,
    Loop,
    Node,
    Prefetch,
    Program,
    Ref,
    Use,
)

_PARTS = (Alloc, Block, Buffer, CopyForm, IndexType, Loop, Prefetch, Ref, Use)


def nodes_at(nodes: tuple[Node, ...], values: Mapping[str, int]) -> tuple[Node, ...]:
    """The nodes with numbers in the place of the parameters. What stands under a relation that fails at these is left out."""
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, If):
            found.append(_at(node, values))
            continue
        condition = tuple(substitute(r, values) for r in node.condition)
        known = node.known or ((),) * len(condition)
        if len(known) != len(condition):  # a wrong program, which stays as wrong
            found.append(replace(node, condition=condition, body=nodes_at(node.body, values)))
            continue
        relations = list(zip(condition, known, strict=True))
        if any(r == sp.false for r, _ in relations):
            continue
        left = [(r, k) for r, k in relations if r != sp.true]
        body = nodes_at(node.body, values)
        marks = tuple(k for _, k in left) if node.known else ()
        found.append(replace(node, condition=tuple(r for r, _ in left), body=body, known=marks))
    return tuple(found)


def program_at(program: Program, values: Mapping[str, int]) -> Program:
    """The program without parameters. Its schedules are left as they are."""
    ahead, body = nodes_at(program.ahead, values), nodes_at(program.body, values)
    return replace(program, ahead=ahead, body=body, parameters=())


def at_own_values(program: Program) -> Program:
    """The program at the values of the machine that its schedules were made for; itself where it has no parameters."""
    machine = program.schedules[0].hardware if program.parameters and not program.machine else None
    return program_at(program, dict(machine.values)) if machine else program


@lru_cache(maxsize=64)
def instances(program: Program) -> tuple[Program, ...]:
    """The program at every value of its machine's parameters; itself where it has none, or has engines."""
    if not program.parameters or program.machine:
        return (program,)
    machine = program.schedules[0].hardware
    assert machine is not None
    return tuple(program_at(program, values) for values in every_value(machine.whole))


def _at(part: Any, values: Mapping[str, int]) -> Any:
    if isinstance(part, sp.Basic):
        return substitute(part, values)
    if isinstance(part, Instruction):
        return instruction_at(part, values)
    if isinstance(part, tuple):
        if part and isinstance(part[0], Alloc | Loop | If | Use):
            return nodes_at(part, values)
        return tuple(_at(x, values) for x in part)
    if isinstance(part, _PARTS):
        made = {f.name: _at(getattr(part, f.name), values) for f in fields(part)}
        return replace(part, **made)
    return part
