"""Sums of constraints prove nothing false: each yes is compared with all values of a box, and with Z3; wrong rules are caught."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pytest
import sympy as sp

from isamap_encodings import linear, linear_forms, solve
from isamap_encodings.linear import follows, somewhere
from isamap_encodings.linear_forms import NotLinear, combined, constraint, form_of, impossible
from isamap_encodings.program_implication import consistent, implied, truth, value
from isamap_encodings.simplex import Tableau
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.certificates.derive import forget_verdicts
from isamap_smt.ir.expr import Element, FloorDiv, FloorMod, IMax, IMin, Inside, ISelect, sym

I, J, K, N = map(sym, "ijkN")
Box = Mapping[str, range]


def expression(r: random.Random, depth: int) -> Any:
    if depth == 0 or r.random() < 0.2:
        return r.choice([I, J, K, sp.Integer(r.randint(-9, 9))])
    a, b = expression(r, depth - 1), expression(r, depth - 1)
    n = sp.Integer(r.randint(2, 9))
    return r.choice([
        lambda: a + b, lambda: a - b, lambda: n * a, lambda: n * a + b, lambda: a * b, lambda: FloorDiv(a, n),
        lambda: FloorMod(a, n), lambda: IMin(a, b), lambda: IMax(a, b), lambda: n * FloorDiv(a, n) + FloorMod(a, n) + b,
        lambda: Inside(a, n), lambda: ISelect(a, b, expression(r, 0), a + 1),
    ])()  # fmt: skip


def formula(r: random.Random, depth: int) -> Any:
    if depth == 0:
        head = r.choice(["eq", "ne", "le", "lt", "ge", "gt"])
        return (head, expression(r, 1), expression(r, 1))
    parts = [formula(r, depth - 1) for _ in range(2)]
    return r.choice([("and", *parts), ("or", *parts), ("implies", *parts), ("iff", *parts), ("not", parts[0])])


def box(r: random.Random) -> Box:
    lows = {n: r.randint(-4, 2) for n in "ijk"}
    return {n: range(low, low + r.randint(1, 6)) for n, low in lows.items()}


def inside(where: Box) -> list[Any]:
    return [
        f for n, x in where.items() for f in (("le", sp.Integer(x.start), sym(n)), ("lt", sym(n), sp.Integer(x.stop)))
    ]


def points(where: Box, known: list[Any]) -> list[dict[str, int]]:
    every = [dict(zip(where, values, strict=True)) for values in product(*where.values())]
    return [p for p in every if all(truth(f, p) for f in known)]


def questions(seed: int, number: int) -> Iterator[tuple[list[Any], Any, list[dict[str, int]]]]:
    """Assumptions, a claim that is nearly so or nearly not, and all points of the assumptions."""
    r = random.Random(seed)
    for _ in range(number):
        where = box(r)
        known = [*inside(where), *(formula(r, r.randint(0, 2)) for _ in range(r.randint(0, 2)))]
        at = points(where, known)
        e = expression(r, 2)
        found = [value(e, p) for p in at] or [0]
        ends = min(found) - r.randint(-1, 1), max(found) + r.randint(-1, 1)
        claims = [
            ("and", ("le", sp.Integer(ends[0]), e), ("le", e, sp.Integer(ends[1]))),
            ("or", ("lt", e, sp.Integer(ends[1])), formula(r, 1)),
            ("implies", formula(r, 1), ("ge", e, sp.Integer(ends[0]))),
            ("not", ("eq", e, sp.Integer(ends[1] + 1))),
            ("iff", ("lt", e, sp.Integer(ends[1])), ("le", e, sp.Integer(ends[1] - 1))),
            formula(r, 2),
            False,
        ]
        yield known, r.choice(claims), at


def false_ones(seed: int, number: int) -> tuple[int, int]:
    """(how many claims are seen to follow, how many of these do not)."""
    yes = wrong = 0
    for known, claim, at in questions(seed, number):
        if follows(known, claim):
            yes += 1
            wrong += not all(truth(claim, p) for p in at)
    return yes, wrong


@pytest.mark.parametrize("seed", range(4))
def test_what_follows_holds_at_every_point(seed: int) -> None:
    yes, wrong = false_ones(seed, 120)
    assert wrong == 0
    assert yes > 25


def rounded_too_far(terms: Any, constant: int) -> Any:
    by = linear_forms.gcd(*terms.values()) or 1
    return _exact({m: c // by for m, c in terms.items()}, (constant - 1) // by if by > 1 else constant)


def _exact(terms: Any, constant: int) -> Any:
    return linear_forms.Constraint(terms, constant)


def rounded_without_the_constant(terms: Any, constant: int) -> Any:
    by = linear_forms.gcd(*terms.values()) or 1
    return _exact({m: c // by for m, c in terms.items()}, constant)


def divided_too_narrowly(a: Any, b: int) -> Any:
    q = linear_forms.Opaque("q", [])
    rest = linear_forms.added((1, a), (-b, linear_forms.alone(q)))
    q.facts.extend((rest, linear_forms.added((1, linear_forms.number(b - 2)), (-1, rest))))
    return linear_forms.alone(q)


def least_taken_for_the_first(a: Any, b: Any, sign: int) -> Any:
    return a


def least_above_both(a: Any, b: Any, sign: int) -> Any:
    m = linear_forms.Opaque("m", [], (a, b))
    m.facts.extend(linear_forms.added((-sign, x), (sign, linear_forms.alone(m))) for x in (a, b))
    return linear_forms.alone(m)


def one_case_only(literals: Any, every: bool) -> Any:
    found = WHOLE(literals, every)
    return found if every or found is None else linear._Parts((), tuple(c[:1] for c in found.clauses))


def all_cases_at_once(literals: Any, every: bool) -> Any:
    return WHOLE(literals, True)


def never_undone(self: Any, bounds: Any) -> None:
    """What one case assumes is assumed in the next."""


def quotient_in_one_piece(a: Any, b: int) -> Any:
    return tuple((m, c // b) for m, c in a if c // b)


WHOLE = linear._all_or_one
MUTANTS: list[tuple[Any, str, Callable[..., Any]]] = [
    (linear_forms, "_rounded", rounded_too_far),
    (linear_forms, "_rounded", rounded_without_the_constant),
    (linear_forms, "_divided", divided_too_narrowly),
    (linear_forms, "_quotient", quotient_in_one_piece),
    (linear_forms, "_chosen", least_taken_for_the_first),
    (linear_forms, "_chosen", least_above_both),
    (linear, "_all_or_one", one_case_only),
    (linear, "_all_or_one", all_cases_at_once),
    (Tableau, "back", never_undone),
]


@pytest.mark.parametrize(("where", "name", "wrong"), MUTANTS, ids=[w.__name__ for _, _, w in MUTANTS])
def test_a_wrong_rule_is_caught(where: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_verdicts()
    monkeypatch.setattr(where, name, wrong)
    try:
        assert any(false_ones(seed, 120)[1] for seed in range(4))
    finally:
        monkeypatch.undo()
        forget_verdicts()


@pytest.mark.parametrize("denied", ["lt", "le", "eq"])
def test_a_wrong_denial_is_caught(denied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_verdicts()
    monkeypatch.setitem(linear._DENIED, denied, {"lt": "gt", "le": "ge", "eq": "lt"}[denied])
    wrong = any(false_ones(seed, 120)[1] for seed in range(4))
    monkeypatch.undo()
    forget_verdicts()
    # to deny `a <= b` by `a >= b` denies less, and proves less
    assert wrong == (denied != "le")


@pytest.mark.parametrize("seed", range(4))
def test_z3_agrees_where_sizes_are_open(seed: int) -> None:
    r = random.Random(100 + seed)
    yes = 0
    for _ in range(60):
        known = [
            ("le", sp.S.One, N),
            *(f for v in (I, J, K) for f in (("le", sp.S.Zero, v), ("lt", v, r.choice([N, 8 * N, sp.Integer(8)])))),
        ]
        known += [formula(r, r.randint(0, 1)) for _ in range(r.randint(0, 2))]
        claim = r.choice([
            ("lt", 8 * I + J, 8 * N + r.randint(-1, 1)), ("implies", ("eq", 8 * I + J, 8 * K + J), ("eq", I, K)),
            ("le", sp.S.Zero, I * J + r.randint(-1, 1)), ("lt", FloorDiv(I + 8 * J, sp.Integer(8)), 8 * N + r.randint(0, 8)),
            ("le", IMin(I, N - r.randint(0, 2)), N - 1), formula(r, 1),
        ])  # fmt: skip
        if follows(known, claim):
            yes += 1
            assert not isinstance(solve._check(tuple(known), claim, "", None, 400_000, True), Refuted), (known, claim)
    assert yes > 5


# ---- the pieces ----------------------------------------------------------------------------------------------------------


def test_sums_are_made_of_nonnegative_multiples() -> None:
    a, b = constraint(form_of(I - J)), constraint(form_of(J - I - 1))
    assert impossible(combined([(1, a), (1, b)]))
    assert not impossible(combined([(2, a), (1, b)]))
    with pytest.raises(ValueError, match="taken -1 times"):
        combined([(-1, a)])


def test_a_conflict_needs_each_of_its_constraints() -> None:
    t = Tableau()
    for e in (I - J, J - K, K - I - 1):
        t.add(constraint(form_of(e)))
    assert not t.solve()
    assert impossible(combined(t.conflict))
    for n in range(len(t.conflict)):
        assert not impossible(combined([*t.conflict[:n], *t.conflict[n + 1 :]]))


def test_what_the_search_says_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simplex that takes anything for a conflict proves nothing."""

    def anything(self: Tableau) -> bool:
        self.conflict = tuple((1, c) for _, c in (*self.lower.values(), *self.upper.values()))
        return False

    monkeypatch.setattr(Tableau, "solve", anything)
    assert not follows([("le", sp.S.Zero, I)], ("le", sp.S.One, I))


