"""isamap check-isa exo|tvm|FILE.h: does the C of somebody else's instructions do what their text says?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isamap_smt.cli.bar import counting_bar
from isamap_smt.cli.options import as_json, compiler_option
from isamap_smt.cli.output import answer, console, seconds, table, tell, verdict
from isamap_smt.ir.errors import IsamapError

if TYPE_CHECKING:
    from isamap_smt.isa_check import Report

STATUS = {"proved": 0, "refuted": 1, "unknown": 2}


@click.command("check-isa")
@click.argument("where", metavar="exo|tvm|FILE.h")
@click.option("--only", default="", metavar="REGEX", help="Only entries whose name it matches anywhere.")
@click.option("--page", metavar="FILE.md", help="Write what is refuted as a page that one could send upstream.")
@click.option("--no-run", is_flag=True, help="Do not compile and run the C of what is refuted.")
@compiler_option
@as_json
def command(where: str, only: str, page: str | None, no_run: bool, cc: str | None, as_json: bool) -> int:
    """Prove or refute that the C of each instruction in a table is what its text says.

    `exo`: Exo's x86 and Neon instructions, `tvm`: TVM's tensor intrinsics for x86 and Arm, both as installed.
    FILE.h: C functions with contracts in comments before them.
    Exit status: 0 all proved, 1 one is refuted, 2 none is refuted but one is unknown or cannot be read, 3 misuse.
    """
    from isamap_smt.isa_check import check_isa

    with counting_bar("comparing") as count:
        found = check_isa(where, only, run=not no_run, cc=cc, progress=count)
    if page is not None:
        _write(page, found)
    answer(as_json, found.document(), lambda: _show(found, page))
    return STATUS[found.verdict]


def _write(place: str, found: Report) -> None:
    from isamap_smt.isa_check.page import page

    try:
        Path(place).write_text(page(found.title, found.entries))
    except OSError as error:
        raise IsamapError(f"--page {place}: cannot be written: {error.strerror}") from None


def _show(found: Report, page: str | None) -> None:
    rows = ((f.name, verdict(f.verdict), seconds(f.seconds), f.reason) for f in found.entries)
    console().print(table(found.title, "entry", "verdict", "time", "why", rows=rows, right=("time",)))
    for f in found.entries:
        if f.verdict == "refuted":
            given = "  ".join(f"{name}={value}" for name, value in f.input.items())
            tell(f"\n{f.name} ({f.where}): {f.reason}", *([f"  input     {given}"] if given else []))
            tell(f"  expected  {f.expected}", f"  got       {f.got}")
    counts = ", ".join(f"{found.count(v)} {v}" for v in ("proved", "refuted", "unknown", "unread"))
    tell(f"\n{found.title}: {counts} of {len(found.entries)}, in {seconds(found.seconds)}")
    if found.left:
        tell(found.left)
    if page is not None:
        tell(f"written: {page}")
