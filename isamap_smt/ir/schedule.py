"""A schedule orders the work of a proved mapping: a loop nest over program axes, stages, register block, threads.

Program axes: one per instruction axis (its fused kernel axes taken as one), named like the instruction axis' group
joined by '.', e.g. `p.q`, or the kernel axis itself when a single one is fused; and every unmapped kernel axis.
`program_axes()` lists them. Each program axis has a leaf (points per instruction, 1 for unmapped axes), a register
tile (a multiple of the leaf; the extra executions are unrolled) and loops of decreasing, dividing steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import sympy as sp

from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.notes import read_note
from isamap_smt.ir.proof import ProvedMapping


@dataclass(frozen=True)
class ProgramAxis:
    """members: kernel axes fused, outermost first. lane: the instruction axis.

    leaf: points inside one execution, possibly a number times a machine parameter.
    """

    name: str
    members: tuple[str, ...]
    extent: Any
    leaf: Any
    lane: str
    reduction: bool


@per_object(most=1024)
def program_axes(mapping: Mapping) -> tuple[ProgramAxis, ...]:
    """The axes the schedule tiles: kernel axes not mapped, then one per instruction axis (empty groups: extent 1)."""
    s = mapping.statement
    reduction = set(s.reduction_axes)
    grouped = {a for _, g in mapping.groups for a in g}
    axes = [
        ProgramAxis(a.name, (a.name,), a.extent, 1, "", a.name in reduction) for a in s.axes if a.name not in grouped
    ]
    sizes = mapping.instruction.extents
    output_lanes = symbols_of(mapping.instruction.kernel.statements[0].target.index)
    for lane, group in mapping.groups:
        extent = sp.Mul(*[s.axis(g).extent for g in group])
        name = ".".join(group) or f"{lane}_"
        reduces = all(g in reduction for g in group) if group else lane not in output_lanes
        leaf = int(sizes[lane]) if is_constant(sizes[lane]) else sizes[lane]
        axes.append(ProgramAxis(name, group, extent, leaf, lane, reduces))
    return tuple(axes)


@dataclass(frozen=True)
class LoopStep:
    """One loop: over `axis` in steps of `step` points, inside the enclosing loop of the same axis.

    With stages in addressed memories, it is a loop over an outer axis of the mapping, and its points are tiles.
    """

    axis: str
    step: Any
    level: str = ""

    def __str__(self) -> str:
        return f"{self.axis}:{self.step}"


LEFT_OUT, ZEROS = "left out", "zeros"


@dataclass(frozen=True)
class Stage:
    """Where the elements of an instruction's operand lie, during which loops.

    depth None: in the tensor. depth d: inside the first d loops they are brought into a buffer, the output's tiles
    begun in it and stored from it.
    memory: an addressed one, with tiles of `rows` rows in `slots` slots from row `offset` on. An operand may pass
    several, each a stage, outer ones first. via: the instruction filling a tile, or storing one of the output; begin:
    the one beginning a tile of the output; updates: those changing its finished sums before they are stored.
    memory '': a buffer in main memory, packed in the order of use, and held by caches. ahead (depth 0 only): packed
    once, before the kernel is called, because the operand is constant. One of the output holds a tile as the registers
    do, if no move reaches the tensor's elements.
    padding: for elements cut off by the kernel's guard in an operand read in place. LEFT_OUT: tests leave their points
    out. ZEROS: it is read from a window: a copy of the whole tensor with zeros around it, made once per call. '':
    lowering decides.
    prefetch: bytes between a load of whole vectors and the line prefetched beside it, in the buffer or along the
    tensor's row; 0 leaves this to the machine.
    block: if the first `block` loops surround a part of the buffer used more than once, each use brings a share of the
    next part into the second cache.
    filled: inside the first `filled` loops, more than `depth`, its tiles are filled, each in the first iteration of those
    loops between that it does not depend on; None: all of them where the stage begins.
    spare: rows of a slot behind those of its tiles. shared: elements that several of its tiles share lie in it once.
    stays: nothing fills or stores it, since its tensor lies there between phases, tile by tile in the order of its
    coordinates. stored: but others look for it in main memory, too.
    """

    operand: str
    depth: int | None = None
    ahead: bool = False
    prefetch: int = 0
    block: int | None = None
    memory: str = ""
    slots: int = 1
    rows: int = 0
    offset: int = 0
    via: str = ""
    begin: str = ""
    updates: tuple[str, ...] = ()
    padding: str = ""
    spare: int = 0
    shared: bool = False
    stays: bool = False
    stored: bool = False
    filled: int | None = None

    def __str__(self) -> str:
        if self.stays:
            also = f", and it is stored by {self.via}" if self.stored else ""
            return f"in {self.memory}: all its tiles of {self.rows} rows stay there between phases{also}"
        if self.memory:
            slots = "1 slot" if self.slots == 1 else f"{self.slots} slots"
            inside = {0: "no loop", 1: "1 loop"}.get(self.depth or 0, f"{self.depth} loops")
            once = ", what its tiles share once" if self.shared else ""
            by = ", ".join([*self.updates, self.via])
            first = (
                "" if self.filled is None else f", each tile filled before its first use, inside {self.filled} loops"
            )
            return f"in {self.memory}: {slots} of {self.rows} rows, by {by}, inside {inside}{first}{once}"
        if self.depth is None:
            return f"the tensor, {self.in_place}{self.fetched}"
        inside = f"inside the first {self.depth} loops" if self.depth else "once per call"
        when = "ahead of the calls" if self.ahead else inside
        return f"a buffer packed {when}{self.fetched}"

    @property
    def in_place(self) -> str:
        """The way of reading it in place, in words."""
        where = {LEFT_OUT: ", points outside left out by tests", ZEROS: ", once copied with the zeros around it"}
        return "in place" + where.get(self.padding, "")

    @property
    def fetched(self) -> str:
        """The lines prefetched besides, in words, to follow others."""
        told = f", prefetched {self.prefetch} bytes ahead" if self.prefetch else ""
        return told + (", and a block ahead" if self.block is not None else "")


@dataclass(frozen=True)
class CostPart:
    """A part of the objective, in its unit. within: the part it runs beside, or '' if it is added to the others."""

    name: str
    amount: float
    within: str = ""

    @property
    def told(self) -> str:
        """Its name for people. JSON keeps the plain name."""
        return part_told(self.name)


MACS, LINK, BANDWIDTH, MEMORY = USED = "MACs", "link", "bandwidth", "memory"
POINTS = "points"


@dataclass(frozen=True)
class Utilisation:
    """A plan's use of a resource.

    kind: MACS, out of an instruction's possible ones; POINTS, if it adds no products; LINK and BANDWIDTH, in cycles;
    MEMORY, in rows.
    """

    kind: str
    name: str
    used: float
    available: float

    @property
    def share(self) -> float:
        """The used part, from 0 to 1."""
        return self.used / self.available if self.available else 0.0


# What people read for parts of a cost whose names are not of the field. Others are read as they are.
_PARTS = {
    "computing beside the links": "computing, overlapped with transfers",
    "transfers that nothing hides": "exposed transfers",
    "passes over the accumulators": "accumulator spill/reload",
    "copies into the order of use": "packing",
}


def part_told(name: str) -> str:
    """People's name for the part of a cost.

    >>> part_told("copies into the order of use"), part_told("L2->L1")
    ('packing', 'L2->L1')
    """
    return _PARTS.get(name, name)


@dataclass(frozen=True)
class Schedule(Shown):
    """loops: outermost first; those up to `accumulate` enclose the accumulators, the rest are reduction loops inside.

    stages: of operands; operands without one are read where their tensors lie.
    registers: program axis -> register tile (points). parallel: position in `loops` of the loop spread over threads.
    objective: cycles of all threads together, idle ones included (or picojoules); bound and lower_bound in the same
    unit. status is CP-SAT's word (OPTIMAL, FEASIBLE) or PINNED if nothing was left to decide; gap is a fraction.
    tiles: axis -> {level: points}, as reported. traffic: link -> bytes predicted.
    sizes: fixed values of the kernel's free sizes (the rest stay run-time parameters).
    hardware: its move instructions feed the registers.
    fused: the axes of the outermost loops shared with statements next to this one. streams: bytes of the first cache
    prefetched by its loads in each iteration of these loops: the next one's lines, and the results'; 0: none.
    blocks: on a machine with engines, loops over blocks of so many tiles, shared with neighbouring phases; `loops` and
    stages are of one block.
    unit: of the objective, 'cycles' or 'pJ'. costs: the objective's parts. assumes: (assumption behind them, its
    source).
    decided_outside: decisions made before or after, and so not covered by the solver's bound.
    unscheduled: (reason, number) of the legal mappings left without a schedule.
    utilisation: of a machine with engines, the plan's use of it.
    """

    proved: ProvedMapping
    loops: tuple[LoopStep, ...]
    accumulate: int
    registers: tuple[tuple[str, int], ...]
    stages: tuple[Stage, ...]
    parallel: int | None = None
    status: str = "PINNED"
    space: str = "one schedule, written by hand"
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None
    lower_bound: float | None = None
    tiles: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    traffic: tuple[tuple[str, float], ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())
    sizes: tuple[tuple[str, int], ...] = ()
    hardware: Hardware | None = None
    fused: tuple[str, ...] = ()
    blocks: tuple[LoopStep, ...] = ()
    streams: int = 0
    unit: str = "cycles"
    costs: tuple[CostPart, ...] = ()
    assumes: tuple[tuple[str, str], ...] = ()
    decided_outside: tuple[str, ...] = ()
    unscheduled: tuple[tuple[str, int], ...] = ()
    utilisation: tuple[Utilisation, ...] = ()

    def register(self, axis: str) -> int:
        """The register tile of a program axis, in points."""
        return dict(self.registers).get(axis, 1)

    def stage(self, operand: str) -> Stage:
        """The stage of an operand at its use."""
        return next((s for s in reversed(self.stages) if s.operand == operand), Stage(operand))

    def outer(self, stage: Stage) -> Stage | None:
        """The stage behind its tiles; None if it is main memory."""
        path = [s for s in self.stages if s.operand == stage.operand]
        at = path.index(stage)
        return path[at - 1] if at else None

    def tensor(self, stage: Stage) -> str:
        """The tensor staged there."""
        return self.proved.mapping.operand_access(stage.operand).tensor

    @property
    def staying(self) -> tuple[str, ...]:
        """Tensors kept in a memory between phases."""
        return tuple(self.tensor(s) for s in self.stages if s.stays)

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels with tiles."""
        return tuple(dict.fromkeys(level for _, sizes in self.tiles for level, _ in sizes))

    def __str__(self) -> str:
        blocks = "".join(f"blocks {b}, each " for b in self.blocks)
        loops = blocks + " ".join(map(str, self.loops[: self.accumulate]))
        inner = " ".join(map(str, self.loops[self.accumulate :]))
        # A status is a statement about `space`, and about nothing outside it.
        gap = "" if self.gap is None else f" in its space, gap {self.gap:.1%}"
        registers = f" registers {dict(self.registers)}" if self.registers else ""
        return f"{self.status}{gap}: {loops} [{inner}]{registers}"

    def tables(self) -> tuple[Table, ...]:
        """Loops, tiles in points, the feeding of operands, and the bytes predicted on each link."""
        loops = tuple(map(self._row, range(len(self.loops))))
        found = [
            Table("Answer", ("status", "gap", "space"), ((self.status, _percent(self.gap), self.space),)),
            Table("Loops, outermost first", ("axis", "step", "level", ""), loops),
        ]
        if self.tiles:
            rows = tuple((axis, *(str(dict(sizes).get(n, "")) for n in self.levels)) for axis, sizes in self.tiles)
            found.append(Table("Tiles, in points", ("axis", *self.levels), rows))
        if self.stages:
            found.append(Table("Operands", ("operand", "read from"), tuple((s.operand, str(s)) for s in self.stages)))
        if self.traffic:
            rows = tuple((link, f"{count:,.0f}") for link, count in self.traffic)
            found.append(Table("Traffic predicted", ("link", "bytes"), rows))
        if self.costs:
            rows = tuple(
                (p.told, f"{p.amount:,.0f}", f"overlapped: {part_told(p.within)}" if p.within else "")
                for p in self.costs
            )
            found.append(Table("Cost predicted", ("part", self.unit, ""), rows))
        if self.utilisation:
            used = tuple((u.kind, u.name, f"{u.share:.1%}") for u in self.utilisation)
            found.append(Table("Utilisation", ("of", "which", "used"), used))
        if self.assumes:
            found.append(Table("Cost-model assumptions", ("assumption", "source"), self.assumes))
        return tuple(found)

    def _row(self, depth: int) -> tuple[str, ...]:
        """One loop of the table."""
        step = self.loops[depth]
        about = "over threads" if depth == self.parallel else ""
        if depth < len(self.fused):
            about = f"fused with other statements{', ' if about else ''}{about}"
        if depth >= self.accumulate:
            about = "reduction inside the accumulators"
        return step.axis, str(step.step), step.level, about


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{fraction:.1%}"


