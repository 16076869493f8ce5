"""Tiles, order, packing and parallel axes of a proved mapping, with the gap to the optimum.

The space and the cost model are written down in docs/design/schedule-space.md. The choice is CP-SAT's; nothing here is
trusted, because the lowered program is proved afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

from isamap_encodings.schedule_solve import Answer, solve
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.whole import whole, whole_sizes
from isamap_smt.scheduling import decode
from isamap_smt.scheduling.asked import pinned, seconds, tensor_names
from isamap_smt.scheduling.bounds import lower_bound
from isamap_smt.scheduling.machine import UNIT, machine
from isamap_smt.scheduling.pins import read_pins
from isamap_smt.scheduling.problem import problem
from isamap_smt.scheduling.setting import Setting, setting
from isamap_smt.scheduling.tiles import in_words

OBJECTIVES = ("latency", "energy")
Progress = Callable[[int, float, float], None]


def schedule(
    proved: ProvedMapping,
    hardware: Hardware,
    sizes: Dict[str, int] | None = None,
    *,
    objective: str = "latency",
    constant: Iterable[str] = (),
    fix: Dict[str, Any] | None = None,
    threads: int = 1,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> Schedule:
    """The cheapest schedule of the space for these sizes, with status, bound and gap.

    sizes: by axis, size or parameter name, in points; those left out stay run-time parameters (the result is legal for
    all, chosen for what `notes` says). objective: 'latency' (cycles) or 'energy' (picojoules of data movement). constant:
    input tensors that never change and are packed ahead of the calls. fix: decisions taken, such as {"tile.k": 64,
    "register.i": 6, "pack.b": "L3", "parallel": "i"}; see isamap_smt.scheduling.pins. threads: how many share a loop.
    timeout: CP-SAT's deterministic seconds. progress is called with (solutions, objective, bound) at each better
    schedule; KeyboardInterrupt, there or from Ctrl-C, ends the search with the best so far. In the result `status` is
    OPTIMAL or FEASIBLE within `space`, `gap` a fraction, `tiles` in points, `traffic` in bytes.

    Raises NotProvedError for anything prove() did not make, SizeError for wrong sizes, ScheduleError when nothing in
    the space satisfies the pins or nothing was found in time.
    """
    if not isinstance(proved, ProvedMapping):
        raise NotProvedError(
            f"schedule() takes what prove() returns when every claim is proved, not {type(proved).__name__}; "
            "call isamap_smt.prove(mapping) first"
        )
    if objective not in OBJECTIVES:
        raise ScheduleError(f"no objective {objective!r}; known: {', '.join(OBJECTIVES)}")
    threads = whole(threads, "threads", ScheduleError)
    timeout = seconds(timeout)
    given, fix = whole_sizes(sizes), pinned(fix)
    constant = tensor_names(constant)
    energy = objective == "energy"
    s = setting(proved, hardware, given, constant, threads)
    m = machine(hardware, s.mapping.instruction)
    if energy and not any(x.energy for x in m.memories):
        raise ScheduleError(f"{hardware.name} gives no energies, so schedules cannot be compared by energy")
    pins = read_pins(fix, s, m)
    plain = problem(s, m, pins, energy)
    unit = UNIT
    told = None if progress is None else (lambda n, value, bound: progress(n, value / unit, bound / unit))
    answer = solve(plain, timeout, told)
    shared = ""
    if answer.status == "INFEASIBLE" and plain.spread and pins.parallel is None:
        shared = f"runs on one thread: no loop has a trip for each of {threads} threads"
        plain = replace(plain, spread=())
        answer = solve(plain, timeout, told)
    if answer.choice is None or answer.cost is None:
        raise ScheduleError(_nothing(s, answer, pins_text=fix))
    made = _made(s, m, plain, answer, energy, given)
    return replace(made, notes=(*made.notes, shared)) if shared else made


def _made(s: Setting, m: Any, plain: Any, answer: Answer, energy: bool, sizes: dict[str, int]) -> Schedule:
    assert answer.choice is not None and answer.cost is not None
    n = decode.nest(s, m, plain, answer.choice)
    row = plain.registers[answer.choice.register].tile
    total, bound = answer.cost.total, min(answer.bound, answer.cost.total)
    return Schedule(
        s.proved,
        n.loops,
        n.accumulate,
        tuple((a.name, row[d]) for d, a in enumerate(plain.axes)),
        decode.packing(s, plain, answer.choice, n),
        decode.parallel(s, plain, answer.choice, n, answer.cost),
        answer.status,
        in_words(m, len(plain.registers)),
        total / UNIT,
        bound / UNIT,
        (total - bound) / total if total else 0.0,
        lower_bound(s, m, energy),
        decode.tiles(s, m, plain, answer.choice),
        decode.traffic(m, plain, answer.cost),
        answer.seconds,
        _notes(s, answer),
        tuple(sorted(sizes.items())),
        s.hardware,
    )


def _notes(s: Setting, answer: Answer) -> tuple[str, ...]:
    notes = []
    if s.assumed:
        told = ", ".join(f"{n}={v}" for n, v in s.assumed)
        notes.append(f"chosen for {told}; legal for every size")
    if answer.stopped:
        notes.append(f"the search ended early: {answer.stopped}")
    return tuple(notes)


def _nothing(s: Setting, answer: Answer, pins_text: dict[str, Any]) -> str:
    name = s.mapping.id
    pinned = ", ".join(f"{k}={v}" for k, v in pins_text.items())
    if answer.status == "INFEASIBLE":
        why = f" with {pinned}" if pinned else ""
        threads = f", or no loop has {s.threads} trips for {s.threads} threads" if s.threads > 1 else ""
        return f"no schedule of {name} is in the space{why}: some tile does not fit its cache{threads} (INFEASIBLE)"
    what = {"interrupted": "it was interrupted"}.get(answer.stopped, f"the {answer.stopped} ended the search")
    return f"no schedule of {name} was found before {what} (UNKNOWN); allow more time or fix fewer decisions"
