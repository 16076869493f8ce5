"""Plans for machines with engines: mappings, stages, a proved program of uses. The counterpart of plan() for cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from isamap_encodings import deadline
from isamap_smt.codegen.configure import configured
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.arguments import function_or_none, time_limit, valid_sizes
from isamap_smt.ir.errors import (
    HardwareError,
    NotProvedError,
    ScheduleError,
    UndecidedError,
    UnknownNameError,
    did_you_mean,
    of_argument,
)
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.phases import Shared, apart, joined, phase_counts, phase_kernels
from isamap_smt.ir.program import Issued, Program, ProvedProgram
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import Read, index_values
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.time_limit import found_in_time, limited
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.language.library import found_kernel
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.epilogue import carried_out
from isamap_smt.mapping.fuse import fuse, takes
from isamap_smt.mapping.instances import instances
from isamap_smt.mapping.runs import tilings
from isamap_smt.mapping.staged_values import stage_values
from isamap_smt.mapping.taken_apart import Covering
from isamap_smt.mapping.types_of import with_types_of_engines
from isamap_smt.pipeline.arguments import found_hardware, found_name
from isamap_smt.pipeline.axis_parts import Apart, InParts
from isamap_smt.pipeline.on_chip import Chosen, OnChip
from isamap_smt.pipeline.phases_in_blocks import InBlocks, part_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.question import Clock, Progress
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.program import require_proof
from isamap_smt.proof.split import require_split
from isamap_smt.scheduling.arguments import PLAN_SECONDS, Pin, pinned
from isamap_smt.scheduling.staged import schedule_stages
from isamap_smt.scheduling.staged_problem import executions, question
from isamap_smt.scheduling.staying import NOTHING_KEPT, Kept, Staying
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.search.alike import legal_mappings, proved_where_useful

Mappings = tuple[list[ProvedMapping], list[tuple[Mapping, str]]]  # proved, and left unproved with the reason
Ways = tuple[tuple[bool, str], ...]  # whether axes of the instruction may stay unused, what to say of it
DIGITS = 6  # offered mappings that fill tiles with digits of axes
ASSUMED = 64  # points of an axis whose size is left open: the plan is made for these, and right for all


_NEUTRAL: dict[str, Any] = {
    "threads": 1, "objective": "latency", "constant": (), "assume": False, "strategy": "auto", "cost_model": "auto",
    "family": "fuse",
}  # fmt: skip


def require_neutral(hardware: Hardware, given: Dict[str, Any]) -> None:
    """Raise ScheduleError for options of plan() with no use for engines, unless left at their defaults."""
    for option, value in given.items():
        if value != _NEUTRAL[option]:
            why = f"programs for the engines of {hardware.name} have no such choice; leave it out"
            error = of_argument(ScheduleError, option, value, why)
            error.option = f"--{option.replace('_', '-')}: {why}"
            raise error


def stage(
    kernel: Kernel | str,
    hardware: Hardware | str,
    *,
    sizes: Dict[str, int] | None = None,
    fix: Dict[str, Any] | None = None,
    timeout: float | None = None,
    instruction: str | None = None,
    axes: str | Dict[str, Sequence[str]] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Map, prove, choose stages, lower and prove, for a machine with engines.

    Sizes left out stay open: the program is proved for all, and planned for 64 points of each such axis.
    A kernel given by name takes the element types of the machine's first compute instruction, unless its text has types;
    one given by value keeps its own.
    sizes: by axis, size or parameter name. fix: pinned decisions, `tile.AXIS`, `region.AXIS`, `stage.OPERAND`,
    `slots.OPERAND`, `via.OPERAND` or `inside.OPERAND` -> value. timeout: as for plan(). axes: of the one
    mapping to take, as for fuse(), with digits such as `i=p%4.q`, for a kernel of one sum. Raises HardwareError for a
    machine without engines, ScheduleError if nothing fits, TimeLimitError if there is no plan in time, NotProvedError if
    the program cannot be proved.
    """
    named, hardware = isinstance(kernel, str), found_hardware(hardware)
    kernel = found_kernel(kernel)
    if not hardware.engines:
        raise HardwareError(f"{hardware.name} has no engines; plan() makes plans for it")
    kernel = with_types_of_engines(kernel, hardware) if named else kernel
    sizes, pins, limit = valid_sizes(sizes), pinned(fix), time_limit(timeout, ScheduleError)
    told = function_or_none(progress, "progress", ScheduleError)
    kernel.with_sizes(sizes)
    ask = _Asked(hardware, sizes, pins, limit or PLAN_SECONDS, found_name(instruction), Clock(told), axes)
    with limited(limit, f"{kernel.name} on {hardware.name}"):
        return _staged(kernel, ask)


