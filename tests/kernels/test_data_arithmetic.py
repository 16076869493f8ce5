"""Indices that are computed from data: random ones against plain Python; elements are looked at where they are used alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, IsamapError, SizeError
from isamap_smt.language import to_text
from isamap_smt.networks.kernels import inlined

V, N, K = 6, 5, 4  # rows of E; points of i and of k
SEEDS = range(24)


class Draw:
    """A kernel's text, and the same in Python: text -> Python of one point, where outside is None."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def index(self, depth: int) -> str:
        """In the language and in Python alike, but for select, which is a function of thunks there."""
        r = self.random
        if depth == 0:
            return r.choice(["J[i]", "J[i]", "L[k]", "M[i,k]", "i", "k", str(r.randint(0, 3)), "J[(i+1) % 5]"])
        a, b = self.index(depth - 1), self.index(r.randint(0, depth - 1))
        kind = r.randrange(8)
        if kind < 2:
            return f"({a} {r.choice('+-')} {b})"
        if kind == 2:
            return f"({a} {r.choice(['//', '%'])} {r.randint(1, 7)})"
        if kind == 3:
            return f"{r.choice(['min', 'max'])}({a}, {b})"
        if kind == 4:
            return f"min(max({a}, 0), {V - 1})"
        if kind == 5:
            return f"{r.randint(2, 3)}*{b}"
        signs = ["<", "<=", ">", ">=", "==", "!="]
        first = f"{b} {r.choice(signs)} {r.randint(-2, 3)}"
        if kind == 6:
            first = f"not ({first}) {r.choice(['and', 'or'])} {self.index(0)} {r.choice(signs)} k"
        return f"select({first}, {a}, {self.index(depth - 1)})"

    def value(self) -> str:
        """One or two elements, one of them perhaps behind a choice."""
        row = ""
        while "[" not in row:
            row = self.index(self.random.randint(1, 3))
        read = f"E[{row}, k]"
        kind = self.random.randrange(4)
        if kind == 0:
            return read
        if kind == 1:
            return f"select(J[i] {self.random.choice(['<', '==', '>='])} {self.random.randint(-2, 2)}, {read}, X[i])"
        if kind == 2:
            return f"select(X[i] < 0.25, X[i], {read})"
        return f"select(X[i] < 0 or J[i] < 0, 2, {read}) + X[i]"


class Outside(Exception):
    """An index that is none, where it is used."""


class Array:
    """Elements that are looked at one by one."""

    def __init__(self, held: np.ndarray) -> None:
        self.held = held

    def __getitem__(self, at: Any) -> Any:
        for i, n in zip(at if isinstance(at, tuple) else (at,), self.held.shape, strict=True):
            if not 0 <= i < n:
                raise Outside
        found = self.held[at]
        return int(found) if self.held.dtype.kind in "iu" else found


def python_of(text: str) -> str:
    """`select(c, x, y)` as `(x if c else y)`, innermost ones first."""
    while "select(" in text:
        start = text.rindex("select(")
        depth, commas, at = 0, [], start + len("select(")
        while depth >= 0:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
            if text[at] == "," and depth == 0:
                commas.append(at)
            at += 1
        c, x, y = text[start + 7 : commas[0]], text[commas[0] + 1 : commas[1]], text[commas[1] + 1 : at - 1]
        text = f"{text[:start]}(({x}) if ({c}) else ({y})){text[at:]}"
    return text


