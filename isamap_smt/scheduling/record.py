"""A schedule as plain data: what was decided, never what was proved.

A record that is read back is mapped and proved like a new decision, before anything is made of it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, astuple
from typing import Any

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import CostPart, LoopStep, Packing, Schedule
from isamap_smt.mapping.fuse import fuse
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof import prove

Record = dict[str, Any]
_KEPT = ("accumulate", "parallel", "status", "space", "objective", "bound", "gap", "lower_bound", "seconds")
_DECIDED = ("instruction", "statement", "groups", "operands", "loops", "accumulate", "registers", "packing", "parallel")


def to_record(schedule: Schedule) -> Record:
    """The schedule with its mapping, as JSON holds it."""
    mapping = schedule.proved.mapping
    output = mapping.instruction.kernel.statements[0].target.tensor
    return {
        "instruction": mapping.instruction.name,
        "statement": mapping.statement_index,
        "groups": {t: list(g) for t, g in mapping.groups},
        "operands": {o: a.tensor for o, a in mapping.binding if o != output},
        "loops": [asdict(x) for x in schedule.loops],
        "registers": [list(x) for x in schedule.registers],
        "packing": [_packing(x) for x in schedule.packing],
        "tiles": [[axis, [list(x) for x in levels]] for axis, levels in schedule.tiles],
        "traffic": [list(x) for x in schedule.traffic],
        "notes": list(schedule.notes),
        **{name: getattr(schedule, name) for name in _KEPT},
        **({"shared": schedule.shared} if schedule.shared else {}),
        **({"unit": schedule.unit, "costs": [astuple(x) for x in schedule.costs]} if schedule.costs else {}),
        **({"assumes": [list(x) for x in schedule.assumes]} if schedule.assumes else {}),
    }


def _packing(x: Packing) -> Record:
    """Without what is prefetched where nothing is: such programs keep the names that they have in databases."""
    unasked = {"prefetch": 0, "block": None}
    return {name: value for name, value in asdict(x).items() if name not in unasked or value != unasked[name]}


def decided(record: Record) -> Record:
    """The part of a record that says what the program will be; levels are for the report only."""
    part = {name: record[name] for name in (*_DECIDED, *(("shared",) if "shared" in record else ()))}
    return {**part, "loops": [{**x, "level": ""} for x in record["loops"]]}


def program_of(record: Record) -> str:
    """Sixteen hexadecimal digits of the program that the record becomes. Raises ValueError for what is no record."""
    try:
        text = json.dumps(decided(record), sort_keys=True)
    except (LookupError, TypeError, AttributeError):
        raise ValueError("a schedule's record lacks a decision") from None
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def is_whole(record: Any, program: str) -> bool:
    """Whether a record that was kept under the name of its program is still the same."""
    try:
        return program_of(record) == program
    except ValueError:
        return False


def from_record(
    record: Record, kernel: Kernel, hardware: Hardware, sizes: tuple[tuple[str, int], ...]
) -> Schedule | None:
    """The schedule with its mapping proved anew; None where the record no longer means a mapping that is legal."""
    try:
        name, statement = record["instruction"], record["statement"]
        scalar = name == "scalar.point"
        instruction: Instruction = point_instruction(kernel, statement) if scalar else hardware.instruction(name)
        proved = prove(fuse(kernel, instruction, record["groups"], record["operands"], statement, True))
        return _schedule(record, proved, hardware, sizes) if isinstance(proved, ProvedMapping) else None
    except (IsamapError, LookupError, TypeError, ValueError, AttributeError):
        return None


def _schedule(
    record: Record, proved: ProvedMapping, hardware: Hardware, sizes: tuple[tuple[str, int], ...]
) -> Schedule:
    return Schedule(
        proved=proved,
        loops=tuple(LoopStep(**x) for x in record["loops"]),
        registers=_pairs(record["registers"]),
        packing=tuple(Packing(**x) for x in record["packing"]),
        tiles=tuple((axis, _pairs(levels)) for axis, levels in record["tiles"]),
        traffic=_pairs(record["traffic"]),
        notes=tuple(record["notes"]),
        sizes=sizes,
        hardware=hardware,
        shared=record.get("shared", ""),
        unit=record.get("unit", "cycles"),
        costs=tuple(CostPart(*x) for x in record.get("costs", ())),
        assumes=_pairs(record.get("assumes", [])),
        **{name: record[name] for name in _KEPT},
    )


def _pairs(rows: list[list[Any]]) -> tuple[tuple[Any, Any], ...]:
    return tuple((a, b) for a, b in rows)
