"""Random edits of programs: an offset, a limit, a guard, a mask, an order, a lost or doubled statement."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import Element, Inside, elements, insides, sym
from isamap_smt.ir.program import (
    Alloc,
    AnyLoop,
    Compute,
    Copy,
    Counted,
    If,
    IndexType,
    Loop,
    Move,
    Node,
    Parallel,
    Point,
    Program,
    Ref,
    Serial,
)
from tests.programs.loop_kinds import of_kind

Edit = Callable[[random.Random, Any], Any]
TYPES = ("f32", "i32", "bf16", "i16", "u8", "i8")


LENGTH = sym("VL")  # a machine's parameter, where a program has one


def edited(program: Program, rng: random.Random, edits: int) -> tuple[Program, list[str]]:
    """The program with that many random edits, and their names."""
    done: list[str] = []
    while len(done) < edits:
        if rng.random() < 0.02:
            program, name = _starts(program, rng)
            done.append(name)
            continue
        part = "ahead" if program.ahead and rng.random() < 0.2 else "body"
        nodes = getattr(program, part)
        changed, name = _edit_body(nodes, rng)
        if name:
            program = replace(program, **{part: changed})
            done.append(name)
    return program, done


def _starts(program: Program, rng: random.Random) -> tuple[Program, str]:
    """One tensor more, or one less, that is said to begin in accumulators, or to be assigned before it is read."""
    name, field = rng.choice([t.name for t in program.kernel.tensors]), rng.choice(("starts", "assigned"))
    now = getattr(program, field)
    left = tuple(t for t in now if t != name)
    return replace(program, **{field: left if name in now else (*now, name)}), field


def paths(nodes: tuple[Node, ...], at: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The position of every node."""
    found = []
    for n, node in enumerate(nodes):
        found.append((*at, n))
        if isinstance(node, Loop | If):
            found += paths(node.body, (*at, n))
    return found


def get(nodes: tuple[Node, ...], path: tuple[int, ...]) -> Node:
    """The node at a position."""
    node = nodes[path[0]]
    return node if len(path) == 1 else get(node.body, path[1:])  # type: ignore[union-attr]


def put(nodes: tuple[Node, ...], path: tuple[int, ...], new: tuple[Node, ...]) -> tuple[Node, ...]:
    """The node at a position replaced by some nodes."""
    n = path[0]
    if len(path) > 1:
        inner = nodes[n]
        new = (replace(inner, body=put(inner.body, path[1:], new)),)  # type: ignore[union-attr]
    return (*nodes[:n], *new, *nodes[n + 1 :])


def _edit_body(nodes: tuple[Node, ...], rng: random.Random) -> tuple[tuple[Node, ...], str]:
    if not nodes:
        return nodes, "nothing is left"
    path = rng.choice(paths(nodes))
    node = get(nodes, path)
    if rng.random() < 0.25:
        return _order(nodes, path, node, rng)
    table = {Loop: _loop, If: _if, Copy: _copy, Point: _compute, Move: _move, Compute: _exec, Alloc: _alloc}
    changed, name = next(edit for kind, edit in table.items() if isinstance(node, kind))(node, rng)
    if changed == node:
        return nodes, ""
    return put(nodes, path, (changed,)), f"{name} of {type(node).__name__} {path}"


def _order(nodes: Any, path: Any, node: Any, rng: random.Random) -> tuple[tuple[Node, ...], str]:
    siblings = nodes if len(path) == 1 else get(nodes, path[:-1]).body  # type: ignore[union-attr]
    kind = rng.choice(["drop", "double", "swap", "into", "out", "exchange"])
    name = f"{kind} {type(node).__name__} {path}"
    n = path[-1]
    if kind == "drop":
        return put(nodes, path, ()), name
    if kind == "double":
        return put(nodes, path, (node, node)), name
    if kind == "swap" and n + 1 < len(siblings):
        after = put(nodes, (*path[:-1], n + 1), (node,))
        return put(after, path, (siblings[n + 1],)), name
    if kind == "into" and n + 1 < len(siblings) and isinstance(siblings[n + 1], Loop):
        loop = siblings[n + 1]
        after = put(nodes, (*path[:-1], n + 1), (replace(loop, body=(node, *loop.body)),))
        return put(after, path, ()), name
    if kind == "out" and len(path) > 1:
        parent = get(nodes, path[:-1])
        rest = replace(parent, body=put(parent.body, path[-1:], ()))  # type: ignore[union-attr]
        return put(nodes, path[:-1], rng.choice([(node, rest), (rest, node)])), name
    if kind == "exchange" and isinstance(node, Loop) and len(node.body) == 1 and isinstance(node.body[0], Loop):
        inner = node.body[0]
        return put(nodes, path, (replace(inner, body=(replace(node, body=inner.body),)),)), name
    return nodes, ""


