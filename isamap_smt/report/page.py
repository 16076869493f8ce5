"""From a plan to the page: every section's data, then one template. The page loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.expr import words
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult, Proof, phrase
from isamap_smt.language.printer import source_lines
from isamap_smt.mapping.layout import supply
from isamap_smt.report.bars import cost_bar, memory_bars
from isamap_smt.report.choices import KINDS, tables
from isamap_smt.report.compared import Beside, processor
from isamap_smt.report.graph import draw_graph, fused
from isamap_smt.report.header import Card, Part, computed_by, count, header_section, scope, stamp, work_words
from isamap_smt.report.lanes import axis_rows, example_sizes, issues, symbolic
from isamap_smt.report.listing import innermost
from isamap_smt.report.nest import boxes
from isamap_smt.report.quantities import byte_count, seconds, versions
from isamap_smt.report.roofline import described_position, draw, roofline, roofline_position
from isamap_smt.report.speed import cards, where
from isamap_smt.report.whole import all_rows, answer, sentences, table_of
from isamap_smt.runtime.measure import Measured
from isamap_smt.search import MappingSet

GENERATOR = "isamap report"
INNERMOST = 16  # lines of the C that are shown open
_PICTURES = 12  # mappings of a search whose lanes are all drawn; of more the first alone
_ARITHMETIC = {
    "exact": "bit for bit, in machine arithmetic",
    "ordered": "floating point in the kernel's own order",
    "reassociate": "floating-point sums may be reordered: the proof holds over the reals",
}


def html_report(
    planned: Any,
    measured: Measured | None = None,
    clock: float | None = None,
    note: str = "",
    *,
    beside: Beside | None = None,
    command: str = "",
) -> str:
    """One HTML page about a Plan. `measured`: a run on one or more threads, at `clock` GHz if that is known.

    beside: figures to compare the measured speed with. command: the command line for this page. `note` says why there is no
    measurement.
    """
    return rendered("report.html.j2", _page(planned, measured, clock, note, beside or Beside(), command))


def rendered(template: str, values: dict[str, Any]) -> str:
    """The page made from this template and the values."""
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
    environment.filters["phrase"] = phrase
    environment.filters["capitalise"] = lambda text: text[:1].upper() + text[1:]  # Jinja's makes the rest lower case
    return environment.get_template(template).render(
        {"generator": GENERATOR, "versions": versions(), "processor": processor(), **values}
    )


def is_report(text: str) -> bool:
    """Whether a file's text is one of these pages: its head says so."""
    head, closed, _ = text.partition("</head>")
    return closed != "" and f'<meta name="generator" content="{GENERATOR}">' in head


def _page(
    planned: Any, measured: Measured | None, clock: float | None, note: str, beside: Beside, command: str
) -> dict[str, Any]:
    mapping, schedule = planned.proved.mapping, planned.schedule
    schedules, asked = planned.program.schedules, planned.asked.kernel if planned.asked else planned.kernel
    sized = planned.kernel.with_sizes(dict(schedule.sizes))
    ahead, body = boxes(planned.program)
    single = measured.gflops if measured and measured.threads == 1 else None
    roof = None if sized.free_sizes else roofline(schedules, sized, planned.hardware, single, clock)
    position = roofline_position(planned, measured) or described_position(planned, measured, clock)
    mapped = together([s.proved.proof for s in schedules])
    rewritten = [] if planned.split is None else [planned.split.proof]
    several = len(sized.statements) > 1
    source = str(planned.program) if planned.hardware.no_c else planned.source
    maps = "mapping" if len(schedules) == 1 else f"{len(schedules)} mappings"
    proofs = [
        Part(maps, scope((s.proved.mapping.kernel for s in schedules), asked), mapped, told=phrase),
        Part("program", scope([sized], asked), planned.proof),
        *(Part("rewritten sums", scope([planned.kernel], asked), p) for p in rewritten),
    ]
    sizes = dict(planned.asked.sizes) if planned.asked else dict(schedule.sizes)
    written = asked.with_sizes(sizes)
    return {
        **header_section(
            f"{planned.kernel.name} on {computed_by(planned.hardware, [s.proved.mapping.instruction for s in schedules])}",
            (work_words(written), where(measured)),
            command,
            cards(planned, measured, beside, position),
            stamp(proofs),
        ),
        **kernel_section(asked, sizes, "the code takes them at run time", planned.kernel),
        **lanes_section(mapping, dict(schedule.sizes)),
        "instruction": mapping.instruction,
        "mapping": mapping,
        "mappings": planned.mappings,
        "schedule": schedule,
        "standing": sentences(schedule),
        "cost": cost_bar(schedule),
        "memories": memory_bars(planned, schedule),
        "ahead": ahead,
        "body": body,
        "statements": table_of(planned.kernel, planned.program),
        "graph": draw_graph(sized, all_rows(planned.kernel, planned.program), fused(planned.program)) if several else None,
        "statements_count": len(sized.statements),
        "unscheduled": len(sized.statements) - len(schedules),
        "answer": answer(planned.kernel, schedules),
        "roof": roof,
        "drawing": draw(roof) if roof and roof.operations and roof.ceilings else None,
        "position": position,
        "note": note,
        "proofs": [{"title": p.title, **claims_section(p.proof, p.told)} for p in proofs],
        "assumptions": list(dict.fromkeys(a for p in proofs for a in p.proof.assumptions)),
        "notes": list(dict.fromkeys([*planned.notes, *schedule.notes])),
        "stages": list(dict(planned.seconds).items()),
        "asked": [
            ("search for all mappings", planned.mappings.seconds, "search"),
            *((p.title, p.proof.seconds, "prover") for p in proofs),
            ("schedule" if len(schedules) == 1 else f"{len(schedules)} schedules", sum(s.seconds for s in schedules), "solver"),
        ],
        "source": source,
        "innermost": [] if planned.hardware.no_c else innermost(source, mapping.instruction.emit, INNERMOST),
        "in_c": not planned.hardware.no_c,
    }  # fmt: skip