# ---- A schedule as plain data: the one form written by certificates, databases, caches and the command line.
#
# A record has every field of the schedule, of its loops and of its stages: a field added there is in every record. Apart are
# the proved mapping and the machine: they are looked up, and proved, again when a record is read.


Record = dict[str, Any]
APART = ("proved", "hardware")
# the search and the predicted costs of a schedule: no part of its program
FOUND = (
    "status", "space", "objective", "bound", "gap", "lower_bound", "unit", "costs", "assumes", "decided_outside", "tiles",
    "traffic", "seconds", "notes", "unscheduled", "utilisation",
)  # fmt: skip
# Always written. Later fields are left out at their defaults, so programs keep their names in databases.
_FIRST = {
    LoopStep: ("axis", "step", "level"),
    CostPart: ("name", "amount", "within"),
    Utilisation: ("kind", "name", "used", "available"),
    Stage: ("operand", "depth", "ahead"),
    Schedule: (
        "loops",
        "accumulate",
        "registers",
        "stages",
        "parallel",
        "sizes",
        *(n for n in FOUND if n not in ("decided_outside", "unscheduled", "utilisation")),
    ),
}
_CALLED = {"stages": "packing", "fused": "shared"}  # fields with another, older name in records


def schedule_record(schedule: Schedule) -> Record:
    """Every field but `proved` and `hardware`, as JSON holds it."""
    return _record(schedule)


