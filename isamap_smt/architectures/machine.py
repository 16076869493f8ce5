"""The machine of an architecture, with the parts of the file it lacks, and with the counting of its accesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isamap_smt.architectures.choice import place
from isamap_smt.architectures.cycles import touched
from isamap_smt.architectures.form import Architecture, Unread, listed
from isamap_smt.architectures.instructions import instructions_of
from isamap_smt.architectures.memories import Memories, plain_name
from isamap_smt.architectures.placed import Placed
from isamap_smt.ir.engines import Engine
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kept import hashed_once


@dataclass(frozen=True)
class Counted:
    """Accesses to an operand in a level: those of moves, by elements touched, and those of the array.

    memory: of the machine; '' for a level inside the array, as no instruction names it. copies: instances reached by
    one write. read, written: elements, each in each instance, of one product of the array. reads, writes: picojoules an
    element.
    """

    level: str
    operand: str
    memory: str
    bits: int
    copies: int
    read: int
    written: int
    reads: float | None = None
    writes: float | None = None


@hashed_once
@dataclass(frozen=True)
class ReadMachine(Hardware):
    """A machine read from another tool's architecture.

    architecture: the contents of the file. unread: its parts missing in the machine. notes: decisions. counted: how
    accesses are counted.
    """

    architecture: Architecture | None = field(default=None, compare=False, repr=False)
    unread: tuple[Unread, ...] = field(default=(), compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    counted: tuple[Counted, ...] = field(default=(), compare=False, repr=False)

    @property
    def compute_energy(self) -> float | None:
        """Picojoules of one product, if the file gives them."""
        return self.architecture.compute_energy if self.architecture else None

    def __str__(self) -> str:
        return "\n".join(
            [
                super().__str__(),
                *(f"  {n}" for n in self.notes),
                *(["  not read or not kept:"] if self.unread else []),
                *(f"    {u}" for u in self.unread),
            ]
        )


def machine_from(
    architecture: Architecture,
    *,
    unroll: Mapping[str, int] | None = None,
    in_time: Mapping[str, int] | None = None,
    sums: float = 0.5,
) -> ReadMachine:
    """The machine. Arguments as of from_timeloop(). Raises ArchitectureError, HardwareError."""
    given: object = sums
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 < given < 1:
        raise HardwareError(f"sums={sums!r}: pass the part of a memory for inputs and sums that sums have, such as 0.5")
    memories = Memories(place(architecture, unroll, in_time), sums)
    name = plain_name(architecture.name, set())
    issued = instructions_of(name, memories)
    meshes = " x ".join(str(m.size) for m in architecture.meshes) or "1"
    return ReadMachine(
        name, (*memories.made, *memories.mains), (), issued,
        f"{meshes} multipliers, read from {architecture.format} ({architecture.file})",
        tuple(map(Engine, dict.fromkeys(i.engine for i in issued))), architecture=architecture,
        unread=tuple(dict.fromkeys((*architecture.unread, *memories.unread))), notes=tuple(_notes(memories.placed)),
        counted=tuple(_counted(memories)),
    )  # fmt: skip


def _notes(p: Placed) -> list[str]:
    found = [
        f"{m.name} ({m.size}) takes {p.axes[m.name]}"
        + ("" if not m.may or p.axes[m.name] in m.may else f", not {listed(m.may)}")
        for m in p.architecture.meshes
    ]
    extents = listed([f"{a}={n}" for a, n in p.extents.items()])
    found.append(f"one product: acc[i,j] += a[i,k] * b[k,j] with {extents}, {p.steps} steps of the array")
    return found


def _counted(memories: Memories) -> list[Counted]:
    """Of every level on an operand's way, main memory included."""
    found = []
    p = memories.placed
    for o, w in p.ways.items():
        bits = memories.types[o].bits
        for level in (w.main, w.via, w.own, *w.inside):
            if level is None:
                continue
            near = level is w.own or level in w.inside
            read, written = touched(p, o, level) if near else (0, 0)
            share = 1.0 if level.access is None else bits / level.access
            energy = [None if e is None else e * share for e in (level.read_energy, level.write_energy)]
            inside = level in w.inside
            memory = "memory" if level is w.main else "" if inside else memories.names[level.name, o]
            found.append(Counted(level.name, o, memory, bits, p.copies(level, o), read, written, *energy))
    return found
