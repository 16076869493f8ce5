"""isamap bench SUITE ...: compiled kernels against the libraries people use instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType

from isamap_smt.certificates.directory import check_folder
from isamap_smt.cli.options import POSITIVE, OptionError, as_json
from isamap_smt.cli.output import answer, console, progress, say
from isamap_smt.cli.status import FAULT


@click.command("bench")
@click.argument("names", nargs=-1, metavar="SUITE...")
@click.option("--quick", is_flag=True, help="A handful of shapes, and few turns.")
@click.option("--only", metavar="REGEX", help="Cases whose name this is found in, such as '^1760x16'.")
@click.option(
    "--threads", metavar="1,2", help="Numbers of threads, each apart; by default 1, and 2 where there are two cores."
)
@click.option("--weights", type=click.Choice(["constant", "free", "both"]), default="both",
              help="Packed ahead of the calls, or nothing constant.")  # fmt: skip
@click.option("--peers", metavar="NAMES", help="Take part besides isamap; by default all that are installed.")
@click.option("--turns", type=click.IntRange(min=1), help="Rounds for each case; 9, or 3 with --quick.")
@click.option("--timeout", type=POSITIVE, help="As for isamap compile, for each plan.")
@click.option("--strategy", default="auto", metavar="NAME", help="Who schedules; see isamap tune.")
@click.option("--cost-model", default="auto", metavar="NAME", help="Who predicts; see isamap tune.")
@click.option("--tune", type=POSITIVE, metavar="SECONDS",
              help="Measure schedules of each case first, for so long, and take the fastest.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=Path("isamap-bench.json"),
              help="The results, whole after every case.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with what the results lack.")
@click.option("--force", is_flag=True, help="Replace results that are there.")
@click.option("--plots", type=click.Path(path_type=Path, file_okay=False), help="Draw pictures into this directory.")
@click.option("--recorded", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", multiple=True,
              help="Measure nothing: show and draw results of -o, or pages such as RESULTS.md; may be repeated.")  # fmt: skip
@click.option("--page", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.md",
              help="Write means and cases as Markdown; of results, not of a page.")  # fmt: skip
@as_json
def command(
    names: tuple[str, ...], output: Path, plots: Path | None, recorded: tuple[Path, ...], page: Path | None, as_json: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Compare with numpy, torch, oneDNN, onnxruntime, Exo and libxsmm: same problem, same turn, results checked.

    SUITE is gemm-f32, gemm-int8, gemm-bf16, conv, depthwise, separable, gru, lstm, reductions, elementwise, norms,
    attention, quantised, operators or all. On a busy machine turns are dropped, and the figures say how many.
    """
    from isamap_smt.bench.plots import require_matplotlib
    from isamap_smt.bench.summary import never_right
    from isamap_smt.bench.tables import report

    if plots:
        require_matplotlib()
    if page:
        check_folder(page)
    if recorded:
        return show(recorded, names, plots, page, as_json)
    results = measured(names, output, options)
    written = _written(results, plots, page)
    answer(as_json, results.document, lambda: _show(report(results), (output, *written)))
    if error := never_right(results.entries):
        say(f"error: isamap failed in every case; the first: {error}")
        return FAULT
    return 0


def show(
    recorded: tuple[Path, ...], names: tuple[str, ...], plots: Path | None, page: Path | None, as_json: bool
) -> int:
    """Print and draw earlier measurements. Raises ResultsError and OptionError."""
    from isamap_smt.bench.pages import read_page
    from isamap_smt.bench.plots import write_means
    from isamap_smt.bench.results import load
    from isamap_smt.bench.tables import means, report

    if names:
        raise OptionError("--recorded measures nothing, and shows every suite of its file: leave SUITE out")
    if any(file.suffix == ".json" for file in recorded):
        if len(recorded) > 1:
            raise OptionError(
                "--recorded takes several pages, or one file of results: machines and versions stand in each"
            )
        results = load(recorded[0])
        shown: RenderableType = report(results)
        document = results.document()
        written = _written(results, plots, page)
    else:
        if page:
            raise OptionError(f"--page {page}: {recorded[0]} is a page already; name results of -o, which end in .json")
        parts = [part for file in recorded for part in read_page(file)]
        document = {"parts": [asdict(part) for part in parts]}
        shown = Group(*(means(list(part.rows), part.machine) for part in parts))
        written = write_means(parts, plots) if plots else []
    answer(as_json, lambda: document, lambda: _show(shown, written))
    return 0


