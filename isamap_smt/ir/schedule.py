"""A schedule orders the work of a proved mapping: a loop nest over program axes, register block, packing, threads.

Program axes: one per instruction axis (its fused kernel axes taken as one), named like the instruction axis' group
joined by '.', e.g. `p.q`, or the kernel axis itself when a single one is fused; and every unmapped kernel axis.
`program_axes()` lists them. Each program axis has a leaf (points per instruction, 1 for unmapped axes), a register
tile (a multiple of the leaf; the extra executions are unrolled) and loops of decreasing, dividing steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.proof import ProvedMapping


@dataclass(frozen=True)
class ProgramAxis:
    """members: kernel axes fused, outermost first. leaf: points inside one execution. lane: the instruction axis."""

    name: str
    members: tuple[str, ...]
    extent: Any
    leaf: int
    lane: str
    reduction: bool


def program_axes(mapping: Mapping) -> tuple[ProgramAxis, ...]:
    """The axes the schedule tiles: kernel axes not mapped, then one per instruction axis (empty groups: extent 1)."""
    s = mapping.statement
    reduction = set(s.reduction_axes)
    grouped = {a for _, g in mapping.groups for a in g}
    axes = [
        ProgramAxis(a.name, (a.name,), a.extent, 1, "", a.name in reduction) for a in s.axes if a.name not in grouped
    ]
    sizes = mapping.instruction.axes
    output_lanes = symbols_of(mapping.instruction.kernel.statements[0].target.index)
    for lane, group in mapping.groups:
        extent = sp.Mul(*[s.axis(g).extent for g in group])
        name = ".".join(group) or f"{lane}_"
        reduces = all(g in reduction for g in group) if group else lane not in output_lanes
        axes.append(ProgramAxis(name, group, extent, sizes[lane], lane, reduces))
    return tuple(axes)


@dataclass(frozen=True)
class LoopStep:
    """One loop: over `axis` in steps of `step` points, inside the enclosing loop of the same axis."""

    axis: str
    step: int
    level: str = ""

    def __str__(self) -> str:
        return f"{self.axis}:{self.step}"


@dataclass(frozen=True)
class Packing:
    """Where an operand's elements are read from.

    depth None: in place from the tensor. depth d: copied, inside the first d loops, into a buffer laid out in the
    order of use. `ahead` (depth 0 only): copied once, before the kernel is called, because the operand is constant.
    Where the kernel's guard cuts off elements of an operand that is read in place (zero padding), their points are left out,
    or the operand is read from a window: a copy of the whole tensor with the padding written out.
    prefetch: bytes between a load of whole vectors and the line that is asked for beside it, in the buffer or along the tensor's
    row; 0 leaves that to the machine. block: where the first so many loops stand around a part of the buffer that is used more
    than once, each use brings a share of the next part into the second cache.
    """

    operand: str
    depth: int | None = None
    ahead: bool = False
    prefetch: int = 0
    block: int | None = None

    def __str__(self) -> str:
        ahead = f", prefetched {self.prefetch} bytes ahead" if self.prefetch else ""
        ahead += ", and a block ahead" if self.block is not None else ""
        if self.depth is None:
            return f"the tensor, in place{ahead}"
        inside = f"inside the first {self.depth} loops" if self.depth else "once per call"
        when = "ahead of the calls" if self.ahead else inside
        return f"a buffer packed {when}{ahead}"


@dataclass(frozen=True)
class CostPart:
    """A part of the objective, in its unit. within: the part beside which it runs, or '' for one that is added to the others."""

    name: str
    amount: float
    within: str = ""


@dataclass(frozen=True)
class Schedule(Shown):
    """loops: outermost first; those up to `accumulate` enclose the accumulators, the rest are reduction loops inside.

    registers: program axis -> register tile (points). parallel: position in `loops` that is spread over threads.
    objective: cycles of all threads together, idle ones included (or picojoules); bound and lower_bound in the same unit.
    status is CP-SAT's word (OPTIMAL, FEASIBLE) or PINNED when nothing was left to decide; gap is a fraction.
    tiles: axis -> {level: points}, as reported. traffic: link -> bytes predicted. sizes: what the kernel's free sizes
    are fixed to (the rest stays a run-time parameter). hardware: whose move instructions feed the registers. shared: the
    axis of the outermost loop where statements next to this one stand in the same loop, block by block; or ''.
    unit: of the objective, 'cycles' or 'pJ'. costs: the objective's parts. assumes: (what they rest on, whose figure it is).
    """

    proved: ProvedMapping
    loops: tuple[LoopStep, ...]
    accumulate: int
    registers: tuple[tuple[str, int], ...]
    packing: tuple[Packing, ...]
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
    shared: str = ""
    unit: str = "cycles"
    costs: tuple[CostPart, ...] = ()
    assumes: tuple[tuple[str, str], ...] = ()

    def register(self, axis: str) -> int:
        """The register tile of a program axis, in points."""
        return dict(self.registers).get(axis, 1)

    def packing_of(self, operand: str) -> Packing:
        """How an operand is fed."""
        return next((p for p in self.packing if p.operand == operand), Packing(operand))

    def __str__(self) -> str:
        loops = " ".join(map(str, self.loops[: self.accumulate]))
        inner = " ".join(map(str, self.loops[self.accumulate :]))
        # A status is a statement about `space`, and about nothing outside it.
        gap = "" if self.gap is None else f" in its space, gap {self.gap:.1%}"
        return f"{self.status}{gap}: {loops} [{inner}] registers {dict(self.registers)}"

    def tables(self) -> tuple[Table, ...]:
        """Loops, tiles in points, how operands are fed, and the bytes predicted on each link."""
        loops = tuple(map(self._row, range(len(self.loops))))
        found = [
            Table("Answer", ("status", "gap", "space"), ((self.status, _percent(self.gap), self.space),)),
            Table("Loops, outermost first", ("axis", "step", "level", ""), loops),
        ]
        if self.tiles:
            levels = tuple(dict.fromkeys(level for _, sizes in self.tiles for level, _ in sizes))
            rows = tuple((axis, *(str(dict(sizes).get(n, "")) for n in levels)) for axis, sizes in self.tiles)
            found.append(Table("Tiles, in points", ("axis", *levels), rows))
        if self.packing:
            found.append(Table("Operands", ("operand", "read from"), tuple((p.operand, str(p)) for p in self.packing)))
        if self.traffic:
            rows = tuple((link, f"{count:,.0f}") for link, count in self.traffic)
            found.append(Table("Traffic predicted", ("link", "bytes"), rows))
        if self.costs:
            rows = tuple((p.name, f"{p.amount:,.0f}", f"beside: {p.within}" if p.within else "") for p in self.costs)
            found.append(Table("Cost predicted", ("part", self.unit, ""), rows))
        if self.assumes:
            found.append(Table("The cost rests on", ("figure", "whose"), self.assumes))
        return tuple(found)

    def _row(self, depth: int) -> tuple[str, ...]:
        """One loop of the table."""
        step = self.loops[depth]
        about = "over threads" if depth == self.parallel else ""
        if depth == 0 and self.shared:
            about = f"shared with other statements{', ' if about else ''}{about}"
        if depth >= self.accumulate:
            about = "reduction inside the accumulators"
        return step.axis, str(step.step), step.level, about


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{fraction:.1%}"
