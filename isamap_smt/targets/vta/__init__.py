"""TVM's VTA, executed: a functional model of its instructions and its three engines, in C.

The model follows the sources named in docs/vta.md, and shares no code with descriptions, proofs or the simulator.
"""

from isamap_smt.targets.vta.answer import DeadlockError, RefusedError, Report, Why
from isamap_smt.targets.vta.here import HereProgram, Stream, build_here
from isamap_smt.targets.vta.model import build_model, run, run_on

__all__ = [
    "DeadlockError",
    "HereProgram",
    "RefusedError",
    "Report",
    "Stream",
    "Why",
    "build_here",
    "build_model",
    "run",
    "run_on",
]
