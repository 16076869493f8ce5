"""A network's library in this process: its functions, its weights, and an arena for one call at a time."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, NetworkError
from isamap_smt.networks.extents import at
from isamap_smt.networks.values import Signature, checked_inputs, sizes_of
from isamap_smt.runtime.memory import aligned_empty, lasting_empty

Arrays = dict[str, np.ndarray]
After = Callable[[int, Arrays], None]  # the number of the kernel that is done, 0 before the first one
Refused = Callable[
    [int, str, str, Arrays], Exception
]  # of a code, its text, the node, and the arrays of inputs and outputs
_AFTER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


@dataclass(frozen=True)
class About:
    """Facts of a compiled network beside its speed.

    kernels, distinct: the number of kernels, and of different ones. claims: the number proved. foreign: nodes computed
    by back ends. arena, bound: bytes between the kernels, and the least for any plan. kept: the day it was compiled and
    proved, if done before.
    """

    name: str
    kernels: int
    distinct: int
    claims: int
    arena: int
    bound: int
    outputs: dict[str, str]
    foreign: tuple[dict[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    kept: str | None = None


class _Options(ctypes.Structure):
    """NAME_options."""

    _fields_ = (
        ("parallel_for", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("threads", ctypes.c_size_t),
        ("after", ctypes.c_void_p),
    )


class Running:
    """`running(arrays)` returns the outputs by name. network: its inputs and outputs with their values."""

    def __init__(
        self, network: Signature, prefix: str, code: Path, weights: np.ndarray, arena: int, threads: int
    ) -> None:
        """weights: bytes at a multiple of 64; arena: how many; threads: of its own pool. Raises NetworkError for other code."""
        self.network, self.threads = network, whole_number(threads, "threads", ArgumentError)
        self._weights, self.arena = weights, lasting_empty(max(1, arena))
        self._lock = threading.Lock()
        try:
            self._code = ctypes.CDLL(str(code))
            self._run = getattr(self._code, f"{prefix}_run")
            self._text, self._node = (getattr(self._code, f"{prefix}_{n}") for n in ("text", "node"))
        except (OSError, AttributeError) as error:
            raise NetworkError(f"cannot load {code}: {error}") from None
        self._run.argtypes, self._run.restype = [ctypes.c_void_p] * 5, ctypes.c_int
        for told in (self._text, self._node):
            told.argtypes, told.restype = [ctypes.c_int], ctypes.c_char_p
        pool = getattr(self._code, f"{prefix}_threads", None) if self.threads > 1 else None
        self._pool = ctypes.cast(pool, ctypes.c_void_p).value if pool else None
        # Made once: beside a network of a third of a millisecond, what Python makes at each call is a tenth.
        values = ((n, network.values[n]) for n in network.outputs)
        self._outputs = [(n, v.shape, np.dtype(v.dtype.numpy)) for n, v in values]
        self._open = network.open
        self._taken, self._made = _pointers(len(network.inputs) + len(self._open)), _pointers(len(network.outputs))
        self._alone = _Options(self._pool, None, self.threads, None)
        arrays = ctypes.addressof(self._taken), ctypes.addressof(self._made)
        self._places = *arrays, self.arena.ctypes.data, self._weights.ctypes.data

    def given(self, arrays: Sequence[Any], named: Dict[str, Any]) -> Arrays:
        """The inputs by name. Raises ArgumentError for another name, type or shape, and for an input given twice."""
        names = self.network.inputs
        if len(arrays) > len(names) or (twice := [n for n in names[: len(arrays)] if n in named]):
            what = f"{len(arrays)} inputs, and has {len(names)}" if len(arrays) > len(names) else f"{twice[0]} twice"
            raise ArgumentError(f"{self.network.name} got {what}")
        return checked_inputs(self.network, {**dict(zip(names, arrays, strict=False)), **named})

    def __call__(self, given: Arrays, refused: Refused, after: After | None = None) -> Arrays:
        """The outputs. Raises the error made by `refused` of a code.

        after: told of each kernel, with the arrays of inputs and outputs.
        """
        sizes = sizes_of(self.network, given)
        made = {n: aligned_empty(at(shape, sizes) if sizes else shape, of) for n, shape, of in self._outputs}
        with self._lock:
            for n, array in enumerate(given.values()):
                self._taken[n] = array.__array_interface__["data"][0]
            for n, size in enumerate(self._open, len(given)):
                self._taken[n] = sizes[size.name]
            for n, array in enumerate(made.values()):
                self._made[n] = array.__array_interface__["data"][0]
            options, every = self._alone, {}
            if after is not None:
                every = {**made, **given}
                called = _AFTER(lambda _, step: after(step, every))
                options = _Options(self._pool, None, self.threads, ctypes.cast(called, ctypes.c_void_p))
                after(0, every)
            code = self._run(*self._places, ctypes.addressof(options))
            if code:
                raise refused(code, self._text(code).decode(), self._node(code).decode(), {**made, **given})
        return made


def _pointers(count: int) -> Any:
    return (ctypes.c_void_p * max(1, count))()
