"""isamap run KERNEL HARDWARE --sizes ...: is the result right, and how fast is it?"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from isamap_smt.certificates.directory import check_file, write_whole
from isamap_smt.cli.network import (
    AGAINST,
    constants_option,
    foreign_option,
    is_model,
    most_option,
    place_option,
    place_seconds_option,
)
from isamap_smt.cli.network import run as run_model
from isamap_smt.cli.options import (
    compiler_option,
    kernel_options,
    load_hardware,
    load_kernel,
    machine_named,
    plan_options,
    read_plan,
    split_names,
)
from isamap_smt.cli.output import answer, console, progress, say, say_notes, seconds
from isamap_smt.cli.plan_view import (
    built_or_another,
    packing_document,
    plan_document,
    planned_with_notes,
    schedule_words,
)
from isamap_smt.cli.status import WRONG_RESULT
from isamap_smt.ir.errors import HardwareError
from isamap_smt.pipeline.element_by_element import elementwise
from isamap_smt.report.compared import Beside, beside, processor
from isamap_smt.report.header import computed_by, count, work_words
from isamap_smt.report.quantities import rate
from isamap_smt.runtime.clock import clock_ghz
from isamap_smt.runtime.judge import INTEGERS, Judgement, judge, wanted
from isamap_smt.runtime.measure import arrays_for, judged_call, repeated, require_sizes, speed

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.ir.kernel import Kernel
    from isamap_smt.pipeline.plan import Plan
    from isamap_smt.runtime.judge import Judgement
    from isamap_smt.targets import Target
    from isamap_smt.targets.simulate import Observed


# ---- What commands say of a result: how it compares with the reference, and what the simulator saw.


def status_of(wrong: str) -> int:
    """The exit status of a run; if its result is wrong, standard error says why."""
    if wrong:
        say(f"error: the result is wrong: {wrong}")
    return WRONG_RESULT if wrong else 0


def judgement_document(seen: Judgement) -> dict[str, Any]:
    """How a result compares with the reference, as JSON."""
    return {
        "exact": seen.exact,
        "max_error": seen.error,
        "bound": seen.bound,
        "stated": seen.stated,
        "foreseen": list(seen.foreseen),
        "wrong": seen.reason,
        "undefined": seen.undefined,
    }


def show_judgement(seen: Judgement) -> None:
    """The bounds on the error of a correct result."""
    if not seen.reason:
        console().print(
            f"largest error {seen.error:.2e} of the largest element, against {seen.against}; "
            f"up to {seen.bound:.2e} passes as rounding"
        )
    if seen.stated is not None and not seen.reason:
        console().print(
            "bound for this run's inputs, from the rounding of each operation: at most "
            f"{seen.stated:.2e} of the largest element; each element is within its own"
        )
    for told in seen.foreseen:
        console().print(f"bound computed without a run: {told}")


def observed_document(seen: Observed) -> dict[str, Any]:
    """The simulator's observations, as JSON. cycles: null of a core."""
    return {
        "wrong": seen.wrong,
        "cycles": seen.cycles,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in seen.engines.items()},
        "interleavings": seen.orders,
        "races": list(seen.races),
    }


