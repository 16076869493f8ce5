"""What the C leaves out, hoists or turns round is decided here, before the proof: Program -> Program.

Tests that always hold are marked, at the values of unrolled variables for which they do. Copies get the order of their loops, the
relations under which a whole tile needs no test, and the block of words that one call copies. Loops get the temporaries that they
fold, and the iteration from which on they do nothing; points that combine elements side by side get instructions. Each mark is an
obligation of the program's proof (isamap_smt.proof.program_forms); the printer follows them, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import replace
from itertools import product
from typing import Any

import sympy as sp

from isamap_smt.codegen.across import with_across
from isamap_smt.codegen.c_blocks import block_of
from isamap_smt.codegen.c_copy import along_rows, limits, plan_copy, whole_block
from isamap_smt.codegen.ends import with_end
from isamap_smt.codegen.folds import with_folds
from isamap_smt.codegen.offsets import row_major
from isamap_smt.ir.boxes import always_true, most
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import substitute, symbols_of
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.program import Block, Copy, CopyForm, If, Loop, Node, Program
from isamap_smt.ir.traversal import buffers, map_bodies

Nodes = tuple[Node, ...]
Places = Dict[str, tuple[DType, tuple[Any, ...]]]


def decided(program: Program) -> Program:
    """The program with every such choice made."""
    places: dict[str, tuple[DType, tuple[Any, ...]]] = {t.name: (t.dtype, t.shape) for t in program.kernel.tensors}
    places |= {name: (b.dtype, b.shape) for name, b in buffers(program).items()}
    made = map_bodies(program, lambda body: _body(body, (), places))
    return with_folds(with_across(made))


def _body(body: Nodes, loops: tuple[Loop, ...], places: Places) -> Nodes:
    return tuple(_node(n, loops, places) for n in body)


def _node(node: Node, loops: tuple[Loop, ...], places: Places) -> Node:
    match node:
        case Loop():
            return with_end(map_bodies(node, lambda body: _body(body, (*loops, node), places)))
        case If():
            known = tuple(_known(r, loops) for r in node.condition)
            return replace(map_bodies(node, lambda body: _body(body, loops, places)), known=known)
        case Copy():
            return _copy(node, places)
    return node


def _known(relation: Any, loops: tuple[Loop, ...]) -> tuple[tuple[tuple[str, int], ...], ...]:
    """The values of the unrolled variables that it mentions, for which it holds wherever the loops around lead."""
    ranges = tuple(Axis(str(x.var), most(x.count)) for x in loops if x.kind != "unroll")
    mentioned = symbols_of([relation])
    unrolled = [x for x in loops if x.kind == "unroll" and str(x.var) in mentioned]
    found = []
    for values in product(*(range(int(x.count)) for x in unrolled)):
        at = {str(x.var): v for x, v in zip(unrolled, values, strict=True)}
        if always_true(substitute(relation, at), ranges):
            found.append(tuple(at.items()))
    return tuple(found)


def _copy(copy: Copy, places: Places) -> Copy:
    (_, shape), (held, room) = places[copy.src.name], places[copy.dst.name]
    source = row_major(copy.src.index, shape)
    if (
        made := _in_blocks(copy, source, row_major(copy.dst.index, room), (places[copy.src.name][0], held))
    ) is not None:
        return made
    copy = along_rows(copy, source)
    plan = plan_copy(copy, source)
    return replace(copy, form=CopyForm(plan.split, plan.whole, plan.unrolled))


def _in_blocks(copy: Copy, source: Any, target: Any, dtypes: tuple[DType, DType]) -> Copy | None:
    """The copy block by block, where it has blocks and they can be whole; a block that is cut goes element by element."""
    found = block_of(copy, source, target, dtypes)
    if found is None or (copy.where and not copy.fill):
        return None
    inner = tuple(d for d in copy.over if d in found.inner)
    copy = replace(copy, over=(*found.outer, *inner))
    whole = whole_block(copy, len(inner))
    if whole is None:
        return None
    left = limits(copy, len(inner)) if whole else None
    sides = tuple(v.name for v, _ in found.sides)
    cut = tuple((n, sp.expand(x)) for n, x in left.items()) if left is not None and set(left) <= set(sides) else None
    block = Block(found.call, found.to_row, found.from_row, sides, cut)
    return replace(copy, form=CopyForm(len(found.outer), whole, False, block))
