"""Statements that are no sums of products are computed by instructions, lane by lane, and every step of it is proved or refuted."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from benchmarks.fuzz_selection import one
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import UnknownNameError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import fused_exactly
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.runtime.conformance.rounding import judged_by

AVX2 = isamap_hardware.load("avx2")
EXPRESSIONS = (
    "A + B", "A - B * C", "A * B + C", "A * B - C * D", "(A + B) * (A - B)", "A / B", "A / (B + C)", "max(A, B)", "min(A, B)",
    "max(min(A, B), C)", "relu(A)", "relu(A + B)", "max(A, 0)", "min(max(A, 0), 6)", "max(A, 0) * 0.5", "A * 2.5 + 1", "1 - A",
    "-A", "-(A + B)", "-(-A)", "A * A", "A * A * A", "A * A + B * B", "(A - B) * (A - B)", "(A - B) / C * D + B",
    "select(A < B, A, B)", "select(A <= 0, 0.01 * A, A)", "select(A == B, C, D)", "select(A < 0, -A, A)", "abs(A)", "abs(A - B)",
    "sqrt(A)", "A / sqrt(B + 0.00001)", "(A - B) / sqrt(C + 0.00001) * D + A", "rsqrt(A)", "floor(A)", "A - floor(A)", "rint(A)",
    "ceil(A) - trunc(B)",
    "rint(A / B) * B", "exp(A)",
    "exp(A - B)", "exp(A - B) / C", "log(A)", "log(A) - B", "tanh(A)", "sigmoid(A)", "A * sigmoid(A)", "A * sigmoid(1.702 * A)",
    "tanh(A) * sigmoid(B) + C", "0.5 * A * (1 + erf(A * 0.70710678))",
    "0.5 * A * (1 + tanh(0.79788456 * (A + 0.044715 * A * A * A)))",
    "((A * B + C) * D - A) * (B - C) / (D * D + 1) + max(A * C, B * D) - min(A + B, C + D) * select(A < B, C - A, D + B)",
)  # fmt: skip


def statement(text: str, target: str = "Y[i,j]", op: str = "=", dtype: str = "f32") -> im.Kernel:
    """The expression over elements of matrices; D is a row."""
    for name in "ABC":
        text = _element(text, name, f"{name}[i,j]")
    text = _element(text, "D", "D[j]")
    made = im.kernel(f"{target} {op} {text}", name="statement")
    return made.with_dtypes({t.name: dtype for t in made.tensors})


def _element(text: str, name: str, element: str) -> str:
    return "".join(element if c == name else c for c in text)


def selected(kernel: im.Kernel, machine: im.Hardware = AVX2) -> Instruction:
    found = selected_instruction(machine, kernel)
    assert found is not None
    return found


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_are_covered_and_proved_in_two_seconds(text: str) -> None:
    kernel = statement(text)
    _loaded()
    before = time.perf_counter()
    taken = selected(kernel)
    found = im.prove(im.fuse(kernel, taken, "l=j", _by_tensor(kernel, taken)))
    assert time.perf_counter() - before < 2
    assert isinstance(found, im.ProvedMapping), str(found)
    assert {c.claim for c in found.proof.claims} >= {"scalar", "coverage", "bounds"}


@functools.cache
def _loaded() -> None:
    """What Python loads for the first proof is no part of the time."""
    kernel = statement("A * B")
    im.prove(im.fuse(kernel, selected(kernel), "l=j"))


def _by_tensor(kernel: im.Kernel, taken: Instruction) -> dict[str, str]:
    inputs = taken.kernel.inputs
    return dict(zip(inputs, kernel.inputs, strict=True))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(5))
def test_random_statements_equal_numpy(seed: int) -> None:
    one(31000 + seed, "avx2")


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(100))
def test_more_random_statements_equal_numpy(seed: int) -> None:
    one(32000 + seed, "avx2")


def test_a_part_that_is_used_twice_is_computed_once() -> None:
    taken = selected(statement("(A + B) * (A + B)"))
    assert taken.emit.count("_mm256_add_ps") == 1
    assert taken.emit.count("_mm256_mul_ps") == 1


def test_what_is_computed_alone_is_not_fused_and_sums_are() -> None:
    alone, summed = selected(statement("A * B + C")), selected(statement("A * A", "Y[i]", "+="))
    assert "fmadd" not in alone.emit and alone.rounding == "unfused"
    assert "fmadd" in summed.emit and summed.rounding == "fused"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("A + B", "A - B"), ("A * B + C", "A * B - C"), ("max(A, 0)", "max(A, 1)"), ("max(A, B)", "select(A < B, B, A)"),
     ("A / B", "A * (1 / B)"), ("select(A < B, A, B)", "select(A <= B, A, B)"), ("A + B + C", "A + (B + C)")],
)  # fmt: skip
def test_steps_that_compute_something_else_are_refuted(right: str, wrong: str) -> None:
    """The wrong one of a pair differs in an operation, a number, at NaN, in the sign of a zero, or in its rounding."""
    kernel = statement(right)
    taken, other = selected(kernel), selected(statement(wrong))
    mutant = replace(taken, exact=other.exact)
    found = im.prove(im.fuse(kernel, mutant, "l=j", _by_tensor(kernel, mutant)))
    assert isinstance(found, im.Rejection)
    assert found.refuted and "scalar instruction" in str(found.claim)


def test_steps_whose_c_is_wrong_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the proof stands the text of the C; it runs on operands before a kernel is compiled with it."""
    from isamap_smt.pipeline import choose

    def wrong(machine: im.Hardware, kernel: im.Kernel, number: int = 0) -> Instruction | None:
        taken = selected_instruction(machine, kernel, number)
        return None if taken is None else replace(taken, emit=taken.emit.replace("_mm256_add_ps", "_mm256_sub_ps"))

    monkeypatch.setattr(choose, "selected_instruction", wrong)
    kernel = statement("A + B * 1.25")
    with pytest.raises(im.IsamapError, match="does not do what its description says"):
        im.build(im.plan(kernel, AVX2, sizes={"i": 5, "j": 13}))


