"""An instruction of a shipped machine, with a contract read on first use.

A machine has hundreds of instructions, and a program uses a dozen. Programs choose among them from the description
alone: kind, places, element types and shapes of operands. Tests read every shipped contract, and compare it with its
description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kept import per_object

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware

_LATER = ContextVar("contracts are read later", default=False)
_READ, _SHIPPED = "_read", "_shipped"


@contextmanager
def contracts_read_later() -> Iterator[None]:
    """Inside, im.instruction() reads no contract and im.Hardware() checks nothing.

    It is for shipped machines, checked by tests.
    """
    token = _LATER.set(True)
    try:
        yield
    finally:
        _LATER.reset(token)


def reads_later() -> bool:
    """Whether contracts are read on first use."""
    return _LATER.get()


class _Late:
    """A field known once the contract is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, i: Described, owner: type[Described]) -> Any:
        return getattr(i.read(), self.name)


class Described(Instruction):
    """An instruction made from its description.

    Once its contract is read it is a plain Instruction, and the same object.
    """

    def __init__(self, known: Mapping[str, Any], make: Callable[[], Instruction]) -> None:
        """known: fields, and properties, by name. make: reads the contract."""
        self.__dict__.update(known, **{_READ: make, _SHIPPED: True})

    def read(self) -> Instruction:
        """Itself, with all fields."""
        make = self.__dict__.get(_READ)
        if make is not None:
            self.__dict__.update(make().__dict__)
            object.__setattr__(self, "__class__", Instruction)
            self.__dict__.pop(_READ, None)
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        same = isinstance(other, Instruction) and (self.name, self.emit) == (other.name, other.emit)
        return same and self.read() == (other.read() if isinstance(other, Described) else other)

    def __hash__(self) -> int:
        return Instruction.__hash__(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.read().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(self.read())


for _field in fields(Instruction):
    setattr(Described, _field.name, _Late(_field.name))


@per_object(most=32)
def key_text(machine: Hardware) -> str:
    """All facts of a machine as text for a cache key. Instructions of shipped tables appear by name alone.

    The key must hold a digest of the shipped tables, too.
    """
    parts = {f.name: getattr(machine, f.name) for f in fields(machine) if f.name not in ("instructions", "opened")}
    listed = [i.name if _SHIPPED in i.__dict__ else _facts(i) for i in machine.instructions]
    return repr([parts, listed, machine.opened and key_text(machine.opened)])


_facts = per_object(most=2_000)(repr)  # machines that differ in a memory or an engine share their instructions


__all__ = ["Described", "contracts_read_later", "key_text", "reads_later"]
