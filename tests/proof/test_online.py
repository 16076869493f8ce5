"""Running maxima and sums: what is made is proved and the same within the stated rounding; what is wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from examples import attention
from isamap_encodings.verdict import Refuted
from isamap_smt.certificates.derive import forget_verdicts
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.online_rounding import online_rounding
from isamap_smt.ir.scalar import Exp, IndexValue, Read, SAdd, Scalar, SMul, SSub, read, rewrite_reads
from isamap_smt.mapping.online import running
from isamap_smt.proof import online as proof_online
from isamap_smt.proof.split import prove_split

LSE = """
temporary M, E, D
M[q] max= x[q,k]
E[q,k] = exp(x[q,k] - M[q])
D[q] += E[q,k]
L[q] = M[q] + log(D[q])
"""
SOFTMAX = """
temporary M, E, D
M[q] max= x[q,k]
E[q,k] = exp((x[q,k] - M[q]) * z[])
D[q] += E[q,k]
Y[q,k] = E[q,k] / D[q]
"""
WEIGHTED = """
temporary S, M
S[q,k] = x[q,k]
M[q] max= S[q,k]
D[q] += exp(S[q,k] - M[q])
O[q,v] += exp(S[q,k] - M[q]) * V[k,v]
Y[q,v] = O[q,v] / D[q]
"""
MASKED = """
temporary M, E, D
M[q] max= x[q,k] where k <= q
E[q,k] = exp(x[q,k] - M[q]) where k <= q
D[q] += E[q,k] where k <= q
L[q] = M[q] + log(D[q])
"""
SEEN = LSE.replace("M, E, D", "M, E") + "N[q] = M[q]\n"  # every state is a result
TEXTS = {
    "lse": LSE,
    "seen": SEEN,
    "softmax": SOFTMAX,
    "weighted": WEIGHTED,
    "masked": MASKED,
    "attention": attention.TEXT,
}


def whole(name: str, **sizes: int) -> Kernel:
    kernel = im.kernel(TEXTS[name], name=name)
    return kernel.with_sizes({"q": 5, "k": 19, **({"d": 3} if name == "attention" else {}), **sizes})


def arrays_of(kernel: Kernel, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    sizes = dict.fromkeys(kernel.free_sizes, 3)
    full, rng = kernel.with_sizes(sizes), np.random.default_rng(seed)
    made = {n: np.asarray(rng.normal(size=tuple(map(int, full.tensor(n).shape))) * 3, np.float32) for n in full.inputs}
    return {n: np.asarray(np.abs(a)) if n == "z" else a for n, a in made.items()}, sizes


def differ(one: Kernel, other: Kernel, seeds: int = 1) -> bool:
    for seed in range(seeds):
        arrays, sizes = arrays_of(one, seed)
        a, b = (run_kernel(k, arrays, sizes=sizes) for k in (one, other))
        if not all(np.allclose(a[n], b[n], rtol=1e-5, atol=1e-6, equal_nan=True) for n in one.results):
            return True
    return False


@pytest.mark.parametrize("block", [1, 4, 6, 19])
@pytest.mark.parametrize("name", list(TEXTS))
def test_blocks_compute_the_same(name: str, block: int) -> None:
    kernel = whole(name)
    made = im.online(kernel, axis="k", block=block)
    assert made.proof.arithmetic == "reassociate"
    assert im.kernel(made.split.kernel.text, name=name) == made.split.kernel
    assert not differ(kernel, made.split.kernel)


def test_rows_whose_first_blocks_are_minus_infinity_are_numbers() -> None:
    x = np.full((5, 19), -np.inf, np.float32)
    x[:, 17] = [0, 1, -30, 80, 2]
    made = running(whole("lse"), "k", 4)
    np.testing.assert_array_equal(run_kernel(made.kernel, {"x": x})["L"], x[:, 17])


def test_a_row_of_minus_infinities_has_the_sum_0_in_one_pass_alone() -> None:
    """As im.online() says."""
    x = np.full((5, 19), -np.inf, np.float32)
    kernel = whole("lse")
    with np.errstate(invalid="ignore"):
        assert np.isnan(run_kernel(kernel, {"x": x})["L"]).all()
    assert (run_kernel(running(kernel, "k", 4).kernel, {"x": x})["L"] == -np.inf).all()


@pytest.mark.parametrize("text", ["E[q,k] * E[q,k]", "E[q,k] + x[q,k]", "exp(E[q,k])", "E[q,k] * exp(M[q] - x[q,k])"])
def test_terms_that_do_not_grow_by_one_factor_are_refuted(text: str) -> None:
    kernel = im.kernel(LSE.replace("D[q] += E[q,k]", f"D[q] += {text}"), name="other", sizes={"k": 19})
    proof = prove_split(running(kernel, "k", 4))
    assert not proof.proved
    assert {c.claim for c in proof.failed()} == {"scalar"}


GUARDED = (
    LSE.replace("x[q,k]\nE", "x[q,k] where {0}\nE")
    .replace("M[q])\nD", "M[q]) where {0}\nD")
    .replace("E[q,k]\nL", "E[q,k] where {0}\nL")
)


@pytest.mark.parametrize(("guard", "right"), [("k <= q", True), ("k < q", False), ("q + k > 3", False)])
def test_a_maximum_that_is_given_back_has_a_point_in_every_row(guard: str, right: bool) -> None:
    """Of a row without points it is minus infinity, and the state that runs is the least number."""
    kernel = im.kernel(GUARDED.format(guard), name="guarded", sizes={"q": 9, "k": 19})
    proof = prove_split(running(kernel, "k", 4))
    assert proof.proved == right
    assert right or {c.claim for c in proof.failed()} == {"coverage"}


# ---- mutants: (what to do to the statement of a role for a tensor, the claim that refutes it)


Change = Callable[[Any, Online], Any]
Mutant = Callable[[Online], Online]


def other(role: Role, tensor: str, change: Change, rest: bool | None = None) -> Mutant:
    def mutant(x: Online) -> Online:
        of = next(n for n in range(x.first, x.end) if x.whole.statements[n].target.tensor == tensor)
        number, s = x.statements(role, rest)[of]
        changed = change(s, x)
        assert changed != s
        every = tuple(changed if n == number else t for n, t in enumerate(x.kernel.statements))
        return replace(x, kernel=replace(x.kernel, statements=every))

    return mutant


def value(change: Change) -> Change:
    return lambda s, x: replace(s, value=change(s.value, x))


def moved(tensor: str, by: int) -> Change:
    """What is read of the tensor's first dimension lies so many further on."""

    def at(r: Any) -> Any:
        return read(tensor, r.index[0] + by, *r.index[1:]) if r.tensor == tensor else r

    return value(lambda v, _: rewrite_reads(v, at))


