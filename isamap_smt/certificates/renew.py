"""A certificate of one's own, written anew: what it is about, as today's sources say it, proved again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isamap_smt.certificates.derive import derive_mapping
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.further import further_from
from isamap_smt.certificates.manifest import read_manifest, well_formed
from isamap_smt.certificates.names import mapping_id
from isamap_smt.certificates.store import Certificate, Named, mapping_certificate
from isamap_smt.certificates.subject import Sources, kernel_from, mapping_from, schedule_from, split_from
from isamap_smt.certificates.undecided import unproved
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.proof import ProvedMapping


def proved_again(place: Path, sources: Sources) -> tuple[dict[str, Any], ProvedMapping]:
    """The manifest, and the mapping that it names, between today's kernel and instruction and proved.

    Nothing that the files say about verdicts counts. Raises DamagedError for files that are not as they were written,
    NotProvedError, with the counterexample, where a claim does not hold (UndecidedError where it is unknown), and what
    looking up names raises.
    """
    with well_formed():
        document = read_manifest(place)
        if document["kind"] != "mapping":
            raise CertificateError(f"{place} certifies {document['kind']}, not a mapping")
        kernel = kernel_from(document["kernel"])
        mapping = mapping_from(document["mapping"], kernel, sources.instruction_of(document, kernel))
    derived, result = derive_mapping(mapping)
    if not isinstance(result, ProvedMapping):
        raise unproved(f"{place}: not proved today\n{result}", mapping_id(mapping), derived, NotProvedError)
    return document, result


def renewed(place: Path, sources: Sources) -> Certificate:
    """The certificate of the same kernel, instruction, mapping and decisions, all claims derived from today's sources.

    Raises what proved_again() raises, and CertificateError where the program is not proved.
    """
    document, proved = proved_again(place, sources)
    kernel, schedule = proved.mapping.kernel, None
    with well_formed():
        if "schedule" in document:
            then = document["schedule"]
            schedule = schedule_from(then, proved, sources.hardware(then["hardware"]))
        more = further_from(document, kernel, sources)
        named = Named(document["kernel"]["source"], document["instruction"]["source"], split_from(document["kernel"]))
    return mapping_certificate(proved, schedule, named, more)
