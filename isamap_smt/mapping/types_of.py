"""Tensors without a given element type get that of their operand in the statement's mapped instruction."""

from __future__ import annotations

from collections.abc import Collection

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.lines import TensorLine, parse_line
from isamap_smt.language.source import Source, logical_lines
from isamap_smt.mapping.axes import AxesError
from isamap_smt.mapping.fuse import bind, takes


def with_types_of_engines(kernel: Kernel, hardware: Hardware, given: Collection[str] = ()) -> Kernel:
    """The kernel; if no instruction takes its types, open ones become those of the first computing instruction."""
    if not hardware.computes or any(takes(kernel, i, kernel.main) for i in hardware.computes):
        return kernel
    return with_types_of(kernel, hardware.computes[0], "any", given, kernel.main)


def _said_types(kernel: Kernel) -> set[str]:
    """Tensors whose element type stands in the kernel's text."""
    lines = (parse_line(line) for line in logical_lines(Source(kernel.text, kernel.file)))
    return {line.name for line in lines if isinstance(line, TensorLine) and line.dtype is not None}


def with_types_of(
    kernel: Kernel, instruction: Instruction, operands: str = "fixed", given: Collection[str] = (), statement: int = 0
) -> Kernel:
    """The kernel; each type left open by the user (`given`) and the text becomes that of the tensor's operand.

    With operands 'any' the tensors feed the operands in the order written. A kernel with another number of operands is
    returned unchanged: mapping it will report the mismatch. A tensor that feeds two operands takes the first's.
    """
    try:
        binding = bind(kernel, instruction, "fixed" if operands == "any" else operands, statement)
    except AxesError:
        return kernel
    settled = {*given, *_said_types(kernel)}
    types: dict[str, DType] = {}
    for operand, access in binding:
        if access.tensor not in settled:
            types.setdefault(access.tensor, instruction.kernel.tensor(operand).dtype)
    return kernel.with_dtypes(types)
