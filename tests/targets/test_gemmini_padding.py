"""Zeros around an image by Gemmini's loads: rows of the array are columns of an image that lies in memory without zeros."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.targets.gemmini.target import GemminiKernel
from tests.targets.test_gemmini_target import MACHINE, here, typed

FILL = MACHINE.instruction("mvin").emit

# stride, zeros on each side: of a window of 2 * pad + 1 columns
LINES = {"3, stride 1": (1, 1), "7, stride 2": (2, 3)}


def line(stride: int, pad: int) -> im.Kernel:
    """A convolution along one axis, summed over channels, and a residual."""
    at = f"q*{stride}+w-{pad}"
    made = im.kernel(
        f"X: [V, C]\ntemporary T\nT[q,k] += i32(X[{at},c]) * i32(W[w,c,k]) where 0 <= {at} < V\n"
        "Y[q,k] = round_i8(f32(i32(H[q,k]) + T[q,k]) * s[])",
        name="line",
    )
    return made.with_dtypes({**dict.fromkeys("XWHY", "i8"), "T": "i32", "s": "f32"})


@functools.cache
def planned(stride: int, pad: int) -> Any:
    """All sizes open but the window's."""
    found = im.stage(line(stride, pad), MACHINE, sizes={"w": 2 * pad + 1})
    assert found.proof.proved and set(found.kernel.free_sizes) == {"C", "K", "Q", "V"}
    assert found.schedule.proved.mapping.id.startswith("i=q,j=k,k=c")
    return found


@functools.cache
def built(stride: int, pad: int) -> GemminiKernel:
    return here(planned(stride, pad))


def by_numpy(stride: int, pad: int, X: np.ndarray, W: np.ndarray, H: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Written apart from the language, of an image that is copied with its zeros."""
    q = len(H)
    wide = np.zeros((max(len(X) + 2 * pad, (q - 1) * stride + len(W)), X.shape[1]), np.int64)
    wide[pad : pad + len(X)] = X
    t = H.astype(np.int64)
    for n in range(len(W)):
        t += wide[n : n + (q - 1) * stride + 1 : stride] @ W[n].astype(np.int64)
    return np.clip(np.rint(t * s.astype(np.float64)), -128, 127).astype(np.int8)


def arrays_of(stride: int, pad: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """An image that is as long as the result needs, or some columns less or more. Sums are below 2^24."""
    q, c, k = (int(random.integers(1, most)) for most in (50, 40, 40))
    v = max(1, (q - 1) * stride + 1 + int(random.integers(-3, 4)))
    shapes = {"X": (v, c), "W": (2 * pad + 1, c, k), "H": (q, k)}
    bytes_ = {n: random.integers(-128, 128, shape).astype(np.int8) for n, shape in shapes.items()}
    return {**bytes_, "s": np.array(2.0**-11, np.float32)}


def right(made: GemminiKernel, way: tuple[int, int], arrays: dict[str, np.ndarray]) -> bool:
    return np.array_equal(made(**arrays), by_numpy(*way, **arrays))


@pytest.mark.parametrize("way", LINES.values(), ids=LINES)
def test_one_program_at_random_sizes(way: tuple[int, int]) -> None:
    random = np.random.default_rng(7)
    for _ in range(12):
        assert right(built(*way), way, arrays_of(*way, random))


def test_a_layer_fills_the_rows_of_the_array() -> None:
    """One image of 56 columns: with `i=n` a sixteenth of the array would work, in 7,434,266 cycles."""
    sizes = dict(n=1, p=56, q=56, k=64, c=64, r=3, s=3, dp=1, sp=1, pp=1, dq=1, sq=1, pq=1)
    found = im.stage(typed("conv2d"), MACHINE, sizes=sizes)
    assert found.schedule.proved.mapping.id.startswith("i=p%2.q%8,j=k,k=c") and found.cycles < 538_000


def test_the_inside_of_an_image_of_few_channels_fills_the_rows() -> None:
    """A first layer in small: 7x7 windows of 3 colours. Its rims are phases of their own."""
    at, inside = "X[2*p+r-3,2*q+w-3,c]", "where 0 <= 2*p+r-3 < V and 0 <= 2*q+w-3 < V"
    text = f"X: [V,V,C]\ntemporary T\nT[p,q,k] += i32({at}) * i32(W[r,w,c,k]) {inside}\nY[p,q,k] = round_i8(f32(T[p,q,k]) * s[])"
    kernel = im.kernel(text, name="first").with_dtypes({**dict.fromkeys("XWY", "i8"), "T": "i32", "s": "f32"})
    known = dict(p=24, q=24, C=3, k=16, V=47, r=7, w=7)
    found = im.stage(kernel.with_sizes(known), MACHINE)
    assert [s.proved.mapping.id.split(";")[0] for s in found.phases][2] == "i=p,j=k,k=w.c" and len(found.phases) == 4
    random = np.random.default_rng(1)
    X, W = (random.integers(-128, 128, n).astype(np.int8) for n in ((47, 47, 3), (7, 7, 3, 16)))
    wide = np.zeros((53, 53, 3), np.int64)
    wide[3:50, 3:50] = X
    sums = sum(wide[r : r + 47 : 2, w : w + 47 : 2] @ W[r, w].astype(np.int64) for r in range(7) for w in range(7))
    want = np.clip(np.rint(sums * 2.0**-11), -128, 127).astype(np.int8)
    assert np.array_equal(here(found)(X=X, W=W, s=np.array(2.0**-11, np.float32)), want)


@pytest.mark.parametrize(
    "wrong",
    [
        FILL.replace("{above}", "0"),
        FILL.replace("{above}", "{above} + 1"),
        FILL.replace("(uint32_t)({s})", "(uint32_t)({s}) + (uint32_t)({above})"),
        FILL.replace("{rows}", "{rows} - {above}"),
    ],
)
def test_zeros_that_the_description_gets_wrong_are_found(wrong: str) -> None:
    """The proof trusts the description; what executes the instructions does not."""
    assert wrong != FILL
    own = (replace(i, emit=wrong) if i.short == "mvin" else i for i in MACHINE.instructions)
    found = im.stage(line(1, 1), replace(MACHINE, instructions=tuple(own)), sizes={"w": 3})
    random = np.random.default_rng(3)
    try:
        made = here(found)
        assert not all(right(made, (1, 1), arrays_of(1, 1, random)) for _ in range(4))
    except HardwareError as refused:
        assert "instruction" in str(refused)
