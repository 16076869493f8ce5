"""Instances of an instruction for a statement: the statement's numbers as immediates, and one element as two operands.

A mapping is one onto the instance. Nothing here is trusted: the program's proof looks at its code, and at each
operand's place.

    E[i,j] = 0.125 * X[i,j]      onto      y[r,c] = a[r,c] * x[], where x is 0.125
    Q[i,j] = X[i,j] * X[i,j]     onto      y[r,c] = a[r,c] * b[r,c], where b is a
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import sympy as sp

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read, Relu, Scalar, reads, rewrite_reads

Given = dict[str, Any]  # immediate -> the number in its place; operand -> the Read of the one that it is
MOST = 64  # ways to put the numbers of a statement into the immediates of an instruction that are looked at


def instance(i: Instruction, given: Given) -> Instruction:
    """The instruction with the given values in place of operands."""
    if not given:
        return i
    (s,) = i.kernel.statements
    value = rewrite_reads(s.value, lambda r: given.get(r.tensor, r))
    kernel = replace(
        i.kernel,
        tensors=tuple(t for t in i.kernel.tensors if t.name not in given),
        statements=(replace(s, value=value, source=""),),
        ranges=tuple(r for r in i.kernel.ranges if r[0] not in given),
    )
    return replace(
        i,
        kernel=kernel,
        places=tuple(x for x in i.places if x[0] not in given),
        cells=tuple(x for x in i.cells if x[0] not in given),
        assume=tuple(x for x in i.assume if x[0] not in given),
        c_types=tuple(x for x in i.c_types if x[0] not in given),
    )


def instances(i: Instruction, statement: Statement) -> Iterator[Instruction]:
    """The instruction with each choice of the statement's numbers for its immediates; itself if it has none. Two alike
    operands become one if the statement reads one element less."""
    found = sorted(_numbers(statement.value), key=lambda n: sp.sympify(n).sort_key())
    choices = [[n for n in found if _fits(i, name, n)] for name in i.immediates]
    operands = [r for r in dict.fromkeys(reads(i.kernel.statements[0].value)) if r.tensor not in i.immediates]
    same: list[Given] = [{}]
    if len(operands) == len(statement.inputs) + 1:
        same = [{b.tensor: a} for a, b in combinations(operands, 2) if alike(i, a.tensor, b.tensor)]
    for n, (one, *chosen) in enumerate(product(same, *choices)):
        if n == MOST:
            return
        yield instance(i, {**one, **dict(zip(i.immediates, chosen, strict=True))})


def alike(i: Instruction, a: str, b: str) -> bool:
    """Whether two operands have the same cells and type, so one place may serve both."""
    first, second = i.operand(a), i.operand(b)
    return i.types[a] == i.types[b] and replace(first, name=b) == second and i.indices[a] == i.indices[b]


def given_to(own: Instruction, mapped: Instruction) -> Given:
    """The instance's values in place of the instruction's operands."""
    pairs = _pairs(own.kernel.statements[0].value, mapped.kernel.statements[0].value)
    return {a.tensor: b for a, b in pairs if isinstance(a, Read) and a != b}


def computing(mapping: Mapping, machine: Hardware) -> Instruction:
    """The machine's instruction of a mapping, as the instance it is mapped onto."""
    own = machine.instruction(mapping.instruction.name)
    return instance(own, given_to(own, mapping.instruction))


def _pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    yield a, b
    if isinstance(a, Scalar) and not isinstance(a, Read) and type(a) is type(b):
        for x, y in zip(a.args, b.args, strict=True):
            yield from _pairs(x, y)


def _numbers(value: Any) -> set[Any]:
    """All numbers in a value; relu is a maximum with 0."""
    if not isinstance(value, Scalar):
        return {value} if sp.sympify(value).is_Number else set()
    inside = set() if isinstance(value, Read) else {n for a in value.args for n in _numbers(a)}
    return inside | ({sp.S.Zero} if isinstance(value, Relu) else set())


def _fits(i: Instruction, name: str, n: Any) -> bool:
    low, high = i.immediates[name]
    return bool((i.kernel.tensor(name).dtype.is_float or n.is_Integer) and low <= n <= high)


__all__ = ["Given", "alike", "computing", "given_to", "instance", "instances"]
