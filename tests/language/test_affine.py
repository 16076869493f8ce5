"""The affine form of an index expression is that of SymPy's coefficients, term by term."""

from __future__ import annotations

from random import Random
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, affine, expanded, sym, symbols_of

NAMES = [sym(n) for n in "ijkNMP"]


def _by_coefficients(e: Any, names: tuple[str, ...]) -> tuple[dict[str, Any], Any] | None:
    rest = e = sp.expand(e)
    found = {n: c for n in names if (c := e.coeff(sym(n), 1)) != 0}
    for n, c in found.items():
        rest = rest - c * sym(n)
    rest = sp.expand(rest)
    return None if symbols_of([rest, *found.values()]) & set(names) else (found, rest)


def _drawn(rng: Random, depth: int) -> Any:
    if not depth or rng.random() < 0.3:
        return rng.choice(NAMES) if rng.random() < 0.7 else sp.Integer(rng.randint(-3, 4))
    a, b = _drawn(rng, depth - 1), _drawn(rng, depth - 1)
    return rng.choice([a + b, a - b, a * b, a * b, FloorDiv(a, rng.randint(1, 4))])


def test_it_is_what_the_coefficients_say() -> None:
    rng, kinds = Random(3), {True: 0, False: 0}
    for _ in range(800):
        e, names = _drawn(rng, 4), tuple(rng.sample("ijkN", rng.randint(1, 4)))
        wanted, got = _by_coefficients(e, names), affine(e, names)
        assert repr(got) == repr(wanted), (e, names)
        assert repr(expanded(e)) == repr(sp.expand(e))
        kinds[wanted is None] += 1
    assert min(kinds.values()) > 100
