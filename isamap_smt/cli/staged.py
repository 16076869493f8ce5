"""What commands say of machines with engines: the plan of stages, and what the simulator saw."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isamap_smt.cli.output import answer, console, progress, say, say_notes, seconds, table
from isamap_smt.cli.status import WRONG_RESULT
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.schedule import LoopStep, Schedule, Stage
from isamap_smt.ir.staging import counts
from isamap_smt.ir.words import words

if TYPE_CHECKING:
    from isamap_smt.pipeline.staged import StagedPlan
    from isamap_smt.runtime.judge import Judgement
    from isamap_smt.targets import Target
    from isamap_smt.targets.simulate import Observed

_NEUTRAL = {
    "threads": 1,
    "objective": "latency",
    "constant": (),
    "family": "fuse",
}  # options that mean nothing on engines


def planned_stages(asked: dict[str, Any]) -> StagedPlan:
    """The plan of what read_asked() gave; its notes are said. Raises ScheduleError for options that engines have no use for."""
    from isamap_smt.pipeline.staged import stage

    for option, neutral in _NEUTRAL.items():
        if tuple(asked[option]) != neutral if option == "constant" else asked[option] != neutral:
            raise ScheduleError(
                f"--{option}: programs for the engines of {asked['hardware'].name} have no such choice; leave it out"
            )
    if asked["assume"]:
        raise ScheduleError(
            f"--assume: no program for the engines of {asked['hardware'].name} makes use of it; leave it out"
        )
    kept = {n: asked[n] for n in ("kernel", "hardware", "sizes", "fix", "timeout", "instruction")}
    with progress(f"planning {asked['kernel'].name}") as tell:
        planned = stage(**kept, progress=tell)
    say_notes(planned.notes)
    return planned


def staging_document(planned: StagedPlan) -> dict[str, Any]:
    """The JSON of a plan of stages; of several phases, that of each. Cycles; gap is a fraction."""
    parts = [_part_document(s) for s in planned.schedules]
    whole = {"claims": len(planned.proof.claims)}
    return {**parts[0], **whole} if len(parts) == 1 else {"cycles": planned.cycles, "phases": parts, **whole}


def _part_document(s: Schedule) -> dict[str, Any]:
    return {
        "mapping": s.proved.mapping.id,
        "instruction": s.proved.mapping.instruction.name,
        "status": s.status,
        "space": s.space,
        "cycles": s.objective,
        "bound": s.bound,
        "gap": s.gap,
        "unit": s.unit,
        "sizes": dict(s.sizes),
        "loops": [{"axis": x.axis, "tiles": x.step, "count": count} for x, count in _counted(s)],
        "stages": [_stage_document(s, t) for t in s.stages],
        "parts": {p.name: p.amount for p in s.costs},
        "assumes": [text for text, _ in s.assumes],
        "decided_outside": list(s.decided_outside),
        "seconds": round(s.seconds, 3),
    }


def _stage_document(s: Schedule, t: Stage) -> dict[str, Any]:
    about = {n: getattr(t, n) for n in ("memory", "depth", "slots", "rows", "via", "offset")}
    return {"operand": t.operand, "tensor": s.tensor(t), **about}


def _counted(s: Schedule) -> list[tuple[LoopStep, str]]:
    """Each loop with the number of its steps."""
    of = counts(s.proved.mapping, s.loops)
    return [(x, words(of[x.axis])) for x in s.loops]


def show_staging(planned: StagedPlan) -> None:
    """Status and gap, loops, stages, the parts of the time and what it rests on."""
    out = console()
    out.print(planned.title, style="bold")
    for n, s in enumerate(planned.schedules, 1):
        if len(planned.schedules) > 1:
            out.print(f"\nPhase {n}: {s.proved.mapping.id}", style="bold")
        _show_part(s)
    out.print(f"program: {planned.proof.word}, {len(planned.proof.claims)} claims in {seconds(planned.proof.seconds)}")


def _show_part(s: Schedule) -> None:
    out = console()
    out.print(f"{s.status}, gap {s.gap:.2%}, in {seconds(s.seconds)}; space: {s.space}")
    at = " ".join(f"{n}={v}" for n, v in s.sizes)
    out.print(f"{s.objective:,.0f} cycles{f' at {at}' if at else ''}, no plan below {s.bound:,.0f}")
    _show_loops(s)
    stages = []
    for t in s.stages:
        by = ", ".join(filter(None, [t.begin, *t.updates, t.via]))
        loop = f"{s.loops[t.depth - 1].axis}" if t.depth else "no loop"
        stages.append((f"{s.tensor(t)} ({t.operand})", t.memory, str(t.slots), by, loop))
    out.print(table("\nStages", "tensor", "memory", "slots", "tiles by", "inside", rows=stages, right=("slots",)))
    parts = ((p.name, f"{p.amount:,.0f}") for p in s.costs)
    out.print(table("\nTime (cycles)", "part", "cycles", rows=parts, right=("cycles",)))
    out.print("\nThe model assumes:")
    for text, _ in s.assumes:
        out.print(f"  {text}")
    show_outside(s)


def show_outside(s: Schedule) -> None:
    """What the solver's bound says nothing of."""
    if s.decided_outside:
        console().print("Chosen outside the solver:")
    for text in s.decided_outside:
        console().print(f"  {text}")


def _show_loops(s: Schedule) -> None:
    out = console()
    out.print("\nLoops, outermost first", style="bold")
    for depth, (loop, count) in enumerate(_counted(s)):
        each = "1 tile" if loop.step == 1 else f"{loop.step} tiles"
        out.print("  " * (depth + 1) + f"{loop.axis}: {count} steps of {each}")


