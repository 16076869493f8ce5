"""A plan of several statements as a whole: a row for each schedule, and one sentence about all of them.

A schedule of statements sharing blocks, or of a time step, is priced for one of them: its cost and traffic in a call are those
times their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

from isamap_smt.ir.expr import is_constant, words
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Point, Program
from isamap_smt.ir.schedule import LoopStep, Schedule, Stage
from isamap_smt.ir.staging import counts
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.scheduling.staged import SPACE, SPACE_TOLD

ELEMENTWISE = "element by element"


@dataclass(frozen=True)
class Row:
    """A statement. number: its position in the kernel, from 1. instruction: with the steps it is put together of.

    status: of its schedule, or a note that it has none. blocks: how often a call repeats the priced part; 0 without a
    schedule, None if a size is open. cost: of a call, or of one block if blocks is None, in the objective's unit; None
    without a price. share: of the sum of all prices.
    """

    number: int
    target: str
    instruction: str
    blocks: int | None
    cost: float | None
    share: float | None
    status: str
    gap: float | None

    @property
    def result(self) -> str:
        """Status, and gap if there is one."""
        return result(self)

    @property
    def by(self) -> str:
        """The instruction in few words, or the steps of one put together."""
        _, made, steps = self.instruction.partition(" (")
        if made:
            return steps.rstrip(")").partition(";")[0]
        names = self.instruction.split(", ")
        return ", ".join(n.rsplit(".", 1)[-1] for n in names) if len(names) > 1 else self.instruction or self.status

    @property
    def cells(self) -> tuple[str, ...]:
        """As text, below the columns of table_of()."""
        cost = "not priced" if self.cost is None else f"{self.cost:,.0f}"
        share = "" if self.share is None else f"{self.share:.1%}"
        blocks = "open" if self.blocks is None else f"{self.blocks:,}" if self.blocks else ""
        return f"{self.number} {self.target}", self.instruction, cost, share, blocks, self.result


def result(found: Row | Schedule) -> str:
    """`FEASIBLE, gap 3.40%`: the solver's word, and the part of the objective above its bound, if there is one."""
    return found.status if found.gap is None else f"{found.status}, gap {found.gap:.2%}"


def space(s: Schedule) -> str:
    """The space a schedule was chosen from, in words."""
    return SPACE_TOLD if s.space == SPACE else s.space


def bounds(s: Schedule) -> str:
    """`objective 1,234 cycles, solver's bound 1,200, lower bound of any schedule 900`, as far as they are known."""
    known = ("objective", s.objective), ("solver's bound", s.bound), ("lower bound of any schedule", s.lower_bound)
    found = [f"{name} {amount:,.0f}" for name, amount in known if amount is not None]
    return ", ".join([f"{found[0]} {s.unit}", *found[1:]]) if found else ""


def sentences(s: Schedule) -> tuple[str, str]:
    """`OPTIMAL, gap 0.00%; objective 1,234 cycles, solver's bound 1,234.`, and the space of schedules."""
    return f"{'; '.join(filter(None, (result(s), bounds(s))))}.", f"Space: {space(s)}."


def repeats(schedule: Schedule, kernel: Kernel) -> int | None:
    """How often a call repeats the part priced for the schedule: the number of blocks, or time steps. None if a size is open.

    kernel: at the schedule's sizes.
    """
    mapping = schedule.proved.mapping
    position = mapping.statement_index
    steps = {x.axis: x.step for x in reversed(schedule.loops[: len(schedule.fused)])}  # the outermost of an axis
    recurrence = mapping.kernel.recurrence_of(position)
    if recurrence and recurrence.axis not in steps and schedule.loops and schedule.loops[0].axis == recurrence.axis:
        priced_alone = not is_constant(mapping.statement.axis(recurrence.axis).extent)
        steps |= {recurrence.axis: 1} if priced_alone else {}
    extents = {a: kernel.statements[position].axis(a).extent for a in steps}
    if not all(map(is_constant, extents.values())):
        return None
    return prod(ceil(int(extents[a]) / int(step)) for a, step in steps.items())