def test_a_divisor_that_may_be_zero_is_the_solvers() -> None:
    known = [("le", sp.S.Zero, I), ("lt", I, sp.Integer(4))]
    assert follows(known, ("lt", I, sp.Integer(5)))
    odd = ("eq", FloorDiv(J, N), sp.S.Zero)
    for extra in (odd, ("or", odd, ("eq", J, J)), ("not", odd), ("implies", odd, odd)):
        assert not follows([*known, extra], ("lt", I, sp.Integer(5)))
    with pytest.raises(NotLinear):
        form_of(FloorMod(I, sp.S.Zero))
    assert not follows([], ("eq", FloorMod(X := sym("x"), N), FloorMod(X, N)))
    assert isinstance(solve.check([("eq", N, sp.S.Zero)], ("eq", FloorDiv(I, N), FloorDiv(I, N) + 1)), Unknown)


def test_an_index_made_of_data_is_below_its_own_extent_only() -> None:
    """Extents in one question say nothing in the next, or of the same tensor elsewhere."""
    small, large = Inside(Element("T", I), sp.Integer(4)), Inside(Element("T", I), sp.Integer(9))
    assert follows([], ("lt", small, sp.Integer(4)))
    assert follows([], ("le", sp.S.Zero, large))
    assert not follows([], ("lt", large, sp.Integer(4)))
    assert not follows([], ("eq", small, Inside(Element("T", J), sp.Integer(4))))
    assert follows([("eq", I, J)], ("le", small, sp.Integer(3)))


