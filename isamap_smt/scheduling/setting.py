"""The numbers a schedule is chosen for: the mapping's program axes at known sizes, and its operands.

A size that stays symbolic stands at an assumed value while the solver chooses, because tiles are constants: the
schedule is legal for every size, and good for sizes like the assumed one.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from functools import wraps
from math import prod
from typing import Any, TypeVar

from isamap_smt.ir.errors import HardwareError, ScheduleError, did_you_mean
from isamap_smt.ir.expr import affine, is_constant, symbols_of, words
from isamap_smt.ir.hardware import Hardware, Link, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import ProgramAxis, program_axes
from isamap_smt.ir.ways import way_in, way_out
from isamap_smt.mapping.layout import element_axes, lane_axes, stays_in_memory
from isamap_smt.scheduling.figures import DESCRIBED, Figures

ASSUMED = 1024  # points assumed for an axis whose size is not given; fewer where there are many such axes
STREAM = 256  # points of a sum
WORK = 1 << 36  # kernel points that assumed sizes may come to


F = TypeVar("F", bound=Callable[..., Any])


def remembered(work: F) -> F:
    """The function of a Setting and plain values, whose results the Setting keeps: prices ask for them again and again."""

    name = work.__name__

    @wraps(work)
    def found(s: Setting, *args: Any, **more: Any) -> Any:
        key = (name, args, *more.items()) if more else (name, args)
        try:
            return s.known[key]
        except KeyError:
            made = s.known[key] = work(s, *args, **more)
            return made

    return found  # type: ignore[return-value]


@dataclass(frozen=True)
class Setting:
    """The mapping with every size a number. axes: program axes with integer extents; open: names of the symbolic ones.

    given: the mapping at the given sizes only (symbolic without one). constant: tensors declared constant.
    """

    proved: ProvedMapping
    hardware: Hardware
    mapping: Mapping
    given: Mapping
    axes: tuple[ProgramAxis, ...]
    open: tuple[str, ...]
    assumed: tuple[tuple[str, int], ...]
    constant: tuple[str, ...]
    threads: int
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def kernel(self) -> Kernel:
        return self.mapping.kernel

    def separates(self, d: int) -> bool:
        """Whether different values of a program axis are sure to be different outputs, whatever the other axes are."""
        extents = {a.name: a.extent for a in self.given.statement.axes}
        own = {a for i in self.mapping.statement.target.index for a in _told_apart(i, extents)}
        return set(self.axes[d].members) <= own

    @property
    def untiled(self) -> frozenset[str]:
        """Reduction axes walked whole: all but the outermost if the order of a floating-point sum is fixed."""
        s = self.mapping.statement
        if not (s.ordered and self.kernel.tensor(s.target.tensor).dtype.is_float and s.op in ("+", "*")):
            return frozenset()
        order = [a.name for a in s.axes]
        sums = sorted((a for a in self.axes if a.reduction and a.members), key=lambda a: order.index(a.members[0]))
        return frozenset(a.name for a in sums[1:])

    @property
    @remembered
    def output(self) -> str:
        """The instruction's output operand."""
        return self.mapping.instruction.kernel.statements[0].target.tensor

    @property
    @remembered
    def inputs(self) -> tuple[str, ...]:
        """The instruction's input operands, the output excluded."""
        s = self.mapping.instruction.kernel.statements[0]
        return tuple(dict.fromkeys(a.tensor for a in s.inputs if a.tensor != self.output))

    @property
    @remembered
    def loaded(self) -> tuple[str, ...]:
        """The input operands that registers hold."""
        return tuple(o for o in self.inputs if not stays_in_memory(self.mapping, o))

    @remembered
    def relevant(self, operand: str) -> tuple[int, ...]:
        """Positions of the program axes the operand's element depends on; its empty lanes count."""
        used, lanes = element_axes(self.mapping, operand), lane_axes(self.mapping, operand)
        return tuple(
            d
            for d, a in enumerate(self.axes)
            if used & set(a.members) or (not a.members and a.leaf > 1 and a.lane in lanes)
        )

    def tensor(self, operand: str) -> str:
        """The kernel tensor of an operand."""
        return self.mapping.operand_access(operand).tensor

    def operand(self, name: str) -> str:
        """The instruction operand of this name, or the one fed by the tensor of this name."""
        tensors = {self.tensor(o): o for o in self.inputs}
        if name in tensors:
            return tensors[name]
        if name in self.inputs:
            return name
        raise ScheduleError(f"no input operand {name!r}; {did_you_mean(name, [*tensors, *self.inputs])}")

    @property
    def once(self) -> bool:
        """Whether each element is computed once, of one point: so nothing is kept for later."""
        s = self.mapping.statement
        return s.op == "=" and not any(a.reduction and a.members for a in self.axes)

    @property
    def as_it_lies(self) -> tuple[int, ...]:
        """The axes in the order of the output's dimensions, outermost first."""
        index = [symbols_of([i]) for i in self.mapping.statement.target.index]

        def last(d: int) -> int:
            return max((n for n, used in enumerate(index) if used & set(self.axes[d].members)), default=-1)

        return tuple(sorted(range(len(self.axes)), key=last))

    @property
    def streams(self) -> bool:
        """Whether the sums are long enough for their operands to be fetched ahead into the first cache."""
        return prod(a.extent for a in self.axes if a.reduction) >= STREAM

    def bytes(self, operand: str) -> int:
        """Bytes of one element of the operand, as the instruction takes it."""
        return self.mapping.instruction.kernel.tensor(operand).dtype.bytes

    def vectors(self, operand: str) -> bool:
        """Whether a load brings another element into every lane; broadcasts, also in groups, do not."""
        lanes = lane_axes(self.mapping, operand)
        return bool(lanes) and lanes <= {self.axes[d].lane for d in self.relevant(operand)}

    def widened(self, operand: str) -> bool:
        """Whether the operand is fed by a tensor of a narrower type, and converted on the way."""
        return not self.mapping.element(operand).lies_as(self.mapping.instruction.kernel.tensor(operand).dtype)


