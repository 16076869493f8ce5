"""isamap run KERNEL HARDWARE --sizes ...: is the result right, and how fast is it?"""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.options import (
    compiler_option,
    kernel_options,
    load_kernel,
    parse_dtypes,
    parse_sizes,
    plan_options,
    split_names,
)
from isamap_smt.cli.output import console, print_json, progress, say, seconds
from isamap_smt.cli.schedule_kernel import make_plan, packing_document, schedule_document
from isamap_smt.cli.status import WRONG_RESULT
from isamap_smt.runtime.judge import INTEGERS
from isamap_smt.runtime.measure import Measured, measure, require_sizes


@click.command("run")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@compiler_option
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random arrays.")
@click.option(
    "--seconds",
    "budget",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="How long to repeat the call, at least five times.",
)
@plan_options
@kernel_options
def command(words: tuple[str, ...], cc: str | None, seed: int, budget: float, as_json: bool, **options: Any) -> int:
    """Compile KERNEL for HARDWARE, run it on random arrays, compare with the reference, and time it.

    A result that is off by more than its rounding explains, or not equal where the arithmetic is exact, is status 6.
    The time is that of the best of several repetitions. Packing of operands counts, but for those named by --constant.
    """
    from isamap_smt.language.ranges import assume
    from isamap_smt.pipeline import build

    name, _ = split_names(words, options["text"], "HARDWARE")
    kernel, sizes = load_kernel(name, options["text"], parse_dtypes(options["dtypes"]), parse_sizes(options["sizes"]))
    kernel = kernel.with_sizes(sizes)
    require_sizes(kernel)
    kernel = assume(kernel, options["assume"])
    planned = make_plan(words, options)
    with progress("compiling"):
        compiled = build(planned, cc=cc)
    for note in compiled.notes[len(planned.notes) :]:  # the plan's have been said
        say(f"note: {note}")
    with progress("running"):
        seen = measure(compiled, kernel, options["threads"], seed, budget)
    document = run_document(seen, planned, options["threads"])
    if as_json:
        print_json(document)
    else:
        show(seen, planned, options["threads"])
    if seen.wrong:
        say(f"error: the result is wrong: {seen.wrong}")
        return WRONG_RESULT
    return 0


def run_document(seen: Measured, planned: Any, threads: int) -> dict[str, Any]:
    """The JSON of `isamap run`."""
    return {
        "exact": seen.exact,
        "max_error": seen.max_error,
        "bound": seen.bound,
        "wrong": seen.wrong,
        "seconds": seen.seconds,
        "gflops": round(seen.gflops, 3),
        "reference": seen.reference,
        "instruction": planned.instruction.name if planned.instruction else None,
        "schedule": schedule_document(planned.schedule) if planned.schedule else None,
        "threads": threads,
        "repetitions": seen.repetitions,
        "packing": packing_document(planned.schedule) if planned.schedule else {},
        "notes": list(planned.notes),
    }


def show(seen: Measured, planned: Any, threads: int) -> None:
    """The result in four lines."""
    out = console()
    out.print(planned.title, style="bold")
    if seen.exact:
        out.print(f"equal to the reference ({seen.reference}) bit for bit", style="green")
    elif seen.wrong:
        out.print(f"WRONG: {seen.wrong}", style="bold red")
    else:
        out.print(
            f"largest error {seen.max_error:.2e} of the largest element, against {seen.reference}; "
            f"rounding explains {seen.bound:.2e}"
        )
    unit = "GFLOP/s" if seen.reference != INTEGERS else "GOP/s"
    out.print(
        f"{seen.gflops:.1f} {unit}: {seconds(seen.seconds)}, best of {seen.repetitions}, "
        f"{threads} thread{'' if threads == 1 else 's'}"
    )
    if planned.schedule:
        out.print(f"schedule {planned.schedule}")
