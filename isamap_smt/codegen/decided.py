"""Decides, before the proof, all that the C leaves out, hoists or turns round: Program -> Program.

Tests are marked with the values of unrolled variables at which they always hold. Copies get the order of their loops,
the relations under which a whole tile needs no test, and the block of words copied by one call. Loops get the
temporaries they fold, and the iteration at which their work ends; points that combine elements side by side get
instructions. Each mark is an obligation of the program's proof (isamap_smt.proof.program_forms); the printer follows
them, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_blocks import block_of, stride_size
from isamap_smt.codegen.c_expr import row_major
from isamap_smt.ir.across import combined, in_a_row, lane_by_lane, leaves, pointwise
from isamap_smt.ir.boxes import always_true, fails_from, most, slack
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMin, affine, is_constant, substitute, symbols_of
from isamap_smt.ir.folds import folded, shapes
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.program import (
    Across,
    AnyLoop,
    Block,
    Copy,
    CopyForm,
    Counted,
    If,
    Loop,
    Node,
    Parallel,
    Point,
    Program,
    Ref,
    Serial,
    Unrolled,
    Use,
)
from isamap_smt.ir.traversal import buffers, map_bodies, map_nodes, nodes_of, parts, walk
from isamap_smt.mapping.moves import look_for_move

# ---- How a copy is printed: tests outside the loops if possible, memory in the order that compilers vectorise.
#
# A packed buffer's guard cuts at most the last tile. So the loops over whole tiles are printed twice: without tests for
# tiles inside, with a test per element for the cut tile. The guard at the worst corner of the tile chooses between them:
# every relation is affine, so it holds on the whole tile if it holds there.


_TILE = 1024  # guarded cells in one tile, at most
_UNROLLED = 4  # a group of products inside an instruction
_ROWS = 16  # that are read side by side, at most
_WRITTEN = 128  # cells that are written out, at most: channels of an image to bytes beside each other, 0.11 to 0.06 ms


@dataclass(frozen=True)
class CopyPlan:
    """Loops outside the choice, the choice (relations), and the loops inside; `split` is their number outside.

    whole: the relations at the worst corner, or None when the guard does not mention the inner loops at all: then it
    is tested once, and where it fails the inner loops only fill. written: how many of the innermost dimensions are written out.
    """

    split: int
    whole: tuple[Any, ...] | None
    written: int


def along_rows(copy: Copy, source_offset: Any) -> Copy:
    """The same copy with its loops in the order of the source in memory: each row is then read once, piece after piece.

    A few innermost elements stay innermost if they are apart in the source, as they are neighbours in the destination.
    Many rows a page apart share few places of a cache: a row's line is evicted before its next element is read. With 80
    such rows an element takes 12 cycles, 2 in this order. source_offset: row-major, in elements.
    """
    parts = affine(source_offset, [v.name for v, _ in copy.over])
    if parts is None or len(copy.over) < 3:
        return copy
    far = {v.name: stride_size(parts[0].get(v.name, sp.S.Zero)) for v, _ in copy.over}
    last, count = copy.over[-1]
    apart = copy.over[-1:] if parts[0].get(last.name) != 1 and sp.sympify(count) in range(_ROWS + 1) else ()
    left, over = [d for d in copy.over if d not in apart], list(copy.over[:0])
    names = set(far)
    while left:
        placed = {v.name for v, _ in over}
        ready = [x for x in left if symbols_of([x[1]]) & names <= placed]
        if not ready:
            return copy
        over.append(max(ready, key=lambda x: far[x[0].name]))
        left.remove(over[-1])
    return replace(copy, over=(*over, *apart))


def plan_copy(copy: Copy, source_offset: Any) -> CopyPlan:
    """The depth of the guard's test, and how many innermost dimensions to write out. source_offset: row-major, elements."""
    written = 1 if _interleaves(copy, source_offset) else _in_quotients(copy, source_offset)
    if not copy.where:
        return CopyPlan(0, (), written)
    mentioned = symbols_of(copy.where)
    last = max((n for n, (v, _) in enumerate(copy.over) if v.name in mentioned), default=-1) + 1
    outside = CopyPlan(last, None, 0)
    if not copy.fill or _has_lower_bounds(copy):
        return outside
    split = len(copy.over)
    cells = 1
    while split > 0:
        symbol, count = copy.over[split - 1]
        if symbol.name in mentioned:
            if not sp.sympify(count).is_Integer or cells * int(count) > _TILE:
                break
            if split < len(copy.over) and _never(_corner(copy, split - 1)):
                break
            cells *= int(count)
        elif symbols_of([count]):
            break
        split -= 1
    corner = _corner(copy, split)
    return CopyPlan(split, corner, min(written, len(copy.over) - split)) if corner is not None else outside


