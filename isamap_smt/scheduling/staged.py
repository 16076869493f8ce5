"""The schedule of a kernel on a machine with engines: mappings by a quick estimate, and the stages of the best by CP-SAT."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from contextlib import suppress
from dataclasses import replace
from math import inf, prod
from typing import TYPE_CHECKING, Any

from isamap_encodings.staging_problem import StagingDecision, StagingOperand, StagingProblem, passes
from isamap_smt.ir.errors import OpenSizesError, ScheduleError, did_you_mean, of_argument
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import CostPart, LoopStep, Schedule, Stage
from isamap_smt.ir.staging import side_by_side, steps
from isamap_smt.mapping.instances import computing
from isamap_smt.mapping.named_cells import of_tiles
from isamap_smt.mapping.overlaps import rows_of_slot
from isamap_smt.mapping.runs import blocked, blocks
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.clashing import clashing
from isamap_smt.scheduling.staged_problem import PASSED, Question, check_form, executions, question
from isamap_smt.scheduling.staged_search import SAME, search
from isamap_smt.scheduling.staying import NOTHING_KEPT, Kept, rows_of
from isamap_smt.scheduling.utilisation import utilisation
from isamap_smt.simulator.max_plus import Timing, timing

if TYPE_CHECKING:
    from isamap_encodings.staging_model import StagingAnswer

# Parts of a plan's time: they add up to it. Beside all of them stands each engine's work.
PROLOGUE, STEADY, EPILOGUE, WHOLE = "before the first use", "steady state", "after the last", "all of them"
TOLD = {PROLOGUE: "prologue", STEADY: "steady state", EPILOGUE: "epilogue"}
SPACE = "for each loop a step and a region, for each operand a way and, in each memory on it, a stage in 1 to 4 slots"
SPACE_TOLD = SPACE.replace("a way", "a path through the memories")  # what people read; JSON keeps the other
BEGINS = "an engine begins a use when it is free and what the use awaits has been signalled"
ALONE = "a move or step takes what its description says, whatever the other engines do; a signal takes no time"
SERVED = (
    "a move or step takes what its description says, and until each memory with a bandwidth or banks has served it: one after the "
    "other, as they begin; a signal takes no time"
)
SLOWER = "the executions alone take longer than the plan"
LEFT = "other mappings were more promising, and as many were scheduled as a plan looks at"
STAYS = "what stays on chip between phases: one tensor after the other, where that is quicker; steps along its axes take one tile"
INSIDE = "tiles that stay outside of all loops, filled inside of them: {} such plans timed"
BLOCKS = 2  # mappings with one more loop that are scheduled
MANY = 1 << 40  # rows of a memory that holds anything
ENOUGH = 2.0  # of the solver's deterministic seconds, to see which memory is too small
FAR = 2  # times as quick as the mapping that is taken: one that cannot be scheduled is then said
Lower = Callable[[Schedule, Hardware], Program]
WithAxes = Callable[[ProvedMapping, dict[str, list[str]]], ProvedMapping | None]


def schedule_stages(
    found: Sequence[ProvedMapping],
    hardware: Hardware,
    sizes: Dict[str, int],
    pins: tuple[Pin, ...],
    timeout: float,
    lowered: Lower,
    with_axes: WithAxes = lambda p, axes: None,
    kept: Kept = NOTHING_KEPT,
    without: Sequence[tuple[Mapping, str]] = (),
) -> Schedule:
    """The quickest plan for sizes. found: legal mappings; the most promising of them are scheduled. without: more of them,
    and why no tiles can be made of each. pins: `tile.AXIS`, `region.AXIS`, `stage.OPERAND`, `slots.OPERAND`,
    `via.OPERAND`, `inside.OPERAND`. lowered: makes the program, which is then timed.
    with_axes: a mapping like another one with other axes, proved. kept: the tensors that stay in place between phases.

    Raises ScheduleError if no mapping can be carried out, nothing fits or a pin is unknown; the error says what is
    missing.
    """
    started = time.perf_counter()
    questions: list[tuple[ProvedMapping, Question]] = []
    refused: list[tuple[Mapping, str]] = []
    first: ScheduleError | None = None
    for p in found:
        try:
            questions.append((p, _pinned(question(p.mapping, hardware, sizes, {}, kept), p.mapping, pins)))
        except ScheduleError as error:
            refused.append((p.mapping, str(error)))
            first = first or error
    refused += without
    if not questions:
        raise first or ScheduleError(without[0][1] if without else f"nothing of the kernel maps onto {hardware.name}")
    questions.sort(key=lambda q: (q[1].least, q[0].mapping.id))

    def timed(p: ProvedMapping, q: Question, d: StagingDecision) -> Timing:
        program = lowered(scheduled(p, *decoded(p.mapping, q, d)), hardware)
        return timing(program, sizes, (hardware.instruction(p.mapping.instruction.name).name,))

    def further(p: ProvedMapping, q: Question) -> list[tuple[ProvedMapping, Question]]:
        made = [] if pins else [with_axes(p, axes) for axes in in_blocks(p.mapping, q)]
        found = []
        for m in (m for m in made if m is not None):
            with suppress(ScheduleError):  # no tiles can be made of it
                found.append((m, question(m.mapping, hardware, sizes, {}, kept)))
        return found

    answer = search(questions, timeout, timed, further)
    if answer.best is None:
        raise ScheduleError(_why_none(questions[0][1], questions[0][0].mapping, answer.first))
    p, q, seen = answer.best.proved, answer.best.question, answer.best.timing
    cycles = float(seen.cycles)
    bound = min(float(answer.bound), cycles)
    loops, stages = decoded(p.mapping, q, answer.best.decision)
    legal = len(found) + len(without)
    outside = (
        f"the mapping: {answer.scheduled} scheduled of {len(questions)} that tiles can be made of ({legal} are legal)",
        f"blocks of an axis, by one more loop: {answer.blocked} tried with the best mapping",
        "the order of the loops inside a region, and of the tiles of a step",
        *([STAYS] if kept.stays else []),
        *([INSIDE.format(answer.inside)] if answer.inside and not answer.best.decision.inside else []),
    )
    best = bound >= cycles * (1 - SAME) and not seen.estimate
    slower = sum(q.least >= cycles for _, q in questions[answer.scheduled :])
    unscheduled = Counter(_without_mapping(m, why) for m, why in refused)
    unscheduled |= Counter({SLOWER: slower, LEFT: len(questions) - answer.scheduled - slower})
    notes = (*_free_of_cost(p.mapping, hardware), *_unused(q, hardware), *_quicker_by_far(refused, hardware, sizes, q))
    return scheduled(
        p, loops, stages, status="OPTIMAL" if best else "FEASIBLE", space=SPACE,
        objective=cycles, bound=cycles if best else bound, gap=0.0 if best else 1 - bound / cycles if cycles else 0.0,
        costs=parts(seen, hardware), assumes=_assumes(seen, q), decided_outside=outside, notes=notes,
        unscheduled=tuple((why, n) for why, n in unscheduled.items() if n),
        utilisation=utilisation(p.mapping, hardware, stages, loops, sizes, seen),
        seconds=time.perf_counter() - started, sizes=tuple(sorted(sizes.items())), hardware=hardware,
    )  # fmt: skip


def in_blocks(mapping: Mapping, q: Question) -> list[dict[str, list[str]]]:
    """Axes of mappings with one more loop: blocks of as many tiles along an axis of the output as fit, with all tiles of the
    others, into the memory of the sums in one slot or two."""
    out = q.problem.output
    rows = dict(q.problem.memories)[out.memory]
    tiles = {a.name: a.tiles for a in q.problem.axes if a.name in out.axes}
    found = []
    for axis, loop in blocks(mapping).items():
        if loop not in tiles:
            continue
        others = prod(n for a, n in tiles.items() if a != loop)
        for room in (rows // (out.rows * others), rows // (2 * out.rows * others), rows // (2 * out.rows)):
            steps = -(-tiles[loop] // max(room, 1))
            block = -(-tiles[loop] // steps)
            if 2 <= block < tiles[loop] and (axis, block) not in found:
                found.append((axis, block))
    return [blocked(mapping, axis, block) for axis, block in found[:BLOCKS]]


def parts(seen: Timing, hardware: Hardware) -> tuple[CostPart, ...]:
    """The parts of the time, and beside them the work of each busy engine."""
    in_turn = ((PROLOGUE, seen.first), (STEADY, seen.last - seen.first), (EPILOGUE, seen.cycles - seen.last))
    busy = ((e.name, seen.busy(e.name)) for e in hardware.engines)
    return (*(CostPart(*p) for p in in_turn), *(CostPart(n, cycles, WHOLE) for n, cycles in busy if cycles))


def _assumes(seen: Timing, q: Question) -> tuple[tuple[str, str], ...]:
    """Assumptions behind the time and the choice."""
    known = {a.name: a.tiles for a in q.problem.axes}
    short = ", ".join(f"{a} had {known[a]:,}" for a in q.shortened)
    more = [f"the time is {seen.estimate}"] if seen.estimate else []
    more += [f"the plan was chosen for fewer tiles, as the solver counts in 64 bits: {short}"] if short else []
    rests = (BEGINS, SERVED if seen.served else ALONE)
    return tuple((text, "") for text in (*rests, *more))


def _without_mapping(mapping: Mapping, why: str) -> str:
    """Why a mapping was not scheduled, without its name: others have the same reason."""
    return why.removeprefix(f"{mapping.id}: ")


def _quicker_by_far(
    refused: Sequence[tuple[Mapping, str]], machine: Hardware, sizes: Dict[str, int], taken: Question
) -> tuple[str, ...]:
    """A refused mapping whose executions take at most half the time, in words: the description lacks parts for tiles."""
    lacking = [(executions(m, machine, sizes)[1], m, why) for m, why in refused if _has_form(m, machine)]
    least, m, why = min(lacking, key=lambda x: x[0], default=(inf, None, ""))
    if m is None or not taken.least or FAR * least > taken.least:
        return ()
    told = f"{m.id} would take {least:,.0f} cycles of executions and not {taken.least:,.0f}"
    return (f"{told}, but no tiles can be made of it: {_without_mapping(m, why)}",)


def _has_form(mapping: Mapping, machine: Hardware) -> bool:
    """Whether programs for engines are made of such a mapping, on some machine and at known sizes."""
    try:
        check_form(mapping, computing(mapping, machine))
    except ScheduleError as error:
        return isinstance(error, OpenSizesError)
    return True


def _free_of_cost(mapping: Mapping, machine: Hardware) -> tuple[str, ...]:
    """A computing instruction without a figure, in words: cycles say nothing then."""
    compute = machine.instruction(mapping.instruction.name)
    if compute.work is None:
        taken = compute.occupies.cycles(0)
        return (
            f"{compute.name} says no work: each use is taken to occupy {compute.engine} for {taken:g} cycle{'s' * (taken != 1)}; "
            "add work=im.Work(start, each, per)",
        )
    if not compute.occupies.cycles(prod(compute.axes[a] for a in compute.work.per)):
        return (f"{compute.name} occupies {compute.engine} for 0 cycles, as its work says; give it some",)
    return ()


def _unused(q: Question, machine: Hardware) -> tuple[str, ...]:
    """Memories that tiles never pass, in words: a description may be at fault."""
    used = {o.memory for o in q.problem.stages} | {memory for i in machine.computes for _, memory in i.places}
    used |= {memory for c in q.covers for i in c.before_the_store for _, memory in i.places}
    why = "tiles come there from main memory, and are taken on whole, as they lie"
    return tuple(f"nothing passes {m}: {why}" for m, _ in q.problem.memories if m not in used)


def scheduled(p: ProvedMapping, loops: tuple[LoopStep, ...], stages: tuple[Stage, ...], **about: Any) -> Schedule:
    """A schedule of stages, the output's last: the loops around it enclose the accumulators."""
    return Schedule(p, loops, stages[-1].depth or 0, (), stages, **about)


