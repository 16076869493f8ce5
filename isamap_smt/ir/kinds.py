"""A function's arguments are of the kinds it takes, or a sentence says what to pass."""

from __future__ import annotations

from isamap_smt.ir.errors import WrongKindError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

KERNEL = "isamap_smt.kernel('C[i] += A[i]') or isamap_smt.find_kernel('gemm')"


def require_kind(function: str, value: object, kind: type, hint: str) -> None:
    """Raise WrongKindError unless `value` is of that kind; `hint` says where such a value comes from."""
    if not isinstance(value, kind):
        raise WrongKindError(f"{function}() takes {kind.__name__}, not {type(value).__name__}: pass {hint}")


def require_kernel_and_instruction(function: str, kernel: object, instruction: object) -> None:
    """Raise WrongKindError where one of the two that make a mapping is a name, text or something else."""
    require_kind(function, kernel, Kernel, KERNEL)
    require_kind(function, instruction, Instruction, "isamap_smt.find_instruction('avx2.fmadd_ps')")
