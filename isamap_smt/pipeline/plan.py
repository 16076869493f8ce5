"""All stages in a row: kernel and hardware in; proved mapping, schedule, proved program and C out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

from isamap_smt.codegen import PrintedC, lower, print_c
from isamap_smt.ir.errors import (
    HardwareError,
    NotProvedError,
    ScheduleError,
    UndecidedError,
    UnknownNameError,
    did_you_mean,
)
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.ir.reach import require_inside
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.sizes import check_room
from isamap_smt.ir.split import ProvedSplit, SplitSum
from isamap_smt.ir.whole import MOST_THREADS, whole, whole_sizes
from isamap_smt.language.ranges import assume as assume_values
from isamap_smt.pipeline import decisions
from isamap_smt.pipeline.blocks import NOT_SHARED, in_blocks, shared_pin, without_shared
from isamap_smt.pipeline.choose import Candidates, candidates, further_candidates
from isamap_smt.pipeline.element_by_element import ELEMENTWISE, Ways, computed, require_portable
from isamap_smt.pipeline.further import constants_of, further_statements
from isamap_smt.pipeline.given import (
    found_hardware,
    found_kernel,
    found_name,
    known_objective,
    ranges_in_text,
)
from isamap_smt.pipeline.knowledge import (
    AGAIN,
    AUTO,
    DROPPED,
    known_figures,
    known_model,
    known_strategy,
    known_winner,
)
from isamap_smt.pipeline.knowledge import cost_model as cost_model_of
from isamap_smt.pipeline.padding import padding
from isamap_smt.pipeline.problems import nothing_scheduled
from isamap_smt.pipeline.spaces import ASKED, TRIED, spaces
from isamap_smt.pipeline.split import SplitPin, cheaper, pinned_split, rest, split_pin, splits, without_split
from isamap_smt.pipeline.turns import lasting, one_turn, turned
from isamap_smt.proof.split import require_split
from isamap_smt.scheduling import schedule as solve_schedule
from isamap_smt.scheduling.asked import pinned, seconds, tensor_names
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.record import from_record
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.tuning.protocols import find_strategy
from isamap_smt.tuning.task import Task

Progress = Callable[[str], None]
_GONE = f"{DROPPED}: its schedule means no legal mapping any more; {AGAIN}"


@dataclass(frozen=True)
class Plan(Shown):
    """Everything that was decided for one kernel on one machine, each stage with its predecessor.

    kernel: the one that is computed: what was asked for, or the same with a sum in partial sums (`split`, with the proof that
    both are the same). seconds: what each stage took. notes: what the user should hear, such as a fallback to scalar code.
    """

    kernel: Kernel
    hardware: Hardware
    checked: ProvedProgram
    notes: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    constant: tuple[str, ...] = ()
    split: ProvedSplit | None = None

    @property
    def program(self) -> Program:
        """The lowered program."""
        return self.checked.program

    @property
    def proof(self) -> Proof:
        """The program's proof."""
        return self.checked.proof

    @property
    def schedule(self) -> Schedule | None:
        """The schedule that was lowered; None where every statement is computed element by element."""
        return self.program.schedule

    @property
    def proved(self) -> ProvedMapping | None:
        """The mapping that was scheduled, with its proof; None where there is none."""
        return self.schedule.proved if self.schedule else None

    @property
    def instruction(self) -> Instruction | None:
        """The compute instruction used; None where there is none."""
        return self.proved.mapping.instruction if self.proved else None

    @property
    def title(self) -> str:
        """The kernel, and what carries it out."""
        if self.proved is None:
            return f"{self.kernel.name}, {ELEMENTWISE}"
        return f"{self.kernel.name} on {self.proved.mapping.instruction.name}: {self.proved.mapping.id}"

    @cached_property
    def source(self) -> PrintedC:
        """The program in C."""
        return print_c(self.checked, header(self.checked, self.split))

    @property
    def fingerprint(self) -> str:
        """The digest that the C and the certificate of this program share (`isamap_smt.certificates.save`)."""
        return _fingerprint(self.checked, self.split)

    @cached_property
    def mappings(self) -> MappingSet:
        """Every legal mapping onto the instruction used; searched now if the decision came from the cache. Raises
        ScheduleError where no instruction is used."""
        if self.instruction is None:
            raise ScheduleError(f"{self.title}: there is no mapping")
        return find_mappings(self.kernel, self.instruction)

    def __str__(self) -> str:
        lines: list[str] = [] if self.program.schedules else [self.title]
        for s in self.program.schedules:
            m = s.proved.mapping
            of = f", statement {m.statement_index + 1}" if len(self.kernel.statements) > 1 else ""
            lines += [f"{self.kernel.name}{of} on {m.instruction.name}: {m.id}", str(s)]
        lines.append(f"proved: {_obligations(self.checked)}")
        return "\n".join([*lines, *(f"note: {n}" for n in self.notes)])

    def tables(self) -> tuple[Table, ...]:
        """The schedule's tables, and the seconds that each stage took."""
        rows = tuple((stage, f"{s:.2f}") for stage, s in self.seconds)
        return (*(self.schedule.tables() if self.schedule else ()), Table("Time", ("stage", "seconds"), rows))


