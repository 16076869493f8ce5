"""isamap demo: the whole way at real sizes, from a kernel's text to code that is proved, checked and timed.

A matrix product of DeepBench, and the two convolutions of a depthwise-separable block of MobileNet; a whole network; then a
matrix product on a machine with engines, in the simulator.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from isamap_smt.certificates.directory import write_whole
from isamap_smt.cli.options import as_json, compiler_option, reproducing
from isamap_smt.cli.output import console, print_json, progress, say, seconds, tell
from isamap_smt.cli.plan_view import packing_words, plan_document, schedule_document, schedule_words
from isamap_smt.cli.prove_mapping import proof_document
from isamap_smt.report.listing import innermost

NETWORKS = ("resnet8",)
FILE = "outer_product.py"
SIZES = {"i": 200, "j": 140, "k": 96}
SEEDS = 3  # orders of the engines, beside the one that keeps time


def description() -> Path:
    """The example's file: beside the machines in an installed package, else in this checkout."""
    import isamap_hardware

    machines = Path(isamap_hardware.__file__).parent
    packaged = machines / "examples" / FILE
    return packaged if packaged.is_file() else machines.parents[1] / "examples" / FILE


def do_network(name: str, cc: str | None, json: bool, budget: float) -> dict[str, Any]:
    """A bundled network, beside onnxruntime if it is installed. Raises WrongResultError."""
    from isamap_smt.cli.network import document, ran_model, show
    from isamap_smt.ir.errors import WrongResultError
    from isamap_smt.networks.onnx.model import file_of

    options = {"threads": 1, "timeout": None, "objective": "latency", "sizes": (), "most": (), "constants": ()}
    ran = ran_model(file_of(name), "host", 0, None, cc, budget, False, options)
    if ran.difference is not None:
        raise WrongResultError(f"{name}: the result is wrong: {ran.difference}")
    if not json:
        show(ran)
        console().print(f"  again     isamap run {name}\n")
    return document(ran)


def do_engines(sizes: dict[str, int], output: Path, json: bool) -> dict[str, Any]:
    """A matrix product on the 8x8 outer-product unit, all the way, and a page about it. Raises WrongResultError."""
    from isamap_smt.ir.errors import WrongResultError
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.language.library import find_kernel
    from isamap_smt.pipeline.staged import stage
    from isamap_smt.report.engines import engine_report
    from isamap_smt.runtime.measure import arrays_for
    from isamap_smt.search import find_mappings
    from isamap_smt.targets.simulate import Simulated

    machine, kernel = find_hardware(f"{description()}:MACHINE"), find_kernel("gemm")
    with progress(f"gemm on {machine.name}: mapping") as tell:
        (outer,) = machine.computes
        found = find_mappings(kernel, outer)
        planned = stage(kernel, machine, sizes=sizes, progress=tell)
        tell("simulating")
        full = kernel.with_sizes(sizes)
        arrays = arrays_for(full, seed=1)
        run = Simulated(planned.checked)
        seen = run.observe(full, arrays, SEEDS, trace=True)
        if seen.wrong:
            raise WrongResultError(f"gemm on {machine.name}: the result is wrong: {seen.wrong}")
        wanted = arrays["A"] @ arrays["B"]
        difference = float(np.abs(run(**arrays)["C"] - wanted).max() / np.abs(wanted).max())
        page = output / f"{machine.name}.html"
        write_whole(page, engine_report(planned, seen.timed, [found]))
    document = {
        "machine": machine.name,
        "description": str(description()),
        "kernel": kernel.name,
        "sizes": sizes,
        "mappings": len(found.legal),
        "complete": found.complete,
        "schedule": plan_document(planned),
        "proof": {"verdict": planned.proof.word, "obligations": len(planned.proof.claims),
                  "seconds": round(planned.proof.seconds, 3)},
        "cycles": seen.cycles,
        "predicted_cycles": planned.cycles,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in seen.engines.items()},
        "interleavings": seen.orders,
        "races": list(seen.races),
        "max_difference_from_numpy": difference,
        "page": str(page),
    }  # fmt: skip
    if not json:
        show_engines(document, planned)
    return document