def instead(tensor: str, by: str, row: Any) -> Change:
    """What is read of the tensor is read in this row of another one."""

    def at(r: Any) -> Any:
        return read(by, row, *r.index[len(r.index) - 1 :]) if r.tensor == tensor else r

    return value(lambda v, _: rewrite_reads(v, at))


def first(v: Any, _: Online) -> Any:
    return v.args[0]


def second(v: Any, _: Online) -> Any:
    return v.args[1]


def all_scaled(v: Any, _: Online) -> Any:
    return SMul(SAdd(v.args[0].args[0], v.args[1]), v.args[0].args[1])


def zero_twice(v: Any, _: Online) -> Any:
    """The factor is 0 for the second block, too."""
    return v.func(v.args[0].func(*v.args[0].args[:2], sp.Integer(1)), *v.args[1:])


def without_factor(v: Any, _: Online) -> Any:
    return SAdd(v.args[0].args[0], v.args[1])


def argument(change: Callable[[Any], Any]) -> Change:
    """The factor's exponential with another argument."""

    def at(e: Any) -> Any:
        if isinstance(e, Exp):
            return Exp(change(e.args[0]))
        return e.func(*map(at, e.args)) if isinstance(e, Scalar) and not isinstance(e, Read | IndexValue) else e

    return value(lambda v, _: at(v))