def _staged(kernel: Kernel, ask: _Asked) -> Plan:
    hardware, sizes = ask.hardware, ask.sizes
    refused: ScheduleError | None = None
    for known, planned, ways in _sizes_known(kernel, sizes):
        given = kernel.with_sizes(known)
        try:
            found = _phases(given, replace(ask, sizes=planned), ways)
        except ScheduleError as error:
            refused = error if refused is None or isinstance(refused, _UnmappedError) else refused
            continue
        try:
            found, program, checked, given_up = _best_proved(found, replace(ask, sizes=planned), ways)
        except NotProvedError:
            if not found.told:
                raise
            left = f"{'; '.join(found.told)}: the program of the parts was not proved, and they are left"
            ask = replace(ask, in_parts=False)
            found = _phases(given, replace(ask, sizes=planned), ways)
            found, program, checked, given_up = _best_proved(found, replace(ask, sizes=planned), ways)
            given_up = (*given_up, left)
        schedules = tuple(s for s, _ in found.chosen)
        split = None if found.form is None else require_split(found.form)
        cut = [found_in_time(ask.timeout)] if deadline.was_cut() else []
        notes = dict.fromkeys(
            [
                *(
                    f"{one}, as no instruction computes all of the statement"
                    for one in (found.form.chain if found.form else ())
                ),
                *(n for _, notes in found.chosen for n in notes),
                *(n for s in schedules for n in s.notes),
                *(
                    f"{s.tensor} stays in {s.memory} between phases{', and is stored, too' * s.stored}"
                    for s in found.staying
                ),
                *found.told,
                *found.in_blocks,
                *given_up,
                *_idle(program, hardware),
                *cut,
            ]
        )
        seconds = tuple(ask.clock.seconds.items())
        return Plan(program.kernel, hardware, checked, tuple(notes), seconds, split=split, phases=schedules)
    assert refused is not None
    raise refused


def _best_proved(found: _Phases, ask: _Asked, ways: Ways) -> tuple[_Phases, Program, ProvedProgram, tuple[str, ...]]:
    """The quickest plan of these phases that is proved, what stays on chip included. Raises NotProvedError."""
    found, kept = _reading_on_chip(found, _on_chip(found, ask, ways), ask, ways)
    tried = (_in_blocks(found, kept, ask, ways), kept, found)
    return _first_proved([p for n, p in enumerate(tried) if p not in tried[:n]], ask)


def _first_proved(plans: Sequence[_Phases], ask: _Asked) -> tuple[_Phases, Program, ProvedProgram, tuple[str, ...]]:
    """The first plan whose program is proved, and what was given up before, in words. Raises NotProvedError."""
    given_up: list[str] = []
    for p in plans:
        try:
            return p, *_proved(p, ask), tuple(given_up)
        except NotProvedError:
            if p is plans[-1]:
                raise
            given_up += (
                f"{s.tensor} passes main memory: that it stays in {s.memory} was not proved"
                for s in p.staying
                if not p.in_blocks
            )
            given_up += (f"{told}: this was not proved, and is left" for told in p.in_blocks)
    raise AssertionError("a kernel has a plan")