@dataclass
class _Clock:
    """Seconds by stage."""

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def time(self, stage: str, work: Callable[[], Any]) -> Any:
        if self.progress:
            self.progress(stage)
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


@dataclass(frozen=True)
class _Question:
    """What plan() was asked. `progress` takes no part in the comparison, so that it does not split the cache."""

    kernel: Kernel
    hardware: Hardware
    sizes: tuple[tuple[str, int], ...]
    constant: tuple[str, ...]
    threads: int
    objective: str
    pins: tuple[tuple[str, Any], ...]
    timeout: float
    instruction: str | None
    strategy: str = "exact"
    cost_model: str = "analytic"
    figures: Figures = DESCRIBED
    winners: bool = False  # whether winners of searches are used
    tuned: str = ""  # the record of a search's winner and what to say of it, as JSON
    said: tuple[str, ...] = ()
    progress: Progress | None = field(default=None, compare=False)

    def digest(self) -> str:
        """Under which a decision is kept on disk."""
        rest = (self.sizes, self.constant, self.threads, self.objective, self.pins, self.timeout, self.instruction)
        return decisions.digest(self.kernel, self.hardware, (*rest, self.figures))

    @property
    def task(self) -> Task:
        """What a search for the same would be about."""
        return Task(self.kernel, self.hardware, self.sizes, self.constant, self.threads, self.pins, self.instruction)


