"""A schedule as plain data: the one form in which certificates, databases, caches and the command line write it.

A record has every field of the schedule, of its loops and of its stages, whatever these are: a field that is added there is in
every record. Apart are the proved mapping and the machine, which are looked up, and proved, again when a record is read.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.notes import read_note
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import CostPart, LoopStep, Schedule, Stage

Record = dict[str, Any]
APART = ("proved", "hardware")
# how a schedule was found and what it is predicted to cost: no part of the program that it becomes
FOUND = (
    "status", "space", "objective", "bound", "gap", "lower_bound", "unit", "costs", "assumes", "decided_outside", "tiles",
    "traffic", "seconds", "notes",
)  # fmt: skip
# Always written. What came later is left out at its default, so that programs keep the names they have in databases.
_FIRST = {
    LoopStep: ("axis", "step", "level"),
    CostPart: ("name", "amount", "within"),
    Stage: ("operand", "depth", "ahead"),
    Schedule: (
        "loops",
        "accumulate",
        "registers",
        "stages",
        "parallel",
        "sizes",
        *(n for n in FOUND if n != "decided_outside"),
    ),
}
_ROWS: dict[str, Any] = {"loops": LoopStep, "stages": Stage, "costs": CostPart}
_CALLED = {"stages": "packing", "fused": "shared"}  # fields that records have under another name, which is older


def schedule_record(schedule: Schedule) -> Record:
    """Every field but `proved` and `hardware`, as JSON holds it."""
    return _record(schedule)


def decisions(record: Record) -> Record:
    """The part of a record that says what the program will be. The levels of loops are for the report only."""
    part = {name: value for name, value in record.items() if name not in FOUND}
    return {**part, "loops": [{**x, "level": ""} for x in record["loops"]]}


def schedule_of(record: Record, proved: ProvedMapping, hardware: Hardware | None) -> Schedule:
    """The schedule of a record; what a record of decisions alone does not say has its default.

    Raises LookupError, TypeError or ValueError for what is no record.
    """
    names = {f.name: _CALLED.get(f.name, f.name) for f in fields(Schedule) if f.name not in APART}
    known = {name: record[called] for name, called in names.items() if called in record}
    rows = {name: tuple(kind(**x) for x in known[name]) for name, kind in _ROWS.items() if name in known}
    made = {name: _tuples(value) for name, value in known.items()}
    parallel = made.get("parallel")
    if parallel is not None and (type(parallel) is not int or not 0 <= parallel < len(rows["loops"])):
        raise ValueError(f"the schedule spreads loop {parallel!r} over threads, which there is not")
    made["fused"] = _axes(made.get("fused", ""))
    made["notes"] = tuple(map(read_note, made.get("notes", ())))
    return Schedule(proved=proved, hardware=hardware, **{**made, **rows})


def _axes(text: Any) -> tuple[str, ...]:
    """A record has axes with spaces between."""
    if not isinstance(text, str):
        raise TypeError(f"{text!r} are no axes")
    return tuple(text.split())


def _record(value: Any) -> Record:
    first = _FIRST[type(value)]
    every = {f.name: (getattr(value, f.name), f.default) for f in fields(value) if f.name not in APART}
    made = {_CALLED.get(n, n): _plain(v) for n, (v, default) in every.items() if n in first or v != default}
    return made if "shared" not in made else made | {"shared": " ".join(made["shared"])}


def _plain(value: Any) -> Any:
    if isinstance(value, LoopStep | Stage | CostPart):
        return _record(value)
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
