"""Values that change their type on their way, in lanes of one number: covered by instructions, proved, and equal to NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from benchmarks.fuzz_lanes import one
from examples.indexed import ARGMAX
from isamap_smt.mapping.selection import selected_instruction

REQUANTISED = "Y[i,j] = sat_i8(round_i32(f32(T[i,j]) * s[j]) + i32(z[]))"
TYPES = {"Y": "i8", "T": "i32", "s": "f32", "z": "i8"}
STATEMENTS = [
    (REQUANTISED, TYPES, 16),
    ("Y[i,j] = round_i8(f32(T[i,j]) * s[j] + z[])", {"Y": "i8", "T": "i32", "s": "f32", "z": "f32"}, 16),
    ("Y[i,j] = f32(i32(X[i,j]) - i32(z[])) * s[]", {"Y": "f32", "X": "i8", "z": "i8", "s": "f32"}, 16),
    ("Y[i,j] = max(T[i,j] + b[j], 0) >> 7", {"Y": "i32", "T": "i32", "b": "i32"}, 16),
    ("Y[i,j] = max(a[] * X[i,j] + Z[i,j], 0)", dict.fromkeys("YaXZ", "f64"), 8),
    ("Y[i,j] = u8((u16(A[i,j]) + u16(B[i,j]) + 2) >> 2)", dict.fromkeys("YAB", "u8"), 32),
    ("Y[i,j] = select(A[i,j] < B[i,j], A[i,j], 7)", dict.fromkeys("YAB", "i8"), 64),
    ("Y[i,j] = f16(f32(A[i,j]) * 2.0)", {"Y": "f16", "A": "bf16"}, 16),
    ("Y[i] += i32(A[i,j])", {"Y": "i32", "A": "i8"}, 16),
]


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
@pytest.mark.parametrize(("text", "dtypes", "lanes"), STATEMENTS)
def test_every_part_has_an_instruction(machine: str, text: str, dtypes: dict[str, str], lanes: int) -> None:
    """No part is left to portable C; half as many lanes where registers are half as long. The composed steps are proved."""
    kernel = im.kernel(text, name="statement", dtypes=dtypes)
    taken = selected_instruction(isamap_hardware.load(machine), kernel)
    assert taken is not None
    assert "portable C" not in taken.told
    assert taken.axes["l"] == (lanes if machine == "avx512" else lanes // 2)
    axes = "l=i" if text.startswith("Y[i] ") else "l=j"
    assert isinstance(im.prove(im.fuse(kernel, taken, axes)), im.ProvedMapping)


PLACES = "N[i] min= select(X[i,j] == M[i], i32(P[j]), select(X[i,j] != X[i,j], i32(P[j]), i32(99)))"
PLACE_TYPES = {"N": "i32", "X": "f32", "M": "f32", "P": "i32"}


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
def test_equal_or_nan_is_one_step_and_proved_for_that_statement_alone(machine: str) -> None:
    kernel = im.kernel(PLACES, name="statement", dtypes=PLACE_TYPES)
    taken = selected_instruction(isamap_hardware.load(machine), kernel)
    assert taken is not None and "equal_or_nan" in taken.told
    assert isinstance(im.prove(im.fuse(kernel, taken, "l=i")), im.ProvedMapping)
    for old, new in (
        ("X[i,j] != X[i,j]", "M[i] != M[i]"),
        ("X[i,j] == M[i]", "X[i,j] <= M[i]"),
        ("i32(99)", "i32(98)"),
    ):
        other = im.kernel(PLACES.replace(old, new), name="statement", dtypes=PLACE_TYPES)
        assert not isinstance(im.prove(im.fuse(other, taken, "l=i")), im.ProvedMapping)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "machine",
    [pytest.param("avx2", marks=pytest.mark.needs("avx2")), pytest.param("avx512", marks=pytest.mark.needs("avx512f"))],
)
def test_the_first_place_of_a_maximum_or_nan(machine: str) -> None:
    """In whole vectors and behind them; both zeros are one value."""
    run = im.compile(ARGMAX, machine, sizes={"i": 7, "j": 45})
    assert "equal_or_nan_f32_i32" in run.source
    x = np.random.default_rng(5).integers(-2, 3, (7, 45)).astype(np.float32)
    x[1, [20, 9, 44]], x[2], x[3, 30], x[4], x[5, 44], x[6, 8] = np.nan, -0.0, np.inf, -np.inf, np.nan, np.nan
    x[2, 17], x[5, 3] = 0.0, np.inf
    assert np.array_equal(run(x), x.argmax(1))


def compiled(text: str, dtypes: dict[str, str], machine: str = "avx2") -> im.CompiledKernel:
    return im.compile(im.kernel(text, name="statement", dtypes=dtypes), machine, sizes={"i": 7, "j": 45})


def requantised(T: Any, s: Any, z: int) -> np.ndarray:
    """By NumPy, in f32 and exact integers."""
    near = np.clip(np.rint((T.astype(np.float32) * s).astype(np.float64)), -(2**31), 2**31 - 1)
    return np.clip(np.where(np.isnan(near), 0, near).astype(np.int64) + z, -128, 127).astype(np.int8)


@pytest.mark.needs("avx2", "f16c")
def test_requantisation_at_its_edges() -> None:
    """Ties, what i8 and i32 do not hold, NaN and infinities of the scale, and a zero point that leads beyond i32."""
    run = compiled(REQUANTISED, TYPES)
    assert "avx2_sum" in run.source
    rng = np.random.default_rng(4)
    s = rng.choice(np.array([0.5, 0.25, -0.5, 1.0, 1e10, np.inf, np.nan, 1e-3], np.float32), 45)
    T = rng.choice(np.array([-(2**31), 2**31 - 1, 0, 1, 3, 5, -3, 255, 256, 257], np.int32), (7, 45))
    for z in (-128, -1, 0, 127):
        with np.errstate(all="ignore"):
            assert np.array_equal(run(T, s, np.array(z, np.int8)), requantised(T, s, z))


def test_what_a_saturation_adds_is_no_part_of_its_own() -> None:
    """Inside it nothing wraps, so a sum that wraps may not be made apart: it was, and the composed steps hid it from the proof."""
    kernel = im.kernel("Y[i,j] = sat_i32(A[i,j] + B[i,j])", name="sums", dtypes=dict.fromkeys("YAB", "i32"))
    taken = selected_instruction(isamap_hardware.load("avx2"), kernel)
    assert taken is None or "_mm256_add_epi32" not in taken.emit


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.needs("avx2", "f16c")
def test_random_statements_equal_numpy(seed: int) -> None:
    one(41000 + seed, "avx2")


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.needs("avx2", "f16c")
def test_more_random_statements_equal_numpy(seed: int) -> None:
    one(42000 + seed, "avx2")


@pytest.mark.parametrize("kind", ["i8", "u8", "i16"])
def test_elements_of_one_use_are_converted_in_registers(kind: str) -> None:
    """Not through memory, on the way to an instruction of the other type: 7 times as long for bytes."""
    kernel = im.kernel("Y[i,j] = f32(X[i,j]) * s[]", dtypes={"Y": "f32", "X": kind, "s": "f32"})
    planned = im.plan(kernel, isamap_hardware.load("avx2"), sizes={"i": 37, "j": 50})
    assert planned.schedule.proved.mapping.instruction.name == "avx2.selected"


def test_of_several_numbers_of_lanes_the_cheapest_is_taken() -> None:
    """The same steps at another price: with bytes that are dear in 32 lanes, 16 are taken."""
    machine = isamap_hardware.load("avx2")
    kernel = im.kernel("Y[j] = A[j] + B[j]", dtypes=dict.fromkeys("YAB", "i8"))
    dear = replace(machine, instructions=tuple(
        replace(i, cost=replace(i.cost, per_cycle=0.05)) if i.short == "add_i8_32" else i for i in machine.instructions
    ))  # fmt: skip
    taken = [selected_instruction(m, kernel) for m in (machine, dear)]
    assert [i and i.steps_taken for i in taken] == [("add_i8_32",), ("add_i8_16",)]