def show_orders(seen: Observed, planned: Plan) -> None:
    """In how many orders the simulator ran the program, and its findings."""
    orders = "1 order" if seen.orders == 1 else f"{seen.orders} orders"
    console().print(
        f"simulated in {orders}: {len(seen.races) or 'no'} races; proved: {len(planned.proof.claims)} claims"
    )
    if seen.cycles is not None:
        busy = (f"{n} {b.cycles / seen.cycles:.0%} of the time ({b.uses:,} uses)" for n, b in seen.engines.items())
        console().print("engines: " + ", ".join(busy))


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
@click.option(
    "--trace",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of a machine with engines: write the simulated uses as a Chrome trace (JSON), which ui.perfetto.dev opens.",
)
@compiler_option
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the random arrays.")
@click.option(
    "--seconds",
    "budget",
    type=click.FloatRange(min=0),
    default=1.0,
    help="How long to repeat the call, at least five times.",
)
@click.option(
    "--against",
    type=click.Choice(AGAINST),
    help="Of a model: whose results ours are compared with; onnxruntime where it is installed, else the interpreter.",
)
@constants_option
@most_option
@click.option("--anew", is_flag=True, help="Of a model: plan, prove and compile it, though the same was before.")
@foreign_option
@place_option
@place_seconds_option
@plan_options
@kernel_options
def command(
    words: tuple[str, ...], target: str | None, seeds: int, trace: Path | None, cc: str | None, seed: int, budget: float,
    against: str | None, anew: bool, as_json: bool, **options: Any,
) -> int:  # fmt: skip
    """Compile KERNEL for HARDWARE, run it on random arrays, compare with the reference, and time it.

    A result off by more than its rounding explains, or unequal in exact arithmetic, is status 6.
    `isamap run MODEL.onnx [HARDWARE]` does the same with a whole network. The time is the best of several
    repetitions. Packing of operands counts, but for those named by --constant. Under an emulator the kernel is
    called once, and not timed. A machine with engines is simulated: cycles, and races in any order.
    """
    from isamap_smt.language.ranges import assume
    from isamap_smt.targets import find_target

    if is_model(words):
        if target is not None:
            raise HardwareError("--target: a network runs on this CPU")
        if options["place_seconds"] and not options["place"]:
            raise click.UsageError("--place-seconds is of --place onnxruntime,torch,numpy, which is not given")
        return run_model(words, against, cc, seed, budget, as_json, anew, options)
    if against is not None:
        raise click.UsageError("--against is of a model: isamap run MODEL.onnx --against onnxruntime")
    if anew:
        raise click.UsageError("--anew is of a model: isamap run MODEL.onnx --anew; a kernel is proved at each run")
    if options.pop("foreign"):
        raise click.UsageError("--foreign is of a model: isamap run MODEL.onnx --foreign onnxruntime")
    if any([options.pop("place"), options.pop("place_seconds")]):
        raise click.UsageError("--place is of a model: isamap run MODEL.onnx --place onnxruntime,torch,numpy")
    if options.pop("most"):
        raise click.UsageError("--max is of a model: isamap run MODEL.onnx --max batch=8")
    if options.pop("constants"):
        raise click.UsageError("--constants is of a model: isamap run MODEL.onnx --constants rows=[2,3]")
    from isamap_smt.targets.target import default_target

    name, hardware = split_names(words, options["text"], "HARDWARE")
    machine = load_hardware(machine_named(hardware, options["instruction"])[0], options)
    where = find_target(target) if target else default_target(machine)
    kernel, sizes = load_kernel(name, options)
    kernel = kernel.with_sizes(sizes)
    require_sizes(kernel)
    kernel = assume(kernel, options["assume"])
    if why := where.available(cc) or where.takes(machine):
        raise HardwareError(why)
    if target is None and where.name == "c":
        require_executed_here(machine)
    if trace:
        require_traced(machine, where)
        check_file(trace, is_trace, otherwise="name another file, or move that away")  # before anything is planned
    asked = read_plan(words, options, engines=True)
    planned = planned_with_notes(asked)
    if where.name == "simulate":
        ran = _simulated(
            where, planned, assume(asked["kernel"].with_sizes(sizes), options["assume"]), seed, seeds, trace
        )
    elif machine.engines:
        ran = _executed(where, planned, asked["kernel"].with_sizes(sizes), seed)
    else:
        ran = _called(where, planned, kernel, seed, budget, options["threads"], cc)
    answer(as_json, lambda: run_document(ran), lambda: show(ran, _compared(ran, seed, budget, cc)))
    return status_of(ran.observed.wrong if ran.observed else ran.judged.reason)


@dataclass(frozen=True)
class Ran:
    """A plan's program on a target, and how its result compares.

    kernel: as asked, with all sizes. times: of the calls, seconds; () if the target keeps no time. rate: operations
    a nanosecond. observed: of the simulator. told: the target's words about the call; timing: of its timing model.
    trace: the file with the timed run.
    """

    planned: Plan
    kernel: Kernel
    where: Target
    judged: Judgement
    threads: int = 1
    times: tuple[float, ...] = ()
    rate: float | None = None
    observed: Observed | None = None
    told: tuple[str, ...] | None = None
    timing: Any = ()
    trace: Path | None = None


def require_executed_here(machine: Hardware) -> None:
    """Raise HardwareError, naming the target, if only another target executes the machine here."""
    from isamap_smt.targets.target import executor_of

    elsewhere, by = executor_of(machine)
    if elsewhere not in {"", "c"}:
        raise HardwareError(f"this CPU does not execute {machine.name}, {by} does: add --target {elsewhere}")