def together(proofs: Sequence[Proof]) -> Proof:
    """All obligations of several proofs, in the arithmetic of the weakest one."""
    order = list(_ARITHMETIC)
    loosest = max((p.arithmetic for p in proofs), key=lambda a: order.index(a) if a in order else len(order))
    hypotheses = tuple(dict.fromkeys(h for p in proofs for h in p.hypotheses))
    return Proof(tuple(c for p in proofs for c in p.claims), loosest, hypotheses, sum(p.seconds for p in proofs))


def kernel_section(
    kernel: Kernel, sizes: dict[str, int], of_open: str, computed: Kernel | None = None
) -> dict[str, Any]:
    """The kernel as it was written, and its tensors at these sizes. of_open: words on the other sizes.

    computed: the kernel computed, possibly a rewriting.
    """
    same = computed is None or computed.statements == kernel.statements
    sized = kernel.with_sizes(sizes)
    return {
        "rewritten": [] if same or computed is None else source_lines(computed),
        "written": [line for line in kernel.text.strip().splitlines() if line.strip()] or source_lines(kernel),
        "sizes": sizes,
        "open": sized.free_sizes,
        "of_open": of_open,
        "tensors": [
            {"name": t.name, "dtype": t.dtype.name, "shape": " × ".join(words(e) for e in t.shape) or "one element",
             "role": "temporary" if t.name in sized.temporaries else "output" if t.name in sized.outputs else "input"}
            for t in sized.tensors
        ],
    }  # fmt: skip


def lanes_section(mapping: Mapping, sizes: dict[str, int]) -> dict[str, Any]:
    """The work of each lane, drawn at these sizes and at examples for the others."""
    drawn = _drawn_sizes(mapping, sizes)
    return {
        "axes": axis_rows(mapping),
        "loops": [{"name": a.name, "extent": words(a.extent)} for a in mapping.outer],
        "operands": [_operand(mapping, operand, access.tensor) for operand, access in mapping.binding],
        "issues": issues(mapping, drawn),
        "example": drawn if symbolic(mapping) else {},
    }


