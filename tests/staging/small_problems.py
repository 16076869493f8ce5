"""Small scheduling questions with engines, drawn at random, and the best answer by trying all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import (
    REGIONS,
    Numbers,
    StagingAxis,
    StagingDecision,
    StagingOperand,
    StagingProblem,
    Way,
    choices,
    forms,
    legal,
)

MOST = 30_000  # decisions of a problem, with those that are not legal


def small_problem(seed: int, further: bool = False, shared: bool = False) -> StagingProblem:
    """2 to 4 axes, two inputs, 1 or 2 ways to move each operand, 1 or 2 memories that are often too small, and some pins. shared:
    with a memory or two that serve moves and executions one after the other."""
    rng = random.Random(seed)
    while True:
        found = _problem(rng, further)
        if size(found) <= MOST:
            return _shared(random.Random(-1 - seed), found) if shared else found


def _shared(rng: random.Random, problem: StagingProblem) -> StagingProblem:
    """The same with what memories take, often more than the work of an engine."""
    names = ("dram", "pads")[: rng.choice([1, 2])]

    def part(w: Way) -> Way:
        few = tuple(a for a in w.per if rng.random() < 0.7)
        each = rng.choice([0, 1, 3]) if few else 0
        return Way(
            w.name, rng.choice([0, 5, 30, 90]), each, few, points=rng.randrange(9) if rng.random() < 0.1 else None
        )

    def with_parts(w: Way) -> Way:
        begins, ends = (tuple(map(with_parts, x)) for x in (w.begins, w.ends))
        parts = tuple((m, part(w)) for m in names for _ in range(rng.choice([0, 1, 1, 2])))
        return replace(w, begins=begins, ends=ends, served=parts)

    def of(o: StagingOperand) -> StagingOperand:
        return replace(o, ways=tuple(map(with_parts, o.ways)))

    served = tuple((m, rng.randrange(20), rng.choice([0, 0, 400])) for m in names)
    inputs, outers = (tuple(map(of, x)) for x in (problem.inputs, problem.outers))
    return replace(problem, inputs=inputs, outers=outers, output=of(problem.output), served=served)


def size(problem: StagingProblem) -> int:
    """How many decisions there are."""
    count = 1
    for _, values in _values(problem):
        count *= len(values)
    return count


def _problem(rng: random.Random, further: bool) -> StagingProblem:
    names = "ijkl"[: rng.choice([1, 2, 2] if further else [2, 2, 3, 3, 3, 4])]
    axes = tuple(_axis(rng, n) for n in names)
    out = tuple(n for n in names if rng.random() < 0.6)
    memories = ("scratch", rng.choice(["scratch", "acc"]))
    inputs = tuple(_operand(rng, name, memories[0], names, axes) for name in "ab")
    output = replace(_operand(rng, "c", memories[1], names, axes), axes=out)
    output = replace(output, ways=tuple(_ended(rng, w) for w in output.ways))
    largest = {m: sum(o.rows for o in (*inputs, output) if o.memory == m) for m in dict.fromkeys(memories)}
    rows = tuple((m, round(n * rng.choice([0.9, 1, 2, 3, 5, 9, 20]))) for m, n in largest.items())
    problem = StagingProblem(
        axes, inputs, output, rows, rng.randrange(1, 30), "execute", slots=rng.choice([1, 2, 2, 3])
    )
    if further:
        problem = _further(rng, problem)
    return replace(problem, pins=_pins(rng, problem))


def _further(rng: random.Random, problem: StagingProblem) -> StagingProblem:
    """The same with a further memory, which tiles of some inputs may pass, or have to."""
    inputs, outers = [], []
    for o in problem.inputs:
        if outers and rng.random() < 0.5:
            inputs.append(o)
            continue
        name, engine = f"{o.name}@global", rng.choice(["feed", "feed", "load", "execute"])
        feed = Way("feed", rng.choice([0, 2, 5]), rng.choice([0, 1]), o.axes[:1], name, engine)
        direct = o.ways if rng.random() < 0.6 else ()
        inputs.append(replace(o, ways=(*direct, feed)))
        outers.append(replace(o, name=name, memory="global", of=o.name))
    memories = (*problem.memories, ("global", rng.choice([8, 20, 60, 200])))
    return replace(problem, inputs=tuple(inputs), outers=tuple(outers), memories=memories, slots=min(problem.slots, 2))


def _axis(rng: random.Random, name: str) -> StagingAxis:
    tiles = rng.choice([1, 2, 3, 4, 5, 6, 7])
    points = rng.randint(8 * (tiles - 1) + 1, 8 * tiles)
    every = [t for t in (1, 2, 3, 4, 7) if t <= tiles]
    steps = {*rng.sample(every, min(len(every), rng.choice([1, 2]))), *([1] if rng.random() < 0.7 else [])}
    return StagingAxis(name, tiles, points, tuple(sorted(steps)), rng.random() < 0.15, 8)


def _operand(rng: random.Random, name: str, memory: str, names: str, axes: tuple[StagingAxis, ...]) -> StagingOperand:
    mine = tuple(n for n in names if rng.random() < 0.6)
    ways = []
    for w in range(rng.choice([1, 1, 1, 2])):
        per = tuple(n for n in mine if rng.random() < 0.5)
        by = rng.choice(
            ["store", "store", "load", "execute"] if name == "c" else ["load", "load", "load", "other", "execute"]
        )
        points = rng.randrange(8) if rng.random() < 0.2 else None
        ways.append(Way(f"way{w}", rng.choice([0, 3, 16, 40]), rng.choice([0, 1, 1, 2]), per, engine=by, points=points))
    return StagingOperand(name, memory, mine, rng.choice([1, 4, 8]), tuple(ways))


def _ended(rng: random.Random, way: Way) -> Way:
    """With what begins a tile, and what is done to it before it is stored."""
    begins = Way("begin", rng.randrange(5), 0, engine=rng.choice(["execute", "execute", "load"]))
    ends = (Way("update", rng.randrange(4), 0, engine="execute"),) if rng.random() < 0.3 else ()
    return replace(way, begins=(begins,), ends=ends, waits=rng.random() < 0.1)


def _pins(rng: random.Random, problem: StagingProblem) -> tuple[tuple[str, int], ...]:
    pins = {}
    for name, values in _values(problem):
        if rng.random() < (0.08 if name.startswith(("stage", "region")) else 0.2):
            pins[name] = rng.choice(values)
            if name.startswith("tile") and rng.random() < 0.3:
                pins[name] = rng.choice([1, 2, 3, 5, 8])
    return tuple(sorted(pins.items())) if rng.random() < 0.5 else ()


def _values(problem: StagingProblem) -> Iterator[tuple[str, list[int]]]:
    """Each decision with its values, as pinned."""
    pins = dict(problem.pins)
    for a in problem.axes:
        yield f"tile.{a.name}", [pins[f"tile.{a.name}"]] if f"tile.{a.name}" in pins else list(a.steps)
    for what, named, count in (
        ("region", problem.axes, lambda _: range(REGIONS)),
        ("stage", problem.stages, lambda _: range(REGIONS)),
        ("slots", problem.stages, lambda _: range(1, problem.slots + 1)),
        ("via", problem.stages, lambda o: range(len(o.ways))),
    ):
        for x in named:
            name = f"{what}.{x.name}"
            yield name, [pins[name]] if name in pins else list(count(x))


def decisions(problem: StagingProblem) -> Iterator[StagingDecision]:
    """All that are legal. Whether one is does not depend on the ways but where they lead through further stages; more slots take
    more rows."""
    values = dict(_values(problem))
    axes, operands = [a.name for a in problem.axes], [o.name for o in problem.stages]

    def every(what: str, names: list[str]) -> list[dict[str, int]]:
        return [dict(zip(names, v, strict=True)) for v in product(*(values[f"{what}.{n}"] for n in names))]

    fewest = {o: min(values[f"slots.{o}"]) for o in operands}
    paths: dict[tuple[str, ...], list[dict[str, int]]] = {}
    for w in every("via", operands):
        path = tuple(o.ways[w[o.name]].outer for o in problem.inputs)
        if all(o.name in path or w[o.name] == 0 for o in problem.outers):
            paths.setdefault(path, []).append(w)
    for tiles, regions, stages in product(every("tile", axes), every("region", axes), every("stage", operands)):
        for ways in paths.values():
            if not legal(problem, StagingDecision(tiles, regions, stages, fewest, ways[0])):
                continue
            for slots in every("slots", operands):
                if legal(problem, StagingDecision(tiles, regions, stages, slots, ways[0])):
                    for w in ways:
                        yield from forms(problem, StagingDecision(tiles, regions, stages, slots, w))


def ticks(problem: StagingProblem, d: StagingDecision) -> int:
    """The bound of a decision."""
    return int(bound(problem, choices(problem, d), Numbers()))
