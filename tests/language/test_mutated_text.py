"""Whatever is wrong with a text, the error is one of ours, and its place lies inside the text."""

from __future__ import annotations

import random

import pytest

import isamap_kernels
from isamap_smt.ir.errors import IsamapError, LanguageError
from isamap_smt.language import kernel, to_text

SEEDS = [
    *isamap_kernels.TEXTS.values(),
    "acc[l] += sum(h, 2, i32(sat_i16(sum(g, 2, i32(a[l,2*h+g]) * i32(b[l,2*h+g])))))",
    "axis e < 4\nA: u8[I, 4]\nC[i] max= select(A[i,e] < 3, -A[i,e], 2 / 3) over i, e where i % 3 != 1 ordered",
    "axis k < J\nH[0,j] = X[0,j]\nfor t:\n  R[t,j] += H[t,k] * U[k,j]\n  H[t+1,j] = tanh(R[t,j])\nY[t,j] = H[t+1,j]",
]
PIECES = r"""
for t:
C[i] A[i,k] += = max= where and over ordered ( ) [ ] , 0 1 -1 // % * / + - < <= == sum( select( i j e s f32 : param
axis size >= ** . ' " @ lambda if not or in is yield await := ; \ ! $ ` 0x1F 1_000 1j .. ... None True f'' b'' #
"""


def mutate(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 4)):
        a, b = rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)
        match rng.randrange(3):
            case 0:
                text = text[:a] + text[a + rng.randint(1, 4) :]
            case 1:
                text = text[:a] + rng.choice(["", " ", "\n"]) + rng.choice(PIECES.split()) + text[a:]
            case 2:
                text = text[:a] + text[min(a, b) : max(a, b)] + text[a:]
    return text


def test_mutated_texts_parse_or_are_refused():
    rng = random.Random(0)
    parsed = refused = 0
    for _ in range(3000):
        text = mutate(rng, rng.choice(SEEDS))
        try:
            k = kernel(text)
        except LanguageError as e:
            refused += 1
            assert 1 <= e.line <= text.count("\n") + 1, text
            assert 1 <= e.column <= len(text.split("\n")[e.line - 1]) + 1, text
        except IsamapError:
            refused += 1
        else:
            parsed += 1
            assert kernel(to_text(k)) == k, text
    assert parsed > 50 and refused > 1000


def test_deep_nesting_huge_numbers_and_odd_bytes_are_refused():
    for text in (
        f"C[i] = {'(' * 5000}A[i]{')' * 5000}",
        f"C[i] = A[i]{' + A[i]' * 20000}",
        f"C[i] = {'-' * 20000}A[i]",
        f"C[i] = A[{'9' * 5000}]",
        "C[i] = A[i]\0",
    ):
        with pytest.raises(LanguageError):
            kernel(text)
