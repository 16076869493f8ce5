"""The outcome of checking one certificate, remembered if none of its dependencies has changed since.

The costs of instructions are in no claim and in no lowering: if only a cost has changed, the outcome stands, and says so.
Nor are memories and links: schedules are made with them, and a certificate holds the schedule's decisions.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from isamap_encodings.z3_check import cvc5_version
from isamap_smt.certificates.digests import generator_digest
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.manifest import Stored, read_certificate, well_formed
from isamap_smt.certificates.subject import Sources
from isamap_smt.ir.errors import IsamapError
from isamap_smt.records.record import Document, canonical, digest
from isamap_smt.records.store import Cache

STATUSES = ("ok", "stale", "unknown", "broken", "damaged")
FAILING = ("stale", "broken", "damaged")


@dataclass(frozen=True)
class Outcome:
    """One certificate's status.

    ok: every claim is proved today, of unchanged values, and the files say the same. stale: proved, but something changed
    since it was written. broken: some claim is no longer proved (`told` has the counterexample). damaged: the files are
    not as they were written. unknown: a solver gave up, or two solvers disagree.
    told: sentences, the first names the fault. claims, formulas: numbers of obligations and of questions. second:
    questions with the same answer from cvc5 and Z3. alone: questions decided by Z3 only. seconds: of the whole check, on one core.
    z3: seconds of each question. formulas_left: questions given up by Z3, or answered differently by the solvers, as
    (path, SMT-LIB text). remembered: an earlier check found it, and nothing it depends on has changed.
    """

    id: str
    status: str
    told: tuple[str, ...] = ()
    claims: int = 0
    formulas: int = 0
    second: int = 0
    alone: int = 0
    seconds: float = 0.0
    z3: tuple[float, ...] = ()
    remembered: bool = False
    formulas_left: tuple[tuple[str, str], ...] = ()

    def as_document(self) -> dict[str, Any]:
        """As JSON."""
        return {k: v for k, v in asdict(self).items() if k not in ("z3", "formulas_left")}

    def __str__(self) -> str:
        first, *rest = self.told or ("",)
        head = f"{self.id}: {self.status}" + (f": {first}" if first else "")
        return "\n".join([head, *(f"  {line}" for text in rest for line in text.split("\n"))])


def exit_status(outcomes: list[Outcome]) -> int:
    """0 when all are ok, 1 when any is stale, broken or damaged, else 2: some are unknown, or there are none."""
    words = {o.status for o in outcomes}
    if words & set(FAILING):
        return 1
    return 2 if "unknown" in words or not words else 0


@dataclass(frozen=True)
class Keys:
    """Digests of an outcome's dependencies: exact, of everything; claims, without the costs of instructions.

    told: the finding of a check if only a cost has changed since the certificate was written.
    """

    exact: str
    claims: str
    told: tuple[str, ...]


def remembered(
    directory: Path, identifier: str, expected: str | None, sources: Sources, cache: Cache
) -> Outcome | None:
    """The outcome if nothing it depends on has changed since it was found, or the files are damaged; else None."""
    started = time.perf_counter()
    place = directory / identifier
    try:
        with well_formed():
            keys = keys_of(identifier, read_certificate(place, expected), sources)
    except DamagedError as error:
        return Outcome(identifier, "damaged", (str(error),), seconds=time.perf_counter() - started)
    if keys is None:
        return None
    outcome = _outcome(cache.get(keys.exact))
    if outcome is None and (found := _outcome(cache.get(keys.claims))) is not None:
        outcome = replace(found, status="stale" if keys.told else "ok", told=keys.told)
    if outcome is None:
        return None
    return replace(outcome, id=identifier, remembered=True, seconds=time.perf_counter() - started)


def remember(outcome: Outcome, keys: Keys, cache: Cache) -> None:
    """Keep an outcome that is ok or stale; a broken or unknown one is found anew each time."""
    if outcome.status not in ("ok", "stale"):
        return
    cache.put({keys.exact: {"outcome": asdict(outcome)}})
    if outcome.status == "ok" or outcome.told == keys.told:  # nothing else has changed than what costs
        cache.put({keys.claims: {"outcome": asdict(replace(outcome, status="ok", told=()))}})


def keys_of(identifier: str, stored: Stored, sources: Sources) -> Keys | None:
    """The keys of a certificate's outcome; None if today's sources lack something."""
    document = stored.document
    common: list[Any] = [generator_digest(), cvc5_version(), identifier, document]
    common += [[name, digest(text)] for name, text in sorted(stored.files.items())]
    exact: list[Any] = []
    claims: list[Any] = ["claims"]
    told: list[str] = []
    further = document.get("further", [])
    try:
        if "kernel" in document:
            kernel, its_digest = sources.kernel(document["kernel"])
            common.append(its_digest)
            for part in (document, *further):
                found = sources.digests_of(part, kernel)
                exact.append(found.whole)
                claims.append(found.claims)
                told.append(found.changed(part["instruction"]))
        if document["kind"] == "machine":
            exact.append(sources.digests(document["hardware"]))
            claims.append(sources.digests(document["hardware"]))
        # Lowering takes moves from the machine, the first that fits; nothing else of it has a part in a program.
        schedules = [part["schedule"] for part in (document, *further) if "schedule" in part]
        common += [sources.moves(machine) for machine in dict.fromkeys(s["hardware"] for s in schedules)]
    except IsamapError:
        return None
    said = tuple(t for t in dict.fromkeys(told) if t)
    return Keys(digest(canonical([*common, *exact])), digest(canonical([*common, *claims])), said)


def _outcome(record: Document | None) -> Outcome | None:
    """The outcome in a record; None without one of its form."""
    try:
        held = (record or {})["outcome"]
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in held.items()}
        return Outcome(**fields)
    except (KeyError, TypeError, AttributeError):
        return None
