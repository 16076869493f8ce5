"""The loop nest of a schedule: the value of each program axis inside each loop, and the places of tails.

A program axis F with loops of steps S1 > S2 > ... > R (R the register tile, units of L lanes) has the value

    F = S1*x1 + S2*x2 + ... + L*unit + lane

The loop counts keep S1*x1 + ... below the extent, so a tail exists only inside the register tile: when R does not
divide the extent.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import (
    FloorDiv,
    FloorMod,
    IMin,
    ceil_div,
    free_name,
    is_constant,
    substitute,
    sym,
    words,
)
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, ProgramAxis, Schedule, program_axes
from isamap_smt.mapping.layout import element_axes, holds_table, lane_axes, plain_lanes, stays_in_memory


@dataclass(frozen=True)
class NestLoop:
    """One loop of the nest. `count` may mention the variables of outer loops over the same axis."""

    var: Any
    axis: str
    step: Any
    count: Any


@dataclass(frozen=True)
class Nest:
    """The mapping at the schedule's sizes, with its loops; positions below `accumulate` enclose the accumulators.

    registers: program axis -> executions unrolled along it. If the machine's parameters are open, so are leaves and
    steps.
    """

    kernel: Kernel
    mapping: Mapping
    axes: dict[str, ProgramAxis]
    loops: tuple[NestLoop, ...]
    accumulate: int
    registers: dict[str, int]

    @property
    def statement(self) -> Statement:
        return self.kernel.statements[self.mapping.statement_index]

    def buffer(self, name: str) -> str:
        """A buffer's name, apart from those of the kernel's tensors."""
        return apart(name, self.kernel)

    def tile(self, axis: str) -> Any:
        """Points of the axis inside the innermost loop: its register tile, at least its leaf."""
        return self.units(axis) * self.axes[axis].leaf

    def units(self, axis: str) -> int:
        """Executions of the instruction unrolled along the axis."""
        return self.registers[axis]

    def has_tail(self, axis: str) -> bool:
        """Whether some register tile can reach beyond the extent."""
        extent, tile = self.axes[axis].extent, self.tile(axis)
        whole = is_constant(extent) and is_constant(tile) and int(extent) % int(tile) == 0
        return tile != 1 and not whole

    def value(self, axis: str, unit: Any = 0, lane: Any = 0, rename: Dict[str, Any] | None = None) -> Any:
        """F as an expression over the loop variables (renamed), the unit and the lane."""
        total = sp.Add(*[loop.step * loop.var for loop in self.loops if loop.axis == axis])
        return substitute(total, rename or {}) + self.axes[axis].leaf * unit + lane

    def clamped(self, axis: str, value: Any) -> Any:
        """The value, kept inside the extent: rows beyond the end read the last element, and their results are not stored."""
        return IMin(value, self.axes[axis].extent - 1) if self.has_tail(axis) else value

    def point(self, values: Dict[str, Any]) -> dict[str, Any]:
        """Kernel axis -> expression, given the value of each program axis (fused axes are taken apart)."""
        table: dict[str, Any] = {}
        for name, axis in self.axes.items():
            rest = values[name]
            extents = [self.statement.axis(m).extent for m in axis.members]
            for member, extent in list(zip(axis.members, extents, strict=True))[:0:-1]:
                table[member] = FloorMod(rest, extent)
                rest = FloorDiv(rest, extent)
            if axis.members:
                table[axis.members[0]] = rest
        return table

    def relevant(self, operand: str) -> tuple[str, ...]:
        """Program axes the operand's element depends on; an empty lane of the operand counts."""
        used, lanes = element_axes(self.mapping, operand), lane_axes(self.mapping, operand)
        return tuple(
            n
            for n, a in self.axes.items()
            if used & set(a.members) or (not a.members and a.lane in lanes and a.leaf != 1)
        )

    def held(self, operand: str) -> DType:
        """The instruction's element type for the operand; its tensor's type may be narrower."""
        return self.mapping.instruction.kernel.tensor(operand).dtype

    def lanes(self, operand: str) -> tuple[str, ...]:
        """The operand's instruction axes, in cell order. Raises ScheduleError if a cell is no plain axis."""
        return plain_lanes(self.mapping, operand)

    def axis_of_lane(self, lane: str) -> ProgramAxis:
        """The program axis whose leaf is this instruction axis."""
        return next(a for a in self.axes.values() if a.lane == lane)

    def table(self, operand: str) -> bool:
        """Whether the operand's registers hold a whole tensor, of which data names an element."""
        return holds_table(self.mapping, operand)

    def far(self, operand: str) -> bool:
        """Whether the instruction reads the whole tensor in main memory, and no register holds it."""
        return stays_in_memory(self.mapping, operand)

    def coordinates(self, operand: str, point: Dict[str, Any], lanes: Dict[str, Any]) -> tuple[Any, ...]:
        """The tensor's element in a cell of the operand. point: by kernel axis; lanes: the cell."""
        if self.table(operand):
            return tuple(lanes.values())
        return tuple(substitute(i, point) for i in self.mapping.operand_access(operand).index)

    def extents(self, operand: str) -> tuple[Any, ...]:
        """How many cells the operand's register has along each of its dimensions."""
        return tuple(map(sp.sympify, self.mapping.instruction.shapes[operand]))


