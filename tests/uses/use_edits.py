"""Edits of a program of uses: each gives another program, most of them wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import outer_product as outer
import sympy as sp

from isamap_smt.ir.expr import FloorMod
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.program import Alloc, Buffer, Command, If, Issued, Loop, Node, Program, Ref, Signal
from isamap_smt.ir.traversal import buffers, nodes_of, walk

Rewrite = Callable[[Issued], tuple[Node, ...] | None]


def rewritten(program: Program, f: Rewrite) -> Program:
    """Each use replaced by what f gives, where it is not None."""

    def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
        for n in body:
            if isinstance(n, Loop | If):
                yield replace(n, body=tuple(nodes(n.body)))
            else:
                made = f(n) if isinstance(n, Issued) else None
                yield from (n,) if made is None else made

    return replace(program, body=tuple(nodes(program.body)))


def uses(program: Program) -> list[Issued]:
    """In the order of the text."""
    return list(nodes_of(Issued, program.body))


def held(program: Program) -> tuple[Buffer, ...]:
    """The buffers, in the order in which they are declared."""
    return tuple(buffers(program).values())


def holding(program: Program, *changed: Buffer) -> Program:
    """The program with other buffers of these names."""
    new = {b.name: b for b in changed}
    body = (Alloc(new.get(n.buffer.name, n.buffer)) if isinstance(n, Alloc) else n for n in program.body)
    return replace(program, body=tuple(body))


def at(program: Program, number: int, change: Callable[[Issued], Issued]) -> Program:
    """One use changed, by its place in the text."""
    one = uses(program)[number]
    return rewritten(program, lambda u: (change(u),) if u is one else None)


def loops(program: Program, change: Callable[[Loop], Loop]) -> Program:
    """Every loop changed."""

    def changed(n: Node) -> Node:
        if not isinstance(n, Loop | If):
            return n
        made = replace(n, body=nodes(n.body))
        return change(made) if isinstance(made, Loop) else made

    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(map(changed, body))

    return replace(program, body=nodes(program.body))


def place(u: Issued, operand: str, **fields: Any) -> Issued:
    """A use with fields of one operand's place replaced."""
    return replace(u, operands=tuple((o, replace(p, **fields) if o == operand else p) for o, p in u.operands))


def without_await(u: Issued, number: int) -> Issued:
    """One await dropped."""
    return replace(u, awaits=u.awaits[:number] + u.awaits[number + 1 :])


def waiting(u: Issued, number: int, more: int) -> Issued:
    """One await of a larger or smaller amount."""
    return replace(u, awaits=tuple((c, a + more if k == number else a) for k, (c, a) in enumerate(u.awaits)))


def edited(program: Program, change: Callable[[Issued], Issued]) -> Program:
    """Every use changed."""
    return rewritten(program, lambda u: (change(u),))


def commanded(program: Program, change: Callable[[Command], Command]) -> Program:
    """Every use changed that moves or computes."""
    return edited(program, lambda u: change(u) if isinstance(u, Command) else u)


def described(program: Program) -> Program:
    """The program on a machine that has the instructions of its uses: in the place of its own of that name, or beside them where
    uses of one name differ."""
    machine = program.machine
    assert machine is not None
    used: dict[str, dict[Instruction, None]] = {}
    for u in uses(program):
        if u.instruction.kind != "signal":
            used.setdefault(u.instruction.name, {})[u.instruction] = None
    own = [i for i in machine.instructions if i.name not in used]
    names = {i: replace(i, name=f"{i.name}{n or ''}") for found in used.values() for n, i in enumerate(found)}
    changed = edited(program, lambda u: replace(u, instruction=names.get(u.instruction, u.instruction)))
    return replace(changed, machine=replace(machine, instructions=(*own, *names.values())))


def unawaited(program: Program, counter: str) -> Program:
    """Nobody waits for the counter."""
    return edited(program, lambda u: replace(u, awaits=tuple(a for a in u.awaits if a[0] != counter)))


def unsignalled(program: Program, counter: str) -> Program:
    """Nobody signals the counter."""
    return edited(program, lambda u: replace(u, signals=tuple(s for s in u.signals if s != counter)))


