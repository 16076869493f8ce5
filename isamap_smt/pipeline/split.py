"""Sums and axes taken apart, to leave operands as they lie, to fill lanes, and to give threads something to share.

The kernel as it stands may make an instruction rearrange an operand in every call, leave lanes
empty, or give threads nothing to share; partial sums may do without.
The lanes of a vector can hold partial sums over the axis along which the operands lie in memory, and threads can sum a
range of it each. Low digits of axes may fill lanes left empty by whole axes, such as two rows of eight pixels; the family
`digits` looks for these. Signed bytes may be moved to those taken by an instruction. Predicted cycles decide between the ways;
a proof shows that both compute the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Any

from isamap_smt.ir.addresses import collapsed, offset
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine, is_constant, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import beyond_for
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.rewrite import Form, Rewrite
from isamap_smt.ir.rows import REGROUPED, Bounded
from isamap_smt.ir.scalar import index_values
from isamap_smt.ir.schedule import Schedule, program_axes
from isamap_smt.language.shapes import is_positive
from isamap_smt.mapping.bounded import bound_axis, boundable
from isamap_smt.mapping.digits import Digits, split_axes
from isamap_smt.mapping.fuse import may_take, takes
from isamap_smt.mapping.joined import join_axes, joinable
from isamap_smt.mapping.numbered import numberable, numbered
from isamap_smt.mapping.online import running
from isamap_smt.mapping.rows import made as made_by
from isamap_smt.mapping.rows import moved, remade
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.mapping.shift import movable, shift_operand
from isamap_smt.mapping.split import split_sum
from isamap_smt.pipeline.choose import execution_cycles
from isamap_smt.scheduling.arguments import Pin, in_order
from isamap_smt.scheduling.figures import CHUNKS
from isamap_smt.search import find_mappings

REUSED = 32  # times an operand that is packed in each call is used; more often, and packing it is cheap
KINDS = ("split", "cut", "digits", "online")  # of pins
OF_OPERANDS = ("pack", "pad", "prefetch")  # pins that name no axis
WAYS = 3  # kernels with axes in digits that are scheduled
OPEN_EXTENT = 4096  # points of a sum whose extent is open, for the number of partial sums alone
CHAINS = 4  # sums side by side, of which none waits for the one before it


@dataclass(frozen=True)
class SplitPin:
    """axis, number of sums, and whether each takes a range (`cut`) or neighbours go to different ones (`split`)."""

    axis: str
    parts: int
    blocks: bool


@dataclass(frozen=True)
class OnlinePin:
    """axis, and points of a block with running maxima and sums."""

    axis: str
    block: int


def split_pin(pins: tuple[Pin, ...]) -> SplitPin | OnlinePin | Digits | bool | None:
    """The meaning of `split=no` (False), `split.AXIS=SUMS`, `cut.AXIS=SUMS`, `online.AXIS=POINTS` or some `digits.AXIS=POINTS`.

    Returns None without such a pin. Raises ScheduleError for two of them, or a wrong value.
    """
    found: SplitPin | OnlinePin | Digits | bool | None = None
    for pin in pins:
        key, value, kind, axis = pin.name, pin.value, pin.kind, pin.of
        if kind not in KINDS:
            continue
        if found is not None and not (kind == "digits" and isinstance(found, tuple)):
            raise ScheduleError(f"{key}={value}: one sum is split one way; leave the other pin out")
        if not axis:
            if kind != "split" or not pin.off:
                raise ScheduleError(
                    f"{key}={value}: write split=no, split.AXIS=SUMS, cut.AXIS=SUMS, online.AXIS=POINTS or digits.AXIS=POINTS"
                )
            found = False
            continue
        try:
            number = int(value)  # type: ignore[arg-type]  # None is refused below
        except (ValueError, TypeError):
            what = "points" if kind in ("digits", "online") else "partial sums"
            raise ScheduleError(f"{key}={value}: must be a number of {what}") from None
        before = found if isinstance(found, tuple) else ()
        if kind == "digits":
            found = (*before, (axis, number))
        else:
            found = OnlinePin(axis, number) if kind == "online" else SplitPin(axis, number, kind == "cut")
    return found


def without_split(pins: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """The pins about other decisions."""
    return tuple(p for p in pins if p.kind not in KINDS)


def pinned_split(kernel: Kernel, hardware: Hardware, sizes: Dict[str, int], pin: SplitPin | OnlinePin | Digits) -> Form:
    """The pinned rewrite. If an instruction with as many lanes sums neighbours in each lane, these stay together."""
    if isinstance(pin, OnlinePin):
        return running(_fixed(kernel, sizes, pin.axis), pin.axis, pin.block)
    if isinstance(pin, tuple):
        return in_these_digits(kernel, sizes, pin, kernel.main)
    near = {1, *(n for lanes, n in _shapes(kernel, hardware, kernel.main) if lanes == pin.parts)}
    extent = {a.name: a.extent for a in _fixed(kernel, sizes, pin.axis).axes}.get(pin.axis, 0)
    room = int(extent) if is_constant(extent) else 0
    inner = 1 if pin.blocks else max(n for n in near if n * pin.parts <= max(room, pin.parts))
    return split_sum(_fixed(kernel, sizes, pin.axis), pin.axis, pin.parts, blocks=pin.blocks, inner=inner)


def splits(
    kernel: Kernel,
    hardware: Hardware,
    sizes: Dict[str, int],
    schedule: Schedule | None,
    constant: tuple[str, ...],
    threads: int,
    statement: int | None = None,
    recurrent: bool = False,
) -> Iterator[Rewrite]:
    """Ways to split a statement's sum that may be better than its schedule as a whole, or replace it if there is none.

    statement: the main one by default. recurrent: of a statement in a recurrence, too.
    """
    position = kernel.main if statement is None else statement
    main = kernel.statements[position]
    if main.op not in REGROUPED or main.ordered or (kernel.recurrence_of(position) is not None and not recurrent):
        return
    sized = kernel.with_sizes(dict(sizes))
    for one in _joined(kernel, position, sizes):
        if _wants_lanes(sized, position, schedule):
            for way in splits(one.kernel, hardware, rest(one, sizes), None, constant, 1, position):
                yield after(one, way, sizes)
    if (axis := _along(sized, position, constant)) is not None and _wants_lanes(sized, position, schedule):
        extent = int(sized.statements[position].axis(axis).extent)
        long_enough = [
            (lanes, near) for lanes, near in _shapes(kernel, hardware, position) if extent >= 2 * lanes * near
        ]
        for lanes, near in sorted(long_enough, reverse=True)[:1]:
            cut = near == 1 and bool(beyond_for(main))  # loads may leave what changes nothing behind the end
            for masked in (False, True) if cut else (False,):
                ways = (lanes,) if main.guard else _parts(sized, position, extent, lanes, near, masked)
                for parts in (n for n in ways if not masked or extent % n):
                    whole = _fixed(kernel, sizes, axis)
                    yield split_sum(whole, axis, parts, inner=near, statement=statement, masked=masked)
    if axis is None and not (recurrent or main.guard or _has_lanes(schedule)) and beyond_for(main):
        for open_ in _open_along(sized, position, constant):
            for lanes, near in sorted(_shapes(kernel, hardware, position), reverse=True)[:1]:
                for parts in _parts(sized, position, OPEN_EXTENT, lanes, near, True) if near == 1 else ():
                    yield split_sum(kernel, open_, parts, statement=statement, masked=True)
    long = axis is not None and dict(_sums(sized, position))[axis] >= threads * REUSED
    if axis is not None and long and not recurrent and _results(sized, position) < threads:
        # a range for each thread, in lanes again: threads that shared the lanes would each skip half of every line
        ranges = split_sum(_fixed(kernel, sizes, axis), axis, threads, blocks=True, statement=position)
        for way in splits(ranges.kernel, hardware, rest(ranges, sizes), schedule, constant, 1, position):
            yield after(ranges, way, sizes)
    if threads > 1 and schedule is not None and schedule.parallel is None:
        longest = max((a for a in _sums(sized, position)), key=lambda a: a[1], default=None)
        # a range for each thread, or for each chunk it takes, of which registers sum several side by side
        for parts in (threads, threads * CHUNKS):
            if longest is not None and longest[1] >= parts * REUSED:
                yield split_sum(_fixed(kernel, sizes, longest[0]), longest[0], parts, blocks=True, statement=statement)


def _joined(kernel: Kernel, position: int, sizes: Dict[str, int]) -> Iterator[Rewrite]:
    """The kernel with the last two axes of the sum that lie together as one: the inner one alone may be too short."""
    s = kernel.statements[position]
    sums = [a.name for a in s.axes if a.name in s.reduction_axes]
    if len(sums) < 2 or s.op not in REGROUPED:
        return
    for axis in sums[-2:]:
        kernel = _fixed(kernel, sizes, axis)
    for pair in joinable(kernel, position)[-1:]:
        yield join_axes(kernel, pair, position)


def moves(kernel: Kernel, constant: tuple[str, ...]) -> Iterator[Rewrite]:
    """Ways to move an operand of the main sum's products, so that signed bytes have no sign.

    The correction is summed up in each call, from constants if there are any.
    """
    operands = movable(kernel, kernel.main)
    for operand in operands if len(operands) == 2 else ():  # instructions take one with signs and one without
        if operand not in constant:
            yield shift_operand(kernel, operand)


def _parts(kernel: Kernel, position: int, extent: int, lanes: int, near: int, masked: bool) -> tuple[int, ...]:
    """Numbers of partial sums to offer: lanes times chains of vectors; no chain waits for another.

    Long rows side by side would leave the first cache, so each row is summed in several chains, fewer for shorter rows. Of
    8, 4, 2 and 1 chains, the number with the fewest steps is taken. Points left over count as steps, unless a mask takes them
    along. Short rows have one chain. If there are fewer results than CHAINS, long rows offer one chain, and CHAINS of them.
    """
    most = 2 * extent // (lanes * near * REUSED)
    if most < 2:
        return (lanes,)
    if _results(kernel, position) < CHAINS:
        return lanes, lanes * CHAINS
    over = 0 if masked else 1
    chains = min(
        (n for n in (2 * CHAINS, CHAINS, CHAINS // 2, 1) if n <= most),
        key=lambda n: -(-extent // (n * lanes)) + over * (extent % (lanes * near * n)),
    )
    return (lanes * chains,)


def _results(sized: Kernel, position: int) -> float:
    """Elements written by the statement; infinite if a size is open."""
    extents = sized.tensor(sized.statements[position].target.tensor).shape
    return prod(map(int, extents)) if all(map(is_constant, extents)) else float("inf")


def in_digits(kernel: Kernel, hardware: Hardware, sizes: Dict[str, int], schedule: Schedule) -> tuple[Rewrite, ...]:
    """The kernel with axes in the digits of mappings of the main statement onto the schedule's instruction.

    At most WAYS are returned, those of mappings with the fewest cycles first.
    """
    position = kernel.main
    if kernel.recurrence_of(position) is not None:
        return ()
    legal = find_mappings(
        kernel.with_sizes(dict(sizes)), schedule.proved.mapping.instruction, "digits", statement=position
    )
    apart = [m for m in legal.finished() if m.mapping.split is not None]
    best = sorted(apart, key=lambda m: (execution_cycles(m, {}, hardware), m.mapping.id))
    ways = (_all_digits(m.mapping) for m in best)
    return tuple(in_these_digits(kernel, sizes, way, position) for way in list(dict.fromkeys(ways))[:WAYS])


def _all_digits(mapping: Mapping) -> Digits:
    """Digits for a mapping: its low digits in instruction axes, and the digit that a whole axis fills beside them.

    The rest of that axis then has a loop of its own, and operands independent of it are used again.
    """
    found = []
    low = {} if mapping.split is None else mapping.split.low_digits
    for t, group in mapping.groups:
        digits = [(a, int(d)) for a, _, d in (low[a].partition("%") for a in group if a in low)]
        left = mapping.instruction.axes[t] // prod(d for _, d in digits)
        extent = mapping.statement.axis(group[0]).extent if group else 1
        first = [(group[0], left)] if digits and is_constant(extent) and int(extent) > left else []
        found += [*first, *digits]
    return tuple(found)


def in_these_digits(kernel: Kernel, sizes: Dict[str, int], digits: Digits, position: int) -> Rewrite:
    """The statement's axes taken apart into these digits; the sizes needed are fixed."""
    for axis, _ in digits:
        kernel = _fixed(kernel, sizes, axis)
    found = split_axes(kernel, digits, position)
    assert found is not None
    return found