def whole_block(copy: Copy, inside: int) -> tuple[Any, ...] | None:
    """Relations that imply the guard for all cells of the last dimensions; None if none is known, or they never hold."""
    corner = _corner(copy, len(copy.over) - inside)
    return None if _never(corner) else corner


def limits(copy: Copy, inside: int) -> dict[str, Any] | None:
    """The most cells the guard leaves along each of the last dimensions. None unless each relation bounds one of them
    from above, and no two the same one."""
    inner = [v.name for v, _ in copy.over[len(copy.over) - inside :]]
    found: dict[str, Any] = {}
    for g in copy.where:
        room = slack(g)
        parts = affine(room, inner) if room is not None else None
        if parts is None:
            return None
        moving = [n for n in inner if parts[0].get(n, 0) != 0]
        if len(moving) != 1 or parts[0][moving[0]] != -1 or moving[0] in found:
            return None
        found[moving[0]] = parts[1] + 1
    return found


def _has_lower_bounds(copy: Copy) -> bool:
    """Whether the guard has lower bounds, as at the rim of a padded window, or never holds: no tile as wide as a row
    lies inside, so tiles do not help."""
    return any(
        g == sp.false or isinstance(g, sp.Ge | sp.Gt) or not symbols_of([g.args[0]]) for g in copy.where if g != sp.true
    )


def _corner(copy: Copy, split: int) -> tuple[Any, ...] | None:
    """Relations that imply the guard for all cells of the inner loops; None if one is not affine in them."""
    inner = {v.name: count for v, count in copy.over[split:]}
    found = []
    for g in copy.where:
        room = slack(g)
        parts = affine(room, inner) if room is not None else None
        if parts is None:
            return None
        coefficients, worst = parts
        for name, c in coefficients.items():
            if not c.is_Integer:
                return None
            worst = worst + (c * (inner[name] - 1) if c < 0 else 0)  # without cells it holds whatever it says
        found.append(sp.Ge(sp.expand(worst), 0))
    return tuple(f for f in found if f != sp.true)


def _never(relations: tuple[Any, ...] | None) -> bool:
    """Whether a tile so large always reaches beyond the end."""
    return relations is not None and any(r == sp.false for r in relations)


def _interleaves(copy: Copy, source_offset: Any) -> bool:
    """Whether the source advances by one with the last dimension but one: rows are interleaved in small groups."""
    if len(copy.over) < 2 or copy.over[-1][1] not in range(2, _UNROLLED + 1):
        return False
    symbol = copy.over[-2][0].name
    parts = affine(source_offset, [symbol])
    return parts is not None and parts[0].get(symbol) == 1


def _in_quotients(copy: Copy, source_offset: Any) -> int:
    """How many innermost dimensions to write out, so that quotients and remainders in the source's offset become
    numbers; 0 if the cells are many."""
    inside = symbols_of([q for q in sp.preorder_traversal(source_offset) if isinstance(q, FloorDiv | FloorMod)])
    found, cells = 0, 1
    for n, (symbol, count) in enumerate(reversed(copy.over), 1):
        if not sp.sympify(count).is_Integer or cells * int(count) > _WRITTEN:
            break
        cells *= int(count)
        found = n if symbol.name in inside else found
    return found


# ---- Temporaries folded by a loop: each iteration fills them anew, and nothing else touches them.
#
# Nothing here is trusted: claim 16 asks the same of the program.


_Touch = tuple[Ref, tuple[Axis, ...]]  # a place, with the ranges of the variables in it
_Begins = Dict[int, Any]  # where loops around have a block begin, by dimension