def with_slot(program: Program, instruction: str, operand: str, slot: Callable[[Any], Any]) -> Program:
    """One operand of one instruction takes another slot."""

    def change(u: Issued) -> Issued:
        held = dict(u.operands).get(operand)
        mine = u.instruction.name == instruction and held is not None
        return place(u, operand, index=(slot(held.index[0]),)) if mine else u

    return edited(program, change)


def random_edit(program: Program, rng: random.Random) -> tuple[str, Program]:
    """One edit, in words and carried out: of a counter, a slot, a version, an offset, a parameter, a count, an order, an
    engine or a type."""
    found = uses(program)
    number = rng.randrange(len(found))
    u = found[number]
    kinds = ["signal", "signal", "engine", "swap", "count", "buffer", "moved", "displaced", "loops", "type"]
    kinds += ["condition"] * (3 if next(nodes_of(If, program.body), None) else 1)
    kinds += ["await", "amount", "amount"] * bool(u.awaits)
    kinds += ["slot", "slot", "version", "index", "begins"] * bool(_buffer_places(program, u))
    kinds += ["parameter"] * bool(u.counted) + ["point"] * bool(isinstance(u, Command) and u.point)
    kinds += ["update", "update", "update"] * bool(_updates(program)) + ["begin", "begin"] * bool(_others(program))
    kinds += ["barrier", "barrier", "across", "across"] * bool(_barrier(program)) + ["operand"] * bool(
        _elements(program)
    )
    kinds += ["instead"] * bool(_alike(program, u)) + ["number"] * bool(u.instruction.immediates)
    kind = rng.choice(kinds)
    words = f"{kind} of use {number} ({u.instruction.name})"
    return words, _EDITS[kind](program, number, u, rng)


def _counters(program: Program) -> list[str]:
    return sorted({c for u in uses(program) for c in (*u.signals, *(c for c, _ in u.awaits))}) or ["other"]


def _around(program: Program, u: Issued) -> list[Any]:
    """Variables and numbers of the loops around a use."""
    inside = next((inside for x, inside in walk(program.body) if x is u), ())
    return [e for x in inside for e in (x.var, x.number)]


def _other(program: Program, number: int, u: Issued, rng: random.Random) -> int:
    """Another use of the same engine, or of any where there is none."""
    found = uses(program)
    same = [n for n, x in enumerate(found) if n != number and x.instruction.engine == u.instruction.engine]
    return rng.choice(same or list(range(len(found))))