def wanted(value: str, arrays: dict[str, np.ndarray]) -> np.ndarray | None:
    """Point by point; None where an index is none."""
    held: dict[str, Any] = {n: Array(a) for n, a in arrays.items()}
    code, found = compile(python_of(value), "value", "eval"), np.zeros((N, K), np.float32)
    try:
        for i in range(N):
            for k in range(K):
                found[i, k] = eval(code, {"min": min, "max": max}, held | {"i": i, "k": k})  # noqa: S307  a text made here
    except Outside:
        return None
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_random_ones(seed: int) -> None:
    draw, rng = Draw(seed), np.random.default_rng(seed)
    kinds = {n: draw.random.choice(["i8", "i32", "i64"]) for n in "JLM"}
    while True:
        value = draw.value()
        text = f"E: f32[{V},{K}]\naxis i < {N}\naxis k < {K}\nY: f32[{N},{K}]\nX: f32[{N}]\n"
        text += "".join(
            f"{n}: {kinds[n]}{s}\n" for n, s in (("J", f"[{N}]"), ("L", f"[{K}]"), ("M", f"[{N},{K}]")) if n in value
        )
        text = text if "X[" in value else text.replace(f"X: f32[{N}]\n", "")
        try:
            kernel = im.kernel(f"{text}Y[i,k] = {value}", name="drawn")
        except IsamapError:
            continue  # some data cancels out
        if set(kernel.inputs) & {"J", "L", "M"} and kernel.outputs == ("Y",):
            break
    assert im.kernel(to_text(kernel), name="drawn") == kernel
    run = im.compile(kernel, "scalar")
    right = refused = 0
    shapes = {"E": (V, K), "X": (N,), "J": (N,), "L": (K,), "M": (N, K)}
    for turn in range(30):
        low, high = ((0, 2), (-3, 5), (-9, 9))[turn % 3]
        arrays = {n: rng.integers(-3, 4, shapes[n]).astype(np.float32) for n in ("E", "X") if n in kernel.inputs}
        arrays |= {
            n: rng.integers(low, high, shapes[n]).astype(kernel.tensor(n).dtype.numpy)
            for n in "JLM"
            if n in kernel.inputs
        }
        want = wanted(value, arrays)
        if want is None:
            refused += 1
            with pytest.raises(SizeError) as told:
                im.run_kernel(kernel, arrays)
            with pytest.raises(ArgumentError) as e:
                run(**arrays)
            assert str(told.value) == str(e.value)
        else:
            right += 1
            assert np.array_equal(im.run_kernel(kernel, arrays)["Y"], want), value
            assert np.array_equal(run(**arrays), want), value
    assert right + refused == 30


def loss(rows: int = 9) -> tuple[Any, dict[str, np.ndarray]]:
    text = "X: [N,C]\nT: i64\nL: [1]\nL[0] += select(T[i] == -100, 0, -X[i,T[i]])"
    rng = np.random.default_rng(4)
    target = rng.integers(0, 7, rows)
    target[2] = -100
    return im.kernel(text, name="loss"), {"X": rng.integers(-9, 9, (rows, 7)).astype(np.float32), "T": target}


def test_a_loss_that_ignores_an_index() -> None:
    kernel, arrays = loss()
    kept = [(i, t) for i, t in enumerate(arrays["T"]) if t != -100]
    want = -sum(arrays["X"][i, t] for i, t in kept)
    assert im.run_kernel(kernel, arrays)["L"][0] == im.compile(kernel, "scalar")(**arrays)[0] == want


@pytest.mark.parametrize("bad", [7, -1, -101, 2**62, -(2**63)])
def test_what_it_does_not_ignore_is_refused(bad: int) -> None:
    kernel, arrays = loss()
    arrays["T"][5] = bad
    text = f"T[5] is {bad} at i=5, and loss uses it as an index of dimension 1 of X, which has 7 elements; it must be in [0, 7)"
    with pytest.raises(SizeError) as e:
        im.run_kernel(kernel, arrays)
    assert str(e.value) == text
    with pytest.raises(ArgumentError) as told:
        im.compile(kernel, "scalar")(**arrays)
    assert str(told.value) == text


def test_a_sum_names_its_value_and_its_elements() -> None:
    kernel = im.kernel("E: [V]\nJ: i32\nY[i] = E[2*J[i] - 1]", name="sums")
    arrays = {"E": np.arange(5, dtype=np.float32), "J": np.array([1, 2, 3, 0], np.int32)}
    text = "2*J[i] - 1 is 5 at i=2 (J[2] is 3), and sums uses it as an index of dimension 0 of E, which has 5 elements"
    for run in (lambda: im.run_kernel(kernel, arrays), lambda: im.compile(kernel, "scalar")(**arrays)):
        with pytest.raises((SizeError, ArgumentError)) as e:
            run()
        assert str(e.value).startswith(text)


