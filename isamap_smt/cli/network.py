"""isamap run | compile MODEL.onnx: a whole network in place of one kernel."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from isamap_smt.certificates.directory import check_place, write_whole
from isamap_smt.cli.options import OptionError, parse_sizes
from isamap_smt.cli.output import answer, byte_count, console, progress, say, seconds
from isamap_smt.cli.status import WRONG_RESULT
from isamap_smt.networks.values import largest, random_inputs
from isamap_smt.report.compared import processor
from isamap_smt.report.header import count
from isamap_smt.report.quantities import versions

if TYPE_CHECKING:
    from isamap_smt.ir.executed import Executed
    from isamap_smt.networks.against import Difference
    from isamap_smt.networks.compiled import CompiledNetwork
    from isamap_smt.networks.graph import Network
    from isamap_smt.networks.loaded import LoadedNetwork
    from isamap_smt.networks.plan import NetworkPlan
    from isamap_smt.networks.running import About
    from isamap_smt.networks.values import Signature

AGAINST = ("onnxruntime", "interpreter")
MISSING = "onnxruntime is not installed (pip install onnxruntime)"
constants_option = click.option(
    "--constants", multiple=True, metavar="NAME=VALUES",
    help="Of a model: an input on which shapes depend, as rows=[2,3] or rows=FILE.npy. Repeatable.",
)  # fmt: skip
most_option = click.option(
    "--max", "most", multiple=True, metavar="NAME=N",
    help="Of a model: the most that a dimension may be which stays open, so that each call says it. Repeatable.",
)  # fmt: skip
foreign_option = click.option(
    "--foreign", type=click.Choice(["onnxruntime", "reference", "torch", "numpy"]),
    help="Of a model: what computes operators that no kernel does, without proof; reference is ONNX's own in Python.",
)  # fmt: skip
place_option = click.option(
    "--place", metavar="NAME,...",
    help="Of a model: back ends that compute what they are faster at, measured, without proof: onnxruntime, torch, numpy.",
)  # fmt: skip
place_seconds_option = click.option(
    "--place-seconds", type=click.FloatRange(min=0, min_open=True),
    help="With --place: how long to measure; 10 without it.",
)  # fmt: skip
_OF_KERNELS = ("text", "dtypes", "assume", "accumulate", "constant", "fix", "instruction")


def is_model(words: Sequence[str]) -> bool:
    """Whether the first argument is a file of ONNX, or the name of a bundled network."""
    import isamap_kernels

    return bool(words) and (words[0].lower().endswith(".onnx") or words[0] in isamap_kernels.models())


def _asked(words: Sequence[str], options: dict[str, Any]) -> tuple[Path, str]:
    """The model's path and the machine. Raises UsageError, OptionError for options of kernels."""
    from isamap_smt.language.loading import with_set
    from isamap_smt.networks.onnx.model import file_of

    if len(words) > 2:
        raise click.UsageError(f"unexpected argument {words[2]!r}: it is MODEL.onnx [HARDWARE]")
    for name in _OF_KERNELS:
        if options.get(name):
            raise OptionError(f"--{name} is of kernels; a network says it itself")
    return file_of(words[0]), with_set(words[1] if len(words) > 1 else "host", options["settings"])


def read_model(path: Path, options: dict[str, Any]) -> Network:
    """The network of a file, with the sizes from the options."""
    from isamap_smt.networks.onnx.importer import from_onnx

    with progress("reading the model"):
        return from_onnx(
            path, sizes=parse_sizes(options["sizes"]), most=parse_most(options["most"]),
            constants=parse_constants(options["constants"]), foreign=options.get("foreign"),
        )  # fmt: skip


def parse_most(texts: Sequence[str]) -> dict[str, int]:
    """The most of each dimension left open. Raises OptionError and SizeError."""
    return parse_sizes(texts, "--max", "batch=8")