def _nudge(rng: random.Random, e: Any) -> Any:
    if LENGTH in sp.sympify(e).free_symbols and rng.random() < 0.5:
        return e.xreplace({LENGTH: rng.choice([sp.S.One, sp.Integer(2), LENGTH + 1])})
    return sp.sympify(e) + rng.choice([-1, 1, 1, 2])


def _index(rng: random.Random, index: tuple[Any, ...]) -> tuple[Any, ...]:
    if not index:
        return index
    n = rng.randrange(len(index))
    changed = list(index)
    if (found := elements(index)) and rng.random() < 0.5:
        if rng.random() < 0.3:
            return _of_other_extent(rng, index)
        e = rng.choice(found)
        other = Element(e.args[0], *_index(rng, e.index))
        return tuple(i.xreplace({e: other}) for i in index)
    if len(index) > 1 and rng.random() < 0.15:
        m = rng.randrange(len(index))
        changed[n], changed[m] = changed[m], changed[n]
    elif rng.random() < 0.2:
        changed[n] = sp.S.Zero
    else:
        changed[n] = _nudge(rng, changed[n])
    return tuple(changed)


def _of_other_extent(rng: random.Random, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """An index made of data that is another one, or is kept inside of something else, or by nothing."""
    if not (found := insides(index)):
        return index
    x = rng.choice(found)
    e, extent = x.args
    inside = [
        Inside(e, sp.S.One),
        Inside(e, extent + 1),
        Inside(e, extent - 1),
        Inside(e + 1, extent),
        Inside(-e, extent),
    ]
    other = rng.choice([*inside, e])
    return tuple(i.xreplace({x: other}) for i in index)


def _ref(rng: random.Random, ref: Ref) -> Ref:
    return replace(ref, index=_index(rng, ref.index))


def _guard(rng: random.Random, guard: tuple[Any, ...]) -> tuple[Any, ...]:
    if not guard:
        return guard
    n = rng.randrange(len(guard))
    if rng.random() < 0.5:
        return (*guard[:n], *guard[n + 1 :])
    g = guard[n]
    weaker = g.func(g.args[0] + rng.choice([-1, 1]), g.args[1]) if g.args else g
    return (*guard[:n], weaker, *guard[n + 1 :])


def _loop(x: AnyLoop, rng: random.Random) -> tuple[Node, str]:
    kind = rng.choice(["count", "parallel", "step", "constant", "backwards"])
    if isinstance(x, Serial) and x.end is not None and rng.random() < 0.5:
        return replace(x, end=_nudge(rng, x.end)), "end"
    if kind == "count":
        return replace(x, count=_nudge(rng, x.count)), kind
    if kind == "constant":
        return replace(x, count=sp.Integer(rng.choice([1, 2, 3]))), kind
    if kind == "parallel" and isinstance(x, Counted):
        return of_kind(Serial if isinstance(x, Parallel) else Parallel, x), kind
    if kind == "backwards" and isinstance(x, Counted):
        return replace(x, backwards=sym(rng.choice(["t0", "i0", "j0", "b0"])) if x.backwards is None else None), kind
    return replace(x, step=x.step + rng.choice([-1, 1])), "step"


def _if(x: If, rng: random.Random) -> tuple[Node, str]:
    guard = _guard(rng, x.condition)
    return replace(x, condition=guard, known=x.known if len(guard) == len(x.condition) else ()), "condition"


def _copy(x: Copy, rng: random.Random) -> tuple[Node, str]:
    kind = rng.choice(["src", "dst", "guard", "guard", "over", "fill"])
    if kind == "src":
        return x.placed(x.dst, _ref(rng, x.src)), kind
    if kind == "dst":
        return x.placed(_ref(rng, x.dst), x.src), kind
    if kind == "guard":
        return replace(x, where=_guard(rng, x.where)), kind
    if kind == "fill":
        return replace(x, fill=rng.choice(["0", "-0", ""])), kind
    n = rng.randrange(len(x.over)) if x.over else 0
    over = tuple((s, _nudge(rng, c) if m == n else c) for m, (s, c) in enumerate(x.over))
    return replace(x, over=over), kind


def _move(x: Move, rng: random.Random) -> tuple[Node, str]:
    from toys import TOY

    own = x.instruction.name
    moves = TOY.moves if any(m.name == own for m in TOY.moves) else im.find_hardware(own.partition(".")[0]).moves
    kind = rng.choice(["memory", "memory", "register", "active", "instruction", "unmask"])
    if kind == "memory" and x.memory:
        return x.put(memory=_ref(rng, x.memory)), kind
    if kind == "register":
        return x.put(register=_ref(rng, x.register)), kind
    if kind == "active" and x.active:
        return replace(x, active=tuple(_nudge(rng, n) for n in x.active)), kind
    if kind == "unmask" and x.active:
        plain = own.replace("masked_", "").replace("_least", "").replace("_most", "")
        whole = next(i for i in moves if i.name == plain)
        return replace(x, instruction=whole, active=()), kind
    if kind == "instruction":
        i = x.instruction
        others = [m for m in moves if m.active == i.active and m.name.split("_")[-1] == i.name.split("_")[-1]]
        return (replace(x, instruction=rng.choice(others)), kind) if others else (x, "")
    return x, kind


def _exec(x: Compute, rng: random.Random) -> tuple[Node, str]:
    n = rng.randrange(len(x.operands))
    if rng.random() < 0.5:
        operands = tuple((o, _ref(rng, r) if m == n else r) for m, (o, r) in enumerate(x.operands))
        return replace(x, operands=operands), "operand"
    n = rng.randrange(len(x.point))
    return replace(x, point=tuple((a, _nudge(rng, e) if m == n else e) for m, (a, e) in enumerate(x.point))), "point"


def _compute(x: Point, rng: random.Random) -> tuple[Node, str]:
    kind = rng.choice(["dst", "read", "read", "point", "statement", "reads"])
    if kind == "dst":
        return x.placed(_ref(rng, x.dst), *x.reads), kind
    if kind == "statement":
        return replace(x, statement=rng.randrange(3)), kind
    if kind == "point":
        n = rng.randrange(len(x.point))
        return replace(x, point=tuple((a, _nudge(rng, e) if m == n else e) for m, (a, e) in enumerate(x.point))), kind
    reads = list(x.reads)
    n, m = rng.randrange(len(reads)), rng.randrange(len(reads))
    if kind == "read":
        reads[n] = _ref(rng, reads[n])
    else:
        reads[n], reads[m] = reads[m], reads[n]
    return x.placed(x.dst, *reads), kind


def _alloc(x: Alloc, rng: random.Random) -> tuple[Node, str]:
    b, t = x.buffer, x.buffer.type
    kind = rng.choice(["shape", "coordinates", "guard", "outside", "element type"])
    if kind == "element type":
        return replace(x, buffer=replace(b, dtype=dtype(rng.choice(TYPES)))), kind
    if kind == "shape":
        n = rng.randrange(len(b.shape)) if b.shape else 0
        keep = len(b.shape) - b.lanes if b.memory == "registers" else len(b.shape)
        shape = tuple(_nudge(rng, e) if m == n and m < keep else e for m, e in enumerate(b.shape))
        return replace(x, buffer=replace(b, shape=shape)), kind
    new = {
        "coordinates": lambda: IndexType(t.tensor, _index(rng, t.coordinates), t.guard, t.outside),
        "guard": lambda: IndexType(t.tensor, t.coordinates, _guard(rng, t.guard), t.outside),
        "outside": lambda: IndexType(t.tensor, t.coordinates, t.guard, rng.choice(["0", "-0", "dead"])),
    }[kind]()
    return replace(x, buffer=replace(b, type=new)), kind
