"""isamap why KERNEL... INSTRUCTION: why a mapping or a plan is forbidden, and the smallest changes that admit one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import click

from isamap_smt.cli.options import as_json, parse_sizes, timeout_option
from isamap_smt.cli.output import answer, progress, tell
from isamap_smt.exploration.machine_edits import Alter
from isamap_smt.exploration.machine_lacks import MOST, Planned
from isamap_smt.exploration.why import Why, why


@click.command("why")
@click.argument("kernels", nargs=-1, required=True, metavar="KERNEL...")
@click.argument("instruction", metavar="INSTRUCTION")
@click.option("--sizes", multiple=True, metavar="i=64,j=32", help="Sizes of kernels that say none themselves.")
@timeout_option
@as_json
def command(
    kernels: tuple[str, ...], instruction: str, sizes: tuple[str, ...], timeout: float | None, as_json: bool
) -> int:
    """Why mappings of each KERNEL onto INSTRUCTION are forbidden, and the smallest changes of it that admit one.

    The name of a machine stands for each of its computing instructions. KERNEL may say its sizes: gemm@i=64,j=64,k=64.
    Changes are of its contract: element types, the axes of operands, saturation, assumed values. Each is confirmed by a
    proof of the mappings. If a kernel maps and the machine has engines, a plan is asked for. Without a plan, or if axes
    of the instruction stay empty in it, the answer is the smallest edits of the machine that admit a better one, each
    confirmed by a plan and its proof.

    Exit status: 0 every kernel has a mapping as it is, if with empty axes, and a plan on a machine with engines; 1
    some have none.
    """
    from isamap_smt.language.hardware_library import find_instructions, machine_from

    each, machine, given = find_instructions(instruction), machine_from(instruction), parse_sizes(sizes)
    with progress("asking") as at:
        found = []
        for k, i in product(kernels, each):
            at(f"{k} onto {i.short}")
            found.append(why(k, i, machine=machine, sizes=given, timeout=timeout))
    answer(as_json, lambda: [w.document() for w in found], lambda: tell(*lines(found)))
    by_kernel = [found[n : n + len(each)] for n in range(0, len(found), len(each))]
    return 0 if all(any(w.helped for w in one) for one in by_kernel) else 1


def lines(found: Sequence[Why]) -> list[str]:
    """The answers for people; of several kernels also how many each change or edit helps."""
    said = [line for w in found for line in _one(w)]
    changes = [(w.kernel.name, [a.changes for a in w.admitted]) for w in found if not w.legal]
    edits = [(w.kernel.name, [e.edits for e in w.planned.edits]) for w in found if w.planned]
    return [*said, *_counts(changes, ""), *_counts(edits, " planned")]


def _counts(helped: Sequence[tuple[str, Sequence[tuple[Any, ...]]]], how: str) -> list[str]:
    """How many kernels each change helps, in descending order. helped: kernel -> its changes; how: it is helped."""
    if len({kernel for kernel, _ in helped}) < 2:
        return []
    by_change: dict[frozenset[Any], tuple[str, set[str]]] = {}
    for kernel, every in helped:
        for changes in every:
            name = " and ".join(map(str, changes))
            by_change.setdefault(frozenset(changes), (name, set()))[1].add(kernel)
    most_first = sorted(by_change.values(), key=lambda x: -len(x[1]))
    return [f"{name}: {len(of)} more kernel{'s' * (len(of) > 1)}{how}" for name, of in most_first]


def _one(w: Why) -> list[str]:
    title = f"{w.kernel.name} onto {w.instruction.name}"
    if w.legal:
        return [f"{title}: {w.legal} legal mapping{'s' * (w.legal > 1)}", *_plan(w.planned)]
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
    return [*said, *_plan(w.planned)]


def _plan(p: Planned | None) -> list[str]:
    """The plan, or the parts the machine lacks for one."""
    if p is None:
        return []
    at = "" if p.cycles is None else f"  planned on {p.machine.name}: {p.cycles:,.0f} cycles"
    if p.complete:
        return [at]
    said = [f"{at}, an axis of the instruction unused" if at else f"  no plan on {p.machine.name}"]
    said += [f"  {reason}" for reason in p.reasons]
    for e in p.edits:
        said += [f"  {e}", *(f"    {x.line}" for x in e.edits if not isinstance(x, Alter))]
    if not p.edits:
        said.append(f"  no {MOST} edits of its moves or its memories at once admit a {'better ' * bool(at)}plan")
    return said
