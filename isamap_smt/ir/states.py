"""State memories: control cells of a thread, one byte each, that one instruction writes and others need (a tile configuration).

A thread begins with 0 in every cell, and leaves 0 behind. What an instruction needs is text:

    tilecfg[48 + a] = i      the cell holds that number; a operand's name is the number of its register, an axis' its extent
    a < 8                    the registers that operand a may be one of
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.conditions import parse_expression
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.expr import substitute, symbols_of

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction

CODE = "code"  # the place of an operand whose cells are constants of the code
_CELL = re.compile(r"([^\W\d]\w*)\s*\[(.+)\]\s*=\s*([^=].*)\Z")
_COUNT = re.compile(r"([^\W\d]\w*)\s*<\s*(\d+)\Z")
FORM = "write the cell that must hold a number, such as 'tilecfg[48 + a] = 16', or how many registers an operand is one of, 'a < 8'"


@dataclass(frozen=True)
class Need:
    """Cell `cell` of `memory` holds `value`. cell: over the number of operand's register ('' where it is a constant)."""

    text: str
    memory: str
    operand: str
    cell: Any
    value: int

    def at(self, number: int) -> int:
        """The cell, for an operand in the register of that number."""
        return int(substitute(self.cell, {self.operand: number}) if self.operand else self.cell)


def parse_needs(i: Instruction, texts: Sequence[str]) -> tuple[tuple[Need, ...], tuple[tuple[str, int], ...]]:
    """(cells that hold a value, (operand, how many registers it is one of)). Raises LanguageError."""
    operands, extents = [t.name for t in i.kernel.tensors], {a.name: a.extent for a in i.kernel.axes}
    cells: list[Need] = []
    counts: dict[str, int] = {}
    for text in texts:
        where = f"instruction {i.name}: needs {text!r}"
        if counted := _COUNT.match(text.strip()):
            operand, count = counted[1], int(counted[2])
            if operand not in operands:
                raise LanguageError(f"{where}: {operand!r} is no operand; {did_you_mean(operand, operands)}")
            if operand in counts or not 1 <= count <= 256:
                raise LanguageError(f"{where}: say once how many registers {operand} is one of, 1 to 256")
            counts[operand] = count
            continue
        cells.append(_cell(where, text, operands, extents))
    for n in cells:
        if n.operand and n.operand not in counts:
            raise LanguageError(
                f"instruction {i.name}: needs {n.text!r}: how many registers is {n.operand} one of? add '{n.operand} < 8'"
            )
    return tuple(cells), tuple(counts.items())


def _cell(where: str, text: str, operands: list[str], extents: Mapping[str, Any]) -> Need:
    found = _CELL.match(text.strip())
    cell, value = (parse_expression(found[n]) for n in (2, 3)) if found else (None, None)
    if found is None or cell is None or value is None:
        raise LanguageError(f"{where}: {FORM}")
    if unknown := sorted(symbols_of([cell, value]) - {*operands, *extents}):
        raise LanguageError(
            f"{where}: {unknown[0]!r} is no operand and no axis; {did_you_mean(unknown[0], [*operands, *extents])}"
        )
    cell, value = (substitute(e, dict(extents)) for e in (cell, value))
    named = sorted(symbols_of([cell]))
    if len(named) > 1 or symbols_of([value]) or not 0 <= int(value) <= 255:
        raise LanguageError(
            f"{where}: a cell is named by one operand's register at most, and holds a number from 0 to 255"
        )
    return Need(text.strip(), found[1], named[0] if named else "", cell, int(value))


def writes_state(i: Instruction) -> str:
    """The state memory that it writes; '' for others."""
    return next((memory for _, memory in i.places if memory != CODE), "") if i.kind == "configure" else ""


def image_of(needs: Iterable[tuple[Need, int]], cells: int) -> tuple[tuple[int, ...], str]:
    """(a memory of so many cells that meets all needs at these registers' numbers, what is contradictory or '')."""
    image = [0] * cells
    because: dict[int, Need] = {}
    for need, number in needs:
        at = need.at(number)
        if not 0 <= at < cells:
            return (), f"'{need.text}' needs cell {at}, and {need.memory} has {cells}"
        other = because.setdefault(at, need)
        if other.value != need.value:
            return (), f"{need.memory}[{at}] is to be {other.value} ('{other.text}') and {need.value} ('{need.text}')"
        image[at] = need.value
    return tuple(image), ""


def needs_at(i: Instruction, numbers: Mapping[str, Iterable[int]]) -> Iterator[tuple[Need, int]]:
    """Every need of an instruction, for each number of a register that the operand may lie in here."""
    for need in i.cells_needed:
        yield from ((need, n) for n in (numbers.get(need.operand, ()) if need.operand else (0,)))


def c_bytes(image: Sequence[int]) -> str:
    """The cells as a C expression: the address of constant bytes.

    >>> c_bytes((1, 0, 64))
    '((const uint8_t[3]){[0] = 1, [2] = 64})'
    """
    told = ", ".join(f"[{n}] = {x}" for n, x in enumerate(image) if x) or "0"
    return f"((const uint8_t[{len(image)}]){{{told}}})"
