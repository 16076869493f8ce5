"""All stages in a row: kernel and hardware in; proved mapping, schedule, proved program and C out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from isamap_encodings import deadline
from isamap_smt.codegen import PrintedC, print_c
from isamap_smt.ir.arguments import (
    MOST_THREADS,
    function_or_none,
    seconds,
    time_limit,
    valid_sizes,
    whole_number,
    yes_or_no,
)
from isamap_smt.ir.errors import (
    HardwareError,
    ScheduleError,
    UnknownNameError,
    did_you_mean,
)
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.notes import GivenUp, OneThread
from isamap_smt.ir.online_rounding import online_rounding
from isamap_smt.ir.opened import opened
from isamap_smt.ir.program import Parallel, Program, ProvedProgram
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.ir.reach import require_inside
from isamap_smt.ir.rewrite import ProvedSplit
from isamap_smt.ir.scalar import index_values
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.sizes import check_room
from isamap_smt.ir.time_limit import found_in_time, limited
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.language.library import found_kernel
from isamap_smt.language.ranges import assume as assume_values
from isamap_smt.mapping.wider_sums import narrow_sums
from isamap_smt.pipeline.arguments import (
    found_hardware,
    found_name,
)
from isamap_smt.pipeline.candidates import Decided, Queue
from isamap_smt.pipeline.contraction_order import may_be_reordered
from isamap_smt.pipeline.element_by_element import ELEMENTWISE, Banned, Refused, Ways, elementwise, left_alone
from isamap_smt.pipeline.implementations import fused_schedules
from isamap_smt.pipeline.knowledge import (
    AUTO,
    known_model,
    known_strategy,
)
from isamap_smt.pipeline.least import Whole
from isamap_smt.pipeline.padding import padding
from isamap_smt.pipeline.question import Clock, Other, Progress, Question, informed, may_fall_back
from isamap_smt.pipeline.ranges_left import ranges_left
from isamap_smt.proof.bounded_sums import carries
from isamap_smt.proof.family import known_family
from isamap_smt.proof.rounded_as import rounds_as_written
from isamap_smt.scheduling.arguments import PLAN_SECONDS, in_order, known_objective, pinned, tensor_names
from isamap_smt.scheduling.space import one_thread
from isamap_smt.search import MappingSet, find_mappings

if TYPE_CHECKING:
    from isamap_smt.architectures.traffic import Traffic


@dataclass(frozen=True)
class Plan(Shown):
    """Everything decided for one kernel on one machine, each stage with its predecessor.

    kernel: the one computed: the kernel asked for, or the same with a sum in partial sums (`split`, with the proof of
    equality). seconds: of each stage. notes: for the user, such as a fallback to scalar code.
    asked: the question. phases: on a machine with engines, the schedule of each phase. whole: predicted cycles of the plan
    with a bound; None on a machine with engines. instead: another kernel with the same results, planned
    in its place, at its sizes; None for the kernel asked for.
    """

    kernel: Kernel
    hardware: Hardware
    checked: ProvedProgram
    notes: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    constant: tuple[str, ...] = ()
    split: ProvedSplit | None = None
    phases: tuple[Schedule, ...] = ()
    asked: Question | None = field(default=None, compare=False, repr=False)
    whole: Whole | None = field(default=None, compare=False)
    instead: Kernel | None = field(default=None, compare=False, repr=False)

    @property
    def program(self) -> Program:
        """The lowered program."""
        return self.checked.program

    @property
    def proof(self) -> Proof:
        """The program's proof."""
        return self.checked.proof

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """The lowered schedules: of statements on a core, of phases on engines."""
        return self.phases or self.program.schedules

    @property
    def schedule(self) -> Schedule | None:
        """The main statement's, or the first phase's; None if every statement is computed element by element."""
        return self.phases[0] if self.phases else self.program.schedule

    @property
    def proved(self) -> ProvedMapping | None:
        """The scheduled mapping with its proof, or None."""
        return self.schedule.proved if self.schedule else None

    @property
    def instruction(self) -> Instruction | None:
        """The compute instruction used, or None."""
        return self.proved.mapping.instruction if self.proved else None

    @property
    def title(self) -> str:
        """The kernel, and the instructions and mappings used for it."""
        if self.proved is None:
            return f"{self.kernel.name}, {elementwise(self.hardware)}"
        if self.phases:
            found = (s.proved.mapping for s in self.phases)
            return f"{self.kernel.name} on {self.hardware.name}." + "; then ".join(
                f"{m.instruction.short}: {m.id}" for m in found
            )
        return f"{self.kernel.name} on {self.proved.mapping.instruction.told}: {self.proved.mapping.id}"

    @property
    def cycles(self) -> float:
        """Its predicted cycles."""
        return self.whole.cycles if self.whole else sum(s.objective or 0.0 for s in self.schedules)

    @cached_property
    def source(self) -> PrintedC:
        """The program in C. Raises HardwareError for a machine with engines, whose target prints it."""
        if self.phases:
            raise HardwareError(f"{self.hardware.lacks[0]}; im.find_target(...).emit(plan) prints those of a target")
        return print_c(self.checked, header(self.checked, self.split))

    @property
    def fingerprint(self) -> str:
        """The digest shared by the C and the certificate of this program (`isamap_smt.certificates.save`)."""
        return _fingerprint(self.checked, self.split)

    def traffic(self, sizes: Dict[str, int] | None = None) -> Traffic:
        """Exact counts of its program's reads and writes by memory level and tensor, with energy if the machine has it.

        sizes: of the open ones, by size or axis; by default the plan's. Raises SizeError, and HardwareError for
        a machine without engines: the schedules say their traffic.
        """
        if not self.phases:
            raise HardwareError(
                f"{self.hardware.name} has no engines: what caches move is a prediction, in the traffic of each of its schedules"
            )
        from isamap_smt.architectures.traffic import traffic

        planned = {n: v for s in self.phases for n, v in s.sizes}
        given = {**planned, **self.kernel.named_sizes(sizes)}
        return traffic(self.program, self.hardware, given, self.cycles if given == planned else None)

    @cached_property
    def mappings(self) -> MappingSet:
        """Every legal mapping onto the instruction used; searched now if the decision came from the cache.

        Raises ScheduleError if no instruction is used.
        """
        if self.instruction is None:
            raise ScheduleError(f"{self.title}: there is no mapping")
        return find_mappings(self.kernel, self.instruction)

    def __str__(self) -> str:
        lines: list[str] = [] if self.schedules else [self.title]
        for s in self.schedules:
            m = s.proved.mapping
            of = f", statement {m.statement_index + 1}" if len(self.kernel.statements) > 1 else ""
            lines += [f"{self.kernel.name}{of} on {m.instruction.told}: {m.id}", str(s)]
            lines += [f"  {s.tensor(t)} {t}" for t in s.stages if self.phases]
        lines += [f"plan: {self.whole}"] if self.whole and self.schedules else []
        lines.append(f"proved: {_obligations(self.checked)}")
        return "\n".join([*lines, *(f"note: {n}" for n in self.notes)])

    def tables(self) -> tuple[Table, ...]:
        """The schedules' tables, and the seconds of each stage."""
        rows = tuple((stage, f"{s:.2f}") for stage, s in self.seconds)
        return (*(t for s in self.schedules for t in s.tables()), Table("Time", ("stage", "seconds"), rows))


