"""A mapping read back from a certificate: worth something because its claims are discharged again, here and now."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.certificates.digests import instruction_digest
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.manifest import INDEX, certificate_ids, write_index
from isamap_smt.certificates.place import put
from isamap_smt.certificates.renew import proved_again
from isamap_smt.certificates.store import mapping_certificate
from isamap_smt.certificates.subject import Sources
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel


def load(path: str | Path) -> ProvedMapping:
    """The mapping of the certificate at `path` (its directory), proved again against today's sources.

    Nothing that the files say about verdicts counts. Raises DamagedError for files that are not as they were written,
    NotProvedError, with the counterexample, where a claim does not hold, and what looking up names raises.
    """
    return proved_again(Path(path), Sources())[1]


def save(
    proved: ProvedMapping,
    directory: str | Path,
    schedule: Schedule | None = None,
    *,
    kernel: str | None = None,
    instruction: str | None = None,
) -> Path:
    """Write a certificate of the mapping (and, with a schedule, of its program) below a directory; returns its place.

    kernel, instruction: where later checks find them, such as `my_kernels.py:dot`, if not by their names. A certificate
    of the same thing is renewed, whole or not at all, and the directory's index is brought up to date. Raises
    NotProvedError for what prove() has not proved, CertificateError where later checks would not find what it is about,
    the place is taken by something else, or a claim is not proved.
    """
    if not isinstance(proved, ProvedMapping):
        raise NotProvedError(
            f"save() takes what prove() returns when every claim is proved, not {type(proved).__name__}; "
            "call isamap_smt.prove(mapping) first"
        )
    root = Path(directory)
    if certificate_ids(root) and not (root / INDEX).is_file():
        raise CertificateError(f"{root} holds certificates without {INDEX}; write into another directory")
    _require_found(proved.mapping, schedule, kernel, instruction)
    place = put(mapping_certificate(proved, schedule, kernel, instruction), root)
    write_index(root)
    return place


def _require_found(mapping: Mapping, schedule: Schedule | None, kernel: str | None, instruction: str | None) -> None:
    """Nothing happens where later checks find the kernel, the instruction as it is now, and the schedule's machine."""
    if kernel is not None:
        try:
            find_kernel(kernel)
        except IsamapError as error:
            raise CertificateError(f"later checks would not find kernel={kernel!r}: {error}") from error
    mine = mapping.instruction
    wanted = instruction or mine.name
    advice = "pass where it is, such as save(..., instruction='my_machine.py:dot')"
    try:
        found = find_instruction(wanted) if instruction else Sources().instruction(wanted, mapping.kernel)
    except IsamapError as error:
        raise CertificateError(f"later checks would not find the instruction {wanted}: {error}; {advice}") from error
    if instruction_digest(found) != instruction_digest(mine):
        raise CertificateError(f"what later checks find as {wanted} is not the instruction that was proved; {advice}")
    if schedule is None or schedule.hardware is None:
        return
    try:
        Sources().hardware(schedule.hardware.name)
    except IsamapError as error:
        raise CertificateError(
            f"later checks would not find the machine of the schedule: {error}; register it in the entry-point group "
            "isamap.hardware, or save the mapping without its schedule"
        ) from error
