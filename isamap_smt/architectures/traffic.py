"""The traffic of a program of engines, level by level: elements, bytes, and energy if the machine gives an access's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from isamap_smt.architectures.form import ACC, A, B
from isamap_smt.architectures.instructions import PRODUCT
from isamap_smt.architectures.machine import Counted, ReadMachine
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Program
from isamap_smt.simulator.traffic import Touched, touched


@dataclass(frozen=True)
class Moved:
    """A tensor in a level.

    reads, writes: elements touched there by instructions, each once for each use; none in a level inside the array, as
    no instruction names it. read_accesses, write_accesses: elements in each instance of the level, the array's own for
    each step. energy: picojoules, None if the machine has no energies of accesses.
    """

    level: str
    memory: str
    tensor: str
    reads: int
    writes: int
    read_bytes: int
    written_bytes: int
    read_accesses: int
    write_accesses: int
    energy: float | None


@dataclass(frozen=True)
class Traffic:
    """rows: from main memory inwards. products: computed by the array, padding included. energies in picojoules.

    sizes: by axis, as used for counting. cycles: predicted, if the plan was made for these sizes. unread: the parts of
    an architecture's file missing in the machine.
    """

    kernel: str
    hardware: str
    sizes: tuple[tuple[str, int], ...]
    cycles: float | None
    rows: tuple[Moved, ...]
    products: int
    compute_energy: float | None
    unread: tuple[str, ...] = ()

    @property
    def energy(self) -> float | None:
        """Of all levels and products together; None if a part of it is unknown."""
        parts = [*(r.energy for r in self.rows), self.compute_energy]
        return None if any(p is None for p in parts) else float(sum(p or 0.0 for p in parts))

    def of(self, level: str, tensor: str) -> Moved:
        """The row of a level and a tensor. Raises KeyError."""
        for r in self.rows:
            if (r.level, r.tensor) == (level, tensor):
                return r
        raise KeyError(f"{level}, {tensor}; known: {', '.join(f'{r.level}, {r.tensor}' for r in self.rows)}")

    def document(self) -> dict[str, Any]:
        """As JSON: levels with a row for each tensor."""
        levels: dict[str, list[dict[str, Any]]] = {}
        for r in self.rows:
            row = asdict(r)
            levels.setdefault(row.pop("level"), []).append(row)
        return {
            "kernel": self.kernel, "hardware": self.hardware, "sizes": dict(self.sizes), "cycles": self.cycles, "unit": "pJ",
            "levels": [
                {"level": n, "energy": _sum([r["energy"] for r in rows]), "tensors": rows} for n, rows in levels.items()
            ],
            "compute": {"products": self.products, "energy": self.compute_energy},
            "energy": self.energy,
            "unread": list(self.unread),
        }  # fmt: skip

    def yaml(self) -> str:
        """The same in YAML."""
        import yaml

        return str(yaml.safe_dump(self.document(), sort_keys=False, width=120))


def traffic(program: Program, hardware: Hardware, sizes: Mapping[str, int], cycles: float | None) -> Traffic:
    """Of a program at these sizes. Raises LanguageError for missing sizes."""
    counted = touched(program, sizes)
    products = sum(
        t.uses * prod(t.instruction.axes.values())
        for t in counted
        if t.instruction.kind == "compute" and t.operand == t.instruction.target
    )
    at = tuple((a.name, int(evaluate(a.extent, sizes))) for a in program.kernel.axes)
    if not isinstance(hardware, ReadMachine):
        return Traffic(
            program.kernel.name, hardware.name, at, cycles, tuple(_memories(hardware, counted)), products, None
        )
    each, unread = hardware.compute_energy, tuple(map(str, hardware.unread))
    energy = None if each is None else each * products
    return Traffic(
        program.kernel.name, hardware.name, at, cycles, tuple(_levels(hardware, counted)), products, energy, unread
    )


def _memories(hardware: Hardware, counted: tuple[Touched, ...]) -> list[Moved]:
    """By memory; energy by its picojoules a byte, if the description has any."""
    sums: dict[tuple[str, str, int], list[int]] = {}
    for t in counted:
        own = sums.setdefault((t.memory, t.tensor, t.instruction.types[t.operand].bytes), [0, 0])
        own[0] += t.reads
        own[1] += t.writes
    energies = {m.name: m.energy for m in hardware.memories if m.energy}
    order = ["memory", *(m.name for m in hardware.memories)]
    found = []
    for (memory, tensor, size), (r, w) in sorted(sums.items(), key=lambda x: (order.index(x[0][0]), x[0][1])):
        each = energies.get(memory)
        energy = None if each is None else each * (r + w) * size
        found.append(Moved(memory, memory, tensor, r, w, r * size, w * size, r, w, energy))
    return found


def _levels(machine: ReadMachine, counted: tuple[Touched, ...]) -> list[Moved]:
    """By level of the architecture, those inside of the array included."""
    named = {(t.operand, t.tensor) for t in counted if t.instruction.short == PRODUCT}
    by_operand: dict[str, dict[str, list[Touched]]] = {}
    for t in counted:
        by_operand.setdefault(_operand(t, named), {}).setdefault(t.tensor, []).append(t)
    return [_moved(c, tensor, own) for c in machine.counted for tensor, own in by_operand.get(c.operand, {}).items()]


def _moved(c: Counted, tensor: str, counted: list[Touched]) -> Moved:
    reads = writes = 0
    read_accesses = write_accesses = 0
    size = next(t.instruction.types[t.operand].bytes for t in counted)
    for t in counted:
        product = t.instruction.short == PRODUCT
        if product and (c.read or c.written):
            read_accesses += t.uses * c.read
            write_accesses += t.uses * c.written
        if not c.memory or t.memory != c.memory:
            continue
        reads, writes = reads + t.reads, writes + t.writes
        if not product:
            # sums of several instances come together where they leave; inputs are read in one
            read_accesses += t.reads * (c.copies if c.operand == ACC else 1)
            write_accesses += t.writes * c.copies
    costs = ((c.reads, read_accesses), (c.writes, write_accesses))
    known = all(each is not None for each, n in costs if n)
    energy = sum((each or 0.0) * n for each, n in costs) if known else None
    return Moved(
        c.level, c.memory, tensor, reads, writes, reads * size, writes * size, read_accesses, write_accesses, energy
    )


def _operand(t: Touched, named: set[tuple[str, str]]) -> str:
    """The product's operand behind the cells of a use. Another operand's load may bring a tile of the same form."""
    name = t.instruction.short
    said = t.operand if name == PRODUCT else A if name.endswith("_a") else B if name.endswith("_b") else ACC
    return said if (said, t.tensor) in named else next((o for o, tensor in sorted(named) if tensor == t.tensor), said)


def _sum(values: list[float | None]) -> float | None:
    return None if any(v is None for v in values) else float(sum(v or 0.0 for v in values))


__all__ = ["Moved", "Traffic", "traffic"]
