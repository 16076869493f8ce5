"""Claims 6 and 9 for executions: a live accumulator receives just its own points, and nothing else changes it.

program  if an execution's point lies in the domain and its accumulator cell is live, the cell stands for the
         point's output, and each operand's type names exactly the element read by the kernel at the point
neutral  if the cell is live and the point is outside the domain, the added value changes nothing

Neutral means, with a product as the value: for integers one operand is a known zero; for floating point every operand
is a known zero, or one is and each other is a known zero or an element of a tensor assumed finite, with no infinite
value made of it before it meets the zero (zero_products). In floating point adding +0 turns an accumulated -0 into +0:
over the reals nothing changes. An `ordered` kernel needs the product to be -0, neutral for every accumulator; so there
all operands are zeros, an odd number of them -0.

A maximum or a minimum of elements by themselves meets a known number, the start of its reduction: the least or the
greatest of the accumulator's own type. No other number is neutral, since an element without points keeps the number it
began with.

A product may be negated, and have numbers among its factors. These are finite in every type, so it is a zero just if
the product of its elements is one. The sign of that zero may then be the other, so an `ordered` kernel has nothing
neutral to add.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import IMin, Inside, elements, insides, written
from isamap_smt.ir.hypotheses import Finite
from isamap_smt.ir.interpret import beyond_for, neutral
from isamap_smt.ir.portable import computing
from isamap_smt.ir.program import Compute, Point, Use
from isamap_smt.ir.scalar import Cast, Read, SMul, SNeg, reads, sums
from isamap_smt.ir.used import uses
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_executions import Execution, execution, executions, reads_in_memory, the_mapping
from isamap_smt.proof.program_held import Place
from isamap_smt.proof.program_sites import Formula, Site, conjunction, equal, rename, span, state
from isamap_smt.proof.zero_products import any_zero_is_enough

LARGEST = 65504  # what the smallest floating-point type holds; a number beyond it may be infinite where it is used


def compute_claims(book: Book) -> None:
    """Both claims for every execution."""
    for site in executions(book.sites):
        name = subject(site)
        book.attempt("program", name, "operands hold what the kernel needs", lambda s=site: _compute(book, s))
        book.attempt("neutral", name, "points outside the domain change nothing", lambda s=site: _neutral(book, s))


def subject(site: Site) -> str:
    """The short name of the instruction executed."""
    node = site.node
    return node.instruction.short  # type: ignore[union-attr]


def _compute(book: Book, site: Site) -> None:
    e = execution(book.sites, site)
    given = [*state(site), e.live, *e.inside()]
    _holds(book, e.target, e.statement.target.tensor)
    words = f"the accumulator cell {place(site)} stands for the output of its point"
    book.ask("program", e.target.name, words, given, equal(e.target.held.coordinates, e.output))
    if e.by_element:
        _typed(book, e)
        # a cell that stands for nothing must not be taken for the output that its coordinates would name
        book.ask("program", e.target.name, f"{words}, and is live", given, [e.target.held.guard])
    for access, p in e.inputs:
        _holds(book, p, access.tensor)
        needed = [rename(i, e.point) for i in access.index]
        words = f"{p.name} {place(site)} holds {access.tensor}{list(access.index)} of its point"
        by_data = any(p.index == index for _, index in e.named)
        known = [*given, *_valid(book, e)] if by_data else given
        known += _of_their_types(book, p.index) if reads_in_memory(e, p) else []
        book.ask("program", p.name, words, known, [p.held.guard, *equal(p.held.coordinates, needed)])
    for operand, index in e.named:  # of other indices a contract says nothing
        goals = [f for i in insides(index) for f in span(*i.args)]
        words = f"each index of {operand} {place(site)} names one of its cells"
        far = any(p.index == index and reads_in_memory(e, p) for _, p in e.inputs)
        known = [*given, *_valid(book, e), *(_of_their_types(book, index) if far else ())]
        book.ask("bounds", subject(site), words, known, goals)
    for access, p in e.inputs:
        if reads_in_memory(e, p):
            _inside_memory(book, e, access.tensor, p)


def _inside_memory(book: Book, e: Execution, tensor: str, p: Place) -> None:
    """Every lane of an execution reads an element of the tensor, also one whose result counts for nothing.

    Where the index register holds an element, each call has looked at it: at the point, or at the last point of the
    domain, from which rows beyond the end are read. Elsewhere it holds 0, and the tensor has an element.
    """
    given = [*state(e.site), *_of_their_types(book, p.index)]
    for point in (e.point, {a.name: IMin(e.point[a.name], sp.sympify(a.extent) - 1) for a in e.statement.axes}):
        there = replace(e, point=point)
        given.append(("implies", conjunction(there.inside()), conjunction(_valid(book, there))))
    words = f"every lane reads an element of {tensor} {place(e.site)}"
    held = [f for i, n in zip(p.index, p.lies, strict=True) for f in span(_as_computed(i), n)]
    held += [f for i in insides(p.index) for f in span(*i.args)]
    book.ask("bounds", subject(e.site), words, [*given, p.held.guard], held)
    goals = [*p.padded, *(("lt", sp.S.Zero, sp.sympify(n)) for n in p.lies)] if p.padded else [("or",)]
    book.ask("bounds", subject(e.site), f"{words}, where no index is held", [*given, ("not", p.held.guard)], goals)


def _as_computed(index: Any) -> Any:
    """The index as an address has it, with no regard to the contract's cells."""
    return index.replace(lambda x: isinstance(x, Inside), lambda x: x.args[0])