def parse_constants(texts: Sequence[str]) -> dict[str, Any]:
    """Values by input: from JSON, or an array of a file. Raises OptionError."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise OptionError(f"--constants {text}: write an input's name and its values, such as rows=[2,3]")
        if name in found:
            raise OptionError(f"--constants: {name} is given twice")
        try:
            found[name] = np.load(value, allow_pickle=False) if value.endswith(".npy") else json.loads(value)
            numbers = np.asarray(found[name]).dtype.kind in "biuf"
        except (OSError, ValueError, EOFError, RecursionError) as error:
            raise OptionError(
                f"--constants {text}: it is neither numbers such as [2,3] nor a file of NumPy: {error}"
            ) from None
        if not numbers:
            raise OptionError(f"--constants {text}: its values are no numbers")
    return found


def planned_network(network: Network, hardware: str, options: dict[str, Any]) -> NetworkPlan:
    """The plan, with a word of how far it is."""
    from isamap_smt.networks.plan import plan_network

    with progress("planning") as tell:
        return plan_network(
            network, hardware, threads=options["threads"], timeout=options["timeout"], objective=options["objective"],
            progress=lambda done, of, node: tell(f"planning kernel {done + 1} of {of}: {node}"),
        )  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """A network after its run. times, others: seconds of ours and of `against`. difference: the first one between the results.

    sizes: the largest of the open sizes, used for the timing.
    """

    compiled: CompiledNetwork | LoadedNetwork
    against: str
    times: tuple[float, ...]
    others: tuple[float, ...]
    difference: Difference | None
    threads: int
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def about(self) -> About:
        """Facts about the network beside its speed."""
        return self.compiled.about


def run(
    words: Sequence[str],
    against: str | None,
    cc: str | None,
    seed: int,
    budget: float,
    as_json: bool,
    anew: bool,
    options: dict[str, Any],
) -> int:
    """Compile a model, or take an earlier compilation; run it on random inputs, compare and time it."""
    ran = ran_model(*_asked(words, options), seed, against, cc, budget, anew, options)
    answer(as_json, lambda: document(ran), lambda: show(ran))
    if ran.difference is not None:
        say(f"error: the result is wrong: {ran.difference}")
        return WRONG_RESULT
    return 0


def ran_model(
    path: Path, hardware: str, seed: int, against: str | None, cc: str | None, budget: float, anew: bool, options: dict[str, Any]
) -> Ran:  # fmt: skip
    """A model compiled, or taken as it was before, and run on random inputs beside another library, or the interpreter."""
    from isamap_smt.networks.compiled import CompiledNetwork

    found = _ran_as_kept(path, hardware, seed, against, cc, budget, anew, options)
    if found is not None and found.difference is None:
        return found
    constants = parse_constants(options["constants"])
    if options.get("place"):
        compiled = _placed(path, hardware, seed, cc, options)
        inputs = _inputs(compiled.network, seed)
        return _compared(
            path, lambda: compiled.network, compiled, inputs, constants, against, budget, options["threads"]
        )
    network = read_model(path, options)  # step by step
    planned = planned_network(network, hardware, options)
    with progress("compiling"):
        compiled = CompiledNetwork(planned, cc=cc)
    return _compared(
        path, lambda: network, compiled, _inputs(network, seed), constants, against, budget, planned.threads
    )


def _placed(path: Path, hardware: str, seed: int, cc: str | None, options: dict[str, Any]) -> CompiledNetwork:
    """The model with its nodes placed. Raises OptionError for --foreign beside it."""
    from isamap_smt.networks.place import SECONDS, place_onnx

    if options.get("foreign"):
        raise OptionError(
            "--foreign and --place: back ends of --place compute what kernels refuse, too; give --place alone"
        )
    names = [n.strip() for n in options["place"].split(",") if n.strip()]
    with progress("placing") as tell:
        return place_onnx(
            path, names, hardware, threads=options["threads"], sizes=parse_sizes(options["sizes"]),
            most=parse_most(options["most"]), constants=parse_constants(options["constants"]), seed=seed,
            seconds=options.get("place_seconds") or SECONDS, cc=cc, tell=tell, timeout=options["timeout"],
            objective=options["objective"], progress=lambda done, of, node: tell(f"planning kernel {done + 1} of {of}: {node}"),
        )  # fmt: skip


def _ran_as_kept(
    path: Path, hardware: str, seed: int, against: str | None, cc: str | None, budget: float, anew: bool, options: dict[str, Any]
) -> Ran | None:  # fmt: skip
    """The model as compile_onnx() has it, with its outputs compared.

    None if the options name a library to compare with, foreign nodes, a placement or a timeout: each step is then
    looked at.
    """
    from isamap_smt.networks.kept import compile_onnx

    if against or options.get("foreign") or options.get("place") or options["timeout"] is not None:
        return None
    constants = parse_constants(options["constants"])
    with progress("compiling") as tell:
        compiled = compile_onnx(
            path, hardware, threads=options["threads"], sizes=parse_sizes(options["sizes"]), most=parse_most(options["most"]),
            constants=constants, cc=cc, anew=anew, timeout=options["timeout"], objective=options["objective"],
            progress=lambda done, of, node: tell(f"planning kernel {done + 1} of {of}: {node}"),
        )  # fmt: skip
    inputs = _inputs(compiled.network, seed)
    read = partial(read_model, path, options)
    return _compared(path, read, compiled, inputs, constants, against, budget, options["threads"])


def _inputs(network: Signature, seed: int) -> list[dict[str, np.ndarray]]:
    """Inputs to compare with: of the largest sizes; if some are open, also of size 1 and of two thirds of the largest."""
    most = largest(network)
    tried = [most, dict.fromkeys(most, 1), {n: -(-m * 2 // 3) for n, m in most.items()}] if most else [most]
    return [random_inputs(network, seed, sizes) for sizes in tried]


def _compared(
    path: Path, read: Callable[[], Network], compiled: CompiledNetwork | LoadedNetwork, inputs: list[dict[str, np.ndarray]],
    constants: dict[str, Any], against: str | None, budget: float, threads: int,
) -> Ran:  # fmt: skip
    """read: the network, for the interpreter. inputs: all are compared; the first is timed."""
    from isamap_smt.networks.against import by_interpreter, first_difference, onnxruntime_session, output_difference
    from isamap_smt.networks.compiled import CompiledNetwork
    from isamap_smt.networks.onnx.model import as_declared

    Reference = Callable[[list[str]], Mapping[str, np.ndarray]]

    def differs(arrays: dict[str, np.ndarray], reference: Reference) -> Difference | None:
        if isinstance(compiled, CompiledNetwork):
            return first_difference(compiled, arrays, reference)
        return output_difference(compiled.network, compiled(**arrays), reference(list(compiled.network.outputs)))

    def difference(reference: Callable[[dict[str, np.ndarray]], Reference]) -> Difference | None:
        found = (differs(arrays, reference(arrays)) for arrays in inputs)
        return next((d for d in found if d is not None), None)

    other = against or ("onnxruntime" if _there("onnxruntime") else "interpreter")
    calls: list[Callable[[], Any]] = [lambda: compiled(**inputs[0])]
    if other == "interpreter":
        with progress("running the interpreter"):
            network = read()
            found = difference(lambda arrays: by_interpreter(network, arrays))
    else:
        model = path.read_bytes()
        known = as_declared(model, constants)
        given = {**inputs[0], **known}

        def reference(arrays: dict[str, np.ndarray]) -> Reference:
            def answers(names: list[str]) -> dict[str, np.ndarray]:
                session = onnxruntime_session(model, threads, dict.fromkeys(names))
                return dict(zip(names, session.run(names, {**arrays, **known}), strict=True))

            return answers

        with progress("running onnxruntime"):
            found = difference(reference)
            session = onnxruntime_session(model, threads)
            calls.append(lambda: session.run(None, given))
    ours, *theirs = _timed(calls, budget)
    sizes = largest(compiled.network)
    return Ran(compiled, other, ours, theirs[0] if theirs else (), found, threads, sizes)


def _there(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def _timed(calls: list[Any], budget: float) -> list[tuple[float, ...]]:
    """Seconds of each call, in turns, at least five of each."""
    found: list[list[float]] = [[] for _ in calls]
    begin = time.perf_counter()
    while len(found[0]) < 5 or time.perf_counter() - begin < budget:
        for call, times in zip(calls, found, strict=True):
            before = time.perf_counter()
            call()
            times.append(time.perf_counter() - before)
    return [tuple(t) for t in found]


def document(ran: Ran) -> dict[str, Any]:
    """The same as JSON."""
    about = ran.about
    placement = getattr(ran.compiled, "placement", None)
    return {
        "network": about.name,
        "kernels": about.kernels,
        "distinct_kernels": about.distinct,
        "claims": about.claims,
        "proved": about.kept or "now",
        "foreign": list(about.foreign),
        "placement": None if placement is None else placement.document(),
        "assumptions": list(about.assumptions),
        "seconds": min(ran.times),
        "against": ran.against,
        "seconds_against": min(ran.others, default=None),
        "ratio": min(ran.others) / min(ran.times) if ran.others else None,
        "arena_bytes": about.arena,
        "arena_bound": about.bound,
        "threads": ran.threads,
        "wrong": None if ran.difference is None else str(ran.difference),
        "outputs": about.outputs,
        "sizes": dict(ran.sizes),
    }


def show(ran: Ran) -> None:
    """The network, its speed, whether it is right, and its memory, a line each."""
    out, about = console(), ran.about
    threads = count(ran.threads, "thread")
    kernels = f"{count(about.kernels, 'kernel')}, {about.distinct} different"
    out.print(f"{about.name}: {kernels} ({processor()}, {threads})", style="bold")
    beside = f"   beside nothing: {MISSING}" if ran.against == "interpreter" and not _there("onnxruntime") else ""
    if ran.others:
        beside = f"   {ran.against} {seconds(min(ran.others))}: {min(ran.others) / min(ran.times):.2f} times its speed"
    sized = "".join(f", {n} = {most}" for n, most in ran.sizes.items())
    out.print(f"  {seconds(min(ran.times))} (best of {len(ran.times)}{sized}){beside}")
    when = f" on {about.kept} (--anew: again)" if about.kept else ""
    if ran.difference is None:
        sized = " for all smaller sizes, too" if ran.sizes else ""
        out.print(f"  correct   as {ran.against} computes it   proved: {about.claims:,} obligations{sized}{when}")
    else:
        out.print(f"  WRONG: {ran.difference}", style="bold red")
    for text in about.assumptions:
        out.print(f"  assumed   {text}", markup=False, highlight=False)
    if (placement := getattr(ran.compiled, "placement", None)) is not None:
        for line in str(placement).splitlines():
            out.print(f"  placed    {line}", markup=False, highlight=False)
    least = "the least possible" if about.arena == about.bound else f"{byte_count(about.bound)} at least"
    out.print(f"  memory    {byte_count(about.arena)} between the kernels, {least}")


def report_model(
    words: Sequence[str], place: Path, measure: bool, cc: str | None, command: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Write the page about a network; returns its content as JSON. measure: run it on random inputs."""
    from isamap_smt.networks.compiled import CompiledNetwork
    from isamap_smt.report.network import network_report
    from isamap_smt.runtime.clock import clock_ghz

    path, hardware = _asked(words, options)
    network = read_model(path, options)
    planned = planned_network(network, hardware, options)
    with progress("compiling") as tell:
        compiled = CompiledNetwork(planned, cc=cc)
        tell("running")
        times = compiled.timed(random_inputs(network, 0)) if measure else ()
        clock = clock_ghz(cc) if measure else None
        write_whole(place, network_report(compiled, times, clock, command=command))
    return {
        "page": str(place), "network": network.name, "verdict": compiled.proof.word,
        "kernels": len(planned.network.kernels), "distinct_kernels": len(planned.plans),
        "seconds": sum(times) if measure else None, "arena_bytes": planned.peak, "arena_bound": planned.bound,
        "layouts": str(planned.layouts), "foreign": list(compiled.about.foreign), "assumptions": list(compiled.about.assumptions),
    }  # fmt: skip


