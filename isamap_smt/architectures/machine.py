"""The machine of an architecture: memories with rows, an instruction that is the array, and what moves tiles between levels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from isamap_smt.architectures.choice import place
from isamap_smt.architectures.cycles import busy, each_row, rounded, touched
from isamap_smt.architectures.form import ACC, INDEXED, A, Architecture, B, Level, Unread, listed
from isamap_smt.architectures.placed import Placed, Way
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.engines import ZERO, Engine, Work
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kept import hashed_once
from isamap_smt.language.instructions import instruction

LOAD, STORE, ARRAY = "load", "store", "array"
TAKEN = {LOAD, STORE, ARRAY, "memory", "code", "scalar", "registers", "heap", "tensor"}


@dataclass(frozen=True)
class Counted:
    """What accesses to an operand in a level are: those of moves, by elements that they touch, and those of the array.

    memory: of the machine; '' for a level inside of the array, which no instruction names. copies: instances that a write goes to.
    read, written: elements, each in each instance, of one product of the array. reads, writes: picojoules an element.
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
    """A machine that was read from an architecture of another tool.

    architecture: what the file says. unread: what of it the machine does not have. notes: what was decided. counted: how its
    accesses are counted.
    """

    architecture: Architecture | None = field(default=None, compare=False, repr=False)
    unread: tuple[Unread, ...] = field(default=(), compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    counted: tuple[Counted, ...] = field(default=(), compare=False, repr=False)

    @property
    def compute_energy(self) -> float | None:
        """Picojoules of one product, where the file says them."""
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


def machine_of(
    architecture: Architecture,
    *,
    unroll: Mapping[str, int] | None = None,
    in_time: Mapping[str, int] | None = None,
    sums: float = 0.5,
) -> ReadMachine:
    """The machine. Arguments as of from_timeloop(). Raises ArchitectureError, HardwareError."""
    if not 0 < sums < 1:
        raise HardwareError(f"sums={sums!r}: pass the part of a memory for inputs and sums that sums have, such as 0.5")
    return _Made(place(architecture, unroll, in_time), sums).machine()


class _Made:
    def __init__(self, placed: Placed, sums: float) -> None:
        self.placed, self.architecture, self.sums = placed, placed.architecture, sums
        self.name = _name(self.architecture.name, set())
        self.types = {o: dtype(name) for o, name in self.architecture.types}
        self.unread = list(self.architecture.unread)
        self.notes = self._notes()
        self.names: dict[tuple[str, str], str] = {}
        self.memories = self._memories()

    # ---- memories

    def _memories(self) -> list[Memory]:
        """One for each level in use, two where it holds inputs and sums: the cells of one have one type."""
        found: list[Memory] = []
        used: dict[Level, list[str]] = {}
        for o, w in self.placed.ways.items():
            for level in (w.via, w.own):
                if level is not None:
                    used.setdefault(level, []).append(o)
        for level in (x for x in self.architecture.levels if x in used):
            parts: dict[str, list[str]] = {}
            for o in used[level]:
                parts.setdefault(o if o == ACC else self.types[o].name, []).append(o)
            kinds, base = list(parts.items()), _name(level.name, {*self.names.values(), *TAKEN})
            for n, (kind, operands) in enumerate(kinds):
                share = 1.0 if len(kinds) == 1 else self.sums if kind == ACC else (
                    (1 - self.sums) if ACC in parts else 1.0) / sum(k != ACC for k, _ in kinds)  # fmt: skip
                name = base if n == 0 else f"{base}_sums" if kind == ACC else f"{base}_{operands[0]}"
                found.append(self._memory(level, operands, share, name))
            if len(kinds) > 1:
                said = " and ".join(listed(os) for _, os in kinds)
                self._note(
                    level,
                    f"{said} in one memory",
                    "divided, since cells of a memory have one type here, each part with all the bandwidth; sums=... says how",
                )
            self._merged(level, used[level])
        for o, w in self.placed.ways.items():
            self._left(o, w)
        return found

    def _memory(self, level: Level, operands: list[str], share: float, name: str) -> Memory:
        rows = {o: self.placed.extents[INDEXED[o][1]] * self.types[o].bytes for o in operands}
        row = max(rows.values())
        # each instance holds a part of the elements: capacity counts those that are different
        apart = min(self.placed.apart(level, o) for o in operands)
        size = int((level.bits or 0) * apart * share) // 8
        capacity = size // row * row
        for o in operands:
            self.names[level.name, o] = name
        tallest = max(self.placed.extents[INDEXED[o][0]] for o in operands)
        if capacity < tallest * row:
            raise self.architecture.refused(
                level.path, f"{size} bytes for {listed(operands)}, and a tile needs {tallest} rows of {row}; give it more, "
                "or choose other extents with unroll and in_time"
            )  # fmt: skip
        if lost := size - capacity:
            self._note(level, f"{lost} of {size} bytes", f"left over where rows have {row} bytes")
        if len(set(rows.values())) > 1:
            said = listed([f"{o} {n}" for o, n in rows.items()])
            self._note(level, f"rows of {said} bytes", f"each takes a row of {row} bytes in the memory that they share")
        return Memory(name, capacity, row=row)

    def _merged(self, level: Level, operands: list[str]) -> None:
        for o in set(level.holds) - set(operands):
            if level not in self.placed.ways[o].inside and level not in self.placed.ways[o].left:
                self._note(level, f"holds {o}", "not used for it")

    def _left(self, operand: str, way: Way) -> None:
        for level in way.left:
            kept = [x.name for x in (way.via, way.own) if x]
            self._note(level, f"holds {operand}", f"passed by: {operand} stops at {listed(kept)} alone on its way")
        for level in way.inside:
            self._note(
                level,
                f"holds {operand}",
                "taken as a part of the array: it has no room for a tile that an instruction names",
            )

    def _note(self, level: Level, what: str, why: str) -> None:
        self.unread.append(Unread(level.path, what, why))

    # ---- instructions

    def machine(self) -> ReadMachine:
        """All of it."""
        found = [*self._loads(A), *self._loads(B), self._clear(), self._product(), *self._stores()]
        engines = dict.fromkeys(i.engine for i in found)
        meshes = " x ".join(str(m.size) for m in self.architecture.meshes) or "1"
        about = f"{meshes} multipliers, read from {self.architecture.format} ({self.architecture.file})"
        return ReadMachine(
            self.name, tuple(self.memories), (), tuple(found), about, tuple(Engine(e) for e in engines),
            architecture=self.architecture, unread=tuple(dict.fromkeys(self.unread)), notes=tuple(self.notes),
            counted=tuple(self._counted()),
        )  # fmt: skip

    def _loads(self, operand: str) -> list[Instruction]:
        way = self.placed.ways[operand]
        first = way.via or way.own
        rows, columns = (self.placed.extents[x] for x in INDEXED[operand])
        kind = self.types[operand].name
        tile = {"r": rows, "c": columns}
        found = [
            instruction(
                f"{self.name}.load_{operand}", "s[r,c] = m[r,c]", axes=tile, dtypes={"s": kind, "m": kind}, engine=LOAD,
                places={"s": f"{self.names[first.name, operand]}[r,c]", "m": "memory[r*down + c*right]"},
                active={"r": "rows", "c": "columns"}, front={"r": "above"}, beyond=ZERO,
                work=Work(way.main.latency, each_row(self.placed, operand, way.main, first), ("r",)),
            )
        ]  # fmt: skip
        if first is not way.own:
            found.append(
                instruction(
                    f"{self.name}.move_{operand}", "s[r,c] = g[r,c]", axes=tile, dtypes={"s": kind, "g": kind},
                    engine=f"from_{self.names[first.name, operand]}",
                    work=Work(first.latency, each_row(self.placed, operand, first, way.own), ("r",)),
                    places={o: f"{self.names[x.name, operand]}[r,c]" for o, x in (("s", way.own), ("g", first))},
                )
            )  # fmt: skip
        return found

    def _clear(self) -> Instruction:
        rows, columns = (self.placed.extents[x] for x in INDEXED[ACC])
        return instruction(
            f"{self.name}.clear", "acc[r,c] = 0", axes={"r": rows, "c": columns}, dtypes={"acc": self.types[ACC].name},
            engine=ARRAY, places={"acc": f"{self.names[self.placed.ways[ACC].own.name, ACC]}[r,c]"}, work=Work(1, 0),
        )  # fmt: skip

    def _product(self) -> Instruction:
        wide = self.types[ACC].name
        a, b = (f"{o}[{','.join(INDEXED[o])}]" for o in (A, B))
        a, b = (x if self.types[o].name == wide else f"{wide}({x})" for o, x in ((A, a), (B, b)))
        places = {o: f"{self.names[w.own.name, o]}[{','.join(INDEXED[o])}]" for o, w in self.placed.ways.items()}
        return instruction(
            f"{self.name}.product", f"acc[i,j] += {a} * {b}", axes=dict(self.placed.extents),
            dtypes={o: d.name for o, d in self.types.items()}, engine=ARRAY, places=places, work=Work(busy(self.placed), 0),
        )  # fmt: skip

    def _stores(self) -> list[Instruction]:
        way, kind = self.placed.ways[ACC], self.types[ACC].name
        rows, columns = (self.placed.extents[x] for x in INDEXED[ACC])
        tile, last = {"r": rows, "c": columns}, way.via or way.own
        found = []
        if last is not way.own:
            cycles = rounded(rows * each_row(self.placed, ACC, way.own, last))
            found.append(
                instruction(
                    f"{self.name}.drain", "g[r,c] = acc[r,c]", axes=tile, dtypes={"g": kind, "acc": kind}, engine=ARRAY,
                    work=Work(max(cycles, 1), 0),
                    places={o: f"{self.names[x.name, ACC]}[r,c]" for o, x in (("acc", way.own), ("g", last))},
                )
            )  # fmt: skip
        store = instruction(
            f"{self.name}.store", "m[r,c] = s[r,c]", axes=tile, dtypes={"m": kind, "s": kind}, engine=STORE,
            active={"r": "rows", "c": "columns"},
            places={"m": "memory[r*down + c*right]", "s": f"{self.names[last.name, ACC]}[r,c]"},
            work=Work(way.main.latency, each_row(self.placed, ACC, last, way.main), ("r",)),
        )  # fmt: skip
        return [*found, store]

    # ---- what is said

    def _notes(self) -> list[str]:
        p = self.placed
        found = [
            f"{m.name} ({m.size}) takes {p.axes[m.name]}"
            + ("" if not m.may or p.axes[m.name] in m.may else f", not {listed(m.may)}")
            for m in self.architecture.meshes
        ]
        extents = listed([f"{a}={n}" for a, n in p.extents.items()])
        found.append(f"one product: acc[i,j] += a[i,k] * b[k,j] with {extents}, {p.steps} steps of the array")
        return found

    def _counted(self) -> list[Counted]:
        """Of every level that an operand passes, main memory included."""
        found = []
        p = self.placed
        for o, w in p.ways.items():
            bits = self.types[o].bits
            for level in (w.main, w.via, w.own, *w.inside):
                if level is None:
                    continue
                near = level is w.own or level in w.inside
                read, written = touched(p, o, level) if near else (0, 0)
                share = 1.0 if level.access is None else bits / level.access
                energy = [None if e is None else e * share for e in (level.read_energy, level.write_energy)]
                memory = (
                    "memory"
                    if level is w.main
                    else self.names.get((level.name, o), "")
                    if level not in w.inside
                    else ""
                )
                found.append(Counted(level.name, o, memory, bits, self.placed.copies(level, o), read, written, *energy))
        return found


def _name(text: str, taken: set[str]) -> str:
    """A name of the description's language, of a name in the file."""
    plain = re.sub(r"\W", "_", text).strip("_") or "level"
    plain = f"m_{plain}" if plain[0].isdigit() else plain
    while plain in taken:
        plain += "_"
    return plain


__all__ = ["Counted", "ReadMachine", "machine_of"]
