"""Bounds of rounding are proved operation by operation: what is not so is refuted, and what is run is not beyond."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import isamap_smt as im
from examples import attention, norms
from isamap_encodings import enclosures, error_steps
from isamap_encodings.enclosures import ENDS, grown, root_ends, shrunk
from isamap_encodings.error_steps import Known, Total, at_most, step, total
from isamap_encodings.solve import recording
from isamap_encodings.verdict import Refuted
from isamap_encodings.z3_check import cvc5_answer, cvc5_version
from isamap_smt.ir import rounding_walk
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.fibres import Fibres, fibres
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.interpret import reference, run_kernel
from isamap_smt.ir.rounding_bound import Bound
from isamap_smt.proof import rounding
from isamap_smt.proof.rounding import arithmetic, prove_rounding

F = Fraction
F32 = arithmetic(DTYPES["f32"])
SOFTMAX = norms.SOFTMAX.with_sizes({"i": 3, "n": 50})
LAYER = norms.LAYER_NORM.with_sizes({"i": 3, "n": 40})
ATTENTION = attention.ATTENTION.with_sizes({"h": 1, "q": 3, "k": 12, "d": 4})
X: dict[str, tuple[float, float]] = {"x": (-4, 4)}
CASES: dict[str, tuple[im.Kernel, dict[str, tuple[float, float]]]] = {
    "softmax": (SOFTMAX, X),
    "layer_norm": (LAYER, {**X, "g": (0.5, 2), "b": (-1, 1)}),
    "attention": (ATTENTION, {"Q": (-1, 1), "K": (-1, 1), "V": (-1, 1), "z": (0.5, 0.5)}),
}


@pytest.mark.parametrize("name", list(CASES))
def test_both_solvers_prove_each_operation_and_no_run_is_beyond(name: str) -> None:
    kernel, ranges = CASES[name]
    with recording() as asked:
        proof, derived = prove_rounding(kernel, ranges, {})
    assert proof.proved and {c.claim for c in proof.claims} == {"rounding"}
    if cvc5_version() is not None:
        assert {cvc5_answer(q.smtlib) for q in asked} == {"unsat"}
    rng = np.random.default_rng(3)
    for _ in range(3):
        arrays = {}
        for n, (low, high) in ranges.items():
            drawn = rng.uniform(low, high, tuple(map(int, kernel.tensor(n).shape)))
            arrays[n] = np.asarray(np.where(rng.random(drawn.shape) < 0.3, high, drawn), np.float32)
        exact, got = reference(kernel, arrays), run_kernel(kernel, arrays)
        for n, (relative, absolute) in derived.items():
            off = np.abs(got[n].astype(np.float64) - exact[n])
            assert (off <= relative * np.abs(exact[n]) + absolute).all() and off.max() > 0


def test_a_smaller_bound_is_refuted_and_a_run_is_beyond_it() -> None:
    _, derived = prove_rounding(SOFTMAX, X, {})
    relative, absolute = derived["y"]
    proof, _ = prove_rounding(SOFTMAX, X, {}, {"y": (relative * 0.99, absolute)})
    (failed,) = proof.failed()
    assert failed.subject == "y" and isinstance(failed.verdict, Refuted)
    assert failed.verdict.text.startswith("what follows from the ranges and from each rounding is 4.21051e-06 of it")
    x = np.float32(np.random.default_rng(1).uniform(-4, 4, (3, 50)))
    exact, got = reference(SOFTMAX, {"x": x})["y"], run_kernel(SOFTMAX, {"x": x})["y"]
    assert (np.abs(got - exact) > relative / 40 * exact).any()
    assert not prove_rounding(SOFTMAX, X, {}, {"y": (relative / 40, absolute)})[0].proved


@pytest.mark.parametrize("name", list(CASES))
def test_no_number_on_the_way_is_trusted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them made smaller by a thousandth: the error, or the range on either side."""
    kernel, ranges = CASES[name]
    inputs, notes = rounding.rounding_notes(kernel, ranges, {})
    looked = asked_of(kernel, ranges, monkeypatch)
    needed = [key for key in notes if key in looked]
    tried = 0
    for key in needed[:: 2 if name == "softmax" else 7]:
        for less in smaller(notes[key]):
            monkeypatch.setattr(rounding, "rounding_notes", lambda *_, n=less, k=key: (inputs, {**notes, k: n}))
            proof, _ = prove_rounding(kernel, ranges, {})
            assert proof.word == "refuted", f"{key}: {less}"
            tried += 1
    assert tried > 3