def rows(kernel: Kernel, schedules: Sequence[Schedule]) -> tuple[Row, ...]:
    """A row for each schedule of a kernel's program, in the kernel's order.

    Costs add up to the prediction for all schedules, if no number of blocks is open.
    """
    found = []
    for s in schedules:
        blocks = repeats(s, kernel.with_sizes(dict(s.sizes)))
        found.append((s, blocks, None if s.objective is None else s.objective * (blocks or 1)))
    total = sum(cost or 0.0 for *_, cost in found)
    return tuple(
        Row(
            s.proved.mapping.statement_index + 1, s.proved.mapping.statement.target.tensor,
            s.proved.mapping.instruction.told, blocks, cost,
            cost / total if cost is not None and total else None, s.status, s.gap,
        )
        for s, blocks, cost in sorted(found, key=lambda x: x[0].proved.mapping.statement_index)
    )  # fmt: skip


def all_rows(kernel: Kernel, program: Program) -> tuple[Row, ...]:
    """The same, with a row for each statement computed element by element."""
    found = {r.number: r for r in rows(kernel, program.schedules)}
    across: dict[int, dict[str, None]] = {}
    for point in nodes_of(Point, program):
        steps = () if point.across is None else point.across.steps
        across.setdefault(point.statement, {}).update(dict.fromkeys(i.name for i in steps))
    left = (
        Row(n, s.target.tensor, ", ".join(across.get(n - 1, ())), 0, None, None, ELEMENTWISE, None)
        for n, s in enumerate(kernel.statements, 1)
        if n not in found
    )
    return tuple(sorted((*found.values(), *left), key=lambda r: r.number))


@dataclass(frozen=True)
class StatementTable:
    """The statements of a kernel: rows as text, the last one the sum. unit: of the costs. heading: of the schedule in detail."""

    unit: str
    cells: tuple[tuple[str, ...], ...]
    heading: str
    open: bool  # some number of blocks

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of numbers."""
        return self.unit, "share", "blocks"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return "statement", "instruction", *self.numbers, "status"


def table_of(kernel: Kernel, program: Program) -> StatementTable | None:
    """A row for each statement, in the kernel's order; None of a kernel of one statement."""
    if len(kernel.statements) == 1 or not program.schedules:
        return None
    found, first = all_rows(kernel, program), program.schedules[0]
    m = first.proved.mapping
    blocks = found[m.statement_index].blocks
    heading = f"Statement {m.statement_index + 1}, {m.statement.target.tensor}"
    one = ": one block" if blocks is None else f": one of {blocks:,} blocks" if blocks > 1 else ""
    return table_from(found, first.unit, heading + one)


def table_from(found: Sequence[Row], unit: str, heading: str = "") -> StatementTable:
    """These rows and their sum, in a unit."""
    together = ("together", "", f"{sum(r.cost or 0.0 for r in found):,.0f}", "", "", "")
    return StatementTable(unit, (*(r.cells for r in found), together), heading, any(r.blocks is None for r in found))


def phase_rows(kernel: Kernel, phases: Sequence[Schedule]) -> tuple[Row, ...]:
    """A row for each statement of a kernel for engines, if each is a phase; else none."""
    made = {s.proved.mapping.statement.target.tensor: s for s in phases}
    targets = [s.target.tensor for s in kernel.statements]
    if sorted(made) != sorted(targets):
        return ()
    total = sum(s.objective or 0.0 for s in phases)
    found = []
    for n, target in enumerate(targets, 1):
        s = made[target]
        share = (s.objective or 0.0) / total if total else None
        found.append(Row(n, target, s.proved.mapping.instruction.told, 1, s.objective, share, s.status, s.gap))
    return tuple(found)


def counted_loops(phase: Schedule) -> list[tuple[LoopStep, str]]:
    """Each loop of a phase with the number of its steps, those over blocks first."""
    mapping = phase.proved.mapping
    of, whole = counts(mapping, phase.loops, phase.blocks), counts(mapping, phase.blocks)
    return [(x, words(whole[x.axis])) for x in phase.blocks] + [(x, words(of[x.axis])) for x in phase.loops]


