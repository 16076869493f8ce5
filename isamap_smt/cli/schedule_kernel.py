"""isamap schedule KERNEL HARDWARE: tiles, loops, registers and packing, and how far from the optimum they may be."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.options import kernel_options, plan_options, read_plan, verbose_option
from isamap_smt.cli.output import print_json
from isamap_smt.cli.plan_view import plan_document, planned_with_notes, show_plan


@click.command("schedule")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@verbose_option
@plan_options
@kernel_options
def command(words: tuple[str, ...], verbose: bool, as_json: bool, **options: Any) -> None:
    """Choose a schedule for KERNEL on HARDWARE. Stopped with Ctrl-C, the solver gives the best it has.

    With -v also what the model of the cost assumes, and which moves of the machine are not used.
    """
    planned = planned_with_notes(read_plan(words, options, engines=True))
    return print_json(plan_document(planned)) if as_json else show_plan(planned, verbose)
