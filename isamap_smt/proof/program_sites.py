"""Position of each statement of a program: the loops and conditions around it, and the buffers in scope.

Ranges in every formula come from here: from the loops and conditions around the statement, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.folds import shapes
from isamap_smt.ir.hypotheses import relations
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.portable import copying
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    AnyUse,
    Ask,
    Buffer,
    Command,
    Compute,
    Configure,
    Copy,
    Counted,
    If,
    Issued,
    Loop,
    Move,
    Node,
    Point,
    Program,
    Ref,
    Use,
    immediate,
)

Formula = Any  # see isamap_encodings.terms
MARKS = frozenset("'?#")  # in names of the proof's own: other moments, digits, numbers of loops


class UnrecognisedError(Exception):
    """A structure the claims do not cover; every claim about it is Unknown, never proved."""


@dataclass(frozen=True)
class Site:
    """A statement (Alloc or Use). position: index in each enclosing body, outermost first, part first.

    around[n] stands at position[:n + 2]; visible: name -> the Alloc in scope.
    """

    node: Node
    position: tuple[int, ...]
    around: tuple[Loop | If, ...]
    visible: Mapping[str, Site] = field(default_factory=dict, compare=False, repr=False)

    def __hash__(self) -> int:
        return hash(self.position)  # one statement per position; hashing what stands there again and again is slow

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Enclosing loops, outermost first."""
        return tuple(n for n in self.around if isinstance(n, Loop))

    def context(self, start: int = 0) -> list[Formula]:
        """Ranges of the loops and conditions around the statement, from the start-th on."""
        return [f for n in self.around[start:] for f in holds(n)]

    def buffer(self, name: str) -> Buffer | None:
        """The buffer of that name in scope here; None for a tensor argument."""
        site = self.visible.get(name)
        return site.node.buffer if site else None  # type: ignore[union-attr]


def holds(n: Loop | If) -> list[Formula]:
    if isinstance(n, If):
        return list(n.condition)
    return span(n.var, n.count)


def span(v: Any, count: Any) -> list[Formula]:
    """0 <= v < count."""
    return [("le", sp.S.Zero, v), ("lt", v, sp.sympify(count))]


@dataclass(frozen=True)
class Sites:
    """All statements of a program in order, and the facts about its sizes."""

    program: Program
    sites: tuple[Site, ...]

    @property
    def kernel(self) -> Kernel:
        return self.program.kernel

    @property
    def sizes(self) -> tuple[str, ...]:
        """Free sizes and parameters, of the kernel and the machine."""
        own = {*self.kernel.free_sizes, *(p.name for p in self.kernel.parameters)}
        return tuple(sorted(own | set(self.program.parameters)))

    @property
    def hypotheses(self) -> list[Formula]:
        """Sizes are at least 1, parameters at least their lower bound, FRESH is 0 or 1.

        The program's own `>=` relations on sizes are added; the proof lists them. The entry check enforces all of it.
        """
        low = {p.name: p.low for p in self.kernel.parameters}
        flag = span(FRESH, 2) if self.program.starts else []
        least = [c.formula for c in relations(self.program.hypotheses, frozenset(self.sizes)) if c.op == ">="]
        return [*(("le", sp.Integer(low.get(s, 1)), sym(s)) for s in self.sizes), *least, *flag]

    @property
    def given(self) -> tuple[str, ...]:
        """Names with a value from the start: the sizes, and FRESH if the program starts tensors by itself."""
        return (*self.sizes, FRESH.name) if self.program.starts else self.sizes

    @cached_property
    def lying(self) -> dict[str, tuple[Any, ...]]:
        """The shapes by which folded tensors are addressed: those of their blocks."""
        return shapes(self.program)

    def of(self, *kinds: type) -> list[Site]:
        """Sites whose node is one of these."""
        return [s for s in self.sites if isinstance(s.node, kinds)]

    def moving(self) -> list[Site]:
        """Sites of copies and moves."""
        return self.of(Copy, Move)

    def computing(self) -> list[Site]:
        """Sites of uses that compute on registers."""
        return self.of(Compute)

    def copying(self) -> list[Site]:
        """Sites of copies from memory to memory."""
        return self.of(Copy)


