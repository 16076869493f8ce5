"""Claims 6 and 9 for executions: a live accumulator receives just its own points, and nothing else changes it.

program  where an execution's point lies in the domain and its accumulator cell is live, the cell stands for the
         point's output and each operand's type says exactly the element that the kernel reads at the point
neutral  where the cell is live and the point is outside the domain, what is added changes nothing

Neutral means, with a product as the value: for integers one operand is a known zero; for floating point every operand
is a known zero, or one is and each other is a known zero or an element of a tensor assumed finite. In floating point
adding +0 turns an accumulated -0 into +0: over the reals that is nothing; a kernel that says `ordered` needs the
product to be -0, which is neutral for every accumulator, so there all operands are zeros, an odd number of them -0.
"""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.program import Exec
from isamap_smt.ir.scalar import Cast, Read, SMul
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_held import Place, operand_cells
from isamap_smt.proof.program_link import Execution, execution, operand_access, the_mapping, the_statement
from isamap_smt.proof.program_sites import Formula, Site, conjunction, equal, rename, state


def compute_claims(book: Book) -> None:
    """Both claims for every Exec."""
    for site in book.sites.of(Exec):
        name = site.node.instruction.short  # type: ignore[union-attr]
        book.attempt("program", name, "operands hold what the kernel needs", lambda s=site: _compute(book, s))
        book.attempt("neutral", name, "points outside the domain change nothing", lambda s=site: _neutral(book, s))


def _compute(book: Book, site: Site) -> None:
    sites = book.sites
    e = execution(sites, site)
    acc, inputs = operand_cells(site, sites)
    statement = the_statement(sites)
    given = [*state(site), e.live, *e.inside(statement)]
    output = statement.target
    words = f"the accumulator cell {place(site)} stands for the output of its point"
    if book.structure("program", acc.name, f"{acc.name} holds {output.tensor}", acc.held.tensor == output.tensor,
                      f"{acc.name} is said to hold {acc.held.tensor}"):  # fmt: skip
        needed = [rename(i, e.point) for i in output.index]
        book.ask("program", acc.name, words, given, equal(acc.held.coordinates, needed))
    for operand, p in inputs:
        access = operand_access(sites, operand)
        if book.structure("program", p.name, f"{p.name} holds {access.tensor}", p.held.tensor == access.tensor,
                          f"{p.name} is said to hold {p.held.tensor}, {operand} is {access.tensor}"):  # fmt: skip
            needed = [rename(i, e.point) for i in access.index]
            words = f"{p.name} {place(site)} holds {access.tensor}{list(access.index)} of its point"
            book.ask("program", p.name, words, given, [p.held.guard, *equal(p.held.coordinates, needed)])


def _neutral(book: Book, site: Site) -> None:
    sites = book.sites
    e = execution(sites, site)
    _, inputs = operand_cells(site, sites)
    statement = the_statement(sites)
    instruction = site.node.instruction  # type: ignore[union-attr]
    if (
        statement.op != "+"
        or not _is_product(statement.value)
        or not _is_product(instruction.kernel.statements[0].value)
    ):
        _masked_only(book, e, instruction.short)
        return
    outside = ("not", conjunction(e.inside(statement)))
    floating = any(t.dtype.is_float for t in (*sites.kernel.tensors, *instruction.kernel.tensors))
    if floating:
        goal, words = _floating(book, inputs, statement.ordered)
    else:
        goal = ("or", *(_zero(p) for _, p in inputs))
        words = "one factor is 0"
        if instruction.assume or the_mapping(sites).kernel.ranges:
            # outside these ranges the instruction may differ from its contract, so no operand may be garbage
            goal = ("and", goal, *(("or", _zero(p), p.held.guard) for _, p in inputs))
    book.ask(
        "neutral", instruction.short, f"outside the kernel's domain {words}, so a live accumulator keeps its value",
        [*state(site), e.live, outside], [goal],
    )  # fmt: skip


def _masked_only(book: Book, e: Execution, name: str) -> None:
    """No padding is known to be neutral for this statement: no live cell may meet a point outside the domain."""
    inside = e.inside(the_statement(book.sites))
    words = "the value is no product, so a live accumulator meets only points of the domain"
    book.ask("neutral", name, words, [*state(e.site), e.live], inside)


def _is_product(value: Any) -> bool:
    """A product of elements, each perhaps converted: zero as soon as one factor is zero."""
    match value:
        case Read():
            return True
        case Cast():
            return _is_product(value.args[1])
        case SMul():
            return all(map(_is_product, value.args))
    return False


def _zero(p: Place, sign: str = "") -> Formula:
    """The operand is a known zero (of that sign)."""
    if p.held.outside not in ("0", "-0") or (sign and p.held.outside != sign):
        return ("or",)
    return ("not", p.held.guard)


def _floating(book: Book, inputs: list[tuple[str, Place]], ordered: bool) -> tuple[Formula, str]:
    zeros = [_zero(p) for _, p in inputs]
    if ordered:
        odd = sum(p.held.outside == "-0" for _, p in inputs) % 2
        return ("and", *zeros, ("and",) if odd else ("or",)), "the product is -0 (all factors zero, of odd sign)"
    options: list[Formula] = [conjunction(zeros)]
    used: list[str] = []
    for n, zero in enumerate(zeros):
        others = [q for m, (_, q) in enumerate(inputs) if m != n]
        finite = [q for q in others if _finite(book, q.held.tensor)]
        used += [q.held.tensor for q in finite]
        rest = [("or", _zero(q), q.held.guard) if q in finite else _zero(q) for q in others]
        options.append(("and", zero, *rest))
    signs = {p.held.outside for _, p in inputs}
    words = "all factors are zeros"
    if used:
        words += f" or one is and the other is finite (assumed: {', '.join(sorted(set(used)))})"
    if signs != {"0", "-0"}:
        words += "; over the reals (a sum that is -0 may become +0)"
    return ("or", *options), words


def _finite(book: Book, tensor: str) -> bool:
    return f"{tensor} is finite" in book.sites.program.assumptions
