"""The convolutions of ResNet-18 on VTA, at images of fewer rows: all channels, windows and strides, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.targets import find_target
from tests.targets.test_vta_target import KERNELS

MACHINE = isamap_hardware.load("vta")
TARGET = find_target("vta")

# channels in and out, side of the window, stride, columns of the result: He et al. (2015), table 1, as torchvision's resnet18.
LAYERS = {
    "conv1": (3, 64, 7, 2, 112),
    "layer1": (64, 64, 3, 1, 56),
    "layer2.0.conv1": (64, 128, 3, 2, 28),
    "layer2.0.downsample": (64, 128, 1, 2, 28),
    "layer2": (128, 128, 3, 1, 28),
    "layer3.0.conv1": (128, 256, 3, 2, 14),
    "layer3.0.downsample": (128, 256, 1, 2, 14),
    "layer3": (256, 256, 3, 1, 14),
    "layer4.0.conv1": (256, 512, 3, 2, 7),
    "layer4.0.downsample": (256, 512, 1, 2, 7),
    "layer4": (512, 512, 3, 1, 7),
}
ROWS = 2  # of the result


def blocks(x: np.ndarray, axis: int) -> np.ndarray:
    """Channels along an axis in blocks of 16, zeros beyond: [.., 16 n, ..] -> [.., n, .., 16]."""
    more = [(0, 0)] * x.ndim
    more[axis] = (0, -x.shape[axis] % 16)
    x = np.pad(x, more)
    parts = x.reshape(*x.shape[:axis], -1, 16, *x.shape[axis + 1 :])
    return np.ascontiguousarray(np.moveaxis(parts, axis + 1, -1))


def convolved(x: np.ndarray, w: np.ndarray, stride: int) -> np.ndarray:
    """Image [channels, rows, columns], weights [out, in, side, side], in exact integers."""
    side = w.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64), (side, side), axis=(1, 2))[
        :, ::stride, ::stride
    ]
    return np.einsum("chwrs,ocrs->ohw", windows, w.astype(np.int64), optimize=True)


def ran(name: str) -> tuple[Any, np.ndarray]:
    """The call of a layer, which has run, and what is right."""
    channels, out, side, stride, columns = LAYERS[name]
    random = np.random.default_rng(len(name))
    height, width = ((n - 1) * stride + side for n in (ROWS, columns))
    x = random.integers(-128, 128, (channels, height, width)).astype(np.int8)
    w = random.integers(-128, 128, (out, channels, side, side)).astype(np.int8)
    b = random.integers(-(1 << 14), 1 << 14, out).astype(np.int32)
    kernel = KERNELS.conv2d
    sizes = dict(n=1, jo=out // 16, ko=-(-channels // 16), p=ROWS, q=columns, r=side, s=side, sp=stride, sq=stride)
    made = TARGET.build(TARGET.emit(im.stage(kernel, MACHINE, sizes=sizes)))
    call = made.prepare(X=blocks(x, 0)[None], W=blocks(blocks(w, 0), 1), B=b.reshape(-1, 16))
    call.run()
    sums = convolved(x, w, stride) + b[:, None, None]
    return call, blocks(np.clip(sums >> 7, 0, 127).astype(np.int8), 0)[None]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer(name: str) -> None:
    call, right = ran(name)
    assert np.array_equal(call.result, right)
    assert call.report.races == call.report.hazards == 0
