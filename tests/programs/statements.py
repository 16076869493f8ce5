"""Programs of several statements on the toy machine, and wrong variants of them: traps of epilogues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp
import toys
from mutants import rewritten

import isamap_smt as im
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.expr import sym
from isamap_smt.ir.portable import computing
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Compute,
    If,
    IndexType,
    Loop,
    Node,
    Parallel,
    Point,
    Program,
    Ref,
    copy_of,
)
from tests.programs.loop_kinds import of_kind
from tests.programs.portable import is_element

GEMM = "C[i,j] += A[i,k] * B[k,j]\n"
RELU = GEMM + "D[i,j] = relu(C[i,j] + b[j])"
IN_PLACE = GEMM + "C[i,j] = relu(C[i,j] + b[j])"
ROWS = IN_PLACE + "\nm[i] max= C[i,j]\nE[i,j] = C[i,j] - m[i]"
TRANSPOSED = GEMM + "D[j,i] = C[i,j] * s[j]"
LAYERS = GEMM + "C[i,j] = relu(C[i,j] + b[j])\nO[i,m] += C[i,j] * W[j,m]\nO[i,m] = O[i,m] * s[m]"
AHEAD = GEMM + "O[i,m] += C[i+1,j] * W[j,m]"
EARLIER = "S[k,j] = B[k,j] * s[k]\n" + "C[i,j] += A[i,k] * S[k,j]"

PARTIAL = """temporary P
axis l < 4
axis q < 3
A: f32[I,12]
B: f32[J,12]
P[i,j,l] += A[i,4*q+l] * B[j,4*q+l]
C[i,j] += (P[i,j,0] + P[i,j,2]) + (P[i,j,1] + P[i,j,3])
D[i,j] = relu(C[i,j] + b[j])
"""


def _lowered(text: str, loops: str, accumulate: int, statement: int = 0, **more: Any) -> Program:
    kernel = im.kernel(text)
    m = im.fuse(kernel, toys.FMA, {"l": ("j",)}, statement=statement)
    return lower(toys.schedule(m, loops, accumulate, {"i": 2, "j": 4}, **more))


def whole() -> Program:
    """The accumulators see all of k; bias and relu follow tile by tile."""
    return _lowered(RELU, "i:2 j:4 k:1", 2)


def blocked(text: str = RELU) -> Program:
    """k in blocks around the accumulators; the epilogue waits for the last one."""
    return _lowered(text, "j:8 k:4 i:2 j:4 k:1", 4, packing={"b": 2})


def in_place() -> Program:
    """The epilogue changes the output itself."""
    return blocked(IN_PLACE)


def rows(parallel: int | None = None) -> Program:
    """An epilogue, then a row maximum and its use in loops of their own."""
    return _lowered(ROWS, "i:2 j:4 k:1", 2, parallel=parallel)


def two_layers(parallel: int | None = None) -> Program:
    """Two matrix products on instructions, each with an epilogue; the second packs what the first leaves."""
    kernel = im.kernel(LAYERS)
    first, second = (im.fuse(kernel, toys.FMA, {"l": (a,)}, statement=n) for a, n in (("j", 0), ("m", 2)))
    one = toys.schedule(first, "i:2 j:4 k:1", 2, {"i": 2, "j": 4}, parallel=parallel)
    more = {"packing": {"a": 3, "b": 2}, "parallel": parallel}
    return lower(one, toys.schedule(second, "m:8 j:4 i:2 m:4 j:1", 4, {"i": 2, "m": 4}, **more))


def blocks(parallel: int | None = None, text: str = LAYERS) -> Program:
    """Two matrix products in one loop over blocks of rows: what the first leaves of a block, the second reads at once."""
    kernel = im.kernel(text)
    last = len(kernel.statements) - (1 if text == AHEAD else 2)
    first, second = (im.fuse(kernel, toys.FMA, {"l": (a,)}, statement=n) for a, n in (("j", 0), ("m", last)))
    one = toys.schedule(first, "i:4 j:8 i:2 j:4 k:1", 4, {"i": 2, "j": 4}, parallel=parallel)
    two = toys.schedule(second, "i:4 m:8 i:2 m:4 j:1", 4, {"i": 2, "m": 4}, packing={"b": 0}, parallel=parallel)
    return lower(replace(one, fused=("i",)), replace(two, fused=("i",)))


def blocks_of_columns(parallel: int | None = None) -> Program:
    """Two products in one loop over columns of the first, which the second sums over."""
    kernel = im.kernel(LAYERS)
    first, second = (im.fuse(kernel, toys.FMA, {"l": (a,)}, statement=n) for a, n in (("j", 0), ("m", 2)))
    one = toys.schedule(first, "j:8 i:2 j:4 k:1", 3, {"i": 2, "j": 4}, parallel=parallel)
    two = toys.schedule(second, "j:8 i:2 m:4 j:1", 3, {"i": 2, "m": 4}, parallel=parallel)
    return lower(replace(one, fused=("j",)), replace(two, fused=("j",)))


def transposed() -> Program:
    """The epilogue transposes."""
    return _lowered(TRANSPOSED, "i:2 j:4 k:1", 2)


def earlier() -> Program:
    """A statement before the mapped one, whose result is packed."""
    return _lowered(EARLIER, "j:8 i:2 j:4 k:1", 3, 1, packing={"b": 1})


def partial(loops: str = "i:2 j:1 q:1", accumulate: int = 2, parallel: int | None = None) -> Program:
    """Lanes that hold partial sums, which an epilogue adds up; another one follows it."""
    kernel = im.kernel(PARTIAL)
    m = im.fuse(kernel, toys.FMA, {"l": ("l",)})
    return lower(toys.schedule(m, loops, accumulate, {"i": 2, "l": 4}, parallel=parallel))


def partial_in_blocks() -> Program:
    """The same, with the sum in blocks around the accumulators."""
    return partial("q:2 i:2 j:1 q:1", 3)


ORIGINALS: dict[str, Callable[[], Program]] = {
    "whole": whole, "blocked": blocked, "in_place": in_place, "rows": rows, "rows_parallel": lambda: rows(0),
    "transposed": transposed, "two_layers": two_layers, "two_layers_parallel": lambda: two_layers(0), "earlier": earlier,
    "partial": partial, "partial_parallel": lambda: partial(parallel=0), "partial_in_blocks": partial_in_blocks,
    "blocks": blocks, "blocks_parallel": lambda: blocks(0), "blocks_of_columns": blocks_of_columns,
}  # fmt: skip


# ---- wrong variants ------------------------------------------------------------------------------------------------


def _computes(n: Node) -> bool:
    """Whether the node computes single points, or holds one that does, and no instruction's accumulators."""
    if isinstance(n, Loop | If):
        return bool(n.body) and all(_computes(x) for x in n.body)
    return is_element(n)


