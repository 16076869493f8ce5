"""Enumeration of candidate mappings, complete within a stated family."""

from isamap_smt.search.conflicts import Conflict
from isamap_smt.search.find import CertificateCheck, check_certificate, find_mappings
from isamap_smt.search.mapping_set import MappingSet

__all__ = ["CertificateCheck", "Conflict", "MappingSet", "check_certificate", "find_mappings"]
