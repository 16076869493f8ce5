"""isamap check-hardware HARDWARE: does every instruction do what its description says?"""

from __future__ import annotations

import click

from isamap_smt.cli.bar import counting_bar
from isamap_smt.cli.options import as_json, compiler_option, machine_named
from isamap_smt.cli.output import answer, say_notes, tell
from isamap_smt.cli.status import WRONG_DESCRIPTION
from isamap_smt.ir.errors import HardwareError
from isamap_smt.runtime.conformance import HardwareCheck
from isamap_smt.runtime.conformance.check import RESULTS

STATUSES = {"right": 0, "unknown": 2, "wrong": WRONG_DESCRIPTION}


@click.command("check-hardware")
@click.argument("hardware", metavar="HARDWARE")
@click.option("--instruction", "only", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option(
    "--results",
    type=click.IntRange(min=1, max=10_000_000),
    default=RESULTS,
    help="How many results of each instruction that computes to compare.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the operands.")
@click.option(
    "--target",
    default="c",
    metavar="NAME",
    help="Where they run: c is this CPU, a triple such as aarch64-linux-musl is emulated.",
)
@compiler_option
@as_json
def command(
    hardware: str, only: tuple[str, ...], results: int, seed: int, target: str, cc: str | None, as_json: bool
) -> int:
    """Run every instruction of HARDWARE on random and edge operands, and compare with its description.

    Each runs in a process of its own, at the edges of forbidden pages, unaligned unless its description asks for
    alignment, again, and in two threads. Status 0: all are right; 5: one is wrong, with a counterexample; 2: none is
    wrong, but one could not be run.
    """
    from isamap_smt.runtime.conformance import check_hardware
    from isamap_smt.runtime.conformance.outcome import document
    from isamap_smt.targets import find_target

    hardware, named = machine_named(hardware, only[0] if len(only) == 1 else None)
    only = only or ((named,) if named else ())
    where = find_target(target)
    if why := where.available(cc):
        raise HardwareError(why)
    place = where.place(cc)
    if place is None:
        raise HardwareError(f"target {where.name} runs programs, and no single instructions; leave out --target")
    say_notes(filter(None, [where.beforehand(cc)]))
    with counting_bar("checking") as count:
        found = check_hardware(hardware, only=only, results=results, seed=seed, cc=cc, progress=count, place=place)
    answer(as_json, lambda: document(found), lambda: _show(found))
    return STATUSES[found.verdict]


def _show(found: HardwareCheck) -> None:
    styles = {"right": "green", "wrong": "bold red", "unknown": "yellow"}
    *lines, last = str(found).splitlines()
    tell(*lines)
    tell(last, style=styles[found.verdict])
