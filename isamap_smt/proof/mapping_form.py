"""Whether a value is a mapping at all: every axis has an expression, over existing names. Otherwise it is misuse."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from isamap_smt.ir.errors import IsamapError, did_you_mean
from isamap_smt.ir.expr import elements, evaluate, is_constant, symbols_of
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import Cells
from isamap_smt.ir.mapping import Mapping


class MappingError(IsamapError):
    """A mapping written by hand with a missing expression or an unknown name, or a value that is no mapping."""


def check_form(m: Mapping) -> None:
    """Raise MappingError unless forward, inverse, guard and binding are complete and speak of known names."""
    if not 0 <= m.statement_index < len(m.kernel.statements):
        raise MappingError(f"{m.kernel.name} has no statement {m.statement_index}")
    if by_data(m.statement) and not by_data(m.instruction.kernel.statements[0]):
        raise MappingError(
            f"an index of statement {m.statement_index + 1} of {m.kernel.name} is data, and {m.instruction.name} reads none by "
            "data; map it onto one that does, such as `d[l] = t[idx[l]]`"
        )
    sizes = set(m.kernel.free_sizes) | {p.name for p in m.kernel.parameters}
    axes = [a.name for a in m.statement.axes]
    points = [*(a.name for a in m.outer), *m.instruction.axes]
    _names(m)
    if len(set(points)) != len(points):
        raise MappingError("an outer axis and an instruction axis have the same name")
    if clash := sorted(sizes & (set(points) | set(axes))):
        raise MappingError(f"{clash[0]!r} is a size and an axis; rename one")
    _complete("forward", [n for n, _ in m.forward], axes)
    _complete("inverse", [n for n, _ in m.inverse], points)
    _known("forward", symbols_of([e for _, e in m.forward]), {*points, *sizes})
    _known("guard", symbols_of(m.guard), {*points, *sizes})
    _known("inverse", symbols_of([e for _, e in m.inverse]), {*axes, *sizes})
    _known("outer", symbols_of([a.extent for a in m.outer]), sizes)
    _binding(m)
    _own_cells(m.instruction)


@lru_cache(maxsize=256)
def _own_cells(instruction: Instruction) -> None:
    """Raises MappingError if a point of the instruction has a cell outside its operand."""
    if len(instruction.kernel.statements) != 1:
        return  # the scalar claim says so
    s = instruction.kernel.statements[0]
    if not all(is_constant(a.extent) for a in s.axes):
        return
    points = Cells.of(instruction.kernel).points
    computed = np.ones(points[""].shape, bool)
    for g in s.guard:
        computed = computed & np.broadcast_to(np.asarray(evaluate(g, points), bool), computed.shape)
    for a in (a for a in (s.target, *s.inputs) if not elements(a.index)):  # of those another claim speaks
        shape = [int(e) for e in instruction.kernel.tensor(a.tensor).shape]
        cells = [np.broadcast_to(np.asarray(evaluate(i, points)), points[""].shape) for i in a.index]
        outside = [(c < 0) | (c >= e) for c, e in zip(cells, shape, strict=True)]
        bad = np.nonzero(np.any(outside, axis=0) & computed)[0] if outside else np.zeros(0, int)
        if len(bad):
            cell = ",".join(str(int(c[bad[0]])) for c in cells)
            raise MappingError(
                f"{instruction.name} {'writes' if a is s.target else 'reads'} cell {a.tensor}[{cell}], "
                f"and {a.tensor} has shape [{','.join(map(str, shape))}]"
            )


def _names(m: Mapping) -> None:
    for name in [*(a.name for a in m.outer), *(a.name for a in m.statement.axes), *m.instruction.axes]:
        if not name.isidentifier():
            raise MappingError(f"axis name {name!r} is not an identifier")


def _complete(what: str, have: list[str], want: list[str]) -> None:
    missing = [n for n in want if n not in have]
    if missing:
        raise MappingError(f"{what} has nothing for {missing[0]!r}")
    extra = [n for n in have if n not in want]
    if extra:
        raise MappingError(f"{what} speaks of {extra[0]!r}; {did_you_mean(extra[0], want)}")
    if len(have) != len(set(have)):
        raise MappingError(f"{what} has two expressions for one axis")


def _known(what: str, used: set[str], known: set[str]) -> None:
    for name in sorted(used - known):
        raise MappingError(f"{what} uses {name!r}; {did_you_mean(name, known)}")


def check_operands(instruction: Instruction) -> None:
    """Raises MappingError if the instruction reads several cells of one operand at a point."""
    read = [a.tensor for a in instruction.kernel.statements[0].inputs]
    for operand in dict.fromkeys(read):
        if read.count(operand) > 1:
            raise MappingError(
                f"{instruction.name} reads its operand {operand!r} at {read.count(operand)} cells per point; each "
                "operand is bound to one element per point, so such an instruction is not supported"
            )


def _binding(m: Mapping) -> None:
    contract = m.instruction.kernel.statements[0]
    wanted = list(dict.fromkeys([contract.target.tensor, *(a.tensor for a in contract.inputs)]))
    have = [o for o, _ in m.binding]
    check_operands(m.instruction)
    for operand in wanted:
        if have.count(operand) > 1:
            raise MappingError(f"binding names operand {operand!r} twice; bind it to one element")
    _complete("binding", have, wanted)
    if m.operand_access(contract.target.tensor) != m.statement.target:
        raise MappingError(f"output operand {contract.target.tensor!r} must be bound to the statement's target")
    accesses = set(m.statement.inputs)
    for operand, access in m.binding:
        if operand != contract.target.tensor and access not in accesses:
            raise MappingError(
                f"operand {operand!r} is bound to an element of {access.tensor} that the statement does not read"
            )
