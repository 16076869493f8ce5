"""Runs a program of uses: its results, its races, whether it can get stuck, and how long it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.hypotheses import Range, require_assumed
from isamap_smt.ir.interpret import prepare
from isamap_smt.ir.kept import hashed_once
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.program import Program
from isamap_smt.ir.traversal import buffers
from isamap_smt.simulator import effects
from isamap_smt.simulator.configured import misconfigured
from isamap_smt.simulator.orders import Order, adversarial, timed
from isamap_smt.simulator.places import Access, accesses
from isamap_smt.simulator.races import Race, bounds, races
from isamap_smt.simulator.sites import Elaborated, elaborate

# ---- What is complete before each use begins, in every order: vector clocks.
#
# The clock of a use says of each engine how many of its uses must be complete before this one begins. An engine's uses
# follow each other. An await of amount e waits for e signals: if one engine makes all signals of the counter, for its
# first e. If several do, any e will do: a use x must be complete exactly if fewer than e signals can be made without
# it, so of each engine the e-th smallest of what the signals themselves need. Signals may need each other, so this is
# repeated until nothing changes. It begins with the clocks of an order that was really run, which need too much rather
# than too little: signals that only need each other do not count.


Array = np.ndarray
Clock = tuple[int, ...]


def clocks(elaborated: Elaborated, order: Order) -> tuple[Array, ...]:
    """For each engine an array (completed uses, engines): at [n, e] how many uses of e are complete before its n-th begins."""
    shared = _shared(elaborated)
    found, signals = _pass(elaborated, order, {})
    while shared:
        needed = {c: list(map(tuple, np.sort(np.asarray(signals[c]), axis=0))) for c in shared if signals[c]}
        again, signals = _pass(elaborated, order, needed)
        if again == found:
            break
        found = again
    engines = len(elaborated.queues)
    return tuple(np.asarray(rows, np.int64).reshape(-1, engines) for rows in found)


def _shared(elaborated: Elaborated) -> list[int]:
    """Counters signalled by several engines."""
    by: dict[int, set[int]] = {}
    for site in elaborated.sites:
        for c in site.signals:
            by.setdefault(c, set()).add(site.engine)
    return [c for c, engines in by.items() if len(engines) > 1]


def _pass(
    elaborated: Elaborated, order: Order, needed: dict[int, list[Clock]]
) -> tuple[list[list[Clock]], list[list[Clock]]]:
    """The clocks of all uses, and of all signals by counter.

    needed: counter -> clocks needed by an await of 1, 2 ...; for other counters, the joint need of the signals so
    far.
    """
    engines = range(len(elaborated.queues))
    found: list[list[Clock]] = [[] for _ in engines]
    latest: list[Clock] = [(0,) * len(elaborated.queues) for _ in engines]
    signals: list[list[Clock]] = [[] for _ in elaborated.counters]
    joined: list[list[Clock]] = [needed.get(c, []) for c in range(len(elaborated.counters))]
    for engine in order.steps:
        clock, at = latest[engine], len(found[engine])
        queue = elaborated.queues[engine]
        site, iteration = elaborated.sites[queue.sites[at]], queue.iterations[at]
        for counter, amounts in site.awaits:
            if (amount := amounts[iteration]) > 0:
                clock = tuple(map(max, clock, joined[counter][amount - 1]))
        found[engine].append(clock)
        complete = latest[engine] = (*clock[:engine], at + 1, *clock[engine + 1 :])
        for counter in site.signals:
            signals[counter].append(complete)
            if counter not in needed:
                before = joined[counter]
                before.append(tuple(map(max, before[-1], complete)) if before else complete)
    return found, signals


@dataclass(frozen=True)
class Busy:
    """An engine's uses, and the cycles they occupied it for."""

    cycles: float
    uses: int


@hashed_once
@dataclass(frozen=True)
class Slot:
    """One slot of a buffer: its number, and its rows in an addressed memory. tensor: whose elements it holds."""

    buffer: str
    number: int
    tensor: str
    memory: str
    row: int
    rows: int

    def __str__(self) -> str:
        return f"{self.buffer}.slot[{self.number}]"


@dataclass(frozen=True)
class Step:
    """One use of a run. at: loop variables. begin, end: in cycles; None if no time was kept. reads, writes: slots."""

    engine: str
    instruction: str
    at: tuple[tuple[str, int], ...]
    begin: float | None
    end: float | None
    reads: tuple[Slot, ...] = ()
    writes: tuple[Slot, ...] = ()


@dataclass(frozen=True, eq=False)
class Simulation:
    """One run.

    outputs: by name, as they are when nothing can go on. races: all allowed by the synchronisation, in any order,
    and uses beyond their memory. misconfigured: uses without the state they need of their engine. deadlock: None, or
    the unmet awaits by engine. cycles: of a timed run that ends. trace: every use in the order of completion, if it
    was asked for.
    """

    outputs: dict[str, Array]
    races: tuple[Race, ...]
    deadlock: str | None
    cycles: float | None
    engines: dict[str, Busy]
    trace: tuple[Step, ...] = ()
    misconfigured: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """No race, nothing beyond its memory, no state other than needed, no deadlock. Says nothing of the values."""
        return not self.wrong and self.deadlock is None

    @property
    def wrong(self) -> tuple[str, ...]:
        """Races and states other than needed, in words."""
        return (*map(str, self.races), *self.misconfigured)


