"""isamap check-isa exo|tvm|FILE.h: does the C of somebody else's instructions do what their text says?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isamap_encodings.deadline import until
from isamap_smt.certificates.directory import check_folder
from isamap_smt.cli.bar import counting_bar
from isamap_smt.cli.options import as_json, compiler_option, timeout_option
from isamap_smt.cli.output import answer, console, seconds, table, tell, verdict
from isamap_smt.ir.errors import IsamapError

if TYPE_CHECKING:
    from isamap_smt.isa import Report
    from isamap_smt.isa.machine import TableMachine

STATUS = {"proved": 0, "refuted": 1, "unknown": 2}


@click.command("check-isa")
@click.argument("where", metavar="exo|exo-gemmini|tvm|FILE.h")
@click.option("--only", default="", metavar="REGEX", help="Only entries whose name it matches anywhere.")
@click.option("--page", metavar="FILE.md", help="Write what is refuted as a page that one could send upstream.")
@click.option("--no-run", is_flag=True, help="Do not compile and run the C of what is refuted.")
@click.option("--machine", metavar="AVX2", help="What becomes of each entry with these registers as an instruction.")
@compiler_option
@timeout_option
@as_json
def command(
    where: str,
    only: str,
    page: str | None,
    no_run: bool,
    machine: str | None,
    cc: str | None,
    timeout: float | None,
    as_json: bool,
) -> int:
    """Prove or refute, for each instruction in a table, that its C agrees with its text.

    `exo`: Exo's x86, Neon and RISC-V vector instructions; `exo-gemmini`: those of Gemmini, executed on its model;
    `tvm`: TVM's tensor intrinsics for x86 and Arm; all as installed.
    FILE.h: C functions with contracts in comments before them.

    Exit status: 0 all proved, 1 one is refuted, 2 none is refuted but one is only tested, unknown or cannot be read,
    3 misuse. With --machine: 0 if the proved instructions make a machine, 3 if they make none.
    """
    if page is not None:
        check_folder(Path(page))
    if machine is not None:
        return _machine(where, only, machine, as_json)
    from isamap_smt.isa import check_isa

    with counting_bar("comparing") as count, until(timeout):
        found = check_isa(where, only, run=not no_run, cc=cc, progress=count)
    if page is not None:
        _write(page, found)
    answer(as_json, found.document, lambda: _show(found, page))
    return STATUS[found.verdict]


def _machine(where: str, only: str, memory: str, as_json: bool) -> int:
    from isamap_smt.isa import table_machine

    made = table_machine(where, only=only, memory=memory)
    answer(as_json, made.document, lambda: _show_machine(made))
    return 0


def _show_machine(made: TableMachine) -> None:
    columns = ("entry", "contract", "rounding", "latency", "per cycle", "figures of")
    rows = []
    for s in made.stated:
        i = s.instruction
        assert i is not None
        text = i.kernel.text.strip().splitlines()[-1]
        rows.append((i.short, text, i.rounding, f"{i.cost.latency:g}", f"{i.cost.per_cycle:g}", s.price))
    console().print(table(made.hardware.name, *columns, rows=rows, right=("latency", "per cycle")))
    if made.left:
        reasons = ((s.finding.name, s.reason) for s in made.left)
        console().print(table("No instructions", "entry", "why", rows=reasons))
    tell(f"{made.hardware.name}: {made.hardware.description}")


def _write(place: str, found: Report) -> None:
    from isamap_smt.isa.page import page

    try:
        Path(place).write_text(page(found.title, found.entries))
    except OSError as error:
        raise IsamapError(f"--page {place}: cannot be written: {error.strerror}") from None


def _show(found: Report, page: str | None) -> None:
    from isamap_smt.isa.check import VERDICTS

    rows = ((f.name, verdict(f.verdict), seconds(f.seconds), f.reason) for f in found.entries)
    console().print(table(found.title, "entry", "verdict", "time", "why", rows=rows, right=("time",)))
    for f in found.entries:
        if f.verdict == "refuted":
            given = "  ".join(f"{name}={value}" for name, value in f.input.items())
            tell(f"\n{f.name} ({f.where}): {f.reason}", *([f"  input     {given}"] if given else []))
            tell(f"  expected  {f.expected}", f"  got       {f.got}")
    counts = ", ".join(f"{found.count(v)} {v}" for v in VERDICTS if v != "tested" or found.count(v))
    tell(f"\n{found.title}: {counts} of {len(found.entries)}, in {seconds(found.seconds)}")
    if found.left:
        tell(found.left)
    if page is not None:
        tell(f"written: {page}")
