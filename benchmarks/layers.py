"""Layers of ResNet-50 and BERT-base on a machine with engines: predicted cycles, the machine's limits, CPU seconds of a plan.

python -m benchmarks.layers FILE.py:MACHINE [--set kib=32 ...] [--only NAME ...] [--stored i8|i32] [--simulate] [--json]
python -m benchmarks.layers --compare BEFORE.json AFTER.json

A function that makes a machine takes `--set`. Operands are bytes; results are requantised bytes, or 32-bit sums. Nothing
but what the last two releases have in common is imported, so that `PYTHONPATH` may name another state of the sources.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.loading import with_set
from isamap_smt.pipeline.staged import stage

CONV = im.find_kernel("conv2d").text
GEMM = "C[i,j] += A[i,k] * B[k,j]"
HEADS = "C[h,i,j] += A[h,i,k] * B[h,k,j]"
LENGTH, HIDDEN, BETWEEN, HEAD_COUNT, HEAD = 128, 768, 3072, 12, 64  # Devlin et al., BERT (2018), section 3: BERT-base

# (channels in, channels out, side of the image, side of the window, stride): the convolutions of ResNet-50, each once.
# He et al., Deep Residual Learning (2015), table 1; the stride stands in the 3x3 layer, as in version 1.5.
RESNET50 = (
    (3, 64, 224, 7, 2),
    (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1),
    (256, 128, 56, 1, 1), (128, 128, 56, 3, 2), (128, 512, 28, 1, 1), (256, 512, 56, 1, 2), (512, 128, 28, 1, 1),
    (128, 128, 28, 3, 1),
    (512, 256, 28, 1, 1), (256, 256, 28, 3, 2), (256, 1024, 14, 1, 1), (512, 1024, 28, 1, 2), (1024, 256, 14, 1, 1),
    (256, 256, 14, 3, 1),
    (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2), (512, 2048, 7, 1, 1), (1024, 2048, 14, 1, 2), (2048, 512, 7, 1, 1),
    (512, 512, 7, 3, 1),
)  # fmt: skip

# name, statement, points of its axes: the products of one layer of BERT-base
BERT = (
    ("query", GEMM, {"i": LENGTH, "j": HIDDEN, "k": HIDDEN}),
    ("scores", HEADS, {"h": HEAD_COUNT, "i": LENGTH, "j": LENGTH, "k": HEAD}),
    ("context", HEADS, {"h": HEAD_COUNT, "i": LENGTH, "j": HEAD, "k": LENGTH}),
    ("widen", GEMM, {"i": LENGTH, "j": BETWEEN, "k": HIDDEN}),
    ("narrow", GEMM, {"i": LENGTH, "j": HIDDEN, "k": BETWEEN}),
)


@dataclass(frozen=True)
class Layer:
    """inputs, output: names of the tensors, the weights second. shape: of the output. sizes: of the kernel."""

    name: str
    text: str
    inputs: tuple[str, str]
    output: str
    index: str
    sizes: dict[str, int]

    def kernel(self, stored: str) -> im.Kernel:
        """The layer with the type of its results."""
        kinds = dict.fromkeys(self.inputs, "i8")
        if stored == "i32":
            return im.kernel(self.text, name=self.name, dtypes={**kinds, self.output: "i32"})
        scaled = f"Y[{self.index}] = round_i8(f32({self.output}[{self.index}]) * s[])"
        kinds |= {self.output: "i32", "Y": "i8", "s": "f32"}
        return im.kernel(f"temporary {self.output}\n{self.text}\n{scaled}", name=self.name, dtypes=kinds)


def layers() -> Iterator[Layer]:
    """All, those of ResNet-50 first."""
    for channels, out, image, window, stride in RESNET50:
        p, border = (image - 1) // stride + 1, window // 2
        sizes = {"n": 1, "p": p, "q": p, "k": out, "c": channels, "r": window, "s": window}
        sizes |= {"sp": stride, "sq": stride, "dp": 1, "dq": 1, "pp": border, "pq": border}
        name = f"conv {window}x{window}/{stride} {channels}-{out} {image}"
        yield Layer(name, CONV, ("I", "W"), "O", "n,p,q,k", sizes)
    for name, text, sizes in BERT:
        index = "h,i,j" if "h" in sizes else "i,j"
        yield Layer(name, text, ("A", "B"), "C", index, sizes)


@dataclass(frozen=True)
class Figures:
    """Of a layer's plan. cycles: predicted. roofline: a lower bound that no mapping and no order of uses gets below; fill:
    the part of it that is the first moves and the last. bound, gap: the planner's own, over its space. share: of the
    array's products that are the layer's. seconds: of CPU, for the plan with its proof. simulated: None if it was not run."""

    layer: str
    cycles: float
    roofline: float
    fill: float
    limit: str
    bound: float
    gap: float
    share: float
    seconds: float
    mapping: str
    simulated: float | None = None


def measured(layer: Layer, machine: im.Hardware, stored: str, simulated: bool) -> Figures:
    """Plan a layer, and run it if asked. Raises AssertionError for a wrong run."""
    kernel = layer.kernel(stored)
    began = time.process_time()
    plan = stage(kernel, machine, sizes=layer.sizes)
    seconds = time.process_time() - began
    phases = plan.phases or (plan.schedule,)
    cycles, bound = (
        sum(float(f) for f in found) for found in zip(*((s.objective, s.bound or 0) for s in phases), strict=True)
    )
    limit, roofline, fill = _roofline(layer, kernel, machine)
    products = _products(layer)
    return Figures(
        layer.name, cycles, roofline, fill, limit, bound, 1 - bound / cycles,
        products / _rate(machine) / cycles, seconds, " ".join(s.proved.mapping.id for s in phases),
        _simulated(plan, layer, stored) if simulated else None,
    )  # fmt: skip


def _products(layer: Layer) -> int:
    sizes = layer.sizes
    return math.prod(sizes[a] for a in ("n", "p", "q", "k", "c", "r", "s", "h", "i", "j") if a in sizes)


def _unit(machine: im.Hardware) -> im.Instruction:
    """The instruction of most products a cycle."""
    products = [i for i in machine.computes if len(i.kernel.statements[0].inputs) == 2]
    return max(products, key=_speed)


def _speed(i: im.Instruction) -> float:
    assert i.work is not None
    return math.prod(i.axes.values()) / (float(i.work.each) * math.prod(i.axes[a] for a in i.work.per))


def _rate(machine: im.Hardware) -> float:
    """Products a cycle."""
    return _speed(_unit(machine))


def _roofline(layer: Layer, kernel: im.Kernel, machine: im.Hardware) -> tuple[str, float, float]:
    """What limits the layer, the cycles, and of these the fill: a first tile of each input, and the last of the output.

    Each element passes its link once at its bandwidth; starts of uses count in the fill alone.
    """
    known, unit = kernel.with_sizes(layer.sizes), _unit(machine)
    contract = unit.kernel.statements[0]
    busy = {unit.engine: _products(layer) / _rate(machine)}
    first: dict[str, float] = {}
    for tensor, operand in zip(layer.inputs, contract.inputs, strict=True):
        link = _link_to(machine, unit.operand(operand.tensor).memory)
        busy[link.engine] = busy.get(link.engine, 0) + link.each * _elements(known, tensor, layer)
        first[link.engine] = first.get(link.engine, 0) + link.tile
    out = "Y" if any(t.name == "Y" for t in known.tensors) else layer.output
    memory = unit.operand(contract.target.tensor).memory
    stores = [
        _Link.of(i)
        for i in _moves(machine, MAIN, memory)
        if i.kernel.tensor(_target(i)).dtype == known.tensor(out).dtype
    ]
    link = min(stores, key=lambda x: x.each)
    busy[link.engine] = busy.get(link.engine, 0) + link.each * _elements(known, out, layer)
    ends = {e: max(first.values()) * (e in (unit.engine, link.engine)) + link.tile * (e != link.engine) for e in busy}
    limit = max(busy, key=lambda e: busy[e] + ends[e])
    return limit, busy[limit] + ends[limit], ends[limit]


MAIN = "memory"


@dataclass(frozen=True)
class _Link:
    """each: cycles for an element. tile: for a whole tile, from main memory on."""

    engine: str
    each: float
    tile: float

    @staticmethod
    def of(i: im.Instruction) -> _Link:
        assert i.work is not None
        points = math.prod(i.axes[a] for a in i.work.per)
        return _Link(i.engine, float(i.work.each) * points / math.prod(i.axes.values()), float(i.work.cycles(points)))


def _target(i: im.Instruction) -> str:
    return i.kernel.statements[0].target.tensor


def _moves(machine: im.Hardware, to: str, source: str) -> list[im.Instruction]:
    """The instructions that write a memory and read another one."""
    places = [(i, dict(i.places)) for i in machine.instructions if i.kind != "compute" and i.work is not None]
    return [
        i
        for i, of in places
        if of[_target(i)] == to and any(of[a.tensor] == source for a in i.kernel.statements[0].inputs)
    ]


def _link_to(machine: im.Hardware, memory: str) -> _Link:
    """The quickest from main memory, if need be through a further memory: then the tile passes both moves."""
    links = [_Link.of(i) for i in _moves(machine, memory, MAIN)]
    for m in machine.memories:
        for load in _moves(machine, m.name, MAIN):
            for on in _moves(machine, memory, m.name):
                link = _Link.of(load)
                links.append(_Link(link.engine, link.each, link.tile + _Link.of(on).tile))
    return min(links, key=lambda x: (x.each, x.tile))


def _elements(kernel: im.Kernel, tensor: str, layer: Layer) -> int:
    """Elements that have to pass: of an image whose stride leaves pixels out, those that are read."""
    of = layer.sizes
    if tensor == "I" and of["r"] < of["sp"]:
        return of["n"] * of["p"] * of["q"] * of["c"]
    return math.prod(int(e) for e in kernel.tensor(tensor).shape)


def _simulated(plan: Any, layer: Layer, stored: str) -> float:
    """The cycles of a run on seeded elements, compared with NumPy."""
    from isamap_smt.simulator import simulate

    kernel = layer.kernel("i32").with_sizes(layer.sizes)
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        n: rng.integers(-4, 5, [int(e) for e in kernel.tensor(n).shape]).astype(np.int8) for n in layer.inputs
    }
    sums = _sums(layer, *(arrays[n].astype(np.float64) for n in layer.inputs))
    expected, name = sums, layer.output
    if stored != "i32":
        scale = np.float32(1 / 64)
        arrays["s"], name = np.full((), scale), "Y"
        expected = np.clip(np.rint(sums.astype(np.float32) * scale), -128, 127)
    seen = simulate(plan.program, arrays)
    assert seen.sound and np.array_equal(seen.outputs[name], expected), layer.name
    assert seen.cycles is not None
    return float(seen.cycles)


def _sums(layer: Layer, left: Any, right: Any) -> Any:
    """By NumPy; sums of small integers are exact in float64."""
    if layer.text is not CONV:
        return left @ right
    of = layer.sizes
    pad = [(0, 0), (of["pp"], of["pp"]), (of["pq"], of["pq"]), (0, 0)]
    left, out = np.pad(left, pad), 0
    for r in range(of["r"]):
        for s in range(of["s"]):
            rows = slice(r, r + of["sp"] * (of["p"] - 1) + 1, of["sp"])
            columns = slice(s, s + of["sq"] * (of["q"] - 1) + 1, of["sq"])
            out = out + left[:, rows, columns] @ right[r, s]
    return out


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def table(figures: Sequence[Figures]) -> str:
    """As Markdown."""
    lines = [
        "| layer | cycles | roofline | by | over it | fill | gap | share of products | mapping | CPU s |",
        "|---|--:|--:|---|--:|--:|--:|--:|---|--:|",
    ]
    for f in figures:
        lines.append(
            f"| {f.layer} | {f.cycles:,.0f} | {f.roofline:,.0f} | {f.limit} | {f.cycles / f.roofline:.2f} | {f.fill:,.0f} "
            f"| {f.gap:.1%} | {f.share:.0%} | `{f.mapping}` | {f.seconds:.1f} |"
        )
    taken = sorted(f.seconds for f in figures)
    over = _mean([f.cycles / f.roofline for f in figures])
    told = f"{over:.3f} times the roofline in the geometric mean; "
    told += f"CPU seconds: median {taken[len(taken) // 2]:.1f}, worst {taken[-1]:.1f}"
    return "\n".join([*lines, "", told])


def compared(before: Sequence[Figures], after: Sequence[Figures]) -> str:
    """Two states, layer by layer, and what is the best that could be."""
    then = {f.layer: f for f in before}
    lines = ["| layer | before | after | ratio | roofline / before |", "|---|--:|--:|--:|--:|"]
    both = [(then[f.layer], f) for f in after if f.layer in then]
    for b, a in both:
        lines.append(
            f"| {a.layer} | {b.cycles:,.0f} | {a.cycles:,.0f} | {a.cycles / b.cycles:.3f} | {a.roofline / b.cycles:.3f} |"
        )
    now, best = (
        _mean([x / b.cycles for b, x in v])
        for v in ([(b, a.cycles) for b, a in both], [(b, a.roofline) for b, a in both])
    )
    return "\n".join(
        [*lines, "", f"geometric means over {len(both)} layers: after / before {now:.3f}, roofline / before {best:.3f}"]
    )


def _read(path: Path) -> list[Figures]:
    return [Figures(**f) for f in json.loads(path.read_text())]


def main() -> None:
    """Measure or compare, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layers", description=__doc__)
    parser.add_argument("machine", nargs="?")
    parser.add_argument("--set", nargs="+", default=(), help="arguments of the machine's function")
    parser.add_argument("--only", nargs="+", default=("",), help="parts of names of layers")
    parser.add_argument("--stored", choices=("i8", "i32"), default="i8")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--compare", nargs=2, type=Path)
    asked = parser.parse_args()
    if asked.compare:
        print(compared(*map(_read, asked.compare)))
        return
    if not asked.machine:
        parser.error("name a machine, such as machine.py:MACHINE")
    machine = find_hardware(with_set(asked.machine, list(asked.set)))
    chosen = [x for x in layers() if any(part in x.name for part in asked.only)]
    figures = [measured(x, machine, asked.stored, asked.simulate) for x in chosen]
    print(json.dumps([asdict(f) for f in figures], indent=1) if asked.json else table(figures))


if __name__ == "__main__":
    main()
