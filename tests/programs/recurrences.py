"""Programs that go one time step after the other on the toy machine, and wrong variants of them: traps of recurrences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import sympy as sp
import toys
from mutants import rewritten

import isamap_smt as im
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, If, Loop, Node, Parallel, Program
from isamap_smt.ir.traversal import nodes_of
from tests.programs.loop_kinds import of_kind
from tests.programs.portable import is_copy, is_element

CELL = """axis k < J
for t:
  R[t,b,j] += H[t,b,k] * U[k,j]
  H[t+1,b,j] = relu(R[t,b,j] + X[t,b,j])
"""
# the projection of all inputs, the state before the first time step, and two layers of which the second sees the first's state
LAYERS = """axis k < J
P[t,b,j] += X[t,b,c] * W[c,j]
H[0,b,j] = S[b,j]
for t:
  R[t,b,j] += H[t,b,k] * U[k,j]
  H[t+1,b,j] = relu(R[t,b,j] + P[t,b,j]) - H[t,b,j]
  Q[t,b,m] += H[t+1,b,j] * V[j,m]
Y[t,b,m] = Q[t,b,m] * s[m]
"""


def cell(text: str = CELL, loops: str = "t:1 b:2 j:4 k:1", **more: Any) -> Program:
    """One matrix product per time step, whose operand the time step before left in memory."""
    m = im.fuse(im.kernel(text), toys.FMA, {"l": ("j",)})
    return lower(toys.schedule(m, loops, loops.count(":") - 1, {"b": 2, "j": 4}, **more))


def packed(depth: int = 1) -> Program:
    """The state is packed in each time step, what never changes once per call; columns are spread over threads."""
    return cell(CELL, "t:1 j:8 b:2 j:4 k:1", packing={"a": depth, "b": 0}, parallel=1)


def layers() -> Program:
    """Three matrix products, one before the time steps and two in each."""
    kernel = im.kernel(LAYERS)
    found = [im.fuse(kernel, toys.FMA, {"l": (a,)}, statement=n) for a, n in (("j", 0), ("j", 2), ("m", 4))]
    before = toys.schedule(found[0], "t:1 b:2 j:4 c:1", 3, {"b": 2, "j": 4})
    first = toys.schedule(found[1], "t:1 b:2 j:4 k:1", 3, {"b": 2, "j": 4}, {"b": "ahead"})
    second = toys.schedule(found[2], "t:1 m:8 b:2 m:4 j:1", 4, {"b": 2, "m": 4}, {"a": 2})
    return lower(before, first, second)


def unmapped() -> Program:
    """Only the projection is mapped; the time steps are computed element by element."""
    m = im.fuse(im.kernel(LAYERS), toys.FMA, {"l": ("j",)})
    return lower(toys.schedule(m, "t:1 b:2 j:4 c:1", 3, {"b": 2, "j": 4}))


def to_and_fro(loops: str = "t:1 j:4 b:2 k:1", **more: Any) -> Program:
    """What is packed ahead of the calls is gone over forwards in one time step and backwards in the next."""
    program = cell(CELL, loops, packing={"b": "ahead"}, **more)
    turned = [n.step for n in nodes_of(Loop, program.body) if n.backwards is not None]
    assert turned == [int(x[2:]) for x in loops.split() if x.startswith("j")]
    return program


def scattered() -> Program:
    """Turns of a sum whose points meet in the output: what is packed ahead of the calls is gone over forwards only."""
    kernel = im.kernel(
        "axis p < J\nfor t:\n  R[t,p+r,b] += H[t,p,b] * U[r]\n  H[t+1,j,b] = relu(R[t,j,b] + X[t,j,b])\n"
    )
    m = im.fuse(kernel, toys.FMA, {"l": ("b",)})
    program = lower(toys.schedule(m, "t:1 r:1 p:1 b:4", 4, {"b": 4}, packing={"b": "ahead"}))
    assert not any(n.backwards is not None for n in nodes_of(Loop, program.body))
    return program


ORIGINALS: dict[str, Callable[[], Program]] = {
    "scattered": scattered,
    "to and fro": to_and_fro, "to and fro, by threads": lambda: to_and_fro(parallel=1),
    "to and fro, in blocks": lambda: to_and_fro("t:1 j:8 j:4 b:2 k:1"),
    "cell": cell, "packed": packed, "layers": layers, "unmapped": unmapped,
    "fixed": lambda: cell(sizes={"t": 3, "b": 3, "j": 5}),
}  # fmt: skip


# ---- wrong variants ------------------------------------------------------------------------------------------------


def _turns(n: Node) -> bool:
    return isinstance(n, Loop) and n.axis == "t"


def _computes(n: Node) -> bool:
    return is_element(n) or (isinstance(n, Loop | If) and all(map(_computes, n.body)))


def turns_in_parallel() -> Program:
    """All time steps at once."""
    return rewritten(cell(), lambda n: (of_kind(Parallel, n),) if _turns(n) else None)


def one_statement_after_the_other() -> Program:
    """The products of all time steps, then the states of all time steps."""

    def f(n: Node) -> Any:
        if _turns(n):
            parts = ([x for x in n.body if _computes(x) == own] for own in (False, True))
            return tuple(replace(n, body=tuple(part)) for part in parts)

    return rewritten(cell(), f)


def state_first() -> Program:
    """In each time step the new state is computed before the product that it needs."""

    def f(n: Node) -> Any:
        if _turns(n):
            return (replace(n, body=tuple(sorted(n.body, key=lambda x: not _computes(x)))),)

    return rewritten(cell(), f)


def backwards() -> Program:
    """The last time step comes first."""

    def f(n: Node) -> Any:
        if _turns(n):
            return (replace(n, body=tuple(_at(x, {n.var.name: n.count - 1 - n.var}) for x in n.body)),)

    return rewritten(cell(), f)


def _at(x: Any, table: dict[str, Any]) -> Any:
    """A node with the expressions in it changed."""
    if isinstance(x, tuple):
        return tuple(_at(y, table) for y in x)
    if isinstance(x, sp.Basic):
        return substitute(x, table)
    if is_dataclass(x) and not isinstance(x, Instruction):
        return replace(x, **{f.name: _at(getattr(x, f.name), table) for f in fields(x)})  # type: ignore[type-var]
    return x


def packed_before_the_turns() -> Program:
    """All states are copied before the first time step has computed any."""
    found: list[Node] = []

    def take(n: Node) -> Any:
        if (isinstance(n, Alloc) and n.buffer.name == "H_packed") or (is_copy(n) and n.dst.name == "H_packed"):
            found.append(n)
            return ()

    def put(n: Node) -> Any:
        if _turns(n):
            turn = sym("c_turn")
            table = {n.var.name: turn}
            alloc, copy = found
            b, held = alloc.buffer, alloc.buffer.type  # type: ignore[union-attr]
            kind = replace(held, coordinates=_at(held.coordinates, table), guard=_at(held.guard, table))
            buffer = replace(b, cells=(turn, *b.cells), shape=(n.count, *b.shape), type=kind)
            moved = _at(copy, table)
            dst = replace(moved.dst, index=(turn, *moved.dst.index))
            once = replace(moved.placed(dst, moved.src), over=((turn, n.count), *moved.over))
            return (Alloc(buffer), once, rewritten_reads(n))

    def rewritten_reads(loop: Loop) -> Loop:
        def visit(x: Any) -> Any:
            if isinstance(x, tuple):
                return tuple(visit(y) for y in x)
            if isinstance(x, Loop | If):
                return replace(x, body=visit(x.body))
            memory = getattr(x, "memory", None)
            if memory is not None and memory.name == "H_packed":
                return x.put(memory=replace(memory, index=(loop.var, *memory.index)))
            return x

        return replace(loop, body=visit(loop.body))

    return rewritten(rewritten(cell(packing={"a": 1}), take), put)


def last_turn_only() -> Program:
    """A second layer that waits for the last time step, in a loop of its own behind it, reads a state of the wrong time step."""

    def f(n: Node) -> Any:
        if is_element(n) and n.statement == 3:
            own = n.reads[-1]
            return (n.placed(n.dst, *n.reads[:-1], replace(own, index=(own.index[0] + 1, *own.index[1:]))),)

    return rewritten(layers(), f)


def sums_backwards() -> Program:
    """A sum begins at 0 in its first part, which comes last in every other time step."""

    def f(n: Node) -> Any:
        return (replace(n, backwards=sym("t0")),) if isinstance(n, Loop) and n.axis == "k" and n.step > 1 else None

    return rewritten(cell(f"temporary R\n{CELL}", "t:1 j:4 k:2 b:2 k:1"), f)


TRAPS: dict[str, tuple[Callable[[], Program], str]] = {
    "turns_in_parallel": (turns_in_parallel, "order"),
    "one_statement_after_the_other": (one_statement_after_the_other, "order"),
    "state_first": (state_first, "order"),
    "backwards": (backwards, "order"),
    "sums_backwards": (sums_backwards, "disjoint"),
    "packed_before_the_turns": (packed_before_the_turns, "order"),
    "last_turn_only": (last_turn_only, "program"),
}
