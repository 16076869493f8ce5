"""isamap tune KERNEL --sizes ...: measure schedules, keep the fastest, and use it from then on."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.bar import progress_bar
from isamap_smt.cli.options import (
    POSITIVE,
    comma_separated,
    compiler_option,
    constant_option,
    fix_option,
    instruction_option,
    kernel_options,
    load_kernel,
    machine_named,
    parse_fix,
    threads_option,
)
from isamap_smt.cli.output import answer, console, say, say_notes, seconds, table
from isamap_smt.cli.status import FAULT, INTERRUPTED, MISUSE

_SHOWN = 8  # programs in the table
_PASSED_ON = ("threads", "instruction", "strategy", "cost_model", "seed", "budget", "trials", "workers", "cc")


@click.command("tune")
@click.argument("words", nargs=-1, metavar="[KERNEL] [HARDWARE]")
@click.option("--hardware", metavar="HARDWARE", help="The machine, if it is not the last argument; host by default.")
@click.option(
    "--strategy",
    default="top-k",
    metavar="NAME",
    help="Who proposes: exact, top-k, heuristic, evolutionary, random, or one of another package.",
)
@click.option(
    "--cost-model",
    "cost_model",
    default="auto",
    metavar="NAME",
    help="Who predicts: analytic, calibrated, learned; auto is calibrated where a calibration is.",
)
@click.option("--budget", type=POSITIVE, default=60.0, help="Seconds for measuring.")
@click.option("--trials", type=click.IntRange(min=1), help="Programs to measure at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the strategy.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    help="Processes that prove and build; only one measures at a time.",
)
@threads_option
@constant_option
@fix_option
@instruction_option
@compiler_option
@kernel_options
def command(words: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Measure schedules of KERNEL proposed by a strategy; plan(), compile() and run use the fastest from then on.

    Every program is proved before it runs. Earlier measurements are not repeated, so an interrupted search (even by
    Ctrl-C) goes on at the next call.
    """
    from isamap_smt.pipeline.tune import tune

    name, hardware = _subject(words, options["text"], options["hardware"])
    hardware, options["instruction"] = machine_named(hardware, options["instruction"])
    kernel, sizes = load_kernel(name, options)
    with progress_bar(f"tuning {kernel.name}") as tell:
        found = tune(
            kernel, hardware, sizes=sizes, constant=comma_separated(options["constant"]), fix=parse_fix(options["fix"]),
            assume=tuple(options["assume"]), progress=tell, **{n: options[n] for n in _PASSED_ON},
        )  # fmt: skip
    answer(as_json, lambda: document(found), lambda: show(found))
    say_notes(found.notes)
    return status_of(found)


def _subject(words: tuple[str, ...], text: str | None, hardware: str | None) -> tuple[str | None, str]:
    """(the kernel's name, the machine) from `[KERNEL] [HARDWARE]`; the machine is `host` if none is named."""
    known = 1 if text is None else 0
    if hardware is not None and len(words) > known:
        raise click.UsageError(f"two machines: {words[known]} and --hardware {hardware}; give one")
    if len(words) < known or len(words) > known + 1:
        raise click.UsageError("give one KERNEL, or the kernel itself with --text; a HARDWARE may follow")
    return (words[0] if known else None), (words[known] if len(words) > known else hardware or "host")


def status_of(found: Any) -> int:
    """The exit status of a search; if it is not 0, standard error says why."""
    from isamap_smt.tuning.loop import INTERRUPTED as BY_CTRL_C
    from isamap_smt.tuning.loop import NOTHING

    if found.ended == BY_CTRL_C:
        say("interrupted: what was found until then is above")
        return INTERRUPTED
    if found.winner is not None or found.ended == NOTHING:
        return 0
    ends = [t.status for t in found.trials if t.status != "ok"]
    told = ", ".join(f"{ends.count(status)} {status}" for status in dict.fromkeys(ends))
    say(f"error: no program could be measured ({told}); their reasons are above")
    return MISUSE if set(ends) == {"failed"} else FAULT