def plan(
    kernel: Kernel | str,
    hardware: Hardware | str,
    *,
    sizes: Dict[str, int] | None = None,
    constant: Iterable[str] = (),
    threads: int = 1,
    objective: str = "latency",
    fix: Dict[str, Any] | None = None,
    timeout: float = 30.0,
    instruction: str | None = None,
    assume: Iterable[str] = (),
    strategy: str = "auto",
    cost_model: str = "auto",
    progress: Progress | None = None,
) -> Plan:
    """Map, prove, schedule, lower, prove the program and print it. Sizes left out stay run-time parameters.

    Kernel and hardware by value, or by a name for find_kernel() and find_hardware(). Every compute instruction of the
    machine whose element types fit is mapped (or `instruction` alone); where none is legal, or none can be scheduled, lowered
    and proved, single points are computed, and `notes` says so. What is pinned (instruction, fix) is never replaced.
    sizes: by axis, size or parameter name, in points. constant: inputs packed ahead of the calls. fix, objective and timeout
    (solver seconds): as for schedule(). assume: values of integer inputs to take for granted, checked at each call (as for
    assume()). strategy: 'exact' (CP-SAT), or another of the entry points isamap.strategies, whose first proposal is taken
    unmeasured; 'auto' takes the winner of tune() for the same question on this machine, and is exact where there is none.
    cost_model: 'analytic' (the hardware description's figures), 'calibrated', 'learned' or another of isamap.cost_models;
    'auto' is calibrated where this machine has a calibration. progress is told each stage's name.

    The same arguments give the same Plan, from a cache within the process; decisions (never proofs) are also kept on
    disk. `.seconds` says what each stage took, `.source` is the C. Raises UnknownNameError and SizeError for wrong
    names and sizes, ScheduleError when nothing fits, NotProvedError when the program cannot be proved.
    """
    kernel, hardware = found_kernel(kernel), found_hardware(hardware)
    if hardware.engines:
        raise HardwareError(f"{hardware.lacks[0]}; in Python im.stage() plans them")
    kernel = assume_values(kernel, ranges_in_text(assume))
    sizes, fix, names = whole_sizes(sizes), pinned(fix), tensor_names(constant)
    threads, timeout = whole(threads, "threads", ScheduleError, high=MOST_THREADS), seconds(timeout)
    full = kernel.with_sizes(sizes)  # bad sizes are reported before any work
    check_room(full)
    require_inside(full)
    for name in names:
        if name not in kernel.inputs:
            raise UnknownNameError(
                f"{kernel.name} has no input {name!r} to hold constant; {did_you_mean(name, kernel.inputs)}"
            )
    question = _Question(
        kernel, hardware, tuple(sorted(sizes.items())), names, threads, known_objective(objective),
        tuple(sorted(fix.items())), timeout, found_name(instruction), known_strategy(strategy), known_model(cost_model),
        progress=progress,
    )  # fmt: skip
    return _plan(_informed(question))


def _informed(q: _Question) -> _Question:
    """The question with what is known of this machine: a search's winner, or measured prices."""
    if q.objective != "latency":
        return replace(q, strategy="exact", cost_model="analytic")
    if q.strategy == AUTO:
        q = _with_winner(replace(q, strategy="exact", winners=True))
    if q.tuned:
        return q
    prices = known_figures(q.cost_model, q.hardware)
    return replace(q, figures=prices.figures, said=(*q.said, *prices.notes))


def _with_winner(q: _Question) -> _Question:
    """The question with the winner of the last search for it, where there was one."""
    found = known_winner(q.task)
    q = replace(q, said=tuple(dict.fromkeys((*q.said, *found.notes))))
    if found.winner is None:
        return q
    w = found.winner
    ratio = f", {w.baseline / w.seconds:.2f} times as fast as the choice without measuring" if w.baseline else ""
    told = f"found by `isamap tune` ({w.strategy}, {w.tried} programs, {w.taken[:10]}): {w.seconds:.3g} s{ratio}"
    return replace(q, cost_model="analytic", tuned=json.dumps({"record": w.record, "told": told}))


@lru_cache(maxsize=256)
def _plan(q: _Question) -> Plan:
    clock = _Clock(q.progress)
    apart, main, split = _taken_apart(q, clock)
    try:
        return _made(apart, main, split, clock)
    except (ScheduleError, NotProvedError):
        if split is None or not _may_fall_back(q):
            raise
        whole = replace(
            q, pins=tuple(sorted(without_split(dict(q.pins)).items()))
        )  # it was our own idea to take the sum apart
        return _made(whole, _main(whole, clock), None, clock)


def _made(q: _Question, main: _Main, split: ProvedSplit | None, clock: _Clock) -> Plan:
    """The plan with this decision about the main statement."""
    more, told = _further(q, clock)
    schedules = tuple(s for s in (main.schedule, *more) if s is not None)
    blocks, shared = _shared(q, schedules, clock)
    ways = Ways(q.kernel, q.hardware, dict(q.sizes), q.threads > 1, _may_fall_back(q))
    checked, why = ways.first_proved(dict.fromkeys((blocks, schedules)), clock.time)
    shared = shared if checked.program.schedules == blocks else ()
    notes = (*main.notes, *told, *why, *shared, *padding(checked.program), *q.said)
    made = Plan(q.kernel, q.hardware, checked, notes, tuple(clock.seconds.items()), q.constant, split)
    if main.searched is not None and made.instruction == main.searched.family.instruction:
        made.__dict__["mappings"] = main.searched  # what the cached property would search for again
    clock.time("print", lambda: made.source)
    return made