def _proved(found: _Phases, ask: _Asked) -> tuple[Program, ProvedProgram]:
    """The program of all phases. Raises NotProvedError."""
    lowered = [ask.clock.time("lower", _lowered, s, ask.hardware) for s, _ in found.chosen]
    program = joined(lowered, found.kernel, [s.staying for s, _ in found.chosen], found.shared)
    try:
        return program, ask.clock.time("prove", require_proof, program)
    except NotProvedError:
        for s in found.kernel.statements:
            if why := _meeting(found.kernel, s, ask.hardware):
                raise ScheduleError(why) from None
        raise


def _meeting(kernel: Kernel, s: Statement, machine: Hardware) -> str:
    """Why sums that meet in one element have no program, as in a transposed convolution whose windows overlap; '' for others."""
    axes = [a for a in fibres(kernel, s).axes if a in symbols_of(s.target.index)]
    if not axes:
        return ""
    return (
        f"{kernel.name}: `{s.source or s.target.tensor}`: several points of {', '.join(axes)} add to one element of "
        f"{s.target.tensor}, and programs for the engines of {machine.name} begin each sum once and store it once. Write it "
        f"from the output, with an axis for each index of {s.target.tensor} and a `where` for what reaches it, such as "
        "TRANSPOSED_BY_OUTPUT in examples/convolutions.py; a machine without engines takes it as it is"
    )


@dataclass(frozen=True)
class _Phases:
    """kernel: the one asked for, or the result of `form`. counts: statements of each phase. chosen: its schedule and notes.

    staying: tensors kept in a memory from the phase computing them on. shared: phases in one loop over blocks;
    in_blocks: the same in words. told: phases in parts, in words.
    """

    kernel: Kernel
    counts: tuple[int, ...]
    chosen: tuple[Chosen, ...]
    form: Rewrite | None = None
    staying: tuple[Staying, ...] = ()
    shared: tuple[Shared, ...] = ()
    in_blocks: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def cycles(self) -> float:
        """Of all phases."""
        return float(sum(s.objective or 0 for s, _ in self.chosen))


def _phases(kernel: Kernel, ask: _Asked, ways: Ways, counts: tuple[int, ...] = ()) -> _Phases:
    """The schedules of all phases. A later statement is carried out with the one before it if possible, else behind it.

    counts: statements of each phase to begin with. A statement that no single instruction computes is taken apart.
    Raises ScheduleError.
    """
    counts, form = counts or phase_counts(kernel), None
    chosen: list[Chosen] = []
    told: tuple[str, ...] = ()
    while len(chosen) < len(counts):
        n = len(chosen)
        try:
            one = _chosen(phase_kernels(kernel, counts)[n], ask, ways)
            parts = _in_parts(kernel, counts, one, n, ask, ways) if form is None else None
            if parts is None:
                chosen.append(one)
            else:
                kernel, counts, told = parts.kernel, parts.counts, (*told, *parts.told)
                chosen += parts.chosen
        except UndecidedError:
            raise
        except ScheduleError as error:
            first = sum(counts[:n])
            if not any(i.combines == "=" for i in ask.hardware.computes):
                raise
            if counts[n] > 1:
                counts = apart(counts, n)
            else:
                form = _taken_apart(kernel, first, ask, error, form)
                kernel = form.kernel
                counts = (*counts[:n], *phase_counts(kernel, first))
    return _Phases(kernel, counts, tuple(chosen), form, told=told)


def _in_parts(kernel: Kernel, counts: tuple[int, ...], one: Chosen, n: int, ask: _Asked, ways: Ways) -> Apart | None:
    """The kernel with phase n in parts, if that takes fewer cycles than `one` and nothing is pinned."""
    if not ask.in_parts or ask.pins or ask.instruction or ask.axes is not None:
        return None

    def chosen(part: Kernel, like: Sequence[Mapping]) -> Chosen:
        ask.like[part] = like
        return _chosen(part, ask, ways)

    legal = ask.legal.get(phase_kernels(kernel, counts)[n], ())
    sizes = partial(assumed_sizes, sizes=ask.sizes)
    return InParts(ask.hardware, chosen, sizes).quicker(kernel, counts, n, one, legal)


