"""One table of operations: each head has a row, is written and read back, and without a row no algebra guesses."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings import error_steps
from isamap_encodings.machine import IEEE, SIGNED, UNSIGNED, WHOLE
from isamap_encodings.scalar import equal_integers, equal_reals
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.scalar_values import ARITHMETIC
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir import scalar
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.evaluate import Evaluator
from isamap_smt.ir.expr import sym
from isamap_smt.ir.heads import ATOM, CONSTANTS, CONVERSIONS, FUNCTIONS, HEADS, INFIX, Function
from isamap_smt.ir.meaning import Fold, Meaning, Rows
from isamap_smt.ir.rounding_bound import NOTHING, Bounds
from isamap_smt.ir.scalar import Abs, Compare, IndexValue, Read, SAdd, Scalar, Select, Sum, Unary, read
from isamap_smt.ir.typed import EXACT, operands, own_type
from isamap_smt.isa.contract import NotCovered, run_contract, start
from isamap_smt.mapping.point_c import ANYTHING, c_value, span

BASES = {Scalar, Unary, scalar.Binary, scalar.Constant}
STRUCTURE = {Read, IndexValue, Compare, Sum, *BASES}  # written in a way of their own
CLASSES = {c for c in vars(scalar).values() if isinstance(c, type) and issubclass(c, Scalar)}
F32, X = DTYPES["f32"], sp.Symbol("x")


class Unheard(Scalar):
    """An operation of two values that no table has."""


def test_each_head_has_a_row() -> None:
    assert CLASSES - set(HEADS) == STRUCTURE and set(HEADS) <= CLASSES
    functions = {h for h in CLASSES if issubclass(h, Unary | scalar.Binary)} - {Unary, scalar.Binary}
    assert functions == {h for h, r in HEADS.items() if isinstance(r, Function)}


@pytest.mark.parametrize("head", HEADS, ids=lambda h: h.__name__)
def test_each_is_written_and_read_back(head: type[Scalar]) -> None:
    row, kind = HEADS[head], "f32" if head.floating or head is scalar.Round else "i32"
    parts = ["x[i]", "x[i + 1]", "x[i + 2]"][: row.arity]
    if not row.arity:
        text = row.text
        assert CONSTANTS[text] is head
    elif row.infix:
        text = f" {row.text} ".join(parts)
        assert INFIX[row.text] is head
    elif head in CONVERSIONS:
        text = f"{row.text}i8({parts[0]})"
    elif head is Select:
        text = "select(x[i] < x[i + 3], x[i + 1], x[i + 2])"
    elif row.binds < ATOM:
        text = f"{row.text}{parts[0]}"
    else:
        text = f"{row.text}({parts[0]})" if row.arity == 1 else f"{row.text}({', '.join(parts)})"
        assert FUNCTIONS[row.text] is head
    out = "i8" if head in CONVERSIONS else kind
    text = text if row.arity else f"max(x[i], {text})"
    made = im.kernel(f"y[i] = {text}", dtypes={"x": kind, "y": out})
    value = made.statements[0].value
    assert type(value if row.arity else value.args[1]) is head
    assert im.to_text(made).splitlines()[-1].removeprefix("y[i] = ") == text


def test_solvers_know_no_other_heads() -> None:
    names = {h.__name__ for h in HEADS}
    assert all(set(table) <= names for table in (IEEE, SIGNED, UNSIGNED, WHOLE, ARITHMETIC))


def test_integers_are_those_of_numpy() -> None:
    numbers = np.arange(-9, 10)
    a, b = (x.reshape(-1) for x in np.meshgrid(numbers, numbers))
    for name, exact in ARITHMETIC.items():
        row = HEADS[getattr(scalar, name)]
        given = (a, b)[: row.arity]
        assert row.numpy(*given).tolist() == [exact(*map(int, x)) for x in zip(*given, strict=True)], name


def test_no_algebra_guesses() -> None:
    tree = Unheard(read("x", sym("i")), read("x", sym("i")))
    types = {"x": F32, "y": F32}
    assert span(tree, types, F32) == ANYTHING
    with pytest.raises(ScheduleError, match="portable C has no exact Unheard"):
        c_value(tree, {"x": ("x", F32)}, F32)
    with pytest.raises(KeyError):
        Evaluator(im.kernel("y[i] = x[i]"), {"x": np.ones(3, np.float32)}).value(
            tree, {"i": np.arange(3), "#": np.arange(3)}, F32
        )
    assert Bounds(im.kernel("y[i] = x[i]"), {}).of(tree, F32) is NOTHING
    leaf, (f32, i32) = Unheard(X, X), (("f", 32), ("i", 32))
    assert isinstance(equal_floats(leaf, X, {"x": f32}, f32, {}), Unknown)
    assert isinstance(equal_integers(leaf, X, {"x": i32}, i32, {}), Unknown)
    assert isinstance(equal_reals(leaf, X, {"x": f32}), Unknown)
    one = error_steps.Known(*map(error_steps.Fraction, (1, 2)))
    assert error_steps.step("unheard", [one], one, None).word == "unknown"


def test_a_function_that_the_reals_lack_is_an_unknown_one() -> None:
    """So of two arguments it may be the same, and nothing is refuted."""

    class Odd(Unary):
        """A function that no table has."""

    types = {"x": ("f", 32), "z": ("f", 32)}
    assert not isinstance(equal_reals(Odd(X), Odd(sp.Symbol("z")), types), Refuted)


def test_contracts_are_not_read_where_a_head_is_none_of_theirs() -> None:
    with pytest.raises(NotCovered, match="exp is not compared bit for bit here"):
        made = im.kernel("y[i] = exp(x[i])", sizes={"i": 1})
        run_contract(made, start({"x": (F32, 1), "y": (F32, 1)}))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("x[i] + 1", "f32 f32"), ("u8(300)", "i64"), ("u8(300 + 1)", "i64"), ("u8(2.5 + 1)", "f64"), ("u8(x[i])", "f32"),
        ("round_i8(0.5)", "f64"), ("round_i8(x[i])", "f32"), ("sat_i8(n[i] + 1)", "exact"), ("-(2 + 1)", "i8"),
        ("select(i < 3, 1, 2)", "i64 i64 i8 i8"), ("select(x[i] < 1, 1, 2)", "f32 f32 i8 i8"),
    ],
)  # fmt: skip
def test_the_walk_knows_which_type_literals_take(text: str, kinds: str) -> None:
    types = {"x": F32, "n": DTYPES["i32"]}
    tree = im.kernel(f"y[i] = {text}").statements[0].value
    own = own_type(tree, DTYPES["i8"], types)
    assert " ".join(k.name for _, k in operands(tree, own, types)) == kinds
    assert any(k is EXACT for _, k in operands(tree, own, types)) == (kinds == "exact")


def test_the_nearest_base_class_that_has_a_row_counts() -> None:
    class Depth(Fold[int]):
        """How deep a tree is; of what is abs nothing."""

        leaves: ClassVar[Rows] = {sp.Symbol: lambda self, x: 1, Abs: lambda self, x: 0}
        rows: ClassVar[Rows] = {Scalar: lambda self, x, *parts: 1 + max(parts)}

    assert Depth().of(SAdd(SAdd(X, X), Abs(SAdd(X, X)))) == 3
    with pytest.raises(TypeError, match="Depth has no row for Str"):
        Depth().of(sp.core.symbol.Str("x"))

    class Types(Meaning[str]):
        """The type of a tree as its walk finds it."""

        leaves: ClassVar[Rows] = {Read: lambda self, x, own: own.name}

    with pytest.raises(TypeError, match="Types has no row for SAdd"):
        Types({"x": F32}).of(SAdd(read("x", sym("i")), 1), F32)