def stage_words(phase: Schedule, stage: Stage) -> tuple[str, str]:
    """(the instructions to begin, change, and fill or store its tiles; the loop around it, and that around its fills)."""
    inside = phase.loops[stage.depth - 1].axis if stage.depth else "no loop"
    if stage.filled:
        inside += f", filled in {phase.loops[stage.filled - 1].axis}"
    moves = "stays between phases" if stage.stays and not stage.stored else stage.via
    return ", ".join(filter(None, [stage.begin, *stage.updates, moves])), inside


def unpredicted(planned: Any, threads: int) -> str:
    """Why the cycles of a call on so many threads are not predicted, or ''.

    If threads share a loop, an objective counts the cycles of all of them, and says nothing of the time.
    """
    schedules, statements = planned.program.schedules, len(planned.kernel.statements)
    if threads > 1 or any(s.parallel is not None for s in schedules):
        return "cycles are those of all threads together"
    if any(s.unit != "cycles" for s in schedules):
        return "the schedule is priced in energy"
    found = rows(planned.kernel, schedules)
    if any(r.blocks is None for r in found):
        return "the number of blocks is open"
    left = statements - sum(1 for r in found if r.cost)
    return f"{left} of {statements} statements {'has' if left == 1 else 'have'} no price" if left else ""


def predicted_cycles(planned: Any, threads: int) -> float | None:
    """Cycles of a call on so many threads, of all statements; None if unknown."""
    if unpredicted(planned, threads):
        return None
    return sum(r.cost or 0.0 for r in rows(planned.kernel, planned.program.schedules))


def standing(kernel: Kernel, schedules: Sequence[Schedule]) -> tuple[str, str]:
    """(in a word or two, in a sentence) how good the schedules of a program for cores are."""
    if len(kernel.statements) > 1:
        return f"{len(schedules)} of {len(kernel.statements)}", answer(kernel, schedules)
    (s,) = schedules
    gap = f", gap {s.gap:.2%}" if s.status == "OPTIMAL" and s.gap is not None else ""
    return word(schedules), f"schedule: {quality(schedules)}{gap}"


def word(schedules: Sequence[Schedule]) -> str:
    """`optimal`, `feasible`, `pinned` or `tuned`: the weakest status of all."""
    order = ("OPTIMAL", "FEASIBLE", "PINNED")
    return max((s.status for s in schedules), key=lambda x: order.index(x) if x in order else len(order)).lower()


def quality(schedules: Sequence[Schedule]) -> str:
    """How far each schedule may be from the best of its space. A gap is a fraction of the objective."""
    gaps = [s.gap for s in schedules]
    if all(s.status == "OPTIMAL" for s in schedules):
        return "optimal in its space"
    if None in gaps:
        return "not shown to be optimal"
    return f"feasible in its space, gap at most {max(g for g in gaps if g is not None):.2%}"


def quality_of_phases(phases: Sequence[Schedule]) -> str:
    """The same of phases of engines: the best of each says nothing of all together."""
    if len(phases) == 1:
        return quality(phases)
    return f"{len(phases)} parts, each {quality(phases)}; all together by the cost model, with no bound"


def answer(kernel: Kernel, schedules: Sequence[Schedule]) -> str:
    """The result for all statements: of one its schedule; of several the number scheduled, with their status."""
    statements = len(kernel.statements)
    if not schedules:
        return "computed element by element: nothing is left to schedule"
    if statements == 1:
        return str(schedules[0])
    found = Counter(s.status for s in schedules)
    if len(found) == 1:
        each = "each " if len(schedules) > 1 else ""
        states = f"{each}{_state(*found)}"
    else:
        states = ", ".join(f"{n} {_state(status)}" for status, n in found.items())
    gaps = [s.gap for s in schedules if s.gap]
    worst = f" (gap up to {max(gaps):.1%})" if gaps else ""
    fused = "; fusion chosen by the cost model" if any(s.fused for s in schedules) else ""
    left = statements - len(schedules)
    rest = f", {left} {ELEMENTWISE}" if left else ""
    return f"{statements} statements: {len(schedules)} scheduled, {states}{worst}{rest}{fused}"


def _state(status: str) -> str:
    """A solver's word in a sentence."""
    return "optimal in its space" if status == "OPTIMAL" else status.lower()
