"""Ids of certificates, and the digest shared by the C and its certificate, so either is found from the other.

An id is the path below a directory: no character of it means anything to a file system.
"""

from __future__ import annotations

import re

from isamap_smt.certificates.digests import instruction_digests, kernel_digest, mapping_digest
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.rewrite import Form
from isamap_smt.ir.schedule import Schedule, decisions, schedule_record
from isamap_smt.mapping.fuse import is_fused
from isamap_smt.records.record import canonical, digest
from isamap_smt.runtime.packing import used_instructions

AT = "at"


def mapping_id(mapping: Mapping, schedule: Schedule | None = None, split: Form | None = None, within: str = "") -> str:
    """hardware/kernel/instruction,axes,operands: the certificate's id and its path below the directory.

    A program of fixed sizes has them at the end, behind `at`; one of a sum taken apart says how before the axes. within: the
    input ranges of its rounding bound.
    """
    machine, short = machine_and_name(mapping.instruction)
    name = mapping.id
    if mapping.instruction.axes and not is_fused(mapping):  # its expressions would make no name
        name = f"by-hand-{mapping_digest(mapping)[:12]}"
    if mapping.statement_index:
        name = f"statement-{mapping.statement_index + 1},{name}"
    for one in split.chain[::-1] if split else ():
        name = f"{one.key},{name}"
    if schedule is not None and schedule.sizes:
        name = ",".join([name, AT, *(f"{n}={v}" for n, v in sorted(schedule.sizes))])
    if within:
        name = f"{name},{within}"
    return f"{machine}/{_plain(mapping.kernel.name)}/{_plain(short)},{_plain(name)}"


def machine_and_name(instruction: Instruction) -> tuple[str, str]:
    """The instruction's machine, `user` if its name has none, and the rest of its name."""
    machine, dot, short = instruction.name.rpartition(".")
    return (_plain(machine), _plain(short)) if dot else ("user", _plain(instruction.name))


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.,=-]+", "", text.replace(";", ",").replace("%", "_mod")).lstrip(".") or "unnamed"


def fingerprint(program: Program, split: Form | None = None) -> str:
    """Of kernel, mappings, decisions, the lowered program with its assumptions, and the computation and C of each instruction used.

    If the sum was split, also of the kernel before. The costs of instructions have no part in it.
    """
    stages = [
        [kernel_digest(s.proved.mapping.kernel), mapping_digest(s.proved.mapping), decisions(schedule_record(s))]
        for s in program.schedules
    ]
    used = sorted([i.name, instruction_digests(i).claims] for i in used_instructions(program))
    whole = None if split is None else kernel_digest(split.origin)
    computed = None if stages else kernel_digest(program.kernel)
    return digest(canonical([stages or computed, used, whole, program_text(program)]))


def program_text(program: Program) -> str:
    """The program as pseudo-code, with every loop, buffer, move and execution, and its assumptions."""
    assumed = "".join(f"assumes {a}\n" for a in program.assumptions)
    return f"{program}\n{assumed}"
