"""im.einsum is np.einsum: all that NumPy reads, with its shapes, types, views and broadcasting; another reading is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, DTypeError, LanguageError
from isamap_smt.language.subscripts import read_subscripts
from isamap_smt.pipeline.einsum import contraction, order_of


def whole_numbers(shape: tuple[int, ...], kind: Any = np.float64, seed: int = 0) -> np.ndarray:
    """Small ones, so that sums of products are exact in any order."""
    return np.random.default_rng(seed).integers(0, 4, shape).astype(kind)


def assert_same(*operands: Any, **options: Any) -> Any:
    made, expected = im.einsum(*operands, **options), np.einsum(*operands)
    assert type(made) is type(expected) and np.shape(made) == np.shape(expected)
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(made, expected)
    return made


EQUATIONS = [
    ("ij,jk->ik", (5, 6), (6, 7)),
    (" i j , j k ", (5, 6), (6, 7)),
    ("...ij,...jk->...ik", (2, 3, 4), (1, 4, 5)),
    ("i,j->ji", (3,), (4,)),
    ("bn,anm,bm->ba", (4, 5), (3, 5, 6), (4, 6)),
    ("ijk,ilm,njm,nlk,abc->", (2, 3, 4), (2, 5, 6), (7, 3, 6), (7, 5, 4), (2, 3, 2)),
    (",ij->ji", (), (3, 4)),
    ("ij,jk", (2, 1), (3, 4)),  # one element is broadcast to a letter, too
    ("aA,Ab->bA", (2, 3), (3, 4)),
    ("iij,jj->i", (3, 3, 4), (4, 4)),
    ("ij,ij,ij->", (3, 4), (3, 4), (3, 4)),
    ("...,...", (3, 1), (4,)),
    ("ij,k->k", (3, 0), (4,)),
    ("i...->...", (3, 4, 5)),
]


@pytest.mark.parametrize("equation, shapes", [(e, s) for e, *s in EQUATIONS], ids=[e for e, *_ in EQUATIONS])
def test_it_is_numpys(equation: str, shapes: list[tuple[int, ...]]) -> None:
    assert_same(equation, *(whole_numbers(s, seed=n) for n, s in enumerate(shapes)))


@pytest.mark.parametrize("seed", range(6))
def test_any_equation_is_numpys(seed: int) -> None:
    assert_same(*drawn(seed))


def drawn(seed: int) -> list[Any]:
    """An equation with its arrays, of up to three operands: letters more than once, dots, one element for many, views of memory."""
    draw = random.Random(seed)
    extents = {c: draw.randint(1, 5) for c in "ijKm"}
    dots = [draw.randint(1, 3) for _ in range(draw.randint(0, 2))]
    terms, arrays = [], []
    for number in range(draw.randint(1, 3)):
        letters = [draw.choice("ijKm") for _ in range(draw.randint(0, 3))]
        own = dots[draw.randint(0, len(dots)) :] if dots and draw.random() < 0.6 else None
        at = draw.randint(0, len(letters))
        shape = [extents[c] if draw.random() < 0.9 or letters.count(c) > 1 else 1 for c in letters]
        terms.append("".join([*letters[:at], *(["..."] if own is not None else []), *letters[at:]]))
        array = whole_numbers((*shape[:at], *(own or ()), *shape[at:]), seed=seed + number)
        arrays.append(_viewed(array, draw))
    known = sorted({c for t in terms for c in t if c.isalpha()})
    equation = ",".join(terms)
    if draw.random() < 0.8:
        target = draw.sample(known, draw.randint(0, len(known)))
        at = draw.randint(0, len(target))
        equation += "->" + "".join([*target[:at], *(["..."] if "..." in equation else []), *target[at:]])
    return [equation, *arrays]


def _viewed(array: np.ndarray, draw: random.Random) -> np.ndarray:
    """The same elements, lying otherwise: transposed, or every second of larger rows."""
    way = draw.randint(0, 2)
    if way == 1 and array.ndim:
        return np.ascontiguousarray(array.T).T
    if way == 2 and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array


@pytest.mark.parametrize("kind", ["f2", "f4", "i1", "u1", "i4", "i8", "?"])
def test_types_are_numpys(kind: str) -> None:
    a, b = whole_numbers((4, 5), kind), whole_numbers((5, 6), kind, 1)
    assert_same("ij,jk->ki", a, b)


def test_types_meet_as_they_do_in_numpy() -> None:
    assert_same("ij,j->i", whole_numbers((4, 5), np.int8), whole_numbers((5,), np.float32))
    assert_same("i,i->i", whole_numbers((4,), np.uint8), whole_numbers((4,), np.int8))


def test_lists_of_numbers_are_an_equation() -> None:
    a, b = whole_numbers((4, 5)), whole_numbers((5, 6))
    assert_same(a, [0, 1], b, [1, 2], [2, 0])
    assert_same(a, [0, 1], b, [1, 30])
    assert_same(a, [..., 1], whole_numbers((5, 4)), [1, ...], [...])


def test_what_sums_nothing_is_a_view() -> None:
    a = whole_numbers((4, 4))
    im.einsum("ii->i", a)[:] = 7
    assert (np.diagonal(a) == 7).all()
    assert im.einsum("ij->ji", a).base is not None


class _Own(np.ndarray):
    """One's own kind of array, which computes otherwise."""

    def reshape(self, *shape: Any, **options: Any) -> Any:
        raise NotImplementedError


