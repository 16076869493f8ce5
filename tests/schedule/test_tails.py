"""A sum that ends inside an instruction takes what its tensor goes on with, times zeros of another operand's copy: where that
lies in the tensor, and of integers alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Buffer
from tests.schedule.changed_buffers import changed, failures

TEXT = """
A: {of}[{rows},{columns},{channels}]
temporary T
T[x,y,k] += i32(A[2*x+r, 2*y+s, c]) * i32(B[r,s,c,k])
Y[x,y,k] = T[x,y,k] * 3
"""


def window(x: int, y: int, k: int, r: int, s: int, c: int, room: int, of: str = "u8") -> im.Kernel:
    """A window of every second point. room: columns of the image behind those that it takes."""
    rows, columns = 2 * (x - 1) + r, 2 * (y - 1) + s + room
    text = TEXT.format(of=of, rows=rows, columns=columns, channels=c)
    found = im.kernel(text, name="window", dtypes={"A": of, "B": "i8", "T": "i32", "Y": "i32"})
    return found.with_sizes(dict(x=x, y=y, k=k, r=r, s=s, c=c))


def planned(kernel: im.Kernel) -> im.Plan:
    return im.plan(kernel, "avx512_vnni", constant=["B"])


def packs(made: im.Plan, tensor: str) -> bool:
    return f"{tensor}_packed" in str(made.program)


@pytest.mark.parametrize(("s", "c", "room", "whole"), [
    (7, 3, 1, False), (3, 3, 1, False), (5, 1, 3, False), (7, 3, 0, True), (5, 1, 2, True), (4, 3, 0, False), (4, 1, 0, False),
])  # fmt: skip
def test_what_lies_behind_is_read_where_it_is_of_the_tensor(s: int, c: int, room: int, whole: bool) -> None:
    """whole: whether the last group of four reaches over the end of the tensor, so that it is copied with room behind."""
    made = planned(window(4, 5, 32, 2, s, c, room))
    assert ("A_padded" in str(made.program)) == whole and not packs(made, "A")


@pytest.mark.needs("avx512_vnni")
@pytest.mark.parametrize("seed", range(12))
def test_results_are_the_windows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, k, r, s, c = (
        int(rng.integers(1, n)) for n in (5, 6, 40, 4, 8, 5)
    )  # few rows and columns: tails are of the sum
    kernel = window(x, y, k, r, s, c, int(rng.integers(0, 4)))
    arrays = random_arrays(kernel, {}, rng)
    call = im.build(planned(kernel))
    np.testing.assert_array_equal(call(**arrays), run_kernel(kernel, arrays)["Y"])


def test_floats_are_packed() -> None:
    """A zero times what is no number is none, and what lies behind is not known to be finite."""
    text = "temporary T\nA: bf16[9,8,3]\nT[x,y,k] += f32(A[x+r,y+s,c]) * f32(B[r,s,c,k])\nY[x,y,k] = T[x,y,k] * 3"
    kernel = im.kernel(text, name="window", dtypes={"A": "bf16", "B": "bf16"})
    sizes = dict(x=4, y=4, k=32, r=3, s=3, c=3)
    made = im.plan(kernel.with_sizes(sizes), "avx512_bf16", constant=["B"])
    assert "bf16" in str(made) and packs(made, "A")


def test_without_the_zeros_or_the_room_it_is_refuted() -> None:
    program = planned(window(4, 5, 32, 2, 7, 3, 1)).program
    assert not packs(planned(window(4, 5, 32, 2, 7, 3, 1)), "A") and not failures(program)

    def forgotten(b: Buffer) -> Buffer:
        return replace(b, type=replace(b.type, outside="dead")) if b.type.tensor == "B" else b

    assert "neutral" in failures(changed(program, forgotten))
    kernel = program.kernel
    cut = [replace(t, shape=(t.shape[0], t.shape[1] - 1, 3)) if t.name == "A" else t for t in kernel.tensors]
    assert "bounds" in failures(replace(program, kernel=replace(kernel, tensors=tuple(cut))))
