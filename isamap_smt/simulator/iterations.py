"""A program's text at concrete sizes: every node with a column for each variable around it, one row for each run of it.

Loops repeat rows, conditions leave some out. The rows of all nodes run in the order of their keys: the place in
each body around, and the iteration of each loop. Iterations of a parallel loop come in a random order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import INDEX_HEADS, RELATIONS, Element, FloorDiv, FloorMod, IMax, IMin, elements, held_as, words
from isamap_smt.ir.program import Alloc, Buffer, If, Loop, Node, Parallel

# ---- Index expressions as functions, made once per expression: what evaluate() gives, without walking the tree each time.


Env = Mapping[str, Any]

_OF_VECTORS: dict[Any, Callable[[Any, Any], Any]] = {IMin: np.minimum, IMax: np.maximum}


@lru_cache(maxsize=50_000)
def vector(expression: Any) -> Callable[[Env], Any]:
    """Its value for an environment of integers and NumPy vectors of them. Calling it raises KeyError for a loose symbol.

    >>> import sympy as sp
    >>> vector(sp.Symbol("i", integer=True) + 1)({"i": 2})
    3
    """
    if isinstance(expression, int | bool) or expression is sp.true or expression is sp.false:
        constant = expression if isinstance(expression, int) else bool(expression)
        return lambda _: constant
    if expression.is_Integer:
        number = int(expression)
        return lambda _: number
    if expression.is_Symbol:
        return itemgetter(expression.name)
    if isinstance(expression, Element):
        held, index = held_as(expression.tensor), tuple(map(vector, expression.index))
        return lambda env: env[held].at(*(i(env) for i in index))
    row = INDEX_HEADS.get(type(expression)) or RELATIONS.get(type(expression))
    if row is None:
        raise TypeError(f"not an index expression: {expression!r}")
    of, parts = _OF_VECTORS.get(type(expression), row.of), tuple(map(vector, expression.args))
    if len(parts) != 2:
        return lambda env: row.applied([part(env) for part in parts])
    left, right = parts
    return lambda env: of(left(env), right(env))


@lru_cache(maxsize=50_000)
def _divides(expression: Any) -> bool:
    """Whether its value needs a division."""
    return isinstance(expression, sp.Basic) and expression.has(FloorDiv, FloorMod, sp.Pow)


@lru_cache(maxsize=50_000)
def _names(expression: Any) -> frozenset[str]:
    """Names of its symbols and of the inputs whose elements it takes."""
    return frozenset(
        (*(x.name for x in expression.free_symbols), *(held_as(e.tensor) for e in elements((expression,))))
    )


Array = np.ndarray
START, BEGIN, END = "start", "begin", "end"  # of a parallel loop, and of one of its iterations
LAST = 2.0**62


@dataclass(frozen=True, eq=False)
class Turn:
    """A parallel loop around a node: the number of its run, and its iteration, row by row."""

    loop: int
    run: Array
    iteration: Array


@dataclass(frozen=True, eq=False)
class Rows:
    """All runs of a place in the text. env: name -> number or column. keys: the order. buffers: those in scope, each
    with the number of its declaration; turns: parallel loops around, outermost first."""

    count: int
    env: dict[str, Any]
    loops: tuple[str, ...] = ()
    keys: tuple[Any, ...] = ()
    buffers: Mapping[str, tuple[int, Buffer]] | None = None
    turns: tuple[Turn, ...] = ()

    def column(self, expr: Any, what: str) -> Array:
        """The value of an expression in each row. Raises LanguageError if a symbol has no value."""
        return column(expr, self.env, self.count, what)

    def chosen(self, rows: Array) -> Rows:
        """Some rows, or some of them several times."""
        env = {n: v[rows] if isinstance(v, np.ndarray) else v for n, v in self.env.items()}
        keys = tuple([k[rows] if isinstance(k, np.ndarray) else k for k in self.keys])
        turns = tuple([Turn(t.loop, t.run[rows], t.iteration[rows]) for t in self.turns])
        return Rows(len(rows), env, self.loops, keys, self.buffers, turns)

    def repeated(self, counts: Array) -> tuple[Rows, Array, Array]:
        """Each row repeated so many times, the number of each copy, and the row it comes from."""
        if not self.count:
            none = np.zeros(0, np.int64)
            return self.chosen(none), none, none
        rows = np.repeat(np.arange(self.count), counts)
        number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.chosen(rows), number, rows

    def then(self, *keys: Any) -> Rows:
        """The rows, later in the order by these keys."""
        return Rows(self.count, self.env, self.loops, (*self.keys, *keys), self.buffers, self.turns)

    def at(self, row: int) -> dict[str, int]:
        """The loop variables of a row."""
        return {n: int(self.env[n][row]) for n in self.loops}


@dataclass(frozen=True, eq=False)
class Standing:
    """A node with its rows. what: '' for the node's own effect; START, BEGIN or END of a parallel loop."""

    node: Node
    rows: Rows
    what: str = ""