def _may_fall_back(q: _Question) -> bool:
    """Whether nothing was pinned that scalar code would give up: no instruction, and no more than that no way is taken."""
    pins = dict(q.pins)
    ways = shared_pin(pins) in (None, NOT_SHARED) and split_pin(pins) in (None, False)
    return q.instruction is None and ways and not without_split(without_shared(pins))


@dataclass(frozen=True)
class _Main:
    """The main statement's schedule (None: computed element by element), the search its mapping comes from where there was
    one, and what to say of it."""

    schedule: Schedule | None
    searched: MappingSet | None
    notes: tuple[str, ...]


def _main(q: _Question, clock: _Clock) -> _Main:
    """What was decided before for the main statement, or is now."""
    key = q.digest()
    known = clock.time("prove", lambda: _remembered(q, key))
    gone = (_GONE,) if q.tuned and (known is None or known[0].status != "TUNED") else ()
    if known is not None:
        return _Main(known[0], None, (*known[1], *gone))
    try:
        made = _Main(*(_decide(q, clock) if q.strategy == "exact" else _proposed(q, clock)))
    except ScheduleError as error:
        if not _may_fall_back(q) or isinstance(error, UndecidedError):
            raise
        require_portable(q.hardware, str(error))
        return _Main(None, None, (computed(q.kernel, q.kernel.main, str(error)), *gone))
    if made.schedule is not None and made.schedule.status == "OPTIMAL" and q.strategy == "exact":
        decisions.save(key, made.schedule, made.notes)
    return replace(made, notes=(*made.notes, *gone))


def _taken_apart(q: _Question, clock: _Clock) -> tuple[_Question, _Main, ProvedSplit | None]:
    """The question with the kernel that is computed: the one asked about, or the same with its main sum in partial sums
    where that is pinned or predicted to cost less."""
    pins = dict(q.pins)
    pin, others = split_pin(pins), without_split(pins)
    q = replace(q, pins=tuple(sorted(others.items())))
    sizes = dict(q.sizes)
    if isinstance(pin, SplitPin):
        found = clock.time("prove", lambda: require_split(pinned_split(q.kernel, q.hardware, sizes, pin)))
        return _in_parts(q, found, str(found), clock)
    main = _main(q, clock)
    if main.schedule is None or pin is False or others or q.tuned or q.strategy != "exact" or q.objective != "latency":
        return q, main, None

    def decide(split: SplitSum) -> tuple[Schedule, ...]:
        apart = _of_split(q, split)
        made = (_main(apart, clock).schedule, *_further(apart, clock, tuple(p.statement for p in split.pieces[1:]))[0])
        if None in made:
            raise ScheduleError(f"{split}: no instruction carries it out")
        return tuple(s for s in made if s is not None)

    ways = tuple(splits(q.kernel, q.hardware, sizes, main.schedule, q.constant, q.threads))
    better, told = cheaper(main.schedule, ways, sizes, decide)
    if better is not None:
        return _in_parts(q, better, told, clock)
    one = (f"the sum in one piece: {len(ways)} ways to take it apart were priced",)
    return q, replace(main, schedule=_outside(main.schedule, *one[: len(ways)])), None


def _in_parts(
    q: _Question, split: ProvedSplit, told: str, clock: _Clock
) -> tuple[_Question, _Main, ProvedSplit | None]:
    """The question about the split kernel."""
    q = _of_split(q, split.split)
    if q.winners:
        q = _with_winner(q)
    main = _main(q, clock)
    if main.schedule is not None:
        main = replace(
            main, schedule=_outside(main.schedule, "the sum in pieces, by what both ways are predicted to take")
        )
    return replace(q, said=(*q.said, told)), main, split


