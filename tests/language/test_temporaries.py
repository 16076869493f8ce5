"""`temporary T`: read and printed, not a result, anew at each call; what is no temporary is said where it stands."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.interpret import run_kernel

TWO = "\nC[i,j] += A[i,k] * B[k,j]\nD[i,j] = C[i,j] * 2.0"


def test_round_trip() -> None:
    kernel = im.kernel("temporary C" + TWO)
    assert kernel.temporaries == ("C",)
    assert kernel.results == ("D",)
    assert im.kernel(im.to_text(kernel), name=kernel.name) == kernel
    assert kernel.with_sizes({"i": 3}).temporaries == ("C",)


def test_it_is_no_result_and_starts_at_zero_whatever_is_given() -> None:
    kernel = im.kernel("temporary C" + TWO)
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    found = run_kernel(kernel, {"A": a, "B": b}, {"C": np.full((2, 4), 9, np.float32)})
    assert set(found) == {"D"}
    assert (found["D"] == 6).all()


def test_compiled_twice_the_same() -> None:
    kernel = im.kernel("temporary C" + TWO)
    a, b = np.ones((5, 3), np.float32), np.ones((3, 20), np.float32)
    call = im.compile(kernel, "host").prepare(A=a, B=b)
    call.run()
    call.run()
    assert (call.result == 6).all()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("temporary D", "no other statement reads D"),
        ("temporary A", "no statement writes A"),
        ("temporary C, C", "C is declared twice"),
        ("temporary C >= 1", "a temporary has no bound"),
    ],
)
def test_what_is_no_temporary(line: str, words: str) -> None:
    with pytest.raises(LanguageError, match=words):
        im.kernel(line + TWO)
