"""Cuts of tiles by a kernel's `where`: whether moves can leave the points out, from the end, or the front if they say so."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved
from isamap_smt.ir.engines import KEPT, ZERO
from isamap_smt.ir.errors import OpenSizesError, ScheduleError
from isamap_smt.ir.expr import substitute, sym, symbols_of, words
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.layouts import along
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.staging import conditions, cut_along, cut_off, cuts_front
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.mapping_neutral import harmless


def check_cuts(mapping: Mapping, views: Dict[str, Mapping]) -> None:
    """Raises ScheduleError unless each part of `where` that cuts tiles cuts them along one axis, in known steps, and
    depends on one factor alone.

    views: operand -> the mapping of one run of its tiles.
    """
    s = mapping.statement
    for g in s.guard:
        of = next((o for o in _inputs(mapping) if g in conditions(mapping, o)), None)
        view = mapping if of is None else views[of]
        inside = sorted(symbols_of([substitute(g, dict(view.forward))]) & set(mapping.instruction.axes))
        if not inside or holds(g, s):
            continue
        along = f"{mapping.id}: `{words(g)}` would cut tiles along {', '.join(inside)}"
        if len(inside) > 1:
            raise ScheduleError(f"{along} at once, which no move can")
        if cut_along(view, g) is None:
            sizes = sorted(symbols_of([g]) - {a.name for a in s.axes})
            if sizes:
                raise OpenSizesError(f"{along} in steps that are not known; give {', '.join(sizes)}")
            raise ScheduleError(f"{along} in steps that are not known")
        if of is None:
            raise ScheduleError(f"{along}, and no factor is read at all axes of it")


def _inputs(mapping: Mapping) -> list[str]:
    return [a.tensor for a in mapping.instruction.kernel.statements[0].inputs]


def cut_otherwise(mapping: Mapping, operand: str, move: Instruction, lies: dict[str, str]) -> str:
    """Why a move cannot leave out all points missing in tiles of an operand, or ''. lies: axes of the move -> of the
    computing instruction."""
    if why := cut_off(mapping, operand, move, lies):
        return why
    fills = move.operand(move.target).memory != MAIN
    if fills and move.active and move.beyond == KEPT and cut_off(mapping, operand, replace(move, active=()), lies):
        return (
            f"{move.name} leaves cells beyond its active points as they were (beyond={KEPT!r}), and tiles are not always whole; "
            f"say beyond={ZERO!r}"
        )
    able = {lies[axis] for axis, _ in move.front if axis in lies}
    for g in conditions(mapping, operand):
        if cuts_front(mapping, g) and (axis := cut_along(mapping, g)) not in able and not holds(g, mapping.statement):
            cut = f"`{words(g)}` cuts tiles along {axis} from the front, and {move.name} leaves out points from the end alone"
            own = [a for a, of in lies.items() if of == axis and a in dict(move.active)]
            return cut + (f"; if it can leave out some in front, say front={{{own[0]!r}: 'above'}}" if own else "")
    return ""


def reduced_beyond(mapping: Mapping, compute: Instruction) -> str:
    """Why points beyond the tensors would enter a reduction, or ''. Zeros add nothing to a sum of elements. They change
    a maximum, or a sum of values computed from them, so there the instruction has to leave them out."""
    contract = compute.kernel.statements[0]
    inputs, value = [a.tensor for a in contract.inputs], typed_value(compute.kernel, contract)
    if contract.op == "=" or (contract.op == "+" and harmless("+", value, frozenset(inputs))):
        return ""
    over = {a.name for a in contract.axes} - symbols_of(contract.target.index)
    for operand in inputs:
        o = compute.operand(operand)
        lies = {a: a for a in sorted(along(o)) if a in over}
        if why := cut_off(mapping, operand, compute, lies):
            axis = next(iter(lies))
            return f"{why}: what lies beyond would be reduced, too; say active={{{axis!r}: 'points'}}, if it can leave points out"
    return ""


def holds(condition: Any, s: Statement) -> bool:
    """Whether the statement's axes alone imply this part of its `where`."""
    inside = [f for a in s.axes for f in (("le", 0, a.symbol), ("lt", a.symbol, a.extent))]
    sizes = sorted(symbols_of([condition, *(a.extent for a in s.axes)]) - {a.name for a in s.axes})
    known = [("le", 1, sym(n)) for n in sizes]
    return isinstance(implied([*known, *inside], [condition], tuple(sizes), "where"), Proved)
