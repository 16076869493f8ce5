"""Values computed by uses: the products added are the kernel's, and the steps of an epilogue compose to its expression.

A step reads the cell of a sum and, besides, elements from main memory or the code. Their identity is asked for every
cell. Then the contracts are composed, and the result is compared with the kernel's expression, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from isamap_encodings.ranges import Question
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.epilogue import Epilogue, begins_at
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import Ref, immediate
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import (
    Cast,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    Scalar,
    SDiv,
    SMax,
    SMin,
    SMul,
    SSub,
    cast,
    reads,
    rewrite_reads,
)
from isamap_smt.ir.typed import type_of, typed_value
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.proof.scalar import compare
from isamap_smt.proof.scalar_rules import by_rules
from isamap_smt.proof.scalar_trees import access_of, kind, leaves, unrolled
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.moments import Moments, UseSite


def plain_contracts(book: UseBook, sites: list[UseSite]) -> None:
    """Contracts describe all effects of an instruction, and all of its demands."""
    for site in sites:
        i = site.use.instruction
        words = f"the contract of {i.name} is one statement without `where`, and what it really computes"
        right = len(i.kernel.statements) == 1 and not i.kernel.statements[0].guard and i.exact is None
        book.structure("scalar", site.name, words, right, "it says more")
        words = f"{i.name} reads one element of each operand in a point"
        book.structure(
            "scalar", site.name, words, _one_element(i), "it reads others, too, which its places say nothing of"
        )
        others = [] if not (i.registers or i.numbers_needed) else i.needs
        if asked := (*i.preconditions, *others):
            words = f"{i.name} asks for nothing but where cells lie, and for what states hold"
            book.unknown("precondition", site.name, words, f"no claim covers {asked[0]!r}")


def _one_element(i: Instruction) -> bool:
    """Whether each operand is named at one index, over the axes."""
    s, axes = i.kernel.statements[0], set(i.extents)
    seen = {s.target.tensor: s.target.index}
    return all(seen.setdefault(r.tensor, r.index) == r.index and symbols_of(r.index) <= axes for r in reads(s.value))


def added(book: UseBook, kernel: Kernel, site: UseSite, named: dict[str, Access]) -> None:
    """The value added or assigned for a point is the kernel's. named: operand -> its element of the kernel."""
    i = site.use.instruction
    contract, statement, places = i.kernel.statements[0], kernel.statements[0], dict(site.use.operands)

    def stands(r: Any) -> Any:
        if r.tensor in i.immediates:
            return cast(i.kernel.tensor(r.tensor).dtype, sp.sympify(places[r.tensor].index[0]))
        return Read(sp.Symbol(_element(named[r.tensor])))

    theirs = rewrite_reads(typed_value(i.kernel, contract), stands)
    ours = rewrite_reads(typed_value(kernel, statement), lambda r: Read(sp.Symbol(_element(access_of(r)))))
    does = "computes what the kernel does" if contract.op == "=" else "adds what the kernel adds"
    words = f"{site.name} {does} for a point"
    _compared(book, kernel, site.name, words, (ours, theirs), statement.target.tensor)


def composed(book: UseBook, moments: Moments, epilogue: Epilogue, begin: UseSite | None, steps: list[UseSite]) -> None:
    """The steps after the sum compute the kernel's expression.

    begin: the use that begins sums, None if elements are assigned; steps: in order, the last stores.
    """
    kernel, total = moments.program.kernel, epilogue.sum
    tree: Any = Read(sp.Symbol(total))
    if begin is not None and begins_at(begin.use.instruction) != epilogue.start:
        words = f"sums of {total} may begin at what {begin.name} puts there"
        whole = not kernel.tensor(total).dtype.is_float and epilogue.op == "+"
        why = "they round in another order" if epilogue.op == "+" else f"they begin at {epilogue.start}"
        book.structure("scalar", begin.name, words, whole, why)
        tree = SAdd(tree, _after(moments, begin, total, None))
    for site in steps:
        tree = _after(moments, site, total, tree)
    for site in steps:
        i = site.use.instruction
        words = f"{i.name} rounds after each operation, as kernels do"
        exact = i.rounding != "fused" or not any(t.dtype.is_float for t in i.kernel.tensors)
        book.structure("scalar", site.name, words, exact, "it rounds a product and a sum once")
    ours = rewrite_reads(epilogue.value, lambda r: Read(sp.Symbol(r.tensor)))
    words = f"what {steps[-1].name} stores is computed from the sum as the kernel says"
    machine = moments.program.machine
    rules = (*RULES, *machine.rules) if machine is not None else RULES
    _compared(book, kernel, steps[-1].name, words, (ours, tree), epilogue.result, rules)


def _after(moments: Moments, site: UseSite, total: str, tree: Any) -> Any:
    """The value of a step with `tree` in the cells of sums it reads. tree: None for a step that reads no such cell."""
    i, places = site.use.instruction, dict(site.use.operands)
    elements = {o: moments.buffers[p.name].type.tensor for o, p in beside(moments, site, total)}

    def stands(r: Any) -> Any:
        place, dtype = places[r.tensor], i.kernel.tensor(r.tensor).dtype
        if r.tensor in i.immediates:
            return cast(dtype, sp.sympify(place.index[0]))
        tensor = place.name if i.operand(r.tensor).memory == MAIN else elements.get(r.tensor)
        return tree if tensor is None else Read(sp.Symbol(tensor))

    return _put(typed_value(i.kernel, i.kernel.statements[0]), i.kernel, stands, False)