def test_a_product_is_known_by_its_sign_alone() -> None:
    known = [("le", sp.S.Zero, I), ("le", sp.S.Zero, J)]
    assert follows(known, ("le", sp.S.Zero, I * J))
    assert not follows(known[:1], ("le", sp.S.Zero, I * J))
    assert not follows(known, ("le", I, I * J))
    assert not follows([("le", sp.Integer(-1), I), ("le", sp.S.Zero, J)], ("le", sp.S.Zero, I * J))


def test_values_are_put_into_the_formulas() -> None:
    known = [("le", sp.S.One, I), ("lt", I, N), ("or", ("eq", J, sp.Integer(3)), ("lt", J, sp.S.Zero))]
    found = somewhere(known)
    assert found is not None
    assert not all(truth(f, {"j": 0, **found}) for f in known)  # clauses are not looked at
    assert isinstance(consistent(known, ["N"]), Proved)
    assert isinstance(consistent([*known, ("lt", N, sp.S.One)], ["N"]), Refuted)
    assert isinstance(consistent([("eq", 2 * I, sp.Integer(3))], []), Refuted)


def test_the_solver_answers_all_that_is_recorded() -> None:
    """The text of a certificate's questions does not depend on what is seen without a solver."""
    known, goals = (
        [("le", sp.S.Zero, I), ("lt", I, sp.Integer(4))],
        [("lt", I, sp.Integer(5)), ("le", sp.S.Zero, 2 * I)],
    )
    assert isinstance(implied(known, goals, []), Proved)
    forget_verdicts()
    with solve.recording() as asked:
        assert isinstance(implied(known, goals, []), Proved)
        assert isinstance(consistent(known, []), Proved)
    assert [q.answer for q in asked] == ["unsat", "sat"]


def test_a_refuted_claim_has_the_solvers_witness() -> None:
    verdict = implied([("le", sp.S.Zero, I), ("lt", I, N), ("le", sp.S.One, N)], [("le", 2 * I, N)], ["N"])
    assert isinstance(verdict, Refuted)
    assert verdict.witness == {"i": 2, "N": 3} or not truth(("le", 2 * I, N), dict(verdict.witness))