def decisions(record: Record) -> Record:
    """The part of a record with the decisions on the program. The levels of loops are for the report only."""
    part = {name: value for name, value in record.items() if name not in FOUND}
    return {**part, "loops": [{**x, "level": ""} for x in record["loops"]]}


def schedule_of(record: Record, proved: ProvedMapping, hardware: Hardware | None) -> Schedule:
    """The schedule of a record; fields missing in a record of decisions alone have their defaults.

    Raises LookupError, TypeError or ValueError for an invalid record.
    """
    kinds = {name: kind for name, kind in _kinds(Schedule).items() if name not in APART} | {"fused": str}
    known = {name: record[_CALLED.get(name, name)] for name in kinds if _CALLED.get(name, name) in record}
    made = {name: _read(value, kinds[name], name) for name, value in known.items()}
    parallel, loops = made.get("parallel"), made["loops"]
    if parallel is not None and not 0 <= parallel < len(loops):
        raise ValueError(f"the schedule spreads loop {parallel!r} over threads, which there is not")
    if any(type(x.step) is not int or x.step < 1 for x in loops if not hasattr(x.step, "free_symbols")):
        raise ValueError("a loop's step is no number of points")
    operands = dict(proved.mapping.binding)
    if unknown := [x.operand for x in made["stages"] if x.operand not in operands]:
        raise ValueError(f"the schedule places {unknown[0]!r}, which {proved.mapping.instruction.name} has not")
    made["fused"] = tuple(made.get("fused", "").split())  # a record has axes with spaces between
    made["notes"] = tuple(map(read_note, made.get("notes", ())))
    return Schedule(proved=proved, hardware=hardware, **made)


