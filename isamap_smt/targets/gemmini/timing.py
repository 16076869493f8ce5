"""A timing model of Gemmini, not hardware: a command stream's cycles, as the sources describe the controllers.

Three controllers (loads, executes, stores), each in order, beside each other. A command waits in the reservation
station for a free entry of its controller (8, 16, 4), for those before it there, and for other controllers' commands on
its local rows. The core issues one command after the other, and waits at a fence until all are complete. Loads and
stores pass 16 bytes a cycle each way, in requests of at most 64 bytes, at most 16 of them under way. The array takes a
row a cycle and the next weights beside the running pass; A and these weights from one bank of the scratchpad take
turns.

The stations, queues, widths and rates are the sources' (ucb-bar/gemmini 8c3f992: Configs.scala,
ReservationStation.scala, ExecuteController.scala). Three numbers are assumed: ISSUE, LATENCY and PASSES. Nothing here
is shared with the description of the machine, its schedules or the simulator. Not modelled: address translation,
caches, banks of the accumulator, and conflicts of DMA and array at one bank.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

DIM = 16
ENTRIES = {"load": 8, "execute": 16, "store": 4}
BANK = 4096  # rows of a bank of the scratchpad
BEAT, REQUEST, UNDER_WAY = 16, 64, 16  # bytes a cycle, bytes of a request at most, requests
SHORTEST = 4  # rows of a pass at least
ISSUE = 3  # assumed: cycles from one command of the core to the next, which sets two registers for each
LATENCY = 40  # assumed: cycles until main memory answers a request
PASSES = 2 * DIM  # assumed: cycles from the last row of A into the array to the last result out of it
NOWHERE = 0xFFFFFFFF
CONFIG, MVIN2, MVIN, MVOUT, COMPUTE, COMPUTE_AGAIN, PRELOAD, FLUSH, MVIN3, FENCE = 0, 1, 2, 3, 4, 5, 6, 7, 14, 127
MVINS = {MVIN: 0, MVIN2: 1, MVIN3: 2}


@dataclass(frozen=True)
class Timing:
    """cycles: until the last fence is passed. busy: controller -> cycles with work under way. commands, configurations:
    how many.
    """

    cycles: int
    busy: dict[str, int]
    commands: int
    configurations: int


@dataclass(frozen=True)
class _Rows:
    """Local rows from start to end, of the scratchpad or of the accumulator; none without an address."""

    accumulator: bool
    start: int
    end: int

    def meets(self, other: _Rows) -> bool:
        return self.accumulator == other.accumulator and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class _Block:
    """The second half of a register: a local address with rows and columns."""

    local: int
    rows: int
    columns: int

    @classmethod
    def of(cls, register: int) -> _Block:
        return cls(register & 0xFFFFFFFF, register >> 48 & 0xFFFF, register >> 32 & 0xFFFF)

    @property
    def nowhere(self) -> bool:
        return self.local == NOWHERE

    @property
    def accumulator(self) -> bool:
        return bool(self.local >> 31)

    @property
    def row(self) -> int:
        return self.local & 0x3FFF

    @property
    def whole(self) -> bool:
        """Whether rows of the accumulator are taken as they are, 4 bytes a number."""
        return bool(self.local >> 29 & 1)

    def touched(self) -> list[_Rows]:
        return [] if self.nowhere else [_Rows(self.accumulator, self.row, self.row + self.rows)]


@dataclass(frozen=True)
class _Entry:
    """A command in the reservation station. until: the cycle of its end. plain: it is no configuration."""

    controller: str
    until: int
    reads: list[_Rows]
    writes: list[_Rows]
    plain: bool = True


@dataclass
class _Channel:
    """One way of the DMA: requests under way, and when the bus is free."""

    latency: int
    free: int = 0
    answers: list[int] = field(default_factory=list)

    def moved(self, start: int, rows: int, bytes_: int) -> tuple[int, int]:
        """(when the last request has begun, when the last answer is there) of so many rows from `start` on."""
        at = end = start
        for _ in range(rows):
            rest = bytes_
            while rest > 0:
                if len(self.answers) == UNDER_WAY:
                    at = max(at, heappop(self.answers))
                beats = -(-min(rest, REQUEST) // BEAT)
                self.free = max(at + self.latency, self.free) + beats
                heappush(self.answers, self.free)
                end, at, rest = max(end, self.free), at + 1, rest - REQUEST
        return at, end


@dataclass
class _Array:
    """The passes. begun, ends: of the last one; bank: of its A; ready: the cycle when the weights beside it are there."""

    begun: int = 0
    ends: int = 0
    bank: int = -1
    ready: int = 0

    def preload(self, at: int, held: _Block) -> int:
        """The cycle when the array holds the block kept for the next pass."""
        rows = SHORTEST if held.nowhere else DIM
        bank = -2 if held.nowhere else held.row // BANK
        if at <= self.begun:  # beside the pass that runs
            both = rows + self.ends - self.begun if bank == self.bank else max(rows, self.ends - self.begun)
            self.ready = self.begun + both
        else:
            self.ready = max(at, self.ends) + rows
        return self.ready

    def compute(self, at: int, a: _Block, beside: _Block) -> tuple[int, int]:
        """(begin, end) of a pass of rows of A."""
        self.begun = max(at, self.ready, self.ends)
        rows = max(a.rows, SHORTEST) if beside.nowhere else DIM
        self.bank = -1 if a.nowhere else a.row // BANK
        self.ends = self.begun + rows
        return self.begun, self.ends


class _Machine:
    """The stream so far. now: of the core."""

    def __init__(self, issue: int, latency: int) -> None:
        self.now, self.issue = 0, issue
        self.entries: list[_Entry] = []
        self.last = dict.fromkeys(ENTRIES, 0)  # when the last command of each controller went to it
        self.until = dict.fromkeys(ENTRIES, 0)  # when it can begin another one
        self.busy = dict.fromkeys(ENTRIES, 0)
        self.seen = dict.fromkeys(ENTRIES, 0)  # until when its work is counted
        self.finished = 0
        self.reading, self.writing, self.array = _Channel(latency), _Channel(latency), _Array()
        self.shrunk = [False] * 3
        self.into = _Block.of(NOWHERE)

    def wait(self) -> None:
        """A fence."""
        self.now = max(self.now, self.finished)
        self.entries.clear()

    def command(self, funct: int, rs1: int, rs2: int) -> None:
        self.now += self.issue
        if funct == CONFIG:
            self._configure(rs1)
        elif funct in MVINS:
            self._mvin(MVINS[funct], rs1, _Block.of(rs2))
        elif funct == MVOUT:
            self._mvout(_Block.of(rs2))
        elif funct == PRELOAD:
            self._preload(_Block.of(rs1), _Block.of(rs2))
        elif funct in (COMPUTE, COMPUTE_AGAIN):
            self._compute(_Block.of(rs1), _Block.of(rs2))

    def _issued(self, controller: str, reads: list[_Rows], writes: list[_Rows], plain: bool = True) -> int:
        """When the command goes to its controller. The core stands still until there is an entry for it."""
        own = sorted(e.until for e in self.entries if e.controller == controller and e.until > self.now)
        if len(own) >= ENTRIES[controller]:
            self.now = own[len(own) - ENTRIES[controller]]
        self.entries = [e for e in self.entries if e.until > self.now]
        ready = max(self.now, self.last[controller])
        for e in self.entries:
            if self._follows(e, controller, reads, writes, plain):
                ready = max(ready, e.until)
        self.last[controller] = ready
        return ready

    def _follows(self, e: _Entry, controller: str, reads: list[_Rows], writes: list[_Rows], plain: bool) -> bool:
        """Whether a command waits until one before it is complete."""
        if {e.controller, controller} == {"execute", "store"} and e.plain != plain:
            return (e.controller == "store") == e.plain  # a configuration of the array and stores, in either order
        if e.controller == controller:
            return controller == "load" and _meet(writes, e.writes)
        return _meet(reads, e.writes) or _meet(writes, e.reads) or _meet(writes, e.writes)

    def _done(self, controller: str, until: int, reads: list[_Rows], writes: list[_Rows], plain: bool = True) -> None:
        self.entries.append(_Entry(controller, until, reads, writes, plain))
        self.finished = max(self.finished, until)

    def _works(self, controller: str, begin: int, end: int) -> None:
        """Count the cycles with work under way in a controller, each once."""
        self.busy[controller] += max(0, end - max(begin, self.seen[controller]))
        self.seen[controller] = max(end, self.seen[controller])

    def _configure(self, rs1: int) -> None:
        controller = ("execute", "load", "store")[rs1 & 3]
        if controller == "load":
            self.shrunk[rs1 >> 3 & 3] = bool(rs1 >> 2 & 1)
        at = max(self._issued(controller, [], [], plain=False), self.until[controller])
        if controller == "execute":
            at = max(at, self.array.ends)
        self.until[controller] = at + 1
        self._works(controller, at, at + 1)
        self._done(controller, at + 1, [], [], plain=False)

    def _mvin(self, which: int, address: int, to: _Block) -> None:
        rows = to.touched()
        at = max(self._issued("load", [], rows), self.until["load"])
        wide = to.accumulator and not self.shrunk[which]
        if address:
            free, until = self.reading.moved(at, to.rows, to.columns * (4 if wide else 1))
        else:  # zeros come from nowhere
            free = until = at + to.rows
        self.until["load"] = free
        self._works("load", at, until)
        self._done("load", until, [], rows)

    def _mvout(self, source: _Block) -> None:
        rows = source.touched()
        at = max(self._issued("store", rows, []), self.until["store"])
        wide = source.accumulator and source.whole
        free, until = self.writing.moved(at, source.rows, source.columns * (4 if wide else 1))
        self.until["store"] = free
        self._works("store", at, until)
        self._done("store", until, rows, [])

    def _preload(self, held: _Block, into: _Block) -> None:
        reads, writes = held.touched(), into.touched()
        self.array.preload(self._issued("execute", reads, writes), held)
        self.into, self.held = into, held

    def _compute(self, a: _Block, beside: _Block) -> None:
        reads = [*a.touched(), *beside.touched()]
        begun, ends = self.array.compute(self._issued("execute", reads, []), a, beside)
        self._works("execute", begun, ends)
        self._done("execute", ends + PASSES, self.held.touched(), self.into.touched())  # the preload's entry
        self._done("execute", ends, reads, [])


def _meet(some: Iterable[_Rows], others: list[_Rows]) -> bool:
    return any(x.meets(y) for x in some for y in others)


def timing(commands: Any, issue: int = ISSUE, latency: int = LATENCY) -> Timing:
    """commands: rows of function code and two registers, as HereProgram.commands() gives them."""
    machine, configurations = _Machine(issue, latency), 0
    stream = commands.tolist()
    for funct, rs1, rs2 in stream:
        if funct == FENCE:
            machine.wait()
        else:
            machine.command(funct, rs1, rs2)
            configurations += funct == CONFIG
    machine.wait()
    fences = sum(c[0] == FENCE for c in stream)
    return Timing(machine.now, machine.busy, len(stream) - fences, configurations)


__all__ = ["Timing", "timing"]