def document(found: Any) -> dict[str, Any]:
    """A search as the JSON of `isamap tune`. Times in seconds; programs by their digest."""
    winner = found.winner
    return {
        "task": str(found.task),
        "strategy": found.strategy,
        "seed": found.seed,
        "winner": None if winner is None else {
            "program": winner.program, "seconds": winner.seconds, "baseline": winner.baseline,
            "speedup": winner.baseline / winner.seconds if winner.baseline else None,
        },
        "race": [{"program": program, "seconds": taken} for program, taken in found.race],
        "rank_correlation": dict(found.ranks),
        "trials": [
            {"program": t.program, "status": t.status, "seconds": t.seconds, "median": t.median, "samples": t.samples,
             "dropped": t.dropped, "reason": t.reason, "predicted": t.predicted, "schedule": schedule_words(t.record)}
            for t in found.trials
        ],
        "reused": found.reused,
        "seconds": found.seconds,
        "ended": found.ended,
        "notes": list(found.notes),
    }  # fmt: skip


def schedule_words(record: dict[str, Any]) -> str:
    """A record's decisions on one line."""
    depth = record["accumulate"]
    steps = [
        f"{x['axis']}:{x['step']}" + ("|" if n == record["parallel"] else "") for n, x in enumerate(record["loops"])
    ]
    registers = " ".join(f"{axis}:{points}" for axis, points in record["registers"] if points > 1)
    packed = []
    for p in record["packing"]:
        where = "in place" if p["depth"] is None else "ahead" if p["ahead"] else f"at {p['depth']}"
        packed.append(f"{p['operand']} {where}")
    return f"{' '.join(steps[:depth])} [{' '.join(steps[depth:])}] {registers}; {', '.join(packed)}"


def show(found: Any) -> None:
    """The fastest programs, the rank correlations, and the program used from now on."""
    from isamap_smt.tuning.loop import NOTHING

    out = console()
    out.print(f"{found.task}: {found.strategy}, seed {found.seed}", style="bold")
    if found.ended == NOTHING:
        out.print(found.ended, soft_wrap=True)
        return
    right = [t for t in found.trials if t.seconds is not None]
    models = [name for name, _ in found.ranks]
    rows = table("\nFastest programs", "measured", *models, "samples", "dropped", "schedule",
                 right=("measured", *models, "samples", "dropped"))  # fmt: skip
    for t in sorted(right, key=lambda t: t.seconds)[:_SHOWN]:
        told = [t.predicted.get(m) for m in models]
        mark = " *" if found.winner and t.program == found.winner.program else ""
        rows.add_row(
            _milliseconds(t.seconds) + mark, *("-" if p is None else _milliseconds(p) for p in told),
            str(t.samples), str(t.dropped), schedule_words(t.record),
        )  # fmt: skip
    out.print(rows)
    wrong = [t for t in found.trials if t.seconds is None]
    for t in wrong[:_SHOWN]:
        out.print(f"{t.status}: {schedule_words(t.record)}: {t.reason}", style="red")
    out.print(
        f"\n{len(found.trials)} programs, {found.reused} of them measured before, {len(wrong)} without a time, "
        f"in {seconds(found.seconds)}: {found.ended}"
    )
    for name, rank in found.ranks:
        told_rank = "unknown (fewer than three times, or no two differ)" if rank is None else f"{rank:.2f}"
        out.print(f"rank correlation (Spearman) of the {name} model with the measured times: {told_rank}")
    if found.winner is None:
        out.print("no program could be measured; nothing changes", style="red")
        return
    w = found.winner
    if w.baseline:
        ratio = f", {w.baseline / w.seconds:.2f} times as fast as the exact choice without measuring ({_milliseconds(w.baseline)})"
    else:
        ratio = ""
    out.print(f"kept: {_milliseconds(w.seconds)}{ratio}", style="green")


def _milliseconds(value: float) -> str:
    """To three digits, so near times stay distinct."""
    return f"{value * 1e3:#.3g} ms"
