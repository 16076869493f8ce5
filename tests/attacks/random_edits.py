"""Random mappings of the fuse family, and mappings written by hand that are nearly right."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import FloorDiv, FloorMod
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Axis, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.fuse import bindings, fuse_groups


def random_fused(kernel: Kernel, instruction: Instruction, rng: random.Random) -> Mapping | None:
    """Any assignment of axes, in any order within a group; None when no operand order fits."""
    orders = bindings(kernel, instruction, "any")
    if not orders:
        return None
    axes = [a.name for a in kernel.statements[0].axes]
    rng.shuffle(axes)
    points = list(instruction.axes)
    groups: dict[str, list[str]] = {p: [] for p in points}
    for a in axes:
        if rng.random() < 0.6:
            groups[rng.choice(points)].append(a)
    try:
        return fuse_groups(kernel, instruction, tuple((p, tuple(g)) for p, g in groups.items()), rng.choice(orders))
    except IsamapError:
        return None


def by_hand(m: Mapping, rng: random.Random) -> Mapping:
    """The mapping as if written by hand, with none to two random edits."""
    m = replace(m, groups=())
    for _ in range(rng.choice([0, 1, 1, 2])):
        what = rng.choice(["forward", "forward", "inverse", "guard", "outer", "drop", "binding"])
        if what in ("forward", "inverse") and getattr(m, what):
            table = list(getattr(m, what))
            k = rng.randrange(len(table))
            table[k] = (table[k][0], mutated(table[k][1], [s for _, e in table for s in e.free_symbols], rng))
            m = replace(m, **{what: tuple(table)})
        elif what == "outer" and m.outer:
            k = rng.randrange(len(m.outer))
            extent = mutated(m.outer[k].extent, list(sp.sympify(m.outer[k].extent).free_symbols), rng)
            m = replace(m, outer=(*m.outer[:k], Axis(m.outer[k].name, extent), *m.outer[k + 1 :]))
        elif what == "guard" and m.guard:
            k = rng.randrange(len(m.guard))
            g = m.guard[k]
            if g.args:
                changed = g.func(mutated(g.args[0], list(g.free_symbols), rng), g.args[1], evaluate=False)
                m = replace(m, guard=(*m.guard[:k], changed, *m.guard[k + 1 :]))
        elif what == "drop":
            m = replace(m, guard=m.guard[1:])
        elif what == "binding" and len(m.binding) > 2:
            k, j = rng.sample(range(1, len(m.binding)), 2)
            swapped = list(m.binding)
            swapped[k], swapped[j] = (swapped[k][0], swapped[j][1]), (swapped[j][0], swapped[k][1])
            m = replace(m, binding=tuple(swapped))
    return m


def mutated(e: Any, symbols: list[Any], rng: random.Random) -> Any:
    """Another expression: one part of it moved, scaled, cut otherwise, or another variable."""
    e = sp.sympify(e)
    part = rng.choice(list(sp.preorder_traversal(e)))
    names = sorted(set(symbols), key=str) or [sp.Integer(1)]
    new = rng.choice(
        [
            part + rng.choice([-1, 1]),
            part * 2,
            FloorDiv(part, sp.Integer(rng.choice([2, 3]))),
            FloorMod(part, sp.Integer(rng.choice([2, 3]))),
            rng.choice(names),
            sp.Integer(rng.choice([0, 1, 2])),
        ]
    )
    return e.xreplace({part: new})
