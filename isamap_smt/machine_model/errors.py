"""Errors of a calibration."""

from __future__ import annotations

from isamap_smt.ir.errors import IsamapError


class CalibrationError(IsamapError):
    """A calibration of another machine or version, an unreadable one, or a failed measurement."""