def plan(
    kernel: Kernel | str,
    hardware: Hardware | str,
    *,
    sizes: Dict[str, int] | None = None,
    constant: Iterable[str] = (),
    threads: int = 1,
    objective: str = "latency",
    fix: Dict[str, Any] | None = None,
    timeout: float | None = None,
    effort: float | None = None,
    instruction: str | None = None,
    assume: Iterable[str] = (),
    strategy: str = "auto",
    cost_model: str = "auto",
    family: str = "fuse",
    rewrites: Iterable[Kernel | str] = (),
    reorder: bool = True,
    axes: str | Dict[str, Sequence[str]] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Map, prove, schedule, lower and prove the program. Sizes left out stay run-time parameters.

    Machines with engines are planned as by stage(), with its options.
    Kernel and hardware by value, or by a name for find_kernel() and find_hardware(). Every compute instruction of the
    machine with fitting element types is mapped (or `instruction` alone). If none is legal, or none can be scheduled, lowered
    and proved, single points are computed, and `notes` says so. Pins (instruction, fix) are never replaced.
    sizes: by axis, size or parameter name, in points. threads: the number planned for; each call says how many it takes, one
    by default (`compiled(a, b, threads=2)`). constant: inputs packed ahead of the calls. fix and objective: as for schedule().
    timeout: seconds after which nothing is sought only to improve the answer; at 2.5 times as many everything stops. Without,
    each search of the solver has `effort` of its deterministic seconds, 30 by default, and the answer is the same on any load.
    assume: values of integer inputs to take for granted, checked at each call (as for assume()). strategy: 'exact' (CP-SAT), or
    another of the entry points isamap.strategies, whose first proposal is taken unmeasured; 'auto' takes the winner of tune()
    for the same question on this machine, and is exact if there is none. cost_model: 'analytic' (the hardware description's
    figures), 'calibrated', 'learned' or another of isamap.cost_models; 'auto' is calibrated if this machine has a
    calibration. family: 'digits' also looks for mappings with low digits of the main statement's axes in instruction axes,
    and takes one if it is predicted to cost less. rewrites: other kernels of the same arguments, proved equal by
    isamap_smt.equality.equal(); the cheapest is planned, and `notes` names it. reorder: whether factors of several sums of
    products may meet in an order of fewer multiplications. axes: of the one mapping to take, as for fuse(), on a machine
    with engines. progress is told each stage's name.
    The same arguments give the same Plan, from a cache within the process; decisions (never proofs) are also kept on
    disk. `.seconds` has the time of each stage, `.source` prints the C. Raises UnknownNameError and SizeError for wrong
    names and sizes, ScheduleError when nothing fits, TimeLimitError when there is no plan in time, NotProvedError when the program
    cannot be proved.
    """
    by_name, hardware = kernel, found_hardware(hardware)
    plain = found_kernel(kernel)
    if rewrites and (fix or hardware.engines):
        what = "fix pins decisions about the kernel as written" if fix else "a machine with engines takes none"
        raise ScheduleError(f"rewrites: {what}; leave one of them out")
    told: Any = assume  # a generator is read once, and what is no text of ranges is refused below
    told = tuple(told) if isinstance(told, Iterable) and not isinstance(told, str) else told
    kernel, names = assume_values(plain, told), tensor_names(constant)
    threads = whole_number(threads, "threads", ScheduleError, high=MOST_THREADS)
    known = {
        "objective": known_objective(objective),
        "strategy": known_strategy(strategy),
        "family": known_family(family),
    }
    known["cost_model"] = known_model(cost_model)
    if hardware.engines:
        from isamap_smt.pipeline.staged import require_neutral, stage

        require_neutral(hardware, known | {"threads": threads, "constant": names, "assume": kernel is not plain})
        options: dict[str, Any] = {
            "sizes": sizes,
            "fix": fix,
            "timeout": timeout,
            "instruction": instruction,
            "axes": axes,
        }
        return stage(by_name, hardware, **options, progress=progress)
    if axes is not None:
        raise ScheduleError(
            f"axes: {hardware.name} has no engines, and its mappings are ranked with their loops; leave it out, or name an "
            "instruction"
        )
    given_sizes = valid_sizes(sizes)
    sizes, pins, limit = given_sizes, in_order(pinned(fix)), time_limit(timeout, ScheduleError)
    given = None if effort is None else seconds(effort, "effort", ScheduleError)
    full = kernel.with_sizes(sizes)  # bad sizes are reported before any work
    check_room(full)
    require_inside(full)
    if _from_zero_only(hardware, found_name(instruction)) or (hardware.simulated and _has_size_as_value(kernel)):
        kernel, sizes = full, {}
    kernel, extents = _opened(kernel)
    sizes = {**sizes, **extents}
    for name in names:
        if name not in kernel.inputs:
            raise UnknownNameError(
                f"{kernel.name} has no input {name!r} to hold constant; {did_you_mean(name, kernel.inputs)}"
            )
    same: tuple[Other, ...] = ()
    free = (
        yes_or_no(reorder, "reorder", ScheduleError)
        and not pins
        and instruction is None
        and known["strategy"] in (AUTO, "exact")
        and known["objective"] == "latency"
    )
    if rewrites or (free and may_be_reordered(full)):
        from isamap_smt.pipeline.rewrites import (  # what proves kernels equal takes a while to load
            in_another_order,
            others,
        )

        def as_asked(k: Kernel) -> tuple[Kernel, dict[str, int]]:
            return _opened(assume_values(k, told))

        whole = plain.with_sizes(given_sizes)
        same = others(whole, rewrites, as_asked) or (in_another_order(whole, as_asked) if free else ())
    question = Question(
        kernel, hardware, tuple(sorted(sizes.items())), names, threads, known["objective"], pins,
        limit or given or PLAN_SECONDS, found_name(instruction), known["strategy"], known["cost_model"], family=known["family"],
        others=same,
        progress=function_or_none(progress, "progress", ScheduleError),
    )  # fmt: skip
    with limited(limit, f"{kernel.name} on {hardware.name}"):
        made = planned_for(informed(question))
        if made.program.schedules or not kernel.free_sizes or (full.free_sizes and not extents) or deadline.enough():
            return made
        here = planned_for(informed(replace(question, kernel=full, sizes=())))  # what is legal may hang on the sizes
        return here if here.program.schedules else made


def _opened(kernel: Kernel) -> tuple[Kernel, dict[str, int]]:
    """A kernel of several sums with its extents as sizes: the sums may share blocks of an axis. Others are unchanged."""
    several = sum(bool(s.reduction_axes) for s in kernel.statements) > 1
    return opened(kernel) if several else (kernel, {})


def _has_size_as_value(kernel: Kernel) -> bool:
    """Whether some statement computes with a size, such as a mean: an instruction is given it as a number."""
    values = (v for s in kernel.statements for v in index_values(s.value))
    return any(str(symbol) in kernel.free_sizes for v in values for symbol in v.free_symbols)


def _from_zero_only(hardware: Hardware, name: str | None) -> bool:
    """Whether each eligible instruction saturates its accumulator: the legality of mappings then depends on the sizes."""
    found = [i for i in hardware.computes if name in (None, i.name, i.short)]
    return bool(found) and all(map(carries, found))


MOST_TRIED = 3  # candidates whose program is refused before instructions are given up


class _CutShort(Exception):
    """Carries a plan not to be kept: another call may find a better one."""

    def __init__(self, made: Plan) -> None:
        self.made = made


def planned_for(q: Question) -> Plan:
    """The plan for a question. Raises as plan()."""
    try:
        return _plan(q)
    except _CutShort as cut:
        return cut.made


@lru_cache(maxsize=256)
def _plan(q: Question) -> Plan:
    made = _planned(q)
    cut = deadline.was_cut()
    if cut:
        made = replace(made, notes=(*made.notes, found_in_time(q.timeout)))
    object.__setattr__(made, "asked", q)  # a copy would search for its mappings once more
    if cut:
        raise _CutShort(made)
    return made


def _planned(q: Question) -> Plan:
    """The plan. If a mapping's schedule cannot be lowered, the mapping is banned, and the search goes on without it."""
    clock = Clock(q.progress)
    while True:
        try:
            return _first_made(q, clock)
        except Banned as refused:
            q = replace(q, banned=(*q.banned, *refused.found))


def _first_made(q: Question, clock: Clock) -> Plan:
    """The plan of the first candidate with a proved program; if there is none, instructions are given up one by one."""
    queue = Queue(q, clock)
    tried: list[tuple[Decided, Refused]] = []

    def said(taken: Decided) -> list[str]:
        """The planner's own ideas given up for the candidate taken.

        A refusal of the kernel as written is left out: it is to be expected if only another form keeps reads inside.
        """
        others = ((d.proved, r) for d, r in tried if d.proved is not None and d.proved is not taken.proved)
        return [*queue.given_up, *(GivenUp.idea(idea, r.told) for idea, r in others)]

    for d in queue:
        try:
            return _made(d, said(d), clock)
        except Refused as refused:
            tried.append((d, refused))
        if len(tried) == MOST_TRIED or not may_fall_back(d.question):
            break
    d, first = tried[0]
    if not may_fall_back(d.question):
        raise first.error
    whole = queue.as_it_stands(d)
    return _made(whole, said(whole), clock, in_parts=True)


def _made(d: Decided, more: Sequence[str], clock: Clock, in_parts: bool = False) -> Plan:
    """The plan of a candidate. more: further notes. in_parts: instructions may be given up. Raises Refused, Banned."""
    q, main = d.question, d.main
    together, blocks = fused_schedules(q, d.schedules, clock)
    ways = Ways(q.kernel, q.hardware, dict(q.sizes), q.threads > 1, may_fall_back(q), q.banned)
    try:
        checked, why = ways.first_proved(dict.fromkeys((together, d.schedules)), clock.time)
    except Refused as refused:
        if not in_parts:
            raise
        checked, why = ways.in_parts(refused, clock.time)
    blocks = blocks if checked.program.schedules == together else ()
    said = (*d.notes, *why)
    alone = left_alone(q.kernel, q.hardware, checked.program.schedules, said)
    split = d.proved
    known = split is not None and rounds_as_written(checked.program)
    rounded = map(str, online_rounding(split.split)) if split is not None and known else ()
    threads = on_one_thread(q, checked.program)
    narrow = narrow_sums(checked.program.kernel)
    notes = (
        *d.compared,
        *said,
        *alone,
        *map(str, blocks),
        *threads,
        *padding(checked.program),
        *narrow,
        *ranges_left(checked.program),
        *q.said,
        *more,
        *rounded,
    )
    whole = d.whole(checked.program.schedules, blocks)
    made = Plan(
        q.kernel,
        q.hardware,
        checked,
        notes,
        tuple(clock.seconds.items()),
        q.constant,
        split,
        whole=whole,
        instead=d.candidate.instead,
    )
    if main.searched is not None and made.instruction == main.searched.family.instruction:
        made.__dict__["mappings"] = main.searched  # what the cached property would search for again
    return made


def on_one_thread(q: Question, program: Program) -> tuple[str, ...]:
    """Why one thread computes everything although there are more; nothing if a loop is shared, or `parallel` is pinned."""
    shared = any(nodes_of(Parallel, program.body))
    if q.threads == 1 or shared or any(p.name == "parallel" for p in q.pins):
        return ()
    if not program.schedules:
        return (OneThread.because(f": no loop of {q.kernel.name} can be shared, or is worth it"),)
    told = dict.fromkeys(n for s in program.schedules for n in s.notes if isinstance(n, OneThread))
    return tuple(told) or (one_thread(q.threads),)


def header(checked: ProvedProgram, split: ProvedSplit | None = None) -> str:
    """The comment at the top of the C; its last line names the certificate for this program."""
    lines: list[str] = []
    for s in checked.program.schedules:
        mapping = s.proved.mapping
        lines += [f"mapping   {mapping.id} onto {mapping.instruction.told}", f"schedule  {s}"]
    lines += [] if lines else [f"computed  {ELEMENTWISE}"]
    told = f"proved    {_obligations(checked)}"
    return "\n".join([*lines, told, f"certified {_fingerprint(checked, split)}"])


def _fingerprint(checked: ProvedProgram, split: ProvedSplit | None) -> str:
    from isamap_smt.certificates.fingerprint import fingerprint

    return fingerprint(checked.program, None if split is None else split.split)


def _obligations(checked: ProvedProgram) -> str:
    mapping = sum(len(s.proved.proof.claims) for s in checked.program.schedules)
    return f"{mapping} obligations of the mapping, {len(checked.proof.claims)} of the program"
