"""ZigZag's accelerators: memories from the array outwards, an operational array, and the dimensions each memory serves.

Keys of zigzag-dse 2 (multipliers, r_bw and w_bw) and 3 (operational_array, ports with bandwidths). Sizes are bits,
bandwidths bits a cycle, costs picojoules an access of a bandwidth's bits, all of one instance. There is an instance for
each place along dimensions not served by the memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isamap_smt.architectures.document import Map, read
from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import (
    ACC,
    OPERANDS,
    A,
    Architecture,
    B,
    Level,
    Mesh,
    Unread,
    integer_type,
    listed,
    refused,
)
from isamap_smt.architectures.settings import Settings, settle
from isamap_smt.architectures.types import typed

NAMES = {"I1": A, "I2": B, "O": ACC}
LAYER = {
    **dict.fromkeys(("K",), "j"), **dict.fromkeys(("C", "FX", "FY"), "k"), **dict.fromkeys(("OX", "OY", "B", "G"), "i"),
}  # fmt: skip
PORT = {"fh", "tl", "fl", "th", "name", "type", "bandwidth_min", "bandwidth_max", "allocation"}
ARRAYS = ("operational_array", "multipliers")


def is_zigzag(data: Mapping[str, Any]) -> bool:
    """Whether these keys are those of an accelerator of ZigZag."""
    return "memories" in data and any(a in data for a in ARRAYS)


def zigzag_architecture(
    source: str | Path, dtypes: Mapping[str, str] | None, values: Mapping[str, int]
) -> Architecture:
    """The architecture in the file. Raises ArchitectureError."""
    file, data = read(source)
    if not is_zigzag(data):
        raise refused(file, "", f"keys {listed([*data])}: an accelerator of ZigZag has memories and operational_array")
    unread: list[Unread] = []
    settle(file, _adjustable(data), values)
    whole = Fields(file, "", data, unread)
    name = str(whole.take("name") or Path(file).stem)
    array = whole.required(next(a for a in ARRAYS if a in whole))
    meshes, energy, bits = _array(array)
    hints = _dataflows(whole, meshes)
    memories = whole.required("memories")
    levels = [_level(memories.required(n), n, [m.name for m in meshes]) for n in list(memories.data)]
    if not levels:
        raise memories.refused("", "no memory is described; the last one listed is main memory")
    main = levels[-1]
    if missing := [n for n, o in NAMES.items() if o not in main.holds]:
        raise refused(file, f"{main.path}.operands", f"{main.name} is the outermost memory and holds no {listed(missing)}; add "
                      "what is missing, since all tensors lie in main memory")  # fmt: skip
    unread.append(Unread(f"{main.path}.size", f"{main.bits} bits", "main memory has no limit here"))
    outside_in = [_main(main), *reversed(levels[:-1])]
    whole.close()
    known = {A: integer_type(bits[0]), B: integer_type(bits[1]), ACC: "i32"}
    types = typed(known, dtypes, file)
    if ACC not in (dtypes or {}):
        unread.append(
            Unread(
                "",
                "bits of sums",
                f"an accelerator of ZigZag does not say them; {types[ACC]} here, dtypes=... says others",
            )
        )
    meshes = _served(meshes, levels, hints)
    return Architecture(name, file, "ZigZag", tuple(outside_in), meshes, tuple(types.items()), energy, tuple(unread))


def _main(level: Level) -> Level:
    return Level(**{**level.__dict__, "bits": None, "over": ()})


def _adjustable(data: Map) -> Settings:
    """name -> (mapping, key) of the numbers a call may set: D1, and MEMORY_KEY."""
    found: Settings = {}
    for array in (data.get(a) for a in ARRAYS):
        if isinstance(array, dict) and isinstance(array.get("sizes"), list):
            names = array.get("dimensions")
            for n, d in enumerate(names if isinstance(names, list) else []):
                if n < len(array["sizes"]):
                    found[str(d)] = (array["sizes"], n)
    memories = data.get("memories")
    for name, memory in memories.items() if isinstance(memories, dict) else ():
        for key in ("size", "r_bw", "w_bw", "latency"):
            if isinstance(memory, dict) and key in memory:
                found[re.sub(r"\W", "_", f"{name}_{key}")] = (memory, key)
    return found


def _array(array: Fields) -> tuple[tuple[Mesh, ...], float | None, tuple[int, int]]:
    """Dimensions, picojoules a product, bits of inputs and weights."""
    if array.take("is_imc") is True or array.take("imc_type") is not None:
        raise array.refused("is_imc", "an array in memory, whose converters and serial bits are no part of a machine here; "
                            "describe a digital array of the same sizes")  # fmt: skip
    names, sizes = array.words("dimensions") or [], array.take("sizes")
    if not isinstance(sizes, list) or len(sizes) != len(names) or not all(type(s) is int and s >= 1 for s in sizes):
        raise array.refused(
            "sizes", f"{sizes} are no sizes of {listed(names) or 'no dimensions'}; give each a whole number"
        )
    energy = array.number("unit_energy", "multiplier_energy")
    precision = array.take("input_precision")
    bits = (8, 8)
    if isinstance(precision, list) and len(precision) == 2 and all(type(p) is int and 1 <= p <= 64 for p in precision):
        bits = (precision[0], precision[1])
        for n, p in zip(("inputs", "weights"), bits, strict=True):
            if integer_type(p) != f"i{p}":
                array.note(
                    "input_precision", f"{n} of {p} bits", f"elements of {integer_type(p)} here, the next that there is"
                )
    elif precision is not None:
        raise array.refused("input_precision", f"{precision}: write the bits of inputs and of weights, such as [8, 8]")
    else:
        array.note("", "input_precision is not said", "inputs and weights of 8 bits here; dtypes=... says others")
    for key in ("adc_resolution", "bit_serial_precision"):
        if array.data.get(key) in (0, None):
            array.take(key)
    array.close()
    meshes = tuple(Mesh(str(n), s, path=array.at("dimensions")) for n, s in zip(names, sizes, strict=True) if s > 1)
    return meshes, energy, bits


def _dataflows(whole: Fields, meshes: tuple[Mesh, ...]) -> dict[str, tuple[str, ...]]:
    """Dimension -> the axes of its loops."""
    flows = whole.inside("dataflows")
    found: dict[str, tuple[str, ...]] = {}
    if flows is None:
        return found
    for d in list(flows.data):
        loops = flows.take(d)
        layer = [str(x).split(",")[0].strip() for x in (loops if isinstance(loops, list) else [loops])]
        axes = tuple(dict.fromkeys(LAYER[x] for x in layer if x in LAYER))
        if d not in [m.name for m in meshes] or not axes:
            flows.note(d, listed(layer), "no loop of a product that a dimension of the array takes")
            continue
        if len(layer) > 1:
            flows.note(d, listed(layer), f"one axis for each dimension here, of {listed(axes)}")
        found[d] = axes
    return found


def _level(m: Fields, name: str, dimensions: list[str]) -> Level:
    operands = m.words("operands") or []
    unknown = [o for o in operands if o not in NAMES]
    if unknown or not operands:
        raise m.refused("operands", f"{listed(unknown) or 'none'}: write those that it holds of {listed(list(NAMES))}")
    served = m.words("served_dimensions") or []
    if wrong := [d for d in served if d not in dimensions and not re.fullmatch(r"D\d", d)]:
        raise m.refused("served_dimensions", f"{listed(wrong)}: the array has {listed(dimensions)}")
    size = m.whole("size")
    if size is None:
        raise m.refused("", f"{name} has no size; give it one, in bits")
    read_bw, write_bw, shared = _ports(m)
    costs = [m.number("r_cost"), m.number("w_cost")]
    if m.take("auto_cost_extraction") is True:
        m.note(
            "auto_cost_extraction",
            "true",
            "CACTI is not run here; energies are those of r_cost and w_cost, where these are said",
        )
    if m.take("double_buffering_support") is not None:
        m.note("double_buffering_support", "", "how many tiles lie in a memory is the schedule's choice here")
    latency = m.number("latency") or 0.0
    m.close()
    if read_bw != write_bw and None not in (read_bw, write_bw) and costs[1] is not None:
        costs[1] *= (read_bw or 1) / (write_bw or 1)  # of so many bits as a read has
    return Level(
        name, m.path, tuple(o for o in OPERANDS if o in [NAMES[x] for x in operands]), size,
        tuple(d for d in dimensions if d not in served), read_bw, write_bw, costs[0], costs[1],
        None if read_bw is None else int(read_bw), None, latency, shared,
    )  # fmt: skip


def _ports(m: Fields) -> tuple[float | None, float | None, float | None]:
    """Bits read a cycle, bits written a cycle, and those of both together."""
    read, write = m.rate("r_bw"), m.rate("w_bw")
    if 0 in (read, write):
        raise m.refused("r_bw" if read == 0 else "w_bw", "nothing is ever moved; write bits a cycle")
    ports = m.take("ports")
    counts = [m.take(k) for k in ("r_port", "w_port", "rw_port")]
    found: dict[str, list[float]] = {"read": [], "write": []}
    both = bool(counts[2]) and not (counts[0] and counts[1])
    apart = bool(counts[0] or counts[1])
    for port in ports if isinstance(ports, list) else ():
        if others := [str(k) for k in port if k not in PORT] if isinstance(port, dict) else [str(port)]:
            m.note("ports", listed(others), "not known, and without effect here")
        kind, width = (port.get("type"), port.get("bandwidth_max")) if isinstance(port, dict) else (None, None)
        if kind in ("read", "write", "read_write") and isinstance(width, int) and width >= 1:
            for way in ("read", "write"):
                if way in kind:
                    found[way].append(width)
            both, apart = both or kind == "read_write", apart or kind != "read_write"
            if port.get("bandwidth_min") not in (None, width):
                m.note(
                    "ports", f"bandwidth_min of {port.get('name')}", "a port gives its bandwidth_max here, and no less"
                )
    if both and apart:
        m.note(
            "ports",
            "a port for reads and writes",
            "each direction has the whole bandwidth here, as others have ports too",
        )
    read = read if read is not None else max(found["read"], default=None)
    write = write if write is not None else max(found["write"], default=None)
    if read is None or write is None:
        m.note(
            "ports",
            "no bandwidth of " + listed([w for w, x in (("reads", read), ("writes", write)) if x is None]),
            "no limit here",
        )
    widest = max((x for x in (read, write) if x is not None), default=None)
    return read, write, widest if both and not apart else None


def _served(meshes: tuple[Mesh, ...], levels: list[Level], hints: dict[str, tuple[str, ...]]) -> tuple[Mesh, ...]:
    """The meshes with the axes they may take, as dataflows say.

    Without a dataflow: if an operand's innermost memory serves some dimensions alone, they take the axis it lacks, sums
    first.
    """
    may, every = dict(hints), {m.name for m in meshes}
    for operand, axis in ((ACC, "k"), (A, "j"), (B, "i")):
        inner = next((x for x in levels if operand in x.holds), None)
        served = every - set(inner.over) if inner else set()
        if served and served != every:
            for d in sorted(served):
                may.setdefault(d, (axis,))
    return tuple(Mesh(m.name, m.size, may.get(m.name, ()), m.path) for m in meshes)
