"""Kernels and instructions, written as text or in Python."""

from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.build import (
    axes,
    call,
    cast,
    param,
    select,
    size,
    tensor,
    tensors,
    total,
    turns,
    within,
)
from isamap_smt.language.instructions import instruction
from isamap_smt.language.printer import to_text
from isamap_smt.language.text import kernel

__all__ = [
    "Kernel",
    "axes",
    "call",
    "cast",
    "instruction",
    "kernel",
    "param",
    "select",
    "size",
    "tensor",
    "tensors",
    "to_text",
    "total",
    "turns",
    "within",
]
