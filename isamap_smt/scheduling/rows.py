"""Operands read in place: their rows, how many can be in use at once, and the price of a visit.

A tile of a matrix that is not packed is a piece of each of its rows, in as many pages of memory. The hardware fetches
ahead within a page only. So the first line of each piece is waited for, beside as many others as the core keeps under
way, unless the tile before was the piece to its left and few enough rows are in use: then it was fetched ahead.
"""

from __future__ import annotations

from math import ceil, gcd, prod

from isamap_encodings.schedule_problem import Component, Rows
from isamap_smt.ir.hardware import LINE
from isamap_smt.mapping.moves import in_order
from isamap_smt.scheduling.setting import PAGE, Machine, Setting, remembered
from isamap_smt.scheduling.supply import components, compulsory, load_in_place, strides, usable

FETCHED_AHEAD = 64  # lines that are fetched ahead at once, each in another page
PAGES = 64  # that a core looks up at once
FEW_WALKS = 4
PAGE_CYCLES = 2.5  # a step to a page that it has to look up: 128x1760x1760, f32, B in place
MASKED_CYCLES = 1.0  # one vector that is loaded under a mask, its mask included
ADDRESSES = 7  # rows whose addresses stay in registers
UNDER_WAY = 10  # misses that wait together: latency over the time for each, from rows 64 bytes wide in L3 and memory
PIECE_CYCLES = 6.0  # a loop over one row's piece
FURTHER = 0.6  # what each further line of a piece costs, in first ones


def rows(s: Setting, operand: str) -> Rows | None:
    """The operand's rows; None if it has none, or they are contiguous."""
    along = _along(s, operand)
    if along is None:
        return None
    rest = tuple(c for c in components(s, operand, False) if c != along)
    return Rows(rest) if rest and _pitch(s, operand, along) >= LINE else None