def collect(program: Program) -> Sites:
    """Every statement with its place. Raises UnrecognisedError when names are ambiguous or undefined."""
    found: list[Site] = []
    top: dict[str, Site] = {}
    _walk(program.ahead, (0,), (), top, found)
    _walk(program.body, (1,), (), dict(top), found)
    sites = Sites(program, tuple(found))
    _check_names(sites)
    return sites


def _walk(
    body: tuple[Node, ...], at: tuple[int, ...], around: tuple[Loop | If, ...], visible: dict[str, Site],
    found: list[Site],
) -> None:  # fmt: skip
    """`visible` grows while the body is walked; a nested body works on a copy."""
    for n, node in enumerate(body):
        place = (*at, n)
        if isinstance(node, Loop | If):
            _walk(node.body, place, (*around, node), dict(visible), found)
            continue
        site = Site(node, place, around, dict(visible))
        found.append(site)
        if isinstance(node, Alloc):
            if node.buffer.name in visible:
                raise UnrecognisedError(f"buffer {node.buffer.name} is declared again inside its own scope")
            if len(node.buffer.cells) != len(node.buffer.shape):
                raise UnrecognisedError(f"buffer {node.buffer.name} has not one name for each of its dimensions")
            visible[node.buffer.name] = site


def refs(node: Node) -> list[Ref]:
    """Every Ref of a statement."""
    match node:
        case Move():
            return [node.register] + ([node.memory] if node.memory else [])
        case Compute() | Copy() | Point():
            return [r for _, r in node.operands]
        case Command():
            return [r for o, r in node.operands if o not in node.instruction.immediates]
    return []


def asked_for(node: Node) -> list[Ref]:
    """The elements of other tensors whose lines it asks for. Nothing is read of them."""
    return [p.place for p in node.prefetch if p.place is not None] if isinstance(node, Move) else []


def _check_names(sites: Sites) -> None:
    tensors = {t.name for t in sites.kernel.tensors}
    heap = [s.node.buffer.name for s in sites.of(Alloc) if s.node.buffer.memory == "heap"]  # type: ignore[union-attr]
    if len(set(heap)) != len(heap):
        raise UnrecognisedError(f"two buffers are called {next(n for n in heap if heap.count(n) > 1)}")
    _check_bases(sites)
    for s in sites.sites:
        names = [e.name for v in s.loops for e in (v.var, *_own(v))]
        own = own_names(s.node)
        taken = [*names, *own, *sites.given]
        if len(set(taken)) != len(taken):
            twice = sorted({n for n in taken if taken.count(n) > 1})
            raise UnrecognisedError(f"the name {', '.join(twice)} means two things at once")
        if odd := sorted(n for n in (*names, *own) if set(n) & MARKS):
            raise UnrecognisedError(
                f"the name {odd[0]} has a sign that the proof keeps to itself ({' '.join(sorted(MARKS))})"
            )
        if isinstance(s.node, Use):
            _check_fields(s.node)
        for r in (*refs(s.node), *asked_for(s.node)):
            if r.name not in tensors and r.name not in s.visible:
                raise UnrecognisedError(f"{r.name} is neither a tensor nor a buffer in scope")
            if r.name in tensors and r.name in s.visible:
                raise UnrecognisedError(f"{r.name} is both a tensor and a buffer")
        _check_defined(sites, s)


def _own(loop: Loop) -> tuple[Any, ...]:
    """Symbols defined by a loop over a vector length beside its variable."""
    return () if loop.base is None else (loop.base, loop.count)


def _check_bases(sites: Sites) -> None:
    """The count of a loop with a base is a symbol of its own, with one meaning throughout the program."""
    known: dict[Any, tuple[Any, Any]] = {}
    for loop in (x for s in sites.sites for x in s.loops if x.base is not None):
        odd = not (loop.base.is_Symbol and sp.sympify(loop.count).is_Symbol)
        if odd or known.setdefault(loop.count, (loop.step, loop.extent)) != (loop.step, loop.extent):
            raise UnrecognisedError(f"the loop {loop.var} has no base and count of its own")


