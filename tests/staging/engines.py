"""Machines with an outer-product unit: of other tile shapes, sizes of memories, and speeds than the one of the examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import isamap_smt as im


@dataclass(frozen=True)
class Shape:
    """i, j, k: points of the unit. accumulators: tiles of the output that there is room for; scratchpad: tiles of each input.

    each: cycles for a row that is moved (a number, by `gather`). wide: one scratchpad for both inputs, also where one has shorter
    rows; else each has its own there. further: tiles that a memory before the scratchpads has room for, 0 for none; fed: the engine
    that takes tiles on from it; past: whether tiles may also pass it by. padded: loads may put zeros in front of what they bring.
    loads: engines that bring tiles of each input, which have a scratchpad each where these are two; stores: the one that stores.
    upright: the first input lies in a scratchpad of its own, a row for each point of i and not of k. short: the unit passes as many
    points of k as there are. main: bytes a cycle of main memory; pads: of all others, which have so many banks and ports.
    """

    i: int = 8
    j: int = 8
    k: int = 8
    accumulators: int = 8
    scratchpad: int = 64
    each: float = 1.0
    start: float = 16.0
    wide: bool = False
    further: int = 0
    fed: str = "feed"
    past: bool = True
    padded: bool = False
    loads: tuple[str, str] = ("load", "load")
    stores: str = "store"
    upright: bool = False
    short: bool = False
    main: float | None = None
    pads: float | None = None
    banks: int = 0
    ports: int = 1

    @property
    def apart(self) -> bool:
        """Whether the inputs have a memory each."""
        return self.upright or (self.i != self.j and not self.wide)


@cache
def machine(shape: Shape = Shape()) -> im.Hardware:
    """The machine, with the instructions of examples/outer_product.py."""
    i, j, k = shape.i, shape.j, shape.k
    homes = (
        {"a": ("pad_a", k if shape.upright else i), "b": ("pad_b", j)}
        if shape.apart
        else {"a": ("scratchpad", i), "b": ("scratchpad", j)}
    )
    widths = {m: max(c for n, c in homes.values() if n == m) for m, _ in homes.values()}
    count = shape.scratchpad * (1 if shape.apart else 2)
    rows = {"pad_a": i} if shape.upright else {}
    memories = [im.Memory(m, 4 * c * rows.get(m, k) * count, row=4 * c) for m, c in widths.items()]
    tile = {"r": i, "c": j}
    by = dict(zip(dict.fromkeys(homes.values()), shape.loads, strict=False))
    moves = [x for (m, c), engine in by.items() for x in _loads(shape, m, c, engine)]
    if shape.further:
        row = 4 * max(i, j)
        memories.append(im.Memory("further", row * k * shape.further, row=row))
        passed = [x for (m, c), engine in by.items() for x in _further(shape, m, c, engine)]
        moves = [*(moves if shape.past else ()), *passed]
    lies = "[i,k]" if shape.upright else "[k,i]"
    rest = (
        im.instruction(
            "clear", "acc[r,c] = 0", axes=tile, dtypes={"acc": "f32"}, places={"acc": "accumulators[r,c]"},
            engine="execute", work=im.Work(1, 0),
        ),
        im.instruction(
            "outer", f"acc[i,j] += a{lies} * b[k,j]", axes={"i": i, "j": j, "k": k},
            dtypes=dict.fromkeys(("acc", "a", "b"), "f32"), rounding="fused",
            places={"acc": "accumulators[i,j]", "a": f"{homes['a'][0]}{lies}", "b": f"{homes['b'][0]}[k,j]"},
            engine="execute", work=im.Work(4, 1, ("k",)), active={"k": "passed"} if shape.short else None,
        ),
        im.instruction(
            "store", "m[r,c] = acc[r,c]", axes=tile, dtypes={"m": "f32", "acc": "f32"},
            places={"m": "memory[r*down + c]", "acc": "accumulators[r,c]"}, engine=shape.stores,
            active={"r": "rows", "c": "columns"}, work=im.Work(shape.start, shape.each, ("r",)),
        ),
    )  # fmt: skip
    accumulators = im.Memory("accumulators", 4 * i * j * shape.accumulators, row=4 * j)
    fed = (shape.fed,) if shape.further else ()
    engines = tuple(map(im.Engine, dict.fromkeys((*by.values(), *fed, "execute", shape.stores))))
    words = f"{i}x{j}x{k} outer products"
    limits = {"bandwidth": shape.pads, "banks": shape.banks, "ports": shape.ports}
    memories = [replace(m, **limits) for m in (*memories, accumulators)]
    if shape.main is not None:
        memories.append(im.Memory("DRAM", None, bandwidth=shape.main))
    return im.Hardware("engines", tuple(memories), (), (*moves, *rest), words, engines=engines)


def _further(shape: Shape, memory: str, columns: int, engine: str) -> list[im.Instruction]:
    """Into the further memory, and on from there."""
    suffix = "" if shape.i == shape.j else f"_{columns}"
    on = im.instruction(
        f"feed{suffix}_{memory}", "s[r,c] = g[r,c]", axes={"r": shape.k, "c": columns}, dtypes={"s": "f32", "g": "f32"},
        places={"s": f"{memory}[r,c]", "g": "further[r,c]"}, engine=shape.fed, work=im.Work(2, shape.each, ("r",)),
    )  # fmt: skip
    return [*_loads(shape, "further", columns, engine, f"_further_{memory}"), on]


def _loads(shape: Shape, memory: str, columns: int, engine: str, called: str = "") -> list[im.Instruction]:
    """By rows, and one number at a time; zeros beyond."""
    made = []
    rows = shape.i if shape.upright and memory == "pad_a" else shape.k
    for name, per, memory_at in (
        ("load", ("r",), "memory[r*down + c]"),
        ("gather", ("r", "c"), "memory[r*down + c*right]"),
    ):
        suffix = "" if shape.i == shape.j and not shape.upright else f"_{columns}"
        suffix += "_upright" * (shape.upright and memory == "pad_a")
        made.append(
            im.instruction(
                name + suffix + called, "s[r,c] = m[r,c]", axes={"r": rows, "c": columns}, dtypes={"s": "f32", "m": "f32"},
                places={"s": f"{memory}[r,c]", "m": memory_at}, engine=engine, active={"r": "rows", "c": "columns"},
                front={"r": "above", "c": "left"} if shape.padded else None,
                beyond="zero", work=im.Work(shape.start, shape.each, per),
            )
        )  # fmt: skip
    return made
