"""The page of a plan for engines: cycles and utilisation, pictures of the simulated run, the plan, the program and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_smt.ir.engines import Work
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import phrase
from isamap_smt.ir.schedule import Schedule
from isamap_smt.report.graph import draw_graph
from isamap_smt.report.header import Card, Part, computed_by, count, header_section, scope, stamp, work_words
from isamap_smt.report.page import claims_section, found_section, kernel_section, rendered
from isamap_smt.report.pictures import colours, occupancy, timeline
from isamap_smt.report.whole import (
    counted_loops,
    phase_rows,
    quality_of_phases,
    sentences,
    stage_words,
    table_from,
    word,
)
from isamap_smt.scheduling.staged import TOLD
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.simulator.simulation import Simulation
from isamap_smt.simulator.timeline import parts


def engine_report(
    planned: Any,
    run: Simulation | None = None,
    found: Sequence[MappingSet] | None = None,
    note: str = "",
    command: str = "",
) -> str:
    """One HTML page about a Plan of phases.

    run: a timed run of its program with a trace; None: no pictures, and
    `note` says why. found: searches for mappings; None: of each phase's instruction. command: the command line for
    this page.
    Raises WrongKindError for a run without a trace.
    """
    sizes = {n: v for s in planned.phases for n, v in s.sizes}
    sets = [planned_search(s) for s in planned.phases] if found is None else found
    mappings, sized = [s.proved.mapping for s in planned.phases], planned.kernel.with_sizes(sizes)
    proofs = [Part("program", scope([sized], planned.kernel), planned.proof)]
    proofs += [
        Part("mapping", scope([m.kernel], planned.kernel), s.proved.proof, m.id, phrase)
        for m, s in zip(mappings, planned.phases, strict=True)
    ]
    return rendered("engines.html.j2", {
        **header_section(
            f"{planned.kernel.name} on {computed_by(planned.hardware, [m.instruction for m in mappings])}",
            (work_words(sized), "simulated, not run on hardware" if run else "not simulated"),
            command, _cards(planned, run), stamp(proofs),
        ),
        **kernel_section(planned.kernel, sizes, "the program is proved for all of them"),
        **_statements(planned, sized),
        "hardware": planned.hardware,
        "instructions": [_instruction(i) for i in planned.hardware.instructions if i.kind != "signal"],
        "run": run,
        "note": note,
        "notes": planned.notes,
        **_pictures(planned, run),
        "phases": [_phase(s) for s in planned.phases],
        "source": str(planned.program),
        "proofs": [{"title": p.title, **claims_section(p.proof, p.told)} for p in proofs],
        "assumptions": list(dict.fromkeys(a for p in proofs for a in p.proof.assumptions)),
        **found_section(sets, sizes, len(planned.kernel.statements) > 1),
        "stages": list(dict(planned.seconds).items()),
        "asked": [
            *((p.title, p.proof.seconds, "prover") for p in proofs),
            *((f"plan of {s.proved.mapping.id}", s.seconds, "solver") for s in planned.phases),
        ],
    })  # fmt: skip


def planned_search(s: Schedule) -> MappingSet:
    """All mappings onto the instruction of a phase."""
    mapping = s.proved.mapping
    return find_mappings(mapping.kernel, mapping.instruction, statement=mapping.statement_index).finished()


def _statements(planned: Any, sized: Kernel) -> dict[str, Any]:
    """The graph and the table of several phases."""
    found = phase_rows(sized, planned.phases) if len(planned.phases) > 1 else ()
    return {
        "statements": table_from(found, planned.phases[0].unit) if found else None,
        "graph": draw_graph(sized, found) if found else None,
        "answer": quality_of_phases(planned.phases),
    }


def _cards(planned: Any, run: Simulation | None) -> list[Card]:
    """Cycles, how near the model is, how busy each engine is, and how good the plan is."""
    found = [Card(word(planned.phases), f"plan: {quality_of_phases(planned.phases)}")]
    if run is None or run.cycles is None:
        return [*found, Card(f"{planned.cycles:,.0f}", "predicted", "cycles")]
    off = f" ({planned.cycles / run.cycles - 1:+.1%})" if run.cycles else ""
    found.append(Card(f"{run.cycles:,.0f}", f"simulated; predicted {planned.cycles:,.0f}{off}", "cycles"))
    for name, busy in run.engines.items():
        share = busy.cycles / run.cycles if run.cycles else 0.0
        found.append(Card(f"{100 * share:.0f}", f"of the time {name} is busy, {count(busy.uses, 'use')}", "%"))
    return found


def _pictures(planned: Any, run: Simulation | None) -> dict[str, Any]:
    """The pictures of the simulated run. seen: its parts, if one phase computes."""
    if run is None:
        return {"timeline": None, "memories": [], "colours": [], "seen": None}
    computes = {s.proved.mapping.instruction.name for s in planned.phases}
    seen = parts(run, computes)
    return {
        "timeline": timeline(run, seen),
        "memories": [(planned.hardware.memory(n), _rows(run, n), picture) for n, picture in occupancy(run).items()],
        "colours": [(tensor or "no slot", number) for tensor, number in colours(run).items()],
        "seen": seen,
    }


def _rows(run: Simulation, memory: str) -> int:
    """How many rows of a memory were used, from its first."""
    return max(s.row + s.rows for step in run.trace for s in (*step.reads, *step.writes) if s.memory == memory)


def _instruction(i: Instruction) -> dict[str, Any]:
    """The engine issuing it, its text, and its cycles."""
    return {"name": i.name, "engine": i.engine, "text": i.kernel.text.strip(), "takes": _cycles(i.occupies)}


def _cycles(work: Work) -> str:
    """Of one use, by the numbers of its active points."""
    if not work.per:
        return f"{work.cycles(1):g}"
    each = f"{work.each:g} × {' × '.join(work.per)}"
    return f"{work.start:g} + {each}" if work.start else each


def _phase(s: Schedule) -> dict[str, Any]:
    stages = [
        {"tensor": s.tensor(t), "operand": t.operand, "memory": t.memory, "slots": t.slots, "rows": t.rows, "offset": t.offset,
         "words": stage_words(s, t)}
        for t in s.stages
    ]  # fmt: skip
    return {
        "title": s.proved.mapping.id,
        "standing": sentences(s),
        "cycles": s.objective,
        "loops": [(x.axis, steps, x.step) for x, steps in counted_loops(s)],
        "stages": stages,
        "parts": [(TOLD[p.name], p.amount) for p in s.costs if not p.within],
        "work": [(p.name, p.amount, p.amount / s.objective if s.objective else 0.0) for p in s.costs if p.within],
        "assumes": [text for text, _ in s.assumes],
        "outside": s.decided_outside,
    }
