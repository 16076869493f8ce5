"""Values of networks: named tensors of fixed types and shapes, taken and given by a network.

A process that only calls compiled networks needs nothing else of a network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType, check_bools
from isamap_smt.ir.errors import ArgumentError, DTypeError, did_you_mean
from isamap_smt.networks.extents import Extent, OpenSize, at, most, open_sizes


@dataclass(frozen=True)
class Value:
    """A tensor of a network. shape: elements of each dimension, numbers or open extents.

    order: the model's dimension behind each one, if they are stored in another order. of: the model's value it holds,
    if named otherwise.
    """

    name: str
    dtype: DType
    shape: tuple[Any, ...]
    order: tuple[int, ...] | None = None
    of: str = ""

    @property
    def original(self) -> str:
        """The name of the model's value it holds."""
        return self.of or self.name

    @property
    def elements(self) -> Any:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Its bytes in memory, at the largest sizes."""
        return most(self.elements) * self.dtype.numpy.itemsize

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a network, as names of values, in the model's order."""

    name: str
    values: Dict[str, Value]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @cached_property
    def open(self) -> tuple[OpenSize, ...]:
        """The sizes given by each call, through the shapes of its inputs."""
        return open_sizes(self.values[n].shape for n in self.inputs)


def largest(network: Signature) -> dict[str, int]:
    """The open sizes at their planned maximum, by name."""
    return {s.name: s.most for s in network.open}


def sizes_of(network: Signature, arrays: Dict[str, Any]) -> dict[str, int]:
    """The open sizes, by the inputs' shapes.

    Raises ArgumentError for an impossible or too large one, and if inputs disagree.
    """
    if not network.open:
        return {}
    found: dict[str, tuple[int, str]] = {}
    for name in network.inputs:
        shape, dimensions = np.shape(arrays[name]) if name in arrays else (), network.values[name].shape
        for extent, n in zip(dimensions, shape, strict=False):
            told = extent.told_by(n) if isinstance(extent, Extent) else None
            if told is None:
                continue
            size = extent.sizes[0]
            if not 1 <= told <= size.most:
                fault = f"{size.name} is {told} in {name}" if told >= 0 else f"no {size.name} makes {name} {n} long"
                raise ArgumentError(f"{network.name}: {fault}, and was planned for 1 to {size.most}")
            before, there = found.setdefault(size.name, (told, name))
            if before != told:
                raise ArgumentError(f"{network.name}: {size.name} is {before} in {there}, and {told} in {name}")
    return {size: n for size, (n, _) in found.items()}


def random_inputs(network: Signature, seed: int, sizes: Dict[str, int] | None = None) -> dict[str, np.ndarray]:
    """Arrays for the inputs: normal numbers, small whole ones, truth values.

    sizes: the open ones; by default the largest.
    """
    rng, sizes = np.random.default_rng(seed), sizes or largest(network)
    made: dict[str, np.ndarray] = {}
    for name in network.inputs:
        of, shape = network.values[name].dtype, at(network.values[name].shape, sizes)
        if of.numpy == np.bool_:
            made[name] = rng.integers(0, 2, shape).astype(np.bool_)
        elif of.is_float:
            drawn = np.asarray(rng.standard_normal(shape))
            made[name] = (np.abs(drawn) if of.is_scale else drawn).astype(of.numpy)
        else:
            made[name] = rng.integers(0, 2 if of.bits > 16 else 100, shape).astype(of.numpy)
    return made


def checked_inputs(network: Signature, arrays: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The inputs as kernels take them. Raises ArgumentError."""
    for name in arrays:
        if name not in network.inputs:
            raise ArgumentError(f"{network.name} has no input {name!r}; {did_you_mean(name, network.inputs)}")
    held, sizes = {}, sizes_of(network, arrays)
    for name in network.inputs:
        if name not in arrays:
            raise ArgumentError(f"{network.name}: the input {name} is missing")
        value, array = network.values[name], np.asarray(arrays[name])
        shape = at(value.shape, sizes) if sizes else value.shape
        if array.dtype != value.dtype.numpy or array.shape != shape:
            raise ArgumentError(f"{network.name}: the input {value} got {array.dtype}{list(array.shape)}")
        held[name] = np.ascontiguousarray(array).reshape(shape)
        try:
            check_bools(name, held[name])
        except DTypeError as error:
            raise ArgumentError(f"{network.name}: {error}") from None
    return held