def decoded(mapping: Mapping, q: Question, d: StagingDecision) -> tuple[tuple[LoopStep, ...], tuple[Stage, ...]]:
    """Loops and stages of a decision. Loops of one step come last."""
    extents = {a.name: a.extent for a in mapping.outer}
    counts = {a: steps(extents[a], d.tiles[a]) for a in extents}
    reduced = {a.name for a in q.problem.reduced}
    order = sorted(extents, key=lambda a: (counts[a] == 1, d.regions[a], a in reduced))
    loops = tuple(LoopStep(a, d.tiles[a]) for a in order)
    stages = []
    for o in q.problem.stages:
        if o.of and not passes(q.problem, d, o):
            continue
        depth = sum(counts[a] != 1 and d.regions[a] <= d.stages[o.name] for a in order)
        end = q.covers[d.ways[o.name]] if o is q.problem.output else None
        begin = next((s.instruction.name for s in end.begins), "") if end else ""
        updates = tuple(u.instruction.name for u in end.updates) if end else ()
        slots = d.slots[o.name] if depth else 1
        via = o.ways[d.ways[o.name]].name
        if end is not None and end.onward is not None:
            s = end.onward.kernel.statements[0]
            memory, waiting = end.onward.operand(s.target.tensor).memory, PASSED if depth else 1
            stages.append(Stage(o.name, depth, memory=memory, slots=waiting, rows=o.rows, via=via, updates=updates))
            via, updates = end.onward.name, ()
        stages.append(
            Stage(
                o.of or o.name, depth, memory=o.memory, slots=slots, rows=o.rows, via=via, begin=begin,
                updates=updates, spare=o.spare, shared=o.slides is not None,
            )
        )  # fmt: skip
    at = {
        name: (stay.ends - rows_of(q, name), stay.stored and name == q.problem.output.name) for name, stay in q.staying
    }
    stages = [replace(x, filled=_filled(q, d, x, stages)) for x in stages]
    placed = [
        replace(x, stays=True, offset=at[x.operand][0], stored=at[x.operand][1]) if x.operand in at else x
        for x in stages
    ]
    return loops, side_by_side(placed, [rows_of_slot(of_tiles(mapping), loops, x) for x in placed])


