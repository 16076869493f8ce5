"""State memories: control cells of a thread, written by one instruction and needed by others (a tile configuration).

The cells have one byte each. Or a state is one number, requested by a program and granted (a vector length).

A thread begins with 0 in every cell, and leaves 0 behind. A state of a machine with engines is one engine's: others
neither write nor need it, it holds anything at first, and it may have several sets of cells; each use names one. There
a use without active points does nothing, and needs nothing, if it keeps all other points. An instruction's needs are
text:

    tilecfg[48 + a] = i      the cell holds this number; an operand's name is its register's number, an axis' its extent
    a < 8                    the registers to choose from for operand a
    vl = active              the granted number is the number of active points
    loading[0] = 4*down      on an engine: a value over the strides of the use, or one of its operands: `storing[1] = s`

A request for n is granted as n up to `most`; from 2 * most on, as `most`; between, as any number from half of n
(rounded up) to `most`, at the implementation's choice. So says the RISC-V vector extension of `vsetvli`, with most =
VLMAX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.conditions import parse_expression
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, IMax, IMin, substitute, symbols_of

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction

CODE = "code"  # the place of an operand whose cells are constants of the code
_CELL = re.compile(r"([^\W\d]\w*)\s*\[(.+)\]\s*=\s*([^=].*)\Z")
_HELD = re.compile(r"([^\W\d]\w*)\s*=\s*([^\W\d]\w*)\Z")
_COUNT = re.compile(r"([^\W\d]\w*)\s*<\s*(\d+)\Z")
FORM = "write the cell that must hold a number, such as 'tilecfg[48 + a] = 16', or how many registers an operand is one of, 'a < 8'"
ISSUED = (
    "write a cell by its number and what it must hold: a number, a sum of products of strides, or one operand, such as "
    "'loading[0] = 4*down' or 'storing[1] = s'"
)
MOST_CELLS = 512


@dataclass(frozen=True)
class Need:
    """Cell `cell` of `memory` holds `value`. cell: over the number of operand's register ('' if it is constant).

    value: a number; on an engine also over strides of the instruction, or the symbol of one operand.
    """

    text: str
    memory: str
    operand: str
    cell: Any
    value: Any

    def at(self, number: int) -> int:
        """The cell, for an operand in the register of this number."""
        return int(substitute(self.cell, {self.operand: number}) if self.operand else self.cell)


@dataclass(frozen=True)
class Held:
    """The number granted in `memory` is the number of active points along `axis`, called `parameter` in the C."""

    text: str
    memory: str
    parameter: str
    axis: str


Needs = tuple[tuple[Need, ...], tuple[tuple[str, int], ...], tuple[Held, ...]]


def parse_needs(i: Instruction, texts: Sequence[str]) -> Needs:
    """(needed cells, (operand, its number of registers to choose from), granted numbers). Raises LanguageError."""
    if not texts:
        return (), (), ()
    operands, extents = [t.name for t in i.kernel.tensors], {a.name: a.extent for a in i.kernel.axes}
    cells: list[Need] = []
    counts: dict[str, int] = {}
    held: list[Held] = []
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
        if granted := _HELD.match(text.strip()):
            held.append(_held(where, text, granted, {parameter: axis for axis, parameter in i.active}))
            continue
        cells.append(_issued(where, text, i, extents) if i.engine else _cell(where, text, operands, extents))
    for n in cells:
        if n.operand and n.operand not in counts:
            raise LanguageError(
                f"instruction {i.name}: needs {n.text!r}: how many registers is {n.operand} one of? add '{n.operand} < 8'"
            )
    return tuple(cells), tuple(counts.items()), tuple(held)


def _held(where: str, text: str, found: re.Match[str], active: Mapping[str, str]) -> Held:
    if found[2] not in active:
        hint = did_you_mean(found[2], list(active)) if active else "say active={'l': 'active'}"
        raise LanguageError(f"{where}: {found[2]!r} is no number of active points; {hint}")
    return Held(text.strip(), found[1], found[2], active[found[2]])


def _cell(where: str, text: str, operands: list[str], extents: Mapping[str, Any]) -> Need:
    """A cell of a thread's state: a number or one operand's register names it, and its value is a byte."""
    memory, cell, value = _read(where, text, operands, extents, "operand and no axis", FORM)
    named = sorted(symbols_of([cell]))
    if len(named) > 1 or symbols_of([value]) or not 0 <= int(value) <= 255:
        raise LanguageError(
            f"{where}: a cell is named by one operand's register at most, and holds a number from 0 to 255"
        )
    return Need(text.strip(), memory, named[0] if named else "", cell, int(value))


def _issued(where: str, text: str, i: Instruction, extents: Mapping[str, Any]) -> Need:
    """A cell of an engine's state: a number names it, and its value is a number, is over strides, or is one operand's."""
    single = [t.name for t in i.kernel.tensors if not t.shape]
    kinds = "stride, no operand of one element and no axis"
    memory, cell, value = _read(where, text, [*i.strides, *single], extents, kinds, ISSUED)
    alone = getattr(value, "is_Symbol", False) or not symbols_of([value]) & set(single)
    if symbols_of([cell]) or not 0 <= int(cell) < MOST_CELLS or not alone:
        raise LanguageError(f"{where}: {ISSUED}")
    return Need(text.strip(), memory, "", cell, value)


def _read(
    where: str, text: str, names: Sequence[str], extents: Mapping[str, Any], kinds: str, form: str
) -> tuple[str, Any, Any]:
    """(state, cell, its value) of a need over these names, which are of these kinds; axes are their extents."""
    found, known = _CELL.match(text.strip()), [*names, *extents]
    cell, value = (parse_expression(found[n]) for n in (2, 3)) if found else (None, None)
    if found is None or cell is None or value is None:
        raise LanguageError(f"{where}: {form}")
    if unknown := sorted(symbols_of([cell, value]) - set(known)):
        raise LanguageError(f"{where}: {unknown[0]!r} is no {kinds}; {did_you_mean(unknown[0], known)}")
    return found[1], *(substitute(e, dict(extents)) for e in (cell, value))


def writes_state(i: Instruction) -> str:
    """The state memory written by the instruction; '' if none."""
    return next((memory for _, memory in i.places if memory != CODE), "") if i.kind == "configure" else ""


def wanted(count: Any, points: Any) -> Any:
    """The number of active points, if `count` of so many are requested."""
    return IMax(0, IMin(points, count))


def allowed(granted: Any, asked: Any, most: Any) -> Any:
    """A formula: this number may be granted to a request for `asked`.

    A negative request is large: it is read without its sign.
    """
    half, twice = FloorDiv(asked + 1, 2), 2 * most
    between = ("and", ("lt", most, asked), ("lt", asked, twice), ("le", half, granted), ("le", granted, most))
    few = ("and", ("le", 0, asked), ("le", asked, most), ("eq", granted, asked))
    many = ("and", ("or", ("lt", asked, 0), ("le", twice, asked)), ("eq", granted, most))
    return ("or", few, between, many)


def grants(asked: int, most: int) -> range:
    """Every number possibly granted.

    >>> [list(grants(n, 4)) for n in (3, 5, 7, 8, 9)]
    [[3], [3, 4], [4], [4], [4]]
    """
    if 0 <= asked <= most:
        return range(asked, asked + 1)
    return range(most if asked < 0 or asked >= 2 * most else -(-asked // 2), most + 1)


def image_of(needs: Iterable[tuple[Need, int]], cells: int) -> tuple[tuple[int, ...], str]:
    """(a memory of so many cells, meeting all needs at these registers' numbers; the contradiction or '')."""
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
    """Every need of an instruction, for each number of a register possibly holding the operand here."""
    for need in i.cells_needed:
        yield from ((need, n) for n in (numbers.get(need.operand, ()) if need.operand else (0,)))


def c_cells(dtype: str, values: Sequence[str]) -> str:
    """Cells of an engine's state as a C expression: the address of so many numbers.

    >>> c_cells("int64_t", ("4 * im_size_0", "1"))
    '((const int64_t[2]){4 * im_size_0, 1})'
    """
    return f"((const {dtype}[{len(values)}]){{{', '.join(values)}}})"


def c_bytes(image: Sequence[int]) -> str:
    """The cells as a C expression: the address of constant bytes.

    >>> c_bytes((1, 0, 64))
    '((const uint8_t[3]){[0] = 1, [2] = 64})'
    """
    told = ", ".join(f"[{n}] = {x}" for n, x in enumerate(image) if x) or "0"
    return f"((const uint8_t[{len(image)}]){{{told}}})"