def require_traced(machine: Hardware, where: Target) -> None:
    """Raise HardwareError unless the machine has engines and the target is the simulator: others keep no trace."""
    if not machine.engines:
        raise HardwareError(f"--trace shows the uses of engines, and {machine.name} has none; leave it out")
    if where.name != "simulate":
        raise HardwareError(f"--trace: {where.name} keeps none, the simulator does: add --target simulate")


def is_trace(text: str) -> bool:
    """Whether a file's text is a trace written by --trace."""
    from isamap_smt.simulator.timeline import GENERATOR

    try:
        return bool(json.loads(text)["otherData"]["generator"] == GENERATOR)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def _simulated(where: Target, planned: Plan, kernel: Kernel, seed: int, seeds: int, trace: Path | None) -> Ran:
    """Run by the simulator once and once for each seed, and compared. trace: the file for the timed run."""
    program: Any = where.build(where.emit(planned))
    with progress("simulating"):
        seen: Observed = program.observe(kernel, arrays_for(kernel, seed), seeds, trace is not None)
    if trace and seen.timed:
        from isamap_smt.simulator import chrome_trace

        write_whole(trace, json.dumps(chrome_trace(seen.timed, planned.title)) + "\n")
    threads = planned.asked.threads if planned.asked else 1
    return Ran(planned, kernel, where, seen.judged, threads, observed=seen, trace=trace)


def _executed(where: Target, planned: Plan, kernel: Kernel, seed: int) -> Ran:
    """Run on the target that executes the machine's instructions, and compared."""
    program: Any = where.build(where.emit(planned))
    arrays, arithmetic = arrays_for(kernel, seed), planned.proof.arithmetic
    say_notes(program.notes)
    with progress("running"):
        got = program(**arrays)
    seen = judge(kernel, got, wanted(kernel, arrays, arithmetic, got), arithmetic)
    modelled = program.timing(**arrays) if hasattr(program, "timing") else ()
    return Ran(planned, kernel, where, seen, told=tuple(program.told), timing=modelled)


def _called(
    where: Target, planned: Plan, kernel: Kernel, seed: int, budget: float, threads: int, cc: str | None
) -> Ran:
    """Compiled, called, compared, and timed if the target's times are those of a machine."""
    say_notes(filter(None, [where.beforehand(cc)]))
    with progress("compiling"):
        planned, compiled = built_or_another(planned, lambda p: where.build(where.emit(p.checked), cc=cc))
    say_notes(compiled.notes)  # the plan's have been said
    with progress("running"):
        call, seen = judged_call(compiled, kernel, threads, seed)
        times = tuple(repeated(call, budget)) if where.timed else ()
    return Ran(planned, kernel, where, seen, threads, times, speed(planned.instead or kernel, times) if times else None)


def _compared(ran: Ran, seed: int, budget: float, cc: str | None) -> Beside:
    """Speeds to compare with; empty if there is none."""
    if ran.rate is None:
        return Beside()
    with progress("running NumPy"):
        return beside(ran.planned, ran.kernel, clock_ghz(cc), ran.threads, seed, budget)


def run_document(ran: Ran) -> dict[str, Any]:
    """The JSON of `isamap run`. Seconds; operations a nanosecond."""
    planned, where = ran.planned, ran.where
    document = {
        **judgement_document(ran.judged),
        "seconds": min(ran.times, default=None),
        "gflops": None if ran.rate is None else round(ran.rate, 3),
        "reference": ran.judged.against,
        "instruction": planned.instruction.name if planned.instruction else None,
        "schedule": plan_document(planned) if planned.schedules else None,
        "target": where.name,
        "executor": where.executor(planned.hardware),
        "notes": list(planned.notes),
    }
    if planned.phases:
        document["predicted_cycles"] = planned.cycles
    else:
        packing = packing_document(planned.schedules[0]) if planned.schedules else {}
        document |= {"threads": ran.threads, "repetitions": len(ran.times), "packing": packing}
    if ran.told is not None:
        document["told"] = ran.told
    if ran.timing != ():
        document["timing_model"] = None if ran.timing is None else {**asdict(ran.timing), "hardware": False}
    if ran.trace:
        document["trace"] = str(ran.trace)
    return {**document, **(observed_document(ran.observed) if ran.observed else {})}


# ---- The answer for people: what ran where, speed, verdict and schedule first; bounds of the error and notes below.


