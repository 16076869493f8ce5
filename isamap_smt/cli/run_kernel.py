"""isamap run KERNEL HARDWARE --sizes ...: is the result right, and how fast is it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from isamap_smt.cli.options import (
    compiler_option,
    kernel_options,
    load_hardware,
    load_kernel,
    plan_options,
    read_asked,
    split_names,
)
from isamap_smt.cli.output import answer, console, progress, say_notes, seconds
from isamap_smt.cli.schedule_kernel import built_or_another, make_plan, packing_document, schedule_document
from isamap_smt.cli.staged import (
    judgement_document,
    observed_document,
    run_staged,
    show_judgement,
    show_orders,
    status_of,
)
from isamap_smt.ir.errors import HardwareError
from isamap_smt.runtime.judge import INTEGERS, Judgement
from isamap_smt.runtime.measure import judged_call, repeated, require_sizes, speed

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.targets import Target


@click.command("run")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@click.option(
    "--target",
    metavar="NAME",
    help="Where it runs: c is this CPU, a triple such as aarch64-linux-musl is emulated, gemmini and vta are models of those "
    "machines, simulate is any machine's simulator. By default what the machine has.",
)
@click.option(
    "--seeds", type=click.IntRange(0, 10_000), default=3,
    help="Of the simulator: how many adversarial orders of the engines, or of parallel iterations, beside the first.")  # fmt: skip
@compiler_option
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the random arrays.")
@click.option(
    "--seconds",
    "budget",
    type=click.FloatRange(min=0),
    default=1.0,
    help="How long to repeat the call, at least five times.",
)
@plan_options
@kernel_options
def command(
    words: tuple[str, ...], target: str | None, seeds: int, cc: str | None, seed: int, budget: float, as_json: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Compile KERNEL for HARDWARE, run it on random arrays, compare with the reference, and time it.

    A result that is off by more than its rounding explains, or not equal where the arithmetic is exact, is status 6.
    The time is that of the best of several repetitions. Packing of operands counts, but for those named by --constant.
    Under an emulator the kernel is called once, and not timed. A machine with engines is simulated: cycles, and races in any order.
    """
    from isamap_smt.language.ranges import assume
    from isamap_smt.targets import find_target
    from isamap_smt.targets.find import default_target

    name, hardware = split_names(words, options["text"], "HARDWARE")
    machine = load_hardware(hardware, options)
    where = find_target(target) if target else default_target(machine)
    kernel, sizes = load_kernel(name, options)
    kernel = kernel.with_sizes(sizes)
    require_sizes(kernel)
    kernel = assume(kernel, options["assume"])
    if why := where.available(cc) or where.takes(machine):
        raise HardwareError(why)
    if target is None and where.name == "c":
        require_executed_here(machine)
    if machine.engines:
        return run_staged(where, read_asked(words, options), seed, seeds, as_json)
    planned = make_plan(words, options)
    if where.name == "simulate":
        return run_simulated(where, planned, kernel, options["threads"], seed, seeds, as_json)
    say_notes(filter(None, [where.beforehand(cc)]))
    with progress("compiling"):
        planned, compiled = built_or_another(planned, lambda p: where.build(where.emit(p.checked), cc=cc))
    say_notes(compiled.notes)  # the plan's have been said
    with progress("running"):
        call, seen = judged_call(compiled, kernel, options["threads"], seed)
        times = repeated(call, budget) if where.timed else ()
    rate = speed(kernel, times) if times else None
    told = (seen, times, rate, planned, options["threads"], where)
    answer(as_json, run_document(*told), lambda: show(*told))
    return status_of(seen.reason)


def require_executed_here(machine: Hardware) -> None:
    """Nothing happens unless only another target executes the machine here. Raises HardwareError that names the target."""
    from isamap_smt.targets.find import executor_of

    elsewhere, by = executor_of(machine)
    if elsewhere not in {"", "c"}:
        raise HardwareError(f"this CPU does not execute {machine.name}, {by} does: add --target {elsewhere}")


def run_simulated(
    where: Target, planned: Any, kernel: Any, threads: int, seed: int, seeds: int, as_json: bool
) -> int:  # fmt: skip
    """The program of a core, run by the simulator once and once for each seed, and compared. The exit status."""
    from isamap_smt.runtime.measure import arrays_for

    program = where.build(where.emit(planned))
    with progress("simulating"):
        seen = program.observe(kernel, arrays_for(kernel, seed), seeds)  # type: ignore[attr-defined]
    told = (seen.judged, (), None, planned, threads, where)

    def shown() -> None:
        show(*told)
        show_orders(seen, planned)

    answer(as_json, {**run_document(*told), **observed_document(seen)}, shown)
    return status_of(seen.wrong)


def run_document(
    seen: Judgement, times: Sequence[float], rate: float | None, planned: Any, threads: int, where: Target
) -> dict[str, Any]:
    """The JSON of `isamap run`."""
    return {
        **judgement_document(seen),
        "seconds": min(times, default=None),
        "gflops": None if rate is None else round(rate, 3),
        "reference": seen.against,
        "instruction": planned.instruction.name if planned.instruction else None,
        "schedule": schedule_document(planned.schedule) if planned.schedule else None,
        "threads": threads,
        "repetitions": len(times),
        "packing": packing_document(planned.schedule) if planned.schedule else {},
        "target": where.name,
        "executor": where.executor(planned.hardware),
        "notes": list(planned.notes),
    }


def show(
    seen: Judgement, times: Sequence[float], rate: float | None, planned: Any, threads: int, where: Target
) -> None:
    """The result in four lines."""
    out = console()
    out.print(planned.title, style="bold")
    if seen.reason:
        out.print(f"WRONG: {seen.reason}", style="bold red")
    show_judgement(seen)
    if rate is None:
        for_it = (
            "" if where.name == "simulate" else f" for {where.name}; an emulator's time is not speed, so none is given"
        )
        out.print(f"run once by {where.executor(planned.hardware)}{for_it}")
    else:
        unit = "GFLOP/s" if seen.against != INTEGERS else "GOP/s"
        on = f"{threads} thread{'' if threads == 1 else 's'}"
        out.print(f"{rate:.1f} {unit}: {seconds(min(times))}, best of {len(times)}, {on}")
    if planned.schedule:
        out.print(f"schedule {planned.schedule}")
