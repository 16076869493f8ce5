"""isamap schedule KERNEL HARDWARE: tiles, loops, registers and packing, and how far from the optimum they may be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from isamap_smt.certificates.directory import write_whole
from isamap_smt.cli.options import kernel_options, plan_options, read_plan, verbose_option
from isamap_smt.cli.output import print_json, say
from isamap_smt.cli.plan_view import plan_document, planned_with_notes, show_plan, show_traffic


@click.command("schedule")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@verbose_option
@click.option(
    "--traffic",
    metavar="FILE.yaml",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of machines with engines: elements, bytes and energy by memory level, written there; as JSON to FILE.json.",
)
@plan_options
@kernel_options
def command(words: tuple[str, ...], verbose: bool, as_json: bool, traffic: Path | None, **options: Any) -> None:
    """Choose a schedule for KERNEL on HARDWARE. Stopped with Ctrl-C, the solver gives the best it has.

    With -v also the assumptions of the cost model, and the moves of the machine left unused.
    """
    planned = planned_with_notes(read_plan(words, options, engines=True))
    moved = None if traffic is None else planned.traffic()
    document = plan_document(planned) | ({} if moved is None else {"traffic": moved.document()})
    print_json(document) if as_json else show_plan(planned, verbose)
    if moved is not None and traffic is not None:
        if not as_json:
            show_traffic(moved)
        write_whole(
            traffic, json.dumps(moved.document(), indent=1) + "\n" if traffic.suffix == ".json" else moved.yaml()
        )
        say(f"wrote {traffic}")
