"""One digest that the C and its certificate share, so that either is found from the other."""

from __future__ import annotations

from isamap_smt.certificates.digests import canonical, digest, instruction_digests, kernel_digest, mapping_digest
from isamap_smt.ir.program import Program
from isamap_smt.ir.schedule_record import decisions, schedule_record
from isamap_smt.ir.split import SplitSum
from isamap_smt.runtime.packing import used_instructions


def fingerprint(program: Program, split: SplitSum | None = None) -> str:
    """Of kernel, mappings, decisions and the lowered program with what it assumes, and of what each instruction that it executes
    computes and prints; of the kernel before its sum was split. What instructions cost has no part in it."""
    stages = [
        [kernel_digest(s.proved.mapping.kernel), mapping_digest(s.proved.mapping), decisions(schedule_record(s))]
        for s in program.schedules
    ]
    used = sorted([i.name, instruction_digests(i).claims] for i in used_instructions(program))
    whole = None if split is None else kernel_digest(split.whole)
    computed = None if stages else kernel_digest(program.kernel)
    return digest(canonical([stages or computed, used, whole, program_text(program)]))


def program_text(program: Program) -> str:
    """The program as pseudo-code, which shows every loop, buffer, move and execution, with what it assumes."""
    assumed = "".join(f"assumes {a}\n" for a in program.assumptions)
    return f"{program}\n{assumed}"