def _each_compute(program: Program, change: Callable[[Point], Point]) -> Program:
    return rewritten(program, lambda n: (change(n),) if is_element(n) else None)


def every_block() -> Program:
    """The epilogue runs after each block of the sum."""
    return rewritten(in_place(), lambda n: n.body if isinstance(n, If) and _computes(n) else None)


def partial_every_block() -> Program:
    """Partial sums that are added up whenever some of them are there."""

    def f(n: Node) -> Any:
        return n.body if isinstance(n, If) and _computes(n) else None

    return rewritten(partial_in_blocks(), f)


def one_partial_sum_twice() -> Program:
    """One lane is added twice, and another one left out."""
    return _each_compute(partial(), lambda c: c.placed(c.dst, c.reads[0], *c.reads[:-1]) if len(c.reads) == 4 else c)


def first_block() -> Program:
    """The epilogue runs after the first block of the sum, before the others are added."""

    def f(n: Node) -> Any:
        if isinstance(n, If) and _computes(n):
            return (replace(n, condition=(sp.Eq(n.condition[0].lhs, 0),)),)

    return rewritten(blocked(), f)


def first_block_in_place() -> Program:
    """The same, changing the sum itself."""

    def f(n: Node) -> Any:
        if isinstance(n, If) and _computes(n):
            return (replace(n, condition=(sp.Eq(n.condition[0].lhs, 0),)),)

    return rewritten(in_place(), f)


def _swapped(program: Program, first: Callable[[Node], bool]) -> Program:
    """What `first` picks of a body comes first in it."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and any(map(first, n.body)) and not all(map(first, n.body)):
            return (replace(n, body=(*filter(first, n.body), *(x for x in n.body if not first(x)))),)

    return rewritten(program, f)


def before_the_sum() -> Program:
    """The epilogue stands before the accumulators of its own tile."""
    return _swapped(whole(), _computes)


def before_the_store() -> Program:
    """The epilogue stands between the sum and its store."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and any(isinstance(x, Alloc) for x in n.body) and _computes(n.body[-1]):
            return (replace(n, body=(*n.body[:-3], n.body[-1], *n.body[-3:-1])),)

    return rewritten(whole(), f)


