"""An objective's parts by link and computing, their assumptions, and figures of the machine that no price reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod, sqrt
from typing import Any

from isamap_encodings.schedule_problem import Cost
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import LINE, Hardware, Link
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.move_form import MAIN, register_operand
from isamap_smt.ir.points import kept as points_kept
from isamap_smt.ir.schedule import CostPart
from isamap_smt.mapping.moves import touches_main
from isamap_smt.scheduling.figures import DESCRIBED, FAR, WHOLE
from isamap_smt.scheduling.problem import points
from isamap_smt.scheduling.registers import SCOPE_CYCLES
from isamap_smt.scheduling.setting import PAGE, UNIT, Machine, Setting, place_of_results, way_out_of
from isamap_smt.scheduling.supply import PRIVATE, SHARED, compulsory, kept_between

X86 = "an x86 core"
DESCRIPTION = "the hardware's description"
TOGETHER = "computing beside the links"
EXPOSED, SPILLS, PACKING = (
    "transfers that nothing hides",
    "passes over the accumulators",
    "copies into the order of use",
)
READ_IN_PLACE, SHARING = "operands read in place", "threads: starting them, and those that are idle"


def parts(m: Machine, instruction: Instruction, cost: Cost, energy: bool) -> tuple[CostPart, ...]:
    """The objective's parts. Those outside all others add up to it. Cycles of all threads, or picojoules."""
    links = [(f"{k.source}->{k.target}", x) for k, x in zip(m.links, cost.links, strict=False)]
    computing = ("moves into registers" if energy else f"computing: {instruction.name}", cost.compute)
    rest = cost.exposed + cost.scopes + cost.packing + cost.in_place
    found = []
    if energy:
        found += [(*computing, ""), *((name, x, "") for name, x in links)]
    else:
        found += [
            (TOGETHER, cost.alone - rest, ""),
            (*computing, TOGETHER),
            *((name, x, TOGETHER) for name, x in links),
        ]
    found += [
        (EXPOSED, cost.exposed, ""),
        (SPILLS, cost.scopes, ""),
        (PACKING, cost.packing, ""),
        (READ_IN_PLACE, cost.in_place, ""),
        (SHARING, cost.total - cost.alone, ""),
    ]
    return tuple(CostPart(name, x / UNIT, within) for name, x, within in found if x or within)


def assumptions(m: Machine, energy: bool, threads: int) -> tuple[tuple[str, str], ...]:
    """(assumption, its source) for each one not given by this machine's links and instructions."""
    if energy:
        return (
            ("picojoules for each byte that leaves or enters a memory; arithmetic itself costs none", DESCRIPTION),
            (_filled(), X86),
        )
    f = m.figures
    fitted = X86 if f == DESCRIBED else f.origin
    (_, into_first), (_, into_others) = (WHOLE, f.delaying), FAR[1]
    found = [
        ("bytes per cycle of links, latency and rate of instructions", f.origin),
        ("what is written goes out at the rate of the link inwards", X86),
        (f"lines of {LINE} bytes, pages of {PAGE}, a first cache whose ways are a page", X86),
        ("caches fill themselves, and fetch rows ahead", X86),
        (_filled(), X86),
        ("what fits a cache together with all else is still in it from the call before", X86),
        (f"what is not hidden of a transfer delays computing: {into_first}/{WHOLE} of it into {m.names[0]}", fitted),
        (f"and {into_others}/{WHOLE} of it into others; the slower of the two hides the rest", fitted),
        (f"{SCOPE_CYCLES:g} cycles for each pass over the accumulators", X86),
        (f"{f.pack_rows:g} cycles to copy a byte of whole rows, {f.pack_elements:g} element by element", fitted),
    ]
    if threads > 1:
        found.append((f"{f.start_threads:g} cycles to begin and end a loop that threads share", fitted))
    return tuple(found)


def _filled() -> str:
    return f"tiles fill at most {PRIVATE:.0%} of a core's own cache, and {SHARED:.0%} of one that cores share"


@lru_cache(maxsize=256)
def unused(hardware: Hardware, instruction: Instruction, m: Machine, energy: bool) -> tuple[str, ...]:
    """Statements of the description that no price reads, although a price could depend on them; one sentence each."""
    links = () if energy else _links(hardware, instruction, m)
    return (*_memories(hardware, instruction, m), *links, *unused_moves(hardware, instruction))


