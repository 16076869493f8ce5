"""im.equal at the edges: what looks equal and is not, what was refuted though equal, and names of one kernel in the other."""

from __future__ import annotations

from fractions import Fraction

import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted


def equal(one: str, other: str, arithmetic: str = "reals", sizes: dict[str, int] | None = None) -> im.Equality:
    return im.equal(im.kernel(one, name="one"), im.kernel(other, name="other"), arithmetic, sizes)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is computed: what is proved, the prover alone says."""
    monkeypatch.setattr("isamap_smt.equality.difference", lambda *_: None)


DIAGONALS = "X: [I]\nW: [J]\nY[i+j] += X[i] * W[j] * X[0] over "


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("one", "other", "arithmetic"),
    [
        # a product of the even elements is none of all
        ("X: [2*K]\naxis k < K\nY[0] *= X[2*k]", "X: [2*K]\naxis k < 2*K\nY[0] *= X[k]", "reals"),
        # sums along diagonals, upwards and downwards
        (f"{DIAGONALS}i, j", f"{DIAGONALS}j, i", "bits"),
        # two sums are not one that goes on
        ("Y[i] = X[i,0]\nY[i] += X[i,k]", "temporary T\nT[i] += X[i,k]\nY[i] = X[i,0] + T[i]", "bits"),
        ("Y[i] = X[i,0]\nY[i] += X[i,k]", "Y[i] = X[i,0]\nY[i] += X[i,K-1-k]", "bits"),
        # maxima of which one lacks a value, or has one more
        ("Y[i] = max(X[i], max(W[i], Z[i]))", "Y[i] = max(X[i], W[i] + 0 * Z[i])", "reals"),
        ("Y[0] max= X[k]", "X: [2*H]\naxis h < H\nY[0] max= X[h]\nY[0] max= X[H-1+h]", "reals"),
        ("Y[0] max= X[k] where k < 3", "Y[0] max= X[k] where k < 4", "reals"),
        # literals of 17 digits
        ("X: f64\nY: f64\nY[i] = X[i] * 1.0000000000000002", "X: f64\nY: f64\nY[i] = X[i] * 1.0", "reals"),
        ("X: f64\nY: f64\nY[i] = X[i] * 1.0000000000000002", "X: f64\nY: f64\nY[i] = X[i] * 1.0", "bits"),
        # of two zeros a maximum is the second one
        ("Y[i] = max(X[i], W[i])", "Y[i] = max(W[i], X[i])", "bits"),
        ("Y[i] = max(X[i], 0)", "Y[i] = max(0, X[i])", "bits"),
        ("Y[0] max= X[i]", "Y[0] max= X[I-1-i]", "bits"),
        # a sum begins at 0, to which it adds -0
        ("Y[i] += X[i]", "Y[i] = X[i]", "bits"),
    ],
)
def test_what_is_not_equal_is_not_proved(one: str, other: str, arithmetic: str) -> None:
    assert not equal(one, other, arithmetic).is_proved


@pytest.mark.parametrize(
    ("one", "other", "arithmetic"),
    [
        (f"{DIAGONALS}i, j", f"{DIAGONALS}i, j", "bits"),
        ("Y[i] = max(X[i], W[i])", "Y[i] = max(W[i], X[i])", "reals"),
        ("Y[0] *= X[i]", "Y[0] *= X[I-1-i]", "reals"),
        ("X: i32\nY: i32\nY[0] *= X[i]", "X: i32\nY: i32\nY[0] *= X[I-1-i]", "bits"),
        ("Y[i] max= X[i]", "Y[i] = X[i]", "bits"),
        ("Y[i] *= X[i]", "Y[i] = X[i]", "bits"),
        ("Y[i] = X[i] * W[i] + X[i]", "Y[i] = X[i] + W[i] * X[i]", "bits"),
        ("X: u8\nW: u8\nY: u8\nY[i] = X[i] & W[i]", "X: u8\nW: u8\nY: u8\nY[i] = W[i] & X[i]", "bits"),
        ("X: u8\nY: u8\nY[i] = select(X[i] < 9, X[i], 3)", "X: u8\nY: u8\nY[i] = select(X[i] >= 9, 3, X[i])", "bits"),
        ("axis e < 3\nX: [I,3]\nY[i] max= X[i,e]", "X: [I,3]\nY[i] = max(X[i,1], max(X[i,0], X[i,2]))", "reals"),
        ("Y[i] max= X[i,k]", "X: [I,2*H]\naxis h < H\nY[i] max= X[i,h]\nY[i] max= X[i,H+h]", "reals"),
        ("Y[i] min= X[i,k]", "temporary M\nM[i] max= -X[i,k]\nY[i] = -M[i]", "reals"),
        (
            "axis e < 2\nX: u8[2*P]\nY: u8[P]\nY[p] min= X[2*p+e]",
            "X: u8[2*P]\nY: u8[P]\nY[p] = min(X[2*p], X[2*p+1])",
            "bits",
        ),
        # what goes on from an earlier statement
        ("Y[i] = X[i]\nY[i] += W[i] where i < 3", "Y[i] = select(i < 3, W[i] + X[i], X[i])", "bits"),
        ("Y[i] = X[i,0]\nY[i] += X[i,k]", "temporary T\nT[i] = X[i,0]\nY[i] = T[i]\nY[i] += X[i,k]", "bits"),
        (
            "X: i32\nY: i32\nY[i] = X[i,0]\nY[i] *= X[i,k]",
            "X: i32\nY: i32\ntemporary T\nT: i32\nT[i] *= X[i,K-1-k]\nY[i] = T[i] * X[i,0]",
            "bits",
        ),
        (  # a flat copy whose columns run down
            "temporary T\nX: [A,B]\nT: [A*B]\nY: [A*B]\naxis i < A\naxis j < B\naxis t < A*B\n"
            "T[i*B+(B-1-j)] = X[i,j]\nY[t] = T[t]",
            "X: [A,B]\nY: [A*B]\naxis t < A*B\nY[t] = X[t//B,B-1-t%B]",
            "reals",
        ),
        ("Y[i] = select(X[i] != 9, X[i], 3)", "Y[i] = select(X[i] == 9, 3, X[i])", "bits"),
    ],
)
def test_what_is_equal_is_proved(one: str, other: str, arithmetic: str) -> None:
    found = equal(one, other, arithmetic)
    assert found.is_proved, found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Y[i] = floor(sqrt(X[i]) * sqrt(X[i]))", "Y[i] = floor(X[i] + 0 * sqrt(X[i]))"),
        (
            "Y[i] = exp(X[i] * X[i] * X[i] + W[i]) - exp(X[i] * X[i] * X[i]) * exp(W[i])",
            "Y[i] = 0 * X[i] + 0 * W[i]",
        ),
        ("Y[i] = select(tanh(X[i] * X[i]) < 1, 1, 2)", "Y[i] = 1 + 0 * X[i]"),
        ("Y[i] = pow(X[i], 0.5)", "Y[i] = sqrt(X[i])"),
        ("X: f32\nassume 0.5 <= X <= 1\nY[i] = select(X[i] < 0.2, 3, X[i])", "X: f32\nY[i] = X[i]"),
        ("X: f32\nY[i] = X[i]", "X: f32\nassume 0.5 <= X <= 1\nY[i] = select(X[i] < 0.2, 3, X[i])"),
    ],
)
def test_what_is_equal_is_not_refuted(one: str, other: str) -> None:
    for arithmetic in ("reals", "bits") if "assume" in one + other else ("reals",):
        assert not isinstance(equal(one, other, arithmetic).verdict, Refuted)


@pytest.mark.parametrize(
    ("one", "other", "values"),
    [
        ("Y[i] = rint(X[i] / 2)", "Y[i] = floor(X[i] / 2 + 0.5)", (0, 1)),
        ("Y[i] = X[i] % 3", "Y[i] = fmod(X[i], 3)", (2, -1)),
        ("Y[i] = sqrt(X[i])", "Y[i] = select(X[i] == 9, 1, sqrt(X[i]))", (3, 1)),
        ("X: f64\nY: f64\nY[i] = 1 + 2e-16 * X[i]", "X: f64\nY: f64\nY[i] = 1 + 0 * X[i]", (1 + Fraction("2e-16"), 1)),
    ],
)
def test_what_differs_is_computed_exactly(one: str, other: str, values: tuple[object, object]) -> None:
    found = equal(one, other).difference
    assert found is not None
    assert found.values == values


def test_zeros_of_both_signs_are_tried() -> None:
    found = equal("Y[0] max= X[i]", "Y[0] max= X[I-1-i]", "bits")
    assert isinstance(found.verdict, Refuted)


NAMED = "X: [N]\naxis i < N\nY[i] = X[N-1-i]"


@pytest.mark.parametrize("head", ["size i", "param i >= 1"])
def test_a_size_called_like_an_axis_of_the_other(head: str) -> None:
    """Shapes say N = i, and i is an axis where N stands."""
    sized = f"{head}\nX: [i]\naxis k < i\nY[k] = X[k]"
    for pair in ((sized, NAMED), (NAMED, sized)):
        assert isinstance(equal(*pair).verdict, Refuted)
    straight = NAMED.replace("N-1-i", "i")
    for pair in ((sized, straight), (straight, sized)):
        assert equal(*pair).is_proved


def test_sizes_that_would_be_0_are_none() -> None:
    with pytest.raises(im.IsamapError, match="no sizes for which"):
        equal("X: [N+4]\naxis i < 4\nY[i] = X[i] + N - N", "X: [4]\naxis i < 4\nY[i] = X[i]")


def test_ranges_hold_for_both() -> None:
    wide, narrow = "X: u8\nY: i32\nY[i] = i32(2 * X[i])", "X: u8\nY: i32\nassume X <= 100\nY[i] = 2 * i32(X[i])"
    assert equal(wide, narrow).is_proved
    assert isinstance(equal(wide, narrow.replace("assume X <= 100\n", "")).verdict, Refuted)


def test_many_factors_of_a_kind_are_not_listed() -> None:
    """Their orders are forty million."""
    one = "*".join(f"X[i,{n}]" for n in range(11))
    other = "*".join(f"X[i,{n}]" for n in range(1, 12))
    assert not equal(f"X: [I,12]\nY[i] = {one}", f"X: [I,12]\nY[i] = {other}").is_proved


def test_what_is_left_is_written_with_brackets() -> None:
    found = equal("param 2 <= n <= 3\nY[i] = X[i] * n", "param 2 <= n <= 3\nY[i] = X[i] * select(n < 3, 2, 3)")
    assert "(n - 3)*X[i]" in str(found)


def test_a_time_step_is_named_as_it_is_written() -> None:
    found = equal("size t\nX: [t]\naxis k < t\nS: [t+1]\nS[k+1] = X[k]", "for t:\n  S[t+1] = X[t] + 0 * S[t]")
    assert "`for t:`" in str(found)