def asked_of(kernel: im.Kernel, ranges: Any, monkeypatch: pytest.MonkeyPatch) -> set[Any]:
    """The notes that a proof looks up."""
    inputs, notes = rounding.rounding_notes(kernel, ranges, {})
    looked: set[Any] = set()

    class Looking(dict[Any, Bound]):
        def __getitem__(self, key: Any) -> Bound:
            looked.add(key)
            return super().__getitem__(key)

    with monkeypatch.context() as m:
        m.setattr(rounding, "rounding_notes", lambda *_: (inputs, Looking(notes)))
        prove_rounding(kernel, ranges, {})
    return looked


def only_notes(monkeypatch: pytest.MonkeyPatch, of: str, mutant: Any) -> None:
    """The numbers on the way are made with the mistake, and what follows from them is asked without."""
    made = rounding.rounding_notes

    def mistaken(*given: Any) -> Any:
        with monkeypatch.context() as m:
            m.setattr(rounding_walk, of, mutant)
            return made(*given)

    monkeypatch.setattr(rounding, "rounding_notes", mistaken)


def smaller(b: Bound) -> list[Bound]:
    """With an error, or an end of the range, that is less; where there is something to take away."""
    wide = (b.high - b.low) * 0.01
    error = replace(b, relative=b.relative * 0.98, absolute=b.absolute * 0.98)
    ends = [replace(b, low=b.low + wide), replace(b, high=b.high - wide)] if wide else []
    return [*([error] if b.error else []), *ends]