def _on_chip(found: _Phases, ask: _Asked, ways: Ways) -> _Phases:
    """The same with temporaries kept on chip between phases, if that takes fewer cycles and nothing is pinned."""
    if ask.pins or ask.instruction or ask.axes is not None or len(found.chosen) == 1:
        return found
    kernels = phase_kernels(found.kernel, found.counts)

    def chosen(phase: int, kept: Kept) -> Chosen:
        return _chosen(kernels[phase], replace(ask, kept=kept), ways)

    made = OnChip(ask.hardware, chosen, lambda s: _lowered(s, ask.hardware), found.chosen)
    made = made.with_temporaries(found.kernel, kernels)
    return replace(found, chosen=made.chosen, staying=tuple(s.staying for s in made.stays))


def _reading_on_chip(found: _Phases, kept: _Phases, ask: _Asked, ways: Ways) -> tuple[_Phases, _Phases]:
    """The plan, in main memory and on chip, with what follows a sum behind it, if that takes fewer cycles.

    What follows a sum reads elements beside it from main memory. If these are a temporary that another phase computes, a
    phase of its own may find both on chip. Phases in parts of an axis stay as they are.
    """
    if ask.pins or ask.instruction or ask.axes is not None or found.form is not None or found.told:
        return found, kept
    for n, phase in enumerate(phase_kernels(found.kernel, found.counts)):
        earlier = set(found.kernel.temporaries) & set(phase.inputs)
        if len(phase.statements) < 2 or not any(a.tensor in earlier for s in phase.statements[1:] for a in s.inputs):
            continue
        try:
            other = _phases(found.kernel, ask, ways, apart(found.counts, n))
            there = _on_chip(other, ask, ways)
        except UndecidedError:
            raise
        except ScheduleError:
            continue
        if there.cycles < kept.cycles:
            found, kept = other, there
    return found, kept


def _in_blocks(found: _Phases, kept: _Phases, ask: _Asked, ways: Ways) -> _Phases:
    """The same with runs of phases in loops over blocks, if that takes fewer cycles and nothing is pinned.

    found: with all temporaries in main memory. kept: with some on chip as a whole.
    """
    if ask.pins or ask.instruction or ask.axes is not None or len(found.chosen) == 1:
        return kept
    kernels = phase_kernels(found.kernel, found.counts)

    def chosen(kernel: Kernel, kept: Kept) -> Chosen:
        return _chosen(kernel, replace(ask, kept=kept), ways)

    def lowered(s: Schedule) -> Program:
        return _lowered(s, ask.hardware)

    planner = InBlocks(
        ask.hardware, found.kernel, kernels, chosen, lowered, lambda kernel: assumed_sizes(kernel, ask.sizes)
    )
    blocks = planner.quicker(kept.chosen, [s.tensor for s in kept.staying])
    if not blocks:
        return kept
    every, staying = list(found.chosen), []
    at = 0
    for b in (*blocks, None):
        end = b.phases[0] if b else len(every)
        if at < end:
            part = kernels[at:end]

            def choose(phase: int, kept: Kept, part: tuple[Kernel, ...] = part) -> Chosen:
                return chosen(part[phase], kept)

            made = OnChip(ask.hardware, choose, lowered, tuple(every[at:end]))
            made = made.with_temporaries(part_of(found.kernel, kernels, range(at, end)), part)
            every[at:end] = made.chosen
            staying += [s.staying for s in made.stays]
        if b:
            every[b.phases[0] : b.phases[-1] + 1] = b.chosen
            at = b.phases[-1] + 1
    made_so = replace(
        found, chosen=tuple(every), staying=tuple(staying), shared=tuple(b.shared for b in blocks),
        in_blocks=tuple(b.told for b in blocks),
    )  # fmt: skip
    return min(kept, made_so, key=lambda f: f.cycles)


def _followed(kernel: Kernel, statement: int, machine: Hardware) -> bool:
    """Whether the statement behind this one may be carried out with it: the machine can change elements so in place."""
    counts = (*(1,) * statement, *phase_counts(kernel, statement))
    phase = phase_kernels(kernel, counts)[statement]
    for memory in dict.fromkeys(i.operand(i.target).memory for i in machine.computes if i.combines == "="):
        with suppress(ScheduleError):
            return len(phase.statements) > 1 and carried_out(phase, machine, memory)
    return False


