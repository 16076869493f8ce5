"""Operands read from a copy of their whole tensor: bytes converted to what an instruction takes, and room behind the end of a sum
for executions that reach beyond it, with the padding of the kernel around."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Buffer
from tests.schedule.changed_buffers import changed, failures

PADDED = """
param t >= 1
param d >= 1
param pad >= 0
H = (P-1)*t + (R-1)*d + 1 - 2*pad
V = (Q-1)*t + (S-1)*d + 1 - 2*pad
I: [H,V,C]
O[p,q,k] += i32(I[t*p+d*r-pad, t*q+d*s-pad, c]) * i32(W[r,s,c,k]) where 0 <= t*p+d*r-pad < H and 0 <= t*q+d*s-pad < V
"""
DEPTHWISE = "O[p,q,c] += i32(I[p+r,q+s,c]) * i32(W[r,s,c])"
SINGLE = "O[p,q] += i32(I[p+r,q+s]) * i32(W[r,s])"
BYTES = {"O": "i32", "I": "i8", "W": "i8"}


def padded(p: int, q: int, k: int, c: int, r: int, s: int, t: int = 1, pad: int = 1, d: int = 1) -> im.Kernel:
    kernel = im.kernel(PADDED, name="padded", dtypes=BYTES)
    return kernel.with_sizes(kernel.named_sizes(dict(p=p, q=q, k=k, c=c, r=r, s=s, t=t, pad=pad, d=d)))


def instruction(made: im.Plan) -> str:
    return made.schedules[0].proved.mapping.instruction.name


@pytest.mark.parametrize("sizes", [(28, 28, 6, 1, 5, 5, 1, 2), (32, 32, 16, 3, 3, 3), (30, 30, 32, 3, 7, 7, 2, 3)])
def test_few_channels_are_read_from_a_window(sizes: tuple[int, ...]) -> None:
    """Neighbouring outputs share it; in the order of use each byte would be copied for each point of the filter."""
    made = im.plan(padded(*sizes), "avx512_vnni")
    assert "I_padded" in str(made.program) and "I_packed" not in str(made.program)
    assert "dp" in instruction(made)  # points of a sum lie in one lane


@pytest.mark.parametrize("machine", ["avx2", "avx512", "avx512_vnni"])
@pytest.mark.parametrize(
    ("text", "sizes"), [(DEPTHWISE, dict(p=30, q=30, c=64, r=3, s=3)), (SINGLE, dict(p=64, q=96, r=5, s=5))]
)
def test_sums_without_neighbours_for_a_dot_product_are_made_lane_by_lane(
    machine: str, text: str, sizes: dict[str, int]
) -> None:
    kernel = im.kernel(text, name="window", dtypes=BYTES)
    made = im.plan(kernel, machine, sizes=sizes)
    assert "mul_add" in instruction(made) and "packed" not in str(made.program)
    plain = im.kernel(text.replace("i32", ""), name="window")
    floats = im.plan(plain, "avx512" if machine == "avx512_vnni" else machine, sizes=sizes)
    assert made.cycles < 3 * floats.cycles  # by packed dot products it was more


@pytest.mark.needs("avx512_vnni")
@pytest.mark.parametrize("name", ["avx512_vnni.dpbssd_moved", "avx512_vnni.dpwssd"])
@pytest.mark.parametrize("seed", range(6))
def test_results_are_the_kernels(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q, k, c, r, s = (int(rng.integers(1, n)) for n in (6, 9, 40, 6, 4, 8))
    t, pad, d = int(rng.integers(1, 3)), int(rng.integers(0, 2)), int(rng.integers(1, 3))
    r, s, p, q = r + pad, s + pad, p + pad, q + pad  # the tensor has elements
    kernel = padded(p, q, k, c, r, s, t, pad, d)
    arrays = random_arrays(kernel, {}, rng)
    made = im.plan(kernel, "avx512_vnni", instruction=name)
    np.testing.assert_array_equal(im.build(made)(**arrays), run_kernel(kernel, arrays)["O"])


@pytest.mark.needs("avx512_vnni")
@pytest.mark.parametrize(
    "name", ["avx2.mul_add_i8_i8_8", "avx512.mul_add_i8_i8_16", "avx512_vnni.mul_add_i8_i8_16", "avx512_vnni.mul_add_small_i32_16"]
)  # fmt: skip
def test_products_of_the_least_bytes_are_theirs(name: str) -> None:
    """The upper halves of words take no part: -128 times -128, and every other pair."""
    kernel = im.kernel(DEPTHWISE, name="window", dtypes=BYTES)
    sizes = dict(p=16, q=16, c=37, r=2, s=1)
    run = im.compile(kernel, name.split(".", maxsplit=1)[0], sizes=sizes, instruction=name)
    every = np.arange(-128, 128, dtype=np.int8)
    image = np.resize(every, (17, 16, 37))
    weights = np.stack([np.resize(every[::-7], 37), np.full(37, -128)]).astype(np.int8)[:, None]
    wanted = sum(image[r : r + 16].astype(np.int32) * weights[r].astype(np.int32) for r in range(2))
    np.testing.assert_array_equal(run(I=image, W=weights), wanted)


def test_a_window_without_zeros_or_without_room_is_refuted() -> None:
    program = im.plan(padded(9, 9, 16, 3, 3, 3), "avx512_vnni", instruction="avx512_vnni.dpwssd").program
    assert "I_padded" in str(program) and not failures(program)

    def narrow(b: Buffer) -> Buffer:
        if b.name != "I_padded":
            return b
        return replace(b, shape=tuple(n - (at in (1, 2)) for at, n in enumerate(b.shape, start=3 - len(b.shape))))

    def dead(name: str) -> Callable[[Buffer], Buffer]:
        return lambda b: replace(b, type=replace(b.type, outside="dead")) if b.name == name else b

    assert "bounds" in failures(changed(program, narrow))
    assert failures(changed(program, dead("I_padded")))
    assert failures(changed(program, dead("W_packed")))


def test_what_the_kernel_writes_is_packed() -> None:
    """A copy of the whole tensor would be made before it is complete."""
    text = "temporary T\nT[i,c] = max(X[i,c], 0)\nY[i,k] += i32(T[i,c]) * i32(W[c,k])"
    kernel = im.kernel(text, name="two", dtypes={"X": "i8", "T": "i8", "W": "i8", "Y": "i32"})
    made = im.plan(kernel, "avx512_vnni", sizes=dict(i=40, c=7, k=32))
    assert "T_padded" not in str(made.program)
