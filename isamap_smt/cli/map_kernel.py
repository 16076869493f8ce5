"""isamap map KERNEL INSTRUCTION: every legal mapping of the family, proved, and the causes that forbid the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from isamap_smt.cli.options import (
    family_option,
    kernel_options,
    load_hardware,
    machine_named,
    machine_values,
    partial_option,
    read_pairs,
    statement_option,
    timeout_option,
    verbose_option,
)
from isamap_smt.cli.output import answer, console, progress, say, seconds, table, tell
from isamap_smt.cli.status import INTERRUPTED, UNKNOWN
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.proof import phrase
from isamap_smt.mapping.axes import AxesError

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction
    from isamap_smt.ir.kernel import Kernel
    from isamap_smt.search import MappingSet


@click.command("map")
@click.argument("words", nargs=-1, metavar="[KERNEL] INSTRUCTION")
@family_option
@click.option(
    "--operands",
    type=click.Choice(["fixed", "any"]),
    default="any",
    help="Whether kernel operands may feed the instruction's in any order.",
)
@partial_option
@statement_option
@timeout_option
@verbose_option
@kernel_options
def command(words: tuple[str, ...], family: str, partial: bool, verbose: bool, as_json: bool, **options: Any) -> int:
    """Find every legal mapping of KERNEL onto INSTRUCTION; each is proved for all sizes left open.

    The name of a machine made of a table, such as exo:AVX2, stands for all its computing instructions; avx2.selected
    is put together from the machine's instructions for the statement. With all --sizes each mapping has its
    predicted cycles, and the choice of `isamap schedule` is marked.
    """
    pairs = read_pairs(words, options)
    if len(pairs) > 1:
        return _onto_all(pairs, family, partial, verbose, as_json, options)
    found = _mapped(*pairs[0], family, partial, options)
    values = machine_values(words, options)
    answer(
        as_json,
        lambda: {**as_document(found), **({"values": values} if values else {})},
        lambda: show(found, verbose, _priced(found, words, options)),
    )
    if values:
        where = ", ".join(f"{n} = {v}" for n, v in values.items())
        say(f"note: this is for {where}; a program is proved at every value that its machine can have")
    if found.interrupted:
        say("interrupted: what was found until then is above")
        return INTERRUPTED
    return UNKNOWN if found.late is not None else 0


def _mapped(
    kernel: Kernel, instruction: Instruction, statement: int, family: str, partial: bool, options: dict[str, Any]
) -> MappingSet:
    from isamap_smt.language.ranges import assume
    from isamap_smt.search import find_mappings

    kernel = assume(kernel, options["assume"])
    with progress(f"mapping {kernel.name} onto {instruction.name}") as show_progress:
        return find_mappings(
            kernel, instruction, family, options["operands"], partial, statement=statement, timeout=options["timeout"],
            progress=lambda done, of, legal: show_progress(f"{done} of {of} candidates judged, {legal} legal"),
        )  # fmt: skip


def _onto_all(
    pairs: list[tuple[Kernel, Instruction, int]], family: str, partial: bool, verbose: bool, as_json: bool,
    options: dict[str, Any],
) -> int:  # fmt: skip
    """Each instruction in turn; those without a mapping are named in one line."""
    found: dict[str, MappingSet] = {}
    none: list[str] = []
    for kernel, instruction, statement in pairs:
        try:
            one = _mapped(kernel, instruction, statement, family, partial, options)
        except AxesError:  # another number of operands
            one = None
        if one is not None and (one.legal or one.interrupted or not one.complete):
            found[instruction.name] = one
        else:
            none.append(instruction.short)
        if one is not None and one.interrupted:
            break
    answer(as_json, lambda: {n: as_document(f) for n, f in found.items()}, lambda: show_all(found, verbose))
    if none:
        say(f"no mapping of {pairs[0][0].name} onto the others that compute: {', '.join(none)}")
    if any(f.interrupted for f in found.values()):
        return INTERRUPTED
    return UNKNOWN if any(f.late is not None for f in found.values()) else 0


def as_document(found: MappingSet) -> dict[str, Any]:
    """A MappingSet as the JSON of `isamap map`."""
    return {
        "complete": found.complete,
        "legal": len(found.legal),
        "refuted": found.refuted,
        "unknown": len(found.unknown),
        "seconds": round(found.seconds, 3),
        "mappings": [mapping_document(proved.mapping, lies=not found.cut_short) for proved in found.legal],
        "conflicts": [{"part": dict(c.part), "claim": c.claim, "witness": c.witness} for c in found.conflicts],
    }


def mapping_document(mapping: Any, lies: bool = True) -> dict[str, Any]:
    """One mapping: its axes, operands, and how each operand's elements lie in memory for one issue of the instruction.

    lies: whether to say how they lie; it takes as long to find as the mapping, and nobody who has stopped a search
    waits for it.
    """
    from isamap_smt.mapping.layout import supply

    digits = {} if mapping.split is None else mapping.split.low_digits
    return {
        "id": mapping.id,
        "axes": {axis: [digits.get(a, a) for a in group] for axis, group in mapping.groups},
        "operands": {operand: access.tensor for operand, access in mapping.binding},
        "supply": {operand: supply(mapping, operand).kind for operand, _ in mapping.binding} if lies else {},
    }


@dataclass(frozen=True)
class Prices:
    """Predicted cycles by the mapping's id; None for one without a schedule. taken: the choice of `isamap schedule`, or ''."""

    cycles: dict[str, float | None] = field(default_factory=dict)
    taken: str = ""


