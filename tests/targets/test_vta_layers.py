"""The convolutions of ResNet-18 on VTA: all channels, windows and strides, zeros around images by the loads, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.targets import find_target
from tests.families import part
from tests.targets.test_vta_target import KERNELS

MACHINE = isamap_hardware.load("vta")
TARGET = find_target("vta")

# channels in and out, side of the window, stride, rows and columns of the result, and whether what went around the block is added:
# He et al. (2015), table 1, as torchvision's resnet18 has them for images of 224 x 224.
LAYERS = {
    "conv1": (3, 64, 7, 2, 112, False),
    "layer1.conv1": (64, 64, 3, 1, 56, False),
    "layer1.conv2": (64, 64, 3, 1, 56, True),
    "layer2.0.conv1": (64, 128, 3, 2, 28, False),
    "layer2.0.downsample": (64, 128, 1, 2, 28, False),
    "layer2.conv1": (128, 128, 3, 1, 28, False),
    "layer2.conv2": (128, 128, 3, 1, 28, True),
    "layer3.0.conv1": (128, 256, 3, 2, 14, False),
    "layer3.0.downsample": (128, 256, 1, 2, 14, False),
    "layer3.conv1": (256, 256, 3, 1, 14, False),
    "layer3.conv2": (256, 256, 3, 1, 14, True),
    "layer4.0.conv1": (256, 512, 3, 2, 7, False),
    "layer4.0.downsample": (256, 512, 1, 2, 7, False),
    "layer4.conv1": (512, 512, 3, 1, 7, False),
    "layer4.conv2": (512, 512, 3, 1, 7, True),
}
# the same at images of fewer rows, columns and channels
REDUCED = {
    "conv1": (3, 16, 7, 2, 9, False),
    "conv2": (32, 16, 3, 1, 18, True),
    "conv1 of stride 2": (16, 32, 3, 2, 5, False),
    "downsample": (32, 32, 1, 2, 17, False),
}


def blocks(x: np.ndarray, axis: int) -> np.ndarray:
    """Channels along an axis in blocks of 16, zeros beyond: [.., 16 n, ..] -> [.., n, .., 16]."""
    more = [(0, 0)] * x.ndim
    more[axis] = (0, -x.shape[axis] % 16)
    x = np.pad(x, more)
    parts = x.reshape(*x.shape[:axis], -1, 16, *x.shape[axis + 1 :])
    return np.ascontiguousarray(np.moveaxis(parts, axis + 1, -1))


def convolved(x: np.ndarray, w: np.ndarray, stride: int) -> np.ndarray:
    """Image [channels, rows, columns] with zeros around it, weights [out, in, side, side], in exact integers: all sums are below
    2^53."""
    side = w.shape[2]
    padded = np.pad(x.astype(np.float64), [(0, 0), (side // 2,) * 2, (side // 2,) * 2])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(1, 2))[:, ::stride, ::stride]
    return np.einsum("chwrs,ocrs->ohw", windows, w.astype(np.float64), optimize=True).astype(np.int64)


def ran(layer: tuple[int, int, int, int, int, bool], seed: int = 1) -> tuple[Any, np.ndarray]:
    """The call of a layer, which has run, and what is right."""
    channels, out, side, stride, n, added = layer
    random, image, pad = np.random.default_rng(seed), n * stride, side // 2
    x = random.integers(-128, 128, (channels, image, image)).astype(np.int8)
    w = random.integers(-128, 128, (out, channels, side, side)).astype(np.int8)
    b = random.integers(-(1 << 14), 1 << 14, out).astype(np.int32)
    z = random.integers(-(1 << 9), 1 << 9, (out, n, n)).astype(np.int32)
    kernel = KERNELS.conv2d_residual if added else KERNELS.conv2d
    sizes = dict(n=1, jo=out // 16, ko=-(-channels // 16), p=n, q=n, r=side, s=side, sp=stride, sq=stride)
    sizes |= dict(pp=pad, pq=pad, H=image, V=image)
    made = TARGET.build(TARGET.emit(im.stage(kernel, MACHINE, sizes=sizes)))
    arrays = dict(X=blocks(x, 0)[None], W=blocks(blocks(w, 0), 1), B=b.reshape(-1, 16))
    call = made.prepare(**arrays, **({"Z": blocks(z, 0)[None]} if added else {}))
    call.run(seed)
    shifted = (convolved(x, w, stride) + b[:, None, None]) >> 7
    return call, blocks(np.clip(shifted + z * added, 0, 127).astype(np.int8), 0)[None]


@pytest.mark.parametrize("name", part(REDUCED, lambda name: name == "conv2"))
def test_a_reduced_layer(name: str) -> None:
    call, right = ran(REDUCED[name])
    assert np.array_equal(call.result, right) and 0 < np.count_nonzero(right) < right.size
    assert call.report.races == call.report.hazards == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer(name: str) -> None:
    call, right = ran(LAYERS[name])
    assert np.array_equal(call.result, right)
    assert call.report.races == call.report.hazards == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("channels", "n"), [(32, 9), (128, 28)])
def test_a_block(channels: int, n: int) -> None:
    """Two convolutions and what goes around them, in one program: the second one's image is what the first one stores."""
    random = np.random.default_rng(channels)
    x = random.integers(-128, 128, (channels, n, n)).astype(np.int8)
    w, v = random.integers(-128, 128, (2, channels, channels, 3, 3)).astype(np.int8)
    b, d = random.integers(-(1 << 14), 1 << 14, (2, channels)).astype(np.int32)
    z = random.integers(-(1 << 9), 1 << 9, (channels, n, n)).astype(np.int32)
    kernel = KERNELS.block.with_sizes(dict(jo=channels // 16, ko=channels // 16, p=n, q=n))
    made = TARGET.build(TARGET.emit(im.stage(kernel, MACHINE)))
    weights = {name: blocks(blocks(a, 0), 1) for name, a in (("W", w), ("V", v))}
    call = made.prepare(X=blocks(x, 0), B=b.reshape(-1, 16), D=d.reshape(-1, 16), Z=blocks(z, 0), **weights)
    call.run(2)
    hidden = np.clip((convolved(x, w, 1) + b[:, None, None]) >> 7, 0, 127).astype(np.int8)
    right = np.clip(((convolved(hidden, v, 1) + d[:, None, None]) >> 7) + z, 0, 127).astype(np.int8)
    assert np.array_equal(call.result, blocks(right, 0))
    assert call.report.races == call.report.hazards == 0
