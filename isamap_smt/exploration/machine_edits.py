"""An edit of a machine's description: one more instruction, one with a changed field, a memory with more room.

Each has its line of description, and gives the edited machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from isamap_smt.ir.engines import KEPT, Work
from isamap_smt.ir.expr import words
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.move_form import MAIN


@dataclass(frozen=True)
class Add:
    """One more instruction. told: its effect."""

    instruction: Instruction
    told: str

    def __str__(self) -> str:
        return f"add {self.told}"

    @property
    def line(self) -> str:
        """The line to write."""
        return described(self.instruction)

    def apply(self, machine: Hardware) -> Hardware:
        """The machine with it."""
        return replace(machine, instructions=(*machine.instructions, self.instruction))


@dataclass(frozen=True)
class Alter:
    """An instruction of the same name, with other values in some fields."""

    instruction: Instruction
    fields: tuple[str, ...]

    def __str__(self) -> str:
        return f"give {self.instruction.short} {self.line}"

    @property
    def line(self) -> str:
        """The arguments to write in its call."""
        given = _fields(self.instruction)
        return ", ".join(f"{n}={given[n]}" for n in self.fields)

    def apply(self, machine: Hardware) -> Hardware:
        """The machine with this one in the place of the old one."""
        new = self.instruction
        return replace(machine, instructions=tuple(new if i.name == new.name else i for i in machine.instructions))


@dataclass(frozen=True)
class Enlarge:
    """A memory with more room."""

    memory: str
    capacity: int

    def __str__(self) -> str:
        return f"enlarge {self.memory} to {self.capacity:,} bytes"

    @property
    def line(self) -> str:
        """The field."""
        return f"capacity={self.capacity}"

    def apply(self, machine: Hardware) -> Hardware:
        """The machine with it."""
        return _with_memory(machine, self.memory, capacity=self.capacity)


@dataclass(frozen=True)
class Widen:
    """A memory whose cells have more bits, 0 for all of their type."""

    memory: str
    bits: int

    def __str__(self) -> str:
        return f"give cells of {self.memory} {f'{self.bits} bits' if self.bits else 'all bits of their type'}"

    @property
    def line(self) -> str:
        """The field."""
        return f"bits={self.bits}"

    def apply(self, machine: Hardware) -> Hardware:
        """The machine with it."""
        return _with_memory(machine, self.memory, bits=self.bits)


Edit = Add | Alter | Enlarge | Widen


def _with_memory(machine: Hardware, name: str, **fields: Any) -> Hardware:
    memories = tuple(replace(m, **fields) if m.name == name else m for m in machine.memories)
    return replace(machine, memories=memories)


def described(i: Instruction) -> str:
    """The call of im.instruction() to make it."""
    text = " ".join(i.kernel.text.split())
    given = ", ".join(f"{n}={value}" for n, value in _fields(i).items())
    return f'im.instruction("{i.name}", "{text}", {given})'


def _fields(i: Instruction) -> dict[str, str]:
    """Field -> its text, without fields at their default."""
    types = {o: str(d) for o, d in i.types.items()}
    found = {"axes": _table(i.extents), "dtypes": _table(types), "places": _table(places(i)), "engine": f'"{i.engine}"'}
    if i.active:
        found["active"] = _table(dict(i.active))
    if i.front:
        found["front"] = _table(dict(i.front))
    if i.beyond != KEPT:
        found["beyond"] = f'"{i.beyond}"'
    if i.rounding != "exact":
        found["rounding"] = f'"{i.rounding}"'
    if i.work is not None:
        found["work"] = _work(i.work)
    return found


def places(i: Instruction) -> dict[str, str]:
    """Operand -> its place, as descriptions write it."""
    cells = {o: f"[{words(row)},{words(column)}]" for o, row, column in i.cells}
    cells |= {o: f"[{i.address(o)}]" for o, memory in i.places if memory == MAIN and o in dict(i.steps)}
    return {o: memory + cells.get(o, "") for o, memory in i.places}


def _table(given: dict[str, Any]) -> str:
    inside = ", ".join(f'"{n}": {_value(value)}' for n, value in given.items())
    return f"{{{inside}}}"


def _value(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else words(value)


def _work(work: Work) -> str:
    per = "".join(f'"{a}", ' for a in work.per).removesuffix(" " if len(work.per) == 1 else ", ")
    return f"im.Work({work.start:g}, {work.each:g}{f', ({per})' if work.per else ''})"


__all__ = ["Add", "Alter", "Edit", "Enlarge", "Widen", "described", "places"]
