"""Products on AMX tiles, from the kernel's text to the result: layouts, tails along every axis, open sizes, threads, epilogues.

Where this CPU has no tiles they are emulated, if SIMDe is installed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.program import Move
from isamap_smt.ir.traversal import walk
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.proof.program import prove_program
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.runtime.simde import find_simde
from tests.families import part

TEXTS = {
    "nn": "C[i,j] += A[i,k] * B[k,j]",
    "nt": "C[i,j] += A[i,k] * B[j,k]",
    "tn": "C[i,j] += A[k,i] * B[k,j]",
}
TYPES = {
    "bf16": ("bf16", "bf16", "f32"),
    "u8i8": ("u8", "i8", "i32"),
    "i8u8": ("i8", "u8", "i32"),
    "i8i8": ("i8", "i8", "i32"),
    "u8u8": ("u8", "u8", "i32"),
}
SIZES = {
    "whole": (32, 48, 128),
    "a row more": (33, 48, 128),
    "a column less": (32, 47, 128),
    "a point more": (32, 48, 129),
    "all cut": (35, 70, 77),
    "less than a tile": (3, 5, 7),
    "one": (1, 1, 1),
}


def gemm(layout: str, types: str) -> im.Kernel:
    a, b, c = TYPES[types]
    return im.kernel(TEXTS[layout], name="gemm", dtypes={"A": a, "B": b, "C": c})


@cache
def compiled(layout: str, types: str, sizes: tuple[tuple[str, int], ...], **options: Any) -> CompiledKernel:
    return made(gemm(layout, types), dict(sizes), **options)


def made(kernel: im.Kernel, sizes: dict[str, int], **options: Any) -> CompiledKernel:
    """Planned for tiles, proved and compiled. Skips aloud."""
    machine = im.find_hardware("amx")
    missing = missing_features(machine.instructions)
    if missing and find_simde() is None:
        pytest.skip(f"this CPU has no {', '.join(missing)}, and SIMDe (libsimde-dev) is not installed")
    planned = im.plan(kernel, machine, sizes=sizes, strategy="exact", cost_model="analytic", **options)
    assert planned.program.schedule.proved.mapping.instruction.name.startswith("amx.")
    return build_program(planned.source, simde=True)


def inputs(kernel: im.Kernel, **sizes: int) -> dict[str, np.ndarray]:
    """The whole range of the integers; small integers in bf16, whose sums are exact."""
    rng = np.random.default_rng(sum(sizes.values()))
    found = {}
    for name in kernel.inputs:
        t = kernel.with_sizes(sizes).tensor(name)
        low, high = (-16, 16) if t.dtype.is_float else (t.dtype.low, t.dtype.high)
        found[name] = rng.integers(low, high, tuple(map(int, t.shape)), endpoint=True).astype(t.dtype.numpy)
    return found


def product(layout: str, arrays: dict[str, np.ndarray]) -> np.ndarray:
    a, b = arrays["A"].astype(np.float64), arrays["B"].astype(np.float64)
    return (a.T if layout == "tn" else a) @ (b.T if layout == "nt" else b)


def one_in_three(*lists: Iterable[str]) -> list[Any]:
    """Every combination. A third of them, in which each value of a list meets those of the others, is not `exhaustive`."""
    made = []
    for numbered in itertools.product(*map(enumerate, lists)):
        names = tuple(name for _, name in numbered)
        marks = () if sum(n for n, _ in numbered) % 3 == 0 else pytest.mark.exhaustive
        made.append(pytest.param(*names, marks=marks, id="-".join(names)))
    return made


@pytest.mark.parametrize(("types", "layout", "sizes"), one_in_three(["bf16", "u8i8"], TEXTS, SIZES))
def test_products_of_all_layouts_and_tails(types: str, layout: str, sizes: str) -> None:
    i, j, k = SIZES[sizes]
    run = compiled(layout, types, (("i", i), ("j", j), ("k", k)))
    arrays = inputs(gemm(layout, types), I=i, J=j, K=k)
    wanted = product(layout, arrays)
    got = run(**arrays)
    assert (got == wanted).all()
    begun = np.full_like(got, 7)
    run(**arrays, out=begun)
    assert (begun == wanted + 7).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("types", ["i8u8", "i8i8", "u8u8"])
def test_products_of_all_signs(types: str) -> None:
    run = compiled("nn", types, (("i", 20), ("j", 37), ("k", 99)))
    arrays = inputs(gemm("nn", types), I=20, J=37, K=99)
    assert (run(**arrays) == product("nn", arrays)).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("layout", part(TEXTS, lambda layout: layout != "tn"))
def test_one_kernel_for_all_sizes(layout: str) -> None:
    run = compiled(layout, "u8i8", ())
    for i, j, k in SIZES.values():
        arrays = inputs(gemm(layout, "u8i8"), I=i, J=j, K=k)
        assert (run(**arrays) == product(layout, arrays)).all()


def test_weights_packed_ahead_and_two_threads() -> None:
    run = compiled("nt", "bf16", (("i", 70), ("j", 150), ("k", 100)), constant=("B",), threads=2)
    arrays = inputs(gemm("nt", "bf16"), I=70, J=150, K=100)
    packed = run.pack(B=arrays["B"])
    for threads in (1, 2):
        assert (packed(arrays["A"], threads=threads) == product("nt", arrays)).all()


def test_rows_of_the_left_operand_are_read_in_place() -> None:
    """In place, a cut tile of rows is loaded under a mask."""
    planned = im.plan(gemm("nn", "u8i8"), "amx", sizes={"i": 35, "j": 64, "k": 256}, fix={"pack.A": "no"})
    moves = {n.instruction.short for n, _ in walk(planned.program.body) if isinstance(n, Move)}
    assert "masked_load_rows_u8" in moves
    run = compiled("nn", "u8i8", (("i", 35), ("j", 64), ("k", 256)))
    arrays = inputs(gemm("nn", "u8i8"), I=35, J=64, K=256)
    assert (run(**arrays) == product("nn", arrays)).all()


def same_as_interpreted(run: CompiledKernel, kernel: im.Kernel) -> bool:
    """Whether both give the same on random arrays, whose sizes the kernel knows."""
    arrays = arrays_for(kernel, 5)
    name = next(n for n in kernel.outputs if n not in kernel.temporaries)
    return np.array_equal(run(**arrays), im.run_kernel(kernel, arrays)[name])


def test_a_convolution_with_padding() -> None:
    kernel = im.find_kernel("conv2d").with_dtypes({"I": "u8", "W": "i8", "O": "i32"})
    steps = dict.fromkeys(("sp", "sq", "dp", "dq", "pp", "pq"), 1)
    sizes = {**steps, "N": 1, "P": 9, "Q": 10, "C": 24, "K": 20, "R": 3, "S": 3}
    assert same_as_interpreted(made(kernel, sizes), kernel.with_sizes(sizes))


def test_bytes_are_requantised_behind_the_sum() -> None:
    kernel = im.find_kernel("linear_int8")
    sizes = dict.fromkeys(kernel.free_sizes, 40)
    assert same_as_interpreted(made(kernel, sizes), kernel.with_sizes(sizes))


def test_more_tiles_than_there_are_are_refused() -> None:
    with pytest.raises(im.IsamapError, match="registers"):
        im.plan(gemm("nn", "u8i8"), "amx", sizes={"i": 64, "j": 64, "k": 64}, fix={"register.i": 48, "register.j": 48})


def changed(program: im.Program, change: Any) -> im.Program:
    """The program with each move replaced."""

    def visit(nodes: Any) -> Any:
        return tuple(
            replace(n, body=visit(n.body)) if hasattr(n, "body") else change(n) if isinstance(n, Move) else n
            for n in nodes
        )

    return replace(program, body=visit(program.body))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("by", [-1, 1])
def test_a_mask_that_is_one_off_is_refuted(axis: int, by: int) -> None:
    """One more is out of bounds or another element, one less is a result that is lost."""
    planned = im.plan(gemm("nn", "bf16"), "amx", sizes={"i": 35, "j": 70, "k": 64})
    assert prove_program(planned.program).proved

    def nudge(m: Move) -> Move:
        if len(m.active) < 2:
            return m
        return replace(m, active=tuple(n + by * (x == axis) for x, n in enumerate(m.active)))

    failed = prove_program(changed(planned.program, nudge)).failed()
    assert any(isinstance(c.verdict, Refuted) for c in failed)


def test_rows_that_do_not_lie_evenly_are_refuted() -> None:
    """Row i of the tile at the square of i: each element exists, and no one distance between rows leads to it."""
    planned = im.plan(gemm("nn", "bf16"), "amx", sizes={"i": 256, "j": 16, "k": 32})

    def bend(m: Move) -> Move:
        if not m.instruction.short.startswith("load_rows"):
            return m
        i = next(a.symbol for a in m.instruction.kernel.axes if a.name == "i")
        return m.put(memory=replace(m.memory, index=(i * i, *m.memory.index[1:])))

    proof = prove_program(changed(planned.program, bend))
    assert "precondition" in {c.claim for c in proof.failed()}


def test_a_state_is_entered_where_tiles_are_used_and_nowhere_else() -> None:
    planned = im.plan(gemm("nn", "u8i8"), "amx", sizes={"i": 64, "j": 640, "k": 640}, threads=2, constant=("B",))
    functions = planned.source.split("\n}\n")
    for f in functions:
        body = f.partition("{")[2]
        uses = any(f"amx_tile_{word}(" in body for word in ("dot", "load", "store", "zero"))
        if "#define" not in f and "amx_tiles_enter(const" not in f:
            assert uses == ("amx_tiles_enter((" in body) == ("amx_tiles_leave();" in body), f[:200]
