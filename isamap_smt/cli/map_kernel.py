"""isamap map KERNEL INSTRUCTION: every legal mapping of the family, proved, and what forbids the others."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.element_types import with_types_of
from isamap_smt.cli.options import kernel_options, load_kernel, parse_dtypes, parse_sizes, split_names
from isamap_smt.cli.output import console, print_json, progress, seconds, table


@click.command("map")
@click.argument("words", nargs=-1, metavar="[KERNEL] INSTRUCTION")
@click.option("--family", type=click.Choice(["fuse"]), default="fuse", show_default=True, help="Which mappings to try.")
@click.option("--operands", type=click.Choice(["fixed", "any"]), default="any", show_default=True,
              help="Whether kernel operands may feed the instruction's in any order.")
@click.option("--partial", is_flag=True, help="Allow instruction axes that no kernel axis feeds (padded).")
@kernel_options
def command(
    words: tuple[str, ...],
    family: str,
    operands: str,
    partial: bool,
    text: str | None,
    sizes: tuple[str, ...],
    dtypes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Find every legal mapping of KERNEL onto INSTRUCTION; each is proved for all sizes that are not given."""
    from isamap_smt.language.hardware_library import find_instruction
    from isamap_smt.search import find_mappings

    name, wanted = split_names(words, text, "INSTRUCTION")
    types = parse_dtypes(dtypes)
    kernel = load_kernel(name, text, types).with_sizes(parse_sizes(sizes))
    instruction = find_instruction(wanted)
    kernel = with_types_of(kernel, instruction, operands, types)
    with progress(f"mapping {kernel.name} onto {instruction.name}"):
        found = find_mappings(kernel, instruction, family=family, operands=operands, partial=partial)
    document = as_document(found)
    if as_json:
        print_json(document)
    else:
        show(kernel.name, instruction.name, document)


def as_document(found: Any) -> dict[str, Any]:
    """A MappingSet as the JSON of `isamap map`."""
    return {
        "complete": found.complete,
        "legal": len(found.legal),
        "refuted": found.refuted,
        "unknown": len(found.unknown),
        "seconds": round(found.seconds, 3),
        "mappings": [mapping_document(proved.mapping) for proved in found.legal],
        "conflicts": [{"part": str(c.part), "claim": c.claim, "witness": c.witness} for c in found.conflicts],
    }


def mapping_document(mapping: Any) -> dict[str, Any]:
    """One mapping: its axes, operands, and how each operand's elements lie in memory for one execution."""
    from isamap_smt.mapping.layout import supply

    return {
        "id": mapping.id,
        "axes": {axis: list(group) for axis, group in mapping.groups},
        "operands": {operand: access.tensor for operand, access in mapping.binding},
        "supply": {operand: supply(mapping, operand).kind for operand, _ in mapping.binding},
    }


def show(kernel: str, instruction: str, document: dict[str, Any]) -> None:
    """The mapping set as tables."""
    out = console()
    legal = document["legal"]
    title = f"{legal} legal mapping{'' if legal == 1 else 's'} of {kernel} onto {instruction}"
    shown = table(title, "axes", "operands", "supply")
    for m in document["mappings"]:
        axes = ", ".join(f"{t}={'.'.join(g) or '-'}" for t, g in m["axes"].items())
        operands = " ".join(f"{o}={tensor}" for o, tensor in m["operands"].items())
        shown.add_row(axes, operands, " ".join(f"{o}:{kind}" for o, kind in m["supply"].items()))
    out.print(shown if legal else title)
    if document["conflicts"]:
        why = table("\nWhat forbids the others (smallest part)", "part", "claim", "witness")
        for c in document["conflicts"]:
            why.add_row(c["part"], c["claim"], _words(c["witness"]))
        out.print(why)
    complete = "every candidate was judged" if document["complete"] else "NOT complete"
    out.print(
        f"\n{complete}: {legal} legal, {document['refuted']} refuted, {document['unknown']} unknown, "
        f"in {seconds(document['seconds'])}"
    )


def _words(witness: Any) -> str:
    """A witness on one line."""
    if isinstance(witness, dict):
        return " ".join(f"{n}={v}" for n, v in witness.items())
    return str(witness)