def test_a_sum_inside_a_product_may_be_rounded_once_too() -> None:
    """Which of several sums are fused with their product the contract does not say: they are held to the bound of their errors."""
    plan = _runs_as_interpreted("V[i] += (X[i] - Z[i] / 7) * (X[i] - Z[i] / 7)", {"i": 40})
    assert plan.instruction is not None and plan.instruction.emit.count("fmadd") == 2
    assert not fused_exactly(plan.instruction) and judged_by(plan.instruction) == "within the error bound of its sum"


def test_a_quotient_that_tells_zeros_apart_is_left_alone() -> None:
    """max may give +0 or -0, and 1 over it is infinity of either sign; a number above 0 keeps it away from there."""
    assert selected_instruction(AVX2, statement("A / max(B, C)")) is None
    assert selected_instruction(AVX2, statement("A / (relu(B) * C)")) is None
    assert "max" in selected(statement("A / max(B, 0.001)")).emit


@pytest.mark.parametrize(
    ("divisor", "selected"),
    [
        ("max(B, min(0.375, 9.0))", True),
        ("max(B, min(-1.0, 9.0))", False),
        ("min(max(B, 2.0), max(C, 3.0))", True),
        ("min(B, max(-4.0, -2.0))", True),
        ("max(B, C)", False),
    ],
)
def test_numbers_keep_a_divisor_away_from_zeros(divisor: str, selected: bool) -> None:
    assert (selected_instruction(AVX2, statement(f"A / {divisor}")) is not None) == selected


