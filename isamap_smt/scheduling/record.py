"""A schedule with its mapping as plain data: decisions, never proofs.

A record read back is mapped and proved like a new decision, before anything is made of it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Record, Schedule, decisions, schedule_of, schedule_record
from isamap_smt.mapping.fuse import fuse
from isamap_smt.mapping.made import instruction_named
from isamap_smt.proof import prove

__all__ = ["Record", "decided", "from_record", "is_whole", "program_of", "to_record"]
_NEEDED = ("instruction", "statement", "groups", "operands", "loops", "accumulate", "registers", "packing", "parallel")


def to_record(schedule: Schedule) -> Record:
    """The schedule with its mapping, as JSON holds it."""
    mapping = schedule.proved.mapping
    output = mapping.instruction.kernel.statements[0].target.tensor
    return {
        "instruction": mapping.instruction.name,
        "statement": mapping.statement_index,
        "groups": {t: list(g) for t, g in mapping.groups},
        "operands": {o: a.tensor for o, a in mapping.binding if o != output},
        **schedule_record(schedule),
    }


def decided(record: Record) -> Record:
    """The part of a record that determines the program at its sizes."""
    return {name: value for name, value in decisions(record).items() if name not in ("sizes", "said")}


def program_of(record: Record) -> str:
    """Sixteen hexadecimal digits of the record's program. Raises ValueError if it is no record."""
    try:
        if any(name not in record for name in _NEEDED):
            raise LookupError
        text = json.dumps(decided(record), sort_keys=True)
    except (LookupError, TypeError, AttributeError):
        raise ValueError("a schedule's record lacks a decision") from None
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def is_whole(record: Any, program: str) -> bool:
    """Whether a record kept under its program's name is unchanged."""
    try:
        return program_of(record) == program
    except ValueError:
        return False


def from_record(
    record: Record, kernel: Kernel, hardware: Hardware, sizes: tuple[tuple[str, int], ...]
) -> Schedule | None:
    """The schedule with its mapping proved anew; None if the record no longer describes a legal mapping."""
    try:
        name, statement = record["instruction"], record["statement"]
        instruction: Instruction = instruction_named(hardware, name, kernel, statement)
        proved = prove(fuse(kernel, instruction, record["groups"], record["operands"], statement, True))
        if not isinstance(proved, ProvedMapping):
            return None
        return schedule_of({**record, "sizes": sizes}, proved, hardware)
    except (IsamapError, LookupError, TypeError, ValueError, AttributeError):
        return None
