"""isamap-smt: a formal mapper from tensor kernels to hardware instructions.

    Kernel -> Mapping -> ProvedMapping -> Schedule -> Program -> CompiledKernel

Names are loaded on first use, so that importing the package costs nothing and hardware files can import it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_DTYPES = ("f64", "f32", "bf16", "f16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8")
# public name -> module that defines it
_WHERE = {
    **dict.fromkeys(("kernel", "instruction", "axes", "tensor", "to_text"), "isamap_smt.language"),
    **dict.fromkeys(("find_kernel",), "isamap_smt.language.library"),
    **dict.fromkeys(("find_hardware", "find_instruction"), "isamap_smt.language.hardware_library"),
    **dict.fromkeys(("Kernel", "Tensor", "Axis", "Statement", "Access"), "isamap_smt.ir.kernel"),
    **dict.fromkeys(("Instruction", "Cost"), "isamap_smt.ir.instruction"),
    **dict.fromkeys(("Hardware", "Memory", "Link"), "isamap_smt.ir.hardware"),
    **dict.fromkeys(("Mapping",), "isamap_smt.ir.mapping"),
    **dict.fromkeys(("ProvedMapping", "Proof", "ClaimResult"), "isamap_smt.ir.proof"),
    **dict.fromkeys(("Schedule", "LoopStep", "Packing"), "isamap_smt.ir.schedule"),
    **dict.fromkeys(("Program",), "isamap_smt.ir.program"),
    **dict.fromkeys(("IsamapError",), "isamap_smt.ir.errors"),
    **dict.fromkeys(("fuse",), "isamap_smt.mapping.fuse"),
    **dict.fromkeys(("prove", "prove_program", "Rejection"), "isamap_smt.proof"),
    **dict.fromkeys(("find_mappings",), "isamap_smt.search"),
    **dict.fromkeys(("schedule",), "isamap_smt.schedule"),
    **dict.fromkeys(("lower", "print_c"), "isamap_smt.codegen"),
    **dict.fromkeys(("plan", "build", "compile", "Plan"), "isamap_smt.pipeline"),
    **dict.fromkeys(("CompiledKernel",), "isamap_smt.runtime"),
    **dict.fromkeys(_DTYPES, "isamap_smt.ir.dtypes"),
}
__all__ = sorted(_WHERE)  # noqa: PLE0605 - a list, of the names in the table above

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware as Hardware
    from isamap_smt.ir.hardware import Link as Link
    from isamap_smt.ir.hardware import Memory as Memory
    from isamap_smt.ir.instruction import Cost as Cost
    from isamap_smt.ir.instruction import Instruction as Instruction
    from isamap_smt.ir.kernel import Kernel as Kernel
    from isamap_smt.language import axes as axes
    from isamap_smt.language import instruction as instruction
    from isamap_smt.language import kernel as kernel


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
