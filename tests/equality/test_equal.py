"""im.equal: pairs that are equal are proved, wrong ones are refuted by an input that NumPy confirms, and nothing else is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import isamap_smt as im
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt import equality
from isamap_smt.cli.app import run
from isamap_smt.cli.equal_kernels import command
from isamap_smt.equality.domains import Known
from tests.equality.drawn import differ, kernels
from tests.equality.pairs import EQUAL, GEMM, WRONG

DRAWN = 40


def kernel(text: str, name: str = "kernel") -> im.Kernel:
    return im.kernel(text, name=name)


@pytest.mark.parametrize("pair", EQUAL)
def test_a_pair_is_proved(pair: str) -> None:
    first, second = EQUAL[pair]
    found = im.equal(kernel(first), kernel(second))
    assert isinstance(found.verdict, Proved), found
    assert found.difference is None


@pytest.mark.parametrize("pair", EQUAL)
def test_it_is_proved_from_the_other_side(pair: str) -> None:
    first, second = EQUAL[pair]
    assert im.equal(kernel(second), kernel(first)).is_proved


@pytest.mark.parametrize("pair", WRONG)
def test_a_wrong_twin_is_refuted_by_an_input(pair: str) -> None:
    first, second = map(kernel, WRONG[pair])
    found = im.equal(first, second)
    assert isinstance(found.verdict, Refuted), found
    d = found.difference
    assert d is not None
    assert d.values[0] != d.values[1]
    sizes = dict(d.sizes)
    got = []
    for k in (first, second):
        wide = k.with_dtypes({t.name: "f64" for t in k.tensors if t.dtype.is_float})
        arrays = {n: np.array(d.inputs[n].tolist(), wide.tensor(n).dtype.numpy) for n in wide.inputs}
        got.append(im.run_kernel(wide, arrays, sizes={n: v for n, v in sizes.items() if n in k.free_sizes})[d.result])
    assert not np.allclose(got[0][d.index], got[1][d.index], rtol=1e-9, atol=0)
    assert np.allclose([float(v) for v in d.values], [got[0][d.index], got[1][d.index]])


@pytest.mark.parametrize(
    "seed", [n if n < DRAWN else pytest.param(n, marks=pytest.mark.exhaustive) for n in range(1_000)]
)
def test_drawn_kernels(seed: int) -> None:
    """What is proved is equal in NumPy, too; what NumPy tells apart is not proved."""
    pair = kernels(seed)
    if pair is None or set(pair[0].inputs) != set(pair[1].inputs):
        return
    found = im.equal(*pair)
    assert not (found.is_proved and differ(*pair, seed)), found


def test_most_of_what_is_drawn_is_decided() -> None:
    words = [
        im.equal(*p).verdict.word for p in map(kernels, range(200, 224)) if p and set(p[0].inputs) == set(p[1].inputs)
    ]
    assert words.count("unknown") <= len(words) // 10
    assert {"proved", "refuted"} <= set(words)


# ---- Arithmetic


def test_bits_count_where_asked() -> None:
    one, other = kernel("C[i,j] += A[i,k] * B[k,j]"), kernel("C[i,j] += B[k,j] * A[i,k] over k, j, i")
    assert im.equal(one, kernel("C[i,j] += A[i,k] * B[k,j]"), "bits").is_proved
    assert im.equal(one, other).is_proved
    regrouped = kernel("Y[i] = (X[i] + W[i]) + Z[i]"), kernel("Y[i] = X[i] + (W[i] + Z[i])")
    assert im.equal(*regrouped).is_proved
    found = im.equal(*regrouped, arithmetic="bits")
    assert isinstance(found.verdict, Refuted)
    d = found.difference
    assert d is not None
    a, b = (im.run_kernel(k, {n: d.inputs[n] for n in k.inputs})["Y"] for k in regrouped)
    assert a[d.index].tobytes() != b[d.index].tobytes()


def test_a_sum_in_another_order_is_not_equal_in_bits() -> None:
    one, other = kernel("s[0] += X[i]"), kernel("s[0] += X[I-1-i]")
    assert im.equal(one, other).is_proved
    assert not im.equal(one, other, "bits").is_proved


def test_temporaries_keep_bits() -> None:
    one = kernel("temporary T\nT[i] = exp(X[i])\nY[i] = T[i] * T[i]")
    assert im.equal(one, kernel("Y[i] = exp(X[i]) * exp(X[i])"), "bits").is_proved
    assert not im.equal(one, kernel("Y[i] = exp(X[i] + X[i])"), "bits").is_proved
    assert im.equal(one, kernel("Y[i] = exp(X[i] + X[i])")).is_proved


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("Y[i] = X[i] * 16 * 16", "Y[i] = X[i] * 0", "proved"),
        ("Y[i] = X[i] * 128 + X[i] * 128", "Y[i] = X[i] - X[i]", "proved"),
        ("Y[i] = X[i] * 128", "Y[i] = X[i] * 0", "refuted"),
        ("Y[i] = sat_u8(X[i] * 16 * 16)", "Y[i] = sat_u8(X[i] * 0)", "refuted"),
        ("Y[i] = sat_u8(X[i] + X[i])", "Y[i] = sat_u8(2 * X[i])", "proved"),
        ("Y[i] = (X[i] + 128) >> 1", "Y[i] = (X[i] - 128) >> 1", "proved"),
        ("Y[i] = max(X[i] + 1, 0)", "Y[i] = max(1 + X[i], 0)", "proved"),
    ],
)  # fmt: skip
def test_bytes_wrap(one: str, other: str, word: str) -> None:
    head = "Y: u8\nX: u8\n"
    for arithmetic in ("reals", "bits"):
        assert im.equal(kernel(head + one), kernel(head + other), arithmetic).verdict.word == word


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("Y[i] = i32(X[i]) + 256", "Y[i] = i32(X[i])", "refuted"),
        ("Y[i] = i32(X[i] * 2)", "Y[i] = 2 * i32(X[i])", "refuted"),  # the byte wraps before it is widened
        ("Y[i] = i32(i8(2 * i32(X[i])))", "Y[i] = i32(X[i] * 2)", "proved"),
        ("Y[i] = i32(f32(X[i]))", "Y[i] = i32(f32(X[i]) + 256.0)", "refuted"),
        ("Y[i] = i32(f32(X[i]) + 1.0)", "Y[i] = i32(1.0 + f32(X[i]))", "proved"),
    ],
)
def test_conversions_are_kept(one: str, other: str, word: str) -> None:
    head = "Y: i32\nX: i8\n"
    assert im.equal(kernel(head + one), kernel(head + other)).verdict.word == word


# ---- What is not said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("H[0,j] = X[j]\nfor t:\n  H[t+1,j] = H[t,j] * W[t,j]", "time steps"),
        ("Y: [V]\nidx: i32\nY[idx[i]] += X[i]", "where data says"),
        ("Y[i] = select(X[i] < 1, X[i], inf)", "no real number"),
    ],
)
def test_what_has_no_normal_form_is_unknown(text: str, reason: str) -> None:
    found = im.equal(kernel(text), kernel(text))
    assert isinstance(found.verdict, Unknown)
    assert reason in found.verdict.reason


def test_an_element_that_is_written_twice_is_told() -> None:
    """Of two statements the later one counts, of one statement nothing is said."""
    later = kernel("Y[i] = X[i]\nY[i] = 2 * X[i] where i < 3")
    assert im.equal(later, kernel("Y[i] = select(i < 3, 2 * X[i], X[i])")).is_proved
    assert not im.equal(later, kernel("Y[i] = X[i]")).is_proved
    twice = kernel("Y: [N]\naxis i < 2*N\nY[i//2] = X[i]\nX: [2*N]")
    assert isinstance(im.equal(twice, twice).verdict, Unknown)


def test_elements_that_nothing_writes_are_zeros() -> None:
    half = kernel("Y: [2*N]\nX: [2*N]\naxis i < N\nY[i] = X[i]")
    assert im.equal(half, kernel("Y: [2*N]\nX: [2*N]\naxis i < 2*N\nY[i] = select(i < N, X[i], 0)")).is_proved
    assert isinstance(im.equal(half, kernel("X: [2*N]\naxis i < 2*N\nY[i] = X[i]")).verdict, Refuted)


def test_a_quotient_is_cleared_only_where_it_is_computed() -> None:
    """x / x is 1 where it is a number; where a guard leaves it out, nothing follows."""
    one = kernel("X: [I]\nW: [I]\nY[i] = select(i < 1, W[i] / (1 + X[i] + W[i]), 0) + X[i]")
    other = kernel("X: [I]\nW: [I]\nY[i] = select(i < 1, W[i] / (1 + X[i] + W[i]), 0) + W[i]")
    assert isinstance(im.equal(one, other).verdict, Refuted)


# ---- Bad input


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (GEMM, "C[i,j] += A[i,k] * D[k,j]", "input D"),
        (GEMM, "D[i,j] += A[i,k] * B[k,j]", "result D"),
        (GEMM, "C[i] += A[i,k] * B[k,i]", "C is [I, J]"),
        (GEMM, "A: f64\n" + GEMM, "A is f32"),
        ("X: [4]\nY[i] = X[i]", "X: [5]\nY[i] = X[i]", "X is [4]"),
    ],
)
def test_other_arguments_are_named(one: str, other: str, said: str) -> None:
    with pytest.raises(im.IsamapError) as error:
        im.equal(kernel(one, "one"), kernel(other, "other"))
    assert said in str(error.value)


def test_a_wrong_argument_is_told() -> None:
    one = kernel(GEMM)
    with pytest.raises(im.IsamapError, match="pass 'reals' or 'bits'"):
        im.equal(one, one, arithmetic="floats")
    with pytest.raises(im.IsamapError, match="equal"):
        im.equal(one, GEMM)  # type: ignore[arg-type]
    with pytest.raises(im.IsamapError, match="timeout"):
        im.equal(one, one, timeout=-1)


def test_names_that_clash_are_kept_apart() -> None:
    """Sizes of one name that are different sizes, and axes called like sizes, tensors and each other."""
    one = kernel("A: [M,N]\naxis i < M\naxis j < N\nY[i,j] = A[i,j]")
    other = kernel("A: [N,M]\naxis i < N\naxis j < M\nY[i,j] = A[i,j]")
    assert im.equal(one, other).is_proved
    turned = kernel("A: [N,M]\naxis i < N\naxis j < M\nY: [N,M]\nY[i,j] = A[N-1-i,j]")
    assert isinstance(im.equal(one, turned).verdict, Refuted)
    swapped = kernel("temporary A_\nA_[j,i] = A[i,j]\nY[i,j] = A_[j,i]")
    assert im.equal(one, swapped).is_proved
    named = kernel("A: [at,K]\nsize at, K\naxis Y_ < at\naxis Y < K\nY[Y_,Y] = A[Y_,Y]")
    assert im.equal(one, named).is_proved


# ---- The command


def test_the_command_prints_the_answer() -> None:
    done = CliRunner().invoke(command, ["gemm", "C[i,j] += B[k,j] * A[i,k]"], standalone_mode=False)
    assert done.return_value == 0
    assert "proved: gemm and second are equal for all sizes" in done.output
    done = CliRunner().invoke(command, ["gemm", "C[i,j] += B[k,j] * A[i,i]", "--json"], standalone_mode=False)
    assert done.return_value == 1
    found = json.loads(done.output)
    assert found["verdict"] == "refuted"
    assert found["difference"]["values"] == ["1", "0"]


def test_the_command_refuses_other_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["equal", "gemm", "conv2d"]) == 3
    assert "error:" in capsys.readouterr().err


# ---- The proof alone: no input is looked for


@pytest.fixture
def no_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is refuted, so that only the proof stands between a wrong pair and `proved`."""
    monkeypatch.setattr(equality, "difference", lambda *_: None)


@pytest.mark.usefixtures("no_inputs")
@pytest.mark.parametrize("pair", WRONG)
def test_the_proof_alone_proves_no_wrong_twin(pair: str) -> None:
    first, second = map(kernel, WRONG[pair])
    assert isinstance(im.equal(first, second).verdict, Unknown)


@pytest.mark.usefixtures("no_inputs")
def test_the_proof_alone_proves_no_drawn_pair_that_differs() -> None:
    drawn = [(s, p) for s in range(300, 380) if (p := kernels(s)) and set(p[0].inputs) == set(p[1].inputs)]
    different = [p for s, p in drawn if differ(*p, s)]
    assert len(different) >= 5
    assert not any(im.equal(*p).is_proved for p in different)


@pytest.mark.usefixtures("no_inputs")
def test_without_its_questions_the_proof_proves_wrong_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that is not proved one to one, onto and along equal factors takes wrong terms for equal ones."""
    monkeypatch.setattr(Known, "holds", lambda *_: True)
    monkeypatch.setattr(Known, "impossible", lambda _: False)
    words = {n: im.equal(kernel(a), kernel(b)).verdict.word for n, (a, b) in WRONG.items()}
    assert list(words.values()).count("proved") >= 3, words
