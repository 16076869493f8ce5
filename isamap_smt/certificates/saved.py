"""A mapping read back from a certificate: its claims are discharged again, here and now, and only that gives it worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from isamap_smt.certificates.claim_file import unproved
from isamap_smt.certificates.derive import derive_mapping, further_from
from isamap_smt.certificates.digests import instruction_digest
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.fingerprint import mapping_id
from isamap_smt.certificates.manifest import INDEX, certificate_ids, read_manifest, well_formed
from isamap_smt.certificates.place import put_all
from isamap_smt.certificates.rounding import Ranges, rounding_from
from isamap_smt.certificates.store import Certificate, Named, mapping_certificate, program_certificates
from isamap_smt.certificates.subject import (
    Sources,
    kernel_document,
    kernel_from,
    mapping_from,
    schedule_from,
    split_from,
)
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.rewrite import ProvedSplit
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel, kernel_names
from isamap_smt.proof import prove


def proved_again(place: Path, sources: Sources) -> tuple[dict[str, Any], ProvedMapping]:
    """The manifest, and its mapping, between today's kernel and instruction and proved.

    Verdicts in the files do not count. Raises DamagedError for files that are not as they were written,
    NotProvedError, with the counterexample, if a claim does not hold (UndecidedError if it is unknown), and the errors of
    looking up names.
    """
    with well_formed():
        document = read_manifest(place)
        if document["kind"] != "mapping":
            raise CertificateError(f"{place} certifies {document['kind']}, not a mapping")
        kernel = kernel_from(document["kernel"], sources.files)
        mapping = mapping_from(document["mapping"], kernel, sources.instruction_of(document, kernel))
    derived, result = derive_mapping(mapping)
    if not isinstance(result, ProvedMapping):
        raise unproved(f"{place}: not proved today\n{result}", mapping_id(mapping), derived, NotProvedError)
    return document, result


def renewed(place: Path, sources: Sources) -> Certificate:
    """The certificate of the same kernel, instruction, mapping and decisions, all claims derived from today's sources.

    Raises the errors of proved_again(), and CertificateError if the program is not proved.
    """
    document, proved = proved_again(place, sources)
    kernel, schedule = proved.mapping.kernel, None
    with well_formed():
        if "schedule" in document:
            then = document["schedule"]
            schedule = schedule_from(then, proved, sources.hardware(then["hardware"]))
        more = further_from(document, kernel, sources)
        named = Named(
            document["kernel"]["source"],
            document["instruction"]["source"],
            split_from(document["kernel"], sources.files),
        )
        rounding = rounding_from(document)
    ranges = {n: (low, high) for n, low, high in rounding.ranges} if rounding else None
    return mapping_certificate(proved, schedule, named, more, ranges)


def load(path: str | Path, *, sources: Iterable[str] = ()) -> ProvedMapping:
    """The mapping of the certificate at `path` (its directory), proved again against today's sources.

    sources: Python files it may name; the code of others is not carried out, and UnnamedFileError says so.
    Verdicts in the files do not count. Raises DamagedError for files that are not as they were written,
    NotProvedError, with the counterexample, if a claim does not hold, and the errors of looking up names.
    """
    return proved_again(Path(path), Sources(files=tuple(sources)))[1]


def save(
    proved: ProvedMapping | ProvedProgram,
    directory: str | Path,
    schedule: Schedule | None = None,
    *,
    kernel: str | None = None,
    instruction: str | None = None,
    split: ProvedSplit | None = None,
    ranges: Ranges | None = None,
) -> Path:
    """Write the certificate of a mapping or of a whole program below a directory; returns its place.

    A plan's program (`save(plan.checked, directory, split=plan.split)`) is certified with every mapped statement,
    each with its schedule, and with the sum it was split from; further mappings get certificates of their own. schedule:
    makes the program of a single mapping. kernel, instruction: where later checks find them, such as `my_kernels.py:dot`, if not
    by their names. ranges: input -> least and greatest element, of a program: a bound of its rounding for these is certified, too.
    A certificate of the same thing is renewed, whole or not at all. The directory's index is brought up to
    date, and so is its lock, if there is one. Raises NotProvedError for an unproved argument, and CertificateError if later checks
    would not find its subject, the place is taken by something else, or a claim is not proved.
    """
    if not isinstance(proved, ProvedMapping | ProvedProgram):
        raise NotProvedError(
            f"save() takes what prove() returns when every claim is proved, not {type(proved).__name__}; "
            "call isamap_smt.prove(mapping) first"
        )
    if isinstance(proved, ProvedProgram) and schedule is not None:
        raise CertificateError("save() takes a schedule for a single mapping; a program has its schedules already")
    if isinstance(proved, ProvedMapping) and ranges:
        raise CertificateError(
            "save() takes ranges for a program: how far rounding carries it depends on how it is computed"
        )
    root = Path(directory)
    if certificate_ids(root) and not (root / INDEX).is_file():
        raise CertificateError(f"{root} holds certificates without {INDEX}; write into another directory")
    schedules = proved.program.schedules if isinstance(proved, ProvedProgram) else ()
    first = proved.mapping if isinstance(proved, ProvedMapping) else schedules[0].proved.mapping
    named = Named(kernel, instruction, first.split if split is None else split.split)
    if isinstance(proved, ProvedMapping) and first.split is not None:
        again = prove(first := replace(first, split=None))  # the split has claims of its own in the certificate
        if not isinstance(again, ProvedMapping):
            raise NotProvedError(str(again))
        proved = again
    _require_found(first, schedule, named)
    for s in schedules:
        own = s.proved.mapping.instruction.name == first.instruction.name
        _require_found(s.proved.mapping, s, named if own else replace(named, instruction=None))
    if isinstance(proved, ProvedMapping):
        return put_all([mapping_certificate(proved, schedule, named)], root)
    return put_all([*program_certificates(schedules, named, ranges)], root)


def _require_found(mapping: Mapping, schedule: Schedule | None, named: Named) -> None:
    """Raise CertificateError unless later checks find the kernel, the instruction as it is now, and the schedule's machine."""
    kernel, instruction = named.kernel, named.instruction
    library = mapping.kernel.name in kernel_names()
    if kernel is None and library and kernel_document(mapping.kernel, None, named.split)["source"] is None:
        raise CertificateError(
            f"the kernel {mapping.kernel.name} is not the library's of that name: pass where it is, as "
            "save(..., kernel='my_kernels.py:dot'), the split=plan.split that it was made by, or give it another name"
        )
    if kernel is not None:
        with _found_later(f"kernel={kernel!r}"):
            find_kernel(kernel)
    mine = mapping.instruction
    wanted = instruction or mine.name
    advice = "pass where it is, such as save(..., instruction='my_machine.py:dot')"
    with _found_later(f"the instruction {wanted}", advice):
        number = mapping.statement_index
        found = (
            find_instruction(wanted)
            if instruction
            else Sources(files=(wanted,)).instruction(wanted, mapping.kernel, number)
        )
    if instruction_digest(found) != instruction_digest(mine):
        raise CertificateError(f"what later checks find as {wanted} is not the instruction that was proved; {advice}")
    if schedule is None or schedule.hardware is None:
        return
    advice = "register it in the entry-point group isamap.hardware, or save the mapping without its schedule"
    with _found_later("the machine of the schedule", advice):
        Sources().hardware(schedule.hardware.name)


@contextmanager
def _found_later(what: str, advice: str = "") -> Iterator[None]:
    """Errors of looking something up become CertificateErrors with its name."""
    try:
        yield
    except IsamapError as error:
        said = f"later checks would not find {what}: {error}" + (f"; {advice}" if advice else "")
        raise CertificateError(said) from error
