"""The page about a network: its steps with repeated blocks stacked, memory over steps, times beside predictions, and the proof."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.proof import phrase
from isamap_smt.language.printer import source_lines
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.graph import AnyStep, Foreign, Step, View, tensor_bytes
from isamap_smt.networks.plan import NetworkPlan, lifetimes
from isamap_smt.pipeline.plan import Plan
from isamap_smt.report.compared import processor
from isamap_smt.report.header import Card, Part, count, header_section, stamp
from isamap_smt.report.labels import Label, shortened, width_of
from isamap_smt.report.page import claims_section, rendered, together
from isamap_smt.report.pictures import COLOURS, GREY, Picture, Rectangle
from isamap_smt.report.quantities import byte_count, seconds
from isamap_smt.report.whole import predicted_cycles

WIDTH, RIGHT, TOP, HEIGHT, BOTTOM = 760.0, 14.0, 17.0, 220.0, 30.0
LONGEST = 40  # steps of a block that repeats
NAMES = 60  # characters of the nodes of a step that are shown


@dataclass(frozen=True)
class Box:
    """A box of the page: a step, or several repeated ones."""

    kind: str
    text: str
    detail: str = ""
    note: str = ""
    tip: str = ""
    inside: tuple[Box, ...] = ()


def network_report(
    compiled: CompiledNetwork, times: Sequence[float] = (), clock: float | None = None, *, command: str = ""
) -> str:
    """One HTML page about a network. times: seconds of each computing step, in order, best of several; clock: GHz, if known."""
    planned, network = compiled.plan, compiled.network
    measured = dict(zip((n for n, s in enumerate(network.steps) if not isinstance(s, View)), times, strict=False))
    own = [p.proof for p in planned.plans.values()]
    own += [s.proved.proof for p in planned.plans.values() for s in p.program.schedules]
    own += [p.split.proof for p in planned.plans.values() if p.split is not None]
    proofs = [Part("between the kernels", "for these sizes", compiled.proof)]
    proofs += [Part(count(len(planned.plans), "kernel"), "for these sizes", together(own), told=phrase)] if own else []
    groups = _groups(planned, measured, clock)
    shown = {
        **header_section(
            network.name,
            (*(f"input {network.values[n]}" for n in network.inputs), *(f"output {network.values[n]}" for n in network.outputs)),
            command,
            _cards(planned, times, groups, clock),
            stamp(proofs),
        ),
        "note": "" if times else "not run",
        "notes": [f"not proved: {a}" for a in compiled.proof.assumptions],
        "blocks": blocks(planned, measured),
        "picture_of_memory": memory(planned),
        "peak": planned.peak,
        "bound": planned.bound,
        "groups": groups,
        "measured": bool(times),
        "proofs": [{"title": p.title, **claims_section(p.proof, p.told)} for p in proofs],
        "assumptions": list(dict.fromkeys(a for p in proofs for a in p.proof.assumptions)),
        "stages": [], "asked": [],
    }  # fmt: skip
    return rendered("network.html.j2", shown)


def _cards(
    planned: NetworkPlan, times: Sequence[float], groups: Sequence[Dict[str, Any]], clock: float | None
) -> list[Card]:
    found = [Card(str(len(planned.network.kernels)), f"kernels, {len(planned.plans)} different")]
    if times:
        value, _, unit = seconds(sum(times)).partition(" ")
        told = f"measured, the sum of all steps, on {processor()}, {count(planned.threads, 'thread')}"
        predicted = [g["predicted"] for g in groups]
        if all(p is not None for p in predicted) and clock:
            least = "at least " if any(g["at_least"] for g in groups) else ""
            told += f"; predicted {least}{seconds(sum(predicted))} at {clock:.1f} GHz"
        found.append(Card(value, told, unit))
    value, _, unit = byte_count(planned.peak).partition(" ")
    least = "the least possible" if planned.peak == planned.bound else f"{byte_count(planned.bound)} at least"
    return [*found, Card(value, f"between the kernels, {least}", unit)]


def _groups(planned: NetworkPlan, measured: Dict[int, float], clock: float | None) -> list[dict[str, Any]]:
    """Equal kernels together: their time beside the prediction, and the instructions computing them. The slowest first."""
    held: dict[Any, list[int]] = {}
    for number, step in enumerate(planned.network.steps):
        if not isinstance(step, View):
            held.setdefault(_key(planned, step), []).append(number)
    whole = sum(measured.values())
    found = []
    for numbers in held.values():
        step = planned.network.steps[numbers[0]]
        time = sum(measured.get(n, 0.0) for n in numbers)
        nodes = [planned.network.steps[n].node for n in numbers]
        row = {
            "name": shortened(nodes[0], NAMES), "nodes": nodes, "count": len(numbers),
            "time": time if measured else None, "share": time / whole if whole else 0.0,
        }  # fmt: skip
        found.append(row | _computed(planned, step, len(numbers), clock))
    return sorted(found, key=lambda g: -(g["time"] or 0.0))


def _key(planned: NetworkPlan, step: AnyStep) -> Any:
    """The common key of equal steps."""
    return planned.question(step) if isinstance(step, Step) else step


def _computed(planned: NetworkPlan, step: AnyStep, times: int, clock: float | None) -> dict[str, Any]:
    """The instructions or backend that compute a step, the reasons if it has no vectors, and its predicted time."""
    if not isinstance(step, Step):
        assert isinstance(step, Foreign)
        return {
            "by": f"{step.backend}, outside of the proof",
            "why": [step.reason],
            "predicted": None,
            "source": [],
            "vectors": False,
        }
    made: Plan = planned.plan_of(step)
    cycles = predicted_cycles(made, planned.threads)
    priced = planned.threads == 1 and all(s.unit == "cycles" and s.parallel is None for s in made.program.schedules)
    if at_least := cycles is None and priced and made.cycles > 0:
        cycles = made.cycles  # of the statements that have a price
    used = dict.fromkeys(s.proved.mapping.instruction.told for s in made.program.schedules)
    alone = len(made.kernel.statements) - len(made.program.schedules)
    by = ", ".join(used) or "element by element"
    if used and alone:
        by += f"; {count(alone, 'statement')} beside it"
    return {
        "by": by, "why": [str(n) for n in made.notes], "vectors": bool(used), "source": source_lines(made.kernel),
        "at_least": at_least,
        "predicted": None if cycles is None or not clock else times * cycles / clock / 1e9,
    }  # fmt: skip


def blocks(planned: NetworkPlan, measured: Dict[int, float]) -> tuple[Box, ...]:
    """The steps in order; a run of steps repeated right behind itself is one box, with the number of repetitions."""
    steps = planned.network.steps
    keys = [_shape(planned, s) for s in steps]
    made: list[Box] = []
    n = 0
    while n < len(steps):
        period, again = _repeated(keys, n)
        made += [_box(planned, n, measured)] if again == 1 else [_stacked(planned, n, period, again, measured)]
        n += period * again
    return tuple(made)


def _shape(planned: NetworkPlan, step: AnyStep) -> Any:
    if isinstance(step, View):
        return "view", planned.network.values[step.source].shape, planned.network.values[step.result].shape
    return _key(planned, step)


def _repeated(keys: Sequence[Any], n: int) -> tuple[int, int]:
    """(steps of the block that repeats from this one on, its repetitions): the pair that covers most steps."""
    best = (1, 1)
    for period in range(1, min(LONGEST, (len(keys) - n) // 2) + 1):
        again = 1
        while keys[n : n + period] == keys[n + again * period : n + (again + 1) * period]:
            again += 1
        if again > 1 and again * period > best[0] * best[1]:
            best = (period, again)
    return best


def _stacked(planned: NetworkPlan, begin: int, period: int, again: int, measured: Dict[int, float]) -> Box:
    numbers = range(begin, begin + period * again)
    inside = tuple(_box(planned, begin + k, measured, numbers[k::period]) for k in range(period))
    return Box("block", f"{again} times", _time(numbers, measured), inside=inside)


def _box(planned: NetworkPlan, number: int, measured: Dict[int, float], numbers: Sequence[int] = ()) -> Box:
    """numbers: of all steps it stands for."""
    step = planned.network.steps[number]
    of = ", ".join(str(planned.network.values[n]) for n in step.results)
    if isinstance(step, View):
        return Box("view", f"view {shortened(step.node, NAMES)}", note=of)
    kind, reads = ("foreign" if isinstance(step, Foreign) else "step"), ", ".join(step.sources)
    time = _time(numbers or (number,), measured)
    return Box(kind, shortened(step.node, NAMES), time, f"{reads} → {of}", step.node)


def _time(numbers: Sequence[int], measured: Dict[int, float]) -> str:
    return seconds(sum(measured.get(n, 0.0) for n in numbers)) if measured else ""


def memory(planned: NetworkPlan) -> Picture:
    """Bytes of the arena over steps: a rectangle for each value, and for each temporary of a running step."""
    network, peak = planned.network, max(1, planned.peak)
    left = 16 + width_of(byte_count(planned.peak))
    wide, tall = (WIDTH - RIGHT - left) / (len(network.steps) + 1), HEIGHT / peak
    held: list[tuple[int, int, int, int, str, int]] = []
    for k, (n, (b, e)) in enumerate(lifetimes(network).items()):
        value = network.values[n]
        end = min(e, len(network.steps) + 1)
        held.append((b, end, planned.places[n], value.bytes, str(value), COLOURS[k % len(COLOURS)]))
    times = [n for n, s in enumerate(network.steps) if isinstance(s, Step)]
    for time, step, work in zip(times, network.kernels, planned.work, strict=True):
        kernel = planned.plan_of(step).program.kernel
        for name, place in work.temporaries:
            size = tensor_bytes(kernel, name)
            held.append((time, time + 1, place, size, f"{name}, a temporary of {step.node}", GREY))
    rectangles = tuple(
        Rectangle(left + b * wide, TOP + place * tall, (e - b) * wide, size * tall, colour,
                  f"{told}: bytes {place:,} to {place + size - 1:,}, steps {b + 1} to {e}")
        for b, e, place, size, told, colour in held if size
    )  # fmt: skip
    labels = (
        Label(left - 8, TOP + 8, "0", "end"),
        Label(left - 8, TOP + HEIGHT, byte_count(planned.peak), "end"),
        Label(left, TOP + HEIGHT + 18, "step 1", "start"),
        Label(WIDTH - RIGHT, TOP + HEIGHT + 18, f"step {len(network.steps)}", "end"),
    )
    bottom = (left, TOP + HEIGHT, WIDTH - RIGHT, TOP + HEIGHT, "axis")
    return Picture("bytes of the arena over steps", WIDTH, TOP + HEIGHT + BOTTOM, rectangles, labels, (bottom,))
