"""NEON, which is a description alone: its kernels run emulated and equal NumPy's, its instructions do what they are said to do.

Arrays end at a page that nothing may touch, so a program that reads or writes beyond one dies.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.targets import Target
from isamap_smt.targets.cross import EmulatedKernel

NEON = isamap_hardware.load("neon")
INSTRUCTIONS = {"vfmaq_f32": "f32", "vdotq_s32": "i8", "vmmlaq_s32": "i8"}  # each with the type of what it multiplies
OTHERS = [("conv2d", n) for n in INSTRUCTIONS] + [("matvec", "vfmaq_f32"), ("matvec", "vdotq_s32")]
WINDOW = dict(n=1, k=6, c=5, p=5, q=7, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)


def typed(kernel: str, dtype: str) -> im.Kernel:
    """The library's kernel, in f32 or with i8 operands and i32 sums."""
    found = im.find_kernel(kernel)
    inputs = dict.fromkeys(found.inputs, dtype)
    return found.with_dtypes({**inputs, **dict.fromkeys(found.outputs, "i32" if dtype == "i8" else dtype)})


@functools.cache
def built(arm: Target, kernel: str, name: str, **options: Any) -> EmulatedKernel:
    """The kernel on that instruction of NEON, with arrays that end at a page."""
    given = {n: dict(v) if n == "sizes" else v for n, v in options.items()}
    planned = im.plan(typed(kernel, INSTRUCTIONS[name]), NEON, instruction=name, **given)
    assert planned.instruction.short == name
    made = arm.build(arm.emit(planned))
    assert isinstance(made, EmulatedKernel)
    made.alignment = 1
    return made


def small(random: np.random.Generator, dtype: str, *shape: int) -> np.ndarray:
    """All bytes; in floating point small whole numbers, whose sums are exact."""
    low, high = (-128, 127) if dtype == "i8" else (-16, 16)
    return random.integers(low, high, shape, endpoint=True).astype(im.__getattr__(dtype).numpy)


