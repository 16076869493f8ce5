"""The figures behind prices: those fitted by hand, and those a calibration puts in their place.

They are data: the caller hands them in, and the scheduler does not ask where they were measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from isamap_encodings.schedule_problem import CoreModel
from isamap_smt.ir.instruction import Cost

FAR_ROW = 0.25

# Fitted to x86 cores. Computing alone up to some share of a link's time is free, then a part of the link's time delays the
# computing; and the same the other way round if the link is the slower. If a sum streams for long, lines are fetched ahead of time
# from the second cache into the first: on some machines nearly all, and then as little as NEAREST of the link's time delays the
# computing; on others as much as from anywhere (FARTHEST).
WHOLE = 16
FAR = ((16, 0), (14, 8), (6, 16))
NEAREST, FARTHEST = 4, 8
CHUNKS = 8  # in which a thread takes its trips of a shared loop


def core_model(delaying: int) -> CoreModel:
    """The figures of an x86 core. delaying: the parts of a transfer from the second cache that delay computing."""
    near = FAR if delaying >= FARTHEST else ((16, 0), (14, delaying), (5, 16))
    return CoreModel(WHOLE, near, FAR, sooner=12, even=128, chunks=CHUNKS, waits=16, cut=2)


@dataclass(frozen=True)
class Figures:
    """Rates of one machine, per core. An empty figure stands as in the hardware's description.

    bandwidth: (source, target, bytes per cycle). crowded: the same for each core while two cores move data. costs:
    (instruction, Cost) as measured; bandwidths count only for the instructions named here, because all others are of
    another machine. start_threads: cycles of each thread to begin and end a shared loop. pack_rows, pack_elements:
    cycles per byte to copy whole rows, and element by element; pack_apart: cycles of a byte without neighbours.
    prefetching: (source memory of streamed vectors, rows of a register tile that use each, bytes from its loads to the
    prefetched line, time relative to none).
    delaying: how little of a transfer from the second cache delays computing, as for core_model(). load_rates: (bytes
    of a register, loads per cycle beside computing, cycles of each step for one row more than addresses stay in
    registers).
    latency: (memory, cycles until a load arrives). across: for a matrix read in place across its rows, (memory, rows of
    a register tile that use each vector, pieces of a row from its loads to the prefetched piece, or 0, cycles for a
    line).
    origin: their source, for people.
    """

    origin: str = "the hardware's description"
    bandwidth: tuple[tuple[str, str, float], ...] = ()
    crowded: tuple[tuple[str, str, float], ...] = ()
    costs: tuple[tuple[str, Cost], ...] = ()
    start_threads: float = 4_000.0
    pack_rows: float = 1 / 8
    pack_elements: float = 1 / 4
    pack_apart: float = 1.0
    prefetching: tuple[tuple[str, int, int, float], ...] = ()
    delaying: int = NEAREST
    load_rates: tuple[tuple[int, float, float], ...] = ()
    latency: tuple[tuple[str, float], ...] = ()
    across: tuple[tuple[str, int, int, float], ...] = ()

    def knows(self, instruction: str) -> bool:
        """Whether the instruction was measured."""
        return any(name == instruction for name, _ in self.costs)

    def cost(self, instruction: str, described: Cost) -> Cost:
        """The instruction's latency and rate as measured, or as described."""
        return dict(self.costs).get(instruction, described)

    def rate(self, source: str, target: str, described: float, threads: int) -> float:
        """Bytes per cycle from `source` to `target` for each of `threads` cores."""
        measured = {(a, b): rate for a, b, rate in self.bandwidth}
        if threads > 1:
            measured.update({(a, b): rate for a, b, rate in self.crowded})
        return measured.get((source, target), described)

    def loads(self, width: int, described: float) -> float:
        """Loads of whole registers, or broadcasts to them, per cycle beside computing."""
        return next((loads for w, loads, _ in self.load_rates if w == width), described)

    def far_row(self, width: int) -> float:
        """Cycles of each step for one row more than addresses stay in registers."""
        return next((cycles for w, _, cycles in self.load_rates if w == width), FAR_ROW)

    def piece(self, memory: str, height: int) -> dict[int, float]:
        """Pieces ahead -> cycles for a line of a matrix in this memory, read across its rows by `height` executions, or
        the next fewer measured; empty if none was."""
        heights = [h for place, h, _, _ in self.across if place == memory and h <= height]
        return {
            pieces: cycles
            for place, h, pieces, cycles in self.across
            if place == memory and h == max(heights, default=0)
        }

    def waits(self, memory: str, described: float) -> float:
        """Cycles until a load from the memory arrives."""
        return dict(self.latency).get(memory, described)


DESCRIBED = Figures()