PRICED = 12  # mappings that are scheduled for their price, each in half a second or so


def _priced(found: MappingSet, words: tuple[str, ...], options: dict[str, Any]) -> Prices:
    """The cost of each legal mapping, if all sizes are given and the instruction's machine makes code for cores."""
    from isamap_smt.pipeline.plan import plan
    from isamap_smt.scheduling import schedule

    kernel, instruction = found.family.kernel, found.family.instruction
    machine, short = machine_named(words[-1], None)
    if options["timeout"] is not None:  # the search has it for itself
        return Prices()
    if (
        kernel.free_sizes
        or len(kernel.statements) > 1
        or not short
        or not 0 < len(found.legal) <= PRICED
        or found.cut_short
    ):
        return Prices()
    hardware = load_hardware(machine, options)
    if hardware.lacks or not hardware.has_c:
        return Prices()
    cycles: dict[str, float | None] = {}
    with progress("pricing the mappings"):
        for proved in found.legal:
            try:
                cycles[proved.mapping.id] = schedule(proved, hardware).objective
            except IsamapError:
                cycles[proved.mapping.id] = None
        try:
            taken = plan(kernel, hardware, instruction=instruction.short).proved
        except IsamapError:
            taken = None
    return Prices(cycles, taken.mapping.id if taken else "")


def show_all(found: dict[str, MappingSet], verbose: bool = False) -> None:
    """Each set as show() does."""
    for one in found.values():
        show(one, verbose)


def show(found: MappingSet, verbose: bool = False, prices: Prices | None = None) -> None:
    """The mapping set as tables: legal mappings with their prices, and the smallest parts that forbid the rest."""
    prices = prices or Prices()
    out = console()
    document = as_document(found)
    legal = document["legal"]
    out.print(
        f"{legal} legal mapping{'' if legal == 1 else 's'} of {found.family.kernel.name} "
        f"onto {found.family.instruction.told}",
        style="bold",
    )
    if legal:
        rows = []
        for m in document["mappings"]:
            axes = ", ".join(f"{t}={'.'.join(g) or '-'}" for t, g in m["axes"].items())
            operands = " ".join(f"{o}={tensor}" for o, tensor in m["operands"].items())
            supply = " ".join(f"{o}:{k}" for o, k in m["supply"].items())
            row = [axes or "one iteration at a time", operands, supply]
            if prices.cycles:
                price = prices.cycles[m["id"]]
                row += ["-" if price is None else f"{price:,.0f}", "<- schedule" if m["id"] == prices.taken else ""]
            rows.append(row)
        columns = ("axes", "operands", "in memory", *(("cycles", "") if prices.cycles else ()))
        out.print(table("", *columns, rows=rows, right=("cycles",)))
    tell(*(f"  {subject}: {why}" for subject, why in found.reasons))
    if found.conflicts:
        title = "\nWhat forbids the others: the smallest parts, each with a counterexample"
        forbidden = ((str(c.part), phrase(c.claim), c.witness.splitlines()[-1].strip()) for c in found.conflicts)
        out.print(table(title, "part", "claim", "witness", rows=forbidden))
    tell(*(f"unknown: {mapping.id}\n  {reason}" for mapping, reason in found.unknown), style="yellow")
    complete = "complete: every candidate of the family was judged" if found.complete else "NOT complete"
    complete += "" if found.late is None else f": the {found.late:g} s of --timeout were over"
    judged = found.candidates - (0 if verbose else found.redundant)
    skipped = f"{found.redundant} duplicates skipped, " if verbose else ""
    tell(
        f"\n{complete}; {legal} legal, {found.refuted} refuted, {skipped}"
        f"{len(found.unknown)} unknown of {judged}, in {seconds(found.seconds)}"
    )
