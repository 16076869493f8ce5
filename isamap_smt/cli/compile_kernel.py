"""isamap compile KERNEL HARDWARE -o DIR: C, header, library, proofs and report, all of them or none."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from isamap_smt.cli.directory import MARK, check_place, seal, whole_directory
from isamap_smt.cli.header import c_header
from isamap_smt.cli.options import compiler_option, kernel_options, plan_options, read_plan
from isamap_smt.cli.output import console, print_json, progress, say_notes
from isamap_smt.cli.plan_view import built_or_another, planned_with_notes, schedule_document
from isamap_smt.cli.prove_mapping import proof_document
from isamap_smt.codegen.c_interface import check_prefix, prefix_of
from isamap_smt.ir.errors import HardwareError

_FUSED = {"fma", "avx512f"}  # x86-64 has fused operations with either; elsewhere they are in the baseline


@click.command("compile")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@click.option("-o", "--output", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where to write.")
@click.option("--prefix", metavar="NAME", help="What the exported functions begin with; by default the kernel's name.")
@click.option("--target", metavar="TRIPLE", help="Compile for another machine, such as aarch64-linux-musl.")
@compiler_option
@plan_options
@kernel_options
def command(
    words: tuple[str, ...],
    output: Path,
    prefix: str | None,
    target: str | None,
    cc: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write kernel.c, kernel.h, kernel.so, proofs.json and report.html into DIR.

    The library is built for the features that HARDWARE requires, whether or not this CPU has them. Instructions that isamap does
    not ship are run first and compared with their descriptions, where this CPU has them.
    """
    from isamap_smt.runtime.conformance.remembered import require_checked

    check_place(output)
    if prefix is not None:
        check_prefix(prefix)  # before anything is searched for
    planned = planned_with_notes(read_plan(words, options))
    if why := planned.hardware.no_c:
        raise HardwareError(why)
    with progress("checking its instructions"):
        planned, unchecked = built_or_another(planned, lambda p: require_checked(p.program, cc))
    say_notes(unchecked)
    with progress("writing") as tell:
        files = write(planned, output, cc, tell, prefix, target)
    if as_json:
        print_json({
            "directory": str(output),
            "prefix": prefix or prefix_of(planned.kernel.name),
            "files": files,
            "instruction": planned.instruction.name if planned.instruction else None,
            "mapping": planned.proved.mapping.id if planned.proved else None,
            "verdict": planned.proof.word,
            "seconds": dict(planned.seconds),
            "notes": [*planned.notes, *unchecked],
        })  # fmt: skip
        return
    out = console()
    out.print(planned.title, style="bold")
    of_mapping, of_program = len(planned.proved.proof.claims) if planned.proved else 0, len(planned.proof.claims)
    out.print(f"proved: {of_mapping} obligations of the mapping, {of_program} of the program")
    for name, about in files.items():
        out.print(f"  {output / name}  {about}")


def write(
    planned: Any, output: Path, cc: str | None, tell: Any, prefix: str | None = None, target: str | None = None
) -> dict[str, str]:
    """Write everything about a plan into a directory; returns file -> what it is. Raises UnknownNameError for a wrong prefix,
    HardwareError where the target cannot have the instructions."""
    from isamap_smt.codegen import print_c
    from isamap_smt.pipeline.plan import header
    from isamap_smt.report.page import html_report
    from isamap_smt.runtime.cache import build_library
    from isamap_smt.runtime.compiler import portable_flags
    from isamap_smt.runtime.packing import used_instructions

    requires = {feature for i in used_instructions(planned.program) for feature in i.requires}
    exported = prefix or prefix_of(planned.kernel.name)
    check_prefix(exported, planned.program)
    source = print_c(planned.checked, header(planned.checked), exported)
    if "isamap_fused(" in source:
        requires |= _FUSED & {feature for i in planned.hardware.instructions for feature in i.requires}
    with whole_directory(output) as scratch:
        (scratch / "kernel.c").write_text(source)
        (scratch / "kernel.h").write_text(c_header(planned.program, exported, portable_flags(requires)))
        tell("compiling")
        shutil.copy(build_library(source, requires, cc=cc, target=target), scratch / "kernel.so")
        tell("writing the report")
        if planned.proved:  # a report draws the lanes of an instruction
            (scratch / "report.html").write_text(html_report(planned))
        seal(scratch, proofs_document(planned))
    return {
        "kernel.c": "the code",
        "kernel.h": "how to call it",
        "kernel.so": "the code, compiled",
        MARK: "every claim with its verdict",
        **({"report.html": "all of it to look at"} if planned.proved else {}),
    }


def proofs_document(planned: Any) -> dict[str, Any]:
    """What was proved about what, by which versions."""
    from isamap_smt.language.printer import to_text
    from isamap_smt.report.quantities import versions

    document: dict[str, Any] = {
        "kernel": {"name": planned.kernel.name, "text": to_text(planned.kernel)},
        "hardware": planned.hardware.name,
        "program": proof_document(planned.proof),
        "certificate": planned.fingerprint,
        "versions": versions(),
    }
    if planned.proved is None:
        return {**document, "computed": {"how": planned.title, "text": to_text(planned.program.kernel)}}
    mapping = planned.proved.mapping
    return {
        **document,
        "sizes": dict(planned.schedule.sizes),
        "instruction": {"name": mapping.instruction.name, "text": to_text(mapping.instruction.kernel)},
        "mapping": {"id": mapping.id, **proof_document(planned.proved.proof)},
        "schedule": schedule_document(planned.schedule),
    }
