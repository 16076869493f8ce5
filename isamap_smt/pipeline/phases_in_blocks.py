"""Neighbouring phases in a loop over blocks of rows, so temporaries too large for the chip stay there block by block.

    for each block of 16 rows:  S[i] += exp(X[i,j])  |  Y[i,j] = X[i,j] / S[i]       S stays, 16 elements of it

A run of phases with an axis in common is planned for the kernel of one block, with what stays on chip, and lifted to
all blocks. Lengths of a block are tried around the one whose temporaries fill the largest memory, and the quickest is
taken, if it is quicker than the phases one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from typing import Any

from isamap_smt.ir.errors import NotProvedError, ScheduleError, UndecidedError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.phases import Shared
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.common_axis import Run, cut_to, runs_from
from isamap_smt.mapping.fuse import fuse_groups
from isamap_smt.pipeline.on_chip import Chosen, Lowered, OnChip
from isamap_smt.proof.mapping import prove
from isamap_smt.scheduling.staged_blocks import loop_along, over_blocks
from isamap_smt.scheduling.staying import Kept, Staying

TRIED = 5  # lengths of a block, for each run and axis
ENOUGH = 0.995  # of the cycles: another length has to save more
ChooseOf = Callable[[Kernel, Kept], Chosen]  # the best of a kernel of one phase


@dataclass(frozen=True)
class Blocks:
    """A run of phases in blocks of so many points. chosen: their schedules, for all blocks. staying: during a block."""

    run: Run
    points: int
    chosen: tuple[Chosen, ...]
    staying: tuple[Staying, ...]

    @property
    def cycles(self) -> float:
        """Of all phases."""
        return float(sum(s.objective or 0 for s, _ in self.chosen))

    @property
    def shared(self) -> Shared:
        """The phases, and the number of loops that they share."""
        return self.run.first, self.run.last, 1

    @property
    def told(self) -> str:
        """What it is, in words."""
        first, last, stay = self.run.first + 1, self.run.last + 1, [s.tensor for s in self.staying]
        kept = f"; during a block {', '.join(stay)} stay{'s' * (len(stay) == 1)} on chip" if stay else ""
        return f"phases {first} to {last} are carried out in blocks of {self.points} points of {self.run.axis}{kept}"


def part_of(kernel: Kernel, kernels: Sequence[Kernel], phases: range) -> Kernel:
    """The kernel with the statements of these phases; temporaries are those that no other phase reads."""
    read = {a.tensor for n, k in enumerate(kernels) if n not in phases for s in k.statements for a in s.inputs}
    statements = tuple(s for n in phases for s in kernels[n].statements)
    return replace(
        kernel, statements=statements, temporaries=tuple(t for t in kernel.temporaries if t not in read), recurrences=()
    )


def _saved(b: Blocks, cycles: Sequence[float]) -> float:
    """The cycles that blocks save. cycles: of each phase without them."""
    return sum(cycles[n] for n in b.run.phases) - b.cycles


@dataclass(frozen=True)
class InBlocks:
    """Plans runs of phases in blocks. kernels: one for each phase. sizes: of a kernel, those that it is planned for."""

    machine: Hardware
    kernel: Kernel
    kernels: tuple[Kernel, ...]
    choose: ChooseOf
    lowered: Lowered
    sizes: Callable[[Kernel], dict[str, int]]

    def quicker(self, chosen: Sequence[Chosen], staying: Sequence[str]) -> tuple[Blocks, ...]:
        """Runs that are quicker in blocks, one behind the other. chosen: of each phase, if none is. staying: tensors that
        are on chip as a whole then."""
        cycles = [s.objective or 0.0 for s, _ in chosen]
        found: list[Blocks] = []
        first = 0
        while first < len(self.kernels):
            runs = [r for r in runs_from(self.kernels, first) if self._passes_memory(r, chosen, staying)]
            longest = [r for r in runs if r.last == max(x.last for x in runs)]
            made = [b for b in map(self._best, longest) if b is not None]
            made += [b for m in tuple(made) if (b := self._where_it_saves(m, cycles)) is not None]
            best = max(made, key=lambda b: _saved(b, cycles), default=None)
            first = max([first, *(r.last for r in longest)]) + 1
            if best is not None and _saved(best, cycles) > 0:
                found.append(best)
                first = best.run.last + 1
        return tuple(found)

    def _where_it_saves(self, whole: Blocks, cycles: Sequence[float]) -> Blocks | None:
        """The part of a run that saves most, with blocks of the same length; None if it is all of it."""
        run = whole.run
        each = [cycles[n] - (s.objective or 0.0) for n, (s, _) in zip(run.phases, whole.chosen, strict=True)]
        pairs = [(a, b) for b in range(1, len(each) + 1) for a in range(b - 1)]
        a, b = max(pairs, key=lambda p: (sum(each[p[0] : p[1]]), p[1] - p[0]))
        return None if b - a == len(each) else self._made(run.part(a, b), whole.points)

    def _passes_memory(self, run: Run, chosen: Sequence[Chosen], staying: Sequence[str]) -> bool:
        """Whether a phase takes to a memory what another one of the run had there, and has stored."""
        left: set[tuple[str, str]] = set()
        for n in run.phases:
            m = chosen[n][0].proved.mapping
            out = m.instruction.kernel.statements[0].target.tensor
            held = {o: m.instruction.operand(o).memory for o, _ in m.binding}
            if any((a.tensor, held[o]) in left for o, a in m.binding if o != out and a.tensor not in staying):
                return True
            left |= {(t, held[out]) for t in self.kernels[n].outputs}
        return False

    def _best(self, run: Run) -> Blocks | None:
        """The quickest of some lengths around the largest that may fit; None if there is no plan."""
        sizes = self.sizes(self.kernel)
        points = int(evaluate(run.extent, sizes))
        most = self._fitting(run, sizes)
        if most < 1:
            return None
        known: dict[int, Blocks | None] = {}

        def cycles(length: int) -> float:
            if length not in known:
                known[length] = self._made(run, length) if 1 <= length < points and len(known) < TRIED else None
            made = known[length]
            return inf if made is None else made.cycles

        at = 1 << max(min(most, points - 1).bit_length() - 1, 0)
        at = min((at, at // 2), key=cycles)
        for step in (0.5, 2):
            while cycles(int(at * step)) < ENOUGH * cycles(at):
                at = int(at * step)
        return known[at]

    def _fitting(self, run: Run, sizes: dict[str, int]) -> int:
        """How many points of the axis have temporaries that fill the largest memory."""
        held = {t: self._bytes_of_a_point(t, d, sizes) for t, d in run.dims}
        most = 0
        for n in run.phases:
            before = {s.target.tensor for k in self.kernels[run.first : n + 1] for s in k.statements}
            later = {a.tensor for k in self.kernels[n : run.last + 1] for s in k.statements for a in s.inputs}
            most = max(most, sum(held[t] for t in before & later if t in held))
        room = max((int(m.rows * m.row) for m in self.machine.memories if m.rows), default=0)
        return room // most if most else 0

    def _bytes_of_a_point(self, tensor: str, dim: int, sizes: dict[str, int]) -> int:
        t = self.kernel.tensor(tensor)
        return prod(int(evaluate(e, sizes)) for d, e in enumerate(t.shape) if d != dim) * t.dtype.bytes

    def _made(self, run: Run, points: int) -> Blocks | None:
        """The plan with blocks of this length; None if there is none."""
        own = [cut_to(self.kernels[n], axes, points) for n, axes in zip(run.phases, run.axes, strict=True)]

        def choose(phase: int, kept: Kept) -> Chosen:
            return self.choose(own[phase], kept)

        try:
            chosen = tuple(choose(n, Kept()) for n in range(len(own)))
            none, part = OnChip(self.machine, choose, self.lowered, chosen), part_of(self.kernel, self.kernels, run.phases)
            either = (none.with_temporaries(part, own, last_first) for last_first in (True, False))
            made = min(either, key=lambda f: f.cycles)
            lifted = [self._lifted(run, n, points, *c) for n, c in enumerate(made.chosen)]
        except UndecidedError:
            raise
        except (ScheduleError, NotProvedError):
            return None
        return Blocks(run, points, tuple(lifted), tuple(s.staying for s in made.stays))

    def _lifted(self, run: Run, number: int, points: int, s: Schedule, notes: Any) -> Chosen:
        """The schedule of a block for all blocks. Raises ScheduleError."""
        m, kernel = s.proved.mapping, self.kernels[run.first + number]
        loop = loop_along(m, run.axes[number][m.statement_index], points)
        whole = prove(fuse_groups(kernel, m.instruction, m.groups, m.binding, m.statement_index))
        if m.split is not None or not isinstance(whole, ProvedMapping):
            raise ScheduleError(f"{m.id}: no mapping of all blocks is like it")
        return over_blocks(s, whole, (loop,), self.sizes(kernel), self.lowered), notes
