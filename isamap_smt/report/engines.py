"""The page of a plan for engines: cycles and utilisation, pictures of the simulated run, the plan, the program and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_smt.ir.engines import Work
from isamap_smt.ir.expr import words
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.staging import counts
from isamap_smt.report.page import claims_section, found_section, kernel_section, rendered
from isamap_smt.report.pictures import colours, occupancy, timeline
from isamap_smt.scheduling.staged import TOLD
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.simulator.simulation import Simulation
from isamap_smt.simulator.timeline import parts


def engine_report(
    planned: Any, run: Simulation | None = None, found: Sequence[MappingSet] | None = None, note: str = ""
) -> str:
    """One HTML page about a Plan of phases. run: a timed run of its program with a trace; without one the pictures lack, and
    `note` says why. found: searches for mappings; of each phase's instruction where not given.

    Raises WrongKindError for a run without a trace.
    """
    sizes = {n: v for s in planned.phases for n, v in s.sizes}
    sets = [planned_search(s) for s in planned.phases] if found is None else found
    proofs = [("of the program", planned.proof)]
    proofs += [(f"of the mapping {s.proved.mapping.id}, for all sizes", s.proved.proof) for s in planned.phases]
    return rendered("engines.html.j2", {
        **kernel_section(planned.kernel, sizes, "the program is proved for all of them"),
        "title": f"{planned.kernel.name} on {planned.hardware.name}",
        "subtitle": [(s.proved.mapping.instruction.short, s.proved.mapping.id) for s in planned.phases],
        "hardware": planned.hardware,
        "instructions": [_instruction(i) for i in planned.hardware.instructions if i.kind != "signal"],
        "predicted": planned.cycles,
        "run": run,
        "note": note,
        "notes": planned.notes,
        **_pictures(planned, run),
        "phases": [_phase(s) for s in planned.phases],
        "source": str(planned.program),
        "proofs": [{"title": title, **claims_section(proof)} for title, proof in proofs],
        "assumptions": list(dict.fromkeys(a for _, proof in proofs for a in proof.assumptions)),
        **found_section(sets, sizes, len(planned.kernel.statements) > 1),
        "stages": list(dict(planned.seconds).items()),
    })  # fmt: skip


def planned_search(s: Schedule) -> MappingSet:
    """All mappings onto the instruction of a phase."""
    mapping = s.proved.mapping
    return find_mappings(mapping.kernel, mapping.instruction, statement=mapping.statement_index).finished()


def _pictures(planned: Any, run: Simulation | None) -> dict[str, Any]:
    """What the simulated run shows. seen: its parts, where one phase computes."""
    if run is None:
        return {"utilisation": [], "timeline": None, "memories": [], "colours": [], "seen": None}
    computes = {s.proved.mapping.instruction.name for s in planned.phases}
    seen, cycles = parts(run, computes), run.cycles or 0
    return {
        "utilisation": [(n, b.cycles / cycles if cycles else 0.0, b.uses, b.cycles) for n, b in run.engines.items()],
        "timeline": timeline(run, seen),
        "memories": [(planned.hardware.memory(n), _rows(run, n), picture) for n, picture in occupancy(run).items()],
        "colours": [(tensor or "no slot", number) for tensor, number in colours(run).items()],
        "seen": seen,
    }


def _rows(run: Simulation, memory: str) -> int:
    """How many rows of a memory were used, from its first."""
    return max(s.row + s.rows for step in run.trace for s in (*step.reads, *step.writes) if s.memory == memory)


def _instruction(i: Instruction) -> dict[str, Any]:
    """Who issues it, what it does, and the cycles that it takes."""
    return {"name": i.name, "engine": i.engine, "text": i.kernel.text.strip(), "takes": _cycles(i.occupies)}


def _cycles(work: Work) -> str:
    """Of one use, by the numbers of its active points."""
    if not work.per:
        return f"{work.cycles(1):g}"
    each = f"{work.each:g} × {' × '.join(work.per)}"
    return f"{work.start:g} + {each}" if work.start else each


def _phase(s: Schedule) -> dict[str, Any]:
    of = counts(s.proved.mapping, s.loops)
    stages = [
        {"tensor": s.tensor(t), "operand": t.operand, "memory": t.memory, "slots": t.slots, "rows": t.rows, "offset": t.offset,
         "by": ", ".join(filter(None, [t.begin, *t.updates, t.via])), "inside": s.loops[t.depth - 1].axis if t.depth else "no loop"}
        for t in s.stages
    ]  # fmt: skip
    return {
        "title": s.proved.mapping.id,
        "status": s.status,
        "gap": s.gap,
        "cycles": s.objective,
        "bound": s.bound,
        "space": s.space,
        "loops": [(x.axis, words(of[x.axis]), x.step) for x in s.loops],
        "stages": stages,
        "parts": [(TOLD[p.name], p.amount) for p in s.costs if not p.within],
        "work": [(p.name, p.amount, p.amount / s.objective if s.objective else 0.0) for p in s.costs if p.within],
        "assumes": [text for text, _ in s.assumes],
        "outside": s.decided_outside,
    }