@pytest.mark.parametrize("head", ["Exp", "Rsqrt"])
def test_an_ulp_stated_too_small_is_refuted(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notes are made with a tenth of it, and the proof asks with the whole."""
    name, kernel, ranges = ("softmax", SOFTMAX, X) if head == "Exp" else ("layer_norm", *CASES["layer_norm"])
    row = next(h for h in FUNCTION_ROWS if h.__name__ == head)
    table = {**FUNCTION_ROWS, row: replace(FUNCTION_ROWS[row], ulp=FUNCTION_ROWS[row].ulp / 10)}
    only_notes(monkeypatch, "FUNCTION_ROWS", table)
    failed = prove_rounding(kernel, ranges, {})[0].failed()
    assert [f.subject.split("(")[0] for f in failed][:1] == [head.lower()], name
    assert isinstance(failed[0].verdict, Refuted)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y[i] = 1 / x[i]", "a divisor may be 0"), ("y[i] = log(x[i])", "an argument negative"),
        ("y[i] = exp(200 * x[i])", "a number too large"), ("y[i] *= x[i]", "products of many"),
        ("y[i] max= x[i] where i > 0", "where nothing was written"),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_unknown_with_its_reason(text: str, words: str) -> None:
    proof, derived = prove_rounding(im.kernel(text, name="wild", sizes={"i": 4}), {"x": (-1, 1)}, {})
    assert proof.word == "unknown" and not derived
    assert words in str(proof.failed()[0].verdict)


def test_what_is_less_another_maximum_is_not_below_0() -> None:
    """The maximum of other elements, or of a row that has changed since: the notes may say otherwise."""
    for text in (
        "M[i] max= x[i,n]\nE[i,n] = exp(z[i,n] - M[i])\ny[i] += E[i,n]",
        "S[i,n] = x[i,n]\nM[i] max= S[i,n]\nS[i,n] = z[i,n]\nE[i,n] = exp(S[i,n] - M[i])\ny[i] += E[i,n]",
        "M[i] max= x[i,n]\nE[i,n] = exp(x[n,i] - M[i])\ny[i] += E[i,n]",
        "M[i] max= x[i,n]\nE[i,n] = exp(x[i,n] - M[i]) where n < i\ny[i] += E[i,n]",
    ):
        kernel = im.kernel(f"axis i < 5\naxis n < 5\nx: [5, 5]\n{text}", name="odd")
        walk = rounding._Walk(kernel, {}, {}, None)
        assert prove_rounding(kernel, dict.fromkeys(kernel.inputs, (-1, 1)), {})[0].proved
        for s in kernel.statements:
            inputs, walk.notes = rounding.rounding_notes(kernel, dict.fromkeys(kernel.inputs, (-1, 1)), {})
            walk.tensors |= {n: rounding._known(b) for n, b in inputs.items()}
            walk.statement(s)
            assert all(made.peak is None for made in walk.made.values())


JOINED = "S[i+k] += X[i,k] * W[k]"
MOVED = "temporary S\naxis j < I+1\nS[i+1] += X[i,k]\nY[j] = exp(0 - S[j])"
EARLY = "Y[i] = exp(X[i] + M[i])\nM[i] += X[i]"
OTHERS = "temporary M\nM[i+k] max= X[i,k]\nD[i,k] += exp(X[i,k] - M[i+k])"
WRITTEN: dict[str, tuple[str, dict[str, int], tuple[float, float]]] = {
    "joined": (JOINED, {"i": 9, "k": 4}, (1, 64)), "parts": ("S[i//4] += X[i] * X[i]", {"i": 10}, (2, 64)),
    "turns": ("S[i%3] += X[i]", {"i": 10}, (3, 16)), "moved": (MOVED, {"i": 3, "k": 5}, (0, 1)),
    "guarded": ("S[i] += X[i,k] where i < k", {"i": 4, "k": 4}, (0, 16)), "early": (EARLY, {"i": 5}, (0, 55)),
    "several": ("temporary S\nS[i+1] += X[i]\nS[i] += X[i]\naxis j < I+1\nY[j] = S[j] * S[j]", {"i": 4}, (0, 64)),
    "others": (OTHERS, {"i": 4, "k": 3}, (0.05, 20.2)), "pairs": ("S[2*i+j] = X[i,j] * X[i,j]", {"i": 4, "j": 2}, (1, 16)),
    "smallest": ("S[i%2] min= X[i]", {"i": 5}, (1, 4)), "left": ("Y[2*i] = X[i] * X[i]", {"i": 3}, (0, 16)),
}  # fmt: skip


@pytest.mark.parametrize("name", list(WRITTEN))
def test_elements_with_many_points_and_with_none_are_bounded(name: str) -> None:
    """Exact elements lie where the bound says, and results are no further off; of both rules, those that are proved among them."""
    text, sizes, (low, high) = WRITTEN[name]
    kernel = im.kernel(text, name="written", sizes=sizes)
    ranges: dict[str, tuple[float, float]] = dict.fromkeys(kernel.inputs, (1, 4))
    bounds = im.rounding_bound(kernel, ranges)
    proof, derived = prove_rounding(kernel, ranges, {})
    assert proof.proved
    (result, *_) = kernel.results
    assert low - 0.01 <= bounds[result].low and bounds[result].high <= high * 1.01 + (55 if name == "early" else 0)
    rng = np.random.default_rng(1)
    for _ in range(30):
        shapes = {n: tuple(map(int, kernel.tensor(n).shape)) for n in kernel.inputs}
        arrays = {n: np.asarray(rng.choice([1, 4, rng.uniform(1, 4)], s), np.float32) for n, s in shapes.items()}
        exact, got = reference(kernel, arrays), run_kernel(kernel, arrays)
        for n in kernel.results:
            off = np.abs(got[n].astype(np.float64) - exact[n])
            for relative, absolute in ((bounds[n].relative, bounds[n].absolute), derived[n]):
                assert (off <= relative * np.abs(exact[n]) + absolute).all()
            assert ((bounds[n].low * 0.9999999 <= exact[n]) & (exact[n] <= bounds[n].high * 1.0000001)).all()


def fewer(kernel: im.Kernel, s: Any) -> Fibres:
    """Points of an element, counted one too small."""
    found = fibres(kernel, s)
    return replace(found, most=max(found.most - 1, 1))


@pytest.mark.parametrize(
    ("text", "sizes", "of", "mutant", "subject"),
    [
        (JOINED, {"i": 9, "k": 4}, "fibres", fewer, "S"), ("S[i//4] += X[i]", {"i": 10}, "fibres", fewer, "S"),
        ("S[i] += X[i,k]", {"i": 3, "k": 5}, "fibres", fewer, "S"), (MOVED, {"i": 3, "k": 5}, "least_points", lambda *_: 5, "S"),
        ("S[i] += X[i,k] where i < k", {"i": 4, "k": 4}, "least_points", lambda *_: 1, "S"),
        ("temporary S\naxis j < I+1\nS[i+1] = X[i]\nY[j] = 1 / S[j]", {"i": 3}, "least_points", lambda *_: 1, "1 / S[j]"),
        ("temporary S\naxis j < I+1\nS[i+1] max= X[i]\nY[j] = 1 / S[j]", {"i": 3}, "least_points", lambda *_: 1, ""),
        ("Y[i] = exp(X[i] + M[i])\nM[i] max= X[i]", {"i": 3}, "begins_at", lambda *_: 0, ""),
        ("Y[i] = exp(M[i] - X[i])\nM[i] *= X[i]", {"i": 3}, "begins_at", lambda *_: 0, "M[i] - X[i]"),
        (OTHERS, {"i": 4, "k": 3}, "along", lambda s: s.reduction_axes, "X[i, k] - M[i + k]"),
        ("S: [I+1]\nS[i+1] = S[i] + X[i]", {"i": 5}, "needs_single_points", lambda s: False, ""),
    ],
)  # fmt: skip
def test_terms_and_beginnings_are_not_trusted(
    text: str, sizes: dict[str, int], of: str, mutant: Any, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers on the way have the mistake, and the proof does not. With the mistake it would prove the same."""
    kernel = im.kernel(text, name="mistaken", sizes=sizes)
    ranges: dict[str, tuple[float, float]] = dict.fromkeys(kernel.inputs, (1, 4))
    only_notes(monkeypatch, of, mutant)
    failed = prove_rounding(kernel, ranges, {})[0].failed()
    assert [c.subject for c in failed][:1] == [subject]
    monkeypatch.setattr(rounding_walk, of, mutant)
    assert not [c for c in prove_rounding(kernel, ranges, {})[0].failed() if "products of many" not in str(c.verdict)]


def test_a_type_of_integers_holds_what_it_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """|-128| is no number of i8."""
    kernel = im.kernel("Y[i] = sqrt(f32(abs(A[i])))", dtypes={"A": "i8", "Y": "f32"}, sizes={"i": 2})
    assert prove_rounding(kernel, {"A": (-127, -1)}, {})[0].proved
    only_notes(monkeypatch, "ulp_of", lambda head, kind: FUNCTION_ROWS[head].error(kind.bits) if kind.is_float else 0.0)
    failed = prove_rounding(kernel, {"A": (-128, -1)}, {})[0].failed()
    assert failed[0].subject == "abs(A[i])" and isinstance(failed[0].verdict, Refuted)


ONE = Known(F(1), F(2), F(1, 10**6), F(1, 10**7))
SIGNED = Known(F(-1), F(2), F(1, 10**6), F(1, 10**7))
STEPS: dict[str, tuple[str, tuple[Known, ...], Known]] = {
    "sum": ("+", (ONE, ONE), Known(F(2), F(4), F(107, 10**8), F(2, 10**7))),
    "difference": ("-", (ONE, ONE), Known(F(-1), F(1), F(6, 10**8), F(43, 10**7))),
    "product": ("*", (ONE, SIGNED), Known(F(-2), F(4), F(207, 10**8), F(4, 10**7))),
    "quotient": ("/", (SIGNED, ONE), Known(F(-1), F(2), F(22, 10**7), F(2, 10**7))),
    "square": ("square", (SIGNED,), Known(F(0), F(4), F(207, 10**8), F(5, 10**7))),
    "maximum": ("max", (ONE, SIGNED), Known(F(1), F(2), F(1, 10**6), F(1, 10**7))),
    "exp": ("exp", (ONE,), Known(F("2.718"), F("7.39"), F(23, 10**7))),
    "log": ("log", (ONE,), Known(F(0), F("0.6932"), F(7, 10**8), F(12, 10**7))),
    "tanh": ("tanh", (SIGNED,), Known(F("-0.762"), F("0.9641"), F(7, 10**8), F(22, 10**7))),
    "sigmoid": ("sigmoid", (SIGNED,), Known(F("0.268"), F("0.881"), F(7, 10**8), F(6, 10**7))),
    "erf": ("erf", (SIGNED,), Known(F("-0.843"), F("0.9954"), F(7, 10**8), F(25, 10**7))),
    "sqrt": ("sqrt", (ONE,), Known(F(1), F("1.41422"), F(62, 10**8))),
    "rsqrt": ("rsqrt", (ONE,), Known(F("0.7071"), F(1), F(62, 10**8))),
    "either": ("either", (ONE, SIGNED), Known(F(-1), F(2), F(0), F(31, 10) )),
}  # fmt: skip


@pytest.mark.parametrize("name", list(STEPS))
def test_a_step_is_proved_and_refuted_with_a_smaller_error_or_range(name: str) -> None:
    op, operands, result = STEPS[name]
    rounds = None if op in ("max", "either") else F32
    assert step(op, operands, result, rounds).word == "proved"
    half = replace(result, relative=result.relative / 2, absolute=result.absolute / 2)
    assert step(op, operands, half, rounds).word == "refuted"
    assert step(op, operands, replace(result, high=result.high - F(1, 100)), rounds).word == "refuted"
    assert step(op, operands, replace(result, low=result.low + F(1, 100)), rounds).word == "refuted"


@pytest.mark.parametrize("op", ["/", "log", "rsqrt", "sqrt"])
def test_nothing_follows_where_an_operation_has_no_value(op: str) -> None:
    """A divisor that a program rounds to 0, or an argument below 0: no result satisfies what is asked, and all would follow."""
    near_0 = Known(F(1, 10**8), F(1), F(0), F(1, 10**7))
    operands = (ONE, near_0) if op == "/" else (near_0,)
    assert step(op, operands, Known(F(-(10**9)), F(10**9), F(1), F(10**9)), F32).word == "refuted"
    assert step("half", (ONE,), ONE, F32).word == "unknown"


def test_a_result_too_large_for_its_type_is_refuted() -> None:
    large = Known(F(0), F32.high)
    assert step("+", (large, large), Known(F(0), 2 * F32.high, F(1)), F32).word == "refuted"
    assert total(Total(((1, large),), 2, 2), Known(F(0), 2 * F32.high, F(1)), F32).word == "refuted"


def test_what_holds_of_no_number_is_no_range() -> None:
    with pytest.raises(ValueError, match="holds of no number"):
        Known(F(1), F(0))
    with pytest.raises(ValueError, match="holds of no number"):
        Known(F(0), F(1), F(-1))


def test_a_sum_has_as_many_roundings_as_additions() -> None:
    exact, u = Known(F(0), F(1)), F32.unit
    of = Total(((1, exact),), 10, 10)
    result = Known(F(0), F(10), 9 * u / (1 - 9 * u))
    assert total(of, result, F32).word == "proved"
    assert total(of, replace(result, relative=F(89, 10) * u), F32).word == "refuted"
    assert total(replace(of, before=exact), result, F32).word == "refuted"
    assert total(of, replace(result, low=F(1)), F32).word == "refuted"
    assert total(replace(of, peak=F(1)), replace(result, low=F(1)), F32).word == "proved"
    assert total(replace(of, least=0), replace(result, high=F(9)), F32).word == "refuted"


def test_why_sums_may_come_in_any_order_is_proved_and_not_for_fewer_roundings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert error_steps.any_order(F32).word == "proved"
    rounded = error_steps._q
    monkeypatch.setattr(error_steps, "_q", lambda x: rounded(-x))  # numbers that are rounded towards each other
    with recording():  # which asks anew
        assert error_steps.any_order(F32).word != "proved"


def test_a_bound_covers_another_one_only_if_it_is_larger() -> None:
    assert (
        at_most(ONE, replace(ONE, relative=F(2, 10**6), absolute=F(0))).word == "proved"
    )  # as elements are at least 1
    assert at_most(ONE, replace(ONE, relative=F(1, 10**6), absolute=F(0))).word == "refuted"


def test_rational_ends_are_around_what_mpmath_finds() -> None:
    of: dict[str, Any] = {
        "exp": mpmath.exp, "log": mpmath.log, "tanh": mpmath.tanh, "erf": mpmath.erf,
        "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "root": mpmath.sqrt, "grown": mpmath.expm1,
        "shrunk": lambda x: -mpmath.log1p(-x),
    }  # fmt: skip
    ends = {**ENDS, "root": root_ends, "grown": lambda x: (F(0), grown(x)), "shrunk": lambda x: (F(0), shrunk(x))}
    with mpmath.workdps(60):
        for text in ("0.5", "1e-7", "3.25", "6.5", "1e-12", "0.999", "41", "5.999", "0.0009", "0.0011"):
            for name, f in of.items():
                x = F(text)
                if name == "shrunk" and x >= 1:
                    continue
                for v in (x, -x) if name in ("exp", "tanh", "erf", "sigmoid") else (x,):
                    low, high = ends[name](v)
                    exact = f(mpmath.mpf(v.numerator) / v.denominator)
                    assert (
                        mpmath.mpf(low.numerator) / low.denominator
                        <= exact
                        <= mpmath.mpf(high.numerator) / high.denominator
                    )
                    if name not in ("grown", "shrunk"):
                        assert high - low <= abs(high) / 10**9 + F(1, 10**14)
    assert ENDS["exp"](F(0)) == (1, 1) and ENDS["erf"](F(0)) == (0, 0)


@pytest.mark.parametrize("text", ["y[i] = exp(x[i])", "y[i] = sigmoid(x[i])", "y[i] = tanh(x[i])", "y[i] = erf(x[i])"])
def test_arguments_far_below_0_are_followed(text: str) -> None:
    kernel = im.kernel(text, name="far", sizes={"i": 4})
    proof, derived = prove_rounding(kernel, {"x": (-1e30, 1)}, {})
    assert proof.proved and 0 < sum(derived["y"]) < 1e-6
    for name in ("exp", "sigmoid"):
        low, high = ENDS[name](F(-(10**30)))
        assert low == 0 < high < F(1, 10**800) and ENDS[name](F(-1999))[0] > 0


def test_a_guess_of_a_logarithm_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosures, "log", lambda x: 0.7)
    with pytest.raises(ArithmeticError, match="is not between"):
        enclosures.log_ends(F(2))
    with recording():  # which asks anew
        assert step("log", (ONE,), STEPS["log"][2], F32).word == "unknown"
