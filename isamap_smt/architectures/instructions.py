"""The instructions of an architecture's machine: loads, moves between levels, the array's product, starts, stores."""

from __future__ import annotations

from isamap_smt.architectures.cycles import busy, each_row, rounded
from isamap_smt.architectures.form import ACC, INDEXED, A, B
from isamap_smt.architectures.memories import Memories
from isamap_smt.ir.engines import ZERO, Work
from isamap_smt.ir.instruction import Instruction
from isamap_smt.language.instructions import instruction

LOAD, STORE, ARRAY = "load", "store", "array"
PRODUCT = "product"


def instructions_of(name: str, memories: Memories) -> tuple[Instruction, ...]:
    """All of them, with the machine's name before theirs."""
    made = _Issued(name, memories)
    return (*made.loads(A), *made.loads(B), made.clear(), made.product(), *made.stores())


class _Issued:
    def __init__(self, name: str, memories: Memories) -> None:
        self.name, self.names, self.placed, self.types = name, memories.names, memories.placed, memories.types

    def loads(self, operand: str) -> list[Instruction]:
        """From main memory, and from the memory in between."""
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

    def clear(self) -> Instruction:
        """Begins sums."""
        rows, columns = (self.placed.extents[x] for x in INDEXED[ACC])
        return instruction(
            f"{self.name}.clear", "acc[r,c] = 0", axes={"r": rows, "c": columns}, dtypes={"acc": self.types[ACC].name},
            engine=ARRAY, places={"acc": f"{self.names[self.placed.ways[ACC].own.name, ACC]}[r,c]"}, work=Work(1, 0),
        )  # fmt: skip

    def product(self) -> Instruction:
        """The array."""
        wide = self.types[ACC].name
        a, b = (f"{o}[{','.join(INDEXED[o])}]" for o in (A, B))
        a, b = (x if self.types[o].name == wide else f"{wide}({x})" for o, x in ((A, a), (B, b)))
        places = {o: f"{self.names[w.own.name, o]}[{','.join(INDEXED[o])}]" for o, w in self.placed.ways.items()}
        return instruction(
            f"{self.name}.{PRODUCT}", f"acc[i,j] += {a} * {b}", axes=dict(self.placed.extents),
            dtypes={o: d.name for o, d in self.types.items()}, engine=ARRAY, places=places, work=Work(busy(self.placed), 0),
        )  # fmt: skip

    def stores(self) -> list[Instruction]:
        """From the sums, by the memory on their way."""
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
