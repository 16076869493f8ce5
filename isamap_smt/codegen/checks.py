"""The C tests before it computes: a check, with a code and a text, for every hypothesis of the program's proof.

The list is made from the proof's own hypotheses. A hypothesis without a rule here is an error, so no C is printed with
an untested assumption.

    1000 ...  sizes     2000 ...  addresses     3000 ...  values     4000 ...  what was packed ahead     5000 ...  threads
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import sympy as sp

from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import elements, substitute, symbols_of, words, written
from isamap_smt.ir.hypotheses import (
    Apart,
    Finite,
    Fits,
    Hypothesis,
    Range,
    Relation,
    Shape,
    Start,
    Stated,
    Unchanged,
    answerable,
)
from isamap_smt.ir.program import Alloc, Program, Role, Use
from isamap_smt.ir.reach import needed_sizes
from isamap_smt.ir.traversal import nodes_of, parts, walk
from isamap_smt.ir.used import Used
from isamap_smt.proof.program_assumptions import presupposed
from isamap_smt.proof.program_memory import entry_bound
from isamap_smt.proof.program_sites import refs

SIZES, ADDRESSES, VALUES, PACKED, THREADS = 1000, 2000, 3000, 4000, 5000
BEGIN, TRUST_FINITE, TRUST_RANGES, TRUST_PACKED = 1, 2, 4, 8  # bits of `how` a call is made
PACKED_START = 64  # bytes: where buffers that are filled ahead start


@dataclass(frozen=True)
class Given:
    """An argument of the C is not NULL, and a packed one is aligned as it needs; no proof has to ask for it."""

    argument: str


@dataclass(frozen=True)
class Present:
    """The pointer to the tensor is not NULL."""

    tensor: str


@dataclass(frozen=True)
class Aligned:
    """The tensor's address is a multiple of its elements' size."""

    tensor: str
    multiple: int


@dataclass(frozen=True)
class Dimension:
    """A dimension of the tensor is not negative."""

    tensor: str
    extent: Any


@dataclass(frozen=True)
class Overlap:
    """Two tensors, one of them written, share no memory."""

    written: str
    other: str


@dataclass(frozen=True)
class Filled:
    """The buffer of this number was filled by this program's packing for these sizes."""

    buffer: int


@dataclass(frozen=True)
class Threads:
    """At least one thread computes."""


Asked = (
    Given
    | Relation
    | Fits
    | Dimension
    | Present
    | Aligned
    | Start
    | Overlap
    | Finite
    | Range
    | Used
    | Filled
    | Unchanged
    | Threads
)


@dataclass(frozen=True)
class Check:
    """code: returned by the C if `asked` fails. name: the code's in the header. text: explains the failure."""

    code: int
    name: str
    text: str
    asked: Asked


def entry_checks(program: Program, assumed: Iterable[Hypothesis] | None = None) -> tuple[Check, ...]:
    """The checks of a program in the order of their codes; `assumed`: its proof's hypotheses.

    Raises NotProvedError for a hypothesis without a check.
    """
    found = _tested(program, presupposed(program) if assumed is None else assumed)
    shapes = needed_sizes(program.kernel)
    asked = [*_interface(program), *(a for h in found for a in _asked(program, h))]
    checks: list[Check] = []
    used: set[str] = set()
    for group in (SIZES, ADDRESSES, VALUES, PACKED, THREADS):
        mine = {x: _told(program, x, shapes) for x in asked if _place(x)[0] == group}
        for n, (a, (name, text)) in enumerate(sorted(mine.items(), key=lambda x: (_place(x[0]), x[1]))):
            again = next(k for k in count(1) if f"{name}_{k}" not in used) if name in used else 0
            used.add(f"{name}_{again}" if again else name)
            checks.append(Check(group + n, f"{name}_{again}" if again else name, text, a))
    return tuple(checks)