def with_folds(program: Program) -> Program:
    """The program, with its temporaries folded by its loops, as far inside as possible."""
    assigned = set(program.assigned)
    fresh = set(program.unfilled) & set(program.kernel.temporaries)
    ahead = {r.name for r in parts(program.ahead, Ref)}
    names = [t.name for t in program.kernel.tensors if t.name in fresh - ahead]
    marked = replace(program, body=_marked(program.body, {t: {} for t in names}))
    combined = {r.name for n in nodes_of(Point, program.body) if n.across is not None for r in n.reads}
    return _with_rings(marked, [n for n in names if n in assigned and n not in {*folded(marked), *combined}])


def _with_rings(program: Program, names: list[str]) -> Program:
    """The program, with rings of two rows for tensors touched only two rows at a time in some loop."""
    touched: dict[str, list[tuple[int, _Touch]]] = {t: [] for t in names}
    for n, node in enumerate(program.body):
        for name, touch in _touches(node):
            if name in touched:
                touched[name].append((n, touch))
    rings: dict[int, list[tuple[str, int]]] = {}
    for t, found in touched.items():
        ways = ((n, d) for n in sorted({n for n, _ in found}) if (d := _ring(program.body[n], n, found)) is not None)
        if (first := next(ways, None)) is not None:
            rings.setdefault(first[0], []).append((t, first[1]))
    body = (replace(x, rings=tuple(rings[n])) if n in rings and isinstance(x, Serial) else x
            for n, x in enumerate(program.body))  # fmt: skip
    return replace(program, body=tuple(body)) if rings else program


def _ring(loop: Node, at: int, touched: list[tuple[int, _Touch]]) -> int | None:
    """The dimension touched by the loop only in rows var and var + 1, before it only in rows 0 and 1, and behind it
    only in the last two. None if there is no such dimension, or it has only two rows."""
    if not isinstance(loop, Serial) or not loop.plain or loop.step != 1:
        return None
    ranks = {len(ref.index) for _, (ref, _) in touched}
    if not is_constant(loop.count) or loop.count < 2 or loop.end is not None or len(ranks) != 1:
        return None

    def fits(n: int, index: Any, ranges: tuple[Axis, ...]) -> bool:
        base = loop.var if n == at else sp.S.Zero if n < at else sp.sympify(loop.count) - 1
        off = sp.expand(index - base)
        low, high = (sp.Ge(off, 0, evaluate=False), sp.Lt(off, 2, evaluate=False))
        return always_true(low, ranges) and always_true(high, ranges)

    right = (d for d in range(min(ranks)) if all(fits(n, ref.index[d], ranges) for n, (ref, ranges) in touched))
    return next(right, None)


def _marked(nodes: tuple[Node, ...], taken: Dict[str, _Begins]) -> tuple[Node, ...]:
    """The nodes, with their loops' folded tensors. taken: the blocks of these tensors in the loops around."""
    touched: dict[str, list[tuple[int, _Touch]]] = {t: [] for t in taken}
    for n, node in enumerate(nodes):
        for name, touch in _touches(node):
            if name in touched:
                touched[name].append((n, touch))
    folds: dict[int, list[tuple[str, int]]] = {}
    for t, found in touched.items():
        where = {n for n, _ in found}
        if len(where) == 1:
            (n,) = where
            d = _dimension(nodes[n], [touch for _, touch in found], taken[t])
            folds.setdefault(n, []).extend([] if d is None else [(t, d)])
    return tuple(
        _folding(x, folds[n], taken) if isinstance(x, Counted) and folds.get(n) else x for n, x in enumerate(nodes)
    )


def _folding(loop: Serial | Parallel, folds: list[tuple[str, int]], taken: Dict[str, _Begins]) -> Node:
    """The loop with these marks, and such loops inside it with theirs."""
    inner = {t: {**taken[t], d: taken[t].get(d, 0) + loop.step * loop.var} for t, d in folds}
    return map_bodies(replace(loop, folds=tuple(folds)), lambda body: _marked(body, inner))