def plain_name(axis: str) -> str:
    """An axis of several, as a part of a variable's name."""
    return axis.replace(".", "_")


def most_trips(nest: Nest, position: int) -> Any:
    """The largest trip count of a loop, in terms of sizes only."""
    loop = nest.loops[position]
    outer = [x for x in nest.loops[:position] if x.axis == loop.axis]
    return times(outer[-1].step, loop.step) if outer else loop.count


def apart(name: str, kernel: Kernel) -> str:
    """The name, with as many underscores behind it as make it none of the kernel's tensors."""
    return free_name(name, {t.name for t in kernel.tensors})


def build_nest(schedule: Schedule) -> Nest:
    """The nest of a schedule at its sizes. Raises ScheduleError when loops, tiles and extents do not fit."""
    mapping = schedule.proved.mapping
    kernel = mapping.kernel.with_sizes(dict(schedule.sizes))
    mapping = _at_sizes(mapping, kernel)
    if not mapping.groups and mapping.instruction.axes:
        raise ScheduleError(f"mapping {mapping.id} is not of the fuse family; only those can be lowered")
    axes = {a.name: a for a in program_axes(mapping)}
    registers = {name: max(dict(schedule.registers).get(name, 1), axis.leaf) for name, axis in axes.items()}
    _check(schedule, axes, registers)
    executions = {name: tile // axes[name].leaf for name, tile in registers.items()}
    steps, accumulate = schedule.loops, schedule.accumulate
    if schedule.hardware is not None and schedule.hardware.opened is not None:
        mapping = _opened(mapping, schedule.hardware.opened)
        numbers, axes = axes, {a.name: a for a in program_axes(mapping)}
        tiles = {name: count * axes[name].leaf for name, count in executions.items()}
        steps, accumulate = _opened_loops(schedule, numbers, axes, tiles)
    loops: list[NestLoop] = []
    for step in steps:
        loops.append(_loop(step, axes[step.axis], loops))
    return Nest(kernel, mapping, axes, tuple(loops), accumulate, executions)


def _opened(mapping: Mapping, machine: Hardware) -> Mapping:
    """The mapping onto the same instruction with the machine's parameters open. Raises ScheduleError."""
    taken = set(mapping.kernel.free_sizes) | {a.name for a in mapping.kernel.axes}
    if clash := {p.name for p in machine.parameters} & taken:
        raise ScheduleError(
            f"{mapping.kernel.name} calls a size or an axis {min(clash)}, as {machine.name} calls a parameter of its own; give it "
            "another name in the kernel"
        )
    return replace(mapping, instruction=machine.instruction(mapping.instruction.name))


def _opened_loops(
    schedule: Schedule, numbers: dict[str, ProgramAxis], opened: dict[str, ProgramAxis], tiles: dict[str, Any]
) -> tuple[tuple[LoopStep, ...], int]:
    """The loops, with as many executions a step at the open leaf, and how many of them enclose the accumulators.

    An axis with a single tile at the schedule's numbers may need several at others: it has a loop, too. Raises
    ScheduleError if a step is no multiple of the lanes.
    """
    steps = []
    for step in schedule.loops:
        whole, points = opened[step.axis].leaf, numbers[step.axis].leaf
        if step.step % points:
            raise ScheduleError(
                f"{step.axis}: step {step.step} is no multiple of the {points} lanes, which are {whole}"
            )
        steps.append(replace(step, step=step.step // points * whole))
    looped = {s.axis for s in steps}
    more = [a for n, a in opened.items() if n not in looped and not is_constant(a.leaf)]
    inner = tuple(LoopStep(a.name, tiles[a.name]) for a in more if a.reduction)
    outer = tuple(LoopStep(a.name, tiles[a.name]) for a in more if not a.reduction)
    at = schedule.accumulate
    return (*steps[:at], *outer, *steps[at:], *inner), at + len(outer)


def times(outer: Any, inner: Any) -> Any:
    """How many inner steps an outer one has. Both are numbers, or numbers of times the same parameter."""
    return sp.cancel(sp.sympify(outer) / sp.sympify(inner))


def _at_sizes(mapping: Mapping, kernel: Kernel) -> Mapping:
    """The same mapping over the kernel with sizes fixed. A proof for all sizes holds for these."""
    old, new = mapping.statement, kernel.statements[mapping.statement_index]
    places = [old.target, *old.inputs]
    now = [new.target, *new.inputs]
    if len(places) != len(now):
        raise ScheduleError("two operands became the same element at these sizes; leave one size symbolic")
    table = dict(zip(places, now, strict=True))
    binding = tuple((o, table[Access(a.tensor, a.index)]) for o, a in mapping.binding)
    return Mapping(kernel, mapping.instruction, binding, (), (), (), (), mapping.groups, mapping.statement_index)


def _check(schedule: Schedule, axes: dict[str, ProgramAxis], registers: dict[str, int]) -> None:
    for name in [*dict(schedule.registers), *(s.axis for s in schedule.loops)]:
        if name not in axes:
            raise ScheduleError(f"no program axis {name!r}; {did_you_mean(name, axes)}")
    for name, axis in axes.items():
        tile = registers[name]
        if tile % axis.leaf:
            raise ScheduleError(f"register tile {tile} of {name} is not a multiple of its {axis.leaf} lanes")
        if axis.reduction and tile != axis.leaf:
            raise ScheduleError(f"{name} is a reduction axis; its register tile must be {axis.leaf}")
        chain = [s.step for s in schedule.loops if s.axis == name]
        for outer, inner in pairwise(chain):
            if outer % inner or outer == inner:
                raise ScheduleError(f"{name}: step {outer} is not a multiple of the inner step {inner}")
        if (chain[-1] if chain else tile) != tile:
            raise ScheduleError(f"{name}: innermost step {chain[-1]} is not the register tile {tile}")
        if not chain and not (is_constant(axis.extent) and int(axis.extent) <= tile):
            raise ScheduleError(f"{name} has no loop, but its extent {words(axis.extent)} exceeds one tile of {tile}")
    if not 0 <= schedule.accumulate <= len(schedule.loops):
        raise ScheduleError(
            f"accumulate={schedule.accumulate}: of {len(schedule.loops)} loops none is there to stand around"
        )
    inside = schedule.loops[schedule.accumulate :]
    if any(not axes[s.axis].reduction for s in inside):
        raise ScheduleError("only reduction loops may stand inside the accumulators")


def _loop(step: LoopStep, axis: ProgramAxis, outer: list[NestLoop]) -> NestLoop:
    same = [loop for loop in outer if loop.axis == axis.name]
    var = sym(f"{plain_name(axis.name)}{len(same)}")
    extent = sp.sympify(axis.extent)
    if not same:
        return NestLoop(var, axis.name, step.step, ceil_div(extent, step.step))
    parent = same[-1].step
    if is_constant(extent) and is_constant(parent) and int(extent) % parent == 0:
        return NestLoop(var, axis.name, step.step, times(parent, step.step))
    base = sp.Add(*[loop.step * loop.var for loop in same])
    return NestLoop(var, axis.name, step.step, ceil_div(IMin(sp.sympify(parent), extent - base), step.step))
