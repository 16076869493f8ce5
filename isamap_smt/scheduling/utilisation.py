"""How much of a machine with engines a plan uses: of its multiply-adds, of links between memories, of memories and bandwidths."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from math import prod

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import SMul
from isamap_smt.ir.schedule import BANDWIDTH, LINK, MACS, MEMORY, POINTS, LoopStep, Stage, Utilisation
from isamap_smt.mapping.instances import computing
from isamap_smt.mapping.named_cells import of_tiles
from isamap_smt.mapping.overlaps import rows_of_slot
from isamap_smt.simulator.max_plus import Timing


def utilisation(
    mapping: Mapping,
    machine: Hardware,
    stages: tuple[Stage, ...],
    loops: tuple[LoopStep, ...],
    sizes: Dict[str, int],
    seen: Timing,
    blocks: tuple[LoopStep, ...] = (),
) -> tuple[Utilisation, ...]:
    """Shares of the machine in use. Computing: multiply-adds of the kernel, or points of another statement, of all that
    the instruction could make in the time. Links: busy cycles, of the time of their engines. Memories with a bandwidth
    or banks: cycles of service, of the time. Memories with rows: rows taken by stages, of all."""
    compute = computing(mapping, machine)
    wanted = prod(int(evaluate(a.extent, dict(sizes))) for a in mapping.statement.axes)
    each = compute.occupies.cycles(prod(compute.axes[a] for a in compute.occupies.per))
    possible = seen.cycles * prod(compute.axes.values()) / each if each else 0.0
    s = compute.kernel.statements[0]
    kind = MACS if s.op == "+" and s.value.has(SMul) else POINTS
    found = [Utilisation(kind, compute.name, wanted, possible)] if possible else []
    busy = (Utilisation(BANDWIDTH, m, cycles, seen.cycles) for m, cycles in seen.served)
    return (*found, *_links(machine, seen), *busy, *_memories(mapping, machine, stages, loops, blocks))


def _links(machine: Hardware, seen: Timing) -> Iterator[Utilisation]:
    busy: dict[str, float] = {}
    engines: dict[str, set[str]] = {}
    own = {i.name: i for i in machine.instructions}
    for work in seen.work:
        i = own.get(work.instruction)
        if i is not None and work.cycles and (name := _link(i)):
            busy[name] = busy.get(name, 0.0) + work.cycles
            engines.setdefault(name, set()).add(work.engine)
    return (Utilisation(LINK, name, cycles, seen.cycles * len(engines[name])) for name, cycles in busy.items())


def _link(i: Instruction) -> str:
    """The two memories of a move, as text; '' for an instruction without one."""
    if i.kind == "compute":
        return ""
    s = i.kernel.statements[0]
    target = i.operand(s.target.tensor).memory
    sources = [m for a in s.inputs if (m := i.operand(a.tensor).memory) not in (target, "code")]
    return f"{sources[0]} -> {target}" if sources else ""


def _memories(
    mapping: Mapping,
    machine: Hardware,
    stages: tuple[Stage, ...],
    loops: tuple[LoopStep, ...],
    blocks: tuple[LoopStep, ...],
) -> Iterator[Utilisation]:
    used: dict[str, int] = {}
    for s in stages:
        rows = s.slots * rows_of_slot(of_tiles(mapping), loops, s, blocks)
        used[s.memory] = used.get(s.memory, 0) + rows
    return (Utilisation(MEMORY, m.name, used.get(m.name, 0), m.rows) for m in machine.memories if m.rows)