def _of_their_types(book: Book, index: Iterable[Any]) -> list[Formula]:
    """Each element in the index is a number of its tensor's type."""
    found: list[Formula] = []
    for x in elements(index):
        kind = book.sites.kernel.tensor(x.tensor).dtype
        found += [("le", sp.Integer(kind.low), x), ("le", x, sp.Integer(kind.high))]
    return found


def _valid(book: Book, e: Execution) -> list[Formula]:
    """The statement's indices made of data lie in their dimensions at the point: each call looks, where it uses them."""
    found: list[Formula] = []
    for u in uses(book.sites.kernel):
        if u.statement == e.position and not u.conditions and isinstance(u.index, Inside):
            found += span(rename(written(u.index), e.point), rename(u.extent, e.point))
    return found


def _holds(book: Book, p: Place, tensor: str) -> None:
    wrong = f"{p.name} is said to hold {p.held.tensor}, the point needs {tensor}"
    book.structure("program", p.name, f"{p.name} holds {tensor}", p.held.tensor == tensor, wrong)


def _typed(book: Book, e: Execution) -> None:
    """The statement is computed in the kernel's own types, and sums over no axes of its own."""
    kernel, node = book.sites.kernel, e.site.node
    assert isinstance(node, Use)
    own = computing(kernel, e.position)
    wrong = f"{node.instruction.name} does not compute what statement {e.position + 1} says"
    book.structure(
        "program", node.instruction.name, f"it computes statement {e.position + 1}", node.instruction == own, wrong
    )
    places = [(e.statement.target.tensor, e.target), *((a.tensor, p) for a, p in e.inputs)]
    for tensor, p in places:
        right = p.held.dtype == kernel.tensor(tensor).dtype
        book.structure("program", p.name, f"{p.name} has the type of {tensor}", right, f"{p.name} is {p.held.dtype}")
    if any(True for _ in sums(e.statement.value)):
        book.unknown("program", subject(e.site), "the value is one expression", "it sums over axes of its own")


