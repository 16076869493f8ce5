"""A timed run as a timeline: contents of slots over time, when the unit computes, and the whole as trace viewers read it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.errors import WrongKindError
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.kinds import require_kind
from isamap_smt.simulator.simulation import Simulation, Slot, Step

GENERATOR = "isamap run --trace"
_ENGINES = 1  # the process of the engines in a document; memories follow


@dataclass(frozen=True)
class Content:
    """The content of a slot, in cycles: from the start of its first write to the end of the last use touching it."""

    slot: Slot
    begin: float
    end: float
    uses: int


@dataclass(frozen=True)
class Parts:
    """Cycles before the first computing use, from there to the end of the last one, and after it; together all of them."""

    prologue: float
    steady: float
    epilogue: float


def timed_steps(run: Simulation) -> tuple[Step, ...]:
    """The trace of a timed run. Raises WrongKindError for a run without a trace or without times."""
    require_kind("chrome_trace", run, Simulation, "what isamap_smt.simulate(..., trace=True) returns")
    if not run.trace and any(b.uses for b in run.engines.values()):
        raise WrongKindError("the run kept no trace; pass trace=True to simulate()")
    if any(s.begin is None or s.end is None for s in run.trace):
        raise WrongKindError("the run kept no time; call simulate() without a seed")
    return run.trace


@per_object(most=1)  # a picture after the other asks for them
def contents(run: Simulation) -> tuple[Content, ...]:
    """Every content of every slot, in the order in which they begin. A write without a read ends a content already read.

    Raises WrongKindError as timed_steps().
    """
    done: list[Content] = []
    now: dict[Slot, tuple[Content, bool]] = {}  # and whether it was read
    for step in timed_steps(run):
        begin, end = times(step)
        for slot in dict.fromkeys((*step.reads, *step.writes)):
            reads = slot in step.reads
            held, read = now.get(slot, (None, False))
            if held is None or (read and not reads):
                done += [held] if held else []
                now[slot] = Content(slot, begin, end, 1), reads
            else:
                now[slot] = Content(slot, held.begin, max(held.end, end), held.uses + 1), reads or read
    done += [held for held, _ in now.values()]
    return tuple(sorted(done, key=lambda c: (c.begin, c.slot.memory, c.slot.row)))


def parts(run: Simulation, computes: Collection[str]) -> Parts | None:
    """The parts of a run's cycles. computes: names of computing instructions. None if none of them was used.

    Raises WrongKindError as timed_steps().
    """
    computing = [times(s) for s in timed_steps(run) if s.instruction in computes]
    if not computing or run.cycles is None:
        return None
    first, last = min(begin for begin, _ in computing), max(end for _, end in computing)
    return Parts(first, last - first, run.cycles - last)


def chrome_trace(run: Simulation, title: str = "") -> dict[str, Any]:
    """A timed run as a document in Chrome's trace-event format, for json.dump(); ui.perfetto.dev and chrome://tracing read it.

    One process has a row for each engine, one more for each memory a row for each slot. A cycle is written as a
    microsecond. A use is an event of its duration, or an instant if it takes no time; its loop variables and slots
    are its `args`. title: of the run, kept beside. Raises WrongKindError for a run without trace=True or with a
    seed.
    """
    steps, engines = timed_steps(run), list(run.engines)
    memories: dict[str, dict[Slot, None]] = {}
    held = contents(run)
    for c in sorted(held, key=lambda c: (c.slot.row, c.slot.buffer, c.slot.number)):
        memories.setdefault(c.slot.memory, {})[c.slot] = None
    rows = {s: (_ENGINES + 1 + m, n) for m, slots in enumerate(memories.values()) for n, s in enumerate(slots, 1)}
    events = [*_process(_ENGINES, "engines", engines)]
    for m, (memory, slots) in enumerate(memories.items()):
        events += _process(_ENGINES + 1 + m, memory, [str(s) for s in slots])
    for step in steps:
        args = {
            "iteration": dict(step.at),
            "reads": list(map(str, step.reads)),
            "writes": list(map(str, step.writes)),
        }
        row = _ENGINES, engines.index(step.engine) + 1
        events.append(_event(step.instruction, "use", row, *times(step), args))
    for c in held:
        place: dict[str, Any] = {"slot": str(c.slot), "first row": c.slot.row, "rows": c.slot.rows, "uses": c.uses}
        events.append(_event(c.slot.tensor, "content", rows[c.slot], c.begin, c.end, place))
    about = {"generator": GENERATOR, "title": title, "unit": "1 cycle is written as 1 microsecond"}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {**about, "cycles": _number(run.cycles)}}


def times(step: Step) -> tuple[float, float]:
    """(begin, end) of a step of timed_steps(), in cycles."""
    assert step.begin is not None and step.end is not None  # timed_steps() has looked
    return step.begin, step.end


def _process(number: int, name: str, rows: list[str]) -> Iterator[dict[str, Any]]:
    """The names of a process and its rows, in this order."""
    yield {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}}
    yield {"ph": "M", "pid": number, "name": "process_sort_index", "args": {"sort_index": number}}
    for n, row in enumerate(rows, 1):
        yield {"ph": "M", "pid": number, "tid": n, "name": "thread_name", "args": {"name": row}}
        yield {"ph": "M", "pid": number, "tid": n, "name": "thread_sort_index", "args": {"sort_index": n}}


def _event(
    name: str, kind: str, row: tuple[int, int], begin: float, end: float, args: dict[str, Any]
) -> dict[str, Any]:
    """An event with its begin and duration, or an instant."""
    found = {"name": name, "cat": kind, "pid": row[0], "tid": row[1], "ts": _number(begin), "args": args}
    return {**found, "ph": "X", "dur": _number(end - begin)} if end > begin else {**found, "ph": "i", "s": "t"}


def _number(x: Any) -> int | float | None:
    """As JSON has it."""
    return None if x is None else int(x) if x == int(x) else float(x)