def _of_split(q: _Question, split: SplitSum) -> _Question:
    return replace(q, kernel=split.kernel, sizes=tuple(sorted(rest(split, dict(q.sizes)).items())), tuned="")


def _remembered(q: _Question, key: str) -> tuple[Schedule, tuple[str, ...]] | None:
    """What a search found, or what was decided before for the same question; its mapping is proved anew."""
    if q.tuned:
        winner = json.loads(q.tuned)
        found = from_record(winner["record"], q.kernel, q.hardware, q.sizes)
        if found is not None:
            return replace(found, status="TUNED", bound=None, gap=None), (winner["told"],)
    return decisions.load(key, q.kernel, q.hardware, q.sizes) if q.strategy == "exact" else None


def _proposed(q: _Question, clock: _Clock) -> tuple[Schedule, MappingSet, tuple[str, ...]]:
    """The first schedule that another strategy than the exact one proposes, in the cost model's view."""
    make = find_strategy(q.strategy)
    if q.kernel.recurrence_of(q.kernel.main) is not None:
        raise ScheduleError(
            f"the strategy {q.strategy!r} does not know recurrences, and {q.kernel.name} goes turn by turn; use 'exact'"
        )
    choice: Candidates = clock.time(
        "map", lambda: candidates(q.kernel, q.hardware, dict(q.sizes), q.instruction, find_mappings, q.figures)
    )
    made = clock.time("schedule", lambda: spaces(q.task, choice, q.timeout, q.figures))
    model = cost_model_of(q.cost_model, q.hardware)
    points = clock.time("schedule", lambda: make(made.space, model, 0).ask(1))
    if not points:
        raise ScheduleError(f"the strategy {q.strategy!r} proposes no schedule of {q.kernel.name}")
    told = f"proposed by the strategy {q.strategy!r} with the cost model {model.name!r}; not measured"
    return made.space.schedule(points[0]), made.mappings[points[0].mapping], (*choice.notes, told)


def _decide(q: _Question, clock: _Clock) -> tuple[Schedule, MappingSet, tuple[str, ...]]:
    """The best schedule among those of the best few mappings."""
    choice: Candidates = clock.time(
        "map", lambda: candidates(q.kernel, q.hardware, dict(q.sizes), q.instruction, find_mappings, q.figures)
    )
    found, mappings = _best(q, choice, without_shared(dict(q.pins)), clock)
    return found, mappings, choice.notes


def _further(
    q: _Question, clock: _Clock, only: tuple[int, ...] | None = None
) -> tuple[tuple[Schedule, ...], tuple[str, ...]]:
    """Schedules of further statements (`only` these) that the machine's instructions carry out, each chosen by itself, and why
    others have none. Pins are for the main statement."""
    found: list[Schedule] = []
    notes: list[str] = []
    for n in further_statements(q.kernel):
        if only is not None and n not in only:
            continue
        choice = clock.time("map", partial(further_candidates, q.kernel, q.hardware, dict(q.sizes), n, q.figures))
        try:
            found += [_best(q, choice, {}, clock)[0]] if choice.found else []
        except UndecidedError:
            raise
        except ScheduleError as error:
            notes.append(computed(q.kernel, n, str(error)))
    return tuple(found), tuple(notes)


def _shared(
    q: _Question, schedules: tuple[Schedule, ...], clock: _Clock
) -> tuple[tuple[Schedule, ...], tuple[str, ...]]:
    """The schedules, block by block where that costs less; and what was decided."""
    pinned = shared_pin(dict(q.pins))
    if pinned == NOT_SHARED or len(schedules) < 2 or q.objective != "latency" or (dict(q.pins) and not pinned):
        return schedules, ()
    if others := sorted(without_shared(dict(q.pins))):
        raise ScheduleError(
            f"{', '.join(others)}: pins of one statement cannot stand beside share.{pinned[0] if pinned else ''}, which chooses "
            "the schedules of a block anew; leave one or the other out"
        )

    def solve(s: Schedule, sizes: dict[str, int], constant: tuple[str, ...], fix: dict[str, int]) -> Schedule:
        return solve_schedule(
            s.proved, q.hardware, sizes, constant=constants_of(q.kernel, s.proved.mapping.statement_index, constant),
            fix=fix, timeout=q.timeout, figures=q.figures,
        )  # fmt: skip

    return clock.time(
        "schedule", lambda: in_blocks(schedules, dict(q.sizes), q.constant, q.threads, q.figures, solve, pinned)
    )


