"""Claims about single transfers: arriving values agree with the type, and every access stays inside.

program       move: each cell written agrees with the destination's type, for every iteration and size
program       frame: a buffer's type has one meaning throughout the buffer's life
bounds        every element really accessed lies inside its tensor or buffer; inputs are not written
precondition  lanes lie in memory at the place of the instruction's operand; masks fit the instruction
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.addresses import offset
from isamap_smt.ir.dtypes import widens
from isamap_smt.ir.expr import FloorDiv, FloorMod, elements, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Copy, Move, Use
from isamap_smt.mapping.moves import memory_address
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_cover import covered, writes
from isamap_smt.proof.program_executions import execution, executions, reads_in_memory
from isamap_smt.proof.program_held import DEAD, TRUE, Place, Transfer, arrives, transfer
from isamap_smt.proof.program_preconditions import computes_ask_nothing, stated
from isamap_smt.proof.program_sites import Formula, Site, asked_for, equal, primed, refs, rename, span, state
from isamap_smt.proof.program_start import begins

# ---- Claim 9, the readers: no cell whose value matters is read before it was written.
#
# A cell matters where its type's guard holds, or where its type promises a known value outside the guard; a dead cell
# may hold anything. Accumulators are covered by their loads: see program_scope.


def read_claims(book: Book, transfers: Sequence[Transfer], touched: Sequence[Access]) -> None:
    """Every read of a buffer, by a transfer or an execution, is covered; additions of an execution read their target."""
    for a in touched:
        if a.place.home is not None and not (a.writes and a.transfer is not None):
            _covered(book, transfers, a)


def _covered(book: Book, transfers: Sequence[Transfer], a: Access) -> None:
    p, site = a.place, a.site
    assert p.home is not None
    matters = TRUE if p.held.outside != DEAD else p.held.guard
    statement = f"every cell of {p.name} that is read {place(site)} was written before"
    book.attempt(
        "program", p.name, statement,
        lambda: book.ask(
            "program", p.name, statement, [*state(site), a.where, matters],
            [covered(site, p.index, writes(transfers, p.home))],
        ),
    )  # fmt: skip


def move_claims(book: Book) -> list[Transfer]:
    """Notes all claims about copies and moves; returns the recognised transfers."""
    found: list[Transfer] = []
    for site in book.sites.of(Alloc):
        _frame(book, site)
    for site in book.sites.moving():
        subject = _subject(site)
        t = book.attempt(
            "program", subject, "the statement is a copy of elements", lambda s=site: transfer(book.sites, s)
        )
        if t is not None:
            found.append(t)
            book.attempt(
                "program", subject, "what arrives is what the type says", lambda t=t, n=subject: _move(book, t, n)
            )
    for site in book.sites.of(Copy, Use):
        book.attempt("bounds", _subject(site), "what indices are made of exists", lambda s=site: _data(book, s))
    computes_ask_nothing(book)
    for site in executions(book.sites):
        book.attempt("bounds", _subject(site), "every operand exists", lambda s=site: _operands(book, s))
    return found


def _subject(site: Site) -> str:
    node = site.node
    match node:
        case Copy():
            return f"copy {node.src.name} -> {node.dst.name}"
        case Move():
            memory = node.memory.name if node.memory else "0"
            if node.instruction.kind == "store":
                return f"{node.instruction.short} {node.register.name} -> {memory}"
            return f"{node.instruction.short} {memory} -> {node.register.name}"
        case Use():
            return node.instruction.short
    return node.buffer.name  # type: ignore[union-attr]


def _frame(book: Book, site: Site) -> None:
    """The type means the same at two moments of one life of the buffer; variables not around its declaration differ."""
    b = site.node.buffer  # type: ignore[union-attr]
    statement = f"the type of {b.name} mentions only loops around its declaration ({place(site)})"
    fixed = {c.name for c in b.cells} | {x.var.name for x in site.loops} | set(book.sites.sizes)
    parts = [*map(sp.sympify, b.type.coordinates), *b.type.guard]
    loose = symbols_of(parts) - fixed
    if not loose:
        book.note("program", b.name, statement, Proved())
        return
    ranges = [f for s in book.sites.sites for x in s.loops if x.var.name in loose for f in span(x.var, x.count)]
    if not loose <= {x.var.name for s in book.sites.sites for x in s.loops}:
        book.note("program", b.name, statement, Refuted({}, f"{b.name}: nothing defines {', '.join(sorted(loose))}"))
        return
    again = primed(loose)
    same: list[Formula] = [("iff", g, rename(g, again)) for g in b.type.guard]
    same += equal(b.type.coordinates, [rename(sp.sympify(c), again) for c in b.type.coordinates])
    verdict = book.ask("program", b.name, statement, [*state(site), *ranges, *rename(ranges, again)], same)
    if isinstance(verdict, Proved):
        book.unknown(
            "program", b.name, statement, f"the type mentions {', '.join(sorted(loose))} without depending on it"
        )


def _move(book: Book, t: Transfer, subject: str) -> None:
    node, around = t.site.node, state(t.site)
    where = place(t.site)
    book.structure(
        "program", subject, "source and destination have one element type",
        _keeps_type(t), f"{subject} changes the element type",
    )  # fmt: skip
    if not begins(book, t):
        book.ask(
            "program", subject, f"every cell written {where} holds what the type of {t.dst.name} says",
            [*around, t.written], [arrives(t)],
        )  # fmt: skip
    _inside(book, subject, t.dst, [*around, t.written], "written")
    if t.src is not None:
        _inside(book, subject, t.src, [*around, t.selected], "read")
    if t.dst.home is None:
        _output(book, subject, t.dst.name)
    if isinstance(node, Move):
        _preconditions(book, t, node, subject, around)


def _keeps_type(t: Transfer) -> bool:
    """Whether the element type is kept, and is the move's own.

    A copy of an input into a buffer may also convert to a type with all of the input's values.
    """
    use: Any = t.site.node
    copies = isinstance(use, Copy)
    if not copies and t.dst.held.dtype != use.instruction.kernel.tensor(_written(use)).dtype:
        return False
    if t.src is None:
        return True
    source, target = t.src.held.dtype, t.dst.held.dtype
    if copies and (source, target) != tuple(x.dtype for x in reversed(use.instruction.kernel.tensors)):
        return False
    return source.lies_as(target) or (copies and t.dst.home is not None and widens(source, target))


def _written(use: Move) -> str:
    """The operand written by a move."""
    return use.instruction.kernel.statements[0].target.tensor


def _inside(book: Book, subject: str, p: Place, assumptions: list[Formula], verb: str) -> None:
    goals = [f for i, n in zip(p.index, p.shape, strict=True) for f in span(i, n)]
    if goals:
        book.ask("bounds", subject, f"every element of {p.name} that is {verb} lies inside it", assumptions, goals)


def _data(book: Book, site: Site) -> None:
    """Elements used in indices are read, too."""
    for e in elements(i for r in (*refs(site.node), *asked_for(site.node)) for i in r.index):
        shape = book.sites.kernel.tensor(e.tensor).shape
        goals = [f for i, n in zip(e.index, shape, strict=True) for f in span(i, n)]
        if goals:
            words = f"every element of {e.tensor} that an index is made of lies inside it"
            book.ask("bounds", _subject(site), words, state(site), goals)


def _operands(book: Book, site: Site) -> None:
    e = execution(book.sites, site)
    for p in (e.target, *(p for _, p in e.inputs)):
        if reads_in_memory(e, p):
            continue  # by data, which needs more than the site's state (program_compute)
        _inside(book, _subject(site), p, state(site), "used")
    if e.target.home is None:
        _output(book, _subject(site), e.target.name)


def _output(book: Book, subject: str, name: str) -> None:
    book.structure(
        "bounds", subject, "only outputs of the kernel are written", name in book.sites.kernel.outputs,
        f"{name} is an input and is written",
    )  # fmt: skip


def _preconditions(book: Book, t: Transfer, node: Move, subject: str, around: list[Formula]) -> None:
    i = node.instruction
    book.structure(
        "precondition", subject, "a mask is given just where the instruction takes one",
        len(i.active) == len(node.active), _asks_for_masks(i),
    )  # fmt: skip
    register = t.site.buffer(node.register.name)
    lanes = i.kernel.tensor(_register_name(node)).shape
    right = register is not None and register.memory == "registers" and _lane_shape(register) == tuple(map(int, lanes))
    book.structure(
        "precondition", subject, "the register has the instruction's shape", right,
        f"{node.register.name} is no register of shape {list(lanes)}",
    )  # fmt: skip
    memory = t.dst if i.kind == "store" else t.src
    if node.memory is None or memory is None:
        return
    home = t.site.buffer(node.memory.name)
    book.structure(
        "precondition", subject, "the memory operand is in memory", home is None or home.memory != "registers",
        f"{node.memory.name} is a register",
    )  # fmt: skip
    at, own = _by_quotients(offset(memory.index, memory.lies)), memory_address(i)
    lie = f"lie at {own} in" if i.steps else "are consecutive in"
    statement = f"the lanes of {i.short} {lie} {node.memory.name}"
    book.ask("precondition", subject, statement, [*around, t.selected], [("eq", own.apart(at), sp.S.Zero)])
    stated(book, subject, node, memory, at, around)


def _asks_for_masks(i: Instruction) -> str:
    numbers = "numbers" if len(i.active) > 1 else "number"
    return (
        f"{i.short} needs {len(i.active)} {numbers} of active lanes"
        if i.active
        else f"{i.short} takes no number of active lanes"
    )


def _register_name(node: Move) -> str:
    s = node.instruction.kernel.statements[0]
    return str(s.value.tensor if node.instruction.kind == "store" else s.target.tensor)


def _lane_shape(b: Any) -> tuple[int, ...]:
    return tuple(int(e) for e in b.shape[len(b.shape) - b.lanes :]) if b.lanes else ()


def _by_quotients(e: Any) -> Any:
    """The same number without remainders by sizes: in the offset of a fused axis, `P*(x // P) + x % P`, they cancel."""
    remainders = (m for m in sp.sympify(e).atoms(FloorMod) if not m.args[1].is_number)
    divided = {m: m.args[0] - m.args[1] * FloorDiv(*m.args) for m in remainders}
    return sp.expand(e.xreplace(divided)) if divided else e