@pytest.mark.parametrize("kind", ["i64", "u64"])
def test_what_is_computed_with_is_within_40_bits(kind: str) -> None:
    """2**63 - 1 + 1 would be another number in 64 bits; where nothing uses it, it may stand."""
    text = f"E: [V]\nJ: {kind}\nno: i32\nY[i] = select(no[i] == 1, 0, E[(J[i] + 1) % V])"
    kernel = im.kernel(text, name="wraps")
    run = im.compile(kernel, "scalar")
    most = int(np.iinfo(f"{'u' * (kind == 'u64')}int64").max)
    for large in (most, 1 << 40):
        arrays = {"E": np.arange(5, dtype=np.float32), "J": np.array([1, large, 4], kernel.tensor("J").dtype.numpy)}
        arrays["no"] = np.array([0, 1, 0], np.int32)
        assert run(**arrays).tolist() == im.run_kernel(kernel, arrays)["Y"].tolist() == [2, 0, 0]
        arrays["no"][1] = 0
        for call in (im.run_kernel, lambda _, given: run(**given)):
            with pytest.raises(
                (SizeError, ArgumentError), match=rf"^J\[1\] is {large} at i=1, .*; it must be within 2\*\*40"
            ):
                call(kernel, arrays)
    arrays["J"][1] = (1 << 40) - 1
    assert run(**arrays).tolist() == im.run_kernel(kernel, arrays)["Y"].tolist() == [2, (1 << 40) % 5, 0]


def test_a_guard_leaves_elements_out_as_a_select_does() -> None:
    kernel = im.kernel("E: [V]\nJ: i32[I+2]\naxis i < I\nY[i] = E[J[i+2]] where i >= 1", name="guarded")
    arrays = {"E": np.arange(5, dtype=np.float32), "J": np.array([9, -9, 77, 4, 1], np.int32)}
    assert im.compile(kernel, "scalar")(**arrays).tolist() == im.run_kernel(kernel, arrays)["Y"].tolist() == [0, 4, 1]
    arrays["J"][4] = 5
    with pytest.raises(ArgumentError, match=r"^J\[4\] is 5 at i=2"):
        im.compile(kernel, "scalar")(**arrays)


def test_a_condition_on_what_the_kernel_writes_leaves_nothing_out() -> None:
    text = "temporary S\nE: [V]\nJ: i32\nS[i] = X[i] + 1\nY[i] = select(S[i] < 0, 0, E[J[i]])"
    run = im.compile(im.kernel(text, name="later"), "scalar")
    arrays = {"E": np.arange(5, dtype=np.float32), "X": np.full(2, -9, np.float32), "J": np.array([9, 0], np.int32)}
    with pytest.raises(ArgumentError, match=r"^J\[0\] is 9 at i=0"):
        run(**arrays)


def test_a_network_moves_no_index_below_a_select() -> None:
    """There no call would look at what the select leaves out, and the operator's own kernel does."""
    text = "temporary G\nT: i32\nX: [I,C]\nG[i] = X[i,T[i]]\nY[i] = {}"
    chosen = im.kernel("m: [I]\n" + text.format("select(m[i] > 0, G[i], 0)"))
    assert inlined(chosen, "G") == chosen
    plain = inlined(im.kernel("m: [I]\n" + text.format("G[i] * m[i]")), "G")
    assert len(plain.statements) == 1


@pytest.mark.parametrize("function", ["sinh", "pow", "fmod", "tan"])
def test_functions_beside_computed_indices(function: str) -> None:
    """Their C has helpers of its own, by other names."""
    second = ", X[i]" if function in ("pow", "fmod") else ""
    kernel = im.kernel(f"E: [V]\nJ: i64\nX: f32\nY[i] = {function}(E[J[i] + 1]{second}) + X[i]", name="beside")
    arrays = {"E": np.linspace(0.5, 2, 6, dtype=np.float32), "J": np.array([0, 4, -1]), "X": np.ones(3, np.float32)}
    assert np.array_equal(im.compile(kernel, "scalar")(**arrays), im.run_kernel(kernel, arrays)["Y"])