def in_numbers(kernel: Kernel, hardware: Hardware, sizes: Dict[str, int]) -> Rewrite | None:
    """The kernel with axis values as elements, in statements then computed by instructions; None if there are none."""
    if hardware.simulated or hardware.engines or not any(index_values(s.value) for s in kernel.statements):
        return None
    axes = {a.name: a.extent for s in kernel.statements for a in s.axes}
    values = symbols_of([v for s in kernel.statements for v in index_values(s.value)])
    names = {*(values & set(axes)), *symbols_of([axes[a] for a in values if a in axes]), *values}
    kernel = kernel.with_sizes({n: v for n, v in sizes.items() if n in names})
    way = numberable(kernel)
    made = numbered(kernel, way) if way else None
    chosen = [n for n in way if made is not None and _taken(made.kernel, hardware, n + made.added)]
    return numbered(kernel, tuple(chosen)) if chosen else None


def bounded(kernel: Kernel, sizes: Dict[str, int], before: Form | None) -> Rewrite | None:
    """The kernel behind `before`, with every axis bounded that a guard keeps from reading outside; None if there is none."""
    way: Rewrite | None = None
    for position, axis in [(n, axis) for n in range(len(kernel.statements)) for axis in boundable(kernel, n)]:
        with suppress(ScheduleError):
            one = bound_axis(_fixed(kernel, sizes, axis), axis, position)
            earlier = way or before
            way = one if earlier is None else after(earlier, one, sizes)
            kernel = way.kernel
    return way