def _written(results: Any, plots: Path | None, page: Path | None) -> list[Path]:
    """Write the files requested beside the results; returns their paths."""
    from isamap_smt.bench.pages import write_page
    from isamap_smt.bench.plots import write_plots

    pictures = write_plots(results, plots) if plots else []
    return [*pictures, write_page(results, page)] if page else pictures


def _show(shown: RenderableType, written: Sequence[Path]) -> None:
    console().print(shown)
    for path in written:
        console().print(f"wrote {path}")


def measured(names: tuple[str, ...], output: Path, options: dict[str, Any]) -> Any:
    """The results after the run. An interrupt leaves the file whole, says how to go on, and is raised again."""
    from isamap_smt.bench.contenders import find_contenders
    from isamap_smt.bench.run import Choice, new_results, run
    from isamap_smt.bench.suites import SUITES, find_suites
    from isamap_smt.bench.turns import Effort
    from isamap_smt.pipeline.knowledge import known_model, known_strategy

    if not names:
        raise click.UsageError(f"missing argument SUITE: one or more of {', '.join(SUITES)}, or all")
    choice = Choice(
        suites=tuple(find_suites(names)),
        threads=thread_counts(options["threads"]) if options["threads"] else default_threads(),
        conditions=("constant", "free") if options["weights"] == "both" else (options["weights"],),
        quick=options["quick"],
        only=options["only"],
    )
    tasks = len(choice.tasks())
    known_strategy(options["strategy"])
    known_model(options["cost_model"])
    peers = options["peers"].split(",") if options["peers"] else None
    contenders = find_contenders([p.strip() for p in peers] if peers else None)
    turns = options["turns"] or (3 if options["quick"] else 9)
    how = {n: options[n] for n in ("timeout", "strategy", "cost_model", "tune")}
    effort = Effort(
        turns=turns, seconds=0.05 if options["quick"] else 0.1, patience=900.0 + 2 * (how["tune"] or 0.0), plan=how
    )
    results = new_results(output, choice, contenders, effort)
    take_over(results, output, options["resume"], options["force"])
    for name, words in results.missing.items():
        say(f"note: {name} takes no part: {words}")
    for words in choice.left_out():
        say(f"note: {words}")
    before = len(results.entries)
    state = [0, tasks]
    try:
        with progress("getting ready") as tell:
            run(
                results,
                choice,
                contenders,
                effort,
                tell=lambda text: tell(f"{state[0]} of {state[1]}: {text}"),
                done=lambda *now: state.__setitem__(slice(None), now),
            )
    except KeyboardInterrupt:
        new = len(results.entries) - before
        say(f"stopped after {new} of {tasks} figures; {output} holds them: go on with --resume" if new else "stopped")
        raise
    return results


def take_over(results: Any, output: Path, resume: bool, force: bool) -> None:
    """Take earlier results over, or let them be replaced. Raises ResultsError if neither is asked for, OptionError if both."""
    from isamap_smt.bench.results import ResultsError, load

    if resume and force:
        raise OptionError("--resume and --force exclude each other: go on with the results, or replace them")
    if resume and output.exists():
        results.continues(load(output))
    elif output.exists() and not force:
        raise ResultsError(
            f"{output} is there: go on with it with --resume, replace it with --force, or name another with -o"
        )
    else:
        check_folder(output)


def default_threads() -> tuple[int, ...]:
    """One and two threads; on a single core one alone, with a note."""
    from isamap_smt.bench.machine import cores

    if len(cores()) > 1:
        return (1, 2)
    say("note: there is one core: no figures for two threads")
    return (1,)


def thread_counts(text: str) -> tuple[int, ...]:
    """The numbers in `1,2`. Raises OptionError.

    >>> thread_counts("1,2")
    (1, 2)
    """
    try:
        counts = tuple(dict.fromkeys(int(t) for t in text.split(",")))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise OptionError(f"--threads {text}: numbers of threads with commas between, such as 1,2")
    return counts