def _best(q: _Question, choice: Candidates, pins: dict[str, Any], clock: _Clock) -> tuple[Schedule, MappingSet]:
    """The best schedule among those of the first few mappings that have one; of distant ones only where the near ones have none."""
    made: list[tuple[float, Schedule, MappingSet]] = []
    problems: list[tuple[str, str]] = []
    for n, (mappings, proved) in enumerate(choice.found[:ASKED]):
        if len(made) == TRIED or (made and n >= choice.near):
            break
        work = partial(_scheduled, q, proved, pins)
        try:
            found = clock.time("schedule", work)
            clock.time("lower", partial(lower, found))  # what cannot be lowered by itself is no choice
        except UndecidedError:
            raise
        except ScheduleError as error:
            problems.append((proved.mapping.id, str(error)))
            continue
        made.append((found.objective if found.objective is not None else float("inf"), found, mappings))
    if not made:
        raise nothing_scheduled(problems)
    _, best, mappings = min(made, key=lambda m: m[0])
    outside = (f"the mapping: {len(made)} scheduled of {len(choice.found)} that yield code",)
    return _outside(best, *outside[: len(choice.found) - 1]), mappings


def _outside(schedule: Schedule, *decided: str) -> Schedule:
    """The schedule, about which this was decided outside the solver."""
    return replace(schedule, decided_outside=(*decided, *schedule.decided_outside))


def _scheduled(q: _Question, proved: ProvedMapping, pins: dict[str, Any]) -> Schedule:
    """One mapping's schedule; in a recurrence, the schedule of one turn inside the loop over the turns."""
    number, sizes = proved.mapping.statement_index, dict(q.sizes)
    constant = constants_of(q.kernel, number, q.constant)
    turn = q.kernel.recurrence_of(number)
    if turn is not None:
        sizes = one_turn(q.kernel, turn, sizes)
    found = solve_schedule(
        proved, q.hardware, sizes, objective=q.objective,
        constant=(*constant, *lasting(q.kernel, turn, number)) if turn else constant,
        fix=pins, threads=q.threads, timeout=q.timeout, progress=_told(q.progress), figures=q.figures,
    )  # fmt: skip
    return turned(found, turn, q.sizes, constant) if turn else found


def _told(progress: Progress | None) -> Callable[[int, float, float], None] | None:
    """The solver's better solutions, as progress."""
    if progress is None:
        return None
    return lambda count, objective, bound: progress(f"schedule: solution {count}, gap {1 - bound / objective:.1%}")


def header(checked: ProvedProgram, split: ProvedSplit | None = None) -> str:
    """What the comment at the top of the C says; its last line names the certificate that is for this program."""
    lines: list[str] = []
    for s in checked.program.schedules:
        mapping = s.proved.mapping
        lines += [f"mapping   {mapping.id} onto {mapping.instruction.name}", f"schedule  {s}"]
    lines += [] if lines else [f"computed  {ELEMENTWISE}"]
    told = f"proved    {_obligations(checked)}"
    return "\n".join([*lines, told, f"certified {_fingerprint(checked, split)}"])


def _fingerprint(checked: ProvedProgram, split: ProvedSplit | None) -> str:
    from isamap_smt.certificates.fingerprint import fingerprint

    return fingerprint(checked.program, None if split is None else split.split)


def _obligations(checked: ProvedProgram) -> str:
    mapping = sum(len(s.proved.proof.claims) for s in checked.program.schedules)
    return f"{mapping} obligations of the mapping, {len(checked.proof.claims)} of the program"