def points(change: Change) -> Change:
    """Reads of x at another point of the axis."""

    def at(v: Any, x: Online) -> Any:
        return rewrite_reads(v, lambda r: read("x", r.index[0], change(r.index[1], x)) if r.tensor == "x" else r)

    return value(at)


def swapped(x: Online) -> Online:
    """The factor stands above the maximum that it reads."""
    n = next(n for n, m in enumerate(x.made) if m.role is Role.SCALE)
    update = next(n for n, m in enumerate(x.made) if m.role is Role.UPDATE)
    order = list(range(len(x.made)))
    order[n], order[update] = update, n
    inside = [x.kernel.statements[x.first + i] for i in order]
    statements = (*x.kernel.statements[: x.first], *inside, *x.kernel.statements[x.first + len(order) :])
    return replace(x, made=tuple(x.made[i] for i in order), kernel=replace(x.kernel, statements=statements))


def no_rest(x: Online) -> Online:
    """The last points are computed nowhere."""
    gone = {x.first + n for n, m in enumerate(x.made) if m.rest}
    statements = tuple(s for n, s in enumerate(x.kernel.statements) if n not in gone)
    made = tuple(m for m in x.made if not m.rest)
    kept = replace(x, made=made, kernel=replace(x.kernel, statements=statements))
    last = value(lambda v, _: read(v.tensor.replace("_end", "_run"), sp.Integer(x.steps), *v.index))
    return other(Role.CLOSE, "D", last)(other(Role.CLOSE, "M", last)(kept))


