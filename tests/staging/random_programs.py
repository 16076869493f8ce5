"""Legal plans of kernels on machines with engines, drawn at random, with the programs of uses they are lowered to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from engines import Shape, machine
from judged import runs_wrong

import isamap_smt as im
from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import REGIONS, Numbers, StagingDecision, StagingProblem, choices, forms, legal
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.program import Program
from isamap_smt.mapping.axes import AxesError
from isamap_smt.scheduling.staged import decoded, scheduled
from isamap_smt.scheduling.staged_problem import question
from isamap_smt.simulator import simulate

SHAPES = (
    Shape(), Shape(accumulators=1), Shape(accumulators=2, padded=True), Shape(scratchpad=3), Shape(4, 8, 2, padded=True),
    Shape(4, 8, 2, 2, 8), Shape(4, 8, 2, wide=True), Shape(scratchpad=2, further=20, padded=True),
    Shape(scratchpad=3, further=8, past=False), Shape(4, 8, 2, 2, 4, further=30, fed="load"),
)  # fmt: skip
SHARED = (
    Shape(4, 8, 2, 3, 6, loads=("load", "load_b")), Shape(4, 8, 2, 3, 6, stores="load"), Shape(stores="load", scratchpad=4),
    Shape(4, 8, 2, stores="execute"), Shape(4, 8, 2, 2, 4, further=12, loads=("load", "load_b"), fed="load_b"),
    Shape(8, 4, 4, 2, 5, each=0.5, start=40.5, loads=("load", "load_b"), stores="load_b", padded=True),
    Shape(4, 8, 2, 2, 4, further=12, fed="execute", stores="load"), Shape(8, 8, 4, 2, 3, further=9, loads=("load", "load")),
    Shape(4, 8, 2, 2, 3, further=9, fed="execute", loads=("execute", "load"), padded=True),
    Shape(short=True), Shape(4, 8, 4, 2, 8, short=True, padded=True), Shape(8, 4, 8, 3, 5, further=9, short=True),
    Shape(accumulators=1, scratchpad=2, each=0.1), Shape(8, 4, 2, loads=("load", "execute"), stores="execute", wide=False),
)  # fmt: skip
CONTENDED = (
    Shape(main=8), Shape(main=16, loads=("load", "load_b"), i=4, k=2), Shape(4, 8, 2, 3, 6, loads=("load", "load_b"), main=12.8),
    Shape(stores="load", scratchpad=4, main=16), Shape(accumulators=1, scratchpad=2, banks=1, pads=32, main=24),
    Shape(4, 8, 2, stores="execute", banks=2, main=16), Shape(scratchpad=3, further=8, past=False, main=16, banks=2, ports=2),
    Shape(4, 8, 2, 2, 4, further=12, loads=("load", "load_b"), fed="load_b", pads=16, main=4), Shape(short=True, banks=1, main=8),
    Shape(4, 8, 2, 2, 4, further=12, fed="execute", stores="load", pads=48), Shape(padded=True, pads=20, main=100),
    Shape(8, 4, 8, 3, 5, further=9, short=True, main=8, banks=1, ports=2), Shape(4, 8, 2, wide=True, banks=1, main=32),
    Shape(8, 4, 4, 2, 5, each=0.5, start=40.5, loads=("load", "load_b"), stores="load_b", padded=True, main=10, pads=64),
    Shape(4, 8, 2, 3, 6, each=0.25, start=0, loads=("load", "load_b"), main=2),
    Shape(8, 4, 4, 2, 5, start=1, loads=("load", "load_b"), stores="load_b", main=3, pads=8, banks=1),
    Shape(4, 8, 2, 2, 4, further=12, loads=("load", "load_b"), fed="load_b", main=4, pads=16, banks=1),
    Shape(8, 8, 4, 2, 3, start=0, further=9, main=6, banks=1),
)  # fmt: skip
IN_RUNS = (
    Shape(8, 4, 4, upright=True, padded=True), Shape(8, 8, 8, upright=True, padded=True, accumulators=6, scratchpad=12),
    Shape(12, 4, 4, 3, 8, upright=True, padded=True), Shape(16, 4, 2, upright=True), Shape(4, 8, 8, padded=True),
    Shape(8, 4, 4, 4, 8, upright=True, padded=True, loads=("load", "load_b")), Shape(8, 4, 4, upright=True, stores="load"),
)  # fmt: skip
CONV = ("i=q,j=k,k=c", "i=p,j=k,k=c", "i=n,j=k,k=c", "i=n,j=k,k=r", "i=q,j=k,k=s")
RUNS = (
    "i=p%2.q,j=k,k=c", "i=p.q,j=k,k=c", "i=p%3.q,j=k,k=c", "i=q,j=k,k=s.c", "i=p%2.q%4,j=k,k=c", "i=n.p.q,j=k,k=c",
    "i=n.q,j=k,k=r.s", "i=q,j=k,k=r.s.c", "i=p%2.q,j=k,k=s.c", "i=n.p%2.q%2,j=k,k=c",
)  # fmt: skip
MAPPED = {
    "gemm": ("i=i,j=j,k=k",),
    "gemm_tn": ("i=i,j=j,k=k",),
    "gemm_nt": ("i=i,j=j,k=k",),
    "batched_gemm": ("i=i,j=j,k=k",),
    "matvec": ("i=i,j=-,k=k", "i=i,j=-,k=-", "i=-,j=-,k=k"),
    "pointwise_conv2d": ("i=q,j=k,k=c", "i=n,j=k,k=c"),
    "conv2d": CONV,
}
FUSED = {"conv2d": (*RUNS, "i=n%2.p.q,j=k,k=c"), "pointwise_conv2d": ("i=p.q,j=k,k=c", "i=n.p.q,j=k,k=c")}  # fmt: skip
TRIES = 200
OPEN = {
    "gemm": "ijk",
    "gemm_tn": "ijk",
    "gemm_nt": "ijk",
    "batched_gemm": "bijk",
    "matvec": "ik",
    "pointwise_conv2d": "npqkc",
    "conv2d": "nkc",
}


@dataclass(frozen=True)
class Drawn:
    """words: which. sizes: of all axes and parameters, which open ones the program may take others of. cycles: predicted."""

    words: str
    kernel: str
    open: tuple[str, ...]
    sizes: dict[str, int]
    shape: Shape
    program: Program
    cycles: float


def random_sizes(kernel: str, rng: random.Random, most: int = 20, runs: bool = False) -> dict[str, int]:
    """Of all axes; of conv2d also its window, strides and padding, some of them 0. runs: images of small rows."""
    small = {"b": 3, "n": 3, "p": 4, "q": 11, "r": 3, "s": 3} | ({"p": 7, "q": 5, "c": 5} if runs else {})
    axes = [a.name for a in im.find_kernel(kernel).axes]
    sizes = {a: rng.randint(2, min(most, small.get(a, most))) for a in axes}
    if kernel == "conv2d":
        sizes |= {n: rng.choice([1, 1, 2]) for n in ("sp", "sq", "dp", "dq")}
        sizes |= {n: rng.choice([0, 0, 1]) for n in ("pp", "pq")}
        sizes["p"], sizes["q"] = (max(sizes[x], 3) for x in "pq")  # so that the input has a row
    return sizes


def draw(
    seed: int, kernel: str | None = None, shapes: Sequence[Shape] = SHAPES, mapped: dict[str, tuple[str, ...]] = MAPPED
) -> Drawn:
    """A plan of a mapping that programs of uses can be made of."""
    rng = random.Random(seed)
    for _ in range(TRIES):
        name = kernel or rng.choice(
            [n for n, found in mapped.items() for _ in found] if mapped is FUSED else list(mapped)
        )
        sizes, shape = random_sizes(name, rng, runs=mapped is FUSED), rng.choice(shapes)
        left_open = tuple(a for a in OPEN[name] if rng.random() < 0.5) if rng.random() < 0.5 else ()
        try:
            return _drawn(rng, name, rng.choice(mapped[name]), sizes, left_open, shape)
        except (ScheduleError, AxesError):
            continue  # the mapping would cut tiles from the front, an axis has no such digit, or nothing fits
    raise ScheduleError(f"{kernel or 'no kernel'} has no legal plan in {TRIES} draws")


@cache
def proved_mapping(kernel: str, axes: str, sizes: tuple[tuple[str, int], ...], shape: Shape) -> im.ProvedMapping:
    (unit,) = [i for i in machine(shape).instructions if i.short == "outer"]
    k = im.find_kernel(kernel).with_sizes(dict(sizes))
    proved = im.prove(im.fuse(k, unit, axes, "fixed", partial="-" in axes))
    assert isinstance(proved, im.ProvedMapping), proved
    return proved


def _drawn(
    rng: random.Random, kernel: str, axes: str, sizes: dict[str, int], left_open: tuple[str, ...], shape: Shape
) -> Drawn:
    known = tuple(sorted((n, v) for n, v in sizes.items() if n not in left_open))
    proved, hardware = proved_mapping(kernel, axes, known, shape), machine(shape)
    asked = question(proved.mapping, hardware, by_symbol(kernel, sizes), {})
    decision = random_decision(rng, asked.problem)
    loops, stages = decoded(proved.mapping, asked, decision)
    program = lower_stages(scheduled(proved, loops, stages), hardware)
    total = float(bound(asked.problem, choices(asked.problem, decision), Numbers()) / asked.ticks)
    words = f"{kernel} {axes} {sizes} open {left_open} on {shape}: {decision}"
    return Drawn(words, kernel, left_open, sizes, shape, program, total)


def by_symbol(kernel: str, sizes: dict[str, int]) -> dict[str, int]:
    """Sizes by the symbols of axes' extents, as well as by names of parameters."""
    names = {a.name: str(a.extent) for a in im.find_kernel(kernel).axes}
    return {names.get(n, n): v for n, v in sizes.items()}


