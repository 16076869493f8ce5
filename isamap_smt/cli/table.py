"""isamap table KERNEL... --on HARDWARE: many kernels on many machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from isamap_smt.certificates.directory import write_whole
from isamap_smt.cli.options import as_json, parse_sizes, timeout_option, together
from isamap_smt.cli.output import answer, console, progress, say
from isamap_smt.cli.output import table as drawn
from isamap_smt.exploration import Answer, Explored, table
from isamap_smt.exploration.grid import CELLS

exploring = together(
    as_json,
    click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
                 help="Keep answers there, and write a page and tables; the same command goes on where it was interrupted."),
    click.option("--jobs", type=click.IntRange(min=1), help="Processes; as many as there are cores by default."),
    timeout_option,
    click.option("--sizes", multiple=True, metavar="i=64,j=32", help="Sizes of kernels that say none themselves."),
)  # fmt: skip


@click.command("table")
@click.argument("kernels", nargs=-1, required=True, metavar="KERNEL...")
@click.option("--on", "machines", multiple=True, required=True, metavar="HARDWARE", help="A machine; repeatable.")
@exploring
def command(kernels: tuple[str, ...], machines: tuple[str, ...], **options: Any) -> int:
    """Every KERNEL on every machine: legal mappings, cycles of the best plan, or why there is none.

    KERNEL may say its sizes and how many times it counts: 12*gemm@i=128,j=768,k=768.
    """
    with progress("exploring") as tell:
        found = table(kernels, machines, progress=told(tell), **asked(options))
    show(found, options, "Kernels and machines", "isamap table")
    return 0


def asked(options: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of table() and sweep()."""
    return {
        "sizes": parse_sizes(options["sizes"]), "timeout": options["timeout"], "jobs": options["jobs"],
        "keep": options["output"],
    }  # fmt: skip


def told(tell: Any) -> Any:
    """A function to show the progress by the number of answers."""

    def arrived(done: int, of: int, _: Answer) -> None:
        tell(f"{done} of {of}")

    return arrived


def show(found: Explored, options: dict[str, Any], title: str, generator: str) -> None:
    """The answer, and the files if a directory is given."""
    _say_unread(found)
    answer(options["as_json"], found.document, lambda: _shown(found))
    output: Path | None = options["output"]
    if output is None:
        return
    from isamap_smt.report.explored import markdown, page

    write_whole(output / "index.html", page(found, title, generator))
    write_whole(output / "table.md", markdown(found))
    say(f"wrote {output}/index.html and table.md; {CELLS} keeps the answers, and the same command goes on from there")


def _say_unread(found: Explored) -> None:
    """How much of an architecture's file the machines do not have."""
    from isamap_smt.architectures import ReadMachine

    for m in {m.name: m for m in found.machines if isinstance(m.hardware, ReadMachine)}.values():
        count = len(m.hardware.unread) if isinstance(m.hardware, ReadMachine) else 0
        say(
            f"note: {m.name}: {count} things in the file are not read or not kept; `isamap list hardware {m.name}` names them"
        )


def _shown(found: Explored) -> None:
    from isamap_smt.report.explored import cell_words, machine_columns, machine_rows, reasons

    swept = bool(found.machines[0].values)
    if swept:
        columns = machine_columns(found)
        console().print(drawn("Machines", *columns, rows=machine_rows(found), right=columns[:-2]))
    else:
        rows = [
            (x.name, *(cell_words(a, True) for a in row)) for x, row in zip(found.layers, found.answers, strict=True)
        ]
        console().print(drawn("Kernels", "kernel", *(m.title for m in found.machines), rows=rows))
    for kernel, machine, why in reasons(found):
        say(f"{kernel} on {machine}: {why}")