def run_staged(where: Target, asked: dict[str, Any], seed: int, seeds: int, as_json: bool) -> int:
    """Plan, prove, simulate or execute, compare. The exit status."""
    from isamap_smt.runtime.measure import arrays_for

    planned = planned_stages(asked)
    full = asked["kernel"].with_sizes(asked["sizes"])
    arrays = arrays_for(full, seed)
    program = where.build(where.emit(planned))  # type: ignore[arg-type]
    if where.name != "simulate":
        return _executed(where, planned, program, full, arrays, as_json)
    with progress("simulating"):
        seen: Observed = program.observe(full, arrays, seeds)  # type: ignore[attr-defined]
    document = {**_document(planned, seen), "target": where.name, "executor": where.executor()}
    answer(as_json, document, lambda: _show(planned, seen))
    return status_of(seen.wrong)


def _executed(where: Target, planned: StagedPlan, program: Any, kernel: Any, arrays: Any, as_json: bool) -> int:
    """The program on what executes the machine's instructions, compared. The exit status."""
    from isamap_smt.runtime.judge import judge, wanted

    say_notes(program.notes)
    with progress("running"):
        got = program(**arrays)
    arithmetic = planned.proof.arithmetic
    seen = judge(kernel, got, wanted(kernel, arrays, arithmetic, got), arithmetic)
    by = where.executor(planned.hardware)
    told = tuple(getattr(program, "told", ()))
    modelled = program.timing(**arrays) if hasattr(program, "timing") else None
    document = {**_told(planned, seen), "target": where.name, "executor": by, "told": told}
    if hasattr(program, "timing"):
        document["timing_model"] = {**asdict(modelled), "hardware": False} if modelled is not None else None

    def shown() -> None:
        console().print(planned.title, style="bold")
        show_judgement(seen)
        console().print(f"run once by {by}; it keeps no time")
        if modelled is not None:
            off = planned.cycles / modelled.cycles - 1
            console().print(
                f"{modelled.cycles:,} cycles in a timing model, not hardware; {planned.cycles:,.0f} predicted ({off:+.1%}); "
                f"{modelled.commands:,} commands, {modelled.configurations:,} of them configurations"
            )
        for line in told:
            console().print(line)
        _show_plan(planned)

    answer(as_json, document, shown)
    return status_of(seen.reason)


def status_of(wrong: str) -> int:
    """The exit status of a run; where its result is wrong, standard error says why."""
    if wrong:
        say(f"error: the result is wrong: {wrong}")
    return WRONG_RESULT if wrong else 0


def judgement_document(seen: Judgement) -> dict[str, Any]:
    """How a result compares with the reference, as JSON."""
    return {
        "exact": seen.exact,
        "max_error": seen.error,
        "bound": seen.bound,
        "stated": seen.stated,
        "foreseen": list(seen.foreseen),
        "wrong": seen.reason,
        "undefined": seen.undefined,
    }


def show_judgement(seen: Judgement) -> None:
    """How a result that is not wrong compares with the reference."""
    if seen.exact:
        console().print(f"equal to the reference ({seen.against}) bit for bit", style="green")
    elif not seen.reason:
        console().print(
            f"largest error {seen.error:.2e} of the largest element, against {seen.against}; "
            f"up to {seen.bound:.2e} passes as rounding"
        )
    if seen.stated is not None and not seen.exact and not seen.reason:
        console().print(
            "bound for this run's inputs, from the rounding of each operation: at most "
            f"{seen.stated:.2e} of the largest element; each element is within its own"
        )
    for told in () if seen.exact else seen.foreseen:
        console().print(f"bound computed without a run: {told}")
    if seen.undefined:
        say(
            f"warning: {seen.undefined:,} elements of the results are NaN here and in the reference; try another --seed"
        )


def _document(planned: StagedPlan, seen: Observed) -> dict[str, Any]:
    return {**_told(planned, seen.judged), **observed_document(seen)}


def _told(planned: StagedPlan, seen: Judgement) -> dict[str, Any]:
    """What every run of engines says, as JSON."""
    return {
        **judgement_document(seen),
        "reference": seen.against,
        "seconds": None,
        "gflops": None,
        "instruction": planned.instruction.name,
        "schedule": staging_document(planned),
        "predicted_cycles": planned.cycles,
        "notes": list(planned.notes),
    }


def observed_document(seen: Observed) -> dict[str, Any]:
    """What the simulator saw, as JSON. cycles: null of a core."""
    return {
        "wrong": seen.wrong,
        "cycles": seen.cycles,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in seen.engines.items()},
        "interleavings": seen.orders,
        "races": list(seen.races),
    }


def show_orders(seen: Observed, planned: Any) -> None:
    """In how many orders the simulator ran the program, and what it found."""
    orders = "1 order" if seen.orders == 1 else f"{seen.orders} orders"
    console().print(
        f"simulated in {orders}: {len(seen.races) or 'no'} races; proved: {len(planned.proof.claims)} claims"
    )


def _show(planned: StagedPlan, seen: Observed) -> None:
    out = console()
    out.print(planned.title, style="bold")
    show_judgement(seen.judged)
    show_orders(seen, planned)
    if seen.cycles is not None:
        off = planned.cycles / seen.cycles - 1 if seen.cycles else 0.0
        out.print(f"{seen.cycles:,.0f} cycles simulated, {planned.cycles:,.0f} predicted ({off:+.1%})")
        busy = (f"{n} {b.cycles / seen.cycles:.0%} of the time ({b.uses:,} uses)" for n, b in seen.engines.items())
        out.print("engines: " + ", ".join(busy))
    _show_plan(planned)


def _show_plan(planned: StagedPlan) -> None:
    """One line for each phase."""
    for s in planned.schedules:
        console().print(f"plan: {'; '.join(f'{s.tensor(t)} {t}' for t in s.stages)}")