def show_engines(d: dict[str, Any], planned: Any) -> None:
    """The same in ten lines."""
    out, s, proof = console(), planned.schedule, d["proof"]
    tell(f"{d['kernel']} on {planned.hardware.description}, {_sizes(d)}", style="bold")
    complete = "every other candidate refuted" if d["complete"] else "NOT complete"
    out.print(f"  mappings  {d['mappings']} legal onto {planned.instruction.short}, {complete}")
    out.print(f"  schedule  {schedule_words(planned)}, in {seconds(s.seconds)}:")
    tell(*(f"            {s.tensor(stage)} {stage}" for stage in s.stages))
    out.print(
        f"  {proof['verdict']}    program: {proof['obligations']} obligations in {seconds(proof['seconds'])}, "
        "for every order of the engines"
    )
    busy = ", ".join(f"{n} {e['cycles'] / d['cycles']:.0%}" for n, e in d["engines"].items())
    off = d["predicted_cycles"] / d["cycles"] - 1
    out.print(
        f"  simulated {d['cycles']:,.0f} cycles, {d['predicted_cycles']:,.0f} predicted ({off:+.1%}); busy: {busy}"
    )
    out.print(
        f"  checked   {d['interleavings']} orders, no races; {d['max_difference_from_numpy']:.1e} from NumPy's result"
    )
    lines = len(Path(d["description"]).read_text().splitlines())
    out.print(f"  described in {d['description']}, {lines} lines", soft_wrap=True)
    out.print(f"  page      {d['page']}\n")


Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Job:
    """A kernel at one size, and the same in NumPy."""

    title: str
    kernel: str
    sizes: dict[str, int]
    numpy: Callable[[Arrays], np.ndarray]


@dataclass(frozen=True)
class Wrong:
    """A plausible, but wrong mapping."""

    why: str
    kernel: str
    instruction: str
    axes: str