def free_sizes(drawn: Drawn, sizes: dict[str, int]) -> dict[str, int]:
    """Of the program's kernel, those that are open, by symbol."""
    return {n: v for n, v in by_symbol(drawn.kernel, sizes).items() if n in drawn.program.kernel.free_sizes}


def random_decision(rng: random.Random, problem: StagingProblem, tries: int = 3000) -> StagingDecision:
    """Any legal one, with the problem's pins. Raises ScheduleError where none is found.

    Stages are drawn where they may stand, as most others may not; tiles and slots the fewer, the more tries fitted no memory.
    """
    pins = dict(problem.pins)
    for n in range(tries):
        ways = {o.name: rng.randrange(len(o.ways)) for o in problem.stages}
        passed = {o.ways[ways[o.name]].outer for o in problem.inputs}
        absent = {o.name for o in problem.outers} - passed
        tiles = {a.name: pins.get(f"tile.{a.name}") or _step(rng, a.steps, n / tries) for a in problem.axes}
        regions = {a.name: rng.randrange(REGIONS) for a in problem.axes}
        stages = _stages(rng, problem, tiles, regions, absent)
        if stages is None:
            continue
        most = problem.slots if rng.random() >= n / tries else 1
        slots = {o.name: 1 if o.name in absent else rng.randint(1, most) for o in problem.stages}
        slots |= {o.name: pins[f"slots.{o.name}"] for o in problem.stages if f"slots.{o.name}" in pins}
        d = StagingDecision(tiles, regions, stages, slots, {o: 0 if o in absent else w for o, w in ways.items()})
        if legal(problem, d):
            return random.Random(repr(d)).choice([*forms(problem, d)])
    raise ScheduleError("no legal plan was drawn")