def simulate(
    program: Program,
    arrays: Mapping[str, Array],
    sizes: Mapping[str, int] | None = None,
    seed: int | None = None,
    *,
    trace: bool = False,
) -> Simulation:
    """The program on arrays of the kernel's inputs; sizes not given by the arrays come from `sizes`.

    Without a seed: a timed run, every engine as early as it can. With one: an order drawn to be unkind. A use takes
    effect whole, when it is complete. Races and deadlocks do not depend on the order. Raises SizeError, DTypeError,
    UnknownNameError, LanguageError for arrays unfit for the kernel and for programs that are none, AssumedError for
    sizes and elements the program assumes away.
    """
    require_kind("simulate", program, Program, "what isamap_smt.lower() returns, or the program of a plan")
    kernel, held = prepare(program.kernel, arrays, None, sizes)
    known = {**_sizes(program, held), **program.kernel.named_sizes(sizes)}
    ranges = (Range(*r) for r in program.kernel.ranges)  # each call looks
    require_assumed(program.kernel, (*program.hypotheses, *ranges), known, held)
    elaborated = elaborate(program, known)
    touched = accesses(elaborated, kernel)
    order = timed(elaborated) if seed is None else adversarial(elaborated, seed)
    outputs = effects.run(elaborated, kernel, touched, order, held, seed or 0)
    found = (
        *bounds(elaborated, touched, order.done),
        *races(elaborated, touched, clocks(elaborated, order), order.done),
    )
    stuck = deadlock(elaborated, order)
    ends = [end for _, end in order.times]
    cycles = None if seed is not None or stuck else max(ends, default=0)
    steps = _trace(elaborated, order, touched) if trace else ()
    return Simulation(outputs, found, stuck, cycles, _busy(elaborated, order), steps, misconfigured(elaborated))


def _sizes(program: Program, held: Mapping[str, Array]) -> dict[str, int]:
    """Size -> value, for dimensions of tensors that are sizes."""
    dimensions = ((e, n) for t in program.kernel.tensors for e, n in zip(t.shape, held[t.name].shape, strict=True))
    return {str(e.name): n for e, n in dimensions if getattr(e, "is_Symbol", False)}


def deadlock(elaborated: Elaborated, order: Order) -> str | None:
    """The unmet awaits, by engine; None if all uses are done."""
    said = []
    for queue, done in zip(elaborated.queues, order.done, strict=True):
        if done == len(queue.sites):
            continue
        site, iteration = elaborated.sites[queue.sites[done]], queue.iterations[done]
        unmet = [
            f"{elaborated.counters[c]} >= {amounts[iteration]}, which is {order.counts[c]}"
            for c, amounts in site.awaits
            if order.counts[c] < amounts[iteration]
        ]
        loops = " ".join(f"{n}={v}" for n, v in site.at(iteration).items())
        use = f"{site.use.instruction.name} {iteration}" + (f" ({loops})" if loops else "")
        said.append(f"{queue.name} waits for {' and '.join(unmet)}, before {use}")
    return "; ".join(said) or None


def _busy(elaborated: Elaborated, order: Order) -> dict[str, Busy]:
    found = {}
    for queue, done in zip(elaborated.queues, order.done, strict=True):
        cycles: Any = 0
        for site, iteration in zip(queue.sites[:done], queue.iterations[:done], strict=True):
            cycles += elaborated.sites[site].cycles[iteration]
        found[queue.name] = Busy(cycles, done)
    return found


def _trace(elaborated: Elaborated, order: Order, touched: tuple[Access, ...]) -> tuple[Step, ...]:
    heads = [0] * len(elaborated.queues)
    reads, writes = _slots(elaborated, touched)
    steps = []
    for n, engine in enumerate(order.steps):
        queue, at = elaborated.queues[engine], heads[engine]
        heads[engine] += 1
        number, iteration = queue.sites[at], queue.iterations[at]
        site = elaborated.sites[number]
        begin, end = order.times[n] if order.times else (None, None)
        read, written = (tuple(column[iteration] for column in of[number]) for of in (reads, writes))
        around = tuple(site.at(iteration).items())
        steps.append(Step(queue.name, site.use.instruction.name, around, begin, end, read, written))
    return tuple(steps)


def _slots(
    elaborated: Elaborated, touched: tuple[Access, ...]
) -> tuple[list[list[list[Slot]]], list[list[list[Slot]]]]:
    """Of each site, for each operand in slots it reads, and each it writes, the slot at every iteration."""
    known = buffers(elaborated.program)
    reads: list[list[list[Slot]]] = [[] for _ in elaborated.sites]
    writes: list[list[list[Slot]]] = [[] for _ in elaborated.sites]
    every: dict[tuple[str, int], Slot] = {}  # one object for each, which is found quickly
    for access in touched:
        if access.slots is None:
            continue
        b = known[dict(elaborated.sites[access.site].use.operands)[access.operand].name]
        rows, numbers = int(b.rows), access.slots.tolist()
        name = str(b.name)
        for n in set(numbers):
            every.setdefault((name, n), Slot(name, n, b.type.tensor, b.memory, int(b.offset) + n * rows, rows))
        column = [every[name, n] for n in numbers]
        for touches, into in ((access.reads, reads), (access.writes, writes)):
            if touches:
                into[access.site].append(column)
    return reads, writes
