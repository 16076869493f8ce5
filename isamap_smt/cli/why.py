"""isamap why KERNEL... INSTRUCTION: what forbids mappings, and the smallest changes of the instruction that admit them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import click

from isamap_smt.cli.options import as_json, timeout_option
from isamap_smt.cli.output import answer, progress, tell
from isamap_smt.exploration.why import Why, why


@click.command("why")
@click.argument("kernels", nargs=-1, required=True, metavar="KERNEL...")
@click.argument("instruction", metavar="INSTRUCTION")
@timeout_option
@as_json
def command(kernels: tuple[str, ...], instruction: str, timeout: float | None, as_json: bool) -> int:
    """What forbids mappings of each KERNEL onto INSTRUCTION, and the smallest changes of the instruction that admit one.

    The name of a machine stands for each of its instructions that computes.

    Changes are of its contract: element types, the axes of operands, saturation, assumed values. Each is confirmed by a proof of
    the mappings. Exit status: 0 every kernel has a mapping as it is, if with empty axes, 1 some have none.
    """
    from isamap_smt.language.hardware_library import find_instructions

    each = find_instructions(instruction)
    with progress("asking") as at:
        found = []
        for k, i in product(kernels, each):
            at(f"{k} onto {i.short}")
            found.append(why(k, i, timeout=timeout))
    answer(as_json, lambda: [w.document() for w in found], lambda: tell(*lines(found)))
    by_kernel = [found[n : n + len(each)] for n in range(0, len(found), len(each))]
    return 0 if all(any(w.legal or w.padded for w in one) for one in by_kernel) else 1


def lines(found: Sequence[Why]) -> list[str]:
    """The answers for people; of several kernels also which change helps how many."""
    said = [line for w in found for line in _one(w)]
    without = [w for w in found if not w.legal]
    if len({w.kernel.name for w in without}) > 1:
        helps: dict[str, set[str]] = {}
        for w in without:
            for a in w.admitted:
                name = " and ".join(map(str, a.changes))
                helps.setdefault(name, set()).add(w.kernel.name)
        most_first = sorted(((name, len(of)) for name, of in helps.items()), key=lambda x: -x[1])
        said += [f"{name}: {n} more kernel{'s' * (n > 1)}" for name, n in most_first]
    return said


def _one(w: Why) -> list[str]:
    title = f"{w.kernel.name} onto {w.instruction.name}"
    if w.legal:
        return [f"{title}: {w.legal} legal mapping{'s' * (w.legal > 1)}"]
    said = [f"{title}: no legal mapping"]
    if w.padded:
        said.append(f"  {w.padded} where axes of the instruction stay empty (--partial)")
    if w.reason:
        said.append(f"  {w.reason}")
    said += [f"  {c.part}: {c.witness.splitlines()[-1].strip()}" for c in w.conflicts[:6]]
    said += [f"  with values {r}: it is legal as it is (--assume)" for r in w.ranges]
    said += [f"  with {a}" for a in w.admitted]
    if not w.admitted:
        said.append("  no one or two changes of element types, axes, saturation or assumed values admit a mapping")
    return said
