"""Proofs that others can check: SMT-LIB files and manifests, written once and derived again at every check.

This package imports neither the search nor the scheduler: what it certifies may come from anywhere.
"""

from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.load import load, save
from isamap_smt.certificates.remember import Outcome, exit_status
from isamap_smt.certificates.run import check_directory

__all__ = ["CertificateError", "DamagedError", "Outcome", "check_directory", "exit_status", "load", "save"]
