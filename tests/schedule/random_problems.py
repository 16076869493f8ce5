"""Small random schedule problems: three axes, up to three caches, sometimes a convolution's shared dimension."""

from __future__ import annotations

import random
from dataclasses import replace

from isamap_encodings.schedule_problem import (
    Component,
    Part,
    RegisterTile,
    Rows,
    ScheduleProblem,
    TileAxis,
    TileOperand,
)
from isamap_smt.scheduling.figures import FARTHEST, NEAREST, core_model


def random_problem(seed: int, capacity: int = 3000, *, x86: bool = False) -> ScheduleProblem:
    """A problem small enough to try every choice. x86: of such a core; else one in four is of another."""
    rng, more = random.Random(seed), random.Random(-1 - seed)
    levels = rng.choice([1, 2, 2, 3])
    extents = [rng.randint(3, 30) for _ in range(3)]
    axes = tuple(
        TileAxis(name, n, name == "k", _chains(rng, levels, leaves))
        for name, n, leaves in zip("ijk", extents, ([1, 2], [2, 4], [1]), strict=True)
    )

    def single(d: int) -> Component:
        return Component((d,), ((Part(d, 1, 1, extents[d]),),))

    def costs() -> tuple[int, ...]:
        return tuple(rng.randint(0, 9) for _ in range(levels))

    def options() -> tuple[int, ...]:
        return tuple(sorted(rng.sample(range(levels + 2), rng.randint(1, levels + 2))))

    shared = Component((0, 2), ((Part(0, 1, 1, extents[0]), Part(2, 1, 1, extents[2])),))
    first = (shared,) if rng.random() < 0.5 else (single(0), single(2))

    def walked(*components: Component) -> Rows | None:
        return Rows(components) if rng.random() < 0.7 else None

    def several(most: int) -> tuple[int, ...]:
        return tuple(rng.randint(0, most) for _ in range(3))

    def beside() -> tuple[int, int]:
        """The cost of a copied piece of a row, and of an element read across rows."""
        return more.randint(0, 30), more.randint(0, 9)

    # Along the rows of A walks k, along those of B and C walks j; where i and k share a dimension of A, none walks alone.
    operands = (
        TileOperand("A", 4, False, first, costs(), costs(), costs(), options(), walked(first[0]), *beside()),
        TileOperand(
            "B",
            4,
            False,
            (single(1), single(2)),
            costs(),
            costs(),
            costs(),
            options(),
            walked(single(2)),
            rng.randint(0, 30),
            blockwise=seed % 3,
        ),
        TileOperand(
            "C", 4, True, (single(0), single(1)), costs(), costs(), rows=walked(single(0)), apart=rng.randint(0, 5)
        ),
    )
    registers = tuple(
        RegisterTile(
            (a, b, 1),
            rng.randint(100, 50_000),
            rng.randint(0, 50),
            (rng.randint(0, 500), rng.randint(0, 500), 0),
            *(several(20), kept, several(9)),
        )
        for a in (1, 2)
        for b in (2, 4)
        for kept in (several(30),)
    )
    capacities = tuple(sorted(rng.randint(capacity // 30, capacity) for _ in range(levels)))
    parallelizable = (
        (True, True, False) if rng.random() < 0.5 else ()
    )  # k is a reduction: threads would add into one element
    threads, start, inner = rng.choice([2, 3]), rng.choice([0, 30, 1000]), rng.random() < 0.5
    orders = ((0, 2, 1), (2, 1, 0), (0, 1, 2))
    overlap = rng.random() < 0.7
    core = core_model(more.randint(NEAREST, FARTHEST))
    if seed % 4 == 1 and not x86:  # of another core than x86
        other = random.Random(seed)
        whole = other.choice([8, 10, 16])
        rows = ((whole, 0), (other.randint(1, whole), other.randint(1, whole)), (other.randint(0, whole), whole))
        core = replace(
            core, whole=whole, into_others=rows, sooner=other.randint(1, whole), chunks=other.randint(1, 9), cut=1
        )
        core = replace(core, into_first=rows if other.random() < 0.5 else core.into_first[:1] + rows[1:])
    return ScheduleProblem(
        core,
        axes,
        operands,
        registers,
        capacities,
        orders,
        overlap,
        parallelizable,
        threads,
        start,
        bool(parallelizable) and inner,
        frozenset({more.randint(0, 1)} if parallelizable and more.random() < 0.5 else ()),
        bool(parallelizable) and overlap and seed % 2 == 0,
    )


def enlarged(problem: ScheduleProblem, factor: int) -> ScheduleProblem:
    """The same choices, at so many times the costs of computing and of the links."""
    operands = (replace(o, link=tuple(factor * x for x in o.link)) for o in problem.operands)
    registers = (replace(r, compute=factor * r.compute) for r in problem.registers)
    return replace(problem, operands=tuple(operands), registers=tuple(registers))


def _chains(rng: random.Random, levels: int, leaves: list[int]) -> tuple[tuple[int, ...], ...]:
    found = set()
    for _ in range(3):
        chain = [rng.choice(leaves)]
        for _ in range(levels):
            chain.append(chain[-1] * rng.choice([1, 1, 2, 3]))
        found.add(tuple(chain))
    return tuple(sorted(found))
