"""The list that a program writes, with the tokens that its counters come to.

A counter's signals say that an engine has completed its instructions up to one; an await asks for as many as reach a certain one.
Engines complete in order, so of each pair of neighbours there is one queue: an instruction takes a token only where it awaits an
instruction that none before it has awaited, and that instruction alone gives one. So tokens are taken in the order in which they
are given, each is taken once, and none is given that nobody takes.

What only awaits or signals is no instruction: its signals are those of the engine's instruction before it, its awaits those of
the next one. Where there is none, an instruction that moves nothing stands in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from isamap_smt.ir.errors import HardwareError

LOAD, COMPUTE, STORE = range(3)  # engines
AWAIT, SIGNAL, LOADS, STORES, GEMM, RESET, ALU, NOTHING, BARRIER, ALU_ACC = range(10)  # what the rows of a list say
FINISH, UOPS = 10, 11  # made here, and by what compresses
UOP, WGT, INP, ACC, OUT = range(5)  # memories
NEIGHBOURS = {(LOAD, COMPUTE), (COMPUTE, LOAD), (COMPUTE, STORE), (STORE, COMPUTE)}
NAMES = ("load", "compute", "store")


@dataclass
class Issue:
    """An instruction. fields: those of its row, of 7 numbers: of a move memory, entry, element, rows, their distance, and rows of
    zeros behind and before them. awaits: engines of which it takes a token; signals: to which it gives one. ordinal: among its
    engine's, from 0."""

    engine: int
    what: int
    fields: tuple[int, ...] = ()
    awaits: set[int] = field(default_factory=set)
    signals: set[int] = field(default_factory=set)
    ordinal: int = 0


def with_tokens(rows: np.ndarray) -> list[Issue]:
    """The instructions of a list, in its order, and `finish`. Raises HardwareError for awaits that VTA has no queue for."""
    made = _Tokens()
    for what, *fields in rows.tolist():
        if what == AWAIT:
            made.await_(fields[0], fields[1])
        elif what == SIGNAL:
            made.signal(fields[0])
        elif what == NOTHING:
            made.nothing(fields[0])
        elif what == BARRIER:
            made.barrier()
        else:
            made.issue(engine_of(what, fields[0]), what, tuple(fields))
    return made.finished()


def engine_of(what: int, memory: int) -> int:
    """Who issues it."""
    if what == STORES:
        return STORE
    return LOAD if what == LOADS and memory in (INP, WGT) else COMPUTE


class _Tokens:
    def __init__(self) -> None:
        self.made: list[Issue] = []
        self.own: list[list[Issue]] = [[], [], []]  # of each engine
        self.reached: dict[int, list[tuple[int, int]]] = {}  # counter -> (engine, ordinal) of each of its signals
        self.taken = dict.fromkeys(NEIGHBOURS, -1)  # (from, to) -> the last ordinal awaited
        self.wanted: list[tuple[int, int]] = []  # of what is issued next
        self.open: list[dict[int, int]] = [{}, {}, {}]  # engine -> what its next instruction awaits
        self.last = COMPUTE  # the engine of what was issued last

    def await_(self, counter: int, amount: int) -> None:
        if amount <= 0:
            return
        signals = self.reached.get(counter, [])
        if amount > len(signals):
            raise HardwareError(f"VTA: counter {counter} is awaited to be {amount}, and is {len(signals)} by then")
        self.wanted.append(signals[amount - 1])

    def _asks(self, engine: int) -> None:
        """The awaits that were read are this engine's."""
        for source, ordinal in self.wanted:
            if source == engine:
                continue
            if (source, engine) not in NEIGHBOURS:
                raise HardwareError(f"VTA: {NAMES[engine]} awaits {NAMES[source]}, and there is no queue between them")
            if ordinal > max(self.taken[source, engine], self.open[engine].get(source, -1)):
                self.open[engine][source] = ordinal
        self.wanted = []
        self.last = engine

    def issue(self, engine: int, what: int, fields: tuple[int, ...]) -> None:
        self._asks(engine)
        own = self.own[engine]
        new = Issue(engine, what, fields, ordinal=len(own))
        for source, ordinal in self.open[engine].items():
            new.awaits.add(source)
            self.own[source][ordinal].signals.add(engine)
            self.taken[source, engine] = ordinal
        self.open[engine] = {}
        own.append(new)
        self.made.append(new)

    def nothing(self, engine: int) -> None:
        self._asks(engine)

    def signal(self, counter: int) -> None:
        """Of what was issued last, where it awaits nothing that has to be awaited first."""
        engine = self.last
        if self.open[engine] or not self.own[engine]:
            self.issue(engine, NOTHING, ())
        signals = self.reached.setdefault(counter, [])
        if signals and signals[0][0] != engine:
            raise HardwareError(f"VTA: {NAMES[engine]} and {NAMES[signals[0][0]]} signal one counter")
        signals.append((engine, self.own[engine][-1].ordinal))

    def _all(self, what: int) -> None:
        """The engine that computes does it behind all that was issued."""
        self.wanted = [(e, len(self.own[e]) - 1) for e in (LOAD, STORE) if self.own[e]]
        self.issue(COMPUTE, what, ())

    def barrier(self) -> None:
        """All others wait for an instruction that waits for them."""
        self._all(NOTHING)
        for e in (LOAD, STORE):
            self.open[e][COMPUTE] = len(self.own[COMPUTE]) - 1

    def finished(self) -> list[Issue]:
        self._all(FINISH)
        return self.made


def tokens(issues: Sequence[Issue]) -> int:
    """How many pass."""
    return sum(len(i.awaits) for i in issues)
