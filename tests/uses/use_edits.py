"""Edits of a program of uses: each gives another program, most of them wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import outer_product as outer
import sympy as sp

from isamap_smt.ir.expr import FloorMod
from isamap_smt.ir.uses import BufferPlace, CountedLoop, TensorPlace, Use, UseNode, UseProgram, walk_uses

Rewrite = Callable[[Use], tuple[UseNode, ...] | None]


def rewritten(program: UseProgram, f: Rewrite) -> UseProgram:
    """Each use replaced by what f gives, where it is not None."""

    def nodes(body: tuple[UseNode, ...]) -> Iterator[UseNode]:
        for n in body:
            if isinstance(n, CountedLoop):
                yield replace(n, body=tuple(nodes(n.body)))
            else:
                made = f(n)
                yield from (n,) if made is None else made

    return replace(program, body=tuple(nodes(program.body)))


def uses(program: UseProgram) -> list[Use]:
    """In the order of the text."""
    return [u for u, _ in walk_uses(program.body)]


def at(program: UseProgram, number: int, change: Callable[[Use], Use]) -> UseProgram:
    """One use changed, by its place in the text."""
    one = uses(program)[number]
    return rewritten(program, lambda u: (change(u),) if u is one else None)


def loops(program: UseProgram, change: Callable[[CountedLoop], CountedLoop]) -> UseProgram:
    """Every loop changed."""

    def nodes(body: tuple[UseNode, ...]) -> tuple[UseNode, ...]:
        return tuple(change(replace(n, body=nodes(n.body))) if isinstance(n, CountedLoop) else n for n in body)

    return replace(program, body=nodes(program.body))


def place(u: Use, operand: str, **fields: Any) -> Use:
    """A use with fields of one operand's place replaced."""
    return replace(u, places=tuple((o, replace(p, **fields) if o == operand else p) for o, p in u.places))


def without_await(u: Use, number: int) -> Use:
    """One await dropped."""
    return replace(u, awaits=u.awaits[:number] + u.awaits[number + 1 :])


def waiting(u: Use, number: int, more: int) -> Use:
    """One await of a larger or smaller amount."""
    return replace(u, awaits=tuple((c, a + more if k == number else a) for k, (c, a) in enumerate(u.awaits)))


def edited(program: UseProgram, change: Callable[[Use], Use]) -> UseProgram:
    """Every use changed."""
    return rewritten(program, lambda u: (change(u),))


def unawaited(program: UseProgram, counter: str) -> UseProgram:
    """Nobody waits for the counter."""
    return edited(program, lambda u: replace(u, awaits=tuple(a for a in u.awaits if a[0] != counter)))


def unsignalled(program: UseProgram, counter: str) -> UseProgram:
    """Nobody signals the counter."""
    return edited(program, lambda u: replace(u, signals=tuple(s for s in u.signals if s != counter)))


def with_slot(program: UseProgram, instruction: str, operand: str, slot: Callable[[Any], Any]) -> UseProgram:
    """One operand of one instruction takes another slot."""

    def change(u: Use) -> Use:
        held = dict(u.places).get(operand)
        mine = u.instruction.name == instruction and isinstance(held, BufferPlace)
        return place(u, operand, slot=slot(held.slot)) if mine else u

    return edited(program, change)


def random_edit(program: UseProgram, rng: random.Random) -> tuple[str, UseProgram]:
    """One edit, in words and carried out: of a counter, a slot, a version, an offset, a parameter, a count, an order, an
    engine or a type."""
    found = uses(program)
    number = rng.randrange(len(found))
    u = found[number]
    kinds = ["signal", "signal", "engine", "swap", "count", "buffer", "moved", "displaced", "loops", "type"]
    kinds += ["await", "amount", "amount"] * bool(u.awaits) + ["slot", "slot", "version", "index", "begins"] * bool(
        u.places
    )
    kinds += ["parameter"] * bool(u.parameters) + ["point"] * bool(u.point)
    kind = rng.choice(kinds)
    words = f"{kind} of use {number} ({u.instruction.name})"
    return words, _EDITS[kind](program, number, u, rng)


def _counters(program: UseProgram) -> list[str]:
    return sorted({c for u in uses(program) for c in (*u.signals, *(c for c, _ in u.awaits))}) or ["other"]


