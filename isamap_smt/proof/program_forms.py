"""Claim 16: tests left out and code reordered in the C change nothing (isamap_smt.codegen.decided makes these marks).

test      a relation left untested at some values of unrolled variables holds there, wherever the loops around lead
whole     under the relations that choose whole tiles, the copy's guard holds at all points of the inner loops;
          if one test stands before the inner loops, the guard does not mention them
end       if a loop stops early, its body consists of tests, and each of them fails from that iteration on
fold      a temporary with a block of its own for each iteration is filled anew in each, and touched in that one alone
block     the words of a call lie at the places that the helper reads and writes; if it is cut, the guard is the rest
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.across import combined, in_a_row, pointwise
from isamap_smt.ir.expr import is_constant, substitute, sym, symbols_of
from isamap_smt.ir.program import (
    Across,
    AnyLoop,
    Block,
    Copy,
    CopyForm,
    If,
    Loop,
    Node,
    Point,
    Program,
    Serial,
    Unrolled,
    Use,
)
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_held import Place, place_of
from isamap_smt.proof.program_sites import Formula, Site, UnrecognisedError, holds, span, state

# ---- Claim 16 for temporaries with a block of their own for each iteration of a loop (Loop.folds, isamap_smt.ir.folds).
#
# Each touched place of the tensor must lie in the block counted by the loop. The loop stands at the top, or in loops that
# fold the tensor too, in another dimension or around its block in the same one. Every use of the tensor stands inside it.
# So an element is touched in one iteration of them all: the blocks of one loop lie apart, in each iteration of the loops
# around. In one iteration the elements have cells of their own, since the block is moved by a constant. Every element
# read there was written there: it is assigned, or begun at 0, before its read (claims 10 and 18). The tensor is no
# result, and no value that the memory held before is read.
#
# Of a ring (Loop.rings) each iteration touches rows var and var + 1; code before the loop touches rows 0 and 1, and code
# behind it the last two. So a row is touched in two consecutive iterations, and the next row in its place only after them.


_CLAIM = "forms"


def fold_claims(book: Book, touched: Sequence[Access]) -> None:
    """All of it, for each tensor folded by a loop of the program."""
    program = book.sites.program
    for node, around in walk(program):
        for tensor, dimension in node.folds if isinstance(node, Loop) else ():
            words = f"each iteration has a block of {tensor} of its own"
            book.attempt(
                _CLAIM, tensor, words, lambda x=node, t=tensor, d=dimension, a=around: _fold(book, x, t, d, a, touched)
            )  # fmt: skip

    for n, node in enumerate(program.body):
        for tensor, dimension in node.rings if isinstance(node, Loop) else ():
            words = f"two rows of {tensor} are kept"
            book.attempt(
                _CLAIM, tensor, words, lambda x=node, t=tensor, d=dimension, at=n: _ring(book, x, t, d, at, touched)
            )  # fmt: skip
    inner = [t for x, around in walk(program) if isinstance(x, Loop) and around for t, _ in x.rings]
    if inner:
        said = "a loop inside another one keeps two rows"
        book.note(_CLAIM, inner[0], "rings are of loops at the top", Refuted({}, said))


def _ring(book: Book, loop: Loop, tensor: str, dimension: int, at: int, touched: Sequence[Access]) -> None:
    program, kernel = book.sites.program, book.sites.kernel
    in_order = isinstance(loop, Serial) and loop.plain and loop.end is None
    if not (in_order and loop.step == 1 and is_constant(loop.count) and loop.count >= 1):
        raise UnrecognisedError(f"{loop.var} is no loop in order, in steps of 1, so it keeps no two rows of {tensor}")
    every = [t for x in nodes_of(Loop, program.body) for t, _ in (*x.folds, *x.rings)]
    if every.count(tensor) != 1 or _uses(program.ahead, tensor):
        raise UnrecognisedError(f"{tensor} is folded twice, or touched ahead of the calls")
    fresh = tensor in program.assigned and tensor in kernel.temporaries and tensor not in kernel.results
    said = f"{tensor} is a result, or its elements are not all assigned before they are read"
    book.structure(_CLAIM, tensor, "it is a temporary of which nothing is read that was not written", fresh, said)

    apart = not any(x.across is not None and tensor in {r.name for r in x.reads} for x in nodes_of(Point, program.body))
    said = f"instructions combine elements of {tensor} side by side, which two rows do not keep in their order"
    book.structure(_CLAIM, tensor, "no instruction combines its elements side by side", apart, said)

    def rows(a: Access) -> Any:
        here = a.site.position[1]
        return loop.var if here == at else sp.S.Zero if here < at else sp.sympify(loop.count) - 1

    _all_within(book, tensor, dimension, touched, rows, 2, f"rows that are there, of {loop.var} and the next")


def _all_within(
    book: Book, tensor: str, dimension: int, touched: Sequence[Access], base: Callable[[Access], Any], length: Any, what: str
) -> None:  # fmt: skip
    """Each touched place of the tensor lies within `length` rows from base(access) on."""
    seen = set()
    for a in touched:
        if a.place.home is not None or a.place.name != tensor:
            continue
        if not 0 <= dimension < len(a.place.index):
            raise UnrecognisedError(f"{tensor} has no dimension {dimension}")
        seen.add(a.site.position)
        moved = sp.expand(a.place.index[dimension] - base(a))
        words = f"what is touched {place(a.site)} lies in the {what}"
        goals = [("le", sp.S.Zero, moved), ("lt", moved, sp.sympify(length))]
        book.ask(_CLAIM, tensor, words, [*state(a.site), a.where], goals)
    uses = {
        s.position
        for s in book.sites.sites
        if isinstance(s.node, Use) and tensor in (r.name for _, r in s.node.operands)
    }
    if uses - seen:
        said = f"{tensor} is touched in {len(uses - seen)} places that no claim knows"
        book.note(_CLAIM, tensor, "each place that touches it is known", Refuted({}, said))


def _fold(
    book: Book, loop: AnyLoop, tensor: str, dimension: int, around: Sequence[Node], touched: Sequence[Access]
) -> None:  # fmt: skip
    program, kernel = book.sites.program, book.sites.kernel
    dimensions = [dict(x.folds).get(tensor, -1) if isinstance(x, Loop) else -1 for x in around]
    top = -1 not in dimensions and (around or loop in program.body)
    if not top or not loop.folding:
        raise UnrecognisedError(f"{loop.var} is no loop at the top in equal steps, so {tensor} is not folded")
    every = [t for x in nodes_of(Loop, program.body) for t, _ in x.folds]
    if every.count(tensor) != _depth(loop, tensor) + len(around):
        raise UnrecognisedError(f"{tensor} is folded by loops that do not stand one inside the other")
    right = tensor in kernel.temporaries and tensor not in kernel.results and tensor in program.unfilled
    said = f"{tensor} is a result, or its elements are not all assigned or begun before they are read"
    book.structure(_CLAIM, tensor, "it is a temporary of which nothing is read that was not written", right, said)
    inside = _uses((loop,), tensor) == _uses((*program.ahead, *program.body), tensor)
    said = f"{tensor} is touched outside of the loop over {loop.var}"
    book.structure(_CLAIM, tensor, f"nothing outside of the loop over {loop.var} touches it", inside, said)
    what = f"block of {loop.step} that {loop.var} counts"
    same = [x for x, d in zip(around, dimensions, strict=True) if d == dimension]
    begin = sp.Add(*(x.step * x.var for x in (*same, loop) if isinstance(x, Loop)))
    _all_within(book, tensor, dimension, touched, lambda _: begin, loop.step, what)


def _depth(loop: AnyLoop, tensor: str) -> int:
    """How many loops fold it, one inside the other, from this one on."""
    return sum(tensor in dict(x.folds) for x in nodes_of(Loop, (loop,)))


def _uses(nodes: Sequence[Node], tensor: str) -> int:
    """How many uses among the nodes touch it."""
    return sum(tensor in (r.name for _, r in n.operands) for n in nodes_of(Use, tuple(nodes)))


# ---- A point that instructions compute from elements side by side: they lie in one row, and the tree is the point's
# own.
#
# The instructions are those of the machine. Their contracts, one after the other, of these elements in this order,
# compose to the statement's value, operation by operation; so every bit agrees. The point itself has the claim that each
# element read exists.


def across_claims(book: Book) -> None:
    """One for each such point of the program."""
    for point in nodes_of(Point, book.sites.program):
        if point.across is not None:
            _across(book, point, point.across)


def _across(book: Book, use: Point, across: Across) -> None:
    machine = None if book.sites.program.schedule is None else book.sites.program.schedule.hardware
    subject = f"{use.dst.name} by {across.last.short}"
    theirs = machine is not None and all(i in machine.whole.instructions for i in across.steps)
    book.structure(
        _CLAIM, subject, "the machine has its steps", theirs,
        f"{subject}: a step is no instruction of the machine",
    )  # fmt: skip
    function, row = pointwise(use.instruction), in_a_row(use)
    book.structure(
        _CLAIM, subject, "its elements lie side by side, in their order", bool(row),
        f"{subject}: it reads elements that do not follow each other",
    )  # fmt: skip
    kinds = {t.dtype for i in (use.instruction, *across.steps) for t in i.kernel.tensors}
    tree = combined(across, [name for name, _ in row])
    book.structure(
        _CLAIM, subject, "its steps compute the value of the statement, operation by operation",
        len(kinds) == 1 and tree is not None and tree == function.tree, f"{subject}: the steps compute another value",
    )  # fmt: skip


WORD = 4  # bytes that the helpers of blocks move at once
_ROWS = {"isamap_interleave_2": 2, "isamap_interleave_4": 4}


def form_claims(book: Book, touched: Sequence[Access]) -> None:
    """All of them, for each mark of the program. touched: every place read or written."""
    program = book.sites.program
    fold_claims(book, touched)
    across_claims(book)
    for loop, outer in walk(program):
        if isinstance(loop, Serial) and loop.end is not None:
            words = f"the loop over {loop.var} may stop"
            book.attempt(_CLAIM, loop.var.name, words, lambda x=loop, a=outer: _end(book, x, a))
    for n, (node, around) in enumerate(_tests(program)):
        book.attempt(_CLAIM, f"test {n + 1}", "what is not tested holds", lambda x=node, a=around: _known(book, x, a))
    for site in book.sites.copying():
        copy: Any = site.node
        if copy.form is not None:
            subject = f"copy {copy.src.name} -> {copy.dst.name}"
            book.attempt(_CLAIM, subject, "it is printed as it is written", lambda s=site, n=subject: _copy(book, s, n))


def _tests(program: Program) -> Iterator[tuple[If, tuple[Loop | If, ...]]]:
    for node, around in walk(program):
        if isinstance(node, If) and any(node.known):
            yield node, around


# ---- tests -------------------------------------------------------------------------------------------------------------


def _known(book: Book, node: If, around: tuple[Loop | If, ...]) -> None:
    if len(node.known) != len(node.condition):
        raise UnrecognisedError(f"{len(node.known)} marks for {len(node.condition)} tests")
    unrolled = {x.var.name for x in around if isinstance(x, Unrolled)}
    context = [f for x in around for f in holds(x)]
    for relation, marks in zip(node.condition, node.known, strict=True):
        names = {n for values in marks for n, _ in values}
        where = " ".join(x.var.name for x in around if isinstance(x, Loop)) or "the top"
        if not names <= unrolled:
            said = f"{', '.join(sorted(names - unrolled))} is no unrolled variable at {where}"
            book.note(_CLAIM, where, f"{relation} is not tested at constants", Refuted({}, said))
        elif marks and relation not in (sp.true, True):
            chosen: Formula = (
                "or",
                *(("and", *(("eq", sym(n), sp.Integer(v)) for n, v in values)) for values in marks),
            )
            given = [*context, *([chosen] if names else [])]
            book.ask(_CLAIM, where, f"{relation} holds wherever the C does not test it", given, [relation])


def _end(book: Book, loop: Serial, around: Sequence[Any]) -> None:
    """The iterations left out in the C do nothing."""
    tests = [n.condition for n in loop.body if isinstance(n, If)]
    if not loop.plain or len(tests) < len(loop.body):
        raise UnrecognisedError(
            f"{loop.var} stops early, and its body is more than tests, or its iterations have no order"
        )
    given = [*(f for x in (*around, loop) for f in holds(x)), ("le", sp.sympify(loop.end), loop.var)]
    for condition in tests:
        words = f"from {loop.end} on, {' and '.join(map(str, condition))} fails"
        book.ask(_CLAIM, loop.var.name, words, [*given, *condition], [("or",)])


# ---- copies ------------------------------------------------------------------------------------------------------------


def _copy(book: Book, site: Site, subject: str) -> None:
    copy: Any = site.node
    form: CopyForm = copy.form
    outer, inner = copy.over[: form.split], copy.over[form.split :]
    known = {*book.sites.given, *(x.var.name for x in site.loops), *(v.name for v, _ in outer)}
    _check_form(copy, form, known)
    mentioned = symbols_of(copy.where)
    if form.whole is None:
        loose = sorted({v.name for v, _ in inner} & mentioned)
        book.structure(
            _CLAIM, subject, "one test serves all points of the inner loops", not loose and form.block is None,
            f"{subject}: the guard depends on {', '.join(loose)}, along which it is tested once",
        )  # fmt: skip
        return
    around = [*site.context(), *(f for v, n in outer for f in span(v, n))]
    cells = [f for v, n in inner for f in span(v, n)]
    if copy.where:
        words = "no point of a whole tile is outside the guard"
        book.ask(_CLAIM, subject, words, [*around, *form.whole, *cells], list(copy.where))
    if form.block is not None:
        _block(book, subject, site, form.block, inner, [*around, *cells])
    if form.whole and not copy.fill:
        said = f"{subject} leaves points outside its guard alone"
        book.structure(_CLAIM, subject, "points outside the guard are filled", False, said)


def _check_form(copy: Copy, form: CopyForm, known: set[str]) -> None:
    """Raises UnrecognisedError for a form without any C: names unknown there, or loops it does not have."""
    if not 0 <= form.split <= len(copy.over):
        raise UnrecognisedError(f"{form.split} loops outside, of {len(copy.over)}")
    inner = copy.over[form.split :]
    fixed = [sp.sympify(n).is_Integer and n >= 1 for _, n in inner]
    if not 0 <= form.written <= len(inner) or not all(fixed[len(inner) - form.written :]):
        raise UnrecognisedError(f"{form.written} innermost loops, not all of a fixed count, are written out")
    b = form.block
    numbers = [*(form.whole or ())] + ([] if b is None else [b.to_row or 0, b.from_row, *(x for _, x in b.cut or ())])
    if loose := sorted(symbols_of(map(sp.sympify, numbers)) - known):
        raise UnrecognisedError(f"nothing defines {', '.join(loose)} where whole tiles are chosen")
    sides = [v.name for v, _ in copy.over[form.split :]]
    for names in () if b is None else (list(b.sides), [n for n, _ in b.cut or ()]):
        if len(set(names)) < len(names) or not set(names) <= set(sides):
            raise UnrecognisedError(f"{', '.join(names)}: sides of a block are inner loops, each named once")


def _block(book: Book, subject: str, site: Site, block: Block, inner: Any, given: list[Formula]) -> None:
    copy: Any = site.node
    taken, put = (place_of(book.sites, site, r, tuple(map(sp.sympify, r.index))) for r in (copy.src, copy.dst))
    size = put.held.dtype.bytes
    same = put.held.dtype == taken.held.dtype
    book.structure(_CLAIM, subject, "a block keeps the element type", same, f"{subject} converts, and a block does not")
    variables = [v for v, _ in inner]
    wanted = _places(block, variables, size)
    if wanted is None:
        raise UnrecognisedError(f"no rule for {block.call} along {', '.join(block.sides)}")
    words = f"{block.call} takes each element where the copy reads it, and puts it where that writes it"
    apart = (_apart(taken, variables), _apart(put, variables))
    book.ask(_CLAIM, subject, words, given, [("eq", x, y) for x, y in zip(apart, wanted, strict=True)])
    counts = {v.name: n for v, n in inner}
    group = [n for v, n in inner if v.name not in block.sides]
    elements = prod(int(n) if sp.sympify(n).is_Integer else 0 for n in group)
    right = elements * size == WORD and len(group) <= 1 and elements == _ROWS.get(block.call, elements)
    fixed = not symbols_of(counts.values()) & set(counts)
    said = f"{block.call} copies other elements"
    book.structure(_CLAIM, subject, "a block has the elements of the inner loops", right and fixed, said)
    if block.cut is None:
        return
    here: list[Formula] = [("lt", sym(n), sp.sympify(x)) for n, x in block.cut]
    if not {n for n, _ in block.cut} <= set(block.sides):
        raise UnrecognisedError(f"{subject}: a block is cut along its sides")
    book.ask(
        _CLAIM, subject, "the part of a cut block that is copied is inside the guard", [*given, *here], list(copy.where)
    )
    book.ask(_CLAIM, subject, "all of a cut block that is inside the guard is copied", [*given, *copy.where], here)


def _places(block: Block, inner: list[Any], size: int) -> tuple[Any, Any] | None:
    """Bytes from the first element at which the helper takes, and puts, the element at these inner variables."""
    group = next((v for v in inner if v.name not in block.sides), sp.S.Zero)
    match block.call, [sym(n) for n in block.sides]:
        case "isamap_transpose", [row, column] if block.to_row is not None:
            # row: along a row of the destination; column: along one of the source
            return (
                row * block.from_row + WORD * column + size * group,
                column * block.to_row + WORD * row + size * group,
            )
        case (("isamap_interleave_2" | "isamap_interleave_4"), [along]):
            return (group * block.from_row + size * along, WORD * along + size * group)
    return None


def _apart(p: Place, inner: list[Any]) -> Any:
    """Bytes from the first element of the inner loops to each, as they lie."""
    total: Any = sp.S.Zero
    for i, n in zip(p.index, p.lies, strict=True):
        total = total * n + i
    return sp.expand((total - substitute(total, {v.name: sp.S.Zero for v in inner})) * p.held.dtype.bytes)


__all__ = ["form_claims"]
