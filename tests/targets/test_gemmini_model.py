"""What each instruction of the model of Gemmini does, without Spike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from isamap_smt.targets.gemmini import build_model
from tests.targets.gemmini_words import ACC, ADD, BASE, FULL, NOWHERE, OS, WS, Machine, small, wide


@pytest.fixture
def machine() -> Machine:
    return Machine(build_model())


@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (1, 1), (3, 7), (16, 64), (5, 33)])
def test_bytes_come_back_from_the_scratchpad(machine: Machine, rows: int, columns: int) -> None:
    """Rows of an array with a longer row, in blocks of 16 columns; what lies around them in memory is not touched."""
    source = small(1, 16, 80)
    address, to = machine.put(source), machine.put(np.full((16, 100), 77, np.int8))
    machine.config_ld(80, blocks=16)
    machine.mvin(address + 3, 16320, rows, columns)
    machine.config_st(100)
    machine.mvout(to + 5, 16320, rows, columns)
    want = np.full((16, 100), 77, np.int8)
    want[:rows, 5 : 5 + columns] = source[:rows, 3 : 3 + columns]
    assert np.array_equal(machine.get(to, np.int8, 16, 100), want)


def test_blocks_lie_where_the_block_stride_says(machine: Machine) -> None:
    source = small(2, 4, 40)
    address = machine.put(source)
    machine.config_ld(40, blocks=100, which=1)
    machine.mvin(address, 7, 4, 40, which=1)
    for n, columns in enumerate((16, 16, 8)):
        assert np.array_equal(machine.store(7 + 100 * n, 4, columns, np.int8), source[:, 16 * n : 16 * n + columns])


def test_cells_outside_of_the_block_keep_their_value(machine: Machine) -> None:
    first, second = small(3, 16, 16), small(4, 3, 5)
    machine.load(first, 32)
    machine.load(second, 34, which=2)
    first[2:5, :5] = second
    assert np.array_equal(machine.store(32, 16, 16, np.int8), first)


def test_a_stride_of_zero_repeats_a_row_and_address_zero_gives_zeros(machine: Machine) -> None:
    row = small(5, 1, 16)
    address = machine.put(row)
    machine.config_ld(0)
    machine.mvin(address, 0, 16, 16)
    assert np.array_equal(machine.store(0, 16, 16, np.int8), np.repeat(row, 16, 0))
    machine.mvin(0, ACC | 9, 2, 16)
    assert not machine.store(ACC | 9, 2, 16, np.int32).any()


def test_the_accumulator_adds_modulo_two_to_the_32(machine: Machine) -> None:
    first, second = wide(6, 16, 16), wide(7, 16, 16)
    machine.load(first, ACC | 1008)
    machine.load(second, ACC | ADD | 1008)
    with np.errstate(over="ignore"):
        assert np.array_equal(machine.store(ACC | 1008, 16, 16, np.int32), first + second)


def test_bytes_shrunk_into_the_accumulator_are_scaled(machine: Machine) -> None:
    source = small(8, 7, 50)
    address = machine.put(source)
    machine.config_ld(50, scale=0.5, shrunk=1)
    machine.mvin(address, ACC, 7, 50)
    want = np.rint(source * np.float32(0.5)).astype(np.int32)
    got = [machine.store(ACC | 16 * n, 7, min(16, 50 - 16 * n), np.int32) for n in range(4)]
    assert np.array_equal(np.concatenate(got, 1), want)


SCALED = [
    (5, 0.5, 2), (7, 0.5, 4), (-5, 0.5, -2), (-7, 0.5, -4), (1, 0.5, 0), (3, 0.5, 2),  # ties to even
    (255, 0.5, 127), (253, 0.5, 126), (-257, 0.5, -128), (-259, 0.5, -128), (-255, 0.5, -128),
    (127, 1.0, 127), (128, 1.0, 127), (-128, 1.0, -128), (-129, 1.0, -128), (2**31 - 1, 1.0, 127), (-(2**31), 1.0, -128),
    (17825793, 2.0**-21, 8),  # the integer becomes a float: 17825792, and 8.5
    (3, 3.5 / 3, 4),  # the product becomes a float: 3.4999999 becomes 3.5
    (2**31 - 1, 1e-45, 0), (1, -1.0, -1), (100, -2.0, -128), (-100, -2.0, 127), (0, -1.0, 0), (-9, 0.0, 0), (1, 1e18, 127),
]  # fmt: skip


@pytest.mark.parametrize(("value", "scale", "want"), SCALED)
def test_numbers_are_scaled_as_floats_and_saturated(machine: Machine, value: int, scale: float, want: int) -> None:
    machine.load(np.array([[value]], np.int32), ACC)
    to = machine.put(np.zeros(1, np.int8))
    machine.config_st(1, scale=scale)
    machine.mvout(to, ACC, 1, 1)
    assert machine.get(to, np.int8, 1)[0] == want


def test_many_numbers_and_scales_agree_with_fractions(machine: Machine) -> None:
    """16 numbers and a scale at a time; both roundings to float, and that to an integer, by fractions."""
    random = np.random.default_rng(9)
    for n in range(200):
        scale = np.float32(random.uniform(0.5, 2) * 2.0 ** random.integers(-32, 4))
        values = (wide(n, 1, 16) >> random.integers(0, 31)).astype(np.int32)
        machine.end = BASE
        machine.load(values, ACC)
        to = machine.put(np.zeros(16, np.int8))
        machine.config_st(16, scale=float(scale))
        machine.mvout(to, ACC, 1, 16)
        want = [max(-128, min(127, round(as_float(as_float(int(v)) * Fraction(float(scale)))))) for v in values[0]]
        assert machine.get(to, np.int8, 16).tolist() == want, (n, scale, values)


def as_float(value: int | Fraction) -> Fraction:
    """The nearest number of 24 significant bits, ties to even; no limits of the exponent."""
    if value == 0:
        return Fraction(0)
    exact = Fraction(value)
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length() - 24  # one too small, or right
    unit = Fraction(2) ** exponent
    if abs(exact) >= unit * 2**24:
        unit *= 2
    return round(exact / unit) * unit


def test_relu_is_of_mvout_to_bytes_alone(machine: Machine) -> None:
    sums = np.arange(-8, 8, dtype=np.int32)[None] * 20
    machine.load(sums, ACC)
    to = machine.put(np.zeros(80, np.int8))
    machine.config_st(16, relu=1)
    machine.mvout(to, ACC, 1, 16)
    assert machine.get(to, np.int8, 16).tolist() == np.clip(sums[0], 0, 127).tolist()
    machine.mvout(to, ACC | FULL, 1, 16)
    assert machine.get(to, np.int32, 16).tolist() == sums[0].tolist()
    machine.load(np.full((1, 16), -3, np.int8), 0)
    machine.mvout(to, 0, 1, 16)
    assert set(machine.get(to, np.int8, 16)) == {-3}


@pytest.mark.parametrize(("at", "bt"), [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("shape", [(16, 16, 16), (1, 1, 1), (5, 9, 3), (16, 2, 11)])
def test_weight_stationary_products(machine: Machine, shape: tuple[int, int, int], at: int, bt: int) -> None:
    """C = A B + D with i8 D, replaced and then added."""
    i, j, k = shape
    a, b, d = small(10, i, k), small(11, k, j), small(12, i, j)
    machine.load(a.T.copy() if at else a, 0)
    machine.load(b.T.copy() if bt else b, 16)
    machine.load(d, 32)
    machine.config_ex(WS, at=at, bt=bt)
    machine.preload(16, ACC | 64, (k, j), (i, j))
    machine.compute(0, 32, (i, k), (i, j))
    want = a.astype(np.int32) @ b.astype(np.int32) + d
    assert np.array_equal(machine.store(ACC | 64, i, j, np.int32), want)
    machine.preload(NOWHERE, ACC | ADD | 64, c_shape=(i, j))
    machine.compute(0, NOWHERE, (i, k), fresh=False)
    assert np.array_equal(machine.store(ACC | 64, i, j, np.int32), 2 * want - d)


@pytest.mark.parametrize(("at", "bt"), [(0, 0), (1, 0), (1, 1)])
@pytest.mark.parametrize("shape", [(16, 16, 16), (3, 5, 7)])
def test_output_stationary_sums(machine: Machine, shape: tuple[int, int, int], at: int, bt: int) -> None:
    """D + A B + A B in the array, stored once."""
    i, j, k = shape
    a, b, d = small(13, i, k), small(14, k, j), small(15, i, j)
    machine.load(a.T.copy() if at else a, 0)
    machine.load(b.T.copy() if bt else b, 16)
    machine.load(d, 32)
    machine.config_ex(OS, at=at, bt=bt)
    machine.preload(32, NOWHERE, (i, j))
    machine.compute(0, 16, (i, k), (k, j))
    machine.preload(NOWHERE, ACC, c_shape=(i, j))
    machine.compute(0, 16, (i, k), (k, j), fresh=False)
    want = 2 * (a.astype(np.int32) @ b.astype(np.int32)) + d
    assert np.array_equal(machine.store(ACC, i, j, np.int32), want)


@pytest.mark.parametrize("shift", [0, 1, 4, 7])
def test_results_to_the_scratchpad_are_shifted_to_even_saturated_and_cut(machine: Machine, shift: int) -> None:
    a, b = small(16, 16, 16) // 8, np.eye(16, dtype=np.int8) * 5
    machine.load(a, 0)
    machine.load(b, 16)
    machine.config_ex(OS, shift=shift, relu=1)
    machine.preload(NOWHERE, 100)
    machine.compute(0, 16)
    want = np.clip(np.rint(a.astype(np.int32) * 5 / 2**shift), 0, 127)
    assert np.array_equal(machine.store(100, 16, 16, np.int8), want)
    machine.config_ex(WS, shift=shift)
    machine.preload(16, 100)
    machine.compute(0, NOWHERE)
    assert np.array_equal(machine.store(100, 16, 16, np.int8), np.clip(a.astype(np.int32) * 5, -128, 127))


def test_sums_that_leave_20_bits_are_counted_where_they_stay_in_the_array(machine: Machine) -> None:
    machine.load(np.full((16, 16), -128, np.int8), 0)
    for dataflow, want in ((WS, 0), (OS, 1)):
        machine.config_ex(dataflow)
        machine.preload(0 if dataflow == WS else NOWHERE, ACC if dataflow == WS else NOWHERE)
        machine.compute(0, 0 if dataflow == OS else NOWHERE)
        assert machine.model.wide() == 0  # 16 * 128 * 128 = 2^18
        machine.preload(NOWHERE, ACC)
        machine.compute(0, 0 if dataflow == OS else NOWHERE, fresh=False)
        assert machine.model.wide() == want  # 2^19
        assert machine.store(ACC, 1, 1, np.int32)[0, 0] == (-(1 << 19) if want else 1 << 18)


@pytest.mark.parametrize("value", [-128, -127])
def test_32_products_of_the_least_bytes_wrap_and_of_the_next_do_not(machine: Machine, value: int) -> None:
    """As the RTL's wires do; what follows counts from the wrapped sum."""
    machine.load(np.full((16, 16), value, np.int8), 0)
    machine.load(np.full((16, 16), -128, np.int8), 16)
    machine.config_ex(OS)
    for n in (1, 2):
        machine.preload(NOWHERE, ACC if n == 2 else NOWHERE)
        machine.compute(0, 16, fresh=n == 1)
    assert machine.store(ACC, 1, 1, np.int32)[0, 0] == (-(1 << 19) if value == -128 else 32 * 127 * 128)