def test_a_machine_without_the_instruction_computes_the_part_in_portable_c() -> None:
    kernel = statement("A / B + C")
    without = replace(AVX2, instructions=tuple(i for i in AVX2.instructions if "div" not in i.name))
    taken = selected(kernel, without)
    assert "for (int" in taken.emit and "_mm256_add_ps" in taken.emit
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal((9, 21), np.float32) for _ in range(3))
    got = im.build(im.plan(kernel, without, sizes={"i": 9, "j": 21}))(a, b, c)
    np.testing.assert_array_equal(got, a / b + c)


def test_a_machine_without_any_of_them_leaves_it_to_portable_c() -> None:
    bare = replace(AVX2, instructions=tuple(i for i in AVX2.instructions if i.kind != "compute" or "madd" in i.name))
    assert selected_instruction(bare, statement("max(A, B) - C")) is None


@pytest.mark.one_in(
    3,
    each=(
        "axis",
        "op",
    ),
)
@pytest.mark.parametrize("op", ["+=", "max=", "min="])
@pytest.mark.parametrize("axis", ["i", "j"])
def test_rows_and_columns_are_reduced_in_lanes(op: str, axis: str) -> None:
    """Rows lie along the sum: their lanes hold partial results, and the plan says so."""
    kernel = im.kernel(f"Y[{axis}] {op} X[i,j]", dtypes={"X": "f32", "Y": "f32"}, name="reduced")
    planned = im.plan(kernel, AVX2, sizes={"i": 37, "j": 203})
    assert planned.instruction is not None
    assert (planned.split is not None) == (axis == "i")
    x = np.random.default_rng(1).standard_normal((37, 203), np.float32)
    x[3, 5] = np.nan
    reduce = {"+=": np.add, "max=": np.maximum, "min=": np.minimum}[op].reduce
    wanted = reduce(x.astype(np.float64), axis=1 if axis == "i" else 0)
    got = im.build(planned)(x)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    if op != "+=":
        np.testing.assert_array_equal(got, wanted.astype(np.float32))


SOFTMAX = """
temporary M, E, S
M[i] max= X[i,j]
E[i,j] = exp(X[i,j] - M[i])
S[i] += E[i,j]
Y[i,j] = E[i,j] / S[i]
"""


def softmax() -> im.Kernel:
    return im.kernel(SOFTMAX, dtypes=dict.fromkeys("MXESY", "f32"), name="softmax")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("shape", [(1, 1), (13, 67)])
def test_softmax(shape: tuple[int, int]) -> None:
    planned = im.plan(softmax(), AVX2, sizes=dict(zip("ij", shape, strict=True)))
    x = np.random.default_rng(2).standard_normal(shape, np.float32) * 20
    wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(im.build(planned)(x), wide / wide.sum(1, keepdims=True), rtol=2e-5, atol=1e-7)


def test_the_sums_of_two_statements_are_taken_apart_and_certified(tmp_path: Any) -> None:
    """Its certificate names the chain, derives both claims again, and refutes another one."""
    from isamap_smt.certificates.run import check_directory
    from isamap_smt.certificates.saved import save

    planned = im.plan(softmax(), AVX2, sizes={"i": 12, "j": 64})
    assert planned.split is not None
    assert [s.whole.statements[s.row.statement].op for s in planned.split.split.chain] == ["max", "+"]
    assert len(planned.program.schedules) == 4
    save(planned.checked, tmp_path, split=planned.split)
    outcomes = check_directory(tmp_path, cache=False, jobs=1)
    assert {o.status for o in outcomes} == {"ok"}, outcomes


ATTENTION = """
Y[i,j] += A[i,k] * B[k,j]
M[i] max= Y[i,j]
E[i,j] = exp(Y[i,j] - M[i])
S[i] += E[i,j]
O[i,j] = E[i,j] / S[i]
"""


