"""All stages in a row: kernel and hardware in; proved mapping, schedule, proved program and C out.

Which instruction and mapping? Every compute instruction of the machine whose element types fit is mapped; legal
mappings are ranked by the cycles their executions need at these sizes (waste of partly filled lanes included), with a
charge for operands that must be rearranged; the best few are scheduled, and the best schedule wins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from isamap_smt.codegen import lower, print_c
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.ir.schedule import Schedule, program_axes
from isamap_smt.mapping.layout import supply
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof import prove_program
from isamap_smt.runtime import CompiledKernel, build_program
from isamap_smt.scheduling import schedule as solve_schedule
from isamap_smt.search import MappingSet, find_mappings

Progress = Callable[[str], None]
_ASSUMED = 1024  # points of an axis whose size is left open, for ranking only
_REARRANGE = {"contiguous": 1.0, "broadcast": 1.0, "strided": 1.3, "gather": 1.6}
_TRIED = 2  # mappings that are scheduled


@dataclass(frozen=True)
class Plan(Shown):
    """Everything that was decided for one kernel on one machine, each stage with its predecessor."""

    kernel: Kernel
    hardware: Hardware
    mappings: MappingSet
    proved: ProvedMapping
    schedule: Schedule
    program: Program
    proof: Proof
    source: str
    notes: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    constant: tuple[str, ...] = ()

    @property
    def instruction(self) -> Instruction:
        """The compute instruction used."""
        return self.proved.mapping.instruction

    def __str__(self) -> str:
        lines = [f"{self.kernel.name} on {self.instruction.name}: {self.proved.mapping.id}", str(self.schedule)]
        mapping, program = len(self.proved.proof.claims), len(self.proof.claims)
        lines.append(f"proved: {mapping} obligations of the mapping, {program} of the program")
        return "\n".join([*lines, *(f"note: {n}" for n in self.notes)])

    def tables(self) -> tuple[Table, ...]:
        """The schedule's tables, and the seconds that each stage took."""
        rows = tuple((stage, f"{s:.2f}") for stage, s in self.seconds)
        return (*self.schedule.tables(), Table("Time", ("stage", "seconds"), rows))


@dataclass
class _Clock:
    """Seconds by stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    progress: Progress | None = None

    def time(self, stage: str, work: Callable[[], Any]) -> Any:
        if self.progress:
            self.progress(stage)
        start = time.perf_counter()
        result = work()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start
        return result


def plan(
    kernel: Kernel,
    hardware: Hardware,
    *,
    sizes: Dict[str, int] | None = None,
    constant: Iterable[str] = (),
    threads: int = 1,
    objective: str = "latency",
    fix: Dict[str, Any] | None = None,
    timeout: float = 30.0,
    instruction: str | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Map, prove, schedule, lower, prove the program and print it. Sizes left out stay run-time parameters.

    Every compute instruction of the machine whose element types fit is mapped (or `instruction` alone); where none is
    legal, single points are computed, and `notes` says so. sizes: by axis, size or parameter name, in points.
    constant: inputs packed ahead of the calls. fix, objective and timeout (solver seconds): as for schedule(). progress
    is told each stage's name. The same arguments give the same Plan, from a cache within the process; `.seconds` says
    what each stage took, `.source` is the C. Raises UnknownNameError and SizeError for wrong names and sizes,
    ScheduleError when nothing fits, NotProvedError when the program cannot be proved.
    """
    kernel.with_sizes(dict(sizes or {}))  # bad sizes are reported before any work
    for name in constant:
        kernel.with_dtypes({name: kernel.tensor(name).dtype} if name in kernel.inputs else {name: "f32"})
    frozen = tuple(sorted((sizes or {}).items()))
    pins = tuple(sorted((fix or {}).items()))
    key = (kernel, hardware, frozen, tuple(constant), threads, objective, pins, timeout, instruction)
    return _plan(key, _Quiet(progress))


class _Quiet:
    """A progress callback that does not take part in the cache's key."""

    def __init__(self, callback: Progress | None) -> None:
        self.callback = callback

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Quiet)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=256)
def _plan(key: tuple[Any, ...], quiet: _Quiet) -> Plan:
    kernel, hardware, sizes, constant, threads, objective, pins, timeout, pinned = key
    clock = _Clock(progress=quiet.callback)
    notes: list[str] = []
    candidates = _candidates(kernel, hardware, dict(sizes), pinned, clock, notes)
    best: tuple[float, Schedule, MappingSet] | None = None
    problems: list[str] = []
    for mappings, proved in candidates[:_TRIED]:
        try:
            options = {"objective": objective, "constant": constant, "fix": dict(pins), "threads": threads}
            work = partial(solve_schedule, proved, hardware, dict(sizes), timeout=timeout, **options)
            found = clock.time("schedule", work)
        except ScheduleError as error:
            problems.append(f"{proved.mapping.id}: {error}")
            continue
        cost = found.objective if found.objective is not None else float("inf")
        if best is None or cost < best[0]:
            best = (cost, found, mappings)
    if best is None:
        raise ScheduleError("no mapping could be scheduled:\n  " + "\n  ".join(problems))
    _, chosen, mappings = best
    program = clock.time("lower", lambda: lower(chosen))
    proof = clock.time("prove program", lambda: prove_program(program))
    if not proof.proved:
        raise NotProvedError(_unproved(program, proof))
    source = clock.time("print", lambda: print_c(program, _header(chosen, proof)))
    return Plan(
        kernel, hardware, mappings, chosen.proved, chosen, program, proof, source,
        tuple(notes), tuple(clock.seconds.items()), tuple(constant),
    )  # fmt: skip