def pins_within(pins: tuple[Pin, ...], way: Rewrite) -> tuple[Pin, ...]:
    """The pins with the names that the main statement's bounded axes have."""
    names = {
        one.row.axis: one.pieces[0].back[-1][0]
        for one in way.splits
        if isinstance(one.row, Bounded) and one.row.statement == way.kernel.main
    }

    def named(text: Any) -> Any:
        return re.sub(r"\w+", lambda found: names.get(found[0], found[0]), text) if isinstance(text, str) else text

    def within(pin: Pin) -> Pin:
        of = pin.of if pin.kind in OF_OPERANDS else named(pin.of)
        value = named(pin.value) if pin.name == "parallel" else pin.value
        return Pin(f"{pin.kind}.{of}" if of else pin.name, value, pin.kind, of)

    return in_order(map(within, pins))


def _taken(kernel: Kernel, hardware: Hardware, position: int) -> bool:
    """Whether an instruction of the machine, or one made of several, computes the statement."""
    offered = any(hardware.offers(i) and takes(kernel, i, position) for i in hardware.computes)
    return offered or selected_instruction(hardware, kernel, position) is not None


def after(before: Form, way: Rewrite, sizes: Dict[str, int], further: int = 0) -> Rewrite:
    """The way composed behind others that lead to its kernel; the size it needs is fixed in all of them.

    further: by how many places its statements have moved.
    """
    match way.before:
        case Rewrite() as outer:
            earlier: Form = after(before, outer, sizes, further)
        case _:
            earlier = _refixed(before, sizes, (way.row.axis, *way.row.replaced))
    return replace(made_by(moved(way.row, further), earlier.kernel), before=earlier)


