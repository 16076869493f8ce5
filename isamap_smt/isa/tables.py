"""Which tables there are, and one of them checked as a whole."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from isamap_smt.ir.errors import HardwareError, IsamapError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.isa import exo_gemmini, exo_table, gemmini_runs, header, tvm_table
from isamap_smt.isa.check import VERDICTS, Progress, check_entries, matching
from isamap_smt.isa.confirm import confirm
from isamap_smt.isa.entry import Entry, Finding
from isamap_smt.isa.gemmini_machine import gemmini_machine
from isamap_smt.isa.machine import TableMachine, make_machine

GEMMINI = "exo-gemmini"
TABLES = ("exo", GEMMINI, "tvm")


class NotInstalledError(IsamapError):
    """A table that belongs to a package which is not there."""


@dataclass(frozen=True)
class Report:
    """Findings about one table, in its order. title: what was read, with its version. left: what it does not cover, in words."""

    title: str
    entries: tuple[Finding, ...]
    seconds: float
    left: str = ""

    def count(self, verdict: str) -> int:
        """How many entries have this verdict."""
        return sum(f.verdict == verdict for f in self.entries)

    @property
    def verdict(self) -> str:
        """refuted if one is; else unknown if one is not proved, or none was looked at; else proved."""
        if self.count("refuted"):
            return "refuted"
        return "proved" if self.entries and self.count("proved") == len(self.entries) else "unknown"

    def document(self) -> dict[str, Any]:
        """As JSON."""
        counts = {v: self.count(v) for v in VERDICTS}
        entries = [f.document() for f in self.entries]
        return {"table": self.title, "verdict": self.verdict, **counts, "left": self.left,
                "seconds": round(self.seconds, 3), "entries": entries}  # fmt: skip


def check_isa(
    table: str, only: str = "", *, run: bool = True, cc: str | None = None, progress: Progress = lambda *_: None
) -> Report:
    """Compare each entry of `exo`, or of a C file with contracts in comments, whose name matches the regular expression.
    `exo-gemmini`: execute each on the model of Gemmini, which proves nothing.

    run: whether the C of what is refuted is compiled and run on the input. Raises IsamapError for tables that there are not,
    packages that are not installed, and contracts that say nothing legal.
    """
    begun = time.perf_counter()
    if table == GEMMINI:
        return _check_gemmini(only, cc, progress)
    title, found, left = _entries(table, cc)
    findings = check_entries(found, only, partial(confirm, cc=cc) if run else None, progress)
    if not findings:
        raise UnknownNameError(f"{title}: no entry matches --only {only!r}" if only else f"{title}: there is no entry")
    return Report(title, tuple(findings), time.perf_counter() - begun, left)


def _check_gemmini(only: str, cc: str | None, progress: Progress) -> Report:
    begun = time.perf_counter()
    _require_exo()
    table = exo_gemmini.read_entries()
    listed = matching(table, only)
    title = f"Exo {exo_table.installed()}, gemmini"
    if not listed:
        raise UnknownNameError(f"{title}: no entry matches --only {only!r}")
    return Report(title, tuple(gemmini_runs.run_entries(table, listed, cc, progress)), time.perf_counter() - begun)


def _require_exo() -> None:
    if exo_table.installed() is None:
        raise NotInstalledError(f"exo: exo-lang is not installed, nothing was checked; {exo_table.INSTALL}")


def machine_from_table(
    table: str, *, only: str = "", memory: str = "", fixed: Mapping[str, int] | None = None
) -> Hardware:
    """The machine whose instructions are the proved entries of a table, each with the table's own C.

    table: `exo`, or the path of a C file with contracts. only: entries whose name matches the regular expression. memory: what the
    table calls the registers ("AVX2"); of a C file all. fixed: the only value of integer parameters of these names.
    Raises IsamapError for tables that there are not or that are not installed, and HardwareError where no entry becomes an
    instruction; `table_machine` says why for each.
    """
    return table_machine(table, only=only, memory=memory, fixed=fixed).hardware


def table_machine(
    table: str, *, only: str = "", memory: str = "", fixed: Mapping[str, int] | None = None
) -> TableMachine:
    """As machine_from_table(), with what became of each entry and why. Made once for each table."""
    given = tuple(sorted((fixed or {}).items()))
    path = Path(table)
    version = path.read_text() if path.is_file() else ""
    return _table_machine(table, only, memory, given, version)


@cache
def _table_machine(table: str, only: str, memory: str, fixed: tuple[tuple[str, int], ...], _: str) -> TableMachine:
    if table == GEMMINI or (table == "exo" and memory == "gemmini"):
        return _gemmini_machine(only, fixed)
    title, found, _left = _entries(table, None, dict(fixed))
    known = exo_table.number_names(found)
    if unknown := [n for n, _ in fixed if n not in known]:
        hint = did_you_mean(unknown[0], known) if known else "the numbers of its entries cannot be fixed"
        raise UnknownNameError(f"{title}: no entry has a number {unknown[0]!r}; {hint}")
    name = re.sub(r"[^\w+-]", "_", Path(table).stem)
    name += "".join([f"-{memory}" if table in TABLES else "", *(f"-{n}{v}" for n, v in fixed)])
    listed = matching(found, only)
    if not listed:
        raise UnknownNameError(f"{title}: no entry matches {only!r}")
    return make_machine(title, name, listed, memory)


def _gemmini_machine(only: str, fixed: tuple[tuple[str, int], ...]) -> TableMachine:
    _require_exo()
    if only or fixed:
        raise HardwareError(
            f"{GEMMINI}: the machine is made of certain entries as they are; leave only= and fixed= out"
        )
    table = exo_gemmini.read_entries()
    title = f"Exo {exo_table.installed()}, gemmini"
    return gemmini_machine(title, table, lambda listed: gemmini_runs.run_entries(table, listed))


def _entries(table: str, cc: str | None, fixed: Mapping[str, int] | None = None) -> tuple[str, list[Entry], str]:
    if table == "exo":
        _require_exo()
        return (
            f"Exo {exo_table.installed()}, {', '.join(exo_table.TABLES)}",
            list(exo_table.entries(fixed)),
            exo_table.LEFT,
        )
    if table == "tvm":
        version = tvm_table.installed()
        if version is None:
            raise NotInstalledError(f"tvm: apache-tvm is not installed, nothing was checked; {tvm_table.INSTALL}")
        return f"TVM {version}, {' and '.join(tvm_table.TABLES)}", tvm_table.entries(), tvm_table.LEFT
    path = Path(table)
    if path.suffix not in (".h", ".c") and not path.is_file():
        raise UnknownNameError(
            f"{table!r} is no table; write {', '.join(TABLES)}, or the path of a C file with contracts, FILE.h"
        )
    return path.name, header.entries(path, cc), ""