def _touches(node: Node) -> Iterator[tuple[str, _Touch]]:
    for x, around in walk((node,)):
        if isinstance(x, Use):
            loops = [Axis(str(y.var), most(y.count)) for y in around if isinstance(y, Loop)]
            own = [Axis(a, sp.sympify(n)) for a, n in x.instruction.extents.items()]
            copied = [Axis(str(v), most(n)) for v, n in x.over] if isinstance(x, Copy) else []
            for _, ref in x.operands:
                yield ref.name, (ref, (*loops, *own, *copied))


def _dimension(node: Node, touches: list[_Touch], taken: _Begins) -> int | None:
    """The dimension counted by the loop in blocks of its step, at every touch of the tensor; None if there is none."""
    if not isinstance(node, Counted) or not node.folding:
        return None
    ranks = {len(ref.index) for ref, _ in touches}
    fits = [
        d for d in range(min(ranks))
        if all(_within(ref.index[d], ranges, node, taken.get(d, sp.S.Zero)) for ref, ranges in touches)
    ]  # fmt: skip
    return fits[0] if len(ranks) == 1 and fits else None


def _within(index: Any, ranges: tuple[Axis, ...], loop: Loop, begin: Any) -> bool:
    """Whether the index provably lies in the block counted by the loop's variable, from `begin` on."""
    base = begin + loop.step * loop.var
    every = index.args if isinstance(index, IMin) else (index,)
    if not any(sp.sympify(x).has(loop.var) for x in every):
        return False
    parts = [sp.expand(x - base) for x in every]
    low = all(always_true(sp.Ge(x, 0, evaluate=False), ranges) for x in parts)
    return low and any(always_true(sp.Lt(x, loop.step, evaluate=False), ranges) for x in parts)


# ---- Where loops may stop: their body consists of tests, and from some iteration on all of these fail.
#
# for k0 < 512: if 8*q0 - k0 >= 0: ... ends at 8*q0 + 1
#
# A short loop goes on to its count: compilers write out what has a known one. Nothing here is trusted: claim 16 asks
# the same of the program.


SHORT = 16  # iterations


def with_end(loop: AnyLoop) -> AnyLoop:
    """The loop with the mark, if it runs onwards, on one thread, is not short, and has a known end."""
    known = most(loop.count)
    short = known.is_Integer and known < SHORT
    if (
        short
        or not isinstance(loop, Serial)
        or not loop.plain
        or not loop.body
        or not all(isinstance(n, If) for n in loop.body)
    ):
        return loop
    tests = [n.condition for n in loop.body if isinstance(n, If)]
    last = _latest([_first_failing(t, loop.var) for t in tests])
    return loop if last is None else replace(loop, end=last)


def _first_failing(relations: tuple[Any, ...], var: Any) -> Any | None:
    """The iteration at which one of the relations begins to fail for good; None if none is known."""
    for r in relations:
        room = slack(r)
        for term in () if room is None else _terms(sp.expand(room)):
            end = fails_from(term, str(var))
            if end is not None:
                return end
    return None


def _terms(room: Any) -> tuple[Any, ...]:
    """The arguments of nested minima: the minimum is non-negative if none of them is negative."""
    return tuple(t for x in room.args for t in _terms(x)) if isinstance(room, IMin) else (room,)


def _latest(ends: list[Any | None]) -> Any | None:
    """The largest of them; None if one is None, or the distance of two is not a known number."""
    found: Any = ends[0]
    for e in ends[1:]:
        if found is None or e is None:
            return None
        apart = sp.expand(_numerator(e) - _numerator(found)) if _divisor(e) == _divisor(found) else None
        if apart is None or not apart.is_Integer:
            return None
        found = e if apart > 0 else found
    return found


def _numerator(e: Any) -> Any:
    return e.args[0] if isinstance(e, FloorDiv) else e


def _divisor(e: Any) -> Any:
    return e.args[1] if isinstance(e, FloorDiv) else sp.S.One


# ---- Elements side by side, combined in halves: which instructions of the machine do it, in place of a tree of scalar
# operations.
#
# ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])) avx2.sum_of_8xf32 of one register 16 of them
# avx2.add_ps of two, then the same
#
# Partial results are combined so. Each operation is the one of the tree, on the same values, so the bits are the
# tree's: that is an obligation of the program's proof (isamap_smt.proof.program_forms).


