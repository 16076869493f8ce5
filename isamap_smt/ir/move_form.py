"""A move moves: its contract copies cells between a register and memory, or writes one number, and computes nothing.

Programs are proved with this meaning, so a `load` doubling its values would be wrong in every program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy as sp

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import elements, symbols_of
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Read, reads
from isamap_smt.ir.states import CODE

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction

MAIN = "memory"  # the place of tensors and buffers, reached by addresses


def derived_kind(contract: Kernel, places: Mapping[str, str], state: str = "", engine: str = "") -> str:
    """The kind of an instruction with this contract.

    'load', 'broadcast', 'store' or 'zero' if it only copies between memory and another place, or clears. 'configure' if
    it writes the memory `state`. 'move' if an engine copies from one memory of its own to another. 'step' if an engine
    begins, changes or stores cells of one memory and computes. Else 'compute'.
    """
    s = contract.statements[0]
    kind = _kind(contract, places, state, engine)
    target = s.target.tensor
    held = [r.tensor for r in reads(s.value) if places.get(r.tensor) not in (MAIN, CODE)]
    changed = target in held  # others may be read beside it
    alone = changed or not held if places.get(target) != MAIN else len(set(held)) == 1
    return "step" if engine and kind == "compute" and s.op == "=" and alone else kind


def _kind(contract: Kernel, places: Mapping[str, str], state: str, engine: str) -> str:
    s = contract.statements[0]
    if state and places.get(s.target.tensor) == state:
        return "configure"
    if s.op != "=" or s.guard:
        return "compute"
    target = places.get(s.target.tensor)
    if not isinstance(s.value, Read) or elements(s.inputs[0].index):
        return "zero" if s.value == 0 and target != MAIN else "compute"
    source = places.get(s.inputs[0].tensor)
    if engine and MAIN not in (target, source):
        return "move"
    return copying_kind(target, source, symbols_of(s.inputs[0].index) == symbols_of(s.target.index))


def copying_kind(target: str | None, source: str | None, along: bool) -> str:
    """The kind of a copy from the memory `source` to `target` on a core; along: both have the same axes."""
    if (source == MAIN) == (target == MAIN):
        return "compute"
    return "store" if target == MAIN else "load" if along else "broadcast"


def register_operand(move: Instruction) -> str:
    """The name of the move's register operand: target of a load, source of a store."""
    return next(o for o in move.types if o != move.target) if move.kind == "store" else move.target


def check_move(name: str, kind: str, contract: Kernel, places: dict[str, str]) -> str:
    """The register operand of a load, broadcast, store or zero. Raises LanguageError for any other contract."""
    s = contract.statements[0]
    text = contract.text.strip()
    example = {"store": "m[l] = r[l]", "zero": "r[l] = 0", "broadcast": "r[l] = m[]"}.get(kind, "r[l] = m[l]")
    copies = sp.sympify(s.value).is_number if kind == "zero" else isinstance(s.value, Read)
    if s.op != "=" or s.guard or not copies:
        raise LanguageError(f"instruction {name}: a {kind} only moves, which {text!r} does not: write {example!r}")
    read = s.inputs[0] if s.inputs else None
    register = read if kind == "store" and read is not None else s.target
    memory = s.target if kind == "store" else read
    whole = s.extents_of(register.index) == contract.tensor(register.tensor).shape
    if not whole or len(register.index) != len(contract.axes):
        raise LanguageError(
            f"instruction {name}: a {kind} moves whole registers: in {text!r} the index of {register.tensor} must be each axis once"
        )
    if places[register.tensor] == MAIN:
        raise LanguageError(
            f"instruction {name}: {register.tensor} lies in {MAIN!r}; a {kind} has its register operand in a memory of the machine"
        )
    if memory is not None and contract.tensor(memory.tensor).dtype != contract.tensor(register.tensor).dtype:
        raise LanguageError(
            f"instruction {name}: a {kind} converts nothing: {memory.tensor} is {contract.tensor(memory.tensor).dtype}, "
            f"{register.tensor} is {contract.tensor(register.tensor).dtype}"
        )
    return register.tensor