def test_what_was_computed_before_is_computed_again() -> None:
    a, b = whole_numbers((3, 4)), whole_numbers((4, 2), seed=1)
    for _ in range(3):
        assert_same("ij,jk->ik", a, b)
        assert_same("ij,jk->ik", a, np.ascontiguousarray(b.T).T)
        assert_same("ij,jk->ik", a.astype(np.float32), b.astype(np.float32))
        assert_same("ij,->ij", a, np.float64(3))
        assert_same("ij,->ij", a, 3)
        assert_same("ij->", a)
    np.testing.assert_array_equal(im.einsum("ij,jk->ik", a.view(_Own), b.view(_Own)), a @ b)
    np.testing.assert_array_equal(im.einsum("ij,jk->ik", a.tolist(), b.tolist()), a @ b)


def test_out_takes_the_result_where_it_lies() -> None:
    a, out = whole_numbers((4, 4)), np.zeros((8, 8))[::2, ::2]
    assert im.einsum("ij,jk->ki", a, a, out=out) is out
    np.testing.assert_array_equal(out, (a @ a).T)
    expected = a.T.copy()
    im.einsum("ij->ji", a, out=a)
    np.testing.assert_array_equal(a, expected)


def test_a_chain_multiplies_least_and_sums_alone_come_first() -> None:
    sizes = {"i": 2, "j": 100, "k": 100, "l": 100, "m": 9}
    order = order_of([("i", "j"), ("j", "k"), ("k", "l"), ("m",)], ("i", "l"), sizes)
    assert order[0] == (3,)  # the sum over m
    assert (0, 1) in order[1:]  # i is short: from the left
    text = str(contraction([("i", "j"), ("j", "k")], ("i", "k"), sizes, np.dtype(np.float32)))
    assert "Y[i,k] += X0[i,j] * X1[j,k]" in text


@pytest.mark.parametrize("equation, ranks, said", [
    ("ij;jk", (2, 2), "column 3: ';', expected a letter, ..., a comma, a space or ->"),
    ("ij,jk->iz", (2, 2), "column 9: no operand has the letter 'z'"),
    ("ij,jk->ii", (2, 2), "column 9: the result has the letter 'i' twice"),
    ("ij,jk->i,k", (2, 2), "column 9: ',', expected a letter, ... or a space"),
    ("ij,jk", (2,), "it names 2 operands, and 1 are given"),
    ("ij,jk", (2, 3), "column 4: 'jk' has 2 letters, and operand 2 has 3 dimensions; write ... for the others"),
    ("ijk", (2,), "column 1: 'ijk' has 3 letters, and operand 1 has 2 dimensions"),
    ("i..j", (2,), "column 2: '.', expected"),
    ("......", (2,), "column 4: ... a second time, expected"),
    ("...i->i", (3,), "column 7: operands have dimensions that ... stands for: the result must have ..., too"),
    ("ij->i->j", (2,), "column 6: '-', expected"),
    ("ïj", (2,), "column 1: 'ï', expected"),
])  # fmt: skip
def test_another_reading_is_refused_with_its_column(equation: str, ranks: tuple[int, ...], said: str) -> None:
    with pytest.raises(LanguageError) as error:
        read_subscripts(equation, ranks)
    assert said in str(error.value)
    with pytest.raises(ValueError):
        np.einsum(equation, *(np.ones((2,) * r) for r in ranks))


def test_what_does_not_fit_is_said() -> None:
    a = whole_numbers((2, 3))
    with pytest.raises(ArgumentError, match="j is 3 in operand 1, and 2 in operand 2"):
        im.einsum("ij,jk", a, a)
    with pytest.raises(DTypeError, match="operand 1 has type complex64, which no kernel has"):
        im.einsum("ij->i", a.astype(np.complex64))
    with pytest.raises(ArgumentError, match=r"out is float64\[2\], and the result float64\[3\]"):
        im.einsum("ij->j", a, out=np.zeros(2))
    with pytest.raises(ArgumentError, match="in place of a list of numbers"):
        im.einsum(a, 3)
    with pytest.raises(LanguageError, match="the list of operand 1 has 52, expected a number from 0 to 51"):
        im.einsum(a, [0, 52])
    with pytest.raises(ArgumentError, match="an equation without arrays"):
        im.einsum("ij")


def test_what_is_shown_is_of_every_shape() -> None:
    """Views are found by the equation and the number of dimensions alone."""
    rng = np.random.default_rng(0)
    for shape in ((4, 4), (1, 1), (0, 0), (7, 7)):
        whole = rng.standard_normal((*shape, 2)).astype(np.float32)
        for matrix in (whole[..., 0].copy(), whole[..., 1], whole[..., 0].T, whole[::-1, :, 0].astype(np.complex64)):
            for equation in ("ii->i", "ij->ji", "ij->ij", "ji", "...i->i..."):
                made, expected = im.einsum(equation, matrix), np.einsum(equation, matrix)
                np.testing.assert_array_equal(made, expected)
                assert made.strides == expected.strides or made.size < 2
                assert np.shares_memory(made, matrix) or not made.size
    square = np.zeros((3, 3), np.float32)
    im.einsum("ii->i", square)[:] = 1
    np.testing.assert_array_equal(square, np.eye(3))
    for _ in range(2):
        with pytest.raises(ArgumentError, match="i is 2 in operand 1, and 3 in operand 1"):
            im.einsum("ii->i", np.zeros((2, 3)))
