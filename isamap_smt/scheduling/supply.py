"""The layout of each operand in memory, seen from one execution: whether it must be packed, and why.

An operand can be read in place when the elements of one execution are neighbours in its tensor, in the order of the
instruction's cells, and when a tail can be cut by a mask.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings.schedule_problem import Component, Part
from isamap_smt.ir.addresses import collapsed, offset, serves
from isamap_smt.ir.boxes import decided_at, extreme, fails_from, slack
from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.expr import affine, is_constant, substitute, symbols_of
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import beyond_for
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import program_axes
from isamap_smt.mapping.layout import CONTIGUOUS, GATHER, holds_table, stays_in_memory, supply
from isamap_smt.mapping.moves import look_for_move, memory_address, moves_in_place
from isamap_smt.proof.program_compute import is_product
from isamap_smt.proof.tails import ending
from isamap_smt.proof.windows import copied_whole, window_cells, window_shape
from isamap_smt.scheduling.setting import Machine, Setting, remembered

CELL_CYCLES, CELL_BYTES = 1 / 2, 1 / 8  # for each element of a copy of a whole tensor, and for each of its bytes
PRIVATE, SHARED = 3 / 4, 1 / 2  # share of a cache that tiles may fill: lines conflict, other cores use what is shared


@remembered
def strides(s: Setting, operand: str, symbolic: bool = True, window: bool = False) -> dict[str, Any] | None:
    """Elements between neighbours along each kernel axis, in the row-major tensor; None if the offset is not affine.

    window: in the copy with its padding written out, if there is padding.
    """
    mapping = s.given if symbolic else s.mapping
    access = mapping.operand_access(operand)
    shape = _window(s, mapping, operand) if window else mapping.kernel.tensor(access.tensor).shape
    at = offset(*collapsed(access.index, shape))
    parts = affine(at, [a.name for a in mapping.statement.axes])
    return None if parts is None else {n: sp.expand(c) for n, c in parts[0].items()}


@remembered
def whole_copy(s: Setting, operand: str) -> bool:
    """Whether the operand, read in place, is read from a copy of its whole tensor, for another reason than its guard."""
    return copied_whole(s.given, operand)


def copying_cycles(s: Setting, operand: str) -> float:
    """Cycles to make that copy, of all threads: they wait for one; 0 for other operands."""
    return s.threads * window_cycles(s.given, operand) if whole_copy(s, operand) else 0.0


def window_cycles(mapping: Mapping, operand: str) -> float:
    """Cycles to copy the operand's whole tensor as the instruction takes its elements."""
    size = mapping.instruction.kernel.tensor(operand).dtype.bytes
    return (CELL_CYCLES + CELL_BYTES * size) * window_cells(mapping, operand)


def _window(s: Setting, mapping: Mapping, operand: str) -> tuple[Any, ...]:
    """The extents around the operand's elements: of a window, or of the tensor."""
    if whole_copy(s, operand):
        return window_shape(mapping, operand) or ()
    access = mapping.operand_access(operand)
    shape = mapping.kernel.tensor(access.tensor).shape
    if not _borders(mapping, operand):
        return shape
    axes = mapping.statement.axes
    ends = [(extreme(i, axes, largest=False), extreme(i, axes, largest=True)) for i in access.index]
    return tuple(
        n if low is None or high is None else sp.expand(high - low + 1)
        for n, (low, high) in zip(shape, ends, strict=True)
    )


@remembered
def why_packed(s: Setting, operand: str) -> str:
    """Why the operand cannot be read in place, or '' when it can."""
    mapping = s.given
    whole = whole_copy(s, operand)
    if s.widened(operand) and not whole:
        return f"{mapping.element(operand)} is converted to what {mapping.instruction.name} takes"
    if stays_in_memory(mapping, operand):
        return ""
    if holds_table(mapping, operand):
        return "" if _table_loads(s, operand) else f"{s.hardware.name} has no load of {operand} for tables of its size"
    step = strides(s, operand, window=True)
    if step is None:
        return "its index is not affine"
    loads = _loads(s, operand, masked=False)
    if not loads:
        return f"{s.hardware.name} loads {operand} of {mapping.instruction.name} from consecutive groups only"
    apart = {load.name: _apart(mapping, step, load, lanes) for load, lanes in loads}
    fitting = next((lanes for load, lanes in loads if not apart[load.name]), None)
    if fitting is None:
        return next(iter(apart.values()))
    if not whole and (end := ending(mapping, operand)):
        return f"{end} ends inside an instruction"
    masked = any(lanes == fitting for _, lanes in _loads(s, operand, masked=True))
    used, first = symbols_of(mapping.operand_access(operand).index), _moving(mapping, operand)[:1]
    for a in program_axes(mapping):
        if a.leaf > 1 and set(a.members) & used and _tail(a.extent, a.leaf):
            if a.reduction:
                continue
            if a.lane not in first or not masked:
                return f"no mask cuts the tail of {a.name}"
    if whole or masks_cut(s, operand) or (no_zeros(s, operand) and _tested(mapping, operand)):
        return ""
    return _open_border(mapping, operand)


