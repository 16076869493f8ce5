"""Each rule from SymPy to Z3 against the interpreter: index expressions and relations, negative numbers included;
integer values with wrapping, saturation and casts; values over the reals."""

from __future__ import annotations

import inspect
import random
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings import scalar as encoding
from isamap_encodings import solve, terms
from isamap_encodings.scalar_values import ARITHMETIC
from isamap_encodings.space import _PLAIN, plain
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, Inside, ISelect, evaluate, sym
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import (
    Abs,
    Compare,
    Read,
    Relu,
    SAdd,
    SAnd,
    Select,
    SFloorDiv,
    SInvert,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SOr,
    SShl,
    SShr,
    SSub,
    SXor,
    cast,
    read,
    saturate,
)
from isamap_smt.proof.scalar_trees import kind, leaves

X, Y, N = sym("x"), sym("y"), sym("n")
INDEX = {
    "+": X + Y, "-": X - Y, "*": X * Y, "const *": 7 * X, "//": FloorDiv(X, sp.Integer(3)), "%": FloorMod(X, sp.Integer(3)),
    "// symbol": FloorDiv(X, N), "% symbol": FloorMod(Y, N), "min": IMin(X, Y), "max": IMax(X, Y),
    "nested": FloorDiv(FloorMod(X - 5, sp.Integer(6)) - Y, sp.Integer(2)), "power": X**2,
    "inside": Inside(X, N), "inside number": Inside(X + Y, sp.Integer(5)), "select": ISelect(X, Y, X + 1, Y - N),
    "select of inside": ISelect(Inside(X, N), N - 1, FloorMod(Y, N), X),
}  # fmt: skip
RELATIONS = {"<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne}
CONNECTIVES = {
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a, b: not a,
    "implies": lambda a, b: not a or b, "iff": lambda a, b: a == b,
}  # fmt: skip


def values(seed: int, count: int) -> list[tuple[int, int, int]]:
    rng = random.Random(seed)
    corners = [(-1, 3, 4), (-4, -7, 3), (0, 0, 1), (5, -5, 5)]
    return corners + [(rng.randint(-40, 40), rng.randint(-40, 40), rng.randint(1, 9)) for _ in range(count)]


def at(x: int, y: int, n: int) -> list[Any]:
    return [("eq", X, sp.Integer(x)), ("eq", Y, sp.Integer(y)), ("eq", N, sp.Integer(n))]


@pytest.mark.parametrize("name", INDEX)
def test_index_rules(name: str) -> None:
    for x, y, n in values(len(name), 6):
        value = int(evaluate(INDEX[name], {"x": x, "y": y, "n": n}))
        assert isinstance(solve.check(at(x, y, n), ("eq", INDEX[name], sp.Integer(value))), Proved), (x, y, n)
        for wrong in (value + 1, value - 1):
            assert isinstance(solve.check(at(x, y, n), ("eq", INDEX[name], sp.Integer(wrong))), Refuted), (x, y, n)


@pytest.mark.parametrize("name", RELATIONS)
def test_relation_rules(name: str) -> None:
    """Relations that SymPy would decide or turn round are kept as they stand."""
    relation = RELATIONS[name](X - 2 * Y, FloorMod(Y, N), evaluate=False)
    seen = set()
    for x, y, n in [*values(3, 6), (4, 2, 3), (-4, -2, 2), (3, 1, 1)]:
        holds = bool(evaluate(relation, {"x": x, "y": y, "n": n}))
        seen.add(holds)
        assert isinstance(solve.check(at(x, y, n), plain(relation)), Proved if holds else Refuted), (x, y, n)
    assert name in ("==",) or seen == {True, False} or name == "!="


def test_every_rule_is_compared() -> None:
    """A rule that is added to a table without a case here fails; so does a connective of formulas."""
    heads = {type(p).__name__ for e in INDEX.values() for p in sp.preorder_traversal(e)}
    assert set(terms.RULES) - {"Element"} <= heads  # of data, which may be any number: tests/programs/test_by_data.py
    made = {type(r(X, Y, evaluate=False)).__name__ for r in RELATIONS.values()}
    assert set(terms.RELATIONS) == made
    assert set(_PLAIN) == made
    written = set(re.findall(r'case "(\w+)"', inspect.getsource(terms.Terms._connective)))
    assert written == set(CONNECTIVES) | {"bool"}  # bool names a truth value; it is tested by its users


@pytest.mark.parametrize("name", CONNECTIVES)
def test_connectives(name: str) -> None:
    """and, or, not, implies, iff of two relations on numbers, against Python's."""
    for x, y, n in [*values(9, 8), (2, -2, 1), (-2, 2, 1), (3, 3, 1), (-3, -3, 2)]:
        a, b = ("lt", X, Y), ("le", sp.S.Zero, FloorDiv(X, N))
        formula = (name, a) if name == "not" else (name, a, b)
        holds = CONNECTIVES[name](x < y, x // n >= 0)
        assert isinstance(solve.check(at(x, y, n), formula), Proved if holds else Refuted), (name, x, y, n)


def tree(rng: random.Random, depth: int) -> Any:
    """A value of type i32 over a: u8, b: i8, d: i16."""
    if depth == 0:
        return rng.choice([cast("i32", read("a", sp.S.Zero)), cast("i32", read("b", sp.S.Zero)),
                           cast("i32", read("d", sp.S.Zero)), sp.Integer(rng.choice([-7, 0, 1, 2, 255, 40000]))])  # fmt: skip
    a, b = tree(rng, depth - 1), tree(rng, rng.randrange(depth))
    to = rng.choice(["i8", "u8", "i16", "u16"])
    condition = Compare(sp.Symbol(rng.choice(["<", "<=", ">", ">=", "==", "!="])), a, b)
    return rng.choice(
        [
            SAdd(a, b), SSub(a, b), SMul(a, b), SMul(a, b), SMax(a, b), SMin(a, b), SNeg(a), Relu(a), Abs(a),
            SShr(a, sp.Integer(rng.randrange(32))), SShl(a, sp.Integer(rng.randrange(32))), SShl(a, b), SAnd(a, b), SOr(a, b),
            SXor(a, b), SInvert(a), SFloorDiv(a, b), SMod(a, b), SMod(a, SAdd(SAnd(b, sp.Integer(7)), sp.Integer(-4))),
            cast("i32", cast(to, a)), cast("i32", saturate(to, a)), Select(condition, b, a),
        ]
    )  # fmt: skip


def _typed(value: Any) -> bool:
    """Whether the value has a type of its own: not only numbers."""
    return any(isinstance(p, Read) for p in sp.preorder_traversal(value))


def test_integer_rules_on_random_trees() -> None:
    """The bit-vector value of a tree is what the interpreter computes, and nothing beside it."""
    rng, checked = random.Random(5), 0
    heads: set[str] = set()
    base = im.kernel(
        "c[i] = i32(a[i]) + i32(b[i]) + i32(d[i])", name="t", dtypes={"a": "u8", "b": "i8", "d": "i16", "c": "i32"}
    )
    types = {n: kind(DTYPES[t]) for n, t in (("a", "u8"), ("b", "i8"), ("d", "i16"))}
    while checked < 60:
        value = tree(rng, rng.choice([1, 2, 2, 3]))
        if not _typed(value):
            continue
        index = base.statements[0].inputs[0].index
        local = leaves(value, lambda r: r.tensor)
        put = value.xreplace({r: Read(r.args[0], *index) for r in value.atoms(Read)})
        kernel = replace(base, statements=(replace(base.statements[0], value=put),))
        env = {"a": rng.choice([0, 1, 127, 128, 255]), "b": rng.choice([-128, -1, 0, 1, 127]),
               "d": rng.choice([-32768, -300, 0, 77, 32767])}  # fmt: skip
        arrays = {n: np.array([v], {"a": np.uint8, "b": np.int8, "d": np.int16}[n]) for n, v in env.items()}
        used = {n: a for n, a in arrays.items() if n in kernel.inputs}
        try:
            got = int(run_kernel(kernel, used, sizes=None if used else {"i": 1})["c"][0])
        except im.IsamapError:
            continue  # not a value of the language: a saturated select, say
        ranges = {n: (v, v) for n, v in env.items()}
        args = (types, kind(DTYPES["i32"]), ranges)
        assert isinstance(encoding.equal_integers(local, sp.Integer(got), *args), Proved), (value, env, got)
        other = got + 1 if got < 2**31 - 1 else got - 1
        assert isinstance(encoding.equal_integers(local, sp.Integer(other), *args), Refuted), (value, env, got)
        heads |= {type(p).__name__ for p in sp.preorder_traversal(value)}
        checked += 1
    wanted = {
        "SAdd",
        "SSub",
        "SMul",
        "SShr",
        "SShl",
        "SAnd",
        "SOr",
        "SXor",
        "SInvert",
        "SFloorDiv",
        "SMod",
        "SMax",
        "SMin",
        "SNeg",
        "Relu",
        "Abs",
        "Cast",
        "Saturate",
        "Select",
        "Compare",
    }
    assert wanted <= heads and set(ARITHMETIC) <= wanted


def real(e: Any, env: dict[str, Fraction]) -> Fraction:
    match e:
        case sp.Symbol():
            return env[e.name]
        case sp.Integer():
            return Fraction(int(e))
        case SAdd():
            return real(e.args[0], env) + real(e.args[1], env)
        case SSub():
            return real(e.args[0], env) - real(e.args[1], env)
        case SMul():
            return real(e.args[0], env) * real(e.args[1], env)
        case SNeg():
            return -real(e.args[0], env)
        case SMax():
            return max(real(a, env) for a in e.args)
        case SMin():
            return min(real(a, env) for a in e.args)
    raise TypeError(e)


def test_real_rules_on_random_pairs() -> None:
    """Two values are equal over the reals only if they agree on fractions; what is refuted differs at its witness."""
    rng, words = random.Random(2), {"proved": 0, "refuted": 0}
    names = [sp.Symbol(n) for n in "abd"]

    def draw(depth: int) -> Any:
        if depth == 0:
            return rng.choice(names)
        a, b = draw(depth - 1), draw(rng.randrange(depth))
        return rng.choice([SAdd(a, b), SSub(a, b), SMul(a, b), SMax(a, b), SMin(a, b), SNeg(a)])

    def turned(e: Any) -> Any:
        """The same value, written another way."""
        if not e.args:
            return e
        args = [turned(a) for a in e.args]
        if isinstance(e, SAdd | SMul | SMax | SMin):
            args.reverse()
        return SSub(sp.Integer(0), args[0]) if isinstance(e, SNeg) else e.func(*args)

    types = {n.name: ("f", 32) for n in names}
    for k in range(40):
        one = draw(rng.choice([1, 2]))
        two = turned(one) if k % 2 else draw(rng.choice([1, 2]))
        verdict = encoding.equal_reals(one, two, types)
        words[verdict.word] = words.get(verdict.word, 0) + 1
        differ = False
        for _ in range(12):
            env = {n.name: Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for n in names}
            differ = differ or real(one, env) != real(two, env)
        assert not (isinstance(verdict, Proved) and differ), (one, two)
        assert k % 2 == 0 or not isinstance(verdict, Refuted), (one, two)
    assert words["proved"] >= 15 and words["refuted"] >= 10