def _signal(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
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


def _await(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
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


def _amount(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """More or less, or counted by another loop."""
    k, more, names = rng.randrange(len(u.awaits)), rng.choice([-2, -1, 1, 2]), _around(p, u)
    here = [e for e in names if e in sp.sympify(u.awaits[k][1]).free_symbols]
    if here and rng.random() < 0.4:
        old, new = rng.choice(here), rng.choice(names)
        return at(p, number, lambda u: waiting(u, k, new - old))
    return at(p, number, lambda u: waiting(u, k, more))


def _buffer_places(p: Program, u: Issued) -> list[tuple[str, Ref]]:
    return [(o, ref) for o, ref in u.operands if ref.name in buffers(p)]


def _slot(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    o, where = rng.choice(_buffer_places(p, u))
    slots, slot = buffers(p)[where.name].slots, where.index[0]
    inner = [x for x in _around(p, u) if rng.random() < 0.5]
    new = rng.choice([FloorMod(slot + 1, slots) if slots > 1 else 0, FloorMod(sum(inner), slots), 0, slot + 1])
    return at(p, number, lambda u: place(u, o, index=(new,)))


def _version(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    o, where = rng.choice(_buffer_places(p, u))
    if not where.version:
        return _slot(p, number, u, rng)
    k = rng.randrange(len(where.version))
    new = rng.choice([where.version[k] + 1, where.version[k] - 1, 0])
    return at(
        p, number, lambda u: place(u, o, version=tuple(new if n == k else v for n, v in enumerate(where.version)))
    )


def _index(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    found = [(o, x) for o, x in u.operands if x.name not in buffers(p) and x.index]
    if not found:
        return _slot(p, number, u, rng)
    o, where = rng.choice(found)
    index = list(where.index)
    k = rng.randrange(len(index))
    index[k] = index[k] + rng.choice([-1, 1, 8])
    return at(p, number, lambda u: place(u, o, index=tuple(index if rng.random() < 0.8 else index[::-1])))


def _parameter(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    k, more = rng.randrange(len(u.counted)), rng.choice([-1, 1])
    changed = tuple(e + more if m == k else e for m, e in enumerate(u.counted))
    cut = len(u.front)
    return at(p, number, lambda u: replace(u, front=changed[:cut], active=changed[cut:]))


def _point(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    k = rng.randrange(len(u.point))
    return at(
        p, number, lambda u: replace(u, point=tuple((n, e + 1 if m == k else e) for m, (n, e) in enumerate(u.point)))
    )


def _engine(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    engine = rng.choice([e.name for e in p.machine.engines] if p.machine else [""])
    other = signal(engine) if isinstance(u, Signal) else replace(u.instruction, engine=engine)
    return at(p, number, lambda u: replace(u, instruction=other))


def _begins(p: Program, number: int, u: Command, rng: random.Random) -> Program:
    return at(p, number, lambda u: replace(u, begins=not u.begins))


def _every_loop(body: tuple[Node, ...]) -> list[Loop]:
    return list(nodes_of(Loop, body))


def _count(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    more, every = rng.choice([-1, 1]), _every_loop(p.body)
    if not every:
        return p
    one = rng.choice(every).var
    return loops(p, lambda x: replace(x, count=x.count + more) if x.var == one else x)


def _loops(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A loop and the one around it change places."""
    pairs = [(x, y) for x in _every_loop(p.body) for y in x.body if isinstance(y, Loop)]
    if not pairs:
        return p
    outer_loop, inner = rng.choice(pairs)
    other = {outer_loop.var: inner, inner.var: outer_loop}

    def change(x: Loop) -> Loop:
        y = other.get(x.var)
        return x if y is None else replace(x, var=y.var, count=y.count)

    return loops(p, change)


def _buffer(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    b = rng.choice(held(p))
    row = b.offset if isinstance(b.offset, int) else 0  # a symbol, where another edit has put one
    moved = replace(b, offset=max(0, row + rng.choice([-8, -1, 1, 8])))
    new = rng.choice([moved, replace(b, slots=b.slots + rng.choice([-1, 1]))])
    return holding(p, new)


def _type(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A buffer says that it holds other elements, or more of them."""
    b = rng.choice(held(p))
    said = b.type
    c = rng.randrange(len(said.coordinates))
    shifted = tuple(e + 1 if n == c else e for n, e in enumerate(said.coordinates))
    new = replace(said, coordinates=shifted)
    if said.guard and rng.random() < 0.7:
        new = replace(said, guard=tuple(g for g in said.guard if g is not rng.choice(said.guard)))
    return holding(p, replace(b, type=new))


def _swap(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A use and its neighbour, if that is one."""

    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        made = [replace(n, body=nodes(n.body)) if isinstance(n, Loop | If) else n for n in body]
        for k in range(len(made) - 1):
            if made[k] is u:
                made[k], made[k + 1] = made[k + 1], made[k]
                break
        return tuple(made)

    return replace(p, body=nodes(p.body))


def _moved(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A use dropped, or doubled."""
    again = (u, replace(u)) if rng.random() < 0.5 else ()
    return rewritten(p, lambda x: again if x is u else None)


def _condition(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A condition dropped, or about another iteration or another loop; or a use under a condition of its own."""
    found = list(nodes_of(If, p.body))
    around = next(x for n, x in walk(p.body) if n is u)
    variables = [x.var for x in around if isinstance(x, Loop)] or [x.var for x in nodes_of(Loop, p.body)]
    relation = rng.choice([sp.Eq, sp.Eq, sp.Gt, sp.Lt, sp.Ne])(
        rng.choice(variables or [sp.S.Zero]), rng.choice([0, 0, 1, 2])
    )
    if relation in (sp.true, sp.false):
        return p
    if not found or rng.random() < 0.3:
        return rewritten(p, lambda x: (If((relation,), (u,)),) if x is u else None)
    one = rng.choice(found)
    others = [x.var for n, x in walk(p.body) if n is one for x in x if isinstance(x, Loop)]
    other = sp.Eq(rng.choice(others), rng.choice([0, 0, 1])) if others else relation
    new = rng.choice([(), (other,), (*one.condition, other), (relation,)])

    def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
        for n in body:
            made = replace(n, body=tuple(nodes(n.body))) if isinstance(n, Loop | If) else n
            if n is not one:
                yield made
            elif isinstance(made, If):
                yield from (replace(made, condition=new),) if new else made.body

    return replace(p, body=tuple(nodes(p.body)))


def _displaced(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A use beside another one, in the loops around that."""
    other = rng.choice(uses(p))
    made = (u, other) if rng.random() < 0.5 else (other, u)
    return p if other is u else rewritten(p, lambda x: () if x is u else made if x is other else None)


def _updates(p: Program) -> list[Issued]:
    """Uses that change cells in place."""
    return [u for u in uses(p) if changes(u)]


def changes(u: Issued) -> bool:
    """Whether a use computes new values of cells from their own."""
    found = u.instruction.kernel.statements
    return any(s.op == "=" and s.target.tensor in {a.tensor for a in s.inputs} for s in found)


def _update(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """An update dropped, doubled, exchanged with another, or in the place of another one, or with another number."""
    every = _updates(p)
    one, two = rng.choice(every), rng.choice(every)
    numbers = list(one.instruction.immediates)
    what = rng.choice(["drop", "double", "exchange", "replace", *(["number"] * 2 * bool(numbers))])
    if what == "number":
        name = rng.choice(numbers)
        new = place(one, name, index=(dict(one.operands)[name].index[0] + rng.choice([-1, 1]),))
        return rewritten(p, lambda x: (new,) if x is one else None)
    if what == "exchange":
        made = {id(one): two, id(two): one}
        return rewritten(p, lambda x: (_as(x, made[id(x)]),) if id(x) in made else None)
    if what == "replace":
        return rewritten(p, lambda x: (_as(one, two),) if x is one else None)
    again = (one, replace(one)) if what == "double" else ()
    return rewritten(p, lambda x: again if x is one else None)


def _as(here: Issued, other: Issued) -> Issued:
    """A use that does what another one does, to the cells of its own."""
    own = dict(here.operands)
    places = tuple((o, own.get(o, r) if o == "acc" else r) for o, r in other.operands)
    return replace(here, instruction=other.instruction, operands=places, active=other.active)


def _begun(p: Program) -> Issued | None:
    """What begins the sums."""
    return next((u for u in uses(p) if isinstance(u, Command) and u.begins and "acc" in dict(u.operands)), None)


def _others(p: Program) -> list[Any]:
    """Other instructions that begin sums."""
    own, machine = _begun(p), p.machine
    named = ("clear", "begin_tile", "begin_row")
    every = machine.instructions if machine is not None and own is not None else ()
    return [i for i in every if i.name in named and own is not None and i != own.instruction]


def _begin(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """Sums begin with another instruction, or elsewhere in their tensor."""
    own, other = _begun(p), rng.choice(_others(p))
    assert own is not None
    stored = next((x for x in uses(p) if x.instruction.name.startswith("store") and x.counted), own)
    tensors = [t for t in p.kernel.tensors if t.name in p.kernel.inputs and t.dtype.name == "i32"]
    places = {"acc": dict(own.operands)["acc"]}
    if "m" in [o.name for o in other.operands]:
        rank = len(other.kernel.tensor("m").shape)
        fitting = [t for t in tensors if len(t.shape) == rank]
        if not fitting:
            return p
        places["m"] = Ref(rng.choice(fitting).name, tuple(dict(stored.operands)["m"].index[-rank:]))
    made = replace(own, instruction=other, operands=tuple(places.items()), active=stored.active if other.active else ())
    return rewritten(p, lambda x: (made,) if x is own else None)


def _barrier(p: Program) -> list[Issued]:
    """Signals outside of all loops."""
    return (
        [n for n in p.body if isinstance(n, Issued) and n.instruction.kind == "signal"]
        if len(p.kernel.statements) > 2 or (p.machine is not None and any(e.host for e in p.machine.engines))
        else []
    )


def _at_barrier(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """A barrier's use dropped, or it waits for one engine less, for more, or signals something."""
    one = rng.choice(_barrier(p))
    counter = rng.choice(_counters(p))
    made = {
        "drop": (), "less": (replace(one, awaits=one.awaits[1:]),), "last": (replace(one, awaits=one.awaits[:-1]),),
        "more": (replace(one, awaits=(*one.awaits, (counter, 1))),), "signal": (replace(one, signals=(*one.signals, counter)),),
    }[rng.choice(["drop", "less", "last", "more", "signal"])]  # fmt: skip
    return rewritten(p, lambda x: made if x is one else None)


def _across(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """What stands beside a barrier changes places with some of its uses; or a use is taken to its other side."""
    nodes = list(p.body)
    at_ = [n for n, x in enumerate(nodes) if any(x is b for b in _barrier(p))]
    if rng.random() < 0.5:
        moved = nodes.pop(rng.choice([min(at_) - 1, min(max(at_) + 1, len(nodes) - 1)]))
        if isinstance(moved, Alloc):
            return p
        nodes.insert(rng.choice(at_), moved)
        return replace(p, body=tuple(nodes))
    one = rng.choice(uses(p))
    other = rng.choice([x for x in uses(p) if x is not one])
    return rewritten(p, lambda x: () if x is one else (other, one) if x is other else None)


def _elements(p: Program) -> list[tuple[Issued, str]]:
    """Operands in main memory that are read beside sums."""
    held = buffers(p)
    found = ((u, o, r) for u in uses(p) if "acc" in dict(u.operands) for o, r in u.operands)
    return [(u, o) for u, o, r in found if r.name not in held and r.index and o not in u.instruction.immediates]


def _operand(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """Another element of a bias or residual, or of another tensor."""
    one, name = rng.choice(_elements(p))
    ref = dict(one.operands)[name]
    like = [t.name for t in p.kernel.tensors if len(t.shape) == len(ref.index)]
    k = rng.randrange(len(ref.index))
    index = tuple(e + rng.choice([-1, 1, 4]) if n == k else e for n, e in enumerate(ref.index))
    new = rng.choice(
        [replace(ref, index=index), replace(ref, index=ref.index[::-1]), replace(ref, name=rng.choice(like))]
    )
    made = replace(one, operands=tuple((o, new if o == name else r) for o, r in one.operands))
    return rewritten(p, lambda x: (made,) if x is one else None)


def _alike(p: Program, u: Issued) -> list[Any]:
    """Other instructions of the machine that take the same operands from the same cells, on the same engine."""
    own, every = u.instruction, p.machine.instructions if p.machine is not None else ()

    def form(i: Any) -> tuple[Any, ...]:
        return i.engine, i.operands, i.axes, i.active, i.front, i.kernel.statements[0].target

    return [i for i in every if own.kernel.statements and i != own and form(i) == form(own)]


def _instead(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """Another instruction in its place, such as one that begins at another number."""
    return rewritten(p, lambda x: (replace(x, instruction=rng.choice(_alike(p, u))),) if x is u else None)


def _number(p: Program, number: int, u: Issued, rng: random.Random) -> Program:
    """Another number in the code."""
    name = rng.choice(list(u.instruction.immediates))
    ref = dict(u.operands)[name]
    new = replace(ref, index=(ref.index[0] + rng.choice([-1, 1, 4]),))
    made = replace(u, operands=tuple((o, new if o == name else r) for o, r in u.operands))
    return rewritten(p, lambda x: (made,) if x is u else None)


GHOST = frozenset(
    {"version", "point", "begins", "type"}
)  # edits of what a program says of itself; no executor looks at it
_EDITS: dict[str, Any] = {
    "signal": _signal, "await": _await, "amount": _amount, "slot": _slot, "version": _version, "index": _index,
    "parameter": _parameter, "point": _point, "engine": _engine, "count": _count, "buffer": _buffer, "swap": _swap,
    "moved": _moved, "displaced": _displaced, "loops": _loops, "type": _type, "begins": _begins,
    "update": _update, "begin": _begin, "barrier": _at_barrier, "across": _across, "operand": _operand,
    "instead": _instead, "number": _number, "condition": _condition,
}  # fmt: skip


def edits(program: Program, rng: random.Random, count: int) -> tuple[str, Program]:
    """A program with so many random edits; what they are, and the program."""
    told = []
    for _ in range(count):
        if not uses(program):
            break
        words, program = random_edit(program, rng)
        told.append(words)
    return ", ".join(told), program


def random_program(seed: int) -> tuple[str, Program]:
    """The product on the outer-product unit in some number of slots, with up to three edits; what they are, and the program."""
    rng = random.Random(seed)
    program = outer.gemm(outer.Choice(rng.choice([1, 2, 3]), rng.choice([1, 2, 3])))
    return edits(program, rng, rng.choice([0, 1, 1, 1, 2, 3]))
