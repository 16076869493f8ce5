"""What can be wrong with a certificate, as the errors and words that the report uses."""

from __future__ import annotations

from isamap_smt.ir.errors import IsamapError


class CertificateError(IsamapError):
    """A certificate that cannot be written, found or loaded."""


class DamagedError(CertificateError):
    """A certificate that is unreadable, hand-edited, truncated, incomplete or of a foreign version."""