def exact(product: np.ndarray, dtype: str) -> np.ndarray:
    return product.astype(np.int32 if dtype == "i8" else np.float32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_gemm_of_every_tail(arm: Target, name: str) -> None:
    """One program for all sizes: below, at and above its vectors, groups and register tiles, in each dimension."""
    gemm, dtype = built(arm, "gemm", name), INSTRUCTIONS[name]
    assert set(gemm.kernel.free_sizes) == {"I", "J", "K"}
    random = np.random.default_rng(1)
    for i, j, k in itertools.product((1, 3, 4, 11), (1, 3, 4, 5, 25), (1, 3, 4, 18)):
        a, b = small(random, dtype, i, k), small(random, dtype, k, j)
        want = exact(a.astype(np.int64) @ b.astype(np.int64), dtype)
        assert np.array_equal(gemm(a, b), want), (i, j, k)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sizes", [(64, 96, 32), (33, 21, 17)])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_gemm_at_sizes_that_are_known(arm: Target, name: str, sizes: tuple[int, int, int]) -> None:
    (i, j, k), dtype = sizes, INSTRUCTIONS[name]
    gemm = built(arm, "gemm", name, sizes=(("i", i), ("j", j), ("k", k)))
    random = np.random.default_rng(2)
    a, b = small(random, dtype, i, k), small(random, dtype, k, j)
    want = exact(a.astype(np.int64) @ b.astype(np.int64), dtype)
    assert np.array_equal(gemm(a, b), want)
    begun = small(random, dtype, i, j).astype(want.dtype)
    assert np.array_equal(gemm(a, b, out=begun.copy()), want + begun)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kernel", "name"), OTHERS)
def test_other_kernels(arm: Target, kernel: str, name: str) -> None:
    sizes, dtype = WINDOW if kernel == "conv2d" else dict(i=23, k=37), INSTRUCTIONS[name]
    made, asked = built(arm, kernel, name, sizes=tuple(sizes.items())), typed(kernel, dtype).with_sizes(sizes)
    random = np.random.default_rng(3)
    arrays = {name: small(random, dtype, *array.shape) for name, array in random_arrays(asked, rng=random).items()}
    assert np.array_equal(made(**arrays), run_kernel(asked, arrays)[asked.results[0]])


def test_threads_and_constants_packed_ahead(arm: Target) -> None:
    sizes = (("i", 40), ("j", 24), ("k", 16))
    gemm = built(arm, "gemm", "vmmlaq_s32", sizes=sizes, threads=2, constant=("B",))
    assert gemm.program.ahead
    random = np.random.default_rng(4)
    a, b = small(random, "i8", 40, 16), small(random, "i8", 16, 24)
    assert np.array_equal(gemm(a, b, threads=2), a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("types", "short"),
    [
        (("f32", "f32", "f32"), "vfmaq_laneq_f32"),
        (("f16", "f16", "f16"), "vfmaq_f16"),
        pytest.param(("u8", "u8", "u32"), "vdotq_u32", marks=pytest.mark.exhaustive),
        (("u8", "i8", "i32"), "vusdotq_s32"),
        (("u8", "u8", "u32"), "vmmlaq_u32"),
        (("u8", "i8", "i32"), "vusmmlaq_s32"),
    ],
)
def test_gemm_of_other_types(arm: Target, types: tuple[str, str, str], short: str) -> None:
    """One program for all sizes; in f16 small whole numbers, whose sums are exact."""
    kernel = im.find_kernel("gemm").with_dtypes(dict(zip("ABC", types, strict=True)))
    planned = im.plan(kernel, NEON, instruction=short)
    assert planned.instruction is not None and planned.instruction.short == short
    gemm = arm.build(arm.emit(planned))
    random = np.random.default_rng(6)
    low = {"f16": (-4, 4), "f32": (-9, 9), "u8": (0, 255), "i8": (-128, 127)}
    for i, j, k in ((1, 1, 1), (5, 9, 7), (11, 33, 18)):
        drawn = (
            random.integers(*low[t], shape, endpoint=True) for t, shape in zip(types, ((i, k), (k, j)), strict=False)
        )
        a, b = (x.astype(im.__getattr__(t).numpy) for x, t in zip(drawn, types, strict=False))
        want = (a.astype(np.float64) @ b.astype(np.float64)).astype(im.__getattr__(types[2]).numpy)
        assert np.array_equal(gemm(a, b), want), (i, j, k)


@pytest.mark.parametrize(("machine", "short"), [("neon", "vdotq_laneq_s32"), ("sve", "svdot_lane_s32")])
def test_dot_products_by_element_map_and_are_refused_where_registers_are_filled(machine: str, short: str) -> None:
    """They interleave four rows of b in a register, which no load of a program does yet."""
    kernel = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
    assert im.prove(im.fuse(kernel, im.find_instruction(f"{machine}.{short}"), "l=j,k=k"))
    with pytest.raises(ScheduleError, match=rf"{short} takes b at k // 4; registers are filled along plain axes only"):
        im.plan(kernel, machine, instruction=short)


def test_every_instruction_does_what_its_description_says(arm: Target) -> None:
    found = im.check_hardware(NEON, seed=17, place=arm.place())
    assert [str(c) for c in found.checked if c.status != "right"] == []
    assert {c.how for c in found.checked} == {"bit for bit"}
    assert all(c.emulated.startswith("qemu-aarch64 ") for c in found.checked)
    assert f"{len(NEON.instructions)} of them emulated by qemu-aarch64" in str(found)


@pytest.mark.parametrize(
    ("name", "emit", "said"),
    [
        ("vfmaq_f32", "{c} = vfmsq_f32({c}, {a}, {b});", "results are wrong"),
        ("vdotq_s32", "{acc} = vdotq_s32({acc}, {a}, {a});", "results are wrong"),
        ("vfmaq_laneq_f32", "for (int n = 0; n < 4; ++n) {acc} = vfmaq_laneq_f32({acc}, {b}.val[n], {a}, 0);", "results are wrong"),
        ("vsudotq_laneq_s32", "{acc} = vsudotq_laneq_s32({acc}, {b}.val[0], {a}, 0);", "results are wrong"),
        ("vmmlaq_s32", "{c} = vmmlaq_s32({c}, {b}, {a});", "results are wrong"),  # the transpose of the sums
        ("vmmlaq_s32", "{c} = vmmlaq_s32({c}, {a}, vreinterpretq_s8_s32(vtrn1q_s32(vreinterpretq_s32_s8({b}), "
                       "vreinterpretq_s32_s8({b}))));", "results are wrong"),
        ("vmmlaq_u32", "{c} = vreinterpretq_u32_s32(vmmlaq_s32(vreinterpretq_s32_u32({c}), vreinterpretq_s8_u8({a}), "
                       "vreinterpretq_s8_u8({b})));", "results are wrong"),
        ("vusmmlaq_s32", "{c} = vmmlaq_s32({c}, vreinterpretq_s8_u8({a}), {b});", "results are wrong"),
        ("load_rows_i8", "{r} = vld1q_s8({m}); (void){stride};", "r[1,0]"),
        ("masked_store_tile_i32", "neon_store_part({m}, 4 * {stride}, {active}, 8, vreinterpretq_u8_s32({r})); (void){across};",
         "touches memory that is not its operand's"),
        ("masked_load_f32", "{r} = vld1q_f32({m}); (void){active};", "touches memory that is not its operand's"),
        ("masked_store_i32", "vst1q_s32({m}, {r}); (void){active};", "touches memory that is not its operand's"),
        ("vdotq_s32", '__asm__ volatile("msr fpcr, %0" : : "r"(1ull << 24)); {acc} = vdotq_s32({acc}, {a}, {b});',
         "leaves the CPU in another mode"),
        ("vfmaq_f32", "{c} = vfmaq_f32({c}, {a}, {b}); __builtin_trap();", "was killed by"),
    ],
)  # fmt: skip
def test_a_wrong_instruction_is_found(arm: Target, name: str, emit: str, said: str) -> None:
    wrong = replace(NEON.instruction(name), emit=emit)
    (found,) = check_instructions([wrong], NEON, results=1000, place=arm.place())
    assert found.status == "wrong" and said in found.reason, str(found)


def test_a_tile_of_all_registers(arm: Target) -> None:
    """30 sums, one vector and one broadcast: the C keeps their order by operands that the compiler of this machine takes."""
    fixed = {"register.i": 30, "register.j": 4}
    planned = im.plan("gemm", NEON, sizes={"i": 30, "j": 8, "k": 32}, constant=["B"], fix=fixed)
    assert '"+w"(' in planned.source and "isamap_first(" in planned.source
    random = np.random.default_rng(5)
    a, b = small(random, "f32", 30, 32), small(random, "f32", 32, 8)
    assert np.array_equal(arm.build(arm.emit(planned))(a, b), a @ b)