@cache
def _kinds(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(value: Any, kind: Any, what: str) -> Any:
    """A record's value for a field of this type. Raises TypeError if it is of another one."""
    if kind is Any:
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        wanted = _kinds(kind)
        return kind(**{name: _read(v, wanted[name], name) for name, v in dict(value).items()})
    inside = get_args(kind)
    if get_origin(kind) is tuple:
        each = inside[:1] * len(value) if inside[1:] == (...,) else inside
        if isinstance(value, list | tuple) and len(each) == len(value):
            return tuple(_read(v, k, what) for v, k in zip(value, each, strict=True))
    elif type(value) in (inside or (kind,)) or (float in (kind, *inside) and type(value) is int):
        return value
    raise TypeError(f"{what}: {value!r} is not of its type")


def _record(value: Any) -> Record:
    first = _FIRST[type(value)]
    every = {f.name: (getattr(value, f.name), f.default) for f in fields(value) if f.name not in APART}
    made = {_CALLED.get(n, n): _plain(v) for n, (v, default) in every.items() if n in first or v != default}
    return made if "shared" not in made else made | {"shared": " ".join(made["shared"])}


def _plain(value: Any) -> Any:
    if isinstance(value, LoopStep | Stage | CostPart | Utilisation):
        return _record(value)
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