def _check_defined(sites: Sites, s: Site) -> None:
    """Every symbol is a size, a loop around it, or a variable of the statement itself (in order of its counts)."""
    known = set(sites.given if s.position[0] else sites.sizes)  # what is packed ahead serves every call
    around: list[Loop] = []
    for n in s.around:
        _need(known, n.condition if isinstance(n, If) else (n.trips,) if n.base is None else (n.step, n.extent), s)
        if isinstance(n, Loop):
            _check_turn(n, around, s)
            around.append(n)
            known |= {n.var.name} | ({n.base.name} if n.base is not None else set())
    for v, count in own_spans(s.node):
        _need(known, (count,), s)
        known.add(v.name)
    node = s.node
    if not isinstance(node, Issued):
        _need(known, [i for r in refs(node) for i in r.index], s)
    match node:
        case Copy():
            _need(known, node.where, s)
        case Point():
            _need(known, [e for _, e in node.point], s)
        case Issued():
            _check_issued(node, known | {x.number.name for x in s.loops}, sites, s)
        case Move():
            _need(known - set(node.instruction.axes), node.register.index, s)
            _need(known - set(node.instruction.axes), node.active, s)
            asked = [i for r in asked_for(node) for i in r.index]
            _need(known - set(node.instruction.axes), [*asked, *(p.distance for p in node.prefetch)], s)
        case Ask():
            _need(known, (node.number,), s)
        case Compute():
            _need(known - set(node.instruction.axes), [i for _, r in node.operands for i in r.index], s)
            _need(known, [e for _, e in node.point], s)


def _check_fields(use: AnyUse) -> None:
    """A copy is a member of its family; operands have their names; contents are of engines' buffers alone."""
    i, contract = use.instruction, use.instruction.kernel
    given, names = [o for o, _ in use.operands], [t.name for t in contract.tensors]
    match use:
        case Copy() if len(names) != 2 or i != copying(*(t.dtype for t in reversed(contract.tensors))):
            raise UnrecognisedError(f"{i.name} is no copy of one element")
        case Copy() | Point() if given != names:
            raise UnrecognisedError(f"{i.name} reads {len(names) - 1} elements and is given {len(given) - 1}")
        case Move() if sorted(given) != sorted(names):
            raise UnrecognisedError(f"{i.name} has operands {sorted(names)} and is given {sorted(given)}")
    if not isinstance(use, Issued) and any(ref.version for _, ref in use.operands):
        raise UnrecognisedError(f"{i.name} is given what it has no meaning for")


def _check_issued(use: Issued, known: set[str], sites: Sites, s: Site) -> None:
    """A use on an engine gives a slot, an element or a number for whatever its instruction asks for."""
    i, outside = use.instruction, known - set(own_names(s.node))
    _need(outside, [e for _, e in use.awaits], s)
    if isinstance(use, Configure):
        _check_written(use, known, sites, s)
    if not isinstance(use, Command):
        return
    if sorted(o for o, _ in use.operands) != sorted(o.name for o in i.operands) or (
        len(use.active),
        len(use.front),
    ) != (len(i.active), len(i.front)):
        raise UnrecognisedError(f"{i.name} has a place for each operand, and a number for each of {i.counted}")
    for name, ref in use.operands:
        if name in i.immediates:
            if immediate(ref) is None:
                raise UnrecognisedError(f"{name} of {i.name} is a number in the code")
            continue
        buffer, operand = s.buffer(ref.name), i.operand(name)
        if (operand.row is None) == (buffer is not None):
            there = buffer.memory if buffer else "memory"
            raise UnrecognisedError(
                f"{name} of {i.name} lies in {operand.memory}, and is given {ref.name}, which lies in {there}"
            )
        counts = (1, 2) if buffer else (len(sites.kernel.tensor(ref.name).shape),)  # a slot, and maybe a row of it
        if len(ref.index) not in counts or len(ref.version) != (len(buffer.version) if buffer else 0):
            raise UnrecognisedError(f"{i.name} has another number of indices for {ref.name}")
        _need(outside if buffer else known, [*ref.index, *ref.version], s)
    _need(outside, use.counted, s)
    _need(known, [e for _, e in use.point], s)


