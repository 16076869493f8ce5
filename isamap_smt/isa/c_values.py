"""What C works on while it is read: numbers and vectors as terms, memory in blocks, addresses with their distance in bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.errors import IsamapError
from isamap_smt.isa.c_types import CType
from isamap_smt.isa.evaluate import evaluate


class Unreadable(IsamapError):
    """C, or a contract, of which the meaning is not known here."""


class Fault(Exception):
    """C that is wrong whatever its operands hold: it reaches outside of them, is undefined, or is no C."""


class NoCError(Fault):
    """C that no compiler takes."""

    def __init__(self, why: str) -> None:
        super().__init__(f"no C: {why}")


@dataclass
class Block:
    """Memory of its own: an operand, or a variable. contents: all bits; bits of cells that a name gives words for."""

    name: str
    contents: Term
    cell: int  # bits of one element, for words about places

    def where(self, low: int) -> str:
        """A place in words: `src[3]`."""
        return f"{self.name}[{low // self.cell}]" if self.cell < self.contents.width or low else self.name

    def inside(self, offset: int, width: int) -> bool:
        """Whether the bits at that many bytes from the start are all its own."""
        return offset >= 0 and 8 * offset + width <= self.contents.width

    def load(self, offset: int, width: int) -> Term:
        """Bits at that many bytes from the start. Raises Fault outside."""
        self._check("reads", offset, width)
        return bits.extract(self.contents, 8 * offset, width)

    def store(self, offset: int, value: Term) -> None:
        """Put bits there. Raises Fault outside."""
        self._check("writes", offset, value.width)
        low, end = 8 * offset, 8 * offset + value.width
        parts = [bits.extract(self.contents, 0, low)] if low else []
        parts.append(value)
        if end < self.contents.width:
            parts.append(bits.extract(self.contents, end, self.contents.width - end))
        self.contents = bits.concat(parts)

    def _check(self, what: str, offset: int, width: int) -> None:
        if self.inside(offset, width):
            return
        count = self.contents.width // self.cell
        first = 8 * offset // self.cell
        outside = first if first < 0 or first >= count else count
        elements = "1 element" if count == 1 else f"{count} elements"
        raise Fault(f"{what} {self.name}[{outside}], and {self.name} has {elements}")


@dataclass(frozen=True)
class Value:
    """A number or a vector."""

    type: CType
    term: Term

    @property
    def number(self) -> int | None:
        """The integer that a constant is."""
        v = self.term.value
        return bits.signed(v, self.term.width) if v is not None and self.type.kind == "i" else v


@dataclass(frozen=True)
class Address:
    """A pointer: so many bytes from the start of a block."""

    block: Block
    offset: int
    to: CType

    def moved(self, elements: int) -> Address:
        """That many elements further."""
        return Address(self.block, self.offset + elements * self.to.bits // 8, self.to)


Result = Value | Address | None


@dataclass
class Promises:
    """What must hold for all operands if the C is to be defined: (a bit that is always set, what is wrong where it is not)."""

    listed: list[tuple[Term, str]] = field(default_factory=list)
    unset: int = 0  # how many values that nothing sets have been made

    def undefined(self, what: str, width: int) -> Term:
        """Bits that nothing sets: each time others."""
        self.unset += 1
        piece = 32 if width % 32 == 0 else width
        return bits.concat(bits.cell(f"undefined {what} #{self.unset}.{n}", piece) for n in range(width // piece))

    def ask(self, holds: Term, otherwise: str) -> None:
        """Raises Fault where it is known not to hold."""
        if holds.value == 0:
            raise Fault(otherwise)
        if holds.value is None:
            self.listed.append((holds, otherwise))


def settled(x: Term) -> Term:
    """x as a constant where it reads no cell."""
    if x.op == "const" or x.width > 64 or bits.cells(x):
        return x
    return bits.const(int(np.atleast_1d(evaluate([x], {})[0])[0]), x.width)