def _taken_apart(kernel: Kernel, statement: int, ask: _Asked, error: ScheduleError, before: Rewrite | None) -> Rewrite:
    """The kernel with a part of a statement in one of its own.

    Raises `error` if nothing is missing, or a ScheduleError naming the part not computed by any instruction.
    """
    s, machine = kernel.statements[statement], ask.hardware
    covering = Covering(machine.computes, {t.name: t.dtype for t in kernel.tensors})
    pinned_down = ask.instruction or ask.axes is not None
    for at_once in () if pinned_down else covering.parts_at_once(kernel, statement):
        made = stage_values(kernel, statement, at_once)
        if _followed(made.kernel, statement, machine):
            return replace(made, before=before)
    part = None if pinned_down else covering.next_part(kernel, statement)
    if part is not None:
        return replace(stage_values(kernel, statement, part), before=before)
    missing = covering.missing(kernel, statement)
    if missing is None:
        raise error
    what = "it" if missing == s.value and (s.op != "=" or isinstance(missing, Read)) else value_text(missing)
    told = f"{kernel.name}: `{s.source or s.target.tensor}`: no instruction of {machine.name} computes {what}"
    kind, have = kernel.tensor(s.target.tensor).dtype, ", ".join(i.short for i in machine.computes)
    open_ = sorted(symbols_of(index_values(missing)) & set(kernel.free_sizes))
    given = f"; give {', '.join(open_)}, so that it is a number in the code, or" if open_ else ";"
    raise ScheduleError(f"{told} as {kind}{given} describe one that does, beside {have}") from None


def _lowered(schedule: Schedule, hardware: Hardware) -> Program:
    """The program of one phase, with its engines' configuration."""
    return configured(lower_stages(schedule, hardware))


def _idle(program: Program, machine: Hardware) -> list[str]:
    """Engines that carry nothing of the program out, in words: a description may be at fault."""
    used = {u.instruction.engine for u in nodes_of(Issued, program) if u.instruction.kind != "signal"}
    found = []
    for e in machine.engines:
        own = [i.short for i in machine.instructions if i.engine == e.name]
        if not own and not e.host:
            found.append(f"engine {e.name} issues no instruction of {machine.name}")
        elif own and e.name not in used:
            found.append(f"engine {e.name} idles in all of this program: it needs none of {', '.join(own)}")
    return found


@dataclass(frozen=True)
class _Asked:
    """The arguments of stage(), beside the kernel."""

    hardware: Hardware
    sizes: dict[str, int]
    pins: tuple[Pin, ...]
    timeout: float
    instruction: str | None
    clock: Clock
    axes: str | Dict[str, Sequence[str]] | None = None
    kept: Kept = NOTHING_KEPT
    in_parts: bool = True  # whether phases may be taken apart along an axis
    known: dict[Any, Schedule | ScheduleError | None] = field(default_factory=dict)  # of phases, by what decides them
    legal: dict[Kernel, Sequence[Mapping]] = field(default_factory=dict)  # all mappings of a phase
    like: dict[Kernel, Sequence[Mapping]] = field(default_factory=dict)  # of phases that are parts: those of the whole


def _chosen(kernel: Kernel, ask: _Asked, ways: Ways) -> Chosen:
    """The schedule of one phase, and notes on it. Raises ScheduleError."""
    fitting = _fitting(kernel, ask.hardware, ask.instruction)
    if ask.axes is not None:
        return _with_these(kernel, ask, fitting), ()
    refused: ScheduleError | None = None
    for unused, note in ways:
        # a phase is planned once, though the sizes of another one may be left open behind it
        key = kernel, unused, tuple(assumed_sizes(kernel, ask.sizes).items()), ask.kept
        if key not in ask.known:
            ask.known[key] = _scheduled(kernel, ask, fitting, unused)
        match ask.known[key]:
            case Schedule() as schedule:
                return schedule, (note + (f"; {refused}" if refused else ""),) if note else ()
            case ScheduleError() as error:
                refused = refused or error
    raise refused or _unmapped(kernel, fitting)


