"""Every search strategy against random search: as many programs, an empty database each, the winners timed in turns.

    python -m benchmarks.strategies [--budget SECONDS] [--trials N] [--shapes REGEX] [--seed S] [--threads N] [-o FILE]

Ten shapes, about an hour. -o writes FILE as JSON and the tables beside it as .md, whole after every shape; Ctrl-C
keeps the shapes that are complete. benchmarks/run.py takes benchmarks/strategies.json into RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.comparison import conclusions, markdown
from benchmarks.contest import Effort, Entry, Tell, measure_shape, name_of, noticed_interrupts, ranks, tell_part
from isamap_smt.bench import machine
from isamap_smt.bench.case import Case
from isamap_smt.bench.results import code_digest
from isamap_smt.bench.suites import SUITES
from isamap_smt.cli.bar import progress_bar
from isamap_smt.cli.interrupt import take_interrupts
from isamap_smt.cli.output import say
from isamap_smt.cli.status import INTERRUPTED
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.strict_json import finite
from isamap_smt.tuning.loop import Tuned
from isamap_smt.tuning.protocols import strategy_names

FORMAT, VERSION = "isamap strategies", 1
SHAPES = (
    ("gemm-f32", "1024x700x512 NN"),
    ("gemm-f32", "1024x700x512 NT"),
    ("gemm-f32", "1760x16x1760 NN"),
    ("gemm-f32", "1760x16x1760 NT"),
    ("gemm-f32", "512x16x512 TN"),
    ("gemm-f32", "3072x1x1024 NN"),
    ("gemm-f32", "35x700x2048 NN"),
    ("conv", "54x54x64->64 3x3 n1"),
    ("conv", "28x28x512->128 1x1 n1"),
    ("depthwise", "56x56x128 3x3"),
)


def shapes(pattern: str = "") -> list[Case]:
    """The ten shapes, or those whose names the pattern is found in."""
    known = {(suite, case.name): case for suite in dict(SHAPES) for case in SUITES[suite].cases()}
    return [known[s] for s in SHAPES if re.search(pattern, name_of(known[s]))]


def compare(
    cases: Sequence[Case],
    strategies: Sequence[str],
    effort: Effort,
    tell: Tell,
    keep: Callable[[Entry], None],
) -> Entry:
    """The results as plain data. keep() gets them after each shape, and at the end with the rank correlations.

    An interrupt ends it with the shapes that are complete; `complete` says whether these are all.
    """
    document: Entry = {
        "format": FORMAT,
        "version": VERSION,
        "date": date.today().isoformat(),
        "machine": machine.describe(("optuna", "scikit-learn")),
        "code": code_digest(),
        "code_changed": False,
        "settings": {**asdict(effort), "strategies": [*strategies], "shapes": [name_of(c) for c in cases]},
        "complete": False,
        "entries": [],
    }
    searched: dict[str, Tuned] = {}
    try:
        with noticed_interrupts() as check:
            for n, case in enumerate(cases):
                turn = n % len(strategies)  # no strategy is always the first
                order = (*strategies[turn:], *strategies[:turn])
                heard = partial(tell_part, tell, n, len(cases), name_of(case))
                entry, found = measure_shape(case, order, effort, heard, check)
                searched |= {entry["name"]: found} if found else {}
                document["entries"].append(entry)
                document["code_changed"] |= code_digest() != document["code"]
                keep(document)
    except KeyboardInterrupt:
        say("interrupted; finishing with what is complete")
    document["complete"] = len(document["entries"]) == len(cases)
    tell(1.0, "rank correlations")
    ranked = ranks(searched, effort.trials)
    for entry in document["entries"]:
        entry["ranks"] = ranked.get(entry["name"], {})
    document["conclusions"] = conclusions(document)
    keep(document)
    return document


def write(path: Path, document: Entry) -> None:
    """The JSON, and the tables beside it; each file is replaced as a whole."""
    page = f"# Search strategies\n\nMeasured {document['date']}.\n\n{markdown(document)}"
    for place, text in (
        (path, json.dumps(finite(document), indent=1, allow_nan=False)),
        (path.with_suffix(".md"), page),
    ):
        scratch = place.with_name(f".{place.name}.part")
        scratch.write_text(text)
        scratch.replace(place)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; 130 when interrupted."""
    options, cases = _options(arguments)
    effort = Effort(options.trials, options.budget, options.seed, options.threads)

    def keep(document: Entry) -> None:
        if options.output and document["entries"]:
            write(options.output, document)
        if document["entries"] and "conclusions" not in document:
            say(f"{len(document['entries'])} of {len(cases)}: {document['entries'][-1]['name']}")

    with progress_bar("getting ready") as tell:
        document = compare(cases, strategy_names(), effort, tell, keep)
    if document["entries"]:
        print(markdown(document))
    if not document["complete"]:
        say(f"stopped after {len(document['entries'])} of {len(cases)} shapes; the one it was at is left out")
    if options.output and document["entries"]:
        say(f"wrote {options.output} and {options.output.with_suffix('.md')}")
    return 0 if document["complete"] else INTERRUPTED


def _options(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, list[Case]]:
    """What was asked for, checked before anything is measured."""
    default = Effort()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.strategies", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--budget", type=float, default=default.budget, help="seconds that a search may take (%(default)g)"
    )
    parser.add_argument(
        "--trials", type=int, default=default.trials, help="programs of its own that a search tries (%(default)s)"
    )
    parser.add_argument("--shapes", default="", metavar="REGEX", help="only shapes in whose names this is found")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--threads", type=int, default=default.threads)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.json", help="the results; tables beside it as .md")
    options = parser.parse_args(arguments)
    try:
        cases = shapes(options.shapes)
    except re.error as error:
        parser.error(f"--shapes {options.shapes}: not a regular expression: {error}")
    if not cases:
        parser.error(f"--shapes {options.shapes}: none of {', '.join(map(name_of, shapes()))}")
    if not (0 < options.budget < math.inf) or options.trials < 1 or options.seed < 0 or options.threads < 1:
        parser.error("--budget, --trials and --threads must be positive, --seed not negative")
    if options.output and (options.output.suffix != ".json" or not options.output.parent.is_dir()):
        parser.error(f"-o {options.output}: name a .json file in a directory that is there")
    try:
        machine.cores_for(options.threads)
    except IsamapError as error:
        parser.error(str(error))
    return options, cases


if __name__ == "__main__":
    take_interrupts()
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    if status == INTERRUPTED:
        os._exit(status)  # as `isamap` does: the solvers' own handlers would take the signal again
    sys.exit(status)