def _around(program: UseProgram, u: Use) -> list[Any]:
    """Variables and numbers of the loops around a use."""
    inside = next((inside for x, inside in walk_uses(program.body) if x is u), ())
    return [e for x in inside for e in (x.var, x.number)]


def _other(program: UseProgram, number: int, u: Use, rng: random.Random) -> int:
    """Another use of the same engine, or of any where there is none."""
    found = uses(program)
    same = [n for n, x in enumerate(found) if n != number and x.instruction.engine == u.instruction.engine]
    return rng.choice(same or list(range(len(found))))


def _signal(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """Dropped, doubled, moved to another use, or one more."""
    what = rng.choice(["drop", "drop", "double", "move"] if u.signals else ["add"])
    if what == "move":
        other, moved = _other(p, number, u, rng), rng.choice(u.signals)
        p = at(p, other, lambda x: replace(x, signals=(*x.signals, moved)))
        return at(p, number, lambda x: replace(x, signals=tuple(s for s in u.signals if s != moved)))
    signals = {
        "drop": u.signals[1:], "double": (*u.signals, *u.signals[:1]), "add": (*u.signals, rng.choice(_counters(p)))
    }[what]  # fmt: skip
    return at(p, number, lambda u: replace(u, signals=signals))


def _await(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """Dropped, of another counter, or moved to another use."""
    k = rng.randrange(len(u.awaits))
    what = rng.choice(["drop", "drop", "rename", "move"])
    if what == "drop":
        return at(p, number, lambda u: without_await(u, k))
    if what == "move":
        p = at(p, _other(p, number, u, rng), lambda x: replace(x, awaits=(*x.awaits, u.awaits[k])))
        return at(p, number, lambda x: replace(x, awaits=u.awaits[:k] + u.awaits[k + 1 :]))
    other = rng.choice(_counters(p))
    return at(
        p, number, lambda u: replace(u, awaits=tuple((other if n == k else c, a) for n, (c, a) in enumerate(u.awaits)))
    )


def _amount(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """More or less, or counted by another loop."""
    k, more, names = rng.randrange(len(u.awaits)), rng.choice([-2, -1, 1, 2]), _around(p, u)
    here = [e for e in names if e in sp.sympify(u.awaits[k][1]).free_symbols]
    if here and rng.random() < 0.4:
        old, new = rng.choice(here), rng.choice(names)
        return at(p, number, lambda u: waiting(u, k, new - old))
    return at(p, number, lambda u: waiting(u, k, more))


def _buffer_places(u: Use) -> list[tuple[str, BufferPlace]]:
    return [(o, p) for o, p in u.places if isinstance(p, BufferPlace)]


def _slot(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    o, where = rng.choice(_buffer_places(u))
    slots = p.buffer(where.buffer).slots
    inner = [x for x in _around(p, u) if rng.random() < 0.5]
    new = rng.choice(
        [FloorMod(where.slot + 1, slots) if slots > 1 else 0, FloorMod(sum(inner), slots), 0, where.slot + 1]
    )
    return at(p, number, lambda u: place(u, o, slot=new))


def _version(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    o, where = rng.choice(_buffer_places(u))
    if not where.version:
        return _slot(p, number, u, rng)
    k = rng.randrange(len(where.version))
    new = rng.choice([where.version[k] + 1, where.version[k] - 1, 0])
    return at(
        p, number, lambda u: place(u, o, version=tuple(new if n == k else v for n, v in enumerate(where.version)))
    )


def _index(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    found = [(o, x) for o, x in u.places if isinstance(x, TensorPlace)]
    if not found:
        return _slot(p, number, u, rng)
    o, where = rng.choice(found)
    index = list(where.index)
    k = rng.randrange(len(index))
    index[k] = index[k] + rng.choice([-1, 1, 8])
    return at(p, number, lambda u: place(u, o, index=tuple(index if rng.random() < 0.8 else index[::-1])))


def _parameter(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k, more = rng.randrange(len(u.parameters)), rng.choice([-1, 1])
    changed = tuple((n, e + more if m == k else e) for m, (n, e) in enumerate(u.parameters))
    return at(p, number, lambda u: replace(u, parameters=changed))


def _point(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k = rng.randrange(len(u.point))
    return at(
        p, number, lambda u: replace(u, point=tuple((n, e + 1 if m == k else e) for m, (n, e) in enumerate(u.point)))
    )


def _engine(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    engine = rng.choice([e.name for e in p.machine.engines])
    return at(p, number, lambda u: replace(u, instruction=replace(u.instruction, engine=engine)))


def _begins(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    return at(p, number, lambda u: replace(u, begins=not u.begins))


def _every_loop(body: tuple[UseNode, ...]) -> list[CountedLoop]:
    inside = [x for x in body if isinstance(x, CountedLoop)]
    return [*inside, *(y for x in inside for y in _every_loop(x.body))]


def _count(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    more, every = rng.choice([-1, 1]), _every_loop(p.body)
    if not every:
        return p
    one = rng.choice(every).number
    return loops(p, lambda x: replace(x, count=x.count + more) if x.number == one else x)


def _loops(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """A loop and the one around it change places."""
    pairs = [(x, y) for x in _every_loop(p.body) for y in x.body if isinstance(y, CountedLoop)]
    if not pairs:
        return p
    outer_loop, inner = rng.choice(pairs)
    other = {outer_loop.number: inner, inner.number: outer_loop}

    def change(x: CountedLoop) -> CountedLoop:
        y = other.get(x.number)
        return x if y is None else replace(x, var=y.var, count=y.count, number=y.number)

    return loops(p, change)


def _buffer(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k = rng.randrange(len(p.buffers))
    b = p.buffers[k]
    moved = replace(b, offset=max(0, b.offset + rng.choice([-8, -1, 1, 8])))
    new = rng.choice([moved, replace(b, slots=b.slots + rng.choice([-1, 1]))])
    return replace(p, buffers=(*p.buffers[:k], new, *p.buffers[k + 1 :]))


def _type(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """A buffer says that it holds other elements, or more of them."""
    k = rng.randrange(len(p.buffers))
    held = p.buffers[k].type
    c = rng.randrange(len(held.coordinates))
    shifted = tuple(e + 1 if n == c else e for n, e in enumerate(held.coordinates))
    new = replace(held, coordinates=shifted)
    if held.guard and rng.random() < 0.7:
        new = replace(held, guard=tuple(g for g in held.guard if g is not rng.choice(held.guard)))
    return replace(p, buffers=(*p.buffers[:k], replace(p.buffers[k], type=new), *p.buffers[k + 1 :]))


def _swap(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """A use and its neighbour, if that is one."""

    def nodes(body: tuple[UseNode, ...]) -> tuple[UseNode, ...]:
        made = [replace(n, body=nodes(n.body)) if isinstance(n, CountedLoop) else n for n in body]
        for k in range(len(made) - 1):
            if made[k] is u:
                made[k], made[k + 1] = made[k + 1], made[k]
                break
        return tuple(made)

    return replace(p, body=nodes(p.body))


def _moved(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """A use dropped, or doubled."""
    again = (u, replace(u)) if rng.random() < 0.5 else ()
    return rewritten(p, lambda x: again if x is u else None)


def _displaced(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    """A use beside another one, in the loops around that."""
    other = rng.choice(uses(p))
    made = (u, other) if rng.random() < 0.5 else (other, u)
    return p if other is u else rewritten(p, lambda x: () if x is u else made if x is other else None)


GHOST = frozenset(
    {"version", "point", "begins", "type"}
)  # edits of what a program says of itself; no executor looks at it
_EDITS: dict[str, Any] = {
    "signal": _signal, "await": _await, "amount": _amount, "slot": _slot, "version": _version, "index": _index,
    "parameter": _parameter, "point": _point, "engine": _engine, "count": _count, "buffer": _buffer, "swap": _swap,
    "moved": _moved, "displaced": _displaced, "loops": _loops, "type": _type, "begins": _begins,
}  # fmt: skip


def edits(program: UseProgram, rng: random.Random, count: int) -> tuple[str, UseProgram]:
    """A program with so many random edits; what they are, and the program."""
    told = []
    for _ in range(count):
        if not uses(program):
            break
        words, program = random_edit(program, rng)
        told.append(words)
    return ", ".join(told), program


def random_program(seed: int) -> tuple[str, UseProgram]:
    """The product on the outer-product unit in some number of slots, with up to three edits; what they are, and the program."""
    rng = random.Random(seed)
    program = outer.gemm(outer.Choice(rng.choice([1, 2, 3]), rng.choice([1, 2, 3])))
    return edits(program, rng, rng.choice([0, 1, 1, 1, 2, 3]))