def next_tile() -> Program:
    """The epilogue works on the tile that comes next."""

    def f(c: Point) -> Point:
        table = {"j0": sym("j0") + 1}
        moved = [replace(r, index=tuple(sp.sympify(i).subs(sym("j0"), table["j0"]) for i in r.index)) for r in c.reads]
        dst = replace(c.dst, index=tuple(sp.sympify(i).subs(sym("j0"), table["j0"]) for i in c.dst.index))
        point = tuple((a, sp.sympify(e).subs(sym("j0"), table["j0"])) for a, e in c.point)
        return replace(c.placed(dst, *moved), point=point)

    return _each_compute(whole(), f)


def other_element() -> Program:
    """The bias of the next column is added."""

    def f(c: Point) -> Point:
        return c.placed(c.dst, c.reads[0], replace(c.reads[1], index=(c.reads[1].index[0] - 1,)))

    return _each_compute(whole(), f)


def swapped_reads() -> Program:
    """Two places of one type are exchanged."""
    return _each_compute(blocked(GEMM + "D[i,j] = C[i,j] - E[i,j]"), lambda c: c.placed(c.dst, *reversed(c.reads)))


def wrong_statement() -> Program:
    """Another statement's value is computed."""
    program = blocked(GEMM + "D[i,j] = C[i,j] * 2.0\nE[i,j] = C[i,j] * 3.0")
    other = computing(program.kernel, 1)
    return _each_compute(program, lambda c: replace(c, statement=1, instruction=other))


def other_value() -> Program:
    """The use says that it computes a statement, and its instruction adds where that subtracts."""
    program = blocked(GEMM + "D[i,j] = C[i,j] - E[i,j]")
    sums = computing(blocked(GEMM + "D[i,j] = C[i,j] + E[i,j]").kernel, 1)
    return _each_compute(program, lambda c: replace(c, instruction=sums))


def beyond() -> Program:
    """A statement is computed that the kernel has not."""
    return _each_compute(whole(), lambda c: replace(c, statement=7))


def twice() -> Program:
    """An epilogue that changes its input runs twice."""

    def f(n: Node) -> Any:
        return (n, n) if isinstance(n, If) and _computes(n) else None

    return rewritten(in_place(), f)


def dropped() -> Program:
    """The epilogue is missing."""
    return rewritten(whole(), lambda n: () if _computes(n) else None)


def one_short() -> Program:
    """The last column of a tile is left out."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and n.var.name == "j_e2":
            return (replace(n, count=n.count - 1),)

    return rewritten(whole(), f)


def one_more() -> Program:
    """A column beyond the tile is computed, too."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and n.var.name == "j_e2":
            return (replace(n, count=n.count + 1),)

    return rewritten(whole(), f)


def maximum_too_early() -> Program:
    """The row maximum is used before it is complete."""
    program = rows()
    return replace(program, body=(*program.body[:-2], program.body[-1], program.body[-2]))


def maximum_while_summing() -> Program:
    """The row maximum and its use share a loop over columns."""
    program = rows()
    most, used = program.body[-2:]
    columns = replace(
        most.body[0], body=(*most.body[0].body, *_renamed(used.body[0].body, {"i_4": "i_3", "j_4": "j_3"}))
    )
    return replace(program, body=(*program.body[:-2], replace(most, body=(columns,))))


def parallel_maximum() -> Program:
    """Columns of one row maximum are spread over threads."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and n.var.name == "j_3":
            return (of_kind(Parallel, n),)

    return rewritten(rows(), f)


def packed_too_early() -> Program:
    """The result of an earlier statement is packed before it is computed."""
    program = earlier()
    first, second = program.body
    return replace(program, body=(second, first))


def second_layer_first() -> Program:
    """The second product runs before the first."""
    program = two_layers()
    return replace(program, body=tuple(reversed(program.body)))


def layers_share_a_loop() -> Program:
    """The second product starts on a block of columns when the first is at that block of rows."""
    program = two_layers()
    first, second = program.body
    return replace(program, body=(replace(second, body=(replace(first, body=(*first.body,)), *second.body)),))


def second_first_in_each_block() -> Program:
    """In each block the second product reads what the first has not made yet."""
    program = blocks()
    (loop,) = (n for n in program.body if isinstance(n, Loop) and n.axis == "i")
    half = next(n for n, x in enumerate(loop.body) if isinstance(x, Loop) and x.axis == "m")
    turned = replace(loop, body=(*loop.body[half:], *loop.body[:half]))
    return replace(program, body=tuple(turned if n is loop else n for n in program.body))


def a_row_of_the_next_block() -> Program:
    """The second product also reads the first row of the block that follows."""
    return blocks(text=AHEAD)


def blocks_in_other_threads() -> Program:
    """Threads add their columns' parts into the same sums."""
    return blocks_of_columns(0)


