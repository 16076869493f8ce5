"""Decisions kept on disk: the choice of mapping and schedule, never a proof.

Searching and scheduling take seconds; proving their result again takes a fraction of one. So decisions are kept under a
digest of everything they depend on (kernel, machine, options, our sources, the solvers' versions). A decision read
back is mapped, proved, lowered and proved again like a new one. Its own words, such as OPTIMAL, are not
decided again: a file changed since it was written is passed over.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.described import key_text
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language import to_text
from isamap_smt.pipeline.least import Least
from isamap_smt.records.record import Kind
from isamap_smt.records.store import Cache
from isamap_smt.runtime.cache import digest_of, own_sources
from isamap_smt.scheduling.record import from_record, to_record

KIND = Kind("decision", 1, most=20_000, fields=("schedule", "said", "least"))  # 10 KB each
FILE = "decisions.sqlite"


def digest(kernel: Kernel, hardware: Hardware, options: tuple[Any, ...]) -> str:
    """Hex digest of everything a decision depends on."""
    return digest_of(
        (to_text(kernel), repr(kernel.ranges), kernel.name, key_text(hardware), repr(options), own_sources())
    )


@dataclass(frozen=True)
class Decision:
    """A schedule, its notes, and a lower bound over all schedules; None if unknown."""

    schedule: Schedule
    notes: tuple[str, ...]
    least: Least | None


def save(key: str, schedule: Schedule, notes: tuple[str, ...], least: Least | None) -> None:
    """Keep a decision, where that can be: else the next call decides again."""
    with suppress(IsamapError), Cache(KIND, FILE) as cache:  # of what no record can hold
        apart = None if least is None else [least.apart, least.computing]
        cache.put({key: {"schedule": to_record(schedule), "said": notes, "least": apart}})


def load(key: str, kernel: Kernel, hardware: Hardware, sizes: tuple[tuple[str, int], ...]) -> Decision | None:
    """The decision under this key with its mapping proved anew, or None when there is none or it no longer holds."""
    with Cache(KIND, FILE) as cache:
        record = cache.get(key)
    if record is None:
        return None
    try:
        said, least = tuple(record["said"]), None if record["least"] is None else Least(*map(float, record["least"]))
    except (KeyError, TypeError, ValueError):
        return None
    schedule = from_record(record["schedule"], kernel, hardware, sizes)
    return None if schedule is None else Decision(schedule, said, least)
