"""The check of a search's completeness, on what the search returned. The check itself stands in proof/family_check.py,
where certificates find it without importing a search.
"""

from __future__ import annotations

from isamap_smt.proof.family import Family
from isamap_smt.proof.family_check import CertificateCheck, check_family
from isamap_smt.search.mapping_set import MappingSet


def check_certificate(found: MappingSet) -> CertificateCheck:
    """Go over the whole family anew. Of the set only the legal list and the witnesses are used."""
    # A family of its own: nothing that the search computed is used again.
    old = found.family
    family = Family(old.kernel, old.instruction, old.operands, old.partial, old.statement)
    return check_family(family, {p.mapping.id for p in found.legal}, found.witnesses)


__all__ = ["CertificateCheck", "check_certificate"]
