"""Certificates in a directory that are not the library's: of kernels and instructions of one's own, and by hand."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.manifest import certificate_ids, read_manifest
from isamap_smt.certificates.renew import renewed
from isamap_smt.certificates.subject import Sources
from isamap_smt.certificates.undecided import UndecidedError
from isamap_smt.cli.proofs_choice import Wanted, wanted
from isamap_smt.ir.errors import IsamapError


@dataclass(frozen=True)
class Own:
    """One certificate, where it stands."""

    directory: str
    id: str


def own(directory: Path, pattern: str = "*") -> list[Own]:
    """Those that match the pattern (`accel`, `accel/layer`, `*/layer/outer`, or a whole id).

    Raises CertificateError for one of one's own that stands where the library's would be written.
    """
    library = wanted()
    found: list[Own] = []
    for identifier in certificate_ids(directory):
        by = next((w for w in library if w.covers(identifier)), None)
        if _matches(identifier, pattern):
            if by is None:
                found.append(Own(str(directory), identifier))
            else:
                _require_library(directory, identifier, by)
    return found


def write_again(one: Own, scratch: str) -> list[str]:
    """Write it below the scratch directory, from today's sources; returns its id, which may be another one.

    Raises CertificateError where it is damaged, not proved any more, or what it is about is not found.
    """
    place = Path(one.directory) / one.id
    try:
        certificate = renewed(place, Sources())
    except UndecidedError as error:
        raise UndecidedError(f"{place} cannot be written anew: {error}", error.formulas) from None
    except IsamapError as error:
        hint = "delete it, or save it again" if isinstance(error, DamagedError) else "mend that, or delete it"
        raise CertificateError(f"{place} cannot be written anew: {error}\n{hint}") from error
    certificate.write(Path(scratch))
    return [certificate.id]


def _matches(identifier: str, pattern: str) -> bool:
    """As patterns match the library's: by hardware/kernel/instruction or its first parts."""
    name = identifier.split(",", maxsplit=1)[0]
    return identifier == pattern or any(fnmatchcase(name, p) for p in (pattern, f"{pattern.rstrip('/')}/*"))


def _require_library(directory: Path, identifier: str, by: Wanted) -> None:
    try:
        document = read_manifest(directory / identifier)
    except DamagedError:
        return  # it is written anew
    kernel, instruction = document.get("kernel", {}), document.get("instruction", {})
    if by.kernel and (kernel.get("source") != by.kernel or ".py" in str(instruction.get("source"))):
        raise CertificateError(
            f"{directory / identifier} is of {kernel.get('source') or 'a kernel of your own'}, and the library's {by.name} "
            "would take its place; update another directory, or give your kernel another name"
        )
