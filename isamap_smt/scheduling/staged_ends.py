"""How sums on a machine with engines begin and end: covers of the epilogue whose instructions have the shape of a tile."""

from __future__ import annotations

import sympy as sp

from isamap_smt.ir.addresses import collapsed, offset, serves
from isamap_smt.ir.epilogue import Epilogue
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine, substitute, symbols_of, words
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.staging import conditions, cut_along
from isamap_smt.mapping.epilogue import Cover, Step, covers_of
from isamap_smt.mapping.runs import runs_of
from isamap_smt.scheduling.staged_cuts import cut_otherwise


def fitting_covers(mapping: Mapping, machine: Hardware, compute: Instruction, epilogue: Epilogue) -> tuple[Cover, ...]:
    """Covers that begin and end tiles of the mapping's sums, one for each storing instruction. Raises ScheduleError."""
    every = covers_of(mapping.kernel, machine, compute)
    found: dict[str, Cover] = {}
    refused = []
    for c in every:
        why = _misfit(mapping, compute, epilogue, c)
        if why:
            refused.append(why)
        else:
            found.setdefault(c.store.instruction.name, c)
    if not found:
        raise ScheduleError(f"{mapping.id}: {refused[0]}; describe one that does")
    return tuple(found.values())


def _misfit(mapping: Mapping, compute: Instruction, epilogue: Epilogue, c: Cover) -> str:
    """Why tiles of sums can't begin and end so, or ''."""
    for step in (*c.begins, *c.updates):
        i = step.instruction
        loads = any(isinstance(e, Access) and i.operand(o).memory == MAIN for o, e in step.bound)
        if i.engine != compute.engine and not (step in c.begins and loads):
            return f"{i.name} is issued by {i.engine}, and what computes by {compute.engine}: no plan joins them there"
    onward = () if c.onward is None else (Step(c.onward),)
    home = compute.operand(compute.kernel.statements[0].target.tensor)
    view = runs_of(mapping, home.name, str(home.row)).view
    if any(u.moves for u in c.updates) and (cut := _cut_unevenly(mapping, home.name)):
        return f"elements beside sums are brought for a whole tile, and {cut}"
    for step in (*c.begins, *onward, *(s for u in c.updates for s in (*u.moves, u)), c.store):
        whole = any(step in (*u.moves, u) for u in c.updates)  # what changes a tile takes all its runs at once
        if why := _unlike(mapping if whole else view, compute, epilogue, step):
            return why
    return ""


def _cut_unevenly(mapping: Mapping, operand: str) -> str:
    """A part of `where` that cuts tiles between the points of an axis, in words; or ''."""
    forward, axes = dict(mapping.forward), set(mapping.instruction.axes)
    for g in conditions(mapping, operand):
        if symbols_of([substitute(g, forward)]) & axes and cut_along(mapping, g) is None:
            return f"`{words(g)}` cuts each of its runs"
    return ""


def _unlike(mapping: Mapping, compute: Instruction, epilogue: Epilogue, step: Step) -> str:
    """Why the cells of an instruction are not those of a tile, or lie otherwise in main memory than it takes them; or ''."""
    i, home = step.instruction, compute.operand(compute.kernel.statements[0].target.tensor)
    lies: dict[str, str] = {}
    for held in (o for o in i.operands if o.row is not None):
        for a, b in ((home.row, held.row), (home.column, held.column)):
            if compute.axes.get(str(a), 1) != i.axes.get(str(b), 1):
                return f"{i.name} has tiles of another shape than {compute.name}"
            lies[str(b)] = str(a)
    elements = dict(step.bound)
    target = i.kernel.statements[0].target.tensor
    if i.operand(target).memory == MAIN:
        elements[target] = epilogue.statement.target if epilogue.statement else Access(epilogue.sum, ())
    for name, access in elements.items():
        if i.operand(name).memory != MAIN:
            continue
        if not _serves(mapping, home.name, epilogue, i, (name, access), lies):
            return f"{i.name} takes elements of {access.tensor} that lie otherwise apart in memory"
        if why := cut_otherwise(mapping, home.name, i, lies):
            return why
    return ""


def _serves(
    mapping: Mapping, home: str, epilogue: Epilogue, i: Instruction, pair: tuple[str, Access], lies: dict[str, str]
) -> bool:
    """Whether elements of a tensor lie as far apart as the instruction takes them, along the rows and columns of a tile."""
    name, access = pair
    coordinates = tuple(mapping.coordinates(home))
    index = coordinates if not access.index and access.tensor == epilogue.sum else epilogue.index(access, coordinates)
    shape = mapping.kernel.tensor(access.tensor).shape
    split = affine(sp.expand(offset(*collapsed(index, shape))), set(mapping.instruction.axes))
    if split is None:
        return False
    address = i.address(name)
    taken = {lies.get(str(e)): step for e, step in zip(address.index, address.steps, strict=True)}
    used = symbols_of(coordinates)
    return all(serves(taken.get(axis, 0), split[0].get(axis, 0)) for axis in lies.values() if axis in used)
