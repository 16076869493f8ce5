"""The outcome of a certificate that has been checked before, where nothing that it depends on has changed since.

What instructions cost is in no claim and in no lowering: where only a cost has changed, the outcome stands, and says so.
Nor are memories and links: schedules are made with them, and a certificate holds what the schedule decided.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from isamap_encodings.cvc5_check import cvc5_version
from isamap_smt.certificates.cache import Cache
from isamap_smt.certificates.digests import canonical, digest, generator_digest
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.manifest import Stored, read_certificate, well_formed
from isamap_smt.certificates.outcome import Outcome
from isamap_smt.certificates.subject import Sources
from isamap_smt.ir.errors import IsamapError


@dataclass(frozen=True)
class Keys:
    """Digests of what an outcome depends on: exact, of everything; claims, without what instructions cost.

    told: what a check says where only a cost has changed since the certificate was written.
    """

    exact: str
    claims: str
    told: tuple[str, ...]


def remembered(
    directory: Path, identifier: str, expected: str | None, sources: Sources, cache: Cache
) -> Outcome | None:
    """The outcome where nothing it depends on has changed since it was found, or the files are damaged; else None."""
    started = time.perf_counter()
    place = directory / identifier
    try:
        with well_formed():
            keys = keys_of(identifier, read_certificate(place, expected), sources)
    except DamagedError as error:
        return Outcome(identifier, "damaged", (str(error),), seconds=time.perf_counter() - started)
    if keys is None:
        return None
    found = cache.get(keys.exact)
    outcome = None if found is None else _outcome(found)
    if outcome is None and (found := cache.get(keys.claims)) is not None:
        outcome = replace(_outcome(found), status="stale" if keys.told else "ok", told=keys.told)
    if outcome is None:
        return None
    return replace(outcome, id=identifier, remembered=True, seconds=time.perf_counter() - started)


def remember(outcome: Outcome, keys: Keys, cache: Cache) -> None:
    """Keep an outcome that is ok or stale; what is broken or unknown is looked at anew each time."""
    if outcome.status not in ("ok", "stale"):
        return
    cache.put({keys.exact: json.dumps(asdict(outcome))})
    if outcome.status == "ok" or outcome.told == keys.told:  # nothing else has changed than what costs
        cache.put({keys.claims: json.dumps(asdict(replace(outcome, status="ok", told=())))})


def keys_of(identifier: str, stored: Stored, sources: Sources) -> Keys | None:
    """The keys of a certificate's outcome; None where today's sources lack something."""
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


def _outcome(text: str) -> Outcome:
    document: dict[str, Any] = json.loads(text)
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items()}
    return Outcome(**fields)