def _scheduled(
    kernel: Kernel, ask: _Asked, fitting: list[Instruction], unused: bool
) -> Schedule | ScheduleError | None:
    """The schedule of one phase, or why there is none; None if nothing maps. unused: whether instruction axes may be."""
    found, left = ask.clock.time("map", _mappings, kernel, fitting, ask, unused)
    ask.legal[kernel] = (*(p.mapping for p in found), *(m for m, _ in left))
    whole = ask.legal[kernel] if kernel in ask.like else [p.mapping for p in found]
    found += ask.clock.time("map", in_digits, whole, kernel, ask)
    given = ask.hardware, assumed_sizes(kernel, ask.sizes), ask.pins, ask.timeout, _lowered
    try:
        return ask.clock.time("schedule", schedule_stages, found, *given, partial(_with_axes, kernel), ask.kept, left)
    except ScheduleError as error:
        return error if found or left else None


def _with_these(kernel: Kernel, ask: _Asked, fitting: list[Instruction]) -> Schedule:
    """The schedule of the mapping with the given axes. Raises AxesError, NotProvedError, ScheduleError."""
    assert ask.axes is not None
    found, wrong = [], None
    for i in fitting:
        proved = prove(fuse(kernel, i, ask.axes, "any", kernel.main, True))
        if isinstance(proved, ProvedMapping):
            found.append(proved)
        else:
            wrong = wrong or proved
    if not found:
        raise NotProvedError(
            f"axes: {kernel.name} with {ask.axes} is no legal mapping: {wrong}; `isamap prove` says more"
        )
    given = ask.hardware, assumed_sizes(kernel, ask.sizes), ask.pins, ask.timeout, _lowered
    return ask.clock.time("schedule", schedule_stages, found, *given)


def _fitting(kernel: Kernel, hardware: Hardware, instruction: str | None) -> list[Instruction]:
    """The machine's instructions for the kernel's types, or the named one. Raises UnknownNameError, ScheduleError."""
    named = [i for i in hardware.computes if instruction in (None, i.name, i.short)]
    if not named:
        hint = did_you_mean(str(instruction), [i.short for i in hardware.computes])
        why = f"{hardware.name} computes with no such one; {hint}"
        raise of_argument(UnknownNameError, "instruction", instruction, why)
    s = kernel.statements[kernel.main]
    ready = [x for i in named for x in instances(i, s)]
    fitting = [i for i in ready if takes(kernel, i, kernel.main)]
    fitting = [i for i in fitting if i.combines in ("", s.op)] or fitting
    if not fitting:
        theirs = "; ".join(f"{i.short} takes {_types(i.kernel)}" for i in named)
        raise ScheduleError(
            f"{kernel.name} has {_types(kernel)}, which no instruction of {hardware.name} takes: {theirs}; give it others with "
            "with_dtypes() or --dtypes, or describe one that does"
        )
    return fitting


def _sizes_known(kernel: Kernel, sizes: dict[str, int]) -> Iterator[tuple[dict[str, int], dict[str, int], Ways]]:
    """(fixed sizes, sizes to plan for, ways to map), the best first. Ways: whether instruction axes may stay unused, and a note.

    An axis of one point maps to nothing, so its size is left open. The last entry plans for several steps: only so is a stage
    inside a loop over an open size planned.
    """
    unused = (True, "an axis of the instruction is left unused")
    ones = [a.name for a in kernel.with_sizes(sizes).axes if a.extent == 1]
    if not ones:
        yield sizes, sizes, ((False, ""), unused)
        return
    yield sizes, sizes, ((False, ""),)
    names = {str(a.extent): a.name for a in kernel.axes} | {a.name: a.name for a in kernel.axes}
    longer = {n: v for n, v in sizes.items() if names.get(n) not in ones}
    told = f"the size of {', '.join(ones)} is left open: an axis of one point is none to map"
    yield longer, sizes, ((False, told), unused)
    yield longer, longer, ((False, f"{told}; the plan, and the cycles that it predicts, are for {ASSUMED}"), unused)


