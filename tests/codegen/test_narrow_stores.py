"""A store of some lanes writes these and no byte beside them, where compilers know how many there are.

clang 22 makes of a masked store of one lane that was narrowed from four bytes one of all four.
"""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_hardware.host import features
from isamap_smt.ir.interpret import run_kernel

MACHINES = {"avx2": "avx2", "avx512": "avx512bw"}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("extent", [17, 18, 33])
@pytest.mark.parametrize(
    ("to", "value"),
    [
        ("u8", "round_u8(X[i])"),
        ("i8", "round_i8(X[i])"),
        ("bf16", "bf16(X[i])"),
        ("f16", "f16(X[i])"),
        ("i16", "i16(X[i])"),
        ("i8", "i8(X[i])"),
        ("f32", "f32(X[i])"),
    ],
)
def test_nothing_beside_the_last_lanes_is_written(to: str, value: str, extent: int, machine: str) -> None:
    if MACHINES[machine] not in features():
        pytest.skip(f"this CPU has no {MACHINES[machine]}")
    kind = {"i16(X[i])": "i32", "i8(X[i])": "i16", "f32(X[i])": "f64"}.get(value, "f32")
    kernel = im.kernel(f"X: {kind}[{extent}]\nY: {to}[{extent}]\nY[i] = {value}", name="narrow")
    arrays = {"X": np.random.default_rng(extent).uniform(-300, 300, extent).astype(kernel.tensor("X").dtype.numpy)}
    wanted = run_kernel(kernel, arrays)["Y"]
    room = np.full((extent + 8) * wanted.itemsize, 0x5A, np.uint8)
    result = room[: extent * wanted.itemsize].view(wanted.dtype)
    im.compile(kernel, machine)(**arrays, out={"Y": result})
    np.testing.assert_array_equal(result.view(np.uint8), wanted.view(np.uint8))
    assert (room[extent * wanted.itemsize :] == 0x5A).all()
