"""The page about a machine that only maps: kernel, machine, every mapping with its proof, and what refutes the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.layout import supply
from isamap_smt.report.page import claims_section, kernel_section, lanes_section, rendered
from isamap_smt.search import MappingSet


def mapping_report(
    kernel: Kernel, sizes: dict[str, int], hardware: Hardware, found: Sequence[MappingSet], why: Sequence[str]
) -> str:
    """One HTML page about what a search found on a machine of which no schedule can be made.

    found: a set for each statement and instruction; why: nothing was scheduled.
    """
    several = len(kernel.statements) > 1
    return rendered("mappings.html.j2", {
        **kernel_section(kernel, sizes, "each mapping is proved for all of them"),
        "hardware": hardware,
        "lacks": why,
        "instructions": [_instruction(i) for i in hardware.computes],
        "found": [_set(f, sizes, several) for f in found],
        "legal": sum(len(f.legal) for f in found),
        "refuted": sum(f.refuted for f in found),
        "unknown": sum(len(f.unknown) for f in found),
        "candidates": sum(f.candidates for f in found),
        "complete": all(f.complete for f in found),
        "seconds": sum(f.seconds for f in found),
    })  # fmt: skip


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
