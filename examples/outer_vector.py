"""The outer-product unit with a vector unit of ten instructions beside it: one core, whose instructions have no C.

isamap run examples/norms.py:LAYER_NORM examples/outer_vector.py:MACHINE --sizes i=13,n=37
"""

import isamap_smt as im

SIDE = 8  # numbers of a vector; a tile of sums is 8 x 8
LANES, TILE = {"l": SIDE}, {"i": SIDE, "j": SIDE}


def one(name: str, text: str, places: dict[str, str], axes: dict[str, int], **more: object) -> im.Instruction:
    """An instruction on f32 alone."""
    dtypes = dict.fromkeys(places, "f32")
    return im.instruction(f"outer_vector.{name}", text, axes=axes, dtypes=dtypes, places=places, **more)  # type: ignore[arg-type]


def lanes(name: str, value: str, per_cycle: float = 1.0) -> im.Instruction:
    """c[l] = value, of each lane by itself."""
    operands = [o for o in "cabxy" if f"{o}[l]" in f"c[l] = {value}"]
    return one(name, f"c[l] = {value}", dict.fromkeys(operands, "vectors"), LANES, per_cycle=per_cycle, latency=4.0)


VECTOR = (
    lanes("add", "a[l] + b[l]"),
    lanes("sub", "a[l] - b[l]"),
    lanes("mul", "a[l] * b[l]"),
    lanes("div", "a[l] / b[l]", 0.125),
    lanes("max", "max(a[l], b[l])"),
    lanes("less", "select(a[l] < b[l], x[l], y[l])"),
    lanes("sqrt", "sqrt(a[l])", 0.125),
    lanes("exp", "exp(a[l])", 0.25),
    lanes("log", "log(a[l])", 0.25),
    lanes("erf", "erf(a[l])", 0.25),
)

OUTER = one(
    "outer",
    "acc[i,j] += a[i] * b[j]",
    {"acc": "tiles", "a": "vectors", "b": "vectors"},
    TILE,
    rounding="fused",
    latency=4.0,
)


def vectors(name: str, at: str) -> tuple[im.Instruction, ...]:
    """Loads and stores of 8 numbers that lie so, and of the first of them; a load makes the others 0."""
    load = {"r": "vectors", "m": at}, LANES
    some = {"active": {"l": "count"}}
    return (
        one(f"load{name}", "r[l] = m[l]", *load, latency=4.0),
        one(f"load{name}_some", "r[l] = m[l]", *load, latency=4.0, beyond="zero", **some),
        one(f"store{name}", "m[l] = r[l]", *load, latency=4.0),
        one(f"store{name}_some", "m[l] = r[l]", *load, latency=4.0, **some),
    )


MOVES = (
    *vectors("", "memory[l]"),
    *vectors("_far", "memory[l*step]"),
    one("fill", "r[l] = m[]", {"r": "vectors", "m": "memory"}, LANES, latency=4.0),
    one("zero", "r[l] = 0", {"r": "vectors"}, LANES),
    one("load_tile", "r[i,j] = m[i,j]", {"r": "tiles", "m": "memory[i*down + j]"}, TILE, latency=12.0),
    one("store_tile", "m[i,j] = r[i,j]", {"r": "tiles", "m": "memory[i*down + j]"}, TILE, latency=12.0),
    one("zero_tile", "r[i,j] = 0", {"r": "tiles"}, TILE),
)

MACHINE = im.Hardware(
    "outer_vector",
    memories=(
        im.Memory("vectors", 32 * 4 * SIDE, count=32),
        im.Memory("tiles", 8 * 4 * SIDE * SIDE, count=8),
        im.Memory("scratchpad", 64 << 10),  # keeps what was used last
        im.Memory("DRAM", None, shared=True),
    ),
    links=(
        *(im.Link(*ends, 32.0) for r in ("vectors", "tiles") for ends in (("scratchpad", r), (r, "scratchpad"))),
        im.Link("DRAM", "scratchpad", 8.0),
        im.Link("scratchpad", "DRAM", 8.0),
    ),
    instructions=(OUTER, *VECTOR, *MOVES),
    description="an 8x8 f32 outer-product unit, and a vector unit of ten instructions",
)
