"""Kernels of several statements as C: bit for bit what the interpreter gives, epilogues in the nest or behind it."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import lower_points
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Loop, Parallel
from isamap_smt.ir.traversal import nodes_of

GEMM = "C[i,j] += A[i,k] * B[k,j]\n"
CASES = {
    "bias and relu": (GEMM + "D[i,j] = relu(C[i,j] + b[j])", {}),
    "in place": (GEMM + "C[i,j] = relu(C[i,j] + b[j])", {}),
    "residual": (GEMM + "D[i,j] = R[i,j] + C[i,j] * 0.5", {}),
    "row maximum": (GEMM + "m[i] max= C[i,j]", {}),
    "softmax": (GEMM + "m[i] max= C[i,j]\nE[i,j] = exp(C[i,j] - m[i])\nz[i] += E[i,j]\nS[i,j] = E[i,j] / z[i]", {}),
    "gate": (GEMM + "D[i,j] = sigmoid(C[i,j]) * tanh(X[i,j])", {}),
    "requantise": (
        "C[i,j] += i32(A[i,k]) * i32(B[k,j])\nQ[i,j] = round_i8(f32(C[i,j]) * 0.001 * s[j])",
        {"C": "i32", "A": "u8", "B": "i8", "Q": "i8"},
    ),
    "before": ("S[k,j] = B[k,j] * s[k]\nC[i,j] += A[i,k] * S[k,j]", {}),
    "transposed": (GEMM + "D[j,i] = C[i,j] * s[j]", {}),
}  # fmt: skip


def _whole_numbers(kernel: im.Kernel, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    """Small whole numbers, so that every order of a sum gives the same bits."""
    rng = np.random.default_rng(3)
    return {n: np.asarray(rng.integers(-3, 4, a.shape) if a.dtype.kind == "f" else a).astype(a.dtype)
            for n, a in random_arrays(kernel, sizes, rng).items()}  # fmt: skip


SIZES = ({"I": 23, "J": 21, "K": 19}, {"I": 1, "J": 1, "K": 1}, {"I": 64, "J": 48, "K": 300})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_bit_for_bit(name: str) -> None:
    text, dtypes = CASES[name]
    kernel = im.kernel(text, dtypes=dtypes)
    compiled = im.compile(kernel, "host")
    for sizes in SIZES:
        arrays = _whole_numbers(kernel, sizes)
        got = compiled(**arrays)
        found = got if isinstance(got, dict) else {kernel.outputs[0]: got}
        want = run_kernel(kernel, arrays, sizes=sizes)
        for n in kernel.outputs:
            assert found[n].tobytes() == want[n].tobytes(), (n, sizes)


def test_two_threads_give_the_same() -> None:
    kernel = im.kernel(CASES["softmax"][0])
    sizes = {"I": 70, "J": 48, "K": 30}
    arrays = _whole_numbers(kernel, sizes)
    got = im.compile(kernel, "host", threads=2)(**arrays)
    want = run_kernel(kernel, arrays, sizes=sizes)
    assert all(got[n].tobytes() == want[n].tobytes() for n in kernel.outputs)


def test_two_layers_are_both_mapped_and_their_weights_packed_ahead() -> None:
    text = GEMM + "C[i,j] = relu(C[i,j] + b[j])\nO[i,m] += C[i,j] * W[j,m]\nO[i,m] = O[i,m] * s[m]"
    kernel = im.kernel(text)
    planned = im.plan(kernel, "host", constant=["B", "W"])
    assert [s.proved.mapping.statement_index for s in planned.program.schedules] == [0, 2]
    sizes = {"I": 37, "J": 45, "K": 33, "M": 50}
    arrays = _whole_numbers(kernel, sizes)
    packed = im.build(planned).pack(B=arrays["B"], W=arrays["W"])
    got = packed(**{n: a for n, a in arrays.items() if n not in ("B", "W")})
    want = run_kernel(kernel, arrays, sizes=sizes)
    assert all(got[n].tobytes() == want[n].tobytes() for n in kernel.outputs)


def test_a_sum_of_integers_is_padded_with_zeros_whatever_the_other_statements_hold() -> None:
    """Zero times anything is zero in integers: nothing need be finite, though another statement is in floating point."""
    kernel = im.kernel(
        "temporary T\nT: i32\nI: u8\nD: i8\n"
        "T[p,c] += i32(I[p+r-1,c]) * i32(D[r,c]) where 0 <= p+r-1 < P\nO[p,c] = f32(T[p,c]) * s[c]"
    )
    planned = im.plan(kernel, "avx2", instruction="avx2.madd_u8i8", sizes={"p": 9, "c": 11, "r": 3})
    assert planned.program.assumptions == ()
    rng = np.random.default_rng(4)
    image = rng.integers(0, 256, tuple(int(n) for n in planned.program.kernel.tensor("I").shape)).astype(np.uint8)
    filters, scale = rng.integers(-128, 128, (3, 11)).astype(np.int8), np.full(11, 0.5, np.float32)
    arrays = {"I": image, "D": filters, "s": scale}
    want = run_kernel(kernel, arrays, sizes={"p": 9, "c": 11, "r": 3})["O"]
    np.testing.assert_array_equal(im.build(planned)(**arrays), want)


@pytest.mark.parametrize(("sizes", "shared"), [({"i": 100}, False), ({"i": 100_000}, True), ({}, True)])
def test_loops_of_few_points_are_not_shared(sizes: dict[str, int], shared: bool) -> None:
    program = lower_points(im.kernel("Y[i] = X[i] * X[i] + 3").with_sizes(sizes), parallel=True)
    assert [isinstance(n, Parallel) for n in nodes_of(Loop, program.body)] == [shared]


@pytest.mark.parametrize(("points", "shared"), [(100, False), (100_000, True)])
def test_each_time_step_shares_a_loop_of_many_points(points: int, shared: bool) -> None:
    text = "Z: [T,I]\nH: [T+1,I]\nfor t:\n  Z[t,i] = H[t,i] * X[t,i]\n  H[t+1,i] = H[t,i] + Z[t,i]"
    program = lower_points(im.kernel(text).with_sizes({"t": 1000, "i": points}), parallel=True)
    steps, *own = [isinstance(n, Parallel) for n in nodes_of(Loop, program.body)]
    assert not steps and own and set(own) <= {shared, False} and any(own) == shared