def _filled(q: Question, d: StagingDecision, stage: Stage, stages: Sequence[Stage]) -> int | None:
    """Inside how many loops a stage's tiles are filled, those of the innermost stage that waits for them; None: where it
    begins."""
    own = {o.name: (o.of or o.name, o.memory) for o in q.problem.stages}
    if (stage.operand, stage.memory) not in [own[o] for o in d.inside]:
        return None
    takes = [s for s in stages if s.operand == stage.operand and s is not stage] or stages
    return max(s.depth or 0 for s in takes)


def _pinned(q: Question, mapping: Mapping, pins: tuple[Pin, ...]) -> Question:
    """The question with pins, checked. Raises ScheduleError."""
    known = {f"{what}.{a.name}" for a in q.problem.axes for what in ("tile", "region")}
    known |= {f"{what}.{o.name}" for o in q.problem.stages for what in ("stage", "slots", "via")}
    known |= {f"inside.{o.name}" for o in q.problem.stages if o is not q.problem.output}
    made: dict[str, int] = {}
    own = {f"{o.name}@{o.memory}": o.name for o in q.problem.operands}  # the memory that it has anyway may be named
    for pin in pins:
        what, of, value = pin.kind, own.get(pin.of, pin.of), pin.value
        name = f"{what}.{of}" if of else what
        if name not in known:
            why = f"no such decision for {mapping.id}; {did_you_mean(name, sorted(known))}"
            raise of_argument(ScheduleError, "fix", {pin.name: value}, why, name)
        if what == "via":
            names = [m.name for m in q.moves[of]]
            if value not in names:
                why = f"no way to move {of}; {did_you_mean(str(value), names)}"
                raise of_argument(ScheduleError, "fix", {pin.name: value}, why, f"{name}={value}")
            made[name] = names.index(str(value))
            continue
        low, high = {"tile": (1, 256), "slots": (1, q.problem.slots), "inside": (0, 1)}.get(what, (0, 2))
        if not isinstance(value, int) or not low <= value <= high:
            why = f"pass a whole number from {low} to {high}"
            raise of_argument(ScheduleError, "fix", {pin.name: value}, why, f"{name}={value}")
        made[name] = value
    return replace(q, problem=replace(q.problem, pins=tuple(sorted({**dict(q.problem.pins), **made}.items()))))


