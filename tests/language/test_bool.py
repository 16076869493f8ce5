"""Truth values: what is stored, compared, converted and refused, in the interpreter, in C and in the proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.machine import Bits
from isamap_encodings.scalar_values import value
from isamap_smt.cli.compile_kernel import c_header
from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import DTYPES, dtype, from_numpy, widens
from isamap_smt.ir.errors import ArgumentError, DTypeError, LanguageError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.typed import typed_value
from isamap_smt.language.printer import to_text, value_text
from isamap_smt.proof.program import prove_program

TYPES = {"Y": "bool", "A": "bool", "B": "bool", "X": "f32", "N": "i32"}


def assigned(text: str) -> im.Kernel:
    """Y of that value, at 4 x 5 points."""
    used = "".join(f"{n}: {t}\n" for n, t in TYPES.items() if f"{n}[" in f"Y[ {text}")
    return im.kernel(f"{used}axis i < 4\naxis j < 5\nY[i,j] = {text}")


def test_is_a_type_of_one_byte_and_one_bit() -> None:
    of = dtype("bool")
    assert (of.bytes, of.low, of.high, of.numpy, of.c) == (1, 0, 1, np.dtype(np.bool_), "uint8_t")
    assert from_numpy(np.dtype(np.bool_)) == of and im.bool_ == of
    assert [n for n, d in DTYPES.items() if widens(of, d)] == [n for n in DTYPES if n != "e8m0"]  # which lacks 0
    assert not any(widens(d, of) for d in DTYPES.values() if d != of)
    assert of.cells == dtype("u8") and of.lies_as(of) and of.lies_as(of.cells) and not of.lies_as(dtype("i8"))


@pytest.mark.parametrize("name", DTYPES)
def test_a_conversion_asks_whether_a_number_is_0(name: str) -> None:
    kind = dtype(name)
    numbers = [0.0, -0.0, 0.5, -2.0, 256.0, np.nan, np.inf, -np.inf] if kind.is_float else [0, kind.low, kind.high, 1]
    x = np.array(numbers, object if kind.bits == 64 and not kind.is_float else None).astype(kind.numpy)
    assert converted(x, dtype("bool")).tolist() == [bool(v != 0) for v in x]
    text = f"X: {name}[{len(x)}]\nY: bool\nZ: i8\nY[n] = X[n]\nZ[n] = i8(bool(X[n])) * 3"
    for got in (run_kernel(k := im.kernel(text), {"X": x}), im.compile(k, "scalar")(x)):
        assert got["Y"].tolist() == [bool(v != 0) for v in x]
        assert got["Z"].tolist() == [3 * bool(v != 0) for v in x]
    back = run_kernel(im.kernel(f"Y: {name}\nB: bool\nY[n] = {name}(B[n])"), {"B": np.array([True, False])})["Y"]
    assert back.dtype == kind.numpy
    np.testing.assert_array_equal(back.astype(np.float64), [1, np.nan if kind.is_scale else 0])


def test_solvers_convert_as_numbers_do() -> None:
    import sympy as sp
    import z3

    from isamap_smt.ir.scalar import cast

    x = sp.Symbol("x")
    for number in (0, 1, 2, 7, 128, 255):
        assert value(cast("bool", x), {"x": number}, {"x": ("u", 8)}) == (int(number != 0), ("u", 1))
    bits = Bits({"x": ("f", 32), "n": ("i", 16)})
    for tree, leaf, numbers in (
        (cast("bool", x), z3.FP("x", z3.Float32()), (0.0, -0.0, 0.25, float("nan"), float("-inf"))),
        (cast("bool", sp.Symbol("n")), z3.BitVec("n", 16), (0, 1, 256, -1)),
    ):
        for number in numbers:
            at = z3.FPVal(number, z3.Float32()) if isinstance(number, float) else z3.BitVecVal(number, 16)
            found = z3.simplify(z3.substitute(bits.value(tree, ("u", 1)), (leaf, at)))
            assert found.as_long() == int(number != 0), (tree, number)


VALUES = {
    "A[i,j] and not B[i,j]": lambda a, b, x: a & ~b,
    "A[i,j] or X[i,j] < 0": lambda a, b, x: a | (x < 0),
    "A[i,j] & B[i,j] | bool(X[i,j]) ^ A[i,j]": lambda a, b, x: (a & b) | ((x != 0) ^ a),
    "A[i,j] == B[i,j]": lambda a, b, x: a == b,
    "A[i,j] < B[i,j]": lambda a, b, x: ~a & b,
    "max(A[i,j], B[i,j])": lambda a, b, x: a | b,
    "min(A[i,j], bool(X[i,j] + 1))": lambda a, b, x: a & (x + 1 != 0),
    "select(A[i,j], B[i,j], 1)": lambda a, b, x: b | ~a,
    "select(X[i,j] > 0, bool(X[i,j] - 1), B[i,j])": lambda a, b, x: np.where(x > 0, x - 1 != 0, b),
    "X[i,j]": lambda a, b, x: x != 0,
    "f32(A[i,j]) + X[i,j]": lambda a, b, x: a.astype(np.float32) + x != 0,
    "X[i,j] <= X[i,j]": lambda a, b, x: ~np.isnan(x),
    "i < j": lambda a, b, x: np.arange(4)[:, None] < np.arange(5),
    "bool(i - j) and A[i,j]": lambda a, b, x: (np.arange(4)[:, None] != np.arange(5)) & a,
    "1": lambda a, b, x: np.ones_like(a),
}


@pytest.mark.parametrize("machine", ["scalar", "host"])
@pytest.mark.parametrize("text", VALUES)
def test_values_are_what_numpy_makes_of_them(text: str, machine: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.random((4, 5)) < 0.5 for _ in range(2))
    x = rng.choice(np.array([-1, 0, 1, np.nan, 0.5, -0.0], np.float32), (4, 5))
    kernel = assigned(text)
    assert im.kernel(to_text(kernel), name=kernel.name) == kernel
    with np.errstate(all="ignore"):
        wanted = VALUES[text](a, b, x)
    arrays = {n: v for n, v in {"A": a, "B": b, "X": x}.items() if n in kernel.inputs}
    for got in (run_kernel(kernel, arrays)["Y"], im.compile(kernel, machine)(**arrays)):
        assert got.dtype == np.bool_ and got.view(np.uint8).tolist() == np.asarray(wanted).astype(np.uint8).tolist()


@pytest.mark.parametrize("machine", ["scalar", "host"])
@pytest.mark.parametrize(("op", "of", "start"), [("max=", np.any, False), ("min=", np.all, True)])
def test_reductions_begin_at_none_and_all(machine: str, op: str, of: Any, start: bool) -> None:
    a = np.random.default_rng(2).random((3, 7)) < 0.5
    a[0], a[1] = False, True
    k = im.kernel(f"Y: bool\nA: bool\nY[i] {op} A[i,j] where j < 6")
    assert im.compile(k, machine, sizes={"i": 3, "j": 7})(a).tolist() == of(a[:, :6], axis=1).tolist()
    never = im.kernel(f"Y: bool\nA: bool\nY[i] {op} A[i,j] where i < 0")
    for got in (run_kernel(never, {"A": a})["Y"], im.compile(never, machine)(a)):
        assert got.view(np.uint8).tolist() == [start] * 3
    out = np.array([True, False, True])
    im.compile(k, machine)(a, out=out)
    assert out.tolist() == [
        f(x, y)
        for f, x, y in zip([max if op == "max=" else min] * 3, [True, False, True], of(a[:, :6], axis=1), strict=True)
    ]


REFUSED = {
    "Y: bool\nY[i] += X[i,j]": r"Y is bool, and \+= is of numbers; write max= for any of them, min= for all, or .*`Y: i32`",
    "Y: bool\nA: bool\nY[i] *= A[i,j]": r"Y is bool, and \*= is of numbers",
    "Y: bool\nA: bool\nY[i] = A[i] + A[i]": r"line 3, column 8: `\+` is of numbers, not bool\n.*\n.*\n  write a conversion, such",
    "Y: bool\nA: bool\nY[i] = ~A[i]": r"~ is of numbers, not bool",
    "Y: i32\nA: bool\nY[i] = i32(A[i] << 1)": r"a shift is of numbers, not bool",
    "Y: f32\nA: bool\nY[i] = f32(-A[i])": r"a negation is of numbers, not bool",
    "Y: f32\nA: bool\nY[i] = f32(sum(e, 3, A[i]))": r"is of numbers, not bool",
    "Y: bool\nA: bool\nB: i32\nY[i] = A[i] == B[i]": r"compare meets bool and i32.*\n.*\n.*\n.*such as bool\(x\)",
    "Y: bool\nY[i] = 2": r"2 does not fit bool \[0, 1\]",
    "Y: bool\nA: bool\nY[i] = select(A[i], 0.5, 0)": r"0.5 is not an integer, and the value is bool",
    "Y: bool\nY[i] = i": r"which bool does not hold.*write bool\(i\)",
    "Y: f32\nE: f32\nA: bool\nY[i] = E[A[i]]": r"A is bool, and A\[i\] is an index.*\n.*\n.*\n  give it an integer type",
    "Y: i8\nA: bool\nY[i] = sat_i8(A[i] + 1)": r"saturation is defined for integers, not bool.*\n.*\n.*\n.*i32\(x\)",
    "Y: bool\nA: i32\nY[i] = sat_bool(A[i])": r"there is no function 'sat_bool'",
    "Y: bool\nA: f32\nY[i] = round_bool(A[i])": r"there is no function 'round_bool'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_means_nothing_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises((DTypeError, LanguageError), match=REFUSED[text]):
        kernel = im.kernel(text)
        for s in kernel.statements:
            typed_value(kernel, s)


def test_conversions_are_written_out_as_choices() -> None:
    def typed(text: str) -> str:
        k = assigned(text.replace("[i]", "[i,j]"))
        return value_text(typed_value(k, k.statements[0])).replace("[i, j]", "[i]")

    assert typed("X[i]") == typed("bool(X[i])") == "select(X[i] != 0, 1, 0)"
    assert typed("bool(A[i])") == typed("bool(bool(A[i]))") == "A[i]"
    assert typed("bool(X[i] < 2)") == typed("X[i] < 2") == "select(X[i] < 2, 1, 0)"
    assert typed("A[i] & bool(X[i])") == "A[i] & bool(select(X[i] != 0, 1, 0))"


BYTES = np.array([[1, 0, 1], [0, 2, 255]], np.uint8).view(np.bool_)


@pytest.mark.parametrize("machine", ["scalar", "host"])
def test_other_bytes_are_refused(machine: str) -> None:
    k = im.kernel("A: bool\nY[i,j] = select(A[i,j], X[i,j], 0)")
    x = np.ones((2, 3), np.float32)
    with pytest.raises(
        DTypeError, match=r"A\[1, 1\] is the byte 2, and elements of bool are 0 or 1; pass A.view\('uint8'\) != 0"
    ):
        run_kernel(k, {"A": BYTES, "X": x})
    compiled = im.compile(k, machine)
    with pytest.raises(ArgumentError, match=r"A\[1, 1\] is 2, and kernel was proved for A in \[0, 1\]"):
        compiled(BYTES, x)
    assert compiled(BYTES.view(np.uint8) != 0, x).tolist() == [[1, 0, 1], [0, 1, 1]]
    kept = im.kernel("Y: bool\nA: bool\nY[i,j] max= A[i,j]")
    with pytest.raises(DTypeError, match="the byte 2"):
        run_kernel(kept, {"A": np.zeros((2, 3), bool)}, {"Y": BYTES})
    held, compiled = BYTES.copy(), im.compile(kept, machine)
    with pytest.raises(ArgumentError, match=r"Y\[1, 1\] is 2"):
        compiled(np.zeros((2, 3), bool), out=held)
    compiled(np.zeros((2, 3), bool), out=held, accumulate=False)
    assert not held.view(np.uint8).any()
    whole, held = im.compile(im.kernel("Y: bool\nA: bool\nY[i,j] = not A[i,j]"), machine), BYTES.copy()
    whole(np.zeros((2, 3), bool), out=held)  # what it held is in no result
    assert (held.view(np.uint8) == 1).all()


def test_the_header_says_what_a_caller_may_pass() -> None:
    plan = im.plan(im.kernel("Y: bool\nA: bool\nY[i] max= A[i,j]", name="any"), "scalar")
    said = " ".join(c_header(plan.program, "any", ()).split())
    assert "uint8_t Y[I] (bool, output" in said and "const uint8_t *A" in said and "ANY_RANGE_A" in said.upper()
    assert "bool: one byte, 0 or 1, as C's _Bool; a call that reads another byte is refused" in said


def test_a_scalar_may_be_a_python_bool() -> None:
    k = im.kernel("A: bool[]\nY[i] = select(A[], X[i], 0)")
    x = np.ones(3, np.float32)
    for given in (True, np.bool_(True), 1):
        assert run_kernel(k, {"A": given, "X": x})["Y"].all() and im.compile(k, "scalar")(A=given, X=x).all()


def test_vectors_read_bools_as_bytes() -> None:
    k = im.kernel("A: bool\nY[i] = select(A[i], X[i], Z[i])")
    plan = im.plan(k, "avx512", sizes={"i": 64})
    assert "f32_of_u8" in str(plan)
    assert not prove_program(replace(plan.program, kernel=plan.program.kernel.with_dtypes({"A": "i8"}))).proved


MUTANTS = {
    "not taken": ("A[i,j] and B[i,j]", "A[i,j] or B[i,j]"),
    "the other way round": ("X[i,j] < 0.5", "X[i,j] >= 0.5"),
    "NaN is false": ("X[i,j]", "X[i,j] < 0 or X[i,j] > 0"),
    "the last bit": ("bool(N[i,j])", "N[i,j] & 1"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_program_that_computes_something_else_is_not_proved(name: str) -> None:
    right, other = map(assigned, MUTANTS[name])
    plan = im.plan(right, "scalar")
    same, wrong = (replace(plan.program, kernel=replace(k, name=right.name)) for k in (right, other))
    assert prove_program(same).proved
    assert not prove_program(wrong).proved