def _tested(program: Program, assumed: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Hypotheses on a call's arguments, at the sizes still open. Raises NotProvedError if no check can test one."""
    bound, fixed, found = entry_bound(program), _fixed(program), []
    for stated in assumed:
        if isinstance(stated, Stated):
            continue
        h: Hypothesis | None = stated if answerable(stated, program.kernel, bound) else None
        if isinstance(h, Relation):
            names = h.condition.names - set(program.kernel.free_sizes)
            if names and h.condition.names <= set(fixed) and h.condition.holds(fixed):
                continue  # of sizes that the program was made for
            h = _at_these(h, fixed) if names <= set(fixed) else None
        if h is None:
            raise NotProvedError(
                f"the proof of {program.name} assumes that {stated}, and no check of the C tests that: no C is printed that "
                "takes it for granted"
            )
        found.append(h)
    return tuple(dict.fromkeys(found))


def constants_only(program: Program) -> tuple[str, ...]:
    """Tensors packed ahead and read by no call again: their pointers may then be NULL."""
    read = {r.name for n, _ in walk(program.body) for r in refs(n)}
    return tuple(n for n in packed_ahead(program) if n not in read)


def packed_ahead(program: Program) -> tuple[str, ...]:
    """Tensors read by the packing ahead, in the kernel's order."""
    ahead = {r.name for n, _ in walk(program.ahead) for r in refs(n)}
    return tuple(n for n in program.kernel.inputs if n in ahead)


def packing_sizes(program: Program) -> tuple[str, ...]:
    """Free sizes, in their order, in the packing ahead or the shapes of its tensors; then the machine's parameters."""
    shapes = [e for n in packed_ahead(program) for e in program.kernel.tensor(n).shape]
    used = symbols_of([*parts(program.ahead, Role.EXPRESSION), *shapes])
    return (*(n for n in program.kernel.free_sizes if n in used), *program.parameters)


def _fixed(program: Program) -> dict[str, int]:
    """Sizes with a value in this program, by their names; a parameter the program never mentions has its lowest."""
    values = {p.name: p.low for p in program.kernel.parameters if p.name not in program.kernel.free_sizes}
    for s in program.schedules:
        extents = {a.name: a.extent for a in s.proved.mapping.kernel.axes}
        for key, value in s.sizes:
            extent = extents.get(key)
            values[str(extent) if extent is not None and extent.is_Symbol else key] = int(value)
    return values


def _at_these(h: Relation, values: dict[str, int]) -> Relation | None:
    """The same relation in the sizes still open; None if none is open."""
    c, table = h.condition, {n: sp.Integer(v) for n, v in values.items()}
    if not c.names & set(table):
        return h
    left, right = (sp.expand(substitute(e, table)) for e in (c.left, c.right))
    there = Condition(left, c.op, right)
    return Relation(there) if there.testable and there.names else None


def _interface(program: Program) -> Iterator[Asked]:
    if program.kernel.free_sizes:
        yield Given("sizes")
    yield Given("tensors")
    yield Threads()


def _asked(program: Program, h: Hypothesis) -> Iterator[Asked]:
    match h:
        case Shape(tensor=t):
            low = {p.name: p.low for p in program.kernel.parameters}
            yield from (Dimension(t.name, e) for e in map(sp.sympify, t.shape) if not _never_negative(e, low))
            yield from (Present(t.name), Aligned(t.name, t.dtype.bytes))
        case Apart(tensor=written):
            others = [t.name for t in program.kernel.tensors]
            for other in others:
                first = other in program.kernel.outputs and others.index(other) < others.index(written)
                if other != written and not first:
                    yield Overlap(written, other)
        case Unchanged():
            yield Given("packed")
            for n in range(sum(isinstance(x, Alloc) for x in program.ahead)):
                yield from (Given(f"packed[{n}]"), Filled(n))
            yield h
        case Relation() | Fits() | Start() | Finite() | Range() | Used():
            yield h


def _never_negative(e: Any, low: dict[str, int]) -> bool:
    """Whether it follows from the least values of its sizes: a sum of products with no minus sign."""
    terms = [t.as_coeff_Mul() for t in sp.Add.make_args(sp.expand(e))]
    plain = all(not rest.atoms(sp.Function) for _, rest in terms) and all(low.get(n, 1) >= 0 for n in symbols_of([e]))
    return plain and all(number >= 0 for number, _ in terms)


def _place(a: Asked) -> tuple[int, int]:
    """(group, rank in it) of a check; each check may rely on those before it."""
    match a:
        case Given(argument=of):
            return {"sizes": SIZES, "tensors": ADDRESSES}.get(of, PACKED), 0 if "[" not in of else 1
        case Present():
            return ADDRESSES, 1
        case Relation(condition=c):
            return SIZES, 1 if c.left.is_Symbol and c.right.is_Integer else 3
        case Fits():
            return SIZES, 2
        case Dimension():
            return SIZES, 4
        case Aligned():
            return ADDRESSES, 2
        case Start():
            return ADDRESSES, 3
        case Overlap():
            return ADDRESSES, 4
        case Finite() | Range() | Used():
            return VALUES, 0
        case Filled():
            return PACKED, 2
        case Unchanged():
            return PACKED, 3
        case Threads():
            return THREADS, 0


def _copied(program: Program, tensor: str, where: str) -> str:
    """The remedy for a misplaced array: copy an input; write an output elsewhere and copy it back."""
    if tensor in program.kernel.inputs:
        return f"pass a copy {where}"
    return f"write into an array {where}, and copy that back"


def _told(program: Program, a: Asked, shapes: Mapping[Condition, str]) -> tuple[str, str]:
    """(name, text) of a check's failure. shapes: relations required by declared shapes -> the reason, in words."""
    match a:
        case Given(argument=of) if "[" in of:
            text = f"the argument {of} is NULL, or starts at no multiple of {PACKED_START} bytes"
            return f"NO_{of[:-1].replace('[', '_').upper()}", text
        case Given(argument=of):
            return f"NO_{of.upper()}", f"the argument {of} is NULL"
        case Present(tensor=t):
            return f"NULL_{t}", f"{t} is NULL"
        case Relation(condition=c):
            name = "SIZE_" + "_".join(sorted(c.names))
            if c in shapes:
                return name, f"{c.text} does not hold: {shapes[c]}"
            if c.left.is_Symbol and c.right.is_Integer:
                return name, f"{c.text} does not hold"
            asked = any(i.preconditions for n in nodes_of(Use, program.body) for i in n.instructions)
            why = (
                "which an instruction asks for; pad the arrays, or"
                if asked
                else "and the program is proved where it does;"
            )
            return name, f"{c.text} does not hold, {why} compile for these sizes"
        case Fits():
            return "TOO_LARGE", f"{a} does not hold: some index would not fit 64 bits"
        case Dimension(tensor=t, extent=e):
            return f"NEGATIVE_{t}", f"the dimension {e} of {t} would be negative"
        case Aligned(tensor=t, multiple=m):
            return (
                f"UNALIGNED_{t}",
                f"{t} starts at an address that is no multiple of {m} bytes, the size of its elements; "
                + _copied(program, t, "at one that is"),
            )
        case Start(tensor=t, multiple=m):
            return (
                f"START_{t}",
                f"{t} starts at no multiple of {m} bytes, which an instruction asks for; "
                + _copied(program, t, "that does"),
            )
        case Overlap(written=w, other=o):
            apart = f"pass a copy of {o}" if o in program.kernel.inputs else "give each an array of its own"
            return f"OVERLAP_{w}_{o}", f"{w} and {o} overlap in memory, and {w} is written; {apart}"
        case Finite(tensor=t):
            return f"FINITE_{t}", f"an element of {t} is infinite or NaN, and the proof assumes that {t} is finite"
        case Range(tensor=t):
            return f"RANGE_{t}", f"an element of {t} is out of range, and the proof assumes that {a}"
        case Used(index=i, tensor=t, dimension=d, extent=e):
            where = f"is outside of dimension {d} of {t}, which has {words(e)} elements, where it is used as its index"
            beyond = f"makes an index of {t}, and is not within 2**40"
            return f"INDEX_{elements([i])[0].tensor}", f"{words(written(i))} {beyond if a.low else where}"
        case Filled(buffer=n):
            return f"PACKED_{n}", f"packed[{n}] was not filled by this kernel's packing for these sizes"
        case Unchanged(tensor=t):
            return f"CHANGED_{t}", f"{t} does not hold what was packed; pack it again"
        case Threads():
            return "THREADS", "threads is below 1"


__all__ = [
    "ADDRESSES",
    "BEGIN",
    "PACKED",
    "PACKED_START",
    "SIZES",
    "THREADS",
    "TRUST_FINITE",
    "TRUST_PACKED",
    "TRUST_RANGES",
    "VALUES",
    "Aligned",
    "Asked",
    "Check",
    "Dimension",
    "Filled",
    "Given",
    "Overlap",
    "Present",
    "Threads",
    "constants_only",
    "entry_checks",
    "packed_ahead",
    "packing_sizes",
]
