"""A machine as the cost model sees it: the register file, load and store slots, and the chain of caches behind it.

Costs are integers, in thousandths of a cycle (latency) or of a picojoule (energy).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.ir.hardware import Hardware, Link, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.ways import way_in, way_out
from isamap_smt.scheduling.figures import DESCRIBED, Figures

UNIT = 1000  # costs per cycle, and per picojoule
PAGE = 4096  # bytes of a memory page; also what the first cache's index covers, so its ways are capacity / page


@dataclass(frozen=True)
class Machine:
    """registers: how many the instruction's operands share; spare: those of them that its C needs beside.

    caches: nearest first; links[u-1] leads into cache u.

    figures: what the rates come from, and the prices that no part of a hardware description has.
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
        """Picojoule per byte moved into cache `level`: read where it comes from, written where it goes."""
        return self.memories[level].energy + self.memories[level - 1].energy


def machine(hardware: Hardware, instruction: Instruction, figures: Figures = DESCRIBED, threads: int = 1) -> Machine:
    """The part of the hardware that this instruction uses, at the rates of `figures` where they know the instruction.

    Raises HardwareError where the instruction is not of this machine, ScheduleError where there is no cache to tile for.
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
    """The memory that its output lies in."""
    return dict(instruction.places)[instruction.kernel.statements[0].target.tensor]


def way_out_of(hardware: Hardware, file: str) -> Link:
    """The link by which results leave a register file."""
    found = way_out(hardware, file)
    assert found is not None, "what a machine is made with has a way out"
    return found


def _each_cycle(link: Link, width: int) -> float:
    """Registers of so many bytes that are moved in a cycle: whole ones, or a part of one that takes several cycles."""
    share = link.bandwidth / width
    return share if share < 0.75 else float(max(1, round(share)))


def _measured(link: Link, figures: Figures, threads: int) -> Link:
    bandwidth = figures.rate(link.source, link.target, link.bandwidth, threads)
    return replace(link, bandwidth=bandwidth, latency=figures.waits(link.source, link.latency))