def _header(schedule: Schedule, proof: Proof) -> str:
    mapping = schedule.proved.mapping
    lines = [
        f"mapping   {mapping.id} onto {mapping.instruction.name}",
        f"schedule  {schedule}",
        f"proved    {len(schedule.proved.proof.claims)} obligations of the mapping, {len(proof.claims)} of the program",
    ]
    return "\n".join(lines)


def _unproved(program: Program, proof: Proof) -> str:
    lines = [f"{c}: {c.statement}" for c in proof.failed()[:5]]
    return (
        f"the program for {program.kernel.name} is not proved, so no code is made from it. This is a fault of isamap; "
        "please report it with these lines:\n  " + "\n  ".join(lines)
    )


def _candidates(
    kernel: Kernel,
    hardware: Hardware,
    sizes: dict[str, int],
    pinned: str | None,
    clock: _Clock,
    notes: list[str],
) -> list[tuple[MappingSet, ProvedMapping]]:
    """Legal mappings onto the machine's instructions, best first; onto single points when nothing else is legal."""
    if len(kernel.statements) != 1:
        raise ScheduleError(f"{kernel.name} has {len(kernel.statements)} statements; code is made for kernels of one")
    instructions = [hardware.instruction(pinned)] if pinned else [i for i in hardware.computes if _fits(kernel, i)]
    found: list[tuple[float, MappingSet, ProvedMapping]] = []
    for i in instructions:
        if not i.emit or (not i.axes and not pinned):
            continue
        mappings = clock.time("map", partial(find_mappings, kernel, i))
        found += [(_cycles(m, sizes), mappings, m) for m in mappings.legal]
    if not found:
        scalar = _scalar(kernel, instructions)
        if not pinned:
            notes.append(
                f"no vector instruction of {hardware.name} computes {kernel.name}; falling back to {scalar.name}"
            )
        mappings = clock.time("map", partial(find_mappings, kernel, scalar))
        found = [(_cycles(m, sizes), mappings, m) for m in mappings.legal]
    if not found:
        raise ScheduleError(f"no legal mapping of {kernel.name} onto {', '.join(i.name for i in instructions)}")
    found.sort(key=lambda f: (f[0], f[2].mapping.id))
    return [(s, m) for _, s, m in found]


def _scalar(kernel: Kernel, instructions: list[Instruction]) -> Instruction:
    """The machine's own instruction for one point, if it has one for these element types, else portable C."""
    return next((i for i in instructions if not i.axes), None) or point_instruction(kernel)


def _fits(kernel: Kernel, instruction: Instruction) -> bool:
    """Whether the element types of the output and, in some order, of the inputs are the instruction's."""
    s, t = kernel.statements[0], instruction.kernel.statements[0]
    out = kernel.tensor(s.target.tensor).dtype == instruction.kernel.tensor(t.target.tensor).dtype
    mine = sorted(kernel.tensor(a.tensor).dtype.name for a in s.inputs)
    theirs = sorted(instruction.kernel.tensor(a.tensor).dtype.name for a in t.inputs if a.tensor != t.target.tensor)
    return out and mine == theirs


def _cycles(proved: ProvedMapping, sizes: dict[str, int]) -> float:
    """Cycles of all executions at one per_cycle, times a charge for each operand that must be rearranged."""
    mapping = proved.mapping
    kernel = mapping.kernel.with_sizes(sizes)
    extents = {a.name: int(a.extent) if is_constant(a.extent) else _ASSUMED for a in kernel.axes}
    cycles = 1.0 / mapping.instruction.cost.per_cycle
    for axis in program_axes(mapping):
        points = 1
        for member in axis.members:
            points *= extents[member]
        cycles *= -(-points // axis.leaf)
    output = mapping.instruction.kernel.statements[0].target.tensor
    for operand, _ in mapping.binding:
        charge = _REARRANGE[supply(mapping, operand).kind]
        cycles *= charge**2 if operand == output else charge
    return cycles


def compile(
    kernel: Kernel, hardware: Hardware, *, cc: str | None = None, sanitize: bool = False, **options: Any
) -> CompiledKernel:
    """plan() and build() in one: a callable kernel, proved end to end. Options are those of plan().

    Raises what these two raise.
    """
    return build(plan(kernel, hardware, **options), cc=cc, sanitize=sanitize)


def build(planned: Plan | Program, *, cc: str | None = None, sanitize: bool = False) -> CompiledKernel:
    """A function on NumPy arrays, from a Plan or from a Program, which is proved first. Nothing unproved is compiled.

    cc: 'zig', 'clang', 'gcc' or a path; by default ISAMAP_CC, else the ziglang wheel's compiler, else the system's.
    sanitize: with the address and undefined-behaviour sanitizers (gcc or clang). The result takes row-major arrays of
    the kernel's dtypes and shapes, and `out` to accumulate into; each call checks what the proof assumes.

    Raises NotProvedError with the claims that fail, HardwareError where this CPU lacks an instruction, and BuildError
    with the compiler's words.
    """
    if isinstance(planned, Plan):
        program, source = planned.program, planned.source
    else:
        program, proof = planned, prove_program(planned)
        if not proof.proved:
            raise NotProvedError(_unproved(program, proof))
        source = print_c(program, _header(program.schedule, proof))
    return build_program(program, source, cc=cc, sanitize=sanitize)
