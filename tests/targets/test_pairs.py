"""Every library kernel on every machine does what docs/pairs.md says, and no result is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_kernels
import isamap_smt as im
from isamap_smt.ir.interpret import run_kernel
from tests.families import part
from tests.targets.pairs import (
    HOST,
    PAGE,
    Pair,
    all_pairs,
    executors,
    found,
    machines,
    page,
    planned,
    ran_by,
    types_of,
    wrong_at,
)

# What takes a second or two: a pair of each machine, and one of each kernel. Programs of `sve` and `rvv` are proved for every
# length of their vectors; test_vector_lengths.py has some of them, and of `conv2d`.
IN_TESTS = {
    "amx-batched_gemm-bf16-bf16-f32",
    "amx-depthwise_conv2d-u8-i8-i32",
    "amx-linear_int8",
    "amx-matvec-u8-i8-i32",
    "avx2-linear_int8",
    "avx2-linear_q4",
    "avx2-matvec",
    "avx512-two_layers",
    "avx512_fp16-matvec-f16-f16-f16",
    "avx_vnni-gemm_nt-u8-i8-i32",
    "avx512_bf16-linear_relu-bf16-bf16-f32",
    "avx512_vnni-matvec-u8-i8-i32",
    "gemmini-gemm-i8-i8-i32",
    "gemmini-gru",
    "gemmini-linear_int8-i8-i8-i32",
    "host-matvec",
    "neon-linear_relu",
    "scalar-depthwise_separable_conv2d",
    "scalar-lstm",
    "scalar-pointwise_conv2d-i32-i32-i32",
    "vta-gemm-i8-i8-i32",
    "wmma-gemm_nt-f16-f16-f32",
    "wmma-gemm_tn-f16-f16-f32",
    "wmma-gru-f16-f16-f32",
}
LONG = {"sve", "rvv", "rvv_groups", "conv2d"}
WRITTEN = page()


@pytest.mark.parametrize("pair", part(all_pairs(), lambda p: str(p) in IN_TESTS), ids=str)
def test_a_pair(pair: Pair) -> None:
    machine = im.find_hardware(pair.machine)
    seen = found(pair)
    assert seen.wrong == ""
    if pair.machine != HOST or f"| {HOST} | {ran_by(machine)} |" in PAGE.read_text():
        at = types_of(pair.kernel, pair.machine).index(pair.types)
        assert WRITTEN[pair.kernel, pair.machine][at] == seen.text, (
            "run python -m tests.targets.pairs where it is right"
        )
    _, why = executors(machine)
    if why and any(i.emit for i in machine.computes):
        pytest.skip(f"{pair.machine} ran in the simulator alone, where it is right: {why}")


def test_the_page_has_every_pair() -> None:
    assert set(WRITTEN) == {(k, m) for k in isamap_kernels.names() for m in machines()}
    assert all(len(WRITTEN[k, m]) == len(types_of(k, m)) for k, m in WRITTEN)
    assert not [c for cells in WRITTEN.values() for c in cells if "WRONG" in c]


def test_those_of_make_test_are_pairs_of_every_machine_and_kernel() -> None:
    chosen = [p for p in all_pairs() if str(p) in IN_TESTS]
    assert len(chosen) == len(IN_TESTS)
    assert {p.machine for p in chosen} == set(machines()) - LONG
    assert {p.kernel for p in chosen} == set(isamap_kernels.names()) - LONG


@pytest.mark.parametrize("types", [(), ("i32", "i32", "i32")])
def test_a_result_that_is_off_by_one_element_is_told(types: tuple[str, ...]) -> None:
    made = planned(pair := Pair("gemm", "scalar", types))
    kernel = pair.typed.with_sizes({"i": 3, "j": 2, "k": 4})

    def off(sizes: dict[str, int], **arrays: np.ndarray) -> np.ndarray:
        right = run_kernel(kernel, arrays)["C"]
        right[2, 1] += 1
        return right

    assert wrong_at(kernel, off, made) != ""
    assert wrong_at(kernel, lambda sizes, **arrays: run_kernel(kernel, arrays)["C"], made) == ""
