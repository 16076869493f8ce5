"""Gemmini once more, in NumPy and apart from the model: for random programs, with the kinds of what must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.targets.gemmini_words import ACC, ADD, BASE, FULL, NOWHERE, WS

ROWS = {False: 16384, True: 1024}


class Violation(Exception):
    """kinds: all that the instruction violates."""

    def __init__(self, kinds: set[str]) -> None:
        super().__init__(kinds)
        self.kinds = kinds


class Cells:
    """A local memory; a cell that was never written is NaN."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.values = np.full((rows, 16), np.nan)

    def at(self, row: np.ndarray, column: np.ndarray, *, read: bool) -> np.ndarray:
        """The values of these cells. Raises Violation."""
        there = row < self.rows
        kinds = set() if there.all() else {"ADDRESS"}
        found = self.values[np.where(there, row, 0), column]
        if read and np.isnan(found[there]).any():
            kinds.add("UNWRITTEN")
        if kinds:
            raise Violation(kinds)
        return found


def rescaled(values: np.ndarray, scale: float) -> np.ndarray:
    """Through float, to the nearest integer, to a byte."""
    return np.clip(np.rint(values.astype(np.int32).astype(np.float32) * np.float32(scale)), -128, 127)


def wrap(values: np.ndarray, bits: int = 32) -> np.ndarray:
    """Modulo 2^bits."""
    return (values.astype(np.int64) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


class Oracle:
    """One machine. Its methods are those of Machine."""

    def __init__(self, memory: bytes) -> None:
        self.memory = np.frombuffer(memory, np.int8).copy()
        self.spad, self.acc = Cells(ROWS[False]), Cells(ROWS[True])
        self.loads: dict[int, dict[str, Any]] = {}
        self.kept = np.zeros((16, 16))

    def config_ex(self, dataflow: int, relu: int = 0, shift: int = 0, at: int = 0, bt: int = 0) -> None:
        self.ex = dict(ws=dataflow == WS, relu=relu, shift=shift, at=at, bt=bt)

    def config_ld(self, stride: int, scale: float, which: int, shrunk: int, blocks: int) -> None:
        self.loads[which] = dict(stride=stride, scale=scale, shrunk=shrunk, blocks=blocks)

    def config_st(self, stride: int, scale: float, relu: int) -> None:
        self.st = dict(stride=stride, scale=scale, relu=relu)

    def mvin(self, address: int, local: int, rows: int, columns: int, which: int) -> None:
        load, accumulator = self.loads[which], bool(local & ACC)
        if load["blocks"] < rows:
            raise Violation({"CONFIG"})
        r, c = np.mgrid[:rows, :columns]
        byte = not accumulator or load["shrunk"]
        start = address - BASE + r * load["stride"]
        if byte:
            values = rescaled(self.memory[start + c], load["scale"])
        else:
            values = self.memory[(start + 4 * c)[..., None] + np.arange(4)].copy().view(np.int32)[..., 0].astype(float)
        cells = self.acc if accumulator else self.spad
        row, column = (local & 0xFFFFFF) + r + c // 16 * load["blocks"], c % 16
        before = cells.at(row, column, read=bool(local & ADD))
        cells.values[row, column] = wrap(before + values) if local & ADD else values

    def mvout(self, address: int, local: int, rows: int, columns: int) -> None:
        accumulator, full = bool(local & ACC), bool(local & FULL)
        r, c = np.mgrid[:rows, :columns]
        cells = self.acc if accumulator else self.spad
        values = cells.at((local & 0xFFFFFF) + r + c // 16 * 16, c % 16, read=True)
        start = address - BASE + r * self.st["stride"]
        if full:
            data = values.astype(np.int32)[..., None].view(np.int8)
            for row in range(rows):
                self.memory[start[row, 0] : start[row, 0] + 4 * columns] = data[row].reshape(-1)
            return
        if accumulator:
            values = rescaled(values, self.st["scale"])
            values = np.maximum(values, 0) if self.st["relu"] else values
        for row in range(rows):
            self.memory[start[row, 0] : start[row, 0] + columns] = values[row].astype(np.int8)

    def preload(self, held: int, c: int, held_shape: tuple[int, int], c_shape: tuple[int, int]) -> None:
        self.pending = held, held_shape, c, c_shape

    def compute(self, a: int, bd: int, a_shape: tuple[int, int], bd_shape: tuple[int, int], fresh: bool) -> None:
        held, held_shape, c, c_shape = self.pending
        ws = self.ex["ws"]
        fed = a_shape[0] if bd == NOWHERE else max(a_shape[0], bd_shape[0])
        if ws and c != NOWHERE and c_shape[0] > fed:
            raise Violation({"SHAPE"})
        if fresh:
            self.kept = self.tile(held, held_shape, ws and self.ex["bt"])
        left = self.tile(a, a_shape, self.ex["at"])
        right = self.tile(bd, bd_shape, not ws and self.ex["bt"])
        if ws:
            results = left @ self.kept + right
        else:
            results = self.kept = wrap(self.kept + left @ right, 20).astype(float)
        if c != NOWHERE:
            self.write(c, results[: c_shape[0], : c_shape[1]])

    def tile(self, local: int, shape: tuple[int, int], transposed: bool) -> np.ndarray:
        """16 x 16, with zeros outside of the shape."""
        found = np.zeros((16, 16))
        if local != NOWHERE:
            i, j = np.mgrid[: shape[0], : shape[1]]
            found[: shape[0], : shape[1]] = self.spad.at(
                local + (j if transposed else i), i if transposed else j, read=True
            )
        return found

    def write(self, c: int, results: np.ndarray) -> None:
        r, columns = np.mgrid[: results.shape[0], : results.shape[1]]
        rows = (c & 0xFFFFFF) + r
        if c & ACC:
            before = self.acc.at(rows, columns, read=bool(c & ADD))
            self.acc.values[rows, columns] = wrap(before + results) if c & ADD else wrap(results)
            return
        self.spad.at(rows, columns, read=False)
        values = np.clip(np.rint(results / 2 ** (0 if self.ex["ws"] else self.ex["shift"])), -128, 127)
        self.spad.values[rows, columns] = np.maximum(values, 0) if self.ex["relu"] else values