def _mappings(kernel: Kernel, fitting: list[Instruction], ask: _Asked, partial: bool) -> Mappings:
    """The legal mappings onto the instructions; of those that are only like a proved one, those that tiles can be made of."""
    sizes = assumed_sizes(kernel, ask.sizes)

    def no_tiles(m: Mapping) -> str:
        try:
            question(m, ask.hardware, sizes, {}, ask.kept)
        except ScheduleError as error:
            return str(error)
        return ""

    if kernel in ask.like:
        return proved_where_useful(ask.like[kernel], no_tiles)
    return legal_mappings(kernel, fitting, lambda i: _search(kernel, i, partial), no_tiles)


def in_digits(found: Sequence[Mapping], kernel: Kernel, ask: _Asked) -> list[ProvedMapping]:
    """For mappings whose tiles begin and end inside of runs: mappings that fill a tile with digits of the same axes.

    Only those of which tiles can be made are returned, at most DIGITS, fewest executions first.
    """
    sizes, ranked = assumed_sizes(kernel, ask.sizes), []
    for m in found:
        rows = {o.name: str(o.row) for o in m.instruction.operands}
        for axes in tilings(m, rows):
            mapping = _like(m, kernel, axes)
            ranked.append((executions(mapping, ask.hardware, sizes)[1], mapping))
    ranked.sort(key=lambda r: (r[0], r[1].id))
    made: list[ProvedMapping] = []
    for _, mapping in ranked:
        if len(made) == DIGITS:
            break
        if any(p.mapping == mapping for p in made):  # two mappings lead to it
            continue
        with suppress(ScheduleError):  # no tiles can be made of it
            question(mapping, ask.hardware, sizes, {})
            made += [p for p in (prove(mapping),) if isinstance(p, ProvedMapping)]
    return made


def _like(mapping: Mapping, kernel: Kernel, axes: dict[str, list[str]]) -> Mapping:
    """A mapping like it with other axes; nothing about it is proved yet."""
    target = mapping.instruction.kernel.statements[0].target.tensor
    operands = {o: a.tensor for o, a in mapping.binding if o != target}
    return fuse(kernel, mapping.instruction, axes, operands, mapping.statement_index, True)


def _with_axes(kernel: Kernel, like: ProvedMapping, axes: dict[str, list[str]]) -> ProvedMapping | None:
    """The mapping with these axes, if legal; else None."""
    found = prove(_like(like.mapping, kernel, axes))
    return found if isinstance(found, ProvedMapping) else None


@lru_cache(maxsize=64)  # a kernel is staged with several plans
def _search(kernel: Kernel, instruction: Instruction, partial: bool) -> MappingSet:
    return find_mappings(kernel, instruction, partial=partial).finished()


class _UnmappedError(ScheduleError):
    """Nothing maps; why says more, where a size is left open and something maps then."""


def _unmapped(kernel: Kernel, fitting: list[Instruction]) -> _UnmappedError:
    """Why nothing maps."""
    sets = [find_mappings(kernel, i) for i in fitting]
    why = "; ".join(dict.fromkeys(text for s in sets for _, text in s.reasons))
    names = ", ".join(i.name for i in fitting)
    return _UnmappedError(f"{kernel.name} does not map onto {names}: {why or 'see `isamap map`'}")


def _types(kernel: Kernel) -> str:
    return " ".join(f"{t.name}:{t.dtype}" for t in kernel.tensors)


def assumed_sizes(kernel: Kernel, sizes: dict[str, int]) -> dict[str, int]:
    """A value for every size of the kernel, by its symbol."""
    known = dict(sizes)
    for a in kernel.axes:
        if a.name in sizes and a.extent.is_Symbol:
            known[str(a.extent)] = sizes[a.name]
    lows = {p.name: p.low for p in kernel.parameters}
    return {n: known.get(n, lows.get(n, ASSUMED)) for n in kernel.free_sizes}
