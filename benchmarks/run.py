"""make bench: every figure of the project, with machine and spread, printed and written to benchmarks/RESULTS.md.

    python -m benchmarks.run [--quick] [--no-write]

Run it on a quiet machine: a figure from a busy one says so by its load and its spread.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import date
from pathlib import Path

from rich.console import Console

from benchmarks import comparison, speed, stages
from isamap_smt.bench import machine
from isamap_smt.bench.pages import summary
from isamap_smt.bench.results import load
from isamap_smt.bench.summary import Spread
from isamap_smt.language.hardware_library import find_hardware

HERE = Path(__file__).parent
console = Console(stderr=True)


def main() -> None:
    """Measure, print, and unless told otherwise write RESULTS.md and results.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--no-write", action="store_true", help="print only")
    options = parser.parse_args()
    about = machine.describe()
    host = find_hardware("host")
    figures = []
    for shape in speed.SHAPES:
        console.print(f"measuring {shape.name}")
        figures.append(speed.measure(shape, host, turns=5 if options.quick else 15))
    baseline = speed.numpy_rate()
    console.print("measuring mapping, proofs and schedules")
    timed = stages.measure(1 if options.quick else 5)
    text = report(about, figures, baseline, timed)
    print(text)
    if not options.no_write:
        (HERE / "RESULTS.md").write_text(text + compared())
        record = {
            "machine": about,
            "speed": [asdict(f) for f in figures],
            "numpy": asdict(baseline),
            "stages": [asdict(t) for t in timed],
        }
        (HERE / "results.json").write_text(json.dumps(record, indent=1))


def compared() -> str:
    """The comparisons with other libraries and of search strategies, if `isamap bench -o benchmarks/deepbench.json` and
    `python -m benchmarks.strategies -o benchmarks/strategies.json` have made them.
    """
    libraries, strategies = HERE / "deepbench.json", HERE / "strategies.json"
    text = f"\n## Against other libraries\n\n{summary(load(libraries))}" if libraries.exists() else ""
    if strategies.exists():
        document = json.loads(strategies.read_text())
        text += f"\n## Search strategies\n\nMeasured {document['date']}.\n\n{comparison.markdown(document)}"
    return text


def report(about: dict[str, str], figures: list[speed.Figure], baseline: Spread, timed: list[stages.Timed]) -> str:
    """The results as Markdown: median [quartiles]."""
    lines = ["# Results", "", f"Measured {date.today().isoformat()}; median [quartiles].", ""]
    lines += [f"- {k}: {v}" for k, v in about.items()]
    lines += [
        "",
        "## Speed, one thread",
        "",
        "GF/s (10^9 operations per second, 2 a product-sum). The peak is that of the instruction used, on registers, "
        "measured in the same turns; share is kernel over peak within a turn. The goals were set for a CPU with AVX-512; "
        "elsewhere the same share is reported for the instructions there are. AVX2 has no byte dot product: its exact u8i8 "
        "instruction is a sequence, and the widening of operands that never change is hoisted out of the peak's loop, so that "
        "peak is out of reach and its share means little.",
        "",
        "| kernel | instruction | GF/s | peak | share | asked | met | result | schedule |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for f in figures:
        asked = f"{f.shape.goal:.0%}" if f.shape.goal else "-"
        met = "-" if not f.shape.goal else ("yes" if f.share.median >= f.shape.goal else "no")
        result = "bit-exact" if f.exact else f"error {f.error:.1e}"
        share = f"{f.share.median:.0%} [{f.share.low:.0%}, {f.share.high:.0%}]"
        gap = "" if f.gap is None else f", gap {f.gap:.1%}"
        lines.append(
            f"| {f.shape.name} | {f.instruction} | {f.rate} | {f.peak} | {share} | {asked} | {met} | {result} "
            f"| {f.status}{gap} |"
        )
    lines += ["", f"NumPy, f32 GEMM 1024x700x512, one thread: {baseline} GF/s.", "", "## Stages", ""]
    lines += ["| stage | outcome | seconds | asked |", "|---|---|---|---|"]
    lines += [f"| {t.name} | {t.outcome} | {t.seconds} | {t.goal} |" for t in timed]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
