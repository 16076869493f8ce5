"""Proofs for others to check: SMT-LIB files and manifests, written once and derived again at every check.

This package imports neither the search nor the scheduler: its certificates may be about mappings from anywhere. Names are
loaded on first use: a plan needs the digests alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isamap_smt.certificates.errors import CertificateError, DamagedError
    from isamap_smt.certificates.remember import Outcome, exit_status
    from isamap_smt.certificates.run import check_directory
    from isamap_smt.certificates.saved import load, save

__all__ = ["CertificateError", "DamagedError", "Outcome", "check_directory", "exit_status", "load", "save"]
_WHERE = {
    **dict.fromkeys(("CertificateError", "DamagedError"), "errors"),
    **dict.fromkeys(("Outcome", "exit_status"), "remember"),
    "check_directory": "run",
    **dict.fromkeys(("load", "save"), "saved"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
