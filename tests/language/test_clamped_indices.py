"""min and max in an index: a border that is repeated. Read, printed, run and proved."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import to_text


def test_text() -> None:
    kernel = im.kernel("I: [H,W_]\nO[y,x] = I[max(y-1, 0), min(x+2, W_-1)] + I[min(max(y-3, 0), H-1), x]\naxis y < H")
    assert im.kernel(to_text(kernel)) == kernel


def test_clamped_on_both_sides() -> None:
    kernel = im.kernel("I: [H,W_]\nO[y,x] = I[min(max(y-2, 0), H-1), max(x-1, 0)]\naxis y < H+3\naxis x < W_")
    run = im.compile(kernel, "scalar")
    for shape in ((1, 1), (5, 7), (2, 17)):
        image = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
        want = np.pad(image, ((2, 1), (1, 0)), mode="edge")[:, : shape[1]]
        assert np.array_equal(run(image), want)
        assert np.array_equal(im.run_kernel(kernel, {"I": image})["O"], want)


def test_what_reaches_beyond_is_not_proved() -> None:
    with pytest.raises(im.IsamapError, match=r"I has no element where index min\(y, H\) of dimension 0 is 1, outside"):
        im.compile(im.kernel("I: [H]\nO[y] = I[min(y, H)]\naxis y < H+1"), "scalar")


@pytest.mark.parametrize("index", ["max(y)", "max(y, 1, 2)", "abs(y)"])
def test_other_calls_are_refused(index: str) -> None:
    with pytest.raises(LanguageError, match=r"a call cannot stand in an index[\s\S]*min\(a,b\) and max\(a,b\)"):
        im.kernel(f"I: [H]\nO[y] = I[{index}]")
