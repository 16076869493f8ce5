"""The instruction list written by a program, with tokens in place of its counters.

A counter's signals say that an engine has completed its instructions up to one; an await asks for enough of them to
reach a certain one. Engines complete in order, so each pair of neighbours needs one queue: an instruction takes a token
only if it awaits an instruction awaited by none before it, and that instruction alone gives one. So tokens are taken in
the order of their giving, each is taken once, and none is left over.

An await or a signal by itself is no instruction: signals belong to the engine's instruction before them, awaits to the
next one. If there is none, an instruction moving nothing stands in its place.
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
    """An instruction of the list.

    fields: those of its row, 7 numbers for a move: memory, entry, element, rows, their distance, and rows of zeros
    behind and before them. awaits: the engines it takes a token of; signals: the engines it gives one to. ordinal:
    among its engine's, from 0.
    """

    engine: int
    what: int
    fields: tuple[int, ...] = ()
    awaits: set[int] = field(default_factory=set)
    signals: set[int] = field(default_factory=set)
    ordinal: int = 0


def with_tokens(rows: np.ndarray) -> list[Issue]:
    """The instructions of a list, in its order, and `finish`. Raises HardwareError for awaits without a queue in VTA."""
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
        """The awaits read so far become this engine's."""
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
        """Signal after the last instruction issued, or after an empty one if it has to await something first."""
        engine = self.last
        if self.open[engine] or not self.own[engine]:
            self.issue(engine, NOTHING, ())
        signals = self.reached.setdefault(counter, [])
        if signals and signals[0][0] != engine:
            raise HardwareError(f"VTA: {NAMES[engine]} and {NAMES[signals[0][0]]} signal one counter")
        signals.append((engine, self.own[engine][-1].ordinal))

    def _all(self, what: int) -> None:
        """The computing engine does it, behind everything issued so far."""
        self.wanted = [(e, len(self.own[e]) - 1) for e in (LOAD, STORE) if self.own[e]]
        self.issue(COMPUTE, what, ())

    def barrier(self) -> None:
        """Issue an instruction that waits for all other engines; they wait for it."""
        self._all(NOTHING)
        for e in (LOAD, STORE):
            self.open[e][COMPUTE] = len(self.own[COMPUTE]) - 1

    def finished(self) -> list[Issue]:
        self._all(FINISH)
        return self.made


def tokens(issues: Sequence[Issue]) -> int:
    """How many pass."""
    return sum(len(i.awaits) for i in issues)
