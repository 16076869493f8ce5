"""Machines with engines that read cells named by data: a 2:4 sparse product, and a table in a scratchpad."""

from __future__ import annotations

from functools import cache

import numpy as np

import isamap_smt as im

SIDE = 8
ACTIVE = {"r": "rows", "c": "columns"}
DMA = im.Work(16, 1, ("r",))
SPARSE = "B: [H,J]\nP: u8\nassume 0 <= P <= 3\nC[i,j] += V[i,k] * B[4*(k//2) + P[i,k], j]"
TABLE = "T: [16]\nX: u8\nY[i,j] = T[X[i,j]]"


def load(name: str, dtype: str, place: str, rows: int = SIDE, columns: int = SIDE) -> im.Instruction:
    """Brings a tile of so many rows and columns, and zeros beyond."""
    return im.instruction(
        name, "s[r,c] = m[r,c]", axes={"r": rows, "c": columns}, dtypes={"s": dtype, "m": dtype},
        places={"s": place, "m": "memory[r*down + c]"}, engine="load", active=ACTIVE, beyond="zero", work=DMA,
    )  # fmt: skip


def store(text: str) -> im.Instruction:
    return im.instruction(
        "store", text, axes={"r": SIDE, "c": SIDE}, dtypes={"m": "f32", "s": "f32"},
        places={"m": "memory[r*down + c]", "s": "sums[r,c]"}, engine="store", active=ACTIVE, work=DMA,
    )  # fmt: skip


MEMORIES = (
    im.Memory("values", 4096, row=32),
    im.Memory("places", 1024, row=SIDE),
    im.Memory("dense", 8192, row=32),
    im.Memory("sums", 2048, row=32),
)
ENGINES = tuple(map(im.Engine, ("load", "execute", "store")))


def unit(
    text: str = "c[i,j] += v[i,k] * b[4*(k//2) + idx[i,k] % 4, j]", places_at: str = "places[i,k]"
) -> im.Instruction:
    """Eight stored values of sixteen in a row, two in each group of four, times sixteen rows."""
    kinds = {"c": "f32", "v": "f32", "b": "f32", "idx": "u8"}
    places = {"c": "sums[i,j]", "v": "values[i,k]", "idx": places_at, "b": "dense[h,j]"}
    return im.instruction(
        "two_of_four", f"b: [16,8]\n{text}", axes=dict.fromkeys("ijk", SIDE), dtypes=kinds, places=places,
        rounding="fused", engine="execute", work=im.Work(SIDE, 0),
    )  # fmt: skip


@cache
def machine() -> im.Hardware:
    """A scratchpad for each operand, and a unit that multiplies 2:4 sparse rows."""
    clear = im.instruction(
        "clear", "c[i,j] = 0", axes={"i": SIDE, "j": SIDE}, dtypes={"c": "f32"}, places={"c": "sums[i,j]"},
        engine="execute", work=im.Work(1, 0),
    )  # fmt: skip
    loads = (
        load("load_values", "f32", "values[r,c]"),
        load("load_places", "u8", "places[r,c]"),
        load("load_dense", "f32", "dense[r,c]", rows=16),
    )
    return im.Hardware(
        "sparse", MEMORIES, instructions=(*loads, clear, unit(), store("m[r,c] = s[r,c]")), engines=ENGINES
    )


def dense(v: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The product with all zeros written out."""
    full = np.zeros((v.shape[0], b.shape[0]), np.float32)
    for k in range(v.shape[1]):
        np.add.at(full, (np.arange(v.shape[0]), 4 * (k // 2) + p[:, k]), v[:, k])
    return full @ b


def drawn(i: int, j: int, k: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Small whole numbers, whose sums are exact, and places at random, the ends often."""
    random = np.random.default_rng(seed + 1000 * i + 100 * j + k)
    return {
        "V": random.integers(-8, 9, (i, k)).astype(np.float32),
        "B": random.integers(-8, 9, (4 * -(-k // 2), j)).astype(np.float32),
        "P": random.choice(np.array([0, 1, 2, 3, 3], np.uint8), (i, k)),
    }


@cache
def plan() -> im.Plan:
    """For all sizes."""
    return im.plan(im.kernel(SPARSE, name="sparse"), machine())


@cache
def table_machine() -> im.Hardware:
    """A unit that looks eight by eight elements up in a table of sixteen."""
    kinds = {"d": "f32", "t": "f32", "idx": "u8"}
    lookup = im.instruction(
        "lookup", "t: [16]\nd[i,j] = t[idx[i,j]]", axes={"i": SIDE, "j": SIDE}, dtypes=kinds,
        places={"d": "sums[i,j]", "t": "tables[0,h]", "idx": "places[i,j]"}, engine="execute", work=im.Work(4, 0),
    )  # fmt: skip
    table = im.instruction(
        "load_table", "s[c] = m[c]", axes={"c": 16}, dtypes={"s": "f32", "m": "f32"},
        places={"s": "tables[0,c]", "m": "memory[c]"}, engine="load", active={"c": "columns"}, beyond="zero", work=im.Work(16, 0),
    )  # fmt: skip
    memories = (*MEMORIES[1:2], im.Memory("tables", 256, row=64), *MEMORIES[3:])
    loads = (load("load_places", "u8", "places[r,c]"), table)
    return im.Hardware("tables", memories, instructions=(*loads, lookup, store("m[r,c] = s[r,c]")), engines=ENGINES)
