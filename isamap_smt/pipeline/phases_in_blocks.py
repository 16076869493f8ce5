"""Neighbouring phases in a loop over blocks of rows, so temporaries too large for the chip stay there block by block.

    for each block of 16 rows:  S[i] += exp(X[i,j])  |  Y[i,j] = X[i,j] / S[i]       S stays, 16 elements of it

A run of phases with an axis in common is planned for the kernel of one block, with what stays on chip, and lifted to
all blocks. Lengths of a block are tried around the one whose temporaries fill the largest memory, and the quickest is
taken, if it is quicker than the phases one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from isamap_encodings import deadline
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
FAR = 1.25  # times the cycles without blocks: where both first lengths take as many, no other is tried
ChooseOf = Callable[[Kernel, Kept], Chosen]  # the best of a kernel of one phase
Cut = tuple[Run, int]  # an axis of a run of phases, and the points of a block along it


@dataclass(frozen=True)
class Blocks:
    """A run of phases in blocks. cuts: one for each loop, outermost first. chosen: their schedules, for all blocks.

    staying: tensors on chip during a block.
    """

    cuts: tuple[Cut, ...]
    chosen: tuple[Chosen, ...]
    staying: tuple[Staying, ...]

    @property
    def phases(self) -> range:
        """Their numbers."""
        return self.cuts[0][0].phases

    @property
    def cycles(self) -> float:
        """Of all phases."""
        return float(sum(s.objective or 0 for s, _ in self.chosen))

    @property
    def shared(self) -> Shared:
        """The phases, and the number of loops that they share."""
        return self.phases[0], self.phases[-1], len(self.cuts)

    @property
    def told(self) -> str:
        """What it is, in words."""
        stay, phases = [s.tensor for s in self.staying], f"phases {self.phases[0] + 1} to {self.phases[-1] + 1}"
        kept = f"; during a block {', '.join(stay)} stay{'s' * (len(stay) == 1)} on chip" if stay else ""
        length = " x ".join(f"{n} of {run.axis}" for run, n in self.cuts)
        return f"{phases} are carried out in blocks of {length}{kept}"


def part_of(kernel: Kernel, kernels: Sequence[Kernel], phases: range) -> Kernel:
    """The kernel with the statements of these phases; temporaries are those that no other phase reads."""
    read = {a.tensor for n, k in enumerate(kernels) if n not in phases for s in k.statements for a in s.inputs}
    statements = tuple(s for n in phases for s in kernels[n].statements)
    return replace(
        kernel, statements=statements, temporaries=tuple(t for t in kernel.temporaries if t not in read), recurrences=()
    )


def _saved(b: Blocks, cycles: Sequence[float]) -> float:
    """The cycles that blocks save. cycles: of each phase without them."""
    return sum(cycles[n] for n in b.phases) - b.cycles


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
            made = self._of_all(longest, cycles)
            made += [b for m in tuple(made) if (b := self._where_it_saves(m, cycles)) is not None]
            best = max(made, key=lambda b: _saved(b, cycles), default=None)
            first = max([first, *(r.last for r in longest)]) + 1
            if best is not None and _saved(best, cycles) > 0:
                found.append(best)
                first = best.phases[-1] + 1
        return tuple(found)

    def _of_all(self, runs: Sequence[Run], cycles: Sequence[float]) -> list[Blocks]:
        """The best blocks along each axis. Where one point is too much already, others are cut inside of it."""
        found = []
        for run in runs:
            inner = [r for r in runs if r is not run and r.axes[0] != run.axes[0]]
            ways = [((), run)] if self._fitting((), run) else [(((run, 1),), r) for r in inner]
            found += [self._best(outer, r, cycles) for outer, r in ways if self._fitting(outer, r)]
        return [b for b in found if b is not None]

    def _where_it_saves(self, whole: Blocks, cycles: Sequence[float]) -> Blocks | None:
        """The part of a run that saves most, with blocks of the same length; None if it is all of it."""
        each = [cycles[n] - (s.objective or 0.0) for n, (s, _) in zip(whole.phases, whole.chosen, strict=True)]
        pairs = [(a, b) for b in range(1, len(each) + 1) for a in range(b - 1)]
        a, b = max(pairs, key=lambda p: (sum(each[p[0] : p[1]]), p[1] - p[0]))
        return None if b - a == len(each) else self._made(tuple((run.part(a, b), n) for run, n in whole.cuts))

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

    def _best(self, outer: tuple[Cut, ...], run: Run, cycles: Sequence[float]) -> Blocks | None:
        """The quickest of some lengths around the largest that may fit; None if there is no plan, or all of it fits."""
        points = int(evaluate(run.extent, self.sizes(self.kernel)))
        most, alone = self._fitting(outer, run), sum(cycles[n] for n in run.phases)
        if most >= points and not outer:
            return None
        known: dict[int, Blocks | None] = {}

        def took(length: int) -> float:
            if length not in known:
                fits = 1 <= length < points + bool(outer) and len(known) < TRIED
                known[length] = self._made((*outer, (run, length))) if fits else None
            made = known[length]
            return inf if made is None else made.cycles

        at = 1 << max(min(most, points).bit_length() - 1, 0)
        at = min((at, at // 2), key=took)
        for step in (0.5, 2):
            while took(at) < FAR * alone and took(int(at * step)) < ENOUGH * took(at):
                at = int(at * step)
        return known[at]

    def _fitting(self, outer: tuple[Cut, ...], run: Run) -> int:
        """How many points of the axis have temporaries that fill the largest memory, in one block of outer loops."""
        sizes = self.sizes(self.kernel)
        held = {
            t: self._bytes_of_a_point(t, (dict(r.dims)[t] for r in (*(r for r, _ in outer), run)), sizes)
            for t, _ in run.dims
        }
        most = 0
        for n in run.phases:
            before = {s.target.tensor for k in self.kernels[run.first : n + 1] for s in k.statements}
            later = {a.tensor for k in self.kernels[n : run.last + 1] for s in k.statements for a in s.inputs}
            most = max(most, sum(held[t] for t in before & later if t in held))
        room = max((int(m.rows * m.row) for m in self.machine.memories if m.rows), default=0)
        return room // most if most else 0

    def _bytes_of_a_point(self, tensor: str, cut: Iterable[int], sizes: dict[str, int]) -> int:
        t, dims = self.kernel.tensor(tensor), set(cut)
        return prod(int(evaluate(e, sizes)) for d, e in enumerate(t.shape) if d not in dims) * t.dtype.bytes

    def _made(self, cuts: tuple[Cut, ...]) -> Blocks | None:
        """The plan with these blocks; None if there is none, or half of the time that is left does not suffice."""
        if deadline.enough():
            return None
        left = deadline.left()
        try:
            with deadline.until(None if left is None else left / 2):
                return self._planned(cuts)
        except (deadline.DeadlinePassed, UndecidedError):
            deadline.stopped()
        except (ScheduleError, NotProvedError):
            pass
        return None

    def _planned(self, cuts: tuple[Cut, ...]) -> Blocks:
        """The plan with these blocks. Raises ScheduleError."""
        phases, own = cuts[0][0].phases, list(self.kernels)
        for run, points in cuts:
            for n, axes in zip(phases, run.axes, strict=True):
                own[n] = cut_to(own[n], axes, points)
        block = own[phases[0] : phases[-1] + 1]

        def choose(phase: int, kept: Kept) -> Chosen:
            return self.choose(block[phase], kept)

        made = OnChip(self.machine, choose, self.lowered, tuple(choose(n, Kept()) for n in range(len(block))))
        made = made.with_temporaries(part_of(self.kernel, self.kernels, phases), block, last_first=True)
        lifted = tuple(self._lifted(cuts, n, *c) for n, c in enumerate(made.chosen))
        return Blocks(cuts, lifted, tuple(s.staying for s in made.stays))

    def _lifted(self, cuts: tuple[Cut, ...], number: int, s: Schedule, notes: tuple[str, ...]) -> Chosen:
        """The schedule of a block for all blocks. Raises ScheduleError."""
        m, kernel = s.proved.mapping, self.kernels[cuts[0][0].first + number]
        loops = tuple(loop_along(m, run.axes[number][m.statement_index], points) for run, points in cuts)
        whole = prove(fuse_groups(kernel, m.instruction, m.groups, m.binding, m.statement_index))
        if len({x.axis for x in loops}) < len(loops) or m.split is not None or not isinstance(whole, ProvedMapping):
            raise ScheduleError(f"{m.id}: no mapping of all blocks is like it")
        return over_blocks(s, whole, loops, self.sizes(kernel), self.lowered), notes