def _refixed(split: Form, sizes: Dict[str, int], axes: tuple[str, ...]) -> Form:
    if split.before is None:
        return remade(split, reduce(lambda k, a: _fixed(k, sizes, a), axes, split.whole))
    earlier = _refixed(split.before, sizes, axes)
    return remade(split, earlier.kernel, earlier)


def rest(split: Form, sizes: Dict[str, int]) -> dict[str, int]:
    """The sizes still taken by the split kernel: its axis is fixed."""
    known = {*split.kernel.free_sizes, *(a.name for a in split.kernel.axes)}
    return {n: v for n, v in sizes.items() if n in known}


def _fixed(kernel: Kernel, sizes: Dict[str, int], axis: str) -> Kernel:
    """The kernel with the axis' extent a number, if the sizes give it."""
    extents = {a.name: a.extent for a in kernel.axes}
    if axis not in extents:
        return kernel
    names = {axis, *symbols_of([extents[axis]])}
    return kernel.with_sizes({n: v for n, v in sizes.items() if n in names})


def _shapes(kernel: Kernel, hardware: Hardware, position: int) -> tuple[tuple[int, int], ...]:
    """(lanes, neighbours summed in each lane) of the instructions that take the sum and have one output axis."""
    # those that combine otherwise, too: they give the lanes of its types, and compute the parts of a sum taken apart
    alike = (
        set()
    )  # what is said, before their contracts are read, of those looked at: others of whom it is said take the same
    found: dict[tuple[int, int] | None, None] = {}
    for i in (i for i in hardware.computes if hardware.offers(i) and may_take(kernel, i, position)):
        said = i.target, *(tuple(x.items()) for x in (i.types, i.shapes, i.indices)), i.places, i.engine
        if said in alike:
            continue
        if takes(kernel, i, position):
            found[_shape(i)] = None
        if len(i.kernel.statements[0].inputs) <= len(i.types):  # an operand read at two places is told at one
            alike.add(said)
    made = selected_instruction(hardware, kernel, position)
    shapes = (*found, _shape(made) if made is not None else None)
    return tuple(dict.fromkeys(shape for shape in shapes if shape is not None))


