"""Decisions kept on disk: the choice of mapping and schedule, never a proof.

Searching and scheduling take seconds; proving their result again takes a fraction of one. So decisions are kept under a
digest of everything they depend on (kernel, machine, options, our sources, the solvers' versions). A decision read
back is mapped, proved, lowered and proved again like a new one. Its own words, such as OPTIMAL, are not
decided again: a file changed since it was written is passed over.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isamap_smt.ir.described import key_text
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language import to_text
from isamap_smt.pipeline.least import Least
from isamap_smt.runtime.cache import cache_directory, digest_of, own_sources
from isamap_smt.runtime.whole_file import whole_file
from isamap_smt.scheduling.record import from_record, to_record


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
    """Keep a decision. An unwritable cache is no error: the next call decides again."""
    try:
        text = json.dumps(
            {**to_record(schedule), "said": notes, "least": None if least is None else [least.apart, least.computing]}
        )
        with whole_file(_path(key)) as f:
            f.write(f"{digest_of([key, text])}\n{text}")
    except (OSError, IsamapError):
        return


def load(key: str, kernel: Kernel, hardware: Hardware, sizes: tuple[tuple[str, int], ...]) -> Decision | None:
    """The decision under this key with its mapping proved anew, or None when there is none or it no longer holds."""
    try:
        seal, _, text = _path(key).read_text().partition("\n")
        if seal != digest_of([key, text]):
            return None
        record = json.loads(text)
        said, least = tuple(record["said"]), None if record["least"] is None else Least(*map(float, record["least"]))
    except (OSError, IsamapError, KeyError, TypeError, ValueError):
        return None
    schedule = from_record(record, kernel, hardware, sizes)
    return None if schedule is None else Decision(schedule, said, least)


def _path(key: str) -> Path:
    folder = cache_directory().parent / "decisions"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{key}.json"


def forget() -> None:
    """Remove every kept decision."""
    for file in (cache_directory().parent / "decisions").glob("*.json"):
        os.unlink(file)