U, P, S, C, B = Role.UPDATE, Role.POINTS, Role.SCALE, Role.CLOSE, Role.BEGIN
MUTANTS: dict[str, tuple[Mutant, str]] = {
    "the factor is dropped": (other(U, "D", value(without_factor), False), "scalar"),
    "the factor is dropped in the rest": (other(U, "D", value(without_factor), True), "scalar"),
    "the maximum is that of the block": (other(U, "M", value(second), False), "scalar"),
    "the maximum is that of the rest": (other(U, "M", value(second), True), "scalar"),
    "the block's sum is dropped": (other(U, "D", value(first), False), "scalar"),
    "the block's sum is scaled, too": (other(U, "D", value(all_scaled), False), "scalar"),
    "the factor is turned around": (other(S, "M", argument(lambda a: SSub(a.args[1], a.args[0])), False), "scalar"),
    "the factor is of twice the difference": (other(S, "M", argument(lambda a: SMul(a, sp.Integer(2))), False), "scalar"),
    "the last factor is that of a block": (other(U, "D", instead("M_last", "M_scale", 3), True), "order"),
    "terms are at the maximum before": (other(P, "E", moved("M_run", -1), False), "program"),
    "terms are at the block's maximum": (other(P, "E", instead("M_run", "M_part", sym("k_block")), False), "program"),
    "terms of the rest are at the maximum before": (other(P, "E", instead("M_end", "M_run", 4), True), "program"),
    "the factor is 0 for two blocks": (other(S, "M", value(zero_twice), False), "scalar"),
    "the rest begins a point too early": (other(P, "E", points(lambda k, _: k - 1), True), "program"),
    "the rest begins a point too early in the maximum": (other(P, "M", points(lambda k, _: k - 1), True), "program"),
    "blocks overlap": (other(P, "E", points(lambda k, _: k - sym("k_block")), False), "program"),
    "the maximum begins at 0": (other(B, "M", value(lambda v, _: sp.Integer(0))), "neutral"),
    "the sum begins at 1": (other(B, "D", value(lambda v, _: sp.Integer(1))), "neutral"),
    "what is given back lacks the rest": (other(C, "D", value(lambda v, _: read("D_run", 4, *v.index))), "link"),
    "the maximum given back lacks the rest": (other(C, "M", value(lambda v, _: read("M_run", 4, *v.index))), "link"),
    "the factor is read before its maximum": (swapped, "order"),
    "the rest is left out": (no_rest, "link"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(MUTANTS))
def test_mutant_is_refuted(name: str) -> None:
    mutate, claim = MUTANTS[name]
    right = running(whole("seen", k=19), "k", 4)
    wrong = mutate(right)
    proof = prove_split(wrong)
    assert proof.word == "refuted", name
    assert proof.failed()[0].claim == claim, [str(c) for c in proof.failed()]
    if name not in (
        "the maximum begins at 0",
        "the sum begins at 1",
    ):  # of no row here, and times the first factor, which is 0
        assert differ(right.whole, wrong.kernel, seeds=20)


def test_weighted_sums_are_refuted_without_their_factor() -> None:
    right = running(whole("weighted", v=3), "k", 4)
    wrong = other(U, "O", value(without_factor), False)(right)
    (failed,) = prove_split(wrong).failed()
    assert failed.subject == "state of O"
    assert differ(right.whole, wrong.kernel)


# ---- rounding


def scores(rng: np.random.Generator, k: int, block: int) -> np.ndarray:
    """Rows: any, growing from point to point and from block to block, by little, all equal, of huge range, some minus infinity."""
    n = np.arange(k)
    holes = np.where(rng.random(k) < 0.4, -np.inf, rng.normal(size=k) * 5)
    holes[rng.integers(k)] = 1.0
    rows = [
        rng.normal(size=k), np.sort(rng.normal(size=k)) * 30, n * 0.37, n * 1e-7 + rng.random(), np.full(k, rng.random()),
        rng.normal(size=k) * 1e4, holes, -n * rng.random(), n // block * rng.random() * 3 + rng.normal(size=k) * 1e-3,
    ]  # fmt: skip
    return np.stack(rows).astype(np.float32)


def check_rounding(seed: int, cases: int) -> float:
    """The largest part of a bound that was seen."""
    rng, worst = np.random.default_rng(seed), 0.0
    for _ in range(cases):
        k = int(rng.integers(2, 201))
        block = int(rng.integers(1, min(k, 64) + 1))
        made = running(whole("weighted", q=9, k=k, v=3), "k", block)
        stated = {b.tensor: b.number for b in online_rounding(made)}
        x, values = scores(rng, k, block), (rng.normal(size=(k, 3)) * rng.choice([1, 100])).astype(np.float32)
        got = run_kernel(made.kernel, {"x": x, "V": values})
        wide, v = x.astype(np.longdouble), values.astype(np.longdouble)
        e = np.exp(wide - wide.max(1, keepdims=True))
        d, o, size = e.sum(1), e @ v, np.abs(v).max(0)
        parts = {
            "D": np.abs(got["D"] - d) / d,
            "O": np.abs(got["O"] - o) / (d[:, None] * size),
            "Y": np.abs(got["Y"] - o / d[:, None]) / size,
        }  # fmt: skip
        worst = max([worst, *(float((p / stated[n]).max()) for n, p in parts.items())])
    return worst


def test_rounding_stays_within_what_is_stated_and_uses_some_of_it() -> None:
    assert 0.05 < check_rounding(3, 12) <= 1


@pytest.mark.exhaustive
def test_rounding_of_many_stays_within_what_is_stated() -> None:
    assert 0.15 < check_rounding(4, 400) <= 1


def test_what_is_stated_counts_blocks_and_points() -> None:
    made = running(whole("weighted", v=3), "k", 6)
    d, o, y = online_rounding(made)
    assert str(d).startswith("for all inputs, D is off by at most ") and d.number < 2e-6
    assert str(d).endswith("computed without a run, as (1.82*4 + 5 + 2*3 + 1 ln 19) u with u = 6.0e-08")
    assert o.units == pytest.approx(d.units + 1)
    assert y.of == "the largest |V|" and y.number > d.number + o.number


def test_factors_of_the_scores_are_assumed_to_be_large_enough() -> None:
    made = running(whole("softmax"), "k", 6)
    (d,) = online_rounding(made)
    assert d.factors == (("z", 3.05853e-37, 3.40282e38),) == made.kernel.ranges
    assert "with 3.05853e-37 <= z <= 3.40282e+38, D is" in str(d)
    assert im.kernel(made.kernel.text, name=made.kernel.name).ranges == made.kernel.ranges
    fixed = SOFTMAX.replace("z[]", "0.5")
    assert online_rounding(running(im.kernel(fixed, name="s", sizes={"k": 19}), "k", 6))[0].factors == ()
    for small in ("1e-37", "0.5 * 1e-37", "z[] * 1e-37", "z[] * w[]"):  # a difference that overflows may have weight
        kernel = im.kernel(SOFTMAX.replace("* z[]", f"* {small}"), name="s", sizes={"k": 19})
        assert online_rounding(running(kernel, "k", 6)) == ()


def computed(kind: str, k: int, block: int, x: Any, v: Any, z: float) -> tuple[Any, Any, dict[str, Any]]:
    """Y of a row of scores, exactly and in blocks; and what is stated."""
    text = SCALED
    kernel = im.kernel(text, name="scaled", dtypes=dict.fromkeys(("x", "V", "z", "M", "E", "D", "O", "Y"), kind))
    made = running(kernel.with_sizes({"q": 1, "k": k, "v": 1}), "k", block)
    held = DTYPES[kind].numpy
    arrays = {"x": np.full((1, k), x, held) if np.isscalar(x) else np.asarray(x, held)[None], "z": np.asarray(z, held)}
    arrays["V"] = np.full((k, 1), v, held) if np.isscalar(v) else np.asarray(v, held)[:, None]
    with np.errstate(all="ignore"):
        got = run_kernel(made.kernel, arrays)["Y"][0, 0]
    wide = {n: a.astype(np.longdouble) for n, a in arrays.items()}
    e = np.exp((wide["x"] - wide["x"].max()) * wide["z"])
    return (e @ wide["V"] / e.sum())[0, 0], got, {b.tensor: b for b in online_rounding(made)}


SCALED = """
temporary M, E, D, O
M[q] max= x[q,k]
E[q,k] = exp((x[q,k] - M[q]) * z[])
D[q] += E[q,k]
O[q,v] += E[q,k] * V[k,v]
Y[q,v] = O[q,v] / D[q]
"""


@pytest.mark.parametrize(("kind", "k", "block"), [("f16", 64, 16), ("f16", 70, 9), ("f32", 100, 30), ("bf16", 40, 40)])
def test_values_at_the_end_of_their_range_do_not_overflow(kind: str, k: int, block: int) -> None:
    exact, got, stated = computed(kind, k, block, 1.0, 0.0, 1.0)
    name, limit = stated["Y"].values
    assert name == "V" and f"and |V| <= {limit:g}, Y is" in str(stated["Y"])
    for sign in (1, -1):
        exact, got, _ = computed(kind, k, block, 1.0, sign * limit * 0.9999, 1.0)
        assert abs(float(got) - exact) <= stated["Y"].number * limit + stated["Y"].absolute
        _, beyond, _ = computed(kind, k, block, 1.0, sign * limit * 2.5, 1.0)
        assert not np.isfinite(float(beyond))  # and no wrong number


def test_f16_values_of_2000_are_beyond_what_is_stated() -> None:
    _, got, stated = computed("f16", 64, 16, 0.0, 2000.0, 1.0)
    assert np.isinf(float(got)) and stated["Y"].values[1] < 1000


@pytest.mark.parametrize("v", [1e-7, 3e-7, 1e-6, 1e-5])
def test_products_next_to_the_smallest_number_are_off_by_it(v: float) -> None:
    """A part of the largest value would be too little: of values of two of the smallest numbers a product is off by a quarter."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        exact, got, stated = computed("f16", 33, 5, rng.normal(size=33), rng.choice([v, -v], 33), 1.0)
        y = stated["Y"]
        assert abs(float(got) - exact) <= y.number * v * 1.2 + y.absolute


def test_differences_that_overflow_have_weight_where_the_factor_is_too_small() -> None:
    """And such factors are none of the range: -6 in the exponent, and computed minus infinity."""
    x = np.where(np.arange(12) % 2, 3e38, -3e38)
    exact, got, stated = computed("f32", 12, 4, x, np.where(x > 0, 1.0, 3.0), 1e-38)
    assert abs(float(got) - exact) > 100 * stated["Y"].number
    low = stated["Y"].factors[0][1]
    assert low > 1e-38
    exact, got, _ = computed("f32", 12, 4, x, np.where(x > 0, 1.0, 3.0), low * 1.0001)
    assert abs(float(got) - exact) <= 3 * stated["Y"].number
    assert np.isnan(float(computed("f32", 12, 4, x, 1.0, 0.0)[1]))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda r: replace(r, values=(r.values[0], r.values[1] * 1.01)), "overflows in O"),
        (lambda r: replace(r, values=(r.values[0], r.values[1] * 60)), "overflows in O"),
        (lambda r: replace(r, factors=tuple((n, low * 0.98, high) for n, low, high in r.factors)), "has no weight in O"),
        (lambda r: replace(r, points=2 * r.points), "overflows in O"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["f16", "f32", "bf16", "f64"])
def test_a_range_that_is_too_wide_is_refuted(kind: str, wrong: Any, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = im.kernel(SCALED, name="scaled", dtypes=dict.fromkeys(("x", "V", "z", "M", "E", "D", "O", "Y"), kind))
    made = running(kernel.with_sizes({"q": 1, "k": 64, "v": 2}), "k", 16)
    forget_verdicts()
    right = proof_online.range_of
    monkeypatch.setattr(
        proof_online, "range_of", lambda x, n: r if (r := right(x, n)) is None or not r.values else wrong(r)
    )
    failed = prove_split(made).failed()
    assert [(c.claim, isinstance(c.verdict, Refuted)) for c in failed] == [("rounding", True)]
    assert told in failed[0].statement


def test_factors_without_their_range_are_refuted() -> None:
    made = running(whole("softmax"), "k", 6)
    for ranges in ((), (("z", 0.0, 3.40282e38),), (("z", 1e-37, 3.40282e38),)):
        failed = prove_split(replace(made, kernel=replace(made.kernel, ranges=ranges))).failed()
        assert failed[0].claim == "link" and "factors of the scores in their range" in failed[0].statement


@pytest.mark.parametrize("value_", ["exp(x[q,k] * z[] - M[q] * z[])", "exp(x[q,k] - M[q]) * x[q,k] * x[q,k]"])
def test_of_other_forms_nothing_is_stated(value_: str) -> None:
    text = LSE.replace("E[q,k] = exp(x[q,k] - M[q])", f"E[q,k] = {value_}")
    assert online_rounding(running(im.kernel(text, name="other", sizes={"k": 19}), "k", 4)) == ()


@pytest.mark.parametrize("types", [{"E": "bf16"}, {"M": "f64", "D": "f64"}, {"x": "f64"}, {"M": "f16"}])
def test_of_chains_of_several_types_nothing_is_stated(types: dict[str, str]) -> None:
    kernel = whole("lse").with_dtypes(types)
    assert online_rounding(running(kernel, "k", 4)) == ()


def test_narrower_scores_are_as_they_are() -> None:
    kernel = whole("lse")
    (narrow,) = online_rounding(running(kernel.with_dtypes({"x": "bf16"}), "k", 4))
    assert narrow == online_rounding(running(kernel, "k", 4))[0]
