"""Edits of a program of uses: each gives another program, most of them wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import outer_product as outer

from isamap_smt.ir.expr import FloorMod, sym
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
    """One edit, in words and carried out: of a counter, a slot, a version, an offset, a parameter, a count, an order or an
    engine."""
    found = uses(program)
    number = rng.randrange(len(found))
    u = found[number]
    kinds = ["signal", "engine", "swap", "count", "buffer", "moved"]
    kinds += ["await", "amount", "amount"] * bool(u.awaits) + ["slot", "version", "index"] * bool(u.places)
    kinds += ["parameter"] * bool(u.parameters) + ["point"] * bool(u.point)
    kind = rng.choice(kinds)
    words = f"{kind} of use {number} ({u.instruction.name})"
    return words, _EDITS[kind](program, number, u, rng)


def _counters(program: UseProgram) -> list[str]:
    return sorted({c for u in uses(program) for c in (*u.signals, *(c for c, _ in u.awaits))})


def _signal(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    signals = () if u.signals and rng.random() < 0.6 else (*u.signals, rng.choice(_counters(p)))
    return at(p, number, lambda u: replace(u, signals=signals))


def _await(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k = rng.randrange(len(u.awaits))
    if rng.random() < 0.6:
        return at(p, number, lambda u: without_await(u, k))
    other = rng.choice(_counters(p))
    return at(
        p, number, lambda u: replace(u, awaits=tuple((other if n == k else c, a) for n, (c, a) in enumerate(u.awaits)))
    )


def _amount(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k, more = rng.randrange(len(u.awaits)), rng.choice([-2, -1, 1, 2])
    return at(p, number, lambda u: waiting(u, k, more))


def _buffer_places(u: Use) -> list[tuple[str, BufferPlace]]:
    return [(o, p) for o, p in u.places if isinstance(p, BufferPlace)]


def _slot(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    o, where = rng.choice(_buffer_places(u))
    slots = p.buffer(where.buffer).slots
    inner = [x for x in (sym("step"), sym("tile"), sym("k0"), sym("j0"), sym("i0")) if rng.random() < 0.5]
    new = rng.choice([FloorMod(where.slot + 1, slots) if slots > 1 else 0, FloorMod(sum(inner), slots), 0])
    return at(p, number, lambda u: place(u, o, slot=new))


def _version(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    o, where = rng.choice(_buffer_places(u))
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


def _count(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    names, more = ["i0", "j0", "k0"], rng.choice([-1, 1])
    name = rng.choice(names)
    return loops(p, lambda x: replace(x, count=x.count + more) if x.var.name == name else x)


def _buffer(p: UseProgram, number: int, u: Use, rng: random.Random) -> UseProgram:
    k = rng.randrange(len(p.buffers))
    b = p.buffers[k]
    moved = replace(b, offset=max(0, b.offset + rng.choice([-8, -1, 1, 8])))
    new = rng.choice([moved, replace(b, slots=b.slots + rng.choice([-1, 1]))])
    return replace(p, buffers=(*p.buffers[:k], new, *p.buffers[k + 1 :]))


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


_EDITS: dict[str, Any] = {
    "signal": _signal, "await": _await, "amount": _amount, "slot": _slot, "version": _version, "index": _index,
    "parameter": _parameter, "point": _point, "engine": _engine, "count": _count, "buffer": _buffer, "swap": _swap,
    "moved": _moved,
}  # fmt: skip


def random_program(seed: int) -> tuple[str, UseProgram]:
    """The product on the outer-product unit in some number of slots, with up to three edits; what they are, and the program."""
    rng = random.Random(seed)
    program = outer.gemm(outer.Choice(rng.choice([1, 2, 3]), rng.choice([1, 2, 3])))
    told = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        if not uses(program):
            break
        words, program = random_edit(program, rng)
        told.append(words)
    return ", ".join(told), program