def column(expr: Any, env: Mapping[str, Any], count: int, what: str) -> Array:
    """The value of an expression in each row. Raises LanguageError if a symbol has no value, or a divisor is 0."""
    if isinstance(expr, int):
        return np.full(count, expr)
    expression = expr if isinstance(expr, sp.Basic) else sp.sympify(expr)
    evaluated = vector(expression)
    try:
        if _divides(expression):
            with np.errstate(divide="raise"):
                value = evaluated(env)
        elif count or not _names(expression) <= env.keys():
            value = evaluated(env)
        else:
            return np.zeros(0, np.int64)
    except (FloatingPointError, ZeroDivisionError):
        raise LanguageError(f"{what}: {words(expr)} divides by 0") from None
    except KeyError as e:
        said = "" if str(expr) == e.args[0] else f", which {words(expr)} mentions"
        raise LanguageError(f"{what}: nothing defines {e.args[0]}{said}; {defined(env)}") from None
    return value if isinstance(value, np.ndarray) else np.full(count, value)


def defined(env: Mapping[str, Any]) -> str:
    """The names with values at a node, in words: of two similar names, one may mean another thing."""
    told = {n: v for n, v in env.items() if n.isidentifier()}
    loops = [n for n, v in told.items() if isinstance(v, np.ndarray)]
    sizes = [n for n in told if n not in loops]
    return f"the loops around it count {', '.join(loops) or 'nothing'}, and sizes are {', '.join(sizes) or 'none'}"


def standings(body: Sequence[Node], sizes: Mapping[str, int], random: np.random.Generator) -> list[Standing]:
    """Every node of a body at these sizes. Raises LanguageError."""
    found: list[Standing] = []
    _Walk(found, random).body(body, Rows(1, dict(sizes), buffers={}))
    return found


def in_order(found: Sequence[Standing]) -> tuple[list[int], list[int]]:
    """(numbers of standings, numbers of their rows), in the order they run."""
    depth = max((len(s.rows.keys) for s in found), default=0)
    counts = [s.rows.count for s in found]
    which = np.repeat(np.arange(len(found)), counts)
    row = np.concatenate([np.zeros(0, np.int64), *map(np.arange, counts)])
    keys, start = np.full((depth, len(row)), -1.0), 0
    for s, count in zip(found, counts, strict=True):
        for d, key in enumerate(s.rows.keys):
            keys[d, start : start + count] = key
        start += count
    order = np.lexsort(keys[::-1]) if depth else np.arange(len(row))
    return which[order].tolist(), row[order].tolist()


class _Walk:
    def __init__(self, found: list[Standing], random: np.random.Generator) -> None:
        self.found, self.random, self.parallel = found, random, 0

    def body(self, nodes: Sequence[Node], rows: Rows) -> None:
        for n, node in enumerate(nodes):
            here = rows.then(float(n))
            match node:
                case If():
                    holds = np.ones(here.count, bool)
                    for c in node.condition:
                        holds &= here.column(c, "a condition") != 0
                    self.body(node.body, here.chosen(np.flatnonzero(holds)))
                case Loop():
                    self._loop(node, here)
                case Alloc():
                    buffers = {**(rows.buffers or {}), node.buffer.name: (len(self.found), node.buffer)}
                    rows = Rows(rows.count, rows.env, rows.loops, rows.keys, buffers, rows.turns)
                    self.found.append(Standing(node, rows.then(float(n))))
                case _:
                    self.found.append(Standing(node, here))

    def _loop(self, node: Loop, rows: Rows) -> None:
        name = node.var.name
        counts = np.maximum(rows.column(node.trips, f"the count of loop {name}"), 0)
        inner, digit, outer = rows.repeated(counts)
        inner.env.update({name: digit, node.number.name: np.arange(inner.count)})
        inner = replace(inner, loops=(*(x for x in rows.loops if x != name), name))
        if isinstance(node, Parallel):
            self._parallel(node, rows, inner, (digit, outer), counts)
            return
        turned = np.zeros(1, bool) if node.backwards is None else inner.column(node.backwards, "a direction") % 2 == 1
        self.body(node.body, inner.then(np.where(turned, counts[outer] - 1 - digit, digit).astype(float)))

    def _parallel(self, node: Parallel, rows: Rows, inner: Rows, ids: tuple[Array, Array], counts: Array) -> None:
        """Iterations in an order drawn at random. Each thread enters and leaves, the one around last."""
        digit, outer = ids
        self.parallel += 1
        self.found.append(Standing(node, rows.then(-1.0), START))
        turn = Turn(self.parallel, outer, digit)
        inner = replace(inner, turns=(*inner.turns, turn)).then(self.random.random(inner.count))
        self.found.append(Standing(node, inner.then(-1.0), BEGIN))
        self.body((*node.enter, *node.body, *node.leave), inner)
        self.found.append(Standing(node, rows.then(LAST), END))
        around = rows.chosen(np.flatnonzero(counts > 0)).then(2 * LAST)
        self.body((*node.enter, *node.leave), around)
