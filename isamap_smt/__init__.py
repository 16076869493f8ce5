"""isamap-smt: a formal mapper from tensor kernels to hardware instructions.

    Kernel -> Mapping -> ProvedMapping -> Schedule -> Program -> CompiledKernel

Names are loaded on first use: importing the package costs nothing, and hardware files can import it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_DTYPES = (
    "f64",
    "f32",
    "bf16",
    "f16",
    "f8e4m3",
    "f8e5m2",
    "f8e4m3fnuz",
    "f8e5m2fnuz",
    "i64",
    "i32",
    "i16",
    "i8",
    "u64",
    "u32",
    "u16",
    "u8",
    "bool_",
)
# public name -> module that defines it
_WHERE = {
    **dict.fromkeys(("kernel", "instruction", "axes", "tensor", "to_text"), "isamap_smt.language"),
    **dict.fromkeys(("find_kernel",), "isamap_smt.language.library"),
    **dict.fromkeys(("assume",), "isamap_smt.language.ranges"),
    **dict.fromkeys(("parameter",), "isamap_smt.language.loading"),
    **dict.fromkeys(("find_hardware", "find_instruction"), "isamap_smt.language.hardware_library"),
    **dict.fromkeys(("Kernel", "Tensor", "Axis", "Statement", "Access"), "isamap_smt.ir.kernel"),
    **dict.fromkeys(("Instruction", "Cost"), "isamap_smt.ir.instruction"),
    **dict.fromkeys(("Hardware", "Memory", "Link"), "isamap_smt.ir.hardware"),
    **dict.fromkeys(("MachineParameter",), "isamap_smt.ir.machine_parameters"),
    **dict.fromkeys(("Rule",), "isamap_smt.ir.rules"),
    **dict.fromkeys(("Engine", "Work"), "isamap_smt.ir.engines"),
    **dict.fromkeys(("Mapping",), "isamap_smt.ir.mapping"),
    **dict.fromkeys(("ProvedMapping", "Proof", "ClaimResult"), "isamap_smt.ir.proof"),
    **dict.fromkeys(("Schedule", "LoopStep", "Stage"), "isamap_smt.ir.schedule"),
    **dict.fromkeys(("Program", "ProvedProgram"), "isamap_smt.ir.program"),
    **dict.fromkeys(("IsamapError",), "isamap_smt.ir.errors"),
    **dict.fromkeys(("fuse",), "isamap_smt.mapping.fuse"),
    **dict.fromkeys(("accumulate",), "isamap_smt.mapping.wider_sums"),
    **dict.fromkeys(("prove", "Rejection"), "isamap_smt.proof"),
    **dict.fromkeys(("Equality",), "isamap_smt.equality"),
    **dict.fromkeys(("sweep", "table", "why", "Explored", "Why"), "isamap_smt.exploration"),
    **dict.fromkeys(("overflow", "Overflow"), "isamap_smt.proof.overflow"),
    **dict.fromkeys(("prove_program", "require_proof"), "isamap_smt.proof.program"),
    **dict.fromkeys(("online",), "isamap_smt.proof.split"),
    **dict.fromkeys(("find_mappings", "check_certificate", "MappingSet"), "isamap_smt.search"),
    **dict.fromkeys(("run_kernel", "run_instruction"), "isamap_smt.ir.interpret"),
    **dict.fromkeys(("schedule",), "isamap_smt.scheduling"),
    **dict.fromkeys(("plan_memory", "MemoryPlan"), "isamap_smt.scheduling.memory"),
    **dict.fromkeys(("lower", "print_c"), "isamap_smt.codegen"),
    **dict.fromkeys(("plan", "Plan"), "isamap_smt.pipeline.plan"),
    **dict.fromkeys(("build", "compile"), "isamap_smt.pipeline.build"),
    **dict.fromkeys(("einsum",), "isamap_smt.pipeline.einsum"),
    **dict.fromkeys(("tune",), "isamap_smt.pipeline.tune"),
    **dict.fromkeys(("find_target", "Target"), "isamap_smt.targets"),
    **dict.fromkeys(("stage",), "isamap_smt.pipeline.staged"),
    **dict.fromkeys(("simulate", "Simulation", "chrome_trace"), "isamap_smt.simulator"),
    **dict.fromkeys(("CompiledKernel",), "isamap_smt.runtime.compiled"),
    **dict.fromkeys(("rounding_error", "rounding_bound"), "isamap_smt.runtime.explained"),
    **dict.fromkeys(("from_onnx",), "isamap_smt.networks.onnx.importer"),
    **dict.fromkeys(
        (
            "input",
            "open_size",
            "network",
            "relu",
            "abs",
            "negative",
            "sign",
            "sigmoid",
            "tanh",
            "exp",
            "log",
            "sqrt",
            "erf",
            "sin",
            "cos",
            "gelu",
            "silu",
            "astype",
            "equal",
            "not_equal",
            "maximum",
            "minimum",
            "logical_and",
            "logical_or",
            "logical_not",
            "clip",
            "where",
            "matmul",
            "linear",
            "conv1d",
            "conv2d",
            "conv_transpose2d",
            "max_pool2d",
            "average_pool2d",
            "softmax",
            "layer_norm",
            "rms_norm",
            "group_norm",
            "batch_norm",
            "attention",
            "sum",
            "mean",
            "max",
            "min",
            "reshape",
            "transpose",
            "squeeze",
            "expand_dims",
            "expand",
            "concatenate",
            "split",
            "pad",
            "take",
            "gather",
            "embedding",
        ),
        "isamap_smt.networks.build",
    ),
    **dict.fromkeys(("register_backend",), "isamap_smt.networks.foreign"),
    **dict.fromkeys(("load_network", "LoadedNetwork"), "isamap_smt.networks.loaded"),
    **dict.fromkeys(("write_network",), "isamap_smt.networks.written"),
    **dict.fromkeys(("compile_onnx",), "isamap_smt.networks.kept"),
    **dict.fromkeys(("from_torch",), "isamap_smt.networks.torch.export"),
    **dict.fromkeys(("torch_op",), "isamap_smt.networks.torch.op"),
    **dict.fromkeys(("Network",), "isamap_smt.networks.graph"),
    **dict.fromkeys(("run_network",), "isamap_smt.networks.interpret"),
    **dict.fromkeys(("plan_network", "NetworkPlan"), "isamap_smt.networks.plan"),
    **dict.fromkeys(("compile_network", "CompiledNetwork"), "isamap_smt.networks.compiled"),
    **dict.fromkeys(("machine_from_table",), "isamap_smt.isa"),
    **dict.fromkeys(("Traffic",), "isamap_smt.architectures.traffic"),
    **dict.fromkeys(
        ("from_architecture", "from_timeloop", "from_zigzag", "ReadMachine", "Unread"), "isamap_smt.architectures"
    ),
    **dict.fromkeys(("check_hardware", "HardwareCheck"), "isamap_smt.runtime.conformance"),
    **dict.fromkeys(_DTYPES, "isamap_smt.ir.dtypes"),
}
__all__ = sorted(_WHERE)  # noqa: PLE0605 - a list, of the names in the table above

if TYPE_CHECKING:
    # Only what stands below the machines, which import this package: the layers hold for a type checker too.
    from isamap_smt.ir.dtypes import bf16 as bf16
    from isamap_smt.ir.dtypes import bool_ as bool_
    from isamap_smt.ir.dtypes import f8e4m3 as f8e4m3
    from isamap_smt.ir.dtypes import f8e4m3fnuz as f8e4m3fnuz
    from isamap_smt.ir.dtypes import f8e5m2 as f8e5m2
    from isamap_smt.ir.dtypes import f8e5m2fnuz as f8e5m2fnuz
    from isamap_smt.ir.dtypes import f16 as f16
    from isamap_smt.ir.dtypes import f32 as f32
    from isamap_smt.ir.dtypes import f64 as f64
    from isamap_smt.ir.dtypes import i8 as i8
    from isamap_smt.ir.dtypes import i16 as i16
    from isamap_smt.ir.dtypes import i32 as i32
    from isamap_smt.ir.dtypes import i64 as i64
    from isamap_smt.ir.dtypes import u8 as u8
    from isamap_smt.ir.dtypes import u16 as u16
    from isamap_smt.ir.dtypes import u32 as u32
    from isamap_smt.ir.dtypes import u64 as u64
    from isamap_smt.ir.engines import Engine as Engine
    from isamap_smt.ir.engines import Work as Work
    from isamap_smt.ir.errors import IsamapError as IsamapError
    from isamap_smt.ir.hardware import Hardware as Hardware
    from isamap_smt.ir.hardware import Link as Link
    from isamap_smt.ir.hardware import Memory as Memory
    from isamap_smt.ir.instruction import Cost as Cost
    from isamap_smt.ir.instruction import Instruction as Instruction
    from isamap_smt.ir.interpret import run_instruction as run_instruction
    from isamap_smt.ir.interpret import run_kernel as run_kernel
    from isamap_smt.ir.kernel import Access as Access
    from isamap_smt.ir.kernel import Axis as Axis
    from isamap_smt.ir.kernel import Kernel as Kernel
    from isamap_smt.ir.kernel import Statement as Statement
    from isamap_smt.ir.kernel import Tensor as Tensor
    from isamap_smt.ir.machine_parameters import MachineParameter as MachineParameter
    from isamap_smt.ir.mapping import Mapping as Mapping
    from isamap_smt.ir.program import Program as Program
    from isamap_smt.ir.program import ProvedProgram as ProvedProgram
    from isamap_smt.ir.proof import ClaimResult as ClaimResult
    from isamap_smt.ir.proof import Proof as Proof
    from isamap_smt.ir.proof import ProvedMapping as ProvedMapping
    from isamap_smt.ir.schedule import LoopStep as LoopStep
    from isamap_smt.ir.schedule import Schedule as Schedule
    from isamap_smt.ir.schedule import Stage as Stage
    from isamap_smt.language import axes as axes
    from isamap_smt.language import instruction as instruction
    from isamap_smt.language import kernel as kernel
    from isamap_smt.language import tensor as tensor
    from isamap_smt.language import to_text as to_text
    from isamap_smt.language.hardware_library import find_hardware as find_hardware
    from isamap_smt.language.hardware_library import find_instruction as find_instruction
    from isamap_smt.language.library import find_kernel as find_kernel
    from isamap_smt.language.loading import parameter as parameter
    from isamap_smt.language.ranges import assume as assume


_GONE = {
    "StagedPlan": "Plan",
    "Packing": "Stage",
    "prove_uses": "prove_program",
    "turns": "isamap_smt.language.time_steps()",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        hint = f"; it is {_GONE[name]} now" if name in _GONE else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
