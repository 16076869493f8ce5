"""Two kernels of the same arguments over one set of sizes: shapes express the second one's sizes by the first one's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.equality.domains import Known, simple
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.expr import substitute, sym, symbols_of, words
from isamap_smt.ir.kernel import Kernel, Tensor


@dataclass(frozen=True)
class Together:
    """Both kernels over one set of sizes.

    facts: conditions of both kernels on the sizes. names: of each size, in its own kernel. agree: relations between
    different sizes of the two, in words.
    """

    first: Kernel
    second: Kernel
    facts: tuple[Any, ...]
    names: dict[str, str]
    agree: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of open sizes and parameters."""
        return tuple(sorted({*self.first.free_sizes, *self.second.free_sizes}))


def together(a: Kernel, b: Kernel) -> Together:
    """Both kernels over one set of sizes.

    Raises ArgumentError if the kernels have different inputs, results or parameters, or shapes that never agree.
    """
    _check_tensors(a, b, "input", a.inputs, b.inputs)
    _check_tensors(a, b, "result", a.results, b.results)
    _check_parameters(a, b)
    given = {p.name for p in (*a.parameters, *b.parameters)}
    a, b = _apart(a, given), _apart(b, {*given, *a.free_sizes})
    a, b = (k.with_ranges({n: (low, high) for n, low, high in o.ranges}) for k, o in ((a, b), (b, a)))
    mark = {n: f"{n}'" for n in b.free_sizes if n not in given}
    b = b.with_extents({n: sym(m) for n, m in mark.items()})
    shared = (*a.inputs, *a.results)
    equations = [
        (t, n, x, y) for t in shared for n, (x, y) in enumerate(zip(a.tensor(t).shape, b.tensor(t).shape, strict=True))
    ]
    table = _solved(a, b, equations, given)
    for n, m in mark.items():  # sizes that no shape tells, of one name
        if n in a.free_sizes and m not in table and n not in table and not _told(m, equations):
            table[m] = sym(n)
    first, second = a.with_extents(_names(table, a)), b.with_extents(_names(table, b))
    facts = [*_low(first), *_low(second)]
    for tensor, dimension, *sides in equations:
        x, y = (simple(substitute(e, table), Known(tuple(facts))) for e in sides)
        if sp.expand(x - y) != 0:
            if (x - y).is_Integer:
                _differ(a, b, tensor, dimension)
            facts.append(sp.Eq(x, y))
    # every size as it is called in its own kernel is at least 1
    facts += [sp.Ge(e, 1) for e in table.values()]
    known = Known().also(facts)
    if known.impossible():
        raise ArgumentError(f"{a.name} and {b.name} have no sizes for which their arguments have the same shapes")
    names = {m: n for n, m in mark.items()}
    return Together(first, second, known.facts, names, tuple(dict.fromkeys(_agreed(table, names))))


def _apart(k: Kernel, taken: set[str]) -> Kernel:
    """The kernel with axes renamed that share a name with sizes of the other one; shapes may bring these into it."""
    table = {a.name: f"{a.name}'" for a in k.axes if a.name in taken - set(k.free_sizes)}
    if not table:
        return k
    k = k.with_extents({n: sym(m) for n, m in table.items()})
    statements = tuple(
        replace(s, axes=tuple(replace(a, name=table.get(a.name, a.name)) for a in s.axes)) for s in k.statements
    )
    blocks = tuple(replace(r, axis=table.get(r.axis, r.axis)) for r in k.recurrences)
    return replace(k, statements=statements, recurrences=blocks)