def compile_model(
    words: Sequence[str], output: Path, prefix: str | None, target: str | None, cc: str | None, as_json: bool,
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Write a network's library into a directory."""
    from isamap_smt.codegen.c_interface import check_prefix, prefix_of
    from isamap_smt.networks.written import write_network

    path, hardware = _asked(words, options)
    check_place(output)
    name = check_prefix(prefix or prefix_of(path.stem))
    network = read_model(path, options)
    planned = planned_network(network, hardware, options)
    with progress("writing") as tell:
        written = write_network(
            planned, output, name=name, cc=cc, target=target, tell=tell, record={"versions": versions()}
        )
    told = {
        "directory": str(output), "prefix": name, "files": written.files, "arena_bytes": written.arena,
        "weights_bytes": written.weights, "digest": written.digest, "kernels": len(planned.network.kernels),
        "distinct_kernels": len(planned.plans), "threads": written.threads, "target": target,
        "executed": None if written.total is None else written.total.as_document(),
    }  # fmt: skip

    def show_files() -> None:
        out = console()
        out.print(
            f"{planned.network.name}: {count(len(planned.network.kernels), 'kernel')}, {len(planned.plans)} different",
            style="bold",
        )
        out.print(f"arena {byte_count(written.arena)}, weights {byte_count(written.weights)}")
        if written.total is not None:
            out.print(_executed(written.total, hardware), soft_wrap=True)
        for file, about in {**written.files, "proofs.json": "every claim with its verdict"}.items():
            out.print(f"  {output / file}  {about}")

    answer(as_json, lambda: told, show_files)


def _executed(total: Executed, hardware: str) -> str:
    """The work of one call, in a line."""
    most = "" if total.exact else "at most "
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in total.kinds.most_common(4))
    uses = f"{sum(total.kinds.values()):,} instructions of {hardware}" + (f" ({kinds})" if kinds else "")
    return (
        f"a call runs {most}{uses}, {total.elements:,} elements one by one, {total.iterations:,} iterations; "
        f"reads {byte_count(total.read)}, writes {byte_count(total.written)}"
    )
