"""Kernels and instructions, written as text or in Python."""

from isamap_smt.ir.kernel import Kernel as Kernel
from isamap_smt.language.build import axes as axes
from isamap_smt.language.build import call as call
from isamap_smt.language.build import cast as cast
from isamap_smt.language.build import param as param
from isamap_smt.language.build import select as select
from isamap_smt.language.build import size as size
from isamap_smt.language.build import tensor as tensor
from isamap_smt.language.build import tensors as tensors
from isamap_smt.language.build import time_steps as time_steps
from isamap_smt.language.build import total as total
from isamap_smt.language.build import within as within
from isamap_smt.language.instructions import instruction as instruction
from isamap_smt.language.printer import to_text as to_text
from isamap_smt.language.text import kernel as kernel


def __getattr__(name: str) -> object:
    if name == "turns":
        raise ImportError("isamap_smt.language.turns() is time_steps() now")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