def setting(
    proved: ProvedMapping,
    hardware: Hardware,
    sizes: Dict[str, int],
    constant: tuple[str, ...],
    threads: int,
) -> Setting:
    """The numbers for these sizes. Raises SizeError for sizes the kernel does not have, ScheduleError for operands."""
    kernel = proved.mapping.kernel.with_sizes(sizes)
    lows = {p.name: p.low for p in kernel.parameters}
    # A parameter is a stride, a dilation or a padding: its least value is the plain case. One with an end stands at that.
    points = _assumed_points(proved.mapping, kernel)
    ends = {p.name: p.high for p in kernel.parameters if p.high is not None}
    assumed = {n: ends.get(n, lows.get(n, points)) for n in kernel.free_sizes}
    given = at_kernel(proved.mapping, kernel)
    mapping = at_kernel(proved.mapping, kernel.with_sizes(assumed) if assumed else kernel)
    axes = []
    for a in program_axes(mapping):
        if not is_constant(a.extent):
            raise ScheduleError(f"axis {a.name} runs to {words(a.extent)}, which the sizes do not make a number")
        axes.append(replace(a, extent=int(a.extent)))
    still = tuple(a.name for a in program_axes(given) if not is_constant(a.extent))
    told = tuple(sorted(assumed.items()))
    made = Setting(proved, hardware, mapping, given, tuple(axes), still, told, (), threads)
    return replace(made, constant=tuple(made.tensor(made.operand(c)) for c in constant))


def _told_apart(index: Any, extents: Dict[str, Any]) -> set[str]:
    """The axes determined by the index' value: one alone, or several as digits, each stepping over those inside it."""
    used = sorted(symbols_of([index]) & set(extents))
    parts = affine(index, used)
    if parts is None:
        return set()
    steps = {a: parts[0].get(a, 0) for a in used}
    if len(used) == 1:
        return {a for a in used if steps[a] != 0}
    if not all(is_constant(n) and int(n) > 0 for n in steps.values()):
        return set()
    reach = 0
    for n, a in enumerate(inner := sorted(used, key=lambda a: int(steps[a]))):
        if int(steps[a]) <= reach or (n + 1 < len(inner) and not is_constant(extents[a])):
            return set()
        reach += int(steps[a]) * (int(extents[a]) - 1) if is_constant(extents[a]) else 0
    return set(used)


def _assumed_points(mapping: Mapping, kernel: Kernel) -> int:
    """The largest power of two up to ASSUMED for a kernel domain within WORK points; at least 4."""
    extents = [a.extent for a in kernel.statements[mapping.statement_index].axes]
    known = prod(int(e) for e in extents if is_constant(e))
    free = sum(not is_constant(e) for e in extents)
    points = ASSUMED
    while points > 4 and known * points**free > WORK:
        points //= 2
    return points