def _drawn_sizes(mapping: Any, fixed: dict[str, int]) -> dict[str, int]:
    """Sizes to draw the lanes at: those fixed by the schedule, and examples for the rest.

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
    index = ", ".join(map(words, mapping.coordinates(operand)))
    element = f"{tensor}[{index}]" if index else tensor
    return {"name": operand, "element": element, "supply": supply(mapping, operand).kind}


def claims_section(proof: Proof, told: Callable[[str], str]) -> dict[str, Any]:
    """Claims grouped by name: how many, the worst verdict, the time of all. told: words for a name."""
    groups: dict[str, list[ClaimResult]] = {}
    for c in proof.claims:
        groups.setdefault(c.claim, []).append(c)
    return {
        "word": proof.word,
        "missing": len(proof.failed()),
        "count": len(proof.claims),
        "seconds": proof.seconds,
        "arithmetic": _ARITHMETIC.get(proof.arithmetic, proof.arithmetic),
        "groups": [
            {"claim": name, "told": told(name), "count": len(cs), "word": Proof(tuple(cs)).word,
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
    kernel: Kernel,
    sizes: dict[str, int],
    hardware: Hardware,
    found: Sequence[MappingSet],
    why: Sequence[str],
    command: str = "",
) -> str:
    """One HTML page about the mappings found on a machine without schedules.

    found: a set for each statement and instruction; why: nothing was scheduled; command: the command line for this page.
    """
    typed = {f.family.kernel for f in found}  # as instructions take the elements, of which there may be several types
    shown = typed.pop() if len(typed) == 1 else kernel
    return rendered("mappings.html.j2", {
        **_found_header(kernel, sizes, hardware, found, command),
        **kernel_section(shown, sizes, "each mapping is proved for all of them"),
        "hardware": hardware,
        "lacks": why,
        "instructions": [_instruction(i) for i in hardware.computes],
        **found_section(found, sizes, len(kernel.statements) > 1),
    })  # fmt: skip


def _found_header(
    kernel: Kernel, sizes: dict[str, int], hardware: Hardware, found: Sequence[MappingSet], command: str
) -> dict[str, Any]:
    """The seal is of the legal mappings; an undecided candidate breaks it."""
    legal = [p for f in found for p in f.legal]
    unknown, candidates = sum(len(f.unknown) for f in found), sum(f.candidates for f in found)
    undecided = Proof(tuple(ClaimResult("mapping", m.id, Unknown(str(why))) for f in found for m, why in f.unknown))
    open_sizes = scope((p.mapping.kernel for p in legal), kernel)
    proofs = [Part(count(len(legal), "legal mapping"), open_sizes, p.proof) for p in legal]
    proofs += [Part(count(unknown, "candidate"), "", undecided)] if unknown else []
    cards = [
        Card(str(len(legal)), f"legal mapping{'' if len(legal) == 1 else 's'}"),
        Card(str(sum(f.refuted for f in found)), "refuted"),
        Card(str(unknown), "unknown"),
        Card("complete" if all(f.complete for f in found) else "not complete", f"of {count(candidates, 'candidate')}"),
    ]
    instructions = list({f.family.instruction.name: f.family.instruction for f in found}.values())
    title = f"{kernel.name} on {computed_by(hardware, instructions)}"
    work = {work_words(f.family.kernel) for f in found}
    lines = (*(work if len(work) == 1 else ()), "mappings alone, not scheduled")
    return header_section(title, lines, command, cards, stamp(proofs))


def found_section(found: Sequence[MappingSet], sizes: dict[str, int], several: bool) -> dict[str, Any]:
    """The searches' results. several: the kernel has more statements than one."""
    return {"found": [_set(f, sizes, several) for f in found], "kinds": KINDS, "few": _PICTURES}


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
    """One search. several: the kernel has more statements than one, and the title names this one."""
    of = f"statement {found.family.statement + 1} onto " if several else ""
    mappings = [p.mapping for p in found.legal]
    return {
        "title": f"{of}{found.family.instruction.name}",
        "types": " ".join(f"{t.name}:{t.dtype}" for t in found.family.kernel.tensors),
        "legal": [
            {"id": p.mapping.id, "proof": claims_section(p.proof, phrase), "assumptions": p.proof.assumptions,
             "supply": " ".join(f"{o}:{supply(p.mapping, o).kind}" for o, _ in p.mapping.binding)}
            for p in found.legal
        ],
        "refuted": found.refuted,
        "redundant": found.redundant,
        "unknown": [(m.id, str(why)) for m, why in found.unknown],
        "candidates": found.candidates,
        "complete": found.complete,
        "seconds": found.seconds,
        "reasons": found.reasons,
        "conflicts": found.conflicts,
        "tables": tables(mappings),
        "pictures": [{"id": m.id, **lanes_section(m, sizes)} for m in (mappings if len(mappings) <= _PICTURES else mappings[:1])],
    }  # fmt: skip
