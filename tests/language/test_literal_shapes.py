"""A declared number is the extent of the axis that indexes it, where nothing else says how long that axis is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import LanguageError, SizeError
from isamap_smt.language import to_text

BYTES = "X: u8[J,B,16]\nS: i32\nS[j,b] += i32(X[j,b,k])"
TURNED = "X: f32[512,512]\nY[i,j] = X[j,i]"


def extents(text: str) -> dict[str, str]:
    return {a.name: str(a.extent) for a in im.kernel(text).axes}


FIXED = {
    BYTES: {"j": "J", "b": "B", "k": "16"},
    TURNED: {"i": "512", "j": "512"},
    "Y: f32[8]\nY[i] += A[i//2,k]": {"i": "8", "k": "K"},  # an array of A does not say what I is
    "temporary T\nT: f32[4,6]\nT[i,j] = r[] + 1\nY[j] += T[i,j]": {"i": "4", "j": "6"},
    "X: f32[4,9]\nidx: i32\nY[i,j] = X[i,j] + E[idx[i],j]\nE: f32[3,9]": {"i": "I", "j": "9"},
    "Y: f32[4,6]\nY[a,b] = sum(e, 6, A[e])": {"a": "4", "b": "6"},
    "X: f32[4]\nY[i] *= X[i] * X[3-i]": {"i": "4"},
}
LEFT = {
    "X: f32[512]\nY[i] = X[i]*A[i]": {"i": "I"},  # A's array says it
    "X: f32[512]\nY[i,j] = X[i]*B[i+j]": {"i": "I", "j": "J"},
    "X: f32[8]\nY[i] = X[i] where i < 4": {"i": "I"},
    "X: f32[8]\naxis i < 5\nY[i] = X[i]": {"i": "5"},
    "X: f32[8]\nsize I\nY[i] = X[i]": {"i": "I"},
    "X: f32[8]\nI = 4\nY[i] = X[i]": {"i": "4"},
    "X: f32[8]\nZ: f32[I]\nY[i] = X[i] + Z[i]": {"i": "I"},
    "X: f32[8]\nY[i] = X[2*i]": {"i": "I"},
}


@pytest.mark.parametrize("text", [*FIXED, *LEFT])
def test_extents(text: str) -> None:
    assert extents(text) == {**FIXED, **LEFT}[text]
    kernel = im.kernel(text)
    printed = to_text(kernel)
    again = im.kernel(printed)
    assert to_text(again) == printed
    assert [(a.name, a.extent) for a in again.axes] == [(a.name, a.extent) for a in kernel.axes]


def test_calls_need_no_sizes() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 255, (5, 7, 16)).astype(np.uint8)
    np.testing.assert_array_equal(im.compile(im.kernel(BYTES), "scalar")(x), x.astype(np.int64).sum(2))
    np.testing.assert_array_equal(im.run_kernel(im.kernel(BYTES), {"X": x})["S"], x.astype(np.int64).sum(2))
    y = rng.random((512, 512)).astype(np.float32)
    np.testing.assert_array_equal(im.compile(im.kernel(TURNED), "scalar")(y), y.T)


def test_the_command_line_needs_none(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run(["compile", "--text", TURNED.replace("512", "24"), "scalar", "-o", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "proved"


def test_two_declared_numbers_that_differ_are_refused_where_both_stand() -> None:
    with pytest.raises(LanguageError) as error:
        im.kernel("X: f32[512]\nZ: f32[256]\nY[i] = X[i]*Z[i]")
    assert str(error.value).splitlines() == [
        "line 2, column 1: axis i runs over 256 elements of Z, and over 512 of X (line 1)",
        "    Z: f32[256]",
        "    ^",
        "  declare the shorter one as its extent, such as `axis i < 256`",
    ]
    kernel = im.kernel("axis i < 256\nX: f32[512]\nZ: f32[256]\nY[i] = X[i]*Z[i]")
    x, z = np.arange(512, dtype=np.float32), np.arange(256, dtype=np.float32)
    np.testing.assert_array_equal(im.compile(kernel, "scalar")(x, z), x[:256] * z)


def test_one_tensor_of_two_lengths() -> None:
    with pytest.raises(LanguageError, match=r"axis i runs over 5 elements of X, and over 4 of X \(line 1\)"):
        im.kernel("X: f32[4,5]\nY[i] = X[i,i]")


def test_other_sizes_are_refused_in_words() -> None:
    with pytest.raises(SizeError, match="size k=8: axis k has 16 points"):
        im.kernel(BYTES).with_sizes({"k": 8})
    assert im.kernel(BYTES).with_sizes({"k": 16}) == im.kernel(BYTES)
