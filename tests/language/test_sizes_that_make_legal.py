"""A size that is given counts when indices are checked: W[2-r] exists for R = 3 and for no larger R."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import LanguageError, SizeError

TURNED = "C[n,p] += X[n,p+r] * W[n,2-r]"


@pytest.mark.parametrize("sizes", [{"r": 3}, {"R": 3}, {"r": 2}, {"r": 3, "n": 2, "p": 4}])
def test_the_text_is_legal_for_these_sizes(sizes: dict[str, int]) -> None:
    k = im.kernel(TURNED, sizes=sizes)
    assert k.tensor("W").shape[1] == 3
    assert all(a.extent == {**sizes, "r": sizes.get("r", 3)}[a.name] for a in k.axes if a.name in sizes)


@pytest.mark.parametrize("sizes", [{}, {"r": 4}, {"n": 3}])
def test_it_is_not_for_others(sizes: dict[str, int]) -> None:
    with pytest.raises(LanguageError, match="line 1, column 26: this index of W goes down to 3 - R"):
        im.kernel(TURNED, sizes=sizes)


def test_sizes_that_contradict_or_mean_nothing_are_still_refused() -> None:
    with pytest.raises(SizeError, match="axis r has 3 points"):
        im.kernel(TURNED, sizes={"r": 2, "R": 3})
    with pytest.raises(SizeError, match="no size 'q'"):
        im.kernel(TURNED, sizes={"r": 3, "q": 4})


def test_it_computes_what_it_says() -> None:
    forward = im.compile(im.kernel(TURNED, sizes={"r": 3}), "host")
    X, W = np.arange(12, dtype=np.float32).reshape(2, 6), np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(forward(X, W), [np.convolve(x, w, "valid") for x, w in zip(X, W, strict=True)])


@pytest.mark.parametrize("size", ["r=3", "R=3"])
def test_on_the_command_line(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "--text", TURNED, "avx2.fmadd_ps", "--sizes", f"{size},n=2"]) == 0
    assert run(["prove", "--text", TURNED, "avx2.fmadd_ps", "--sizes", f"{size},n=2", "--axes", "l=p"]) == 0
    assert run(["run", "--text", TURNED, "host", "--sizes", f"{size},n=2,p=9", "--seconds", "0"]) == 0
    assert run(["map", "--text", TURNED, "avx2.fmadd_ps", "--sizes", "n=2"]) == 3