def depthwise(arrays: Arrays) -> np.ndarray:
    """3x3 by shifted slices, as written in NumPy."""
    image, weights = arrays["I"], arrays["W"]
    r, s = weights.shape[:2]
    padded = np.pad(image, ((0, 0), (r // 2, r // 2), (s // 2, s // 2), (0, 0)))
    out = np.zeros_like(image)
    for y in range(r):
        for x in range(s):
            out += padded[:, y : y + out.shape[1], x : x + out.shape[2]] * weights[y, x]
    return out


def pointwise(arrays: Arrays) -> np.ndarray:
    """A matrix product over all pixels."""
    image, weights = arrays["I"], arrays["W"]
    return (image.reshape(-1, image.shape[-1]) @ weights).reshape(*image.shape[:-1], -1)


JOBS = (
    Job("matrix product of DeepBench", "gemm", {"i": 1024, "j": 700, "k": 512}, lambda a: a["A"] @ a["B"]),
    Job(
        "depthwise convolution of MobileNet",
        "depthwise_conv2d",
        {"n": 1, "p": 56, "q": 56, "c": 128, "r": 3, "s": 3, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1},
        depthwise,
    ),
    Job(
        "pointwise convolution of MobileNet",
        "pointwise_conv2d",
        {"n": 1, "p": 56, "q": 56, "k": 128, "c": 128},
        pointwise,
    ),
)
WRONG = (
    Wrong("rows of the image in the reduction axis", "conv2d", "wmma.16x16x16", "i=n.q,j=k,k=p.c"),
    Wrong("a sum of bytes that saturates on the way", "gemm", "avx512_vnni.maddubs_dot", "l=j,e=k"),
)


@click.command("demo")
@click.option(
    "-o",
    "--output",
    default="isamap-demo",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the C and the pages go.",
)
@compiler_option
@as_json
def command(output: Path, cc: str | None, as_json: bool) -> None:
    """Map, prove, schedule, compile and run three kernels at real sizes on this CPU; refute two wrong mappings; run a whole
    network; plan, prove and simulate one kernel on a machine with engines."""
    run_demo(JOBS, WRONG, output, cc, as_json)


def run_demo(
    jobs: Sequence[Job],
    wrong: Sequence[Wrong],
    output: Path,
    cc: str | None = None,
    json: bool = False,
    budget: float = 2.0,
    engines: dict[str, int] = SIZES,
    networks: Sequence[str] = NETWORKS,
) -> dict[str, Any]:
    """Do all of it; prints as it goes, or one JSON document at the end. Each kernel is timed for `budget` seconds.

    engines: sizes of the product on the machine with engines. networks: names of bundled ones, run only if onnx,
    their reader, is installed.
    """
    from isamap_smt.language.hardware_library import find_hardware

    machine = find_hardware("host")
    if not json:
        console().print(f"isamap on {machine.description}\n", style="bold")
    refuted = [refute(w, json) for w in wrong[:1]]
    done = [do_job(job, machine, output, cc, json, budget) for job in jobs]
    refuted += [refute(w, json) for w in wrong[1:]]
    if networks and find_spec("onnx") is None:
        networks = ()
        say("note: no network is run: reading one needs the onnx package: pip install 'isamap-smt[onnx]'")
    ran = [do_network(name, cc, json, budget) for name in networks]
    document = {
        "hardware": machine.description,
        "kernels": done,
        "networks": ran,
        "refuted": refuted,
        "simulated": [do_engines(engines, output, json)],
        "directory": str(output),
    }
    index = output / "index.html"
    write_whole(index, index_page(document))
    if json:
        print_json(document)
    else:
        tell("Look at lanes, loops, timeline and proofs in a browser:", style="bold")
        tell(*(f"  {Path(place).resolve().as_uri()}" for place in [str(index), *pages_of(document)]))
    return document


def pages_of(document: dict[str, Any]) -> list[str]:
    """The pages about the kernels, in the order of the demonstration."""
    return [d["page"] for d in (*document["kernels"], *document["simulated"])]


def index_page(document: dict[str, Any]) -> str:
    """A page with links to the pages and the C of the demonstration, all in one folder, and with the refuted mappings."""
    from isamap_smt.report.page import rendered

    rows = [
        {"name": d["kernel"], "title": f"{d['title']}, {_sizes(d)}", "page": Path(d["page"]).name, "code": Path(d["c"]).name,
         "result": f"{d['gflops']:.1f} GFLOP/s, NumPy {d['numpy_gflops']:.1f}"} for d in document["kernels"]
    ]  # fmt: skip
    rows += [
        {"name": f"{d['kernel']} on {d['machine']}", "title": f"matrix product on an accelerator, {_sizes(d)}",
         "page": Path(d["page"]).name, "code": "", "result": f"{d['cycles']:,.0f} cycles, simulated"} for d in document["simulated"]
    ]  # fmt: skip
    rows += [
        {"name": d["network"], "title": f"a network of {d['kernels']} kernels", "page": "", "code": "",
         "result": f"{seconds(d['seconds'])}" + (f", {d['against']} {seconds(o)}" if (o := d["seconds_against"]) else "")}
        for d in document["networks"]
    ]  # fmt: skip
    told = {"title": "isamap demo", "subtitle": document["hardware"], "rows": rows, "refuted": document["refuted"]}
    return rendered("index.html.j2", told)


def _sizes(d: dict[str, Any]) -> str:
    return " ".join(f"{n}={v}" for n, v in d["sizes"].items())


def do_job(job: Job, machine: Any, output: Path, cc: str | None, json: bool, budget: float) -> dict[str, Any]:
    """One kernel, all the way."""
    from isamap_smt.language.library import find_kernel
    from isamap_smt.pipeline.build import build
    from isamap_smt.pipeline.plan import plan
    from isamap_smt.report.compared import beside
    from isamap_smt.report.page import html_report
    from isamap_smt.runtime.clock import clock_ghz
    from isamap_smt.runtime.measure import measure, require_right

    kernel = find_kernel(job.kernel)
    with progress(f"{job.kernel}: mapping") as tell:
        planned = plan(kernel, machine, sizes=job.sizes, progress=lambda s: tell(f"{job.kernel}: {s}"))
        assert planned.proved is not None and planned.schedule is not None  # what the demonstration is about
        tell(f"{job.kernel}: compiling")
        compiled = build(planned, cc=cc)
        tell(f"{job.kernel}: running")
        sized = kernel.with_sizes(job.sizes)
        seen = require_right(sized, measure(compiled, sized, threads=1, budget=budget / 2))
        ours, theirs, difference = beside_numpy(job, compiled, sized, budget)
        source, page = output / f"{job.kernel}.c", output / f"{job.kernel}.html"
        write_whole(source, planned.source)
        clock = clock_ghz(cc)
        against = beside(planned, sized, clock, budget=budget / 2)
        write_whole(page, html_report(planned, seen, clock, beside=against, command=reproducing()))
    document = {
        "title": job.title,
        "kernel": job.kernel,
        "sizes": job.sizes,
        "instruction": planned.proved.mapping.instruction.name,
        "mappings": len(planned.mappings.legal),
        "complete": planned.mappings.complete,
        "mapping": planned.proved.mapping.id,
        "proof": {"mapping": _summary(planned.proved.proof), "program": _summary(planned.proof)},
        "schedule": schedule_document(planned.schedule),
        "exact": seen.exact,
        "max_error": seen.max_error,
        "max_difference_from_numpy": difference,
        "gflops": round(seen.gflops * seen.seconds / ours, 2),
        "numpy_gflops": round(seen.gflops * seen.seconds / theirs, 2),
        "faster_than_numpy": round(theirs / ours, 2),
        "threads": 1,
        "seconds": {k: round(v, 3) for k, v in dict(planned.seconds).items()},
        "notes": list(planned.notes),
        "c": str(source),
        "page": str(page),
    }
    if not json:
        show_job(document, planned)
    return document


def beside_numpy(job: Job, compiled: Any, kernel: Any, budget: float) -> tuple[float, float, float]:
    """(our seconds, NumPy's, the largest difference over the largest element): medians of interleaved runs.

    NumPy's own libraries are held to one thread, as ours is.
    """
    from threadpoolctl import threadpool_limits

    from isamap_smt.runtime.measure import arrays_for, best_time, prepare

    arrays = arrays_for(kernel, seed=1)
    call = prepare(compiled, arrays, 1)
    call.run()
    wanted = job.numpy(arrays)
    difference = float(np.abs(call.result - wanted).max() / np.abs(wanted).max())
    with threadpool_limits(1):
        ours, theirs = best_time([call.run, lambda: job.numpy(arrays)], budget=budget)
    return statistics.median(ours), statistics.median(theirs), difference


def _summary(proof: Any) -> dict[str, Any]:
    return {"verdict": proof.word, "obligations": len(proof.claims), "seconds": round(proof.seconds, 3),
            "arithmetic": proof.arithmetic}  # fmt: skip


def refute(wrong: Wrong, json: bool) -> dict[str, Any]:
    """Try to prove a wrong mapping, and show the counterexample."""
    from isamap_smt.language.hardware_library import find_instruction
    from isamap_smt.language.library import find_kernel
    from isamap_smt.mapping.fuse import fuse
    from isamap_smt.mapping.types_of import with_types_of
    from isamap_smt.proof import prove

    instruction = find_instruction(wrong.instruction)
    kernel = with_types_of(find_kernel(wrong.kernel), instruction)
    result = prove(fuse(kernel, instruction, wrong.axes))
    if not json:
        out = console()
        out.print(f"A wrong mapping ({wrong.why}): {result.proof.word}", style="bold")
        out.print(f"{result}\n", soft_wrap=True)
    return {"why": wrong.why, "kernel": wrong.kernel, "instruction": wrong.instruction, "axes": wrong.axes,
            "verdict": result.proof.word, "text": str(result), "proof": proof_document(result.proof)}  # fmt: skip


def show_job(d: dict[str, Any], planned: Any) -> None:
    """A kernel's way in about twenty lines."""
    from isamap_smt.language.printer import source_lines

    out = console()
    tell(f"{d['kernel']}: {d['title']}, {_sizes(d)}", style="bold")
    tell(*(f"  {line}" for line in source_lines(planned.kernel)), *(f"  note: {note}" for note in d["notes"]))
    complete = "every other candidate refuted" if d["complete"] else "NOT complete"
    ids = [p.mapping.id for p in planned.mappings.legal]
    shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    out.print(f"  mappings  {d['mappings']} legal onto {d['instruction']}, {complete}: {shown}", soft_wrap=True)
    for what, p in d["proof"].items():
        for_all = ", for all sizes" if what == "mapping" else ", packing and boundaries included"
        out.print(f"  {p['verdict']}    {what}: {p['obligations']} obligations in {seconds(p['seconds'])}{for_all}")
    out.print(f"  schedule  {schedule_words(planned)}, in {seconds(d['schedule']['seconds'])}", soft_wrap=True)
    for p in planned.schedule.stages:
        out.print(f"            operand {p.operand}: {packing_words(planned.schedule, p.operand)}")
    out.print(f"  code      {d['c']}, {len(planned.source.splitlines())} lines; its innermost loop:")
    tell(*(f"            {line}" for line in innermost(planned.source, planned.instruction.emit)), style="dim")
    right = "equal bit for bit" if d["exact"] else f"largest error {d['max_error']:.1e} against float64"
    out.print(f"  checked   {right}; {d['max_difference_from_numpy']:.1e} from NumPy's result")
    out.print(
        f"  speed     {d['gflops']:.1f} GFLOP/s, NumPy {d['numpy_gflops']:.1f} "
        f"({d['faster_than_numpy']:.2f} times its speed; medians of interleaved runs, one thread each)"
    )
    out.print(f"  page      {d['page']}\n")