def _memories(hardware: Hardware, instruction: Instruction, m: Machine) -> Iterator[str]:
    places = dict(instruction.places)
    output = place_of_results(instruction)
    files = _places(hardware)
    chain = {x.name for x in m.memories}
    for x in (x for x in hardware.memories if not x.is_state):
        if x.name not in chain | files:
            yield f"{x.name} is not on the way from {m.memories[-1].name} to {output}, and nothing is kept there"
    for x in m.memories:
        if x.count > 1:
            yield f"{x.name} is taken for one cache: that it is {x.count} is not used"
        if x.name in files:
            yield f"{x.name} is taken for a cache that fills itself, although instructions have operands there"
    if (last := m.memories[-1]).capacity is not None:
        yield f"whether everything fits the {last.capacity:,} bytes of {last.name} is not asked"
    for operand, place in places.items():
        if place not in (output, MAIN):
            yield f"{operand} lies in {place}, whose registers are not counted: only those of {output} are"


def _links(hardware: Hardware, instruction: Instruction, m: Machine) -> Iterator[str]:
    """Ways around the chain of caches, and ways out of it with another rate than the way in."""
    file, out = place_of_results(instruction), way_out_of(hardware, place_of_results(instruction))
    chain = [file, *(x.name for x in m.memories)]
    inward = {(k.source, k.target): k for k in hardware.links}
    for k in hardware.links:
        if k.source not in chain or k.target not in chain:
            continue
        a, b = chain.index(k.source), chain.index(k.target)
        if abs(a - b) > 1 and k != out:
            yield f"{_words(k)} is not used: data go by {' -> '.join(_way(chain, a, b))}"
    if out.target != chain[1]:
        yield f"no link leads from {file} to {chain[1]}: results are stored at the rate of {_words(out)}"
    for near, far in pairwise(chain[1:]):
        way_in, way_out = inward[far, near], inward.get((near, far))
        if way_out is None:
            yield f"no link leads from {near} to {far}: what is written goes at the rate of {_words(way_in)}"
        elif way_out.bandwidth != way_in.bandwidth:
            yield f"{_words(way_out)} is not used: what is written goes at the rate of {_words(way_in)}"


def _way(chain: list[str], a: int, b: int) -> list[str]:
    return chain[a : b + 1] if a < b else chain[b : a + 1][::-1]


def _words(k: Link) -> str:
    return f"{k.source} -> {k.target} ({k.bandwidth:g} bytes per cycle)"


@lru_cache(maxsize=64)
def _places(hardware: Hardware) -> frozenset[str]:
    """The memories of its instructions' operands."""
    return frozenset(place for i in hardware.instructions for _, place in i.places)


@lru_cache(maxsize=64)
def _operands(hardware: Hardware) -> frozenset[tuple[str, DType, tuple[Any, ...]]]:
    """(place, element type, shape) of each operand of its instructions."""
    return frozenset((place, i.types[o], i.shapes[o]) for i in hardware.computes for o, place in i.places)


def unused_moves(hardware: Hardware, instruction: Instruction) -> Iterator[str]:
    """Moves into or out of places of this instruction's operands that no program can use; one sentence for each reason."""
    places = set(dict(instruction.places).values())
    wanted = _operands(hardware)
    known = {m.name for m in hardware.memories}
    strangers: dict[str, list[Instruction]] = {}
    for move in hardware.moves:
        own = dict(move.places)
        register = register_operand(move)
        if not touches_main(move):
            inner = next(place for o, place in own.items() if o != register)
            if own[register] in places or inner in known:
                yield f"{move.name} is not used: programs move between {MAIN!r} and registers only, not from or to {inner}"
        elif own[register] in places and (own[register], move.types[register], move.shapes[register]) not in wanted:
            strangers.setdefault(own[register], []).append(move)
    for register, moves in strangers.items():
        if len(moves) > 1:
            names = ", ".join(m.short for m in moves)
            why = f"no instruction has an operand of their types and shapes in {register}"
            yield f"{len(moves)} moves are not used, since {why}: {names}"
        else:
            t = moves[0].kernel.tensor(register_operand(moves[0]))
            shape = list(map(int, t.shape))
            yield f"{moves[0].name} is not used: no instruction has an operand of {t.dtype}{shape} in {register}"


