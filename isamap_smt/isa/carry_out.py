"""The C of one case on the case's own cells: what it leaves in each operand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.c_text import FaultError, check_brackets, tokens
from isamap_smt.isa.c_read import functions
from isamap_smt.isa.c_run import Function
from isamap_smt.isa.c_types import CType
from isamap_smt.isa.c_values import Address, Block, NoCError, Promises, Result, Unreadable, Value
from isamap_smt.isa.contract import Cells
from isamap_smt.isa.entry import Case, Operand
from isamap_smt.isa.meanings import Meaning


@dataclass(frozen=True)
class Outcome:
    """Cells of each operand afterwards, what must hold for all operands, and the intrinsics that were called."""

    after: Cells
    promises: tuple[tuple[Term, str], ...]
    used: dict[str, Meaning]


def carry_out(case: Case, used: dict[str, Meaning]) -> Outcome:
    """Carry the C out. used: filled with the intrinsics that are called. Raises Fault and Unreadable."""
    if case.carried is not None:
        found: Outcome = case.carried(used)
        return found
    known = {o.name: o for o in case.operands}
    promises, blocks = (
        Promises(),
        {o.name: _block(o, case.before[o.name]) for o in case.operands if o.place != "result"},
    )
    given: list[Result] = []
    for a in case.arguments:
        if isinstance(a, Value):
            given.append(a)
        elif known[a].place == "value":
            given.append(Value(known[a].c_type, blocks[a].contents))
        else:
            given.append(Address(blocks[a], 0, known[a].c_type))
    defined = _functions(case)
    returned = Function(defined, promises, used, [0]).call(defined[case.function], given)
    after = {o.name: _cells(o, blocks[o.name].contents) for o in case.operands if o.place in ("memory", "register")}
    for o in case.operands:
        if o.place == "result":
            after[o.name] = _cells(o, _returned(returned, o.c_type))
    return Outcome(after, tuple(promises.listed), used)


def _functions(case: Case) -> dict[str, Any]:
    """What the C defines. Raises Fault for brackets without partners, which no compiler takes."""
    try:
        return functions(case.source, case.function)
    except Unreadable:
        try:
            check_brackets(tokens(case.source))
        except FaultError as fault:
            raise NoCError(f"{fault}") from None
        raise


def _block(o: Operand, cells: list[Term]) -> Block:
    """All cells; between them, where they lie apart, words that are nobody's."""
    parts: list[Term] = []
    for k, x in enumerate(cells):
        gap = (o.stride - 1) * o.dtype.bits if k + 1 < len(cells) else 0
        parts += [x, bits.cell(f"between {o.name}[{k}] and [{k + 1}]", gap)] if gap else [x]
    return Block(o.name, bits.concat(parts), o.dtype.bits * o.stride)


def _cells(o: Operand, contents: Term) -> list[Term]:
    step, width = o.stride * o.dtype.bits, o.dtype.bits
    return [bits.extract(contents, k * step, width) for k in range(o.count)]


def _returned(value: Any, to: CType) -> Term:
    if not isinstance(value, Value):
        raise NoCError("it returns no value")
    if any((value.type.kind == k) != (to.kind == k) for k in "vs") or value.type.bits != to.bits:
        raise NoCError(f"it returns {value.type}, and is to return {to}")
    return value.term
