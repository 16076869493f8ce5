"""Faults of a certificate, as the errors and words of the report."""

from __future__ import annotations

from isamap_smt.ir.errors import IsamapError


class CertificateError(IsamapError):
    """Raised for a certificate that cannot be written, found or loaded."""


class DamagedError(CertificateError):
    """Raised for an unreadable, hand-edited, truncated or incomplete certificate, or one of a foreign version."""