def show(ran: Ran, beside: Beside) -> None:
    """Four lines of answers; then bounds of the error, the mapping, and the target's words."""
    out, planned, seen = console(), ran.planned, ran.judged
    out.print(_headline(ran), style="bold")
    obligations = f"proved: {len(planned.proof.claims)} obligations"
    if fell_back(planned):
        machine = planned.hardware.name
        out.print(
            f"  warning: scalar code, by no vector instruction of {machine}; the note says why", style="bold yellow"
        )
    out.print(f"  {_speed(ran, beside)}")
    if seen.reason:
        out.print(f"  WRONG: {seen.reason}", style="bold red")
    else:
        out.print(Text.assemble("  ", ("correct ", "green"), f"  {_nearness(seen)}   {obligations}"))
    out.print(f"  schedule  {schedule_words(planned)}\n")
    if not seen.exact:
        show_judgement(seen)
    _show_target(ran)
    for s in planned.phases:
        out.print(f"plan: {'; '.join(f'{s.tensor(t)} {t}' for t in s.stages)}")
    if ran.trace:
        out.print(
            f"wrote {ran.trace}: open it in ui.perfetto.dev or chrome://tracing; 1 cycle is shown as 1 microsecond"
        )
    out.print(planned.title)
    if ran.observed:
        show_orders(ran.observed, planned)
    if seen.undefined:
        say(
            f"warning: {seen.undefined:,} elements of the results are NaN here and in the reference; try another --seed"
        )


def fell_back(planned: Plan) -> bool:
    """Whether each instruction used computes one point, or none is used, on a machine that has one of several points."""
    used = [s.proved.mapping.instruction for s in planned.schedules]
    wider = any(math.prod(i.axes.values()) > 1 for i in planned.hardware.computes)
    asked = planned.asked is not None and planned.asked.instruction is not None
    return wider and not asked and all(math.prod(i.axes.values()) == 1 for i in used)


def _headline(ran: Ran) -> str:
    """`gemm i=512 j=512 k=512 f32 on avx512.fmadd_ps (AMD EPYC, 1 thread)`."""
    planned, kernel = ran.planned, ran.kernel
    if planned.instruction is None:
        by = f"{planned.hardware.name}, {elementwise(planned.hardware)}"
    else:
        by = computed_by(planned.hardware, [s.proved.mapping.instruction for s in planned.schedules])
    threads = "" if planned.phases else f", {count(ran.threads, 'thread')}"
    where = processor() if ran.where.name == "c" else ran.where.executor(planned.hardware)
    return f"{kernel.name} {work_words(kernel)} on {by} ({where}{threads})"


def _speed(ran: Ran, beside: Beside) -> str:
    """Operations and time beside their comparisons; else the cycles of a model; else `not timed`."""
    planned = ran.planned
    if ran.rate is not None:
        unit = "GFLOP/s" if ran.judged.against != INTEGERS else "GOP/s"
        words = [f"{rate(ran.rate)} {unit}", f"{seconds(min(ran.times))} (best of {len(ran.times)})"]
        words += [f"{100 * ran.rate / beside.peak:.0f} % of peak"] if beside.peak else []
        words += [f"NumPy {rate(beside.numpy)} {unit}"] if beside.numpy else []
        return "   ".join(words)
    if ran.observed and ran.observed.cycles is not None:
        return f"{ran.observed.cycles:,.0f} cycles simulated, {_predicted(planned, ran.observed.cycles)}"
    if ran.timing:
        return f"{ran.timing.cycles:,} cycles in a timing model, not hardware; {_predicted(planned, ran.timing.cycles)}"
    return "not timed"


def _predicted(planned: Plan, cycles: float) -> str:
    off = planned.cycles / cycles - 1 if cycles else 0.0
    return f"{planned.cycles:,.0f} predicted ({off:+.1%})"


def _nearness(seen: Judgement) -> str:
    """How near a right result is."""
    if seen.exact:
        return f"equal to the reference ({seen.against}) bit for bit"
    return f"error {seen.error:.1e} (allowed {seen.bound:.1e})"


def _show_target(ran: Ran) -> None:
    """The executor of the program, if it is not this CPU, and its words."""
    out, planned, where = console(), ran.planned, ran.where
    by = f"run once by {where.executor(planned.hardware)}"
    if planned.phases and not ran.observed:
        out.print(f"{by}; it keeps no time")
    elif not planned.phases and ran.rate is None:
        emulated = f" for {where.name}; an emulator's time is not speed, so none is given"
        out.print(by + ("" if ran.observed else emulated))
    if ran.timing:
        out.print(f"{ran.timing.commands:,} commands, {ran.timing.configurations:,} of them configurations")
    for line in ran.told or ():
        out.print(line)