def _check_written(use: Configure, known: set[str], sites: Sites, s: Site) -> None:
    """A value written to an engine's state is over surrounding loops and sizes, or an element of a tensor there."""
    shapes = {t.name: len(t.shape) for t in sites.kernel.tensors}
    for e in use.cells:
        if not isinstance(e, Ref):
            _need(known, [e], s)
        elif e.version or len(e.index) != shapes.get(e.name):
            raise UnrecognisedError(
                f"{use.instruction.name} writes {e.name}[{', '.join(map(str, e.index))}], no element of a tensor"
            )
        else:
            _need(known, e.index, s)


def _check_turn(n: Loop, around: list[Loop], s: Site) -> None:
    """A loop's direction depends on the variable of a surrounding loop."""
    if n.backwards is not None:
        _need({x.var.name for x in around if isinstance(x, Counted)}, (n.backwards,), s)
        if not n.backwards.is_Symbol:
            raise UnrecognisedError(f"the loop {n.var} turns by {n.backwards}, which is no loop's variable")


def _need(known: set[str], expressions: Iterable[Any], s: Site) -> None:
    loose = symbols_of(map(sp.sympify, expressions)) - known
    if loose:
        raise UnrecognisedError(
            f"nothing defines {', '.join(sorted(loose))} where it is used ({type(s.node).__name__})"
        )


def own_names(node: Node) -> list[str]:
    """Variables of a single statement: a copy's points, an instruction's axes, an Alloc's cells."""
    match node:
        case Copy():
            return [s.name for s, _ in node.over]
        case Compute() | Move() | Point() | Command():
            return [a.name for a in node.instruction.kernel.axes]
        case Alloc():
            return [c.name for c in node.buffer.cells]
    return []


def own_spans(node: Node) -> list[tuple[Any, Any]]:
    """The same with their counts, outermost first."""
    match node:
        case Copy():
            return list(node.over)
        case Compute() | Move() | Point() | Command():
            return axes_of(node.instruction)
        case Alloc():
            return list(zip(node.buffer.cells, node.buffer.shape, strict=True))
    return []


def axes_of(instruction: Instruction) -> list[tuple[Any, Any]]:
    """(symbol, count) of each instruction axis."""
    return [(a.symbol, sp.sympify(a.extent)) for a in instruction.kernel.axes]


def state(site: Site, start: int = 0) -> list[Formula]:
    """The context of a site together with the ranges of its own variables."""
    return [*site.context(start), *(f for v, n in own_spans(site.node) for f in span(v, n))]


def common(a: Site, b: Site) -> int:
    """How many positions two sites share: they see the same values of the loops around[: common - 1]."""
    n = 0
    for x, y in zip(a.position, b.position, strict=False):
        if x != y:
            break
        n += 1
    return n


def before(a: Site, b: Site) -> bool:
    """Whether all of `a` runs before `b`, once the loops they share have the same values."""
    return a.position < b.position


def rename(f: Formula, table: Mapping[str, Any]) -> Formula:
    """A formula with symbols replaced by name, all at once."""
    if isinstance(f, tuple):
        return (f[0], *(rename(a, table) if not isinstance(a, str) else a for a in f[1:]))
    if isinstance(f, list):
        return [rename(a, table) for a in f]
    return substitute(f, table)


def mentioned(f: Formula) -> set[str]:
    """The names of a formula's symbols."""
    if isinstance(f, tuple | list):
        return {name for a in f if not isinstance(a, str) for name in mentioned(a)}
    return symbols_of([f])


def primed(names: Iterable[str]) -> dict[str, Any]:
    """A second state: each name with a prime."""
    return {n: sym(f"{n}'") for n in names}


def conjunction(formulas: Iterable[Formula]) -> Formula:
    """All of them."""
    return ("and", *formulas)


def equal(a: Iterable[Any], b: Iterable[Any]) -> list[Formula]:
    """Component by component. Raises UnrecognisedError when the lengths differ."""
    a, b = list(a), list(b)
    if len(a) != len(b):
        raise UnrecognisedError(f"{len(a)} coordinates against {len(b)}")
    return [("eq", sp.sympify(x), sp.sympify(y)) for x, y in zip(a, b, strict=True)]