def _agreed(table: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    for n, e in table.items():
        plain = substitute(e, {m: sym(names[m]) for m in symbols_of([e]) & set(names)})
        if plain != sym(names.get(n, n)):
            yield f"{names.get(n, n)} = {words(plain)}"


def _names(table: dict[str, Any], k: Kernel) -> dict[str, Any]:
    return {n: e for n, e in table.items() if n in k.free_sizes}


def _told(name: str, equations: list[Any]) -> bool:
    return any(name in symbols_of([x, y]) for _, _, x, y in equations)


def _solved(a: Kernel, b: Kernel, equations: list[Any], given: set[str]) -> dict[str, Any]:
    """Values of sizes that make shapes equal, in terms of the other sizes."""
    table: dict[str, Any] = {}
    waiting = [(x, y) for _, _, x, y in equations]
    for plain in (True, False):
        again = True
        while again:
            again = False
            for sides in waiting:
                x, y = (sp.expand(substitute(e, table)) for e in sides)
                found = next(_ways(x, y, given, plain), None)
                if found is None:
                    continue
                name, value = found
                table = {n: sp.expand(substitute(e, {name: value})) for n, e in table.items()} | {name: value}
                again = True
    return table


def _ways(x: Any, y: Any, given: set[str], plain: bool) -> Iterator[tuple[str, Any]]:
    """Symbols determined by x = y, with their values; if `plain`, only symbols that are one side."""
    for e, other in ((y, x), (x, y)):
        if e.is_Symbol and e.name not in given and e.name not in symbols_of([other]):
            yield e.name, other
    if plain:
        return
    d = sp.expand(x - y)
    for s in sorted(d.free_symbols, key=lambda s: str(s.name)):
        c = d.coeff(s, 1)
        rest = sp.expand(d - c * s)
        if c == 0 or s.name in given or s.name in symbols_of([rest, c]):
            continue
        value = sp.cancel(-rest / c)
        if value.is_polynomial() and all(t.as_coeff_Mul()[0].is_Integer for t in sp.Add.make_args(sp.expand(value))):
            yield s.name, sp.expand(value)


def _low(k: Kernel) -> list[Any]:
    lows = {p.name: p.low for p in k.parameters}
    facts = [sp.Ge(sym(n), lows.get(n, 1)) for n in k.free_sizes]
    return facts + [sp.Le(sym(p.name), p.high) for p in k.parameters if p.high is not None]


def _check_tensors(a: Kernel, b: Kernel, what: str, ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    for k, other, missing in ((a, b, set(theirs) - set(ours)), (b, a, set(ours) - set(theirs))):
        if missing:
            name = sorted(missing)[0]
            raise ArgumentError(
                f"{other.name} has the {what} {name}, {k.name} has none of that name, but {_listed(ours if k is a else theirs)}; "
                f"equal kernels have the same arguments, so rename one side's"
            )
    for n in ours:
        x, y = a.tensor(n), b.tensor(n)
        if x.dtype != y.dtype:
            raise ArgumentError(f"{n} is {x.dtype} in {a.name} and {y.dtype} in {b.name}: give both one element type")
        if len(x.shape) != len(y.shape):
            raise ArgumentError(
                f"{n} is {_shape(x)} in {a.name} and {_shape(y)} in {b.name}: the shapes differ in dimensions"
            )


def _check_parameters(a: Kernel, b: Kernel) -> None:
    ours, theirs = ({p.name for p in k.parameters} for k in (a, b))
    sizes = set(a.free_sizes) | set(b.free_sizes)
    for name in sorted((ours ^ theirs) & sizes):
        have, lack = (a, b) if name in ours else (b, a)
        if name in lack.free_sizes:
            raise ArgumentError(f"{name} is a parameter of {have.name} and a size of {lack.name}: rename one of them")


def _differ(a: Kernel, b: Kernel, tensor: str, dimension: int) -> None:
    x, y = a.tensor(tensor), b.tensor(tensor)
    raise ArgumentError(
        f"{tensor} is {_shape(x)} in {a.name} and {_shape(y)} in {b.name}: dimension {dimension} is never the same".replace(
            "'", ""
        )
    )


def _shape(t: Tensor) -> str:
    return f"[{', '.join(map(words, t.shape))}]"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "no other one"


__all__ = ["Together", "together"]
