"""Spike, the RISC-V simulator: bare programs called on arrays, and kernels for machines with RISC-V vectors."""

from isamap_smt.targets.spike.process import BareProgram, EndedError, missing, title

__all__ = ["BareProgram", "EndedError", "missing", "title"]
