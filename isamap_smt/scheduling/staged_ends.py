"""How sums on a machine with engines begin and end: covers of the epilogue whose instructions have the shape of a tile."""

from __future__ import annotations

import sympy as sp

from isamap_smt.ir.addresses import collapsed, offset, serves
from isamap_smt.ir.epilogue import BEGINS, UPDATES, Epilogue
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine, substitute, symbols_of, words
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.layouts import covers, first_apart, is_box, lies, of_one_shape
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.staging import conditions, cut_along
from isamap_smt.mapping.epilogue import Cover, Way, covers_of
from isamap_smt.mapping.patterns import Step
from isamap_smt.mapping.runs import runs_of
from isamap_smt.scheduling.staged_cuts import cut_otherwise


def fitting_covers(mapping: Mapping, machine: Hardware, compute: Instruction, epilogue: Epilogue) -> tuple[Cover, ...]:
    """The cheapest cover that begins and ends tiles of the mapping's sums, for each storing instruction.

    Raises ScheduleError.
    """
    refused: dict[Way, str] = {}

    def fits(way: Way) -> bool:
        refused[way] = _misfit(mapping, compute, epilogue, way)
        return not refused[way]

    found = covers_of(mapping.kernel, machine, compute, fits)
    if not found:
        why = next(why for why in refused.values() if why)
        raise ScheduleError(f"{mapping.id}: {why}; describe one that does")
    return found


def _misfit(mapping: Mapping, compute: Instruction, epilogue: Epilogue, way: Way) -> str:
    """Why tiles of sums can't begin, change or end so, or ''."""
    step = way.step
    if step is None:
        return ""
    i, changes = step.instruction, way.role == UPDATES
    loads = way.role == BEGINS and any(i.operand(o).memory == MAIN for o, e in step.bound if isinstance(e, Access))
    if way.role in (BEGINS, UPDATES) and i.engine != compute.engine and not loads:
        return f"{i.name} is issued by {i.engine}, and what computes by {compute.engine}: no plan joins them there"
    home = compute.operand(compute.target)
    if changes and step.moves and (cut := _cut_unevenly(mapping, home.name)):
        return f"elements beside sums are brought for a whole tile, and {cut}"
    of = mapping if changes else runs_of(mapping, home.name, str(home.row)).view  # what changes takes all runs at once
    return next(filter(None, (_unlike(of, compute, epilogue, s) for s in (*step.moves, step))), "")


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
    along: dict[str, str] = {}
    for held in (o for o in i.operands if o.row is not None):
        if not i.counted and len(i.operands) == 1 and covers((compute, home), (i, held)):
            return ""  # a number comes to every cell, whatever element lies there
        if not of_one_shape((compute, home), (i, held)):
            apart = "" if is_box(home) else first_apart((compute, home), (i, held))
            return f"{i.name} has tiles of another shape than {compute.name}{apart}"
        along |= lies((compute, home), (i, held))
    elements = dict(step.bound)
    target = i.kernel.statements[0].target.tensor
    if i.operand(target).memory == MAIN:
        elements[target] = epilogue.statement.target if epilogue.statement else Access(epilogue.sum, ())
    for name, access in elements.items():
        if i.operand(name).memory != MAIN:
            continue
        if not _serves(mapping, home.name, epilogue, i, (name, access), along):
            return f"{i.name} takes elements of {access.tensor} that lie otherwise apart in memory"
        if why := cut_otherwise(mapping, home.name, i, along):
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
