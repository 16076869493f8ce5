"""From a plan, or any provable program, to a function on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from inspect import signature
from typing import Any, overload

from isamap_smt.codegen import print_c
from isamap_smt.codegen.printed import PrintedC
from isamap_smt.ir.arguments import valid_sizes, yes_or_no
from isamap_smt.ir.errors import BuildError, NotProvedError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.language.library import found_kernel
from isamap_smt.mapping.pitched import knows_no_gap, pitched
from isamap_smt.pipeline.another_cover import built
from isamap_smt.pipeline.plan import Plan, header, plan
from isamap_smt.proof import require_proof
from isamap_smt.proof.kernel_begun import needs_no_fill
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.strided import StridedKernel
from isamap_smt.scheduling.arguments import tensor_names


@overload
def compile(
    kernel: Kernel | str,
    hardware: Hardware | str,
    *,
    strided: Iterable[str],
    cc: str | None = None,
    sanitize: bool = False,
    **options: Any,
) -> StridedKernel: ...


@overload
def compile(
    kernel: Kernel | str, hardware: Hardware | str, *, cc: str | None = None, sanitize: bool = False, **options: Any
) -> CompiledKernel: ...


def compile(
    kernel: Kernel | str,
    hardware: Hardware | str,
    *,
    cc: str | None = None,
    sanitize: bool = False,
    strided: Iterable[str] = (),
    **options: Any,
) -> CompiledKernel | StridedKernel:
    """plan() and build() in one: a callable kernel, proved end to end. Options are those of plan().

    strided: inputs and outputs passed as views with any distance between rows, read and written in place; see StridedKernel.
    Raises the errors of both, and UnknownNameError for an option of neither.
    """
    known = [n for n, p in signature(plan).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise UnknownNameError(
                f"compile() has no option {name!r}; {did_you_mean(name, [*known, 'cc', 'sanitize'])}"
            )
    names = tensor_names(strided)
    if not names:
        return build(plan(kernel, hardware, **options), cc=cc, sanitize=sanitize)
    whole = found_kernel(kernel)
    made = build(plan(pitched(whole, names), hardware, **options), cc=cc, sanitize=sanitize)
    knows_no_gap(made.program, [t for t in whole.tensors if t.name in names and t.name in whole.results])
    fixed = whole.with_sizes(valid_sizes(options.get("sizes")))
    return StridedKernel(made, fixed, names, tuple(n for n in fixed.results if not needs_no_fill(fixed, n)))


def build(planned: Plan | Program | ProvedProgram, *, cc: str | None = None, sanitize: bool = False) -> CompiledKernel:
    """A function on NumPy arrays, from a Plan, or from a Program, proved first. Nothing unproved is compiled.

    cc: 'zig', 'clang', 'gcc' or a path; by default ISAMAP_CC, else the ziglang wheel's compiler, else the system's.
    sanitize: with the address and undefined-behaviour sanitizers (gcc or clang). The result takes row-major arrays of
    the kernel's dtypes and shapes, and `out` to accumulate into; each call checks the proof's assumptions. If a check on this CPU
    refuses a cover from a Plan's instruction selection, another cover replaces it, and the notes say so.
    Raises NotProvedError with the failing claims, HardwareError if this CPU lacks an instruction, and BuildError
    with the compiler's words.
    """
    checked = yes_or_no(sanitize, "sanitize", BuildError)
    if checked and not hasattr(ctypes.CDLL(None), "__asan_init"):
        raise BuildError(
            "sanitize=True: the compiler's libasan must be preloaded, or it ends this process; start Python with LD_PRELOAD set "
            "to what `gcc -print-file-name=libasan.so` says"
        )
    if not isinstance(planned, Plan):
        return build_program(printed(planned), cc=cc, sanitize=checked)
    taken, made = built(planned, lambda p: build_program(p.source, cc=cc, sanitize=checked))
    made.notes = (*taken.notes, *made.notes)
    return made


def printed(planned: Plan | Program | ProvedProgram) -> PrintedC:
    """The C source compiled by build(). Raises NotProvedError."""
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
