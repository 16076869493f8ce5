"""From C that was printed of a proved program to a kernel that can be called."""

from __future__ import annotations

from isamap_smt.codegen.printed import PrintedC, require_printed
from isamap_smt.language.hardware_library import missing_features, require_features
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.packing import used_instructions


def build_program(
    source: PrintedC, *, cc: str | None = None, sanitize: bool = False, simde: bool = False
) -> CompiledKernel:
    """What print_c() printed, compiled for this CPU, from the cache where it was built before.

    sanitize: with address and undefined-behaviour checks; the process must have the compiler's libasan preloaded.
    simde: instructions this CPU lacks are emulated by SIMDe's headers, for tests.
    Its instructions are checked first, unless this project's tests did that or an earlier use. Raises NotProvedError for other
    text, BuildError, HardwareError where this CPU lacks an instruction, and DescriptionError where one does something else than
    its description says.
    """
    program = require_printed(source, "build_program()").checked.program
    used = used_instructions(program)
    emulate = simde and bool(missing_features(used))
    notes: tuple[str, ...] = ()
    if not emulate:
        require_features(used)
        notes = require_checked(program, cc)
    requires = {feature for i in used for feature in i.requires}
    library = build_library(source, requires, cc=cc, native=not emulate, sanitize=sanitize, simde=emulate)
    return CompiledKernel(source, library, emulated=emulate, notes=notes)