# ---- What no schedule beats in the cost model: compute at full rate, and the least traffic through each link.
#
# Compulsory traffic is every element once (outputs read and written). For a product of two matrices also Smith et al.
# (2019): with S words of fast memory at least 2 M N K / sqrt(S) - 2 S words move.


def lower_bound(s: Setting, m: Machine, energy: bool) -> float:
    """Cycles (latency) or picojoules of data movement (energy) needed by every schedule."""
    traffic = [least_bytes(s, m, u) for u in range(1, len(m.caches) + 1)]
    if energy:
        return sum(b * m.energy(u) for u, b in enumerate(traffic, 1))
    compute = compute_bound(s, m)
    links = [b * m.cycles(u) for u, b in enumerate(traffic, 1) if u < kept_between(s, m)]
    return max(compute, *links) if links else compute


def compute_bound(s: Setting, m: Machine) -> float:
    """Cycles of the instructions at full rate."""
    return points(s) * never_shared(s) / (prod(a.leaf for a in s.axes) * m.per_cycle)


def never_shared(s: Setting) -> float:
    """The part of an execution's cycles not shared with any other execution (registers.executing)."""
    parts = s.mapping.instruction.cost.parts
    axes = [({d for o in operands for d in s.relevant(o)}, cycles) for cycles, operands in parts]
    every = {d for o in (*s.inputs, s.output) for d in s.relevant(o) if s.axes[d].extent > s.axes[d].leaf}
    return sum(c for found, c in axes if every <= found) / sum(c for _, c in axes) if axes else 1.0


def least_bytes(s: Setting, m: Machine, level: int) -> float:
    """Bytes that must enter cache `level`."""
    sizes = {o: compulsory(s, o) * s.bytes(o) for o in s.inputs}
    least = float(sum(sizes.values()) + 2 * compulsory(s, s.output) * s.bytes(s.output))
    return max(least, least_product(s, m.caches[level - 1].capacity or 0))


def least_product(s: Setting, capacity: int) -> float:
    """The least bytes moved by a product of two matrices into a memory of `capacity` bytes; 0 for other kernels."""
    if not _is_matrix_product(s) or not capacity:
        return 0.0
    word = min(s.bytes(o) for o in (*s.inputs, s.output))
    words = capacity / word
    return (2 * points(s) / sqrt(words) - 2 * words) * word


def _is_matrix_product(s: Setting) -> bool:
    """Three operands; every axis with more than one point selects exactly two of them."""
    operands = [set(s.relevant(o)) for o in (*s.inputs, s.output)]
    moving = [d for d, a in enumerate(s.axes) if a.extent > 1]
    return len(operands) == 3 and all(sum(d in o for o in operands) == 2 for d in moving)


@dataclass(frozen=True)
class Limit:
    """A lower bound on the cycles of a program called again and again, and the resource busy for them."""

    cycles: float
    resource: str


def limits(s: Setting, m: Machine) -> tuple[Limit, ...]:
    """The roofline of a statement: first computing at full rate on every thread, then the least traffic on each link.

    Only points inside the guard are computed. Between calls a cache keeps all data that fit, so only the rest comes
    again. A product of two matrices also moves its least bytes for a memory of this size.
    """
    lanes = prod(a.leaf for a in s.axes)
    computing = points_kept(s.mapping.statement) * never_shared(s) / (lanes * m.per_cycle * s.threads)
    found = [Limit(computing, s.mapping.instruction.name)]
    everything = sum(compulsory(s, o) * s.bytes(o) * (2 if o == s.output else 1) for o in (*s.inputs, s.output))
    for u, cache in enumerate(m.caches, 1):
        kept = (cache.capacity or 0) * (1 if cache.shared else s.threads)
        moved = max(everything - 2 * kept, least_product(s, kept), 0.0)
        found.append(Limit(moved * m.cycles(u) / s.threads, f"{m.links[u - 1].source}->{cache.name}"))
    return tuple(found)