def _runs_as_interpreted(text: str, sizes: dict[str, int], machine: im.Hardware = AVX2, **pins: int) -> im.Plan:
    kernel = im.kernel(text, name="statements")
    planned = im.plan(kernel, machine, sizes=sizes, fix={k.replace("_", "."): n for k, n in pins.items()})
    sized = kernel.with_sizes(sizes)
    rng = np.random.default_rng(5)
    arrays = {n: rng.standard_normal([int(e) for e in sized.tensor(n).shape], np.float32) for n in kernel.inputs}
    got, wanted = im.build(planned)(**arrays), im.run_kernel(sized, arrays)
    for name in kernel.outputs:
        result = got[name] if isinstance(got, dict) else got
        np.testing.assert_allclose(result, wanted[name], rtol=1e-4, atol=1e-5)
    return planned


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "text", ["Y[i,j] = X[i,j] * i", "Y[l] = X[l] + l", "Y[l] += X[l,j] * l", "M[i] max= X[i,j] - j"]
)
def test_values_of_axes_are_elements_of_temporaries(text: str) -> None:
    assert selected_instruction(AVX2, im.kernel(text)) is None
    planned = _runs_as_interpreted(text, dict.fromkeys([a.name for a in im.kernel(text).axes], 19))
    assert planned.instruction is not None and "values of axes as elements of" in str(planned.split)


def test_operands_of_a_made_instruction_have_one_order() -> None:
    """Of nine operands of two types 8! orders fit the types, and each was judged."""
    text = "A: i32\nY[i] = select(A[i] > 3, a[i] + b[i], c[i] + d[i]) * max(e[i], f[i]) + g[i] * h[i]"
    plan = im.plan(im.kernel(text, name="nine"), AVX2, sizes={"i": 37})
    assert len(plan.instruction.kernel.inputs) == 9 and plan.mappings.family.operands == "fixed"
    rng = np.random.default_rng(7)
    A, a, b, c, d, e, f, g, h = (rng.integers(-9, 10, 37).astype(np.float32) for _ in range(9))
    want = np.where(A > 3, a + b, c + d) * np.maximum(e, f) + g * h
    got = im.build(plan)(A=A.astype(np.int32), a=a, b=b, c=c, d=d, e=e, f=f, g=g, h=h)
    np.testing.assert_array_equal(got, want)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "sizes", "ops"),
    [(ATTENTION, {"i": 9, "j": 33, "k": 20}, ["max", "+"]),
     ("M[i] max= X[i,j]\nN[i] min= Z[i,l]", {"i": 16, "j": 100, "l": 90}, ["max", "min"]),
     ("Y[i,j] += A[i,k] * B[k,j]\nM[i] max= Y[i,j]\nM[i] max= Y[i,j]", {"i": 16, "j": 100, "k": 4}, ["max", "max"])],
)  # fmt: skip
def test_sums_behind_sums_are_taken_apart(text: str, sizes: dict[str, int], ops: list[str]) -> None:
    """Behind a product that stays whole, over another axis, and of two statements that are the same."""
    split = _runs_as_interpreted(text, sizes).split
    assert split is not None
    assert [s.whole.statements[s.row.statement].op for s in split.split.chain] == ops


@pytest.mark.parametrize("parts", [16, 64])
def test_many_partial_maxima_are_one_maximum(parts: int) -> None:
    """Choices of choices are written once each: the C of 64 is four times that of 16."""
    planned = _runs_as_interpreted("M[i] max= X[i,j]", {"i": 5, "j": 300}, split_j=parts)
    assert len(im.print_c(planned.checked)) < 1000 * parts + 20_000


@pytest.mark.one_in(3)
@pytest.mark.parametrize("j, parts, masked", [(300, 16, True), (1000, 32, True), (2048, 128, False)])
def test_lanes_hold_partial_maxima_in_as_many_chains_as_a_row_is_long(j: int, parts: int, masked: bool) -> None:
    planned = im.plan(im.kernel("M[i] max= X[i,j]"), isamap_hardware.load("avx512"), sizes={"i": 40, "j": j})
    assert planned.split is not None
    assert (planned.split.split.row.parts, planned.split.split.row.masked) == (parts, masked)