Nodes = tuple[Node, ...]


def with_across(program: Program) -> Program:
    """The program with such points given to instructions, if its machine has them."""
    machine = None if program.schedule is None else program.schedule.hardware
    single = any(nodes_of(Point, program.body))
    if machine is None or machine.simulated or not single:
        return program
    return map_bodies(program, lambda body: _nodes(body, machine))


def _nodes(nodes: Nodes, machine: Hardware) -> Nodes:
    def visit(node: Node) -> Node:
        return replace(node, across=_chosen(node, machine)) if isinstance(node, Point) else node

    return map_nodes(nodes, visit)


@lru_cache(maxsize=64)
def _ways(machine: Hardware, kind: DType) -> tuple[Across, ...]:
    """The machine's instructions that combine the lanes of one register of this type, most lanes first. Each stands
    alone, and behind each instruction that combines two registers lane by lane."""
    found: list[Across] = []
    offered = [i for i in machine.computes if machine.offers(i) and set(i.types.values()) == {kind}]
    pairs = [i for i in offered if len(i.types) == 3]
    for last in sorted((i for i in offered if leaves(i) > 1), key=lambda i: -leaves(i)):
        (register,) = last.kernel.inputs
        load = look_for_move(machine, last, register, False, (0,), False)
        if load is not None:
            found.append(Across(load, None, last))
            found += [Across(load, i, last) for i in pairs if lane_by_lane(i, last)]
    return tuple(found)


def _chosen(node: Point, machine: Hardware) -> Across | None:
    function = pointwise(node.instruction)
    names = [name for name, _ in in_a_row(node)]
    kinds = {t.dtype for t in node.instruction.kernel.tensors}
    for made in _ways(machine, *kinds) if names and len(kinds) == 1 else ():
        over, rest = divmod(len(names), leaves(made.last))
        fits = not rest and (over > 1) == (made.beside is not None)
        if fits and combined(made, names) == function.tree:
            return made
    return None


Places = Dict[str, tuple[DType, tuple[Any, ...]]]


def decided(program: Program) -> Program:
    """The program with every such choice made."""
    made = with_folds(with_across(map_bodies(program, lambda body: _body(body, ()))))
    laid = shapes(made)
    places: dict[str, tuple[DType, tuple[Any, ...]]] = {
        t.name: (t.dtype, laid.get(t.name, t.shape)) for t in program.kernel.tensors
    }
    places |= {name: (b.dtype, b.shape) for name, b in buffers(program).items()}
    return map_bodies(
        made, lambda body: map_nodes(body, lambda n: _copy(n, places) if isinstance(n, Copy) else n)
    )  # of memory as it lies


def _body(body: Nodes, loops: tuple[Loop, ...]) -> Nodes:
    return tuple(_node(n, loops) for n in body)


def _node(node: Node, loops: tuple[Loop, ...]) -> Node:
    match node:
        case Loop():
            return with_end(map_bodies(node, lambda body: _body(body, (*loops, node))))
        case If():
            known = tuple(_known(r, loops) for r in node.condition)
            return replace(map_bodies(node, lambda body: _body(body, loops)), known=known)
    return node


def _known(relation: Any, loops: tuple[Loop, ...]) -> tuple[tuple[tuple[str, int], ...], ...]:
    """The values of its unrolled variables at which the relation holds for all values of the other loops."""
    ranges = tuple(Axis(str(x.var), most(x.count)) for x in loops if isinstance(x, Counted))
    mentioned = symbols_of([relation])
    unrolled = [x for x in loops if isinstance(x, Unrolled) and str(x.var) in mentioned]
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
    return replace(copy, form=CopyForm(plan.split, plan.whole, plan.written))


def _in_blocks(copy: Copy, source: Any, target: Any, dtypes: tuple[DType, DType]) -> Copy | None:
    """The copy block by block; None if it has no blocks, or none can be whole. A cut block goes element by element."""
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
    return replace(copy, form=CopyForm(len(found.outer), whole, 0, block))