def at_kernel(mapping: Mapping, kernel: Kernel) -> Mapping:
    """The same mapping over the kernel with sizes fixed: groups and binding, enough for a schedule."""
    old, new = mapping.statement, kernel.statements[mapping.statement_index]
    before: list[Any] = [old.target, *old.inputs]
    after = [new.target, *new.inputs]
    if len(before) != len(after):
        raise ScheduleError("two operands became the same element at these sizes; leave one size symbolic")
    table = dict(zip(before, after, strict=True))
    binding = tuple((o, table[Access(a.tensor, a.index)]) for o, a in mapping.binding)
    return Mapping(kernel, mapping.instruction, binding, (), (), (), (), mapping.groups, mapping.statement_index)


# ---- A machine as the cost model sees it: the register file, load and store slots, and the chain of caches behind it.
#
# Costs are integers, in thousandths of a cycle (latency) or of a picojoule (energy).


UNIT = 1000  # costs per cycle, and per picojoule
PAGE = 4096  # bytes of a memory page; also what the first cache's index covers, so its ways are capacity / page


@dataclass(frozen=True)
class Machine:
    """registers: shared by the instruction's operands; spare: those of them that its C needs beside.

    caches: nearest first; links[u-1] leads into cache u.

    figures: the source of the rates, and the prices missing in hardware descriptions.
    """

    registers: int
    loads: float
    stores: float
    latency: float
    per_cycle: float
    caches: tuple[Memory, ...]
    memories: tuple[Memory, ...]
    links: tuple[Link, ...]
    register_bytes: int
    figures: Figures = DESCRIBED
    spare: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the caches, nearest first."""
        return tuple(m.name for m in self.caches)

    def cycles(self, level: int) -> float:
        """Cycles per byte into cache `level` (1 is the nearest)."""
        return 1.0 / self.links[level - 1].bandwidth

    def energy(self, level: int) -> float:
        """Picojoule per byte moved into cache `level`: a read in the memory behind it and a write into it."""
        return self.memories[level].energy + self.memories[level - 1].energy


def machine(hardware: Hardware, instruction: Instruction, figures: Figures = DESCRIBED, threads: int = 1) -> Machine:
    """The part of the hardware used by this instruction, at the rates of `figures` if they know the instruction.

    Raises HardwareError if the instruction is not of this machine, ScheduleError if there is no cache to tile for.
    """
    if not figures.knows(instruction.name):
        figures = DESCRIBED
    place = place_of_results(instruction)
    known = {m.name: m for m in hardware.memories}
    if place not in known:
        output = instruction.kernel.statements[0].target.tensor
        raise HardwareError(
            f"{hardware.name} has no memory {place!r}, where {instruction.name} keeps {output}; "
            f"its memories: {', '.join(known)}"
        )
    file = known[place]
    way = way_in(hardware, place)
    if way is None or len(way.memories) < 2:
        raise ScheduleError(
            f"{hardware.name} has no cache between {place} and its memory, so there is nothing to tile for; "
            "describe its memories and links"
        )
    count = file.count
    width = max(1, (file.capacity or count) // count)
    behind, links = way.memories, tuple(_measured(k, figures, threads) for k in way.links)
    cost = figures.cost(instruction.name, instruction.cost)
    return Machine(
        count,
        figures.loads(width, _each_cycle(links[0], width)),
        _each_cycle(_measured(way_out_of(hardware, place), figures, threads), width),
        cost.latency,
        cost.per_cycle,
        behind[:-1],
        behind,
        links[1:],
        width,
        figures,
        instruction.temporaries,
    )


def place_of_results(instruction: Instruction) -> str:
    """The memory that holds its output."""
    return dict(instruction.places)[instruction.kernel.statements[0].target.tensor]


def way_out_of(hardware: Hardware, file: str) -> Link:
    """The link for results out of a register file."""
    found = way_out(hardware, file)
    assert found is not None, "what a machine is made with has a way out"
    return found


def _each_cycle(link: Link, width: int) -> float:
    """Registers of `width` bytes moved in a cycle: whole ones, or a fraction if one takes several cycles."""
    share = link.bandwidth / width
    return share if share < 0.75 else float(max(1, round(share)))


def _measured(link: Link, figures: Figures, threads: int) -> Link:
    bandwidth = figures.rate(link.source, link.target, link.bandwidth, threads)
    return replace(link, bandwidth=bandwidth, latency=figures.waits(link.source, link.latency))
