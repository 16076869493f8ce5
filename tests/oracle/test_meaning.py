"""The oracle against results worked out by hand and against library kernels in the interpreter; and that it stands alone."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel
from tests.oracle.meaning import Meaning, Outside, execute
from tests.oracle.numbers import Number, decoded, encoded
from tests.oracle.text import read_text

HERE = Path(__file__).parent
ALONE = (
    "numbers",
    "text",
    "values",
    "meaning",
    "case",
    "random_cases",
    "random_kernels",
    "random_values",
    "shrink",
    "trial",
)

# text, sizes, inputs, results
BY_HAND: list[tuple[str, dict[str, int], dict[str, list[Number]], dict[str, list[Number]]]] = [
    ("C[i] += A[i,k] * B[k]", {"I": 2, "K": 2}, {"A": [1.0, 2, 3, 4], "B": [10.0, 1]}, {"C": [12, 34]}),
    ("C[i] max= A[i,k]", {"I": 2, "K": 2}, {"A": [-1.0, -2, math.nan, 4]}, {"C": [-1, math.nan]}),
    ("C: i8\nA: i8\nC[] *= A[i]", {"I": 3}, {"A": [100, 2, 1]}, {"C": [-56]}),
    ("C: i32\nA: u8\nC[i] = A[i] - 1", {"I": 2}, {"A": [0, 255]}, {"C": [-1, 254]}),
    ("C: u8\nA: u8\nC[i] = A[i] - 1", {"I": 2}, {"A": [0, 255]}, {"C": [255, 254]}),
    ("C: i8\nA: i32\nC[i] = sat_i8(A[i] * A[i])", {"I": 2}, {"A": [2**30, -3]}, {"C": [127, 9]}),
    ("C: u8\nA: f32\nC[i] = round_u8(A[i])", {"I": 4}, {"A": [0.5, 1.5, -3.0, 300.0]}, {"C": [0, 2, 0, 255]}),
    ("y[p] += x[2*p+r-1] * w[r] where 0 <= 2*p+r-1 < H", {"P": 2, "R": 2, "H": 3},
     {"x": [1.0, 2, 3], "w": [10.0, 1]}, {"y": [1, 23]}),
    ("C[i] = A[I-1-i]", {"I": 3}, {"A": [1.0, 2, 3]}, {"C": [3, 2, 1]}),
    ("C[i] = A[i//2, i%2]", {"I": 4}, {"A": [1.0, 2, 3, 4]}, {"C": [1, 2, 3, 4]}),
    ("C[i] += A[i] over i, k", {"I": 2, "K": 3}, {"A": [1.0, 2]}, {"C": [3, 6]}),
    ("axis t < 3\nS[0] = x[]\nfor t:\n  S[t+1] = S[t] * 2\ny[t] = S[t+1]", {}, {"x": [1.0]}, {"S": [1, 2, 4, 8], "y": [2, 4, 8]}),
    ("temporary T\nT[i] += A[i,k]\nC[i] = relu(T[i])", {"I": 2, "K": 2}, {"A": [1.0, 2, -3, -4]}, {"C": [3, 0]}),
    ("C[i] = sum(e, 2, A[i,e] * 3)", {"I": 1}, {"A": [1.0, 2]}, {"C": [9]}),
    ("C[i] = select(A[i] < 0, 0.5, A[i])", {"I": 2}, {"A": [-1.0, 2]}, {"C": [0.5, 2]}),
    ("C: bf16\nA: bf16\nC[i] += A[i,k] ordered", {"I": 1, "K": 3}, {"A": [256.0, 1, 1]}, {"C": [256]}),
    ("H = (P-1)*s + 1\nparam s >= 1\nA: [H]\nC[p] = A[p*s]  # a comment", {"P": 2, "s": 2}, {"A": [1.0, 2, 3]}, {"C": [1, 3]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sizes", "inputs", "results"), BY_HAND, ids=[t[0].splitlines()[-1][:30] for t in BY_HAND]
)
def test_by_hand(
    text: str, sizes: dict[str, int], inputs: dict[str, list[Number]], results: dict[str, list[Number]]
) -> None:
    held = execute(Meaning(read_text(text), {}, sizes), inputs)
    for name, want in results.items():
        assert not held[name].difference(want), held[name].numbers
        assert held[name].difference([x + 1 for x in want]) or any(map(math.isnan, want))


@pytest.mark.parametrize(
    "name", ["gemm", "gemm_tn", "conv2d", "depthwise_conv2d", "linear_relu", "linear_int8", "two_layers", "gru", "lstm"]
)
def test_library_kernels_mean_the_same_in_the_interpreter(name: str) -> None:
    kernel = im.find_kernel(name)
    lows = {p.name: p.low for p in kernel.parameters}
    sizes = {n: lows.get(n, 3) for n in kernel.free_sizes}
    kernel = kernel.with_sizes(sizes)
    arrays = random_arrays(kernel)
    meaning = Meaning(read_text(im.to_text(im.find_kernel(name))), {}, sizes)
    assert meaning.shapes == {t.name: tuple(int(e) for e in t.shape) for t in kernel.tensors}
    inputs = {n: decoded(meaning.kind(n), np.ascontiguousarray(a).tobytes()) for n, a in arrays.items()}
    held = execute(meaning, inputs)
    for n, a in run_kernel(kernel, arrays).items():
        assert not held[n].difference(decoded(meaning.kind(n), a.tobytes()))
        wrong = a.copy()
        wrong.flat[-1] += 1
        assert held[n].vague or held[n].difference(decoded(meaning.kind(n), wrong.tobytes()))


def test_an_index_that_leaves_its_tensor_has_no_meaning() -> None:
    with pytest.raises(Outside, match=r"A\[i \+ 1\] at \(2,\): 3 of 3"):
        execute(Meaning(read_text("A: [I]\nC[i] = A[i+1]"), {}, {"I": 3}), {"A": [1.0, 2, 3]})


def test_it_shares_no_code_with_what_it_judges() -> None:
    for name in ALONE:
        tree = ast.parse((HERE / f"{name}.py").read_text())
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if n.startswith(("isamap", "numpy", "sympy"))], name


def test_bytes_are_those_of_numpy() -> None:
    for name in ("f32", "bf16", "f16", "u16", "i64"):
        kind = Meaning(read_text(f"C: {name}\nC[i] = 1 over i"), {}, {"I": 1}).kind("C")
        array = np.array([1, 2.5, 0] if kind.floating else [1, 2, 0]).astype(im.ir.dtypes.dtype(name).numpy)
        assert encoded(kind, [float(x) if kind.floating else int(x) for x in array]) == array.tobytes()
