"""The rule table says in Z3 what the interpreter computes on plain integers, and nothing is proved from a contradiction."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from isamap_encodings import digits, solve
from isamap_encodings.space import FusedSpace, spans_tiles
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, evaluate, sym

X, Y, N = sym("x"), sym("y"), sym("n")


def trees() -> st.SearchStrategy[Any]:
    leaves = st.sampled_from([X, Y, N]) | st.integers(-9, 9).map(sp.Integer)
    return st.recursive(
        leaves,
        lambda t: st.one_of(
            st.tuples(t, t).map(lambda p: p[0] + p[1]),
            st.tuples(t, t).map(lambda p: p[0] * p[1]),
            st.tuples(t, st.integers(1, 7)).map(lambda p: FloorDiv(p[0], sp.Integer(p[1]))),
            st.tuples(t, st.integers(1, 7)).map(lambda p: FloorMod(p[0], sp.Integer(p[1]))),
            t.map(lambda e: FloorDiv(e, N)),
            t.map(lambda e: FloorMod(e, N)),
            st.tuples(t, t).map(lambda p: IMin(*p)),
            st.tuples(t, t).map(lambda p: IMax(*p)),
        ),
        max_leaves=6,
    )


@pytest.mark.parametrize("products", [None, frozenset(["n"])])
@settings(max_examples=60)
@given(tree=trees(), x=st.integers(-20, 20), y=st.integers(-20, 20), n=st.integers(1, 9))
def test_every_rule_agrees_with_plain_integers(products: Any, tree: Any, x: int, y: int, n: int) -> None:
    value = evaluate(tree, {"x": x, "y": y, "n": n})
    at = [("eq", X, sp.Integer(x)), ("eq", Y, sp.Integer(y)), ("eq", N, sp.Integer(n))]
    assert not isinstance(solve.check(at, ("eq", tree, sp.Integer(value)), products=products), Refuted)
    wrong = solve.check(at, ("ne", tree, sp.Integer(value)), products=products)
    assert not isinstance(wrong, Proved)
    if products is None and not _multiplies(tree):
        assert isinstance(solve.check(at, ("eq", tree, sp.Integer(value))), Proved)


def _multiplies(e: Any) -> bool:
    return any(isinstance(t, sp.Pow | sp.Mul | FloorDiv | FloorMod) for t in sp.preorder_traversal(e))


def test_a_divisor_that_may_be_zero_proves_nothing() -> None:
    assert isinstance(solve.check([], ("eq", sp.S.Zero, sp.S.One)), Refuted)
    verdict = solve.check([], ("eq", FloorDiv(X, N), FloorDiv(X, N) + 1))
    assert isinstance(verdict, Unknown)
    assert "a divisor is not known to be positive" in verdict.reason
    contradiction = solve.check([("eq", N, sp.S.Zero)], ("eq", FloorMod(X, N), FloorMod(X, N) + 1))
    assert isinstance(contradiction, Unknown)
    positive = [("le", sp.S.One, N)]
    assert isinstance(solve.check(positive, ("lt", FloorMod(X, N), N)), Proved)


def test_floor_rounds_down_below_zero() -> None:
    below = [("eq", X, sp.Integer(-1))]
    assert isinstance(solve.check(below, ("eq", FloorDiv(X, sp.Integer(4)), sp.Integer(-1))), Proved)
    assert isinstance(solve.check(below, ("eq", FloorMod(X, sp.Integer(4)), sp.Integer(3))), Proved)


def test_products_as_variables_prove_and_never_refute() -> None:
    given = [("le", sp.S.Zero, X), ("le", sp.S.Zero, Y)]
    names = frozenset(["x", "y"])
    assert isinstance(solve.check(given, ("le", sp.S.Zero, X * Y + X), products=names), Proved)
    assert isinstance(solve.check(given, ("le", X * Y, X), products=names), Unknown)


def test_what_no_rule_covers_is_unknown() -> None:
    verdict = solve.check([], ("eq", sp.sin(X), X))
    assert isinstance(verdict, Unknown) and "not expressible: sin" in verdict.reason


def test_the_limit_counts_steps_and_a_limit_reached_is_unknown() -> None:
    a, b, c = sym("a"), sym("b"), sym("c")
    given = [("le", sp.S.One, v) for v in (a, b, c)]
    hard = ("ne", a**3 + b**3, c**3)
    one, two = (solve.check(given, hard, rlimit=20_000 + k) for k in range(2))
    assert isinstance(one, Unknown) and isinstance(two, Unknown)
    assert "Z3 gave up after 20000 steps" in one.reason


def test_the_text_of_every_query_is_at_hand_and_says_the_same() -> None:
    import z3

    with solve.recording() as queries:
        solve.check([("le", sp.S.Zero, X)], ("le", sp.S.Zero, X + 1), "sum")
    (query,) = queries
    assert (query.name, query.answer) == ("sum", "unsat")
    again = z3.Solver()
    again.from_string(query.smtlib)
    assert again.check() == z3.unsat


def test_hypotheses_are_satisfiable_or_not() -> None:
    assert isinstance(solve.satisfiable([("le", sp.S.One, X)]), Proved)
    assert isinstance(solve.satisfiable([("le", sp.S.One, X), ("le", X, sp.S.Zero)]), Refuted)


@pytest.mark.parametrize(
    ("name", "n"),
    [("digit", 0), ("range", 0), ("unfuse", 0)]
    + [(name, n) for name in ("tile", "split", "ceil", "whole") for n in (1, 4, 16)],
)
def test_every_lemma_is_proved(name: str, n: int) -> None:
    assert isinstance(digits.lemma(name, n), Proved)


def test_spans_tiles_looks_at_integer_coefficients_only() -> None:
    assert spans_tiles([sp.Integer(8)], 4) and not spans_tiles([sp.Integer(6)], 4)
    assert spans_tiles([N, sp.Integer(4)], 4) and not spans_tiles([N], 4)
    assert not spans_tiles([4 * N + 2], 4) and spans_tiles([4 * N + 8], 4)


def test_the_total_of_an_empty_group_is_one_point() -> None:
    space = FusedSpace((("x", N),), (("i", 4, ()), ("j", 4, ("x",))), (), (), frozenset())
    assert (space.total("i"), space.total("j")) == (1, N)
