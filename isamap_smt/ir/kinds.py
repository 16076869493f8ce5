"""A function's arguments are of the kinds it takes, or an error says how to get such a value."""

from __future__ import annotations

from isamap_smt.ir.errors import WrongKindError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

KERNEL = "isamap_smt.kernel('C[i] += A[i]') or isamap_smt.find_kernel('gemm')"


def require_kind(function: str, value: object, kind: type, hint: str) -> None:
    """Raises WrongKindError unless `value` is of this kind; `hint` says how to get such a value."""
    if not isinstance(value, kind):
        raise WrongKindError(f"{function}() takes {kind.__name__}, not {type(value).__name__}: pass {hint}")


def require_kernel_and_instruction(function: str, kernel: object, instruction: object) -> None:
    """Raises WrongKindError unless the two parts of a mapping are a Kernel and an Instruction."""
    require_kind(function, kernel, Kernel, KERNEL)
    require_kind(function, instruction, Instruction, "isamap_smt.find_instruction('avx2.fmadd_ps')")
