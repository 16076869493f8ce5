"""Hardware is memories joined by links, and the instructions to compute and move on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from isamap_smt.ir.c_text import check_together
from isamap_smt.ir.described import reads_later
from isamap_smt.ir.engines import Engine, check_engines
from isamap_smt.ir.errors import HardwareError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware_checks import check_hardware, check_link, check_memory, check_states, check_ways
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kept import hashed_once
from isamap_smt.ir.layouts import check_layouts
from isamap_smt.ir.machine_parameters import MachineParameter, at_values, check_parameters, is_open, valid_values
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.states import writes_state

REGISTER, ADDRESSED, CACHE, MAIN, STATE = KINDS = ("register", "addressed", "cache", "main", "state")
LINE = 64  # bytes of a cache line


@dataclass(frozen=True)
class Memory:
    """capacity in bytes (None: unlimited), of all `count` registers together in a register file.

    row: bytes of a row in a memory with rows addressed by software (a scratchpad); 0 for others. capacity and row may
    be a number times a machine parameter (im.parameter). energy in picojoules per byte; shared: by the cores.

    kind: 'register' (code names its cells), 'addressed' (software computes addresses), 'cache' (it holds copies by
    itself), 'main' (tensors), 'state' (control cells). A thread's state has cells of one byte, 0 until written. An
    engine's state has `count` sets of cells, with the type given by the instruction writing them.

    bits: of an integer in a cell, if an addressed memory's cells have fewer than their type; larger values wrap; 0:
    all.

    Engines share bandwidth and banks. bandwidth: bytes a cycle, read and written together; None: no limit. banks: rows
    are interleaved over so many, and `ports` accesses, a row each, reach each bank in a cycle; 0: no limit.

    Without `kind` a memory with rows is addressed, one with several registers is a register file, an unlimited one is
    main memory, and any other is a cache. Raises HardwareError for fields without a meaning for a memory.
    """

    name: str
    capacity: Any
    count: int = 1
    energy: float = 0.0
    shared: bool = False
    row: Any = 0
    kind: str = ""
    bits: int = 0
    bandwidth: float | None = None
    banks: int = 0
    ports: int = 1

    def __post_init__(self) -> None:
        check_memory(self, KINDS)

    @property
    def _kind(self) -> str:
        plain = MAIN if self.capacity is None else CACHE
        return self.kind or (ADDRESSED if self.row else REGISTER if self.count > 1 else plain)

    @property
    def is_register(self) -> bool:
        """Whether code names its cells."""
        return self._kind == REGISTER

    @property
    def is_cache(self) -> bool:
        """Whether it holds copies by itself."""
        return self._kind == CACHE

    @property
    def is_main(self) -> bool:
        """Whether tensors lie in it."""
        return self._kind == MAIN

    @property
    def is_state(self) -> bool:
        """Whether it holds control cells."""
        return self._kind == STATE

    @property
    def is_limited(self) -> bool:
        """Whether uses of several engines wait for each other there."""
        return self.bandwidth is not None or bool(self.banks)

    @property
    def rows(self) -> Any:
        """How many rows software can address."""
        if not self.row or self.capacity is None:
            return 0
        known = not (is_open(self.row) or is_open(self.capacity))
        return self.capacity // self.row if known else sp.cancel(sp.sympify(self.capacity) / self.row)


@dataclass(frozen=True)
class Link:
    """bandwidth in bytes per cycle from `source` to `target`, one core; latency in cycles. Raises HardwareError."""

    source: str
    target: str
    bandwidth: float
    latency: float = 0.0

    def __post_init__(self) -> None:
        check_link(self)


def check_names(machine: str, instructions: tuple[Instruction, ...]) -> None:
    """Raises HardwareError, with both lines, if two instructions have one name."""
    first: dict[str, Instruction] = {}
    for i in instructions:
        other = first.setdefault(i.name, i)
        if other is i:
            continue
        lines = [x.line for x in (other, i) if x.line]
        where = f", at {' and '.join(lines)}" if lines else ""
        raise HardwareError(
            f"{machine} has two instructions of the name {i.name}{where}; give one of them another name"
        )


@hashed_once
@dataclass(frozen=True)
class Hardware(Shown):
    """A machine: a graph of memories and links, in any order, and instructions.

    Without memories it can be mapped onto, not scheduled for. Tensors lie in 'memory', found in every machine.

    engines: they issue instructions, each in order, all beside each other, joined by counters; their uses signal and
    await these. Without any the machine is one core.
    parameters: numbers decided by the hardware, and asked for by code when it runs (im.parameter() in the place of
    numbers).
    opened, values: the machine with open parameters, if this one is its at(...) these values; code is made for all
    values.
    rules: equalities of values (im.Rule) for instruction selection to use beside isamap's own, once proved.
    refused: avoided by instruction selection since a check refused it: instructions by name, covers by a digest of
    their C.

    Raises HardwareError for parts that do not fit each other: see isamap_smt.ir.hardware_checks.
    """

    name: str
    memories: tuple[Memory, ...] = ()
    links: tuple[Link, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    description: str = ""
    engines: tuple[Engine, ...] = ()
    parameters: tuple[MachineParameter, ...] = ()
    opened: Hardware | None = None
    values: tuple[tuple[str, int], ...] = ()
    rules: tuple[Rule, ...] = ()
    refused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if reads_later():
            return
        for field_name, value in check_hardware(self, (Memory, Link)).items():
            object.__setattr__(self, field_name, value)
        check_names(self.name, self.instructions)
        check_parameters(self)
        check_ways(self)
        check_engines(self)
        check_layouts(self)
        check_states(self)
        check_together(self.instructions)

    @property
    def whole(self) -> Hardware:
        """The machine with open parameters, if this one fixes them; else itself."""
        return self.opened or self

    def at(self, **values: int) -> Hardware:
        """The machine at these values of its parameters, by default their typical ones; itself if it has none.

        Raises UnknownNameError for an unknown parameter, and HardwareError for a value it cannot have.
        """
        if not self.whole.parameters and not values:
            return self
        return at_values(self.whole, valid_values(self.whole, dict(self.values) | values))

    def memory(self, name: str) -> Memory:
        """The memory of this name. Raises KeyError if there is none."""
        for m in self.memories:
            if m.name == name:
                return m
        raise KeyError(name)

    def instruction(self, name: str) -> Instruction:
        """The instruction of this name, with or without the machine's prefix. Raises UnknownNameError."""
        for i in self.instructions:
            if name in (i.name, i.short):
                return i
        known = [i.short for i in self.instructions]
        raise UnknownNameError(f"{self.name} has no instruction {name!r}; {did_you_mean(name, known)}")

    @cached_property
    def computes(self) -> tuple[Instruction, ...]:
        """The compute instructions."""
        return tuple(i for i in self.instructions if i.kind == "compute")

    @cached_property
    def moves(self) -> tuple[Instruction, ...]:
        """Instructions moving data."""
        return tuple(i for i in self.instructions if i.kind not in ("compute", "configure"))

    def asking(self, memory: str, most: int) -> Instruction | None:
        """The instruction asking for a number up to `most`, held in this state memory; None if there is none."""
        return next((i for i in self.instructions if writes_state(i) == memory and i.grants == most), None)

    def writing(self, memory: str) -> Instruction | None:
        """The instruction writing constants of the code into the cells of a state memory; None if there is none."""
        return next((i for i in self.instructions if writes_state(i) == memory and i.kernel.inputs), None)

    def configuring(self, memory: str) -> tuple[Instruction, Instruction]:
        """(the instruction writing constants of the code into a state memory, the one clearing it)."""
        found = [i for i in self.instructions if writes_state(i) == memory]
        return next(i for i in found if i.kernel.inputs), next(i for i in found if not i.kernel.inputs)

    @cached_property
    def has_c(self) -> bool:
        """Whether C is made for it: some compute instruction has any."""
        return any(i.emit for i in self.computes)

    @cached_property
    def simulated(self) -> bool:
        """Whether it is a core for the simulator only: instructions compute and move, and no compute instruction has C."""
        return not (self.engines or self.has_c) and bool(self.memories and self.computes and self.moves)

    def offers(self, instruction: Instruction) -> bool:
        """Whether programs for it may use the instruction: it has C, or nothing of the machine has."""
        return bool(instruction.emit) or self.simulated

    @property
    def no_c(self) -> str:
        """The reason for making no C for the machine; '' if C is made."""
        if self.engines:
            return f"{self.name} has engines, for which no C is made; use --target simulate"
        return (
            f"no instruction of {self.name} has C (emit='...'); `isamap run` simulates its programs"
            if self.simulated
            else ""
        )

    @property
    def lacks(self) -> tuple[str, ...]:
        """The facts needed by a schedule and missing in the description; empty if programs are made for the machine."""
        found = []
        if self.engines:
            return (
                f"no C is made for the engines of {self.name}: `isamap schedule` plans its programs, `isamap run` simulates them",
            )
        if not (self.has_c or self.simulated):
            found.append(f"no instruction of {self.name} that computes has C (emit='...')")
        if not self.memories:
            found.append(f"{self.name} has no memories to hold operands (memories=..., links=...)")
        return tuple(found)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.description}" if self.description else self.name]
        for m in self.memories:
            count = f"{m.count} x " if m.count > 1 else ""
            size = "unlimited" if m.capacity is None else f"{count}{m.capacity // m.count} bytes"
            size += f", {m.rows} rows of {m.row}" if m.row else ", a state" if m.is_state else ""
            size += f", {m.bandwidth:g} bytes per cycle" if m.bandwidth is not None else ""
            size += f", {m.banks} banks" + f" of {m.ports} ports" * (m.ports > 1) if m.banks else ""
            lines.append(f"  {m.name}: {size}" + (", shared by the cores" if m.shared else ""))
        lines += [
            f"  engine {e.name}: {', '.join(i.short for i in self.instructions if i.engine == e.name)}"
            for e in self.engines
        ]
        lines += [f"  {p.name}: {p.emit}, one of {', '.join(map(str, p.values))}" for p in self.parameters]
        lines += [f"  {k.source} -> {k.target}: {k.bandwidth:g} bytes per cycle" for k in self.links]
        lines.append(f"  computes with {', '.join(i.short for i in self.computes)}")
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """The compute instructions."""
        rows = (
            (i.name, i.kernel.text.strip(), f"{i.cost.latency:g}", f"{i.cost.per_cycle:g}", ", ".join(i.requires))
            for i in self.computes
        )
        return (Table("Instructions that compute", ("name", "contract", "latency", "per cycle", "needs"), tuple(rows)),)
