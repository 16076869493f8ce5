"""A mapping read back from a certificate: worth something because its claims are discharged again, here and now."""

from __future__ import annotations

from pathlib import Path

from isamap_smt.certificates.derive import derive_mapping
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.manifest import INDEX, certificate_ids, read_manifest, well_formed, write_index
from isamap_smt.certificates.store import mapping_certificate
from isamap_smt.certificates.subject import Sources, kernel_from, mapping_from
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule


def load(path: str | Path) -> ProvedMapping:
    """The mapping of the certificate at `path` (its directory), proved again against today's sources.

    Nothing that the files say about verdicts counts. Raises DamagedError for files that are not as they were written,
    NotProvedError, with the counterexample, where a claim does not hold, and what looking up names raises.
    """
    place = Path(path)
    with well_formed():
        document = read_manifest(place)
        if document["kind"] != "mapping":
            raise CertificateError(f"{place} certifies {document['kind']}, not a mapping")
        kernel = kernel_from(document["kernel"])
        instruction = Sources().instruction(document["instruction"]["source"], kernel)
        mapping = mapping_from(document["mapping"], kernel, instruction)
    _, result = derive_mapping(mapping)
    if not isinstance(result, ProvedMapping):
        raise NotProvedError(f"{place}: not proved today\n{result}")
    return result


def save(
    proved: ProvedMapping,
    directory: str | Path,
    schedule: Schedule | None = None,
    *,
    kernel: str | None = None,
    instruction: str | None = None,
) -> Path:
    """Write a certificate of the mapping (and, with a schedule, of its program) below a directory; returns its place.

    kernel, instruction: where later checks find them, such as `my_kernels.py:dot`, if not by their names. The directory's
    index is brought up to date. Raises CertificateError where the place is taken, or a claim is not proved.
    """
    root = Path(directory)
    if certificate_ids(root) and not (root / INDEX).is_file():
        raise CertificateError(f"{root} holds certificates without {INDEX}; write into another directory")
    place = mapping_certificate(proved, schedule, kernel, instruction).write(root)
    write_index(root)
    return place
