"""Parameters of a machine decided by its hardware, such as the length of its vectors: code asks for them when it runs.

One program is made for all values. Some numbers are needed before it runs, such as a cost, or the length given to an
emulator. These take a typical value, or a requested one: `machine.at(VL=4)` is the machine at this value, and still
knows the whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import sympy as sp

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import HardwareError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import substitute, symbols_of

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.ir.instruction import Instruction

LARGEST = 1 << 16


def is_open(value: Any) -> bool:
    """Whether it is a machine parameter without a number, or a whole number of times one.

    >>> is_open(4 * sp.Symbol("VL")), is_open(8)
    (True, False)
    """
    if not isinstance(value, sp.Expr) or not value.free_symbols:
        return False
    count, name = value.as_coeff_Mul()
    return bool(name.is_Symbol and count.is_Integer and count >= 1)


def exceeds(a: Any, b: Any) -> bool:
    """Whether a may be more than b, for some values, at least 1, of the machine's parameters in them.

    >>> exceeds(sp.Symbol("VL"), 4), exceeds(sp.Symbol("VL") - 1, 2 * sp.Symbol("VL"))
    (True, False)
    >>> exceeds(sp.Symbol("VL") ** 2, sp.Symbol("VL"))
    True
    """
    apart = sp.expand(sp.sympify(b) - sp.sympify(a))
    names = sorted(apart.free_symbols, key=str)
    if names and not (apart.is_polynomial(*names) and sp.Poly(apart, *names).total_degree() <= 1):
        return True  # only linear ones are decided
    return bool(apart.subs(dict.fromkeys(names, 1)) < 0) or any(apart.coeff(p) < 0 for p in names)


@dataclass(frozen=True)
class MachineParameter:
    """name: the name in im.parameter(). values: all found on machines of this architecture, each at least 1.

    emit: a C expression of the value on the running machine. typical: the value for computing costs.
    vector_bits: bits of a vector per unit of the parameter; 0 if it is no vector length.
    Raises HardwareError.
    """

    name: Any
    values: Any
    emit: Any
    typical: Any
    vector_bits: int = 0

    def __post_init__(self) -> None:
        what = f"machine parameter {self.name!r}"
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z]\w*", self.name):
            raise HardwareError(f"{what}: a name is a letter, then letters, digits and _, such as 'VL'")
        if not isinstance(self.values, tuple | list | range) or not self.values:
            raise HardwareError(f"{what}: values={self.values!r}: pass all that there are, such as (1, 2, 4)")
        values = tuple(whole_number(v, f"{what}: value", HardwareError, high=LARGEST) for v in self.values)
        object.__setattr__(self, "values", tuple(sorted(set(values))))
        if self.values[-1] < 2 * self.values[0]:  # the C's numbers are bounded by their values at two of these
            raise HardwareError(f"{what}: its values, {_listed(self.values)}, are nearly one; write that in its place")
        if isinstance(self.typical, bool) or self.typical not in self.values:
            raise HardwareError(f"{what}: typical={self.typical!r} is none of its values, {_listed(self.values)}")
        if not isinstance(self.emit, str) or not self.emit.strip():
            raise HardwareError(f"{what}: say its value in C, such as emit='(int64_t)(svcntb() / 16)'")
        whole_number(self.vector_bits, f"{what}: vector_bits", HardwareError, 0, LARGEST)


def check_parameters(machine: Hardware) -> None:
    """Raises HardwareError unless listed parameters include every one in the machine's parts, each once.

    opened and values must come from at().
    """
    where, kind, said = f"hardware {machine.name}", type(machine), cast(Any, machine.parameters)
    whole, values = cast(Any, machine.opened), cast(Any, machine.values)
    if not isinstance(said, tuple) or not all(isinstance(p, MachineParameter) for p in said):
        raise HardwareError(f"{where}: parameters={said!r}: pass a tuple of im.MachineParameter")
    if (whole, values) != (None, ()):
        listed = [(p.name, p.values) for p in whole.parameters] if isinstance(whole, kind) else []
        given = dict(values) if isinstance(values, tuple) and all(map(_is_pair, values)) else {}
        if not listed or set(given) != {n for n, _ in listed} or any(given[n] not in known for n, known in listed):
            raise HardwareError(f"{where}: opened and values are what machine.at(...) makes; leave them out")
    names = [p.name for p in machine.parameters]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise HardwareError(f"{where} lists parameter {twice!r} twice")
    used = [*(e for m in machine.memories for e in (m.capacity, m.row))]
    used += [a.extent for i in machine.instructions for a in i.kernel.axes]
    for name in sorted(symbols_of(used) - set(names)) if names else ():
        raise HardwareError(f"{where}: its parts mention {name!r}, which is none of its parameters")


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def valid_values(machine: Hardware, given: Mapping[str, Any]) -> dict[str, int]:
    """A value for each parameter: the given one, or the typical one. Raises UnknownNameError, HardwareError."""
    known = {p.name: p for p in machine.parameters}
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError(
                f"{machine.name} has no machine parameter {name!r}; {did_you_mean(name, list(known))}"
            )
        if value not in known[name].values:
            raise HardwareError(f"{machine.name}: {name}={value!r}: it can be {_listed(known[name].values)}")
    return {n: int(given.get(n, p.typical)) for n, p in known.items()}


def vector_bits(machine: Hardware | None) -> int:
    """Length, in bits, of the vectors of a machine at values of its parameters; 0 if no parameter gives it."""
    values = dict(machine.values) if machine else {}
    parameters = machine.whole.parameters if machine else ()
    return next((p.vector_bits * values[p.name] for p in parameters if p.vector_bits and p.name in values), 0)


def every_value(machine: Hardware) -> Iterator[dict[str, int]]:
    """All values of the machine's parameters together."""
    names = [p.name for p in machine.parameters]
    for values in product(*(p.values for p in machine.parameters)):
        yield dict(zip(names, values, strict=True))