def _must(q: Question, stage: StagingOperand) -> bool:
    """Whether each plan has it."""
    return all(w.outer == stage.name for o in q.problem.inputs if o.name == stage.of for w in o.ways)


def _tiles_in(q: Question, memory: str) -> list[StagingOperand]:
    """Operands with a tile in the memory in every plan."""
    return [o for o in q.problem.stages if o.memory == memory and _must(q, o)]


def too_small(q: Question) -> tuple[tuple[str, int, int], ...]:
    """(memory, its rows, rows for one tile of each operand there) of memories with too few."""
    needed = ((m, rows, sum(o.rows + o.spare for o in _tiles_in(q, m))) for m, rows in q.problem.memories)
    return tuple(x for x in needed if x[2] > x[1])


def _why_none(q: Question, mapping: Mapping, answer: StagingAnswer) -> str:
    """Why no plan was found, in words."""
    if answer.status == "UNKNOWN":
        return f"{mapping.id}: the solver found no plan in time; give it more seconds (timeout)"
    for memory, rows, needed in too_small(q):
        tiles = ", ".join(f"{o.name} {o.rows + o.spare}" for o in _tiles_in(q, memory))
        missing = "1 row is" if needed == rows + 1 else f"{needed - rows} rows are"
        return (
            f"{memory} has {rows} rows, and one tile of each operand there needs {needed} ({tiles}): {missing} missing; "
            f"enlarge the capacity of {memory}"
        )
    clash = clashing(q.problem.pins, lambda some: _asked(replace(q.problem, pins=some)).status == "INFEASIBLE")
    q = replace(q, problem=replace(q.problem, pins=clash))
    pins = " ".join(f"{n}={v}" for n, v in clash)
    said = f"{mapping.id}: no plan fits" + (f" with {pins}" if pins else "")
    free = "free a pin, or " * bool(pins)
    for memory, rows in q.problem.memories:
        if _fits_with_more(q, memory):
            return f"{said}: {memory}, with its {rows} rows, is too small; {free}enlarge {memory}"
    return f"{said}; {free}enlarge the memories"


def _asked(problem: StagingProblem) -> StagingAnswer:
    from isamap_encodings.staging_model import StagingModel

    return StagingModel(problem).solve(ENOUGH)


def _fits_with_more(q: Question, memory: str) -> bool:
    """Whether there is a plan if this memory has room for anything."""
    memories = tuple((m, MANY if m == memory else rows) for m, rows in q.problem.memories)
    return _asked(replace(q.problem, memories=memories)).decision is not None
