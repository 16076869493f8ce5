"""An architecture's levels as addressed memories: their rows, and the losses against the file."""

from __future__ import annotations

import re

from isamap_smt.architectures.form import ACC, INDEXED, Level, Unread, listed
from isamap_smt.architectures.placed import Placed, Way
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.hardware import Memory

TAKEN = {"load", "store", "array", "memory", "code", "scalar", "registers", "heap", "tensor"}
DIVIDED = "divided, since cells of a memory have one type here, each part with all the bandwidth; sums=... says how"
INSIDE = "taken as a part of the array: it has no room for a tile that an instruction names"


class Memories:
    """One memory for each level in use; several if it holds several types, as a memory's cells have one.

    names: of the memory of a level and an operand. unread: changes to levels. sums: the share of sums in a shared
    level.
    """

    def __init__(self, placed: Placed, sums: float) -> None:
        self.placed, self.sums = placed, sums
        self.types = {o: dtype(name) for o, name in placed.architecture.types}
        self.unread: list[Unread] = []
        self.names: dict[tuple[str, str], str] = {}
        self.made: list[Memory] = []
        self.mains: list[Memory] = []  # main memory, where reads and writes share what it moves in a cycle
        used: dict[Level, list[str]] = {}
        for o, w in placed.ways.items():
            for level in (w.via, w.own):
                if level is not None:
                    used.setdefault(level, []).append(o)
        for main in {w.main for w in placed.ways.values() if w.main.shared is not None}:
            taken = {plain_name(x.name, TAKEN) for x in used}
            self.mains.append(Memory(plain_name(main.name, {*taken, *TAKEN}), None, bandwidth=_bytes(main, 1)))
        for level in placed.architecture.levels:
            if level in used:
                self._divide(level, used[level])
        for o, w in placed.ways.items():
            self._left(o, w)

    def _divide(self, level: Level, users: list[str]) -> None:
        """A memory for each type of inputs, and one for sums."""
        parts: dict[str, list[str]] = {}
        for o in users:
            parts.setdefault(o if o == ACC else self.types[o].name, []).append(o)
        base, inputs = plain_name(level.name, {*self.names.values(), *TAKEN}), len(parts) - (ACC in parts)
        for n, (kind, operands) in enumerate(parts.items()):
            rest = (1 - self.sums if ACC in parts else 1.0) / max(inputs, 1)
            share = 1.0 if len(parts) == 1 else self.sums if kind == ACC else rest
            name = base if n == 0 else f"{base}_sums" if kind == ACC else f"{base}_{operands[0]}"
            self.made.append(self._memory(level, operands, share, name))
        if len(parts) > 1:
            self._note(level, f"{' and '.join(map(listed, parts.values()))} in one memory", DIVIDED)

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
            raise self.placed.architecture.refused(
                level.path, f"{size} bytes for {listed(operands)}, and a tile needs {tallest} rows of {row}; give it more, "
                "or choose other extents with unroll and in_time"
            )  # fmt: skip
        if lost := size - capacity:
            self._note(level, f"{lost} of {size} bytes", f"left over where rows have {row} bytes")
        if len(set(rows.values())) > 1:
            said = listed([f"{o} {n}" for o, n in rows.items()])
            self._note(level, f"rows of {said} bytes", f"each takes a row of {row} bytes in the memory that they share")
        return Memory(name, capacity, row=row, bandwidth=_bytes(level, apart))

    def _left(self, operand: str, way: Way) -> None:
        for level in way.left:
            kept = [x.name for x in (way.via, way.own) if x]
            self._note(level, f"holds {operand}", f"passed by: {operand} stops at {listed(kept)} alone on its way")
        for level in way.inside:
            self._note(level, f"holds {operand}", INSIDE)

    def _note(self, level: Level, what: str, why: str) -> None:
        self.unread.append(Unread(level.path, what, why))


def _bytes(level: Level, instances: int) -> float | None:
    """Bytes a cycle, if reads and writes share them."""
    return None if level.shared is None else level.shared * instances / 8


def plain_name(text: str, taken: set[str]) -> str:
    """A name of the description's language, of a name in the file."""
    plain = re.sub(r"\W", "_", text).strip("_") or "level"
    plain = f"m_{plain}" if plain[0].isdigit() else plain
    while plain in taken:
        plain += "_"
    return plain
