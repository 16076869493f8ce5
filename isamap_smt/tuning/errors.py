"""Errors of a search."""

from __future__ import annotations

from isamap_smt.ir.errors import IsamapError


class TuningError(IsamapError):
    """A tuning database of another version or with a half-written part, or a search that cannot be run as asked."""
