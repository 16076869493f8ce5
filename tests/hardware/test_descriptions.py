"""Each description does what the instruction does: executed on random and edge-case operands, bit for bit.

Where this CPU lacks an instruction it runs under SIMDe's emulation if its headers are installed, and is skipped aloud
otherwise. Emulation tests the description's operands, order and C, not the hardware.
"""

from __future__ import annotations

import ctypes
import functools
import zlib

import numpy as np
import pytest
from edge_operands import random_values, same_bits
from instruction_harness import build, run_compute

import isamap_hardware
from isamap_smt.ir.fused import fma
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.simde import find_simde

RESULTS = 100_000  # accumulators per instruction
EMITTED = [n for n in isamap_hardware.names() if any(i.emit for i in isamap_hardware.load(n).computes)]
COMPUTES = [i.name for n in EMITTED for i in isamap_hardware.load(n).computes]


@functools.cache
def loaded(machine: str) -> ctypes.CDLL:
    """The machine's instructions, run by the CPU or, where it lacks one, emulated. Skips where neither can be."""
    description: Hardware = isamap_hardware.load(machine)
    lacking = missing_features(description.instructions)
    if lacking and find_simde() is None:
        pytest.skip(f"this CPU has no {', '.join(lacking)}, and SIMDe (libsimde-dev) is not installed")
    return build(description, simde=bool(lacking))


def operands(instruction: Instruction, seed: int) -> dict[str, np.ndarray]:
    """A batch of operands that makes at least RESULTS accumulators; a cell is one of many edges one time in three."""
    random = np.random.default_rng(seed)
    target = instruction.kernel.tensor(instruction.kernel.outputs[0])
    batch = -(-RESULTS // int(np.prod([int(e) for e in target.shape], dtype=int)))
    arrays = {}
    for t in instruction.kernel.tensors:
        shape = (batch, *(int(e) for e in t.shape))
        arrays[t.name] = random_values(t.dtype, int(np.prod(shape)), random).reshape(shape)
    return arrays


def flushed(x: np.ndarray) -> np.ndarray:
    """Denormals as zeros of the same sign."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


def stepped(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """a * b + acc, fused; what rounds to less than the smallest normal number with an exponent without bound is flushed.

    Seen on an Intel core: 2^-126 less 0.86 of the distance to the next such number gives 0, and not 2^-126.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        near = a.astype(np.float64) * b + acc
    whole = fma(a, b, acc)
    return np.where(np.abs(near) < 2.0**-126 - 2.0**-151, np.copysign(np.float32(0), whole), whole)


def bf16_results(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """acc plus two products in both orders, each step fused, denormals flushed: what vdpbf16ps may return."""
    a, b = (flushed(arrays[n].astype(np.float32)) for n in ("a", "b"))
    found = []
    for order in ((1, 0), (0, 1)):
        acc = flushed(arrays["acc"])
        for e in order:
            acc = stepped(a[..., e], b[..., e], acc)
        found.append(acc)
    return found


def tile_results(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """c plus even and odd products that are summed apart, each step fused, denormals flushed: what tdpbf16ps returns."""
    a, b = (flushed(arrays[n].astype(np.float32)) for n in ("a", "b"))
    shape = arrays["c"].shape
    sums = [np.zeros(shape, np.float32), np.zeros(shape, np.float32)]
    for k in range(a.shape[-1]):
        left, right = (np.broadcast_to(x, shape) for x in (a[:, :, k, None], b[:, k, None, :]))
        sums[k % 2] = stepped(left, right, sums[k % 2])
    one = np.ones(shape, np.float32)
    both = stepped(sums[0], one, sums[1])
    return [stepped(both, one, flushed(arrays["c"]))]


@pytest.mark.parametrize("name", COMPUTES)
def test_instruction_does_what_its_description_says(name: str) -> None:
    machine, short = name.split(".", 1)
    instruction = isamap_hardware.load(machine).instruction(short)
    arrays = operands(instruction, seed=zlib.crc32(name.encode()))
    got = run_compute(loaded(machine), instruction, arrays)
    if "flushes denormals" in instruction.rounding:
        allowed = tile_results(arrays) if instruction.numbered else bf16_results(arrays)
    else:
        allowed = [run_instruction(instruction, arrays)[instruction.kernel.outputs[0]]]
    right = np.logical_or.reduce([same_bits(got, wanted) for wanted in allowed])
    assert got.size >= RESULTS
    assert right.all(), example(instruction, arrays, got, allowed[0], right)


def example(
    instruction: Instruction,
    arrays: dict[str, np.ndarray],
    got: np.ndarray,
    wanted: np.ndarray,
    right: np.ndarray,
) -> str:
    """The first wrong accumulator, with its operands."""
    at = tuple(int(i) for i in np.argwhere(~right)[0])
    cells = {n: a[at] for n, a in arrays.items() if a.ndim >= len(at)}
    return f"{instruction.name}: {(~right).sum()} wrong; at {at} {cells}: got {got[at]!r}, described {wanted[at]!r}"


def test_a_wrong_description_is_found() -> None:
    """maddubs_dot without its saturation: the same operands tell the difference."""
    instruction = isamap_hardware.load("avx512_vnni").instruction("maddubs_dot")
    arrays = operands(instruction, seed=1)
    exact = isamap_hardware.load("avx512_vnni").instruction("dpbusd")
    saturating = run_instruction(instruction, arrays)["acc"]
    assert not same_bits(saturating, run_instruction(exact, arrays)["acc"]).all()


def test_saturation_is_the_one_that_is_known() -> None:
    """Data 255, 255 with weights 127, 127: vpmaddubsw gives 32767 where the dot product is 64770."""
    instruction = isamap_hardware.load("avx512_vnni").instruction("maddubs_dot")
    a, b = np.zeros((1, 16, 4), np.uint8), np.zeros((1, 16, 4), np.int8)
    a[..., :2], b[..., :2] = 255, 127
    arrays = {"a": a, "b": b, "acc": np.zeros((1, 16), np.int32)}
    assert (run_instruction(instruction, arrays)["acc"] == 32767).all()
    assert (run_compute(loaded("avx512_vnni"), instruction, arrays) == 32767).all()
