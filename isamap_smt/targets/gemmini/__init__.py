"""Gemmini, executed: a functional model of its instructions in C, and programs on it in this process and in Spike.

The model follows the sources named in docs/gemmini.md, and shares no code with descriptions, proofs or the simulator.
"""

from isamap_smt.targets.gemmini.answer import Answer, RefusedError
from isamap_smt.targets.gemmini.here import HereProgram, build_here
from isamap_smt.targets.gemmini.model import Model, build_model
from isamap_smt.targets.gemmini.spike import SpikeProgram, build_for_spike, missing, title

__all__ = [
    "Answer",
    "HereProgram",
    "Model",
    "RefusedError",
    "SpikeProgram",
    "build_for_spike",
    "build_here",
    "build_model",
    "missing",
    "title",
]
