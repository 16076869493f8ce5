"""Lanes that take low digits of axes: planned, proved, packed as strided pieces, certified, and equal to NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.certificates import check_directory, save
from isamap_smt.certificates.place import put_all
from isamap_smt.certificates.store import completeness_certificate
from isamap_smt.ir.errors import ScheduleError

CONV = im.kernel("O[k,p,q] += I[c,p+r,q+s] * W[k,c,r,s]", name="few_channels")
BATCHED = im.kernel("C[b,i,j] += A[b,i,k] * B[b,k,j]", name="batched")
SIZES = {"k": 3, "c": 2, "p": 4, "q": 12, "r": 3, "s": 3}


def convolved(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
    return np.einsum("cpqrs,kcrs->kpq", windows, weights)


def arrays(kernel: im.Kernel, sizes: dict[str, int]) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    shapes = {t.name: tuple(map(int, t.shape)) for t in kernel.with_sizes(sizes).tensors}
    return [rng.integers(-9, 10, shapes[n]).astype(np.float32) for n in kernel.inputs]


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (4, 2)])
def test_pixels_of_a_convolution_fill_the_lanes(rows: int, columns: int) -> None:
    planned = im.plan(CONV, "avx2", sizes=SIZES, fix={"digits.p": rows, "digits.q": columns})
    assert planned.proved is not None and planned.split is not None
    assert planned.proved.mapping.id == f"l=p_mod{rows}.q_mod{columns};a=I,b=W"
    assert planned.split.split.origin == CONV.with_sizes({"p": 4, "q": 12})
    given = arrays(CONV, SIZES)
    np.testing.assert_array_equal(im.build(planned)(*given), convolved(*given))


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (1, 8)])
def test_pixels_that_are_left_over(rows: int, columns: int) -> None:
    """Digits that do not divide 7 rows and 9 columns: no operand is read beyond its end."""
    sizes = {**SIZES, "p": 7, "q": 9}
    pins = {f"digits.{a}": n for a, n in (("p", rows), ("q", columns)) if n > 1}
    planned = im.plan(CONV, "avx2", sizes=sizes, fix=pins)
    assert planned.proved is not None and planned.split is not None
    assert f"q_mod{columns}" in planned.proved.mapping.id
    given = arrays(CONV, sizes)
    np.testing.assert_array_equal(im.build(planned)(*given), convolved(*given))


@pytest.mark.needs("avx512f")
def test_four_by_four_pixels_in_sixteen_lanes() -> None:
    planned = im.plan(CONV, "avx512", sizes=SIZES, fix={"digits.p": 4, "digits.q": 4}, constant=("W",))
    given = arrays(CONV, SIZES)
    np.testing.assert_array_equal(im.build(planned)(*given), convolved(*given))


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("sizes", [{"b": 3, "i": 4, "j": 12, "k": 5}, {"i": 4, "j": 12}])
def test_two_rows_of_four_columns_of_a_batch(sizes: dict[str, int], tmp_path: Path) -> None:
    """The sizes that are not taken apart may stay open."""
    planned = im.plan(BATCHED, "avx2", sizes=sizes, fix={"digits.i": 2, "digits.j": 4})
    a, b = arrays(BATCHED, {"b": 3, "i": 4, "j": 12, "k": 5})
    np.testing.assert_array_equal(im.build(planned)(a, b), a @ b)
    place = save(planned.checked, tmp_path, split=planned.split)
    assert "digits-i-4-2" in str(place)
    assert {o.status for o in check_directory(tmp_path, jobs=1)} == {"ok"}


def test_a_mapping_of_digits_is_certified_with_its_split(tmp_path: Path) -> None:
    proved = im.prove(im.fuse(BATCHED, im.find_instruction("avx2.fmadd_ps"), "l=i.j%4"))
    assert isinstance(proved, im.ProvedMapping)
    place = save(proved, tmp_path)
    assert "digits-j-J-4" in str(place)
    assert {o.status for o in check_directory(tmp_path, jobs=1)} == {"ok"}


def test_that_the_family_is_complete_is_certified(tmp_path: Path) -> None:
    found = im.find_mappings(BATCHED, im.find_instruction("avx2.fmadd_ps"), "digits")
    ids = [p.mapping.id for p in found]
    assert "l=b.i%2.j%2;a=A,b=B" in ids
    put_all([completeness_certificate(found.family, ids, found.witnesses)], tmp_path)
    (outcome,) = check_directory(tmp_path, jobs=1)
    assert (outcome.id, outcome.status) == ("avx2/batched/complete,fmadd_ps,digits", "ok")
    with pytest.raises(im.IsamapError, match="is not shown to be complete"):
        completeness_certificate(found.family, ids[:-1], found.witnesses)


@pytest.mark.parametrize(
    ("fix", "words"),
    [
        ({"digits.j": 1}, "no digit of it"),
        ({"digits.z": 4}, "no axis 'z'"),
        ({"digits.j": "four"}, "must be a number of points"),
        ({"digits": 4}, "digits.AXIS=POINTS"),
        ({"digits.j": 4, "split.k": 2}, "one sum is split one way"),
    ],
)
def test_pins_that_say_no_digits(fix: dict[str, Any], words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        im.plan(BATCHED, "avx2", sizes={"b": 3, "i": 4, "j": 12, "k": 5}, fix=fix)


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(im.IsamapError, match="unknown family 'digit'; did you mean digits"):
        im.plan(BATCHED, "avx2", family="digit")