def _table_loads(s: Setting, operand: str) -> list[Instruction]:
    """The loads that fill a register with the whole table."""
    held, shape = s.mapping.instruction.shapes[operand], s.kernel.tensor(s.tensor(operand)).shape
    cut, every = tuple(map(int, held)) != tuple(map(int, shape)), tuple(range(len(held)))
    found = moves_in_place(s.hardware, s.mapping.instruction, operand, every, masked=cut)
    return [load for load, order in found if order == every]


def no_zeros(s: Setting, operand: str) -> bool:
    """Whether a guard leaves out elements of the operand, and zeros in a copy cannot replace them."""
    x = s.given.statement
    return bool(_borders(s.given, operand)) and not (x.op == "+" and is_product(x.value, x.ordered))


def _tested(mapping: Mapping, operand: str) -> bool:
    """Whether each execution lies inside of the guard with all of its lanes, or outside."""
    lanes = {m for a in program_axes(mapping) if a.leaf > 1 for m in a.members}
    return not any(symbols_of([g]) & lanes for g in _borders(mapping, operand))


@remembered
def masks_cut(s: Setting, operand: str) -> bool:
    """Whether masked loads can carry out the guard: some relation leaves the first lanes of the operand's loads, no
    other one changes along lanes, and the machine's masked loads leave a neutral number in the other lanes."""
    mapping, beyond = s.given, beyond_for(s.given.statement)
    lanes = [a for a in program_axes(mapping) if a.leaf > 1 and a.lane in _moving(mapping, operand)]
    moved = [g for g in _borders(mapping, operand) if symbols_of([g]) & {m for a in lanes for m in a.members}]
    if not (beyond and moved) or len(lanes) != 1 or len(lanes[0].members) != 1:
        return False
    rooms = [slack(g) for g in moved]
    first = all(room is not None and fails_from(room, lanes[0].members[0]) is not None for room in rooms)
    return first and bool(_loads(s, operand, True, beyond))


@remembered
def load_in_place(s: Setting, operand: str) -> Instruction | None:
    """The load that takes the operand's elements in place; None if there is none."""
    if stays_in_memory(s.given, operand):
        return None
    if holds_table(s.given, operand):
        return next(iter(_table_loads(s, operand)), None)
    step = strides(s, operand, window=True)
    if step is None:
        return None
    return next((load for load, lanes in _loads(s, operand, False) if not _apart(s.given, step, load, lanes)), None)


def _moving(mapping: Mapping, operand: str) -> list[str]:
    """The operand's lanes with different elements."""
    used = symbols_of(mapping.operand_access(operand).index)
    axes = {a.lane: a for a in program_axes(mapping) if a.lane}
    return [x for x in map(str, mapping.cells(operand)) if set(axes[x].members) & used]


def _loads(s: Setting, operand: str, masked: bool, beyond: str = ZERO) -> list[tuple[Instruction, tuple[str, ...]]]:
    """The machine's loads of the operand, each with its lanes in memory's order."""
    lanes = [str(c) for c in s.given.cells(operand)]
    pattern = tuple(lanes.index(x) for x in _moving(s.given, operand))
    found = moves_in_place(s.hardware, s.mapping.instruction, operand, pattern, masked, beyond)
    return [(load, tuple(lanes[n] for n in order)) for load, order in found]


def _apart(mapping: Mapping, step: dict[str, Any], load: Instruction, lanes: tuple[str, ...]) -> str:
    """Why the operand's elements do not lie as the load takes them, or ''. lanes: in memory's order."""
    axes = {a.lane: a for a in program_axes(mapping) if a.lane}
    for lane, taken in reversed(list(zip(lanes, memory_address(load).steps, strict=True))):
        axis = axes[lane]
        if axis.leaf > 1:
            extents = {a.name: a.extent for a in mapping.statement.axes}
            for outer, inner in pairwise(axis.members):
                if sp.expand(step.get(outer, 0) - step.get(inner, 0) * extents[inner]) != 0:
                    return f"lane {lane} walks the fused axes {axis.name}, which are not one in memory"
            last = axis.members[-1]
            if not serves(taken, step.get(last, 0)):
                return f"neighbours along {last} are {step.get(last, 0)} elements apart"
    return ""


@remembered
def reached(s: Setting) -> bool:
    """Whether moves reach the accumulators' elements in the output tensor, apart from a tail without a mask."""
    mapping, o = s.mapping, s.output
    lanes = [str(c) for c in mapping.cells(o)]
    found = [
        look_for_move(s.hardware, mapping.instruction, o, store, tuple(range(len(lanes))), False)
        for store in (False, True)
    ]
    lie = supply(mapping, o)
    if lie.kind in (CONTIGUOUS, GATHER):
        return lie.kind == CONTIGUOUS
    taken = [dict(zip(lanes, memory_address(move).steps, strict=True)) for move in found if move is not None]
    return len(taken) == len(found) and all(serves(t[lane], step) for t in taken for lane, step in lie.strides)


