"""Arm's dot products of bf16 are rounded to odd and flushed: here, and by QEMU, against exact fractions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.odd import dot_odd, plus_odd, times_odd
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.runtime.conformance.operands import edges, random_values
from isamap_smt.targets import Target
from isamap_smt.targets.cross import EmulatedKernel
from tests.targets import odd_oracle as oracle

NEON = isamap_hardware.load("neon")
BF16, F32 = im.bf16, im.f32
Bits = np.ndarray


def bits_of(x: np.ndarray) -> Bits:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def near(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same numbers with the other sign and a few last bits changed, so that sums cancel."""
    flips = random.integers(0, 8, x.shape).astype(f"u{x.dtype.itemsize}")
    return (bits_of(x) ^ flips ^ np.array(1 << (8 * x.dtype.itemsize - 1), flips.dtype)).view(x.dtype)


def test_sums_of_f32() -> None:
    random = np.random.default_rng(1)
    x = random_values(F32, 20_000, random)
    with np.errstate(all="ignore"):
        small = near(x, random) * np.float32(2**-24)
    for y in (random_values(F32, x.size, random), near(x, random), small):
        want = [oracle.plus(int(a), int(b)) for a, b in zip(bits_of(x), bits_of(y), strict=True)]
        assert np.array_equal(bits_of(plus_odd(x, y)), want)


def test_products_of_bf16() -> None:
    random = np.random.default_rng(2)
    every = edges(BF16)
    x = np.concatenate([np.repeat(every, every.size), random_values(BF16, 20_000, random)])
    y = np.concatenate([np.tile(every, every.size), random_values(BF16, 20_000, random)])
    want = [oracle.times(int(a) << 16, int(b) << 16) for a, b in zip(bits_of(x), bits_of(y), strict=True)]
    assert np.array_equal(bits_of(times_odd(x, y)), want)


def test_dots_round_each_operation() -> None:
    random = np.random.default_rng(3)
    a, b = (random_values(BF16, 40_000, random).reshape(-1, 2) for _ in "ab")
    a[::3, 1], b[::3, 1] = near(a[::3, 0], random), b[::3, 0]
    with np.errstate(all="ignore"):
        products = a[:, 0].astype(np.float32) * b[:, 0].astype(np.float32)
    acc = np.where(
        random.integers(0, 2, products.size) == 1, near(products, random), random_values(F32, products.size, random)
    )
    want = [
        oracle.dot(int(c), [int(v) for v in x], [int(v) for v in y])
        for c, x, y in zip(bits_of(acc), bits_of(a), bits_of(b), strict=True)
    ]
    assert np.array_equal(bits_of(dot_odd(acc, a, b)), want)


def expected(c: Bits, a: Bits, b: Bits, group: int) -> Bits:
    """C + A * B by fractions, k in order, ended with zeros to whole groups."""
    more = -a.shape[1] % group
    left = [[int(v) for v in row] + [0] * more for row in a]
    right = [[int(v) for v in column] + [0] * more for column in b.T]
    return np.array(
        [[oracle.dot(int(c[i, j]), x, y) for j, y in enumerate(right)] for i, x in enumerate(left)], np.uint32
    )


@pytest.mark.parametrize(("name", "group"), [("vbfdotq_f32", 2), ("vbfmmlaq_f32", 4)])
def test_gemm_bit_for_bit(arm: Target, name: str, group: int) -> None:
    """The program keeps k in order, so that all of it is known exactly, NaN included."""
    kernel = im.find_kernel("gemm").with_dtypes(dict(A="bf16", B="bf16", C="f32"))
    made = im.plan(kernel, NEON, instruction=name)
    assert made.instruction is not None and made.instruction.short == name
    gemm, random = arm.build(arm.emit(made)), np.random.default_rng(4)
    for i, j, k in ((29, 37, 2), (5, 9, 4), (7, 33, 7), (11, 3, 18), (1, 1, 1)):
        a, b, c = (
            random_values(t, m * n, random).reshape(m, n) for t, m, n in ((BF16, i, k), (BF16, k, j), (F32, i, j))
        )
        found, want = bits_of(gemm(a, b, out=c.copy())), expected(bits_of(c), bits_of(a), bits_of(b), group)
        assert np.array_equal(found, want), (i, j, k)


