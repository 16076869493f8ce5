"""isamap equal A B: whether two kernels of the same arguments compute the same; the exit status says which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isamap_encodings.verdict import Unknown
from isamap_smt.cli.options import as_json, parse_sizes, timeout_option
from isamap_smt.cli.output import answer, progress, tell
from isamap_smt.cli.prove_mapping import STATUS
from isamap_smt.ir.kernel import Kernel

if TYPE_CHECKING:
    from isamap_smt.equality import Equality


@click.command("equal")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--arithmetic", type=click.Choice(["reals", "bits"]), default="reals",
    help="Floating point as real numbers, whose sums may be regrouped, or each operation as its type says.")  # fmt: skip
@click.option("--sizes", multiple=True, metavar="i=64,j=32", help="Sizes to fix in both; the rest stays symbolic.")
@timeout_option
@as_json
def command(
    first: str, second: str, arithmetic: str, sizes: tuple[str, ...], timeout: float | None, as_json: bool
) -> int:
    """Prove or refute that A and B compute the same results from the same inputs, for all sizes.

    A and B are kernels: a name, file.py:name, or a text (`\\n` starts a new line). Exit status: 0 proved, 1 refuted, 2 unknown, 3
    misuse.
    """
    from isamap_smt.equality import equal

    given = parse_sizes(sizes)
    a, b = _kernel(first, "first"), _kernel(second, "second")
    with progress("comparing"):
        found = equal(a, b, arithmetic, given, timeout)
    answer(as_json, lambda: document(found), lambda: tell(*told(found)))
    return STATUS[found.verdict.word]


def _kernel(spec: str, name: str) -> Kernel:
    from isamap_smt.language import kernel
    from isamap_smt.language.library import find_kernel

    return kernel(spec.replace("\\n", "\n"), name=name) if "[" in spec else find_kernel(spec)


def told(found: Equality) -> list[str]:
    """The answer in lines: the verdict, and an input if it is refuted."""
    a, b = found.first.name, found.second.name
    if found.difference is not None:
        return [f"refuted: {a} and {b} differ", *(f"  {line}" for line in found.difference.lines(a, b))]
    if found.is_proved:
        alone = [w for w in found.where if w.partition(" = ")[2].isdigit()]
        note = [f"  their shapes agree for {', '.join(alone)} alone"] if alone else []
        return [f"proved: {found}", *note]
    reasons = [f"  {c.subject}: {c.verdict.reason}" for c in found.claims if isinstance(c.verdict, Unknown)]
    return [f"unknown: {a} and {b} are not decided", *reasons]


def document(found: Equality) -> dict[str, Any]:
    """The answer as JSON. Numbers of a difference are texts: fractions stay exact."""
    from isamap_smt.equality import meant

    claims = [
        {"result": c.subject, "verdict": c.verdict.word, "seconds": round(c.verdict.seconds, 4)}
        | ({"reason": c.verdict.reason} if isinstance(c.verdict, Unknown) else {})
        for c in found.claims
    ]
    return {
        "first": found.first.name,
        "second": found.second.name,
        "arithmetic": found.arithmetic,
        "meaning": meant(found.first, found.arithmetic),
        "where": list(found.where),
        "verdict": found.verdict.word,
        "claims": claims,
        "difference": None if found.difference is None else found.difference.document(),
        "seconds": round(found.seconds, 3),
    }