def at_values(machine: Hardware, values: Mapping[str, int]) -> Hardware:
    """The machine with numbers in the place of its parameters."""
    return _at(machine, tuple(sorted(values.items())))


@lru_cache(maxsize=256)
def _at(machine: Hardware, values: tuple[tuple[str, int], ...]) -> Hardware:
    table = dict(values)
    memories = tuple(
        replace(m, capacity=_number(m.capacity, table), row=_number(m.row, table)) for m in machine.memories
    )
    instructions = tuple(instruction_at(i, table) for i in machine.instructions)
    return replace(machine, memories=memories, instructions=instructions, parameters=(), opened=machine, values=values)


@lru_cache(maxsize=4096)
def _instruction_at(i: Instruction, values: tuple[tuple[str, int], ...]) -> Instruction:
    table = dict(values)
    own = {n: table[n] for n in i.kernel.free_sizes if n in table}
    if not own and not is_open(i.grants):
        return i
    exact = i.exact and i.exact.with_sizes({n: v for n, v in own.items() if n in i.exact.free_sizes})
    steps = tuple((o, tuple(_number(s, table) for s in steps)) for o, steps in i.steps)
    cells = tuple((o, substitute(row, table), substitute(column, table)) for o, row, column in i.cells)
    grants = _number(i.grants, table)
    return replace(i, kernel=i.kernel.with_sizes(own), exact=exact, steps=steps, cells=cells, grants=grants)


def instruction_at(i: Instruction, values: Mapping[str, int]) -> Instruction:
    """The instruction with numbers in the place of its machine's parameters."""
    return _instruction_at(i, tuple(sorted(values.items())))


def _number(value: Any, table: Mapping[str, int]) -> Any:
    return int(substitute(sp.sympify(value), table)) if is_open(value) else value


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
