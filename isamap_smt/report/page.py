"""From a plan to the page: every section's data, then one template. The page loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.expr import words
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.language.printer import source_lines
from isamap_smt.mapping.layout import supply
from isamap_smt.report.lanes import axis_rows, example_sizes, executions, symbolic
from isamap_smt.report.nest import boxes
from isamap_smt.report.quantities import byte_count, seconds, versions
from isamap_smt.report.roofline import draw, roofline, roofline_position
from isamap_smt.report.whole import answer, rows
from isamap_smt.runtime.measure import Measured
from isamap_smt.search import MappingSet

GENERATOR = "isamap report"
_ARITHMETIC = {
    "exact": "bit for bit, in machine arithmetic",
    "ordered": "floating point in the kernel's own order",
    "reassociate": "floating-point sums may be reordered: the proof holds over the reals",
}


def html_report(planned: Any, measured: Measured | None = None, clock: float | None = None, note: str = "") -> str:
    """One HTML page about a Plan. `measured`: a run on one or more threads, at `clock` GHz if that is known.

    `note` says why there is no measurement.
    """
    return rendered("report.html.j2", _page(planned, measured, clock, note))


def rendered(template: str, values: dict[str, Any]) -> str:
    """The page that this template makes of the values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("isamap_smt.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["time"] = seconds
    environment.filters["bytes"] = byte_count
    return environment.get_template(template).render({"generator": GENERATOR, "versions": versions(), **values})


def is_report(text: str) -> bool:
    """Whether a file's text is one of these pages: its head says so."""
    head, closed, _ = text.partition("</head>")
    return closed != "" and f'<meta name="generator" content="{GENERATOR}">' in head


def _page(planned: Any, measured: Measured | None, clock: float | None, note: str) -> dict[str, Any]:
    mapping, schedule = planned.proved.mapping, planned.schedule
    sized = planned.kernel.with_sizes(dict(schedule.sizes))
    ahead, body = boxes(planned.program)
    single = measured.gflops if measured and measured.threads == 1 else None
    known = not sized.free_sizes
    roof = roofline(planned.program.schedules, sized, planned.hardware, single, clock) if known else None
    mapped = _together([s.proved.proof for s in planned.program.schedules])
    rewritten = [] if planned.split is None else [planned.split.proof]
    statements = rows(planned.kernel, planned.program.schedules) if len(sized.statements) > 1 else ()
    return {
        **kernel_section(planned.kernel, dict(schedule.sizes), "the code takes them at run time"),
        **lanes_section(mapping, dict(schedule.sizes)),
        "hardware": planned.hardware,
        "instruction": mapping.instruction,
        "mapping": mapping,
        "mappings": _mappings(planned.mappings),
        "schedule": schedule,
        "levels": list(dict.fromkeys(level for _, tiles in schedule.tiles for level, _ in tiles)),
        "ahead": ahead,
        "body": body,
        "statements_scheduled": statements,
        "whole_cost": sum(r.cost or 0.0 for r in statements),
        "statements_count": len(sized.statements),
        "statements_blocks": next((r.blocks for r in statements if r.number == mapping.statement_index + 1), 1),
        "answer": answer(planned.kernel, planned.program.schedules),
        "roof": roof,
        "drawing": draw(roof) if roof and roof.ceilings else None,
        "measured": measured,
        "standing": roofline_position(planned, measured),
        "note": note,
        "proofs": [
            {"title": f"of {_mappings_of(len(planned.program.schedules))}, for all sizes", **claims_section(mapped)},
            {"title": "of the program", **claims_section(planned.proof)},
            *({"title": "of the sums taken apart", **claims_section(p)} for p in rewritten),
        ],
        "mapped": _mappings_of(len(planned.program.schedules)).removeprefix("the "),
        "assumptions": list(dict.fromkeys(a for p in (mapped, planned.proof, *rewritten) for a in p.assumptions)),
        "notes": list(dict.fromkeys([*planned.notes, *schedule.notes])),
        "stages": list(dict(planned.seconds).items()),
        "source": str(planned.program) if planned.hardware.no_c else planned.source,
        "written": "of the program" if planned.hardware.no_c else "of C",
    }  # fmt: skip


def _mappings_of(count: int) -> str:
    return "the mapping" if count == 1 else f"the {count} mappings"


def _together(proofs: Sequence[Proof]) -> Proof:
    """All obligations of several proofs, in the arithmetic of the one that says least."""
    order = list(_ARITHMETIC)
    loosest = max((p.arithmetic for p in proofs), key=lambda a: order.index(a) if a in order else len(order))
    hypotheses = tuple(dict.fromkeys(h for p in proofs for h in p.hypotheses))
    return Proof(tuple(c for p in proofs for c in p.claims), loosest, hypotheses, sum(p.seconds for p in proofs))


def kernel_section(kernel: Kernel, sizes: dict[str, int], open_sizes: str) -> dict[str, Any]:
    """The kernel's statements and tensors at these sizes. open_sizes: what becomes of them where none is fixed."""
    sized = kernel.with_sizes(sizes)
    return {
        "name": kernel.name,
        "statements": source_lines(kernel),
        "sizes": sizes,
        "open_sizes": open_sizes,
        "tensors": [
            {"name": t.name, "dtype": t.dtype.name, "shape": " × ".join(words(e) for e in t.shape) or "one element",
             "role": "temporary" if t.name in sized.temporaries else "output" if t.name in sized.outputs else "input"}
            for t in sized.tensors
        ],
    }  # fmt: skip


def lanes_section(mapping: Mapping, sizes: dict[str, int]) -> dict[str, Any]:
    """Which lane computes what, drawn at these sizes and at examples for the others."""
    drawn = _drawn_sizes(mapping, sizes)
    return {
        "axes": axis_rows(mapping),
        "loops": [{"name": a.name, "extent": words(a.extent)} for a in mapping.outer],
        "operands": [_operand(mapping, operand, access.tensor) for operand, access in mapping.binding],
        "executions": executions(mapping, drawn),
        "example": drawn if symbolic(mapping) else {},
    }


def _drawn_sizes(mapping: Any, fixed: dict[str, int]) -> dict[str, int]:
    """Sizes to draw the lanes at: those that the schedule fixes, and examples for the rest.

    `fixed` names axes, sizes or parameters, as the user does; the mapping's kernel knows sizes and parameters.
    """
    known = {a.name: a.extent for a in mapping.kernel.axes}
    sizes = example_sizes(mapping)
    for name, value in fixed.items():
        target = str(known.get(name, name))
        if target in sizes:
            sizes[target] = value
    return sizes


def _operand(mapping: Any, operand: str, tensor: str) -> dict[str, Any]:
    return {"name": operand, "tensor": tensor, "supply": supply(mapping, operand).kind,
            "index": ", ".join(words(c) for c in mapping.coordinates(operand))}  # fmt: skip


def _mappings(found: Any) -> dict[str, Any]:
    return {
        "legal": [p.mapping.id for p in found.legal],
        "complete": found.complete,
        "refuted": found.refuted,
        "unknown": len(found.unknown),
        "seconds": found.seconds,
    }


def claims_section(proof: Proof) -> dict[str, Any]:
    """Claims grouped by name: how many, the worst verdict, the time of all."""
    groups: dict[str, list[ClaimResult]] = {}
    for c in proof.claims:
        groups.setdefault(c.claim, []).append(c)
    return {
        "word": proof.word,
        "count": len(proof.claims),
        "seconds": proof.seconds,
        "arithmetic": _ARITHMETIC.get(proof.arithmetic, proof.arithmetic),
        "groups": [
            {"claim": name, "count": len(cs), "word": Proof(tuple(cs)).word,
             "seconds": sum(c.verdict.seconds for c in cs), "claims": [_claim(c) for c in cs]}
            for name, cs in groups.items()
        ],
    }  # fmt: skip


def _claim(c: ClaimResult) -> dict[str, Any]:
    said = c.statement
    match c.verdict:
        case Refuted(_, text):
            said += f"\n{text}"
        case Unknown(reason):
            said += f"\n{reason}"
    return {"subject": c.subject, "word": c.verdict.word, "seconds": c.verdict.seconds, "said": said}


def mapping_report(
    kernel: Kernel, sizes: dict[str, int], hardware: Hardware, found: Sequence[MappingSet], why: Sequence[str]
) -> str:
    """One HTML page about what a search found on a machine of which no schedule can be made.

    found: a set for each statement and instruction; why: nothing was scheduled.
    """
    return rendered("mappings.html.j2", {
        **kernel_section(kernel, sizes, "each mapping is proved for all of them"),
        "hardware": hardware,
        "lacks": why,
        "instructions": [_instruction(i) for i in hardware.computes],
        **found_section(found, sizes, len(kernel.statements) > 1),
    })  # fmt: skip


def found_section(found: Sequence[MappingSet], sizes: dict[str, int], several: bool) -> dict[str, Any]:
    """What searches found. several: the kernel has more statements than one."""
    return {
        "found": [_set(f, sizes, several) for f in found],
        "legal": sum(len(f.legal) for f in found),
        "refuted": sum(f.refuted for f in found),
        "unknown": sum(len(f.unknown) for f in found),
        "candidates": sum(f.candidates for f in found),
        "complete": all(f.complete for f in found),
        "seconds": sum(f.seconds for f in found),
    }


def _instruction(i: Instruction) -> dict[str, Any]:
    return {
        "name": i.name,
        "text": i.kernel.text.strip(),
        "operands": " ".join(f"{t.name}:{t.dtype}[{','.join(map(str, t.shape))}]" for t in i.kernel.tensors),
        "latency": i.cost.latency,
        "per_cycle": i.cost.per_cycle,
        "emits": bool(i.emit),
    }


def _set(found: MappingSet, sizes: dict[str, int], several: bool) -> dict[str, Any]:
    """One search. several: the kernel has more statements than one, so that the title says which."""
    of = f"statement {found.family.statement + 1} onto " if several else ""
    types = " ".join(f"{t.name}:{t.dtype}" for t in found.family.kernel.tensors)
    return {
        "title": f"{of}{found.family.instruction.name} ({types})",
        "legal": [
            {"id": p.mapping.id, "proof": claims_section(p.proof), "assumptions": p.proof.assumptions,
             "supply": " ".join(f"{o}:{supply(p.mapping, o).kind}" for o, _ in p.mapping.binding)}
            for p in found.legal
        ],
        "refuted": found.refuted,
        "redundant": found.redundant,
        "unknown": [(m.id, why) for m, why in found.unknown],
        "candidates": found.candidates,
        "complete": found.complete,
        "seconds": found.seconds,
        "reasons": found.reasons,
        "conflicts": found.conflicts,
        "lanes": lanes_section(found.legal[0].mapping, sizes) if found.legal else None,
    }  # fmt: skip
