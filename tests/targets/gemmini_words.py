"""Instructions of Gemmini as words, written from its encoding, and a machine of the model with arrays in its memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.targets.gemmini import Model

BASE = 0x1000
NOWHERE = 0xFFFFFFFF
ACC, ADD, FULL = 1 << 31, 1 << 30, 1 << 29
MVIN = {0: 2, 1: 1, 2: 14}
OS, WS = 0, 1


def float_bits(value: float) -> int:
    """The bits of a float of 32 bits."""
    return int(np.float32(value).view(np.uint32))


def block(local: int, rows: int, columns: int) -> int:
    """A local address with its rows and columns."""
    return rows << 48 | columns << 32 | local


def small(seed: int, *shape: int) -> np.ndarray:
    """Random bytes."""
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def wide(seed: int, *shape: int) -> np.ndarray:
    """Random numbers of 32 bits."""
    return np.random.default_rng(seed).integers(-(2**31), 2**31, shape).astype(np.int32)


class Machine:
    """The model with 64 KiB of memory. Arrays are put one after the other."""

    def __init__(self, library: Path, size: int = 1 << 16) -> None:
        self.memory = bytearray(size)
        self.model = Model(library, self.memory, BASE)
        self.end = BASE

    def put(self, array: np.ndarray) -> int:
        """Its address."""
        address = self.end
        self.memory[address - BASE : address - BASE + array.nbytes] = array.tobytes()
        self.end += -(-array.nbytes // 64) * 64
        return address

    def get(self, address: int, dtype: Any, *shape: int) -> np.ndarray:
        """What lies there."""
        return np.frombuffer(bytes(self.memory), dtype, int(np.prod(shape)), address - BASE).reshape(shape)

    def config_ex(
        self,
        dataflow: int,
        relu: int = 0,
        shift: int = 0,
        at: int = 0,
        bt: int = 0,
        a_stride: int = 1,
        c_stride: int = 1,
    ) -> None:
        fields = dataflow << 2 | relu << 3 | at << 8 | bt << 9 | a_stride << 16 | float_bits(1) << 32
        self.model.execute(0, fields, c_stride << 48 | shift)

    def config_ld(
        self, stride: int, scale: float = 1.0, which: int = 0, shrunk: int = 0, blocks: int = 16, repeats: int = 1
    ) -> None:
        self.model.execute(
            0, 1 | shrunk << 2 | which << 3 | repeats << 8 | blocks << 16 | float_bits(scale) << 32, stride
        )

    def config_st(self, stride: int, scale: float = 1.0, relu: int = 0) -> None:
        self.model.execute(0, 2 | relu << 2, float_bits(scale) << 32 | stride)

    def mvin(self, address: int, local: int, rows: int, columns: int, which: int = 0) -> None:
        self.model.execute(MVIN[which], address, block(local, rows, columns))

    def mvout(self, address: int, local: int, rows: int, columns: int) -> None:
        self.model.execute(3, address, block(local, rows, columns))

    def preload(
        self, held: int, c: int, held_shape: tuple[int, int] = (16, 16), c_shape: tuple[int, int] = (16, 16)
    ) -> None:
        self.model.execute(6, block(held, *held_shape), block(c, *c_shape))

    def compute(
        self,
        a: int,
        bd: int,
        a_shape: tuple[int, int] = (16, 16),
        bd_shape: tuple[int, int] = (16, 16),
        fresh: bool = True,
    ) -> None:
        self.model.execute(4 if fresh else 5, block(a, *a_shape), block(bd, *bd_shape))

    def load(self, array: np.ndarray, local: int, which: int = 0) -> int:
        """A tile of bytes or, for the accumulator, of i32, at scale 1. Its address in memory."""
        address = self.put(array)
        self.config_ld(array.strides[0], which=which)
        self.mvin(address, local, *array.shape, which=which)
        return address

    def store(self, local: int, rows: int, columns: int, dtype: Any) -> np.ndarray:
        """What lies in these rows, as mvout gives it with scale 1."""
        size = np.dtype(dtype).itemsize
        address = self.put(np.zeros((rows, columns), dtype))
        self.config_st(columns * size)
        self.mvout(address, local | (FULL if size == 4 else 0), rows, columns)
        return self.get(address, dtype, rows, columns)