def layer_without_its_mapping() -> Program:
    """Instructions compute a statement for which there is no proof."""
    return replace(two_layers(), more=())


def layer_named_as_the_other() -> Program:
    """The instructions of the second product claim to compute the first."""

    def f(n: Node) -> Any:
        return (replace(n, statement=0),) if isinstance(n, Compute) and n.statement == 2 else None

    return rewritten(two_layers(), f)


def stale_copy() -> Program:
    """The epilogue reads a copy of the sums that was made before they were complete."""
    i, j = sym("c_i"), sym("c_j")
    shape = (sym("I"), sym("J"))
    kind = toys.gemm().tensor("C").dtype
    buffer = Buffer("C_copy", kind, (i, j), shape, IndexType("C", (i, j)))
    copy = copy_of(Ref("C_copy", (i, j)), Ref("C", (i, j)), ((i, shape[0]), (j, shape[1])), dtypes=(kind, kind))
    program = _each_compute(
        whole(), lambda c: c.placed(c.dst, Ref("C_copy", c.reads[0].index), *c.reads[1:])
    )  # fmt: skip
    return replace(program, body=(Alloc(buffer), copy, *program.body))


def contradiction() -> Program:
    """A condition that never holds: nothing may be concluded from it."""

    def f(n: Node) -> Any:
        if isinstance(n, If) and _computes(n):
            k = n.condition[0].lhs
            return (replace(n, condition=(sp.Eq(k, k + 1, evaluate=False),)),)

    return rewritten(blocked(), f)


def _renamed(nodes: tuple[Node, ...], names: dict[str, str]) -> tuple[Node, ...]:
    table = {sym(a): sym(b) for a, b in names.items()}

    def change(n: Node) -> Node:
        assert is_element(n)
        refs = [Ref(r.name, tuple(sp.sympify(i).subs(table) for i in r.index)) for r in (n.dst, *n.reads)]
        point = tuple((a, sp.sympify(e).subs(table)) for a, e in n.point)
        return replace(n.placed(*refs), point=point)

    return tuple(map(change, nodes))


# wrong variant -> a claim that must fail
TRAPS: dict[str, tuple[Callable[[], Program], str]] = {
    "every_block": (every_block, "link"), "partial_every_block": (partial_every_block, "link"),
    "one_partial_sum_twice": (one_partial_sum_twice, "program"), "first_block": (first_block, "order"),
    "first_block_in_place": (first_block_in_place, "order"), "before_the_sum": (before_the_sum, "order"),
    "next_tile": (next_tile, "coverage"), "other_element": (other_element, "program"),
    "swapped_reads": (swapped_reads, "program"), "other_value": (other_value, "program"),
    "wrong_statement": (wrong_statement, "program"),
    "twice": (twice, "link"), "dropped": (dropped, "coverage"), "one_short": (one_short, "coverage"),
    "one_more": (one_more, "link"), "maximum_too_early": (maximum_too_early, "order"),
    "maximum_while_summing": (maximum_while_summing, "order"), "parallel_maximum": (parallel_maximum, "disjoint"),
    "packed_too_early": (packed_too_early, "order"), "second_layer_first": (second_layer_first, "order"),
    "layers_share_a_loop": (layers_share_a_loop, "order"), "stale_copy": (stale_copy, "order"),
    "second_first_in_each_block": (second_first_in_each_block, "order"),
    "a_row_of_the_next_block": (a_row_of_the_next_block, "order"),
    "blocks_in_other_threads": (blocks_in_other_threads, "disjoint"),
}  # fmt: skip
# no claim covers the structure; a run shows it wrong
UNCOVERED: dict[str, Callable[[], Program]] = {"before_the_store": before_the_store, "contradiction": contradiction}
