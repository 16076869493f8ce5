"""What can be wrong with a calibration."""

from __future__ import annotations

from isamap_smt.ir.errors import IsamapError


class CalibrationError(IsamapError):
    """A calibration of another machine or version, one that cannot be read, or a measurement that failed."""
