"""From a plan, or any program that can be proved, to a function on NumPy arrays."""

from __future__ import annotations

from inspect import signature
from typing import Any

from isamap_smt.codegen import print_c
from isamap_smt.codegen.printed import PrintedC
from isamap_smt.ir.errors import NotProvedError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.pipeline.plan import Plan, header, plan
from isamap_smt.proof import require_proof
from isamap_smt.runtime import CompiledKernel, build_program


def compile(
    kernel: Kernel | str, hardware: Hardware | str, *, cc: str | None = None, sanitize: bool = False, **options: Any
) -> CompiledKernel:
    """plan() and build() in one: a callable kernel, proved end to end. Options are those of plan().

    Raises what these two raise, and UnknownNameError for an option that neither has.
    """
    known = [n for n, p in signature(plan).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise UnknownNameError(
                f"compile() has no option {name!r}; {did_you_mean(name, [*known, 'cc', 'sanitize'])}"
            )
    return build(plan(kernel, hardware, **options), cc=cc, sanitize=sanitize)


def build(planned: Plan | Program | ProvedProgram, *, cc: str | None = None, sanitize: bool = False) -> CompiledKernel:
    """A function on NumPy arrays, from a Plan or from a Program, which is proved first. Nothing unproved is compiled.

    cc: 'zig', 'clang', 'gcc' or a path; by default ISAMAP_CC, else the ziglang wheel's compiler, else the system's.
    sanitize: with the address and undefined-behaviour sanitizers (gcc or clang). The result takes row-major arrays of
    the kernel's dtypes and shapes, and `out` to accumulate into; each call checks what the proof assumes.

    Raises NotProvedError with the claims that fail, HardwareError where this CPU lacks an instruction, and BuildError
    with the compiler's words.
    """
    made = build_program(printed(planned), cc=cc, sanitize=sanitize)
    if isinstance(planned, Plan):
        made.notes = (*planned.notes, *made.notes)
    return made


def printed(planned: Plan | Program | ProvedProgram) -> PrintedC:
    """The C that build() compiles. Raises NotProvedError."""
    match planned:
        case Plan():
            return planned.source
        case ProvedProgram():
            checked = planned
        case Program():
            checked = require_proof(planned)
        case _:
            raise NotProvedError(
                f"build() takes a Plan, a Program or a ProvedProgram, not {type(planned).__name__}; make one with plan()"
            )
    return print_c(checked, header(checked))
