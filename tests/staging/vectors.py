"""A vector unit with a scratchpad, and beside it, where it is asked for, an outer-product unit with memories of its own. Statements
that are no sums of products run on the vector unit, whose instructions take tiles of the scratchpad to others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import isamap_smt as im
from isamap_smt.ir.expr import FloorDiv, FloorMod

EACH = {  # element by element, of tiles of one shape
    "add": "y[r,c] = a[r,c] + b[r,c]", "sub": "y[r,c] = a[r,c] - b[r,c]", "mul": "y[r,c] = a[r,c] * b[r,c]",
    "larger": "y[r,c] = max(a[r,c], b[r,c])", "exp": "y[r,c] = exp(a[r,c])", "divide": "y[r,c] = a[r,c] / b[r,c]",
    "rsqrt": "y[r,c] = rsqrt(a[r,c])", "sub_row": "y[r,c] = a[r,c] - m[r]", "mul_row": "y[r,c] = a[r,c] * m[r]",
    "scale": "y[r,c] = a[r,c] * x[]", "add_number": "y[r,c] = a[r,c] + x[]", "larger_number": "y[r,c] = max(a[r,c], x[])",
    "divide_number": "y[r,c] = a[r,c] / x[]", "square": "y[r,c] = a[r,c] * a[r,c]",
}  # fmt: skip
HERE = {  # the same where the result takes the place of an operand
    f"{name}_here": text.replace("a[r,c]", "y[r,c]")
    for name, text in EACH.items()
    if "m[" not in text and name != "square"
}
ROWS = {"row_sum": "m[r] += a[r,c]", "row_max": "m[r] max= a[r,c]"}
BEGIN = {"clear": "m[r] = 0", "clear_to_least": "m[r] = -inf"}
VECTORS = dict.fromkeys("yab", "vectors[r,c]") | {"m": "vectors[r,0]", "x": "code"}
FAR = "memory[r*down + c*right]"


def _made(
    name: str, text: str, engine: str, places: dict[str, str], axes: dict[str, int], **about: Any
) -> im.Instruction:
    """An instruction of f32, over those axes and operands that its text names."""
    inside = [part.partition("]")[0].split(",") for part in text.split("[")[1:]]
    names = [n for n in places if f"{n}[" in text]
    return im.instruction(
        name, text, axes={a: n for a, n in axes.items() if any(a in i for i in inside)}, dtypes=dict.fromkeys(names, "f32"),
        places={n: places[n] for n in names}, engine=engine, **about,
    )  # fmt: skip


def laid_out(hardware: im.Hardware) -> im.Hardware:
    """The same machine with tiles of several columns in fragments: elements of even columns in one row, those of odd ones in the
    next, and two rows of a tile side by side."""

    def cell(i: im.Instruction, name: str, row: Any, column: Any) -> tuple[str, Any, Any]:
        if dict(i.places)[name] != "vectors" or column == 0:
            return name, row, column
        half = i.axes[str(column)] // 2
        return name, 2 * FloorDiv(row, 2) + FloorMod(column, 2), half * FloorMod(row, 2) + FloorDiv(column, 2)

    own = (replace(i, cells=tuple(cell(i, *c) for c in i.cells)) for i in hardware.instructions)
    return replace(hardware, instructions=tuple(own))


def in_ways(hardware: im.Hardware, rows: int, columns: int) -> im.Hardware:
    """The same machine with a move for each way in which elements lie, in the place of those with two strides: a tile's rows, its
    columns, one row for all of its rows, one column for all of its columns, one element for all."""
    tile, home = {"r": rows, "c": columns}, {"v": "vectors[r,c]"}
    both: dict[str, Any] = {"active": {"r": "rows", "c": "columns"}, "work": im.Work(16, 1, ("r",))}
    loads = {
        "load_rows": ("m[r,c]", "memory[r*down + c]"), "load_turned": ("m[c,r]", "memory[c*down + r]"),
        "load_row": ("m[c]", "memory"),
        "load_side": ("m[r]", "memory[r*down]"), "load_one": ("m[]", "memory"), "load_apart": ("m[r,c]", "memory[r*down + c*3]"),
    }  # fmt: skip
    stores = {"store_rows": ("m[r,c]", "memory[r*down + c]"), "store_turned": ("m[c,r]", "memory[c*down + r]")}
    made = [
        *(_made(n, f"v[r,c] = {m}", "load", {**home, "m": at}, tile, beyond="zero", **both) for n, (m, at) in loads.items()),
        *(_made(n, f"{m} = v[r,c]", "store", {**home, "m": at}, tile, **both) for n, (m, at) in stores.items()),
    ]  # fmt: skip
    kept = tuple(i for i in hardware.instructions if i.name not in ("load", "store"))
    return replace(hardware, instructions=(*kept, *made))


@cache
def machine(
    rows: int = 4, columns: int = 8, tiles: int = 12, without: frozenset[str] = frozenset(), short: bool = False,
    product: bool = False, here: bool = False,
) -> im.Hardware:  # fmt: skip
    """rows, columns: of a tile. tiles: that the scratchpad has room for. without: instructions that it has not. short: those of the
    vector unit compute as many rows and columns as there are. product: there is an outer-product unit, too. here: there are
    instructions of the vector unit that change a tile in place."""
    tile, part = {"r": rows, "c": columns}, {"active": {"r": "rows", "c": "columns"}}
    every = part if short else {}
    found = [_made(n, text, "vector", VECTORS, tile, work=im.Work(2, 1, ("r",)), **every) for n, text in EACH.items()]
    if here:
        found += [_made(n, text, "vector", VECTORS, tile, work=im.Work(2, 1, ("r",))) for n, text in HERE.items()]
    for name, text in ROWS.items():
        most: dict[str, Any] = {"active": {"c": "columns"}} if name == "row_max" else {}
        found.append(_made(name, text, "vector", VECTORS, tile, work=im.Work(4, 1, ("r",)), **(every or most)))
    found += [_made(name, text, "vector", VECTORS, tile, work=im.Work(1, 0)) for name, text in BEGIN.items()]
    moved: dict[str, Any] = {"work": im.Work(16, 1, ("r",))}
    filled = {**moved, "beyond": "zero"}
    column = {"v": "vectors[r,0]", "m": "memory[r*down]"}
    found += [
        _made("load", "v[r,c] = m[r,c]", "load", {"v": "vectors[r,c]", "m": FAR}, tile, **filled, **part),
        _made("load_column", "v[r] = m[r]", "load", column, tile, **filled, active={"r": "rows"}),
        _made("store", "m[r,c] = v[r,c]", "store", {"v": "vectors[r,c]", "m": FAR}, tile, **moved, **part),
        _made("store_column", "m[r] = v[r]", "store", column, tile, **moved, active={"r": "rows"}),
    ]
    memories = [im.Memory("vectors", 4 * rows * columns * tiles, row=4 * columns)]
    engines = ["load", "vector", "store"]
    if product:
        side, sums = {"r": columns, "c": columns}, {"acc": "sums[r,c]"}
        cube = {**dict.fromkeys("ij", columns), "k": columns}
        factors = {"acc": "sums[i,j]", "a": "pad[k,i]", "b": "pad[k,j]"}
        found += [
            _made("load_pad", "s[r,c] = m[r,c]", "load", {"s": "pad[r,c]", "m": FAR}, side, **filled, **part),
            _made("clear_sums", "acc[r,c] = 0", "matrix", sums, side, work=im.Work(1, 0)),
            _made(
                "outer",
                "acc[i,j] += a[k,i] * b[k,j]",
                "matrix",
                factors,
                cube,
                rounding="fused",
                work=im.Work(4, 1, ("k",)),
            ),
            _made("store_sums", "m[r,c] = acc[r,c]", "store", {"m": FAR, **sums}, side, **moved, **part),
        ]
        memories += [
            im.Memory("pad", 4 * columns * columns * 8, row=4 * columns),
            im.Memory("sums", 4 * columns * columns * 4, row=4 * columns),
        ]
        engines.insert(2, "matrix")
    own = tuple(i for i in found if i.name not in without)
    return im.Hardware("vector", tuple(memories), instructions=own, engines=tuple(map(im.Engine, engines)))