@pytest.mark.parametrize("name", ["avx512.selected", "no.selected"])
def test_what_another_machine_would_select_is_unknown(name: str) -> None:
    with pytest.raises(UnknownNameError, match=name):
        im.plan(statement("A + B * C"), AVX2, sizes={"i": 4, "j": 9}, instruction=name)
    assert im.plan(statement("A + B * C"), AVX2, sizes={"i": 4, "j": 9}, instruction="avx2.selected").instruction


@pytest.mark.parametrize("element", ["2*l", "7 - l"])
def test_loads_that_skip_or_turn_elements_round_are_no_plain_loads(element: str) -> None:
    add = AVX2.instruction("add_ps")
    odd = im.instruction(
        "avx2.odd_load", f"r[l] = m[{element}]", axes={"l": 8}, dtypes=dict.fromkeys("rm", "f32"),
        places={"r": "ymm", "m": "memory"}, c_types={"r": "__m256"}, headers=add.headers, requires=add.requires,
        emit="{r} = _mm256_i32gather_ps({m}, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 4);",
    )  # fmt: skip
    machine = replace(AVX2, instructions=(odd, *AVX2.instructions))
    taken = selected(statement("exp(A + B) * C"), machine)
    assert "gather" not in taken.emit and taken == selected(statement("exp(A + B) * C"))


def test_steps_in_other_registers_are_not_taken() -> None:
    """`i32` of a register is no step where no register holds i32 lane by lane."""
    convert = im.instruction(
        "avx2.convert", "c[l] = i32(a[l])", axes={"l": 8}, dtypes={"c": "i32", "a": "f32"}, places={"c": "ymm", "a": "ymm"},
        c_types={"c": "__m256i", "a": "__m256"}, emit="{c} = _mm256_cvttps_epi32({a});",
    )  # fmt: skip
    fewer = tuple(i for i in AVX2.instructions if i.short != "load_i32")
    kernel = im.kernel("Y[i,j] = f32(i32(A[i,j])) + B[i,j] * 2")
    assert selected_instruction(replace(AVX2, instructions=(*fewer, convert)), kernel) is None
    with_all = selected(kernel, replace(AVX2, instructions=(*AVX2.instructions, convert)))
    assert "_mm256_cvttps_epi32" in with_all.emit


@pytest.mark.parametrize("name", ["selected", "avx2.selected"])
def test_the_command_line_takes_it_by_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schedule", "avx2", "--sizes", "i=4,j=40", "--instruction", name, "--text"]
    assert run([*words, "Y[i,j] = (A[i,j] + B[i,j]) * 2"]) == 0
    assert "avx2.selected" in capsys.readouterr().out
    assert run([*words, "Y[i,j] = A[i,j] * i"]) != 0
    assert "not computed by instructions of avx2" in capsys.readouterr().err


@pytest.mark.parametrize("machine", ["avx2", "scalar"])
def test_a_conversion_to_whole_numbers_is_one_where_roundings_are_judged(machine: str) -> None:
    """Found by an attack: it became f64, which meets no i32, and the kernel was refused."""
    text = (
        "P: i32[5,9,2]\nZ: f32[9,2]\nR: i32[5,2]\nS: f32[9,2]\nY[m,n] += f32(P[m,n,b] - i32(Z[n,b]) * R[m,b]) * S[n,b]"
    )
    random = np.random.default_rng(0)
    p, r = (random.integers(-50, 50, shape).astype(np.int32) for shape in ((5, 9, 2), (5, 2)))
    z, s = (random.uniform(-9, 9, (9, 2)).astype(np.float32) for _ in "zs")
    wanted = ((p - z.astype(np.int32) * r[:, None]).astype(np.float64) * s).sum(-1)
    np.testing.assert_allclose(im.compile(im.kernel(text), machine)(P=p, Z=z, R=r, S=s), wanted, rtol=1e-5, atol=1e-4)