def _neutral(book: Book, site: Site) -> None:
    sites = book.sites
    e = execution(sites, site)
    node = site.node
    if isinstance(node, Point):
        words = "a statement is computed at points of its domain only"
        book.ask("neutral", subject(site), words, state(site), e.inside())
        return
    assert isinstance(node, Compute)
    statement, instruction = e.statement, node.instruction
    factors = {(r.tensor, tuple(r.index)) for r in reads(statement.value)}
    inputs = [p for a, p in e.inputs if (a.tensor, a.index) in factors]  # what is an index alone is no factor
    outside = ("not", conjunction(e.inside()))
    assumed = instruction.assume or the_mapping(sites, e.position).kernel.ranges
    alone = beyond_for(statement) and isinstance(instruction.kernel.statements[0].value, Read) and not assumed
    if alone and statement.op != "+":
        start = str(sp.sympify(neutral(statement.op, e.target.held.dtype)))
        goal: Formula = ("and", *(("not", p.held.guard) if p.held.outside == start else ("or",) for p in inputs))
        words = f"outside the kernel's domain the operand is {start}, from which {statement.op}= starts: it keeps the accumulator"
        book.ask("neutral", instruction.short, words, [*state(site), e.live, outside], [goal])
        return
    if (
        statement.op != "+"
        or not is_product(statement.value, statement.ordered)
        or not is_product(instruction.kernel.statements[0].value, statement.ordered)
    ):
        words = "the value is no product, so a live accumulator meets only points of the domain"
        book.ask("neutral", instruction.short, words, [*state(site), e.live], e.inside())
        return
    own = [sites.kernel.tensor(a.tensor) for a in (statement.target, *statement.inputs)]
    floating = any(t.dtype.is_float for t in (*own, *instruction.kernel.tensors))
    if floating:
        plain = is_product(statement.value, True)
        one = any_zero_is_enough(instruction.kernel)
        goal, words = _floating(book, inputs, statement.ordered, plain, one)
    else:
        one = any_zero_is_enough(
            instruction.kernel
        )  # integers may be converted to floating point, multiplied, and back
        goal = ("or" if one else "and", *map(_zero, inputs))
        words = "one factor is 0" if one else "all factors are 0"
        if assumed:
            # outside these ranges the instruction may differ from its contract, so no operand may be garbage
            goal = ("and", goal, *(("or", _zero(p), p.held.guard) for p in inputs))
    book.ask(
        "neutral", instruction.short, f"outside the kernel's domain {words}, so a live accumulator keeps its value",
        [*state(site), e.live, outside], [goal],
    )  # fmt: skip


def is_product(value: Any, ordered: bool) -> bool:
    """A product of elements, each perhaps converted: zero as soon as one factor is zero.

    If the sign of a zero counts (ordered), it is not negated, and has no numbers as factors.
    """
    match value:
        case Read():
            return True
        case Cast():
            return is_product(value.args[1], ordered)
        case SNeg():
            return not ordered and is_product(value.args[0], ordered)
        case SMul(args=(sp.Number() as number, other)) | SMul(args=(other, sp.Number() as number)):
            # a number alone is no product, since nothing makes it zero
            return not ordered and bool(abs(number) <= LARGEST) and is_product(other, ordered)
        case SMul():
            return all(is_product(x, ordered) for x in value.args)
    return False


def _zero(p: Place) -> Formula:
    """The operand is a known zero, of either sign."""
    if p.held.outside not in ("0", "-0"):
        return ("or",)
    return ("not", p.held.guard)


def _floating(book: Book, inputs: list[Place], ordered: bool, plain: bool, one: bool) -> tuple[Formula, str]:
    """plain: neither negated nor with numbers as factors. one: one zero is enough if the others are finite."""
    zeros = [_zero(p) for p in inputs]
    if ordered:
        odd = sum(p.held.outside == "-0" for p in inputs) % 2
        return ("and", *zeros, ("and",) if odd else ("or",)), "the product is -0 (all factors zero, of odd sign)"
    options: list[Formula] = [conjunction(zeros)]
    used: list[str] = []
    for n, zero in enumerate(zeros):
        others = [q for m, q in enumerate(inputs) if m != n]
        finite = [q for q in others if one and _finite(book, q.held.tensor)]
        used += [q.held.tensor for q in finite]
        rest = [("or", _zero(q), q.held.guard, *q.padded) if q in finite else _zero(q) for q in others]
        options.append(("and", zero, *rest))
    signs = {p.held.outside for p in inputs} if plain else set()
    words = "all factors are zeros"
    if used:
        words += f" or one is and the other is finite (assumed: {', '.join(sorted(set(used)))})"
    if signs != {"0", "-0"}:
        words += "; over the reals (a sum that is -0 may become +0)"
    return ("or", *options), words


def _finite(book: Book, tensor: str) -> bool:
    """Whether the tensor is an input, of integers or assumed finite: a call can check nothing else."""
    kernel = book.sites.kernel
    known = Finite(tensor) in book.sites.program.hypotheses or not kernel.tensor(tensor).dtype.is_float
    return known and tensor in kernel.inputs
