"""Small random programs of an engine with a state, and a run of them that shares no code with the proof.

A program is a tree of Python tuples with expressions as text; `built` makes a Program of it, and `goes_wrong` runs the tree.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Buffer, Command, Configure, IndexType, Node, Program, Ref, Serial
from isamap_smt.ir.states import CODE
from tests.drawn_terms import number, term

SIDE = 4
Tree = tuple[Any, ...]
CONFIGURE = im.instruction(
    "npu.configure", "cfg[x] = new[x]", axes={"x": 2}, dtypes={"cfg": "i64", "new": "i64"},
    places={"cfg": "mode[x]", "new": "code"}, engine="store", work=im.Work(1, 0),
)  # fmt: skip
BY_ELEMENT, BY_NUMBER = (
    im.instruction(
        f"npu.store_{name}", "m[r,c] = acc[r,c] * s[]", axes={"r": SIDE, "c": SIDE},
        dtypes=dict.fromkeys(("m", "acc", "s"), "i32"),
        places={"m": "memory[r*down + c]", "acc": "sums[r,c]", "s": place}, engine="store", active={"r": "rows"},
        work=im.Work(1, 1, ("r",)), needs=("mode[0] = 4*down", "mode[1] = s"), assume=assume,
    )
    for name, place, assume in (("element", "memory", ()), ("number", CODE, (("s", -9, 9),)))
)  # fmt: skip
MACHINE = im.Hardware(
    "npu", (im.Memory("sums", 16 * 64, row=16), im.Memory("mode", 2 * 2 * 8, count=2, kind="state")), (),
    (CONFIGURE, BY_ELEMENT, BY_NUMBER), engines=(im.Engine("store"),),
)  # fmt: skip
KERNEL = im.kernel("Y[i,j] = X[i,j] * S[i]", name="scaled", dtypes=dict.fromkeys("YXS", "i32"))
NAMES: dict[str, Any] = {n: sym(n) for n in "IJdefghkrc"}


def drawn(rng: random.Random) -> Tree:
    """The nodes of a program, half of them right.

    ("set", set, cells), ("use", set, distance of rows of Y, factor, active rows), ("loop", variable, count, body).
    """
    names, careful = iter("defghk"), rng.random() < 0.5

    def some(depth: int, known: tuple[str, ...]) -> Tree:
        found: list[Any] = []
        if careful:  # uses of what is written at the head of the body, in it and in loops of it
            down, s = apart(known), factor(known)
            found.append(("set", 0, (f"4 * J * {down}", s)))
            for _ in range(rng.randint(1, 3)):
                trips = rng.choice(("1", "I", "I - 1", "div(I, 2)"))
                use = ("use", 0, down, s, rng.choice(("4", "low(4, I)", "low(4, I - 1)")))
                name, write = (
                    next(names, ""),
                    ("set", 0, (f"4 * J * {down}", s if rng.random() < 0.7 else factor(known))),
                )
                shapes = [(use,)]
                if name:  # in a loop, in front of the same write in it, behind a loop with the write
                    around: Tree = (("loop", name, trips, (write,)), use)
                    shapes += [(("loop", name, trips, (use,)),), (("loop", name, trips, (use, write)),), around]
                    shapes.append((("set", 0, ("4 * J * 1", factor(known))), *around))
                found += rng.choice(shapes)
            if depth and (name := next(names, "")):
                found.append(("loop", name, rng.choice(("2", "I", "I - 1")), some(depth - 1, (*known, name))))
            return tuple(found)
        for _ in range(rng.randint(1, 3)):
            kind = rng.choice(("set", "set", "use", "use", "use", "loop", "loop", "loop"))
            if kind == "set":
                found.append(("set", rng.choice((0, 0, 1)), (f"4 * J * {apart(known)}", factor(known))))
            elif kind == "use":
                rows = rng.choice(("4", "4", "low(4, I)", "low(4, I - 1)", *(f"low(4, {v})" for v in known)))
                found.append(("use", rng.choice((0, 0, 1)), apart(known), factor(known), rows))
            elif depth and (name := next(names, "")):
                trips = rng.choice(("1", "2", "I", "I - 1", "div(I, 2)", "low(I, J)"))
                found.append(("loop", name, trips, some(depth - 1, (*known, name))))
        return tuple(found)

    def apart(known: tuple[str, ...]) -> str:
        return rng.choice(("1", "1", "1", "2", *(f"({v} + 1)" for v in known)))

    def factor(known: tuple[str, ...]) -> Any:
        return rng.choice((3, 3, 3, 2, "0", "0", "I - 1", *known, *known, *(f"mod({v}, 2)" for v in known)))

    before = (("set", 0, ("4 * J * 1", rng.choice((3, "0")))), ("set", 1, ("4 * J * 1", 3)))
    return (*before[: rng.randint(0, 2)], *some(2 if careful else 3, ()))


def built(tree: Tree) -> Program:
    """The program."""

    def nodes(tree: Tree) -> Iterator[Node]:
        for kind, *of in tree:
            if kind == "loop":
                yield Serial(sym(of[0]), term(of[1], NAMES), tuple(nodes(of[2])))
            elif kind == "set":
                down, s = of[1]
                yield Configure(
                    CONFIGURE,
                    (term(down, NAMES), Ref("S", (term(s, NAMES),)) if isinstance(s, str) else s),
                    (("mode", of[0]),),
                )
            else:
                number_, down, s, rows = of
                places = ("m", Ref("Y", (term(f"r * {down}", NAMES), sym("c")))), ("acc", Ref("acc", (0,)))
                own = Ref("S", (term(s, NAMES),)) if isinstance(s, str) else Ref(CODE, (term(str(s), NAMES),))
                use = BY_ELEMENT if isinstance(s, str) else BY_NUMBER
                yield Command(use, (*places, ("s", own)), (term(rows, NAMES),), sets=(("mode", number_),))

    x, y = sym("x"), sym("y")
    acc = Buffer("acc", KERNEL.tensor("Y").dtype, (x, y), (SIDE, SIDE), IndexType("Y", (x, y)), "sums", slots=1)
    return Program(None, KERNEL, (), (Alloc(acc), *nodes(tree)), machine=MACHINE)


def goes_wrong(tree: Tree, sizes: range) -> str:
    """What the first use to find a wrong cell needs and finds; '' at all these sizes if there is none."""

    def cell(e: Any, env: dict[str, int]) -> Any:
        return ("S", number(e, env)) if isinstance(e, str) else e

    def run(tree: Tree, env: dict[str, int]) -> str:
        for kind, *of in tree:
            if kind == "loop":
                for n in range(number(of[1], env)):
                    if wrong := run(of[2], {**env, of[0]: n}):
                        return wrong
            elif kind == "set":
                state[of[0]] = (number(of[1][0], env), cell(of[1][1], env))
            elif number(of[3], env) > 0:
                needed = 4 * env["J"] * number(of[1], env), cell(of[2], env)
                if state.get(of[0]) != needed:
                    return f"{env}: it needs {needed} of {of[0]}, and finds {state.get(of[0])}"
        return ""

    for i in sizes:
        for j in sizes:
            state: dict[int, Any] = {}
            if wrong := run(tree, {"I": i, "J": j}):
                return wrong
    return ""