def room(s: Setting, m: Machine, operand: str, tile: tuple[int, ...]) -> tuple[int, int]:
    """(rows whose pieces stay in the first cache together, as their sets allow; rows fetched ahead together)."""
    along = _along(s, operand)
    pitch = 0 if along is None else _pitch(s, operand, along)
    if along is None or not pitch:
        return 0, 0
    ways = max(1, (m.caches[0].capacity or PAGE) // PAGE)
    lines = max(1, s.bytes(operand) * along.footprint({d: tile[d] for d in along.axes}) // LINE)
    sets = PAGE // max(LINE * lines, gcd(pitch, PAGE))
    ahead = FETCHED_AHEAD * PAGE // min(pitch, PAGE) // lines
    return sets * ways, max(1, min(ahead, sets * ways))


def piece_bytes(s: Setting, operand: str, tile: tuple[int, ...]) -> int:
    """Bytes of an operand's row read by this register tile."""
    along = _along(s, operand)
    return 0 if along is None else s.bytes(operand) * along.footprint({d: tile[d] for d in along.axes})


def visit_cycles(s: Setting, m: Machine, operand: str, tile: tuple[int, ...]) -> float:
    """Cycles to begin a row of the operand with this register tile."""
    along = _along(s, operand)
    if along is None:
        return 0.0
    pitch, summed = _pitch(s, operand, along), _summed(s, along)
    points = {d: s.axes[d].extent if s.axes[d].reduction else tile[d] for d in along.axes}
    width = s.bytes(operand) * along.footprint(points)
    home = _home(s, m, operand)
    if not home or (pitch <= width and not summed):
        return 0.0
    far, near = m.links[home - 1].latency / UNDER_WAY, m.links[0].latency / UNDER_WAY
    if summed:
        # It walks along the row for longer than fetching ahead takes: only the first line is waited for.
        cycles = far - near
    else:
        lines = width / LINE
        # A tile of several rows asks for a line of each at once, so a further one of a row waits like the first.
        further = FURTHER if m.register_bytes <= LINE else 1.0
        cycles = far * min(1.0, lines) + near * max(0.0, 1 - lines) + further * far * max(0.0, lines - 1)
    return cycles * min(1.0, pitch / PAGE)


def read_across(s: Setting, operand: str) -> bool:
    """Whether the operand, read in place, is walked from row to row and not along its rows."""
    along = _along(s, operand)
    return along is not None and rows(s, operand) is not None and not _summed(s, along)


def copy_cycles(s: Setting, m: Machine, operand: str) -> float:
    """Cycles to begin a piece of a row copied into the order of use. Its first line is waited for while others come;
    the link's time for a line is part of the link's price."""
    along = _along(s, operand)
    if along is None:
        return 0.0
    home = _home(s, m, operand)
    far = max(0.0, m.links[home - 1].latency / UNDER_WAY - LINE * m.cycles(home)) if home else 0.0
    return far * min(1.0, _pitch(s, operand, along) / PAGE) + PIECE_CYCLES


def step_cycles(s: Setting, m: Machine, operand: str, tile: tuple[int, ...]) -> float:
    """Extra cycles of every step for reading the operand in place."""
    step, relevant, size = strides(s, operand, symbolic=False), s.relevant(operand), s.bytes(operand)
    if step is None:
        return 0.0
    lanes = [d for d in relevant if s.axes[d].leaf > 1 and not s.axes[d].reduction and s.axes[d].members]
    if lanes:
        loads = prod(tile[d] // s.axes[d].leaf for d in relevant)
        tails = any(s.axes[d].extent > tile[d] and s.axes[d].extent % tile[d] for d in lanes)
        woven = _woven_cycles(s, m, operand) * loads
        return woven + MASKED_CYCLES * loads * tails + _side_by_side(s, m, operand, tile) + _pages(s, operand, tile)
    count = prod(tile[d] // s.axes[d].leaf for d in relevant)
    moving = [d for d in relevant if tile[d] > s.axes[d].leaf and s.axes[d].members]
    if count == 1 or len(moving) != 1:
        return 0.0
    pitch = size * abs(int(step.get(s.axes[moving[0]].members[-1], 0)))
    return 0.0 if pitch < LINE else _addresses(m, count) + _conflicts(m, count, pitch)


def _woven_cycles(s: Setting, m: Machine, operand: str) -> float:
    """The extra cycles of a load that changes the order of the elements."""
    load = load_in_place(s, operand)
    return 0.0 if load is None or in_order(load) else max(0.0, 1 / load.cost.per_cycle - 1 / m.loads)


def _side_by_side(s: Setting, m: Machine, operand: str, tile: tuple[int, ...]) -> float:
    """The same of an operand of whole vectors whose rows are walked along together, a vector of each in every step."""
    along = _along(s, operand)
    if along is None or not _summed(s, along):
        return 0.0
    count = prod(tile[d] // s.axes[d].leaf for d in s.relevant(operand) if d not in along.axes)
    return 0.0 if count == 1 else _addresses(m, count) + _conflicts(m, count, _pitch(s, operand, along))


def _pages(s: Setting, operand: str, tile: tuple[int, ...]) -> float:
    """The same if every step moves on to another page, these are more than the machine looks up at once, and many
    register tiles do it again. For few tiles the sum is made in parts of few rows, priced by room()."""
    along, relevant = _along(s, operand), s.relevant(operand)
    walks = prod(ceil(a.extent / tile[d]) for d, a in enumerate(s.axes) if d not in relevant and not a.reduction)
    if along is None or walks <= FEW_WALKS or not read_across(s, operand):
        return 0.0
    share = min(1.0, _pitch(s, operand, along) / PAGE)
    steps = prod(s.axes[d].extent for d in relevant if s.axes[d].reduction)
    return PAGE_CYCLES * share if steps * share > PAGES else 0.0


def _addresses(m: Machine, count: int) -> float:
    return m.figures.far_row(m.register_bytes) * max(0, count - ADDRESSES)


def _conflicts(m: Machine, count: int, pitch: int) -> float:
    """Rows read side by side all miss if their lines fall into too few sets of the first cache."""
    ways = max(1, (m.caches[0].capacity or PAGE) // PAGE)
    sets = PAGE // gcd(pitch, PAGE)
    # Two ways are left to the other operands.
    if ceil(count / sets) <= max(1, ways - 2) or len(m.caches) < 2:
        return 0.0
    return count * LINE * m.cycles(1)


@remembered
def _along(s: Setting, operand: str) -> Component | None:
    """The component that walks from neighbour to neighbour: the tensor's last dimension, if its axes move nothing else
    and their tiles do not overlap."""
    step = strides(s, operand, symbolic=False)
    if step is None:
        return None
    for c in components(s, operand, False):
        extents = {d: s.axes[d].extent for d in c.axes}
        if len(c.dims) != 1 or c.footprint(extents) != prod(extents.values()):
            continue
        if any(s.axes[d].members and abs(int(step.get(s.axes[d].members[-1], 0))) == 1 for d in c.axes):
            return c
    return None


def _summed(s: Setting, along: Component) -> bool:
    """Whether a sum walks along the row."""
    return any(s.axes[d].reduction for d in along.axes)


def _pitch(s: Setting, operand: str, along: Component) -> int:
    """Bytes between neighbouring rows; 0 for a single row."""
    step = strides(s, operand, symbolic=False) or {}
    others = [s.axes[d] for d in s.relevant(operand) if d not in along.axes]
    pitches = [abs(int(step.get(a.members[-1], 0))) for a in others if a.members and a.extent > 1]
    return s.bytes(operand) * min((p for p in pitches if p), default=0)


def _home(s: Setting, m: Machine, operand: str) -> int:
    """The link out of the nearest memory that holds the whole operand between two visits; 0 for the nearest cache."""
    whole = s.bytes(operand) * compulsory(s, operand)
    for u, cache in enumerate(m.caches):
        if whole <= usable(cache):
            return u
    return len(m.caches)
