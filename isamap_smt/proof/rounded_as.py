"""The expressions to follow in a program's rounding: its kernel's, or those its instructions compute in their place."""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_encodings.scalar import same_tree
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.instruction import SelectedInstruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program
from isamap_smt.ir.scalar import Read, cast, put_into_indices, rewrite_reads
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.typed import typed_value

KNOWN = ("exact", "fused", "unfused")


def computed_by(program: Program) -> tuple[Kernel, dict[int, Any]]:
    """(the program's kernel, number of a statement -> the value its instructions compute in other operations).

    Raises SizeError if an instruction rounds in a way of its own.
    """
    strange = [s.proved.mapping.instruction for s in program.schedules if not _is_followed(s)]
    if strange:
        raise SizeError(f"the rounding of {strange[0].name} ({strange[0].rounding}) is not followed")
    trees = {s.proved.mapping.statement_index: t for s in program.schedules if (t := _computed(s)) is not None}
    return program.kernel, trees


def rounds_as_written(program: Program) -> bool:
    """Whether every statement rounds as its expression says, fused or not, and none computes it in other words."""

    def same(s: Schedule) -> bool:
        tree, m = _computed(s), s.proved.mapping
        return tree is None or same_tree(tree, typed_value(m.kernel, m.statement))

    return all(_is_followed(s) and same(s) for s in program.schedules)


def _is_followed(s: Schedule) -> bool:
    i = s.proved.mapping.instruction
    return i.rounding in KNOWN and (i.exact is None or isinstance(i, SelectedInstruction))


def _computed(s: Schedule) -> Any:
    """The value computed by the steps of a selected instruction from the elements of the statement; None for others."""
    m = s.proved.mapping
    if not isinstance(m.instruction, SelectedInstruction) or m.instruction.exact is None:
        return None
    contract, read = m.instruction.exact, dict(m.binding)

    def element(r: Read) -> Any:
        a, kind = read[r.tensor], contract.tensor(r.tensor).dtype
        found = Read(sp.Symbol(a.tensor), *a.index)
        return found if m.kernel.tensor(a.tensor).dtype == kind else cast(kind, found)

    tree = rewrite_reads(typed_value(contract, contract.statements[0]), element)
    return put_into_indices(tree, m.kernel.named_sizes(dict(s.sizes)))
