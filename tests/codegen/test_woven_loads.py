"""Rows of a matrix are read where they lie, and woven into the groups that a dot product takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.program import Alloc, If, Loop, Move, Program
from isamap_smt.ir.traversal import walk
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.mapping.moves import memory_lanes
from isamap_smt.proof import prove_program
from isamap_smt.runtime.packing import used_instructions

BYTES, PAIRS = ("u8", "i8", "i32"), ("bf16", "bf16", "f32")
NUMPY = {"u8": np.uint8, "i8": np.int8, "bf16": ml_dtypes.bfloat16}
NN, TURNED = "C[i,j] += A[i,k] * B[k,j]", "C[j,i] += A[i,k] * B[k,j]"


def _plan(types: tuple[str, str, str], sizes: dict[str, int], text: str = NN) -> Any:
    machine = "avx512_vnni" if types == BYTES else "avx512_bf16"
    kernel = im.kernel(text, dtypes=dict(zip("ABC", types, strict=True)))
    return im.plan(kernel, machine, sizes=sizes, fix={"pack.B": "no"})


def _woven(program: Program) -> list[Move]:
    moves = [n for n, _ in walk(program.body) if isinstance(n, Move)]
    return [m for m in moves if "weave" in m.instruction.name]


@pytest.mark.parametrize("types", [BYTES, PAIRS])
def test_a_matrix_by_rows_needs_no_copy(types: tuple[str, str, str]) -> None:
    planned = _plan(types, {"i": 1, "j": 3072, "k": 1024})
    assert _woven(planned.program) and planned.proof.word == "proved"
    assert planned.schedule.stage("b").depth is None


@pytest.mark.one_in(
    4,
    each=(
        "sizes",
        "text",
        "types",
    ),
)
@pytest.mark.parametrize("types", [BYTES, PAIRS])
@pytest.mark.parametrize("text", [NN, TURNED])
@pytest.mark.parametrize("sizes", [(1, 16, 8), (3, 31, 12), (2, 17, 4), (17, 100, 64)])
def test_it_computes_the_product(types: tuple[str, str, str], text: str, sizes: tuple[int, int, int]) -> None:
    planned = _plan(types, dict(zip("ijk", sizes, strict=True)), text)
    assert _woven(planned.program)
    missing = missing_features(used_instructions(planned.program))
    if missing:
        pytest.skip(f"this CPU has no {', '.join(missing)}")
    i, j, k = sizes
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 7, (i, k)), rng.integers(-5, 6, (k, j))
    found = im.build(planned)(a.astype(NUMPY[types[0]]), b.astype(NUMPY[types[1]]))
    assert np.array_equal(found, a @ b if text == NN else (a @ b).T)


def test_memory_lanes_are_in_memorys_order() -> None:
    machine = im.find_hardware("avx512_vnni")
    assert memory_lanes(machine.instruction("weave_i8x4")) == (1, 0)
    assert memory_lanes(machine.instruction("load_i8x4")) == (0, 1)
    assert memory_lanes(machine.instruction("broadcast_i8x4")) == (1,)
    assert memory_lanes(im.find_instruction("amx.load_groups_i8")) is None


def _edited(nodes: tuple[Any, ...], change: Any) -> tuple[Any, ...]:
    made = []
    for n in nodes:
        if isinstance(n, Loop | If):
            made.append(replace(n, body=_edited(n.body, change)))
        else:
            made.append(change(n) if isinstance(n, Move) and "weave" in n.instruction.name else n)
    return tuple(made)


def _other_row(m: Move) -> Move:
    assert m.memory is not None
    first, *rest = m.memory.index
    return m.put(memory=replace(m.memory, index=(first + 1, *rest)))


def _as_groups(m: Move) -> Move:
    plain = im.find_instruction("avx512_vnni.load_i8x4")
    return replace(m, instruction=plain)


def _turned(m: Move) -> Move:
    """Row and column change places in the address."""
    assert m.memory is not None
    return m.put(memory=replace(m.memory, index=m.memory.index[::-1]))


@pytest.mark.parametrize(("change", "claim"), [(_other_row, "program"), (_as_groups, "precondition"), (_turned, None)])
def test_wrong_rows_are_refuted(change: Any, claim: str | None) -> None:
    program = _plan(BYTES, {"i": 2, "j": 16, "k": 16}).program
    assert any(isinstance(n, Alloc) for n, _ in walk(program.body))
    found = prove_program(replace(program, body=_edited(program.body, change)))
    proof = getattr(found, "proof", found)
    assert proof.word == "refuted"
    assert claim is None or claim in {c.claim for c in proof.claims if c.verdict.word == "refuted"}