def _step(rng: random.Random, steps: Sequence[int], least: float) -> int:
    """Tiles of a step; the fewest with this chance."""
    if rng.random() < least:
        return steps[0]
    return rng.choice([t for t in steps if t <= 4 or rng.random() < 0.2] or [1])


def _stages(
    rng: random.Random, problem: StagingProblem, tiles: dict[str, int], regions: dict[str, int], absent: set[str]
) -> dict[str, int] | None:
    """Of each operand a region that has a loop or is the outermost: the output's outside of sums' loops, none outside of an open
    loop that it depends on, and none of an input outside of its further one. None where one has no place."""
    steps = {a.name: -(-a.tiles // tiles[a.name]) for a in problem.axes}
    there = {0} | {regions[n] for n, count in steps.items() if count > 1}
    inmost = min((regions[a.name] for a in problem.reduced if steps[a.name] > 1 or a.open), default=REGIONS)
    found: dict[str, int] = {}
    for o in problem.stages:
        if o.name in absent:
            found[o.name] = 0
            continue
        least = max([regions[a.name] for a in problem.axes if a.open and a.name in o.axes], default=0)
        least = max([least, *(found[x.name] for x in problem.outers if x.of == o.name and x.name not in absent)])
        free = [r for r in sorted(there) if least <= r < (inmost if o is problem.output else REGIONS)]
        if not free:
            return None
        found[o.name] = rng.choice(free)
    return found


@cache
def _reference(kernel: str, sizes: tuple[tuple[str, int], ...]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Small whole numbers, and the outputs."""
    k = im.find_kernel(kernel).with_sizes(dict(sizes))
    rng = np.random.default_rng(len(sizes))
    shapes = {n: [int(evaluate(e, {})) for e in k.tensor(n).shape] for n in k.inputs}
    arrays = {n: rng.integers(-4, 5, s).astype(np.float32) for n, s in shapes.items()}
    return arrays, im.run_kernel(k, arrays)


def simulated_cycles(program: Program, kernel: str, sizes: dict[str, int]) -> float:
    """Of a timed run, at all sizes."""
    k, free = im.find_kernel(kernel).with_sizes(sizes), program.kernel.free_sizes
    arrays = {n: np.zeros([int(evaluate(e, {})) for e in k.tensor(n).shape], np.float32) for n in k.inputs}
    found = simulate(program, arrays, {n: v for n, v in by_symbol(kernel, sizes).items() if n in free}).cycles
    assert found is not None
    return found


def goes_wrong(
    drawn: Drawn,
    program: Program,
    others: int = 2,
    seeds: int = 2,
    also: Sequence[dict[str, int]] = (),
    plainly: int = 0,
) -> str:
    """What is wrong with a program at its sizes, at some others of those that are open and `also` at these; '' where nothing is."""
    rng = random.Random(drawn.words)
    at = [{a: rng.randint(1, 20) for a in drawn.open} for _ in range(others * bool(drawn.open))]
    for sizes in (drawn.sizes, *({**drawn.sizes, **x} for x in (*at, *also))):
        arrays, want = _reference(drawn.kernel, tuple(sorted(sizes.items())))
        if said := runs_wrong(program, arrays, free_sizes(drawn, sizes), want, seeds, plainly):
            return f"{sizes}: {said}"
    return ""
