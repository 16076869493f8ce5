"""From a program and its C to a kernel that can be called."""

from __future__ import annotations

from isamap_smt.ir.program import Program
from isamap_smt.language.hardware_library import missing_features, require_features
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.packing import used_instructions


def build_program(
    program: Program, source: str, *, cc: str | None = None, sanitize: bool = False, simde: bool = False
) -> CompiledKernel:
    """The program compiled for this CPU, from the cache where it was built before.

    sanitize: with address and undefined-behaviour checks; the process must have the compiler's libasan preloaded.
    simde: instructions this CPU lacks are emulated by SIMDe's headers, for tests.
    Its instructions are checked first, unless this project's tests did that or an earlier use. Raises BuildError, HardwareError
    where this CPU lacks an instruction, and DescriptionError where one does something else than its description says.
    """
    used = used_instructions(program)
    emulate = simde and bool(missing_features(used))
    notes: tuple[str, ...] = ()
    if not emulate:
        require_features(used)
        notes = require_checked(program, cc)
    requires = {feature for i in used for feature in i.requires}
    library = build_library(source, requires, cc=cc, native=not emulate, sanitize=sanitize, simde=emulate)
    return CompiledKernel(program, source, library, emulated=emulate, notes=notes)
