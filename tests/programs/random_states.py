"""Small random programs of a core with states, and a run of them that shares no code with the proof.

A program is a tree of Python tuples with expressions as text; `built` makes a Program of it, and `goes_wrong` runs the tree
itself: with any threads, any numbers granted, and both values of the flag.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import (
    Alloc,
    Ask,
    Buffer,
    If,
    IndexType,
    Move,
    Node,
    Parallel,
    Program,
    Ref,
    Serial,
    SetState,
    Unrolled,
)  # fmt: skip
from tests.drawn_terms import number, term

POINTS, CELLS, FLAG = 4, 3, "fresh?"
Tree = tuple[Any, ...]

WRITE, CLEAR = (
    im.instruction(
        f"npu.{name}", text, axes={"x": CELLS}, dtypes=dict.fromkeys(places, "u8"), places=places, emit="write();"
    )
    for name, text, places in (
        ("write", "cfg[x] = new[x]", {"cfg": "cfg[x]", "new": "code"}), ("clear", "cfg[x] = 0", {"cfg": "cfg[x]"}),
    )
)  # fmt: skip
ASK = im.instruction(
    "npu.ask", "vl[x] = avl[x]", axes={"x": 1}, dtypes={"vl": "i64", "avl": "i64"}, places={"vl": "vl[x]", "avl": "code"},
    emit="{vl} = ask({avl});", grants=POINTS,
)  # fmt: skip
LOAD = im.instruction(
    "npu.load", "r[i] = m[i]", axes={"i": POINTS}, dtypes={"r": "f32", "m": "f32"}, places={"r": "tmm", "m": "memory"},
    emit="load({r}, {m});", needs=("r < 2", "cfg[0] = 1", "cfg[1 + r] = 2"),
)  # fmt: skip
MASKED = im.instruction(
    "npu.masked", "r[l] = m[l]", axes={"l": POINTS}, dtypes={"r": "f32", "m": "f32"}, places={"r": "v", "m": "memory"},
    emit="{r} = masked({m}, {active});", active={"l": "active"}, beyond="zero", needs=("vl = active",), c_types={"r": "vec"},
)  # fmt: skip
KERNEL = im.kernel("C[i] = A[i]", name="copy", dtypes={"A": "f32", "C": "f32"})
IMAGES = ((1, 2, 2), (1, 2, 2), (1, 2, 0), (0, 2, 2), (0, 0, 0), (0, 0, 0))
NAMES: dict[str, Any] = {**{n: sym(n) for n in "Iabcdefgh"}, "flag": sym(FLAG)}


def drawn(rng: random.Random) -> Tree:
    """The nodes of a program; half of them take care, and are mostly right."""
    names, unrolled, careful = iter("abcdefgh"), set[str](), rng.random() < 0.5

    def some(depth: int, known: tuple[str, ...], buffers: tuple[int, ...]) -> Tree:
        found: list[Any] = []
        for _ in range(rng.randint(1, 3)):
            kind = rng.choice(
                ["set", "set", "ask", "ask", "load", "load", "masked", "masked", "loop", "loop", "if", "par"]
            )
            if kind == "set" and not (careful and buffers):
                found.append(("set", IMAGES[0] if careful else rng.choice(IMAGES)))
            elif kind == "ask":
                found.append(("ask", count(known)))
            elif kind == "masked":
                needed = count(known)
                found += [("ask", f"high(0, low({POINTS}, {needed}))")] * (careful and rng.random() < 0.8)
                use, request = (
                    ("masked", needed),
                    ("ask", rng.choice((f"low({POINTS}, {needed})", needed, count(known)))),
                )
                shapes: list[Tree] = [(use,), (use, use)]
                if (
                    depth and careful and (name := next(names, ""))
                ):  # the request in a loop, in front of it or around it
                    trips = rng.choice(counts(known))
                    shapes = [
                        (("loop", name, trips, inner, "serial", ""), use) for inner in ((use, request), (request,))
                    ]
                found += rng.choice(shapes)
            elif kind == "load" and (buffers or len(buffers) < 2):
                if not buffers or (len(buffers) < 2 and rng.random() < 0.3):
                    buffers = (*buffers, len(buffers))
                    found.append(("alloc", buffers[-1]))
                found.append(("load", rng.choice(buffers)))
            elif kind == "if" and depth:
                found.append(("if", condition(known), some(depth - 1, known, buffers)))
            elif kind in ("loop", "par") and depth and (name := next(names, "")):
                turns = [v for v in known if v not in unrolled][-1:]
                edge: Any = rng.choice((None, IMAGES[0])[careful:])
                if kind == "loop":
                    edge = rng.choice(("serial", "serial", "unrolled", "cut", *["turned"] * len(turns)))
                unrolled.update([name] * (edge == "unrolled"))
                trips = rng.choice(("1", "2", "3") if edge == "unrolled" else counts(known))
                end = rng.choice(("1", "2", "I - 1")) if edge == "cut" else "".join(turns)
                found.append((kind, name, trips, some(depth - 1, (*known, name), buffers), edge, end))
        return tuple(found)

    def counts(known: tuple[str, ...]) -> tuple[str, ...]:
        inside = (e for v in known for e in (f"I - {v}", f"low(2, {v} + 1)"))
        return "1", "2", "I", "I - 1", "div(I, 2)", "div(I + 1, 2)", *inside

    def count(known: tuple[str, ...]) -> str:
        inside = (e for v in known for e in (f"I - {v}", f"{v} + 1"))
        return rng.choice(("3", "4", "I", "I", f"low({POINTS}, I)", "I - 1", *inside))

    def condition(known: tuple[str, ...]) -> str:
        inside = (e for v in known for e in (f"{v} > 0", f"{v} < 1"))
        return rng.choice(("flag > 0", "flag < 1", "I > 2", "I > 0", *inside))

    around = careful or rng.random() < 0.6
    body = some(3, (), ())
    return (("set", IMAGES[0]), *body, ("set", IMAGES[-1])) if around else body


def built(tree: Tree) -> Program:
    """The program. Each declaration of a buffer has a name of its own."""
    fresh = iter(range(1000))

    def nodes(tree: Tree, known: dict[int, str]) -> Iterator[Node]:
        for kind, *of in tree:
            match kind:
                case "set":
                    yield written(of[0])
                case "ask":
                    yield Ask(ASK, term(of[0], NAMES))
                case "alloc":
                    known[of[0]] = f"t{next(fresh)}"
                    kind_ = IndexType("A", (sym("x"),))
                    yield Alloc(
                        Buffer(
                            known[of[0]], KERNEL.tensor("A").dtype, (sym("x"),), (POINTS,), kind_, "registers", 1, of[0]
                        )
                    )
                case "load":
                    yield Move(LOAD, (("r", Ref(known[of[0]], ())), ("m", Ref("A", (sym("i"),)))))
                case "masked":
                    name = f"v{next(fresh)}"
                    kind_ = IndexType("A", (sym("x"),))
                    yield Alloc(Buffer(name, KERNEL.tensor("A").dtype, (sym("x"),), (POINTS,), kind_, "registers", 1))
                    yield Move(MASKED, (("r", Ref(name, ())), ("m", Ref("A", (sym("l"),)))), (term(of[0], NAMES),))
                case "if":
                    yield If((term(of[0], NAMES),), tuple(nodes(of[1], dict(known))))
                case "loop":
                    name, trips, inner, edge, outer = of
                    body = tuple(nodes(inner, dict(known)))
                    if edge == "unrolled":
                        yield Unrolled(sym(name), term(trips, NAMES), body)
                    else:
                        turned, cut = (term(outer, NAMES) if edge == kind_ else None for kind_ in ("turned", "cut"))
                        yield Serial(sym(name), term(trips, NAMES), body, backwards=turned, end=cut)
                case "par":
                    name, trips, inner, edge, _ = of
                    enter, leave = ((), ()) if edge is None else ((written(edge),), (written(IMAGES[-1]),))
                    yield Parallel(
                        sym(name), term(trips, NAMES), tuple(nodes(inner, dict(known))), enter=enter, leave=leave
                    )

    return Program(None, KERNEL, (), tuple(nodes(tree, {})), starts=("C",))


def written(image: tuple[int, ...]) -> SetState:
    """The write of a state."""
    return SetState(WRITE if any(image) else CLEAR, image)


class Wrong(Exception):
    """What a run finds."""


class Thread:
    """cells, granted: of its states, None before a request. held: the buffers whose content is its own."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.cells, self.granted = rng, (0,) * CELLS, None
        self.held: set[int] = set()

    def body(self, tree: Tree, env: dict[str, int]) -> None:
        """Carries out the nodes. Raises Wrong."""
        for kind, *of in tree:
            match kind:
                case "set":
                    self.cells, self.held = of[0], set()
                case "ask":
                    asked = number(of[0], env)
                    high = POINTS if asked < 0 else min(asked, POINTS)
                    low = (asked + 1) // 2 if POINTS < asked < 2 * POINTS else high
                    self.granted = self.rng.choice((low, high))
                case "alloc":
                    self.held.add(of[0])
                case "load":
                    if self.cells[0] != 1 or self.cells[1 + of[0]] != 2:
                        raise Wrong(f"cells are {self.cells} for register {of[0]} at {env}")
                    if of[0] not in self.held:
                        raise Wrong(f"register {of[0]} is lost at {env}")
                case "masked":
                    if self.granted != max(0, min(POINTS, number(of[0], env))):
                        raise Wrong(f"{self.granted} is granted, {of[0]} are active at {env}")
                case "if":
                    if number(of[0], env):
                        self.body(of[1], env)
                case "loop":
                    name, trips, inner, edge, outer = of
                    most = number(outer, env) if edge == "cut" else 10**9
                    steps = list(range(min(number(trips, env), most)))
                    for n in steps[::-1] if edge == "turned" and env[outer] % 2 else steps:
                        self.body(inner, {**env, name: n})
                case "par":
                    self.shared(of, env)

    def shared(self, of: list[Any], env: dict[str, int]) -> None:
        """A parallel loop, with up to two threads beside this one."""
        name, trips, inner, edge, _ = of
        steps = range(number(trips, env))
        threads = [self, Thread(self.rng), Thread(self.rng)]
        takes = [self.rng.randrange(3) for _ in steps]
        for k, thread in enumerate(threads if steps else ()):
            own = [n for n, taken in zip(steps, takes, strict=True) if taken == k]
            if edge is not None:
                thread.body((("set", edge),), env)
            for n in own:
                thread.body(inner, {**env, name: n})
            if edge is not None:
                thread.body((("set", IMAGES[-1]),), env)
            if thread is not self:
                thread.ends(f"a thread of {name}")

    def ends(self, where: str) -> None:
        """Raises Wrong unless it leaves 0."""
        if any(self.cells):
            raise Wrong(f"{where} leaves {self.cells}")


def goes_wrong(tree: Tree, sizes: range, runs: int, seed: int) -> str:
    """What the first run of so many at each size finds; '' if none finds anything."""
    for size in sizes:
        for n in range(runs):
            thread = Thread(random.Random(f"{seed} {n}"))
            try:
                thread.body(tree, {"I": size, "flag": n % 2})
                thread.ends("the call")
            except Wrong as wrong:
                return f"I={size}: {wrong}"
    return ""