def _open_border(mapping: Mapping, operand: str) -> str:
    """Why an operand cannot have the padded window it needs: its extent is open, or its guard is not one of cells."""
    statement = mapping.statement
    index = mapping.operand_access(operand).index
    names = {a.name for a in statement.axes}
    borders = _borders(mapping, operand)
    if borders and any(extreme(i, statement.axes, largest) is None for i in index for largest in (False, True)):
        return "the width of its padding depends on sizes that are not fixed"
    shape = mapping.kernel.tensor(mapping.operand_access(operand).tensor).shape
    plain = {i.name for i in index if i.is_Symbol}
    for g in borders:
        if not symbols_of([g]) & names <= plain and not _is_bound(g, index, shape):
            return f"no cell of it alone says whether {g} holds"
    return ""


def _borders(mapping: Mapping, operand: str) -> tuple[Any, ...]:
    """The guard's relations that the operand's element alone decides and that can fail."""
    return decided_at(mapping.statement, mapping.operand_access(operand).index)


def _is_bound(relation: Any, index: tuple[Any, ...], shape: tuple[Any, ...]) -> bool:
    """Whether the relation bounds one coordinate of the operand by 0 from below, or by its extent from above."""
    room = slack(relation)
    ends = [(i, extent - 1 - i) for i, extent in zip(index, shape, strict=True)]
    return room is not None and any(sp.expand(room - e) == 0 for pair in ends for e in pair)


def _tail(extent: Any, tile: int) -> bool:
    return not (is_constant(extent) and int(extent) % tile == 0)


@remembered
def components(s: Setting, operand: str, packed: bool) -> tuple[Component, ...]:
    """The operand's dimensions as data. Packed in the order of use, every program axis is a dimension of its own."""
    relevant = s.relevant(operand)
    if packed:
        return tuple(_single(s, d) for d in relevant)
    access = s.mapping.operand_access(operand)
    dims = [_parts(s, index) for index in collapsed(access.index, s.mapping.kernel.tensor(access.tensor).shape)[0]]
    if any(d is None for d in dims):
        return tuple(_single(s, d) for d in relevant)
    groups: list[tuple[set[int], list[tuple[Part, ...]]]] = []
    for parts in dims:
        if not parts:
            continue
        mine = {p.axis for p in parts}
        joined = [g for g in groups if g[0] & mine]
        merged = (mine.union(*(g[0] for g in joined)), [x for g in joined for x in g[1]] + [parts])
        groups = [g for g in groups if g not in joined] + [merged]
    return tuple(Component(tuple(sorted(axes)), tuple(d)) for axes, d in groups)


@remembered
def compulsory(s: Setting, operand: str) -> int:
    """Elements of the operand touched at least once, as the cost model counts them."""
    total = 1
    for c in components(s, operand, False):
        tiles = {d: s.axes[d].extent for d in c.axes}
        total *= c.footprint(tiles)
    return total


def tile_bytes(s: Setting, operand: str, tile: dict[int, int]) -> int:
    """Bytes of the operand touched by a tile, as the cost model counts them. tile: number of a program axis -> points."""
    packed = operand != s.output and why_packed(s, operand) != ""
    footprints = (c.footprint({d: tile[d] for d in c.axes}) for c in components(s, operand, packed))
    return s.bytes(operand) * prod(footprints)


def usable(cache: Memory) -> int:
    """Bytes of a cache available to tiles."""
    return int((cache.capacity or 0) * (SHARED if cache.shared else PRIVATE))


def kept_between(s: Setting, m: Machine) -> int:
    """The number of the nearest cache that holds all operands together from one call to the next, from 1; memories
    farther away have no traffic. One more than there are caches if none holds them."""
    return holding(sum(compulsory(s, o) * s.bytes(o) for o in (*s.inputs, s.output)), m)


def holding(size: int, m: Machine) -> int:
    """The number of the nearest cache for `size` bytes, from 1; one more than there are caches if none holds them."""
    return next((u for u, cache in enumerate(m.caches, 1) if size <= usable(cache)), len(m.caches) + 1)


def _single(s: Setting, d: int) -> Component:
    return Component((d,), ((Part(d, 1, 1, s.axes[d].extent),),))


def _parts(s: Setting, index: Any) -> tuple[Part, ...] | None:
    """How each axis moves one tensor dimension; None if the index is not affine."""
    extents = {a.name: int(a.extent) for a in s.mapping.statement.axes}
    found = affine(substitute(index, {}), extents)
    if found is None or not all(is_constant(c) for c in found[0].values()):
        return None
    parts = []
    for d, axis in enumerate(s.axes):
        for n, member in enumerate(axis.members):
            stride = int(found[0].get(member, 0))
            if stride:
                inner = prod(extents[m] for m in axis.members[n + 1 :])
                parts.append(Part(d, abs(stride), inner, extents[member]))
    return tuple(parts)
