"""Kernels and instructions, written as text or in Python."""

from isamap_smt.language.instructions import instruction
from isamap_smt.language.text import kernel

__all__ = ["instruction", "kernel"]
