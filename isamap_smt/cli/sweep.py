"""isamap sweep MACHINE --over NAME=VALUES KERNEL...: the machines of a family that are worth their cost."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.output import progress
from isamap_smt.cli.table import asked, exploring, show, told
from isamap_smt.exploration import sweep
from isamap_smt.exploration.grid import ON_CHIP
from isamap_smt.ir.errors import UnknownNameError


@click.command("sweep")
@click.argument("machine", metavar="MACHINE")
@click.argument("kernels", nargs=-1, required=True, metavar="KERNEL...")
@click.option("--over", multiple=True, required=True, metavar="kib=32,64", help="Values of a parameter; repeatable.")
@click.option(
    "--cost", default=ON_CHIP, metavar="EXPRESSION",
    help="What a machine costs: + - * // of the parameters that vary and `bytes`, what its memories hold together.")  # fmt: skip
@exploring
def command(machine: str, kernels: tuple[str, ...], over: tuple[str, ...], cost: str, **options: Any) -> int:
    """Every KERNEL on every machine made by MACHINE (file.py:NAME, a function) of these parameters.

    For each: cycles of all kernels together, the largest part of them, and whether no other machine is both cheaper
    and faster. KERNEL may say its sizes and how many times it counts: 12*gemm@i=128,j=768,k=768.
    """
    with progress("exploring") as tell:
        found = sweep(machine, _values(over), kernels, cost=cost, progress=told(tell), **asked(options))
    show(found, options, f"{machine} over {', '.join(n for n, _ in found.machines[0].values)}", "isamap sweep")
    return 0


def _values(texts: tuple[str, ...]) -> dict[str, list[int]]:
    """name -> values, of texts such as `kib=32,64`."""
    found: dict[str, list[int]] = {}
    for text in texts:
        name, equals, values = (x.strip() for x in text.partition("="))
        numbers = [v.strip() for v in values.split(",")]
        if not equals or not name or not all(v.isdigit() for v in numbers):
            raise UnknownNameError(f"--over {text!r}: write a parameter and its values, such as kib=32,64")
        if name in found:
            raise UnknownNameError(f"--over: {name} is given twice")
        found[name] = [int(v) for v in numbers]
    return found