@pytest.mark.parametrize(
    ("name", "group"), [("svbfdot_f32", 2), pytest.param("svbfmmla_f32", 4, marks=pytest.mark.exhaustive)]
)
def test_gemm_at_every_length_of_vectors(arm: Target, name: str, group: int) -> None:
    kernel = im.find_kernel("gemm").with_dtypes(dict(A="bf16", B="bf16", C="f32"))
    gemm, random = arm.build(arm.emit(im.plan(kernel, "sve", instruction=name))), np.random.default_rng(6)
    assert isinstance(gemm, EmulatedKernel)
    a, b, c = (
        random_values(t, m * n, random).reshape(m, n) for t, m, n in ((BF16, 19, 7), (BF16, 7, 23), (F32, 19, 23))
    )
    want, emulator = expected(bits_of(c), bits_of(a), bits_of(b), group), arm._emulator()  # type: ignore[attr-defined]
    for length in (1, 2, 4, 8, 16):
        gemm.emulator = emulator.with_vectors(128 * length)
        assert np.array_equal(bits_of(gemm(a, b, out=c.copy())), want), length


def test_gemm_of_numbers_near_one(arm: Target) -> None:
    """Without infinities and NaN, all of which would spread: the sums of 40 products, of both instructions."""
    kernel, random = im.find_kernel("gemm").with_dtypes(dict(A="bf16", B="bf16", C="f32")), np.random.default_rng(5)
    a, b = (random.uniform(-2, 2, shape).astype(BF16.numpy) for shape in ((13, 40), (40, 11)))
    want = expected(np.zeros((13, 11), np.uint32), bits_of(a), bits_of(b), 2)
    for name in ("vbfdotq_f32", "vbfmmlaq_f32"):
        assert np.array_equal(bits_of(arm.build(arm.emit(im.plan(kernel, NEON, instruction=name)))(a, b)), want)
    nearest = a.astype(np.float32) @ b.astype(np.float32)
    assert (bits_of(nearest) != want).any() and np.abs(nearest - want.view(np.float32)).max() < 1e-4


STEPS = "{acc} = vbfmlaltq_f32(vbfmlalbq_f32({acc}, {a}, {b}), {a}, {b});"
LOW = "vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_bf16({}), 16))"
HIGH = "vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_bf16({}), vdupq_n_u32(0xffff0000u)))"
PRODUCTS = [f"vmulq_f32({half.format('{a}')}, {half.format('{b}')})" for half in (LOW, HIGH)]
NEAREST = f"{{acc}} = vaddq_f32({{acc}}, vaddq_f32({PRODUCTS[0]}, {PRODUCTS[1]}));"


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("vbfdotq_f32", {"emit": STEPS}),  # fused, to nearest even
        ("vbfdotq_f32", {"emit": NEAREST}),  # the same operations, to nearest even
        ("vbfdotq_f32", {"emit": "{acc} = vbfdotq_f32({acc}, {a}, {a});"}),
        ("vbfdotq_f32", {"rounding": "two fused steps in either order, to nearest even, flushes denormals"}),
        ("vbfmmlaq_f32", {"emit": "{c} = vbfmmlaq_f32({c}, {b}, {a});"}),
        ("vbfmmlaq_f32", {"emit": "{c} = vbfmmlaq_f32({c}, vextq_bf16_({a}), vextq_bf16_({b}));"}),  # k = 2, 3 first
    ],
)
def test_a_wrong_instruction_is_found(arm: Target, name: str, changed: dict[str, Any]) -> None:
    turned = "#define vextq_bf16_(x) vreinterpretq_bf16_u32(vrev64q_u32(vreinterpretq_u32_bf16(x)))\n"
    right = NEON.instruction(name)
    wrong = replace(right, **changed, **({"prelude": (turned,)} if "vextq_bf16_" in str(changed) else {}))
    (found,) = check_instructions([wrong], NEON, results=4000, place=arm.place())
    assert found.status == "wrong" and "results are wrong" in found.reason, str(found)