def _put(e: Any, contract: Kernel, stands: Callable[[Any], Any], exact: bool) -> Any:
    """The tree with operands replaced by their values.

    exact: it lies below a saturation, so nothing wraps there; an operand still has its own type, and an earlier value
    wraps in it.
    """
    if isinstance(e, Read):
        found = stands(e)
        wraps = exact and not isinstance(found, Read | Cast | Saturate | Round)
        return cast(contract.tensor(e.tensor).dtype, found) if wraps else found
    if not isinstance(e, Scalar):
        return e
    below = isinstance(e, Saturate) or (exact and not isinstance(e, Cast | Round))
    return e.func(*(_put(a, contract, stands, below) for a in e.args))


def immediates(book: UseBook, site: UseSite) -> None:
    """Numbers in the code lie in the instruction's immediate ranges."""
    i = site.use.instruction
    for name, (low, high) in i.immediates.items():
        value = immediate(dict(site.use.operands)[name])
        words = f"{name} of {site.name} is a number from {low} to {high}"
        right = value is not None and low <= value <= high
        book.structure("precondition", site.name, words, right, f"it is {value}")


def others(site: UseSite) -> list[tuple[str, Ref]]:
    """Operands read by a step in main memory."""
    i = site.use.instruction
    target = i.kernel.statements[0].target.tensor
    return [(o, p) for o, p in site.use.operands if o != target and i.operand(o).memory == MAIN]


def beside(moments: Moments, site: UseSite, total: str) -> list[tuple[str, Ref]]:
    """Operands read by a step in buffers of other tensors than the sum."""
    target = site.use.instruction.kernel.statements[0].target.tensor
    found = ((o, p) for o, p in site.use.operands if o != target and p.name in moments.buffers)
    return [(o, p) for o, p in found if moments.buffers[p.name].type.tensor != total]


def _element(a: Access) -> str:
    """An element in words: X[i,k]."""
    return f"{a.tensor}[{','.join(map(str, a.index))}]"


def _settled(e: Any, types: dict[str, DType]) -> Any:
    """The tree with each number beside a floating-point value cast to that value's type, its type in any case.

    relu of such a value becomes a maximum with 0, NaN and signs of zero included.
    """
    if not isinstance(e, Scalar) or isinstance(e, Read):
        return e
    args = [_settled(a, types) for a in e.args]
    if isinstance(e, Relu) and (own := _type(args[0], types)) is not None and own.is_float:
        return SMax(args[0], cast(own, sp.Integer(0)))
    if len(args) == 2 and isinstance(e, SAdd | SSub | SMul | SDiv | SMax | SMin):
        for n, a in enumerate(args):
            beside = _type(args[1 - n], types) if isinstance(a, sp.Number) else None
            if beside is not None and (isinstance(a, sp.Float) or beside.is_float):
                args[n] = cast(beside, a)
    return e.func(*args)


def _type(e: Any, types: dict[str, DType]) -> DType | None:
    """The type of a value; None for a number, and for a tree of types that do not fit, refused by another claim."""
    try:
        return None if isinstance(e, sp.Number) else type_of(e, types)
    except DTypeError:
        return None


def _compared(
    book: UseBook,
    kernel: Kernel,
    subject: str,
    words: str,
    pair: tuple[Any, Any],
    result: str,
    rules: Sequence[Rule] = RULES,
) -> None:
    """Whether two trees over elements of tensors, `T` or `T[i,j]`, are equal in the type of a tensor.

    rules: for what no solver decides.
    """
    named = {t.name: t.dtype for t in kernel.tensors}
    read = {r.tensor: r.tensor.partition("[")[0] for t in pair for r in reads(t)}
    types = {leaf: named[n] for leaf, n in read.items() if n in named}
    ours, theirs = (leaves(unrolled(_settled(t, types)), lambda r: str(r.tensor)) for t in pair)
    if unknown := set(read.values()) - set(named):
        book.unknown("scalar", subject, words, f"{min(unknown)} is no tensor of the kernel")
        return
    known = {n: (low, high) for n, low, high in kernel.ranges if not named[n].is_float}
    ranges = {leaf: known[n] for leaf, n in read.items() if n in known}
    q = Question(ours, theirs, {leaf: kind(d) for leaf, d in types.items()}, kind(named[result]), ranges)
    verdict = compare(q, bits=True)
    if isinstance(verdict, Unknown) and isinstance(chain := by_rules(q, rules, reals=False), Proved):
        verdict, words = chain, f"{words}, by {chain.how}"
    if isinstance(verdict, Refuted):
        what = ", ".join(f"{k} = {v}" for k, v in verdict.witness.items())
        text = f"{words}: at {what} the kernel says {value_text(ours)}, the program {value_text(theirs)}"
        verdict = Refuted(verdict.witness, text, verdict.seconds)
    book.note("scalar", subject, words, verdict)