def _shape(i: Instruction) -> tuple[int, int] | None:
    statement = i.kernel.statements[0]
    out = [n for a, n in i.axes.items() if a not in statement.reduction_axes]
    near = prod(n for a, n in i.axes.items() if a in statement.reduction_axes)
    return (out[0], near) if len(out) == 1 and out[0] > 1 else None


def _sums(sized: Kernel, position: int) -> list[tuple[str, int]]:
    """The sum's axes of known extents, with these."""
    main = sized.statements[position]
    return [(n, int(e)) for n in main.reduction_axes if is_constant(e := main.axis(n).extent)]


def _along(sized: Kernel, position: int, constant: tuple[str, ...]) -> str | None:
    """The longest axis of the sum along which every operand lies, except those packed ahead; None if there is none."""
    main = sized.statements[position]
    for name, _ in sorted(_sums(sized, position), key=lambda a: -a[1]):
        inputs = [a for a in main.inputs if a.tensor not in constant]
        steps = [_step(sized, a, name) for a in inputs if name in symbols_of(a.index)]
        if steps and all(n == 1 for n in steps):
            return name
    return None


def _open_along(sized: Kernel, position: int, constant: tuple[str, ...]) -> tuple[str, ...]:
    """The innermost axis of the sum, if its extent is open but always positive, and every operand lies along it.

    Operands packed ahead may lie otherwise.
    """
    main, lows = sized.statements[position], {p.name: p.low for p in sized.parameters}
    open_ = [a.name for a in main.axes if a.name in main.reduction_axes and not is_constant(a.extent)]
    inputs = [a for a in main.inputs if a.tensor not in constant and open_ and open_[-1] in symbols_of(a.index)]
    found = inputs and is_positive(main.axis(open_[-1]).extent, lows)
    return tuple(open_[-1:]) if found and all(_step(sized, a, open_[-1]) == 1 for a in inputs) else ()


def _step(sized: Kernel, access: Access, axis: str) -> Any:
    """Elements between neighbours along the axis; None if unknown."""
    parts = affine(offset(*collapsed(access.index, sized.tensor(access.tensor).shape)), [axis])
    return None if parts is None else parts[0].get(axis, 0)


def _has_lanes(schedule: Schedule | None) -> bool:
    """Whether an instruction of several lanes carries it out."""
    return schedule is not None and any(a.leaf > 1 for a in program_axes(schedule.proved.mapping))


def _wants_lanes(sized: Kernel, position: int, schedule: Schedule | None) -> bool:
    """Whether there is no schedule, a vector's lanes are empty, or an operand used only a few times is packed in every call."""
    if schedule is None:
        return True
    mapping = schedule.proved.mapping
    axes = [a for a in program_axes(mapping) if a.leaf > 1]
    main = sized.statements[position]
    extents = {a.name: int(a.extent) for a in main.axes if is_constant(a.extent)}
    if len(extents) < len(main.axes):
        return False
    if not axes or any(prod(extents[m] for m in a.members) < a.leaf for a in axes if not a.reduction):
        return True
    for p in schedule.stages:
        if p.depth is None or p.ahead:
            continue
        index = mapping.operand_access(p.operand).index
        used = prod(extents.values()) // prod(extents[n] for n in symbols_of(index) & set(extents))
        if used <= REUSED:
            return True
    return False
