"""Gemmini from its description: planned, proved for all sizes, printed as its instructions, executed by a model apart from it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.cli.app import run as command
from isamap_smt.ir.errors import ArgumentError, DTypeError, HardwareError, NotProvedError, SizeError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import If, Issued, Loop, Program
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof import require_proof
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini import build_here, missing
from isamap_smt.targets.gemmini.target import GemminiKernel
from tests.quick import quick

MACHINE = isamap_hardware.load("gemmini")
TARGET = find_target("gemmini")
MVOUT = "gemmini_store({m}, gemmini_acc_full((uint32_t)({acc})), {rows}, {columns});"
CONV = dict(n=1, p=5, q=7, k=18, c=20, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)


def typed(name: str) -> im.Kernel:
    kernel = im.find_kernel(name)
    return kernel.with_dtypes({**dict.fromkeys(kernel.inputs, "i8"), **dict.fromkeys(kernel.outputs, "i32")})


@functools.cache
def plan(name: str = "gemm", sizes: tuple[tuple[str, int], ...] = ()) -> Any:
    return im.stage(typed(name), MACHINE, sizes=dict(sizes))


def here(planned: Any, cc: str | None = None) -> GemminiKernel:
    """In this process, where a run takes milliseconds."""
    source = TARGET.emit(planned)["program.c"]
    return GemminiKernel(planned.program, build_here(source, cc), "here")


def arrays_of(kernel: im.Kernel, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        n: random.integers(-128, 128, x.shape).astype(x.dtype) for n, x in random_arrays(kernel, rng=random).items()
    }


def agrees(made: Callable[..., Any], kernel: im.Kernel, seed: int = 1) -> bool:
    arrays = arrays_of(kernel, seed)
    return np.array_equal(made(**arrays), run_kernel(kernel, arrays)[kernel.results[0]])


def test_one_program_at_two_hundred_random_sizes() -> None:
    """Proved for all; below, at and above tiles of 16 and steps of several."""
    made, random = here(plan()), np.random.default_rng(7)
    assert plan().proof.proved and set(plan().kernel.free_sizes) == {"I", "J", "K"}
    for n in range(200):
        i, j, k = (int(x) for x in random.integers(1, 100, 3))
        assert agrees(made, typed("gemm").with_sizes(dict(i=i, j=j, k=k)), n), (i, j, k)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("gemm", dict(i=37, j=29, k=50)),
        ("gemm", dict(i=128, j=96, k=64)),
        ("matvec", dict(i=40, k=33)),
        pytest.param("conv2d", CONV, marks=pytest.mark.exhaustive),  # one that is padded and dilated is below
        ("conv2d", CONV | dict(p=4, q=3, sp=2, sq=2, pp=0, pq=0)),
        ("conv2d", CONV | dict(p=8, q=8, dp=2, dq=2, pp=2, pq=2, n=2)),
    ],
)
def test_kernels_planned_for_their_sizes(name: str, sizes: dict[str, int]) -> None:
    """Padding, strides and dilation included; two slots where the solver found them cheaper."""
    assert agrees(here(plan(name, tuple(sizes.items()))), typed(name).with_sizes(sizes))


@pytest.mark.parametrize("seeds", [20, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_no_order_of_the_engines_changes_it(seeds: int) -> None:
    kernel = typed("gemm").with_sizes(dict(i=37, j=29, k=40))
    arrays = arrays_of(kernel, 3)
    right = run_kernel(kernel, arrays)["C"]
    for seed in range(seeds):
        run = simulate(plan().program, arrays, seed=seed)
        assert not run.races and not run.deadlock and np.array_equal(run.outputs["C"], right)


def without(program: Program, counter: str) -> Program:
    """Nothing waits for this counter."""

    def visit(node: Any) -> Any:
        if isinstance(node, Loop | If):
            return replace(node, body=tuple(map(visit, node.body)))
        if isinstance(node, Issued):
            return replace(node, awaits=tuple(a for a in node.awaits if a[0] != counter))
        return node

    return replace(program, body=tuple(map(visit, program.body)))


def test_every_counter_is_necessary() -> None:
    """But two: tiles of B are loaded before those of A by one engine, so who waits for A has waited for B; and tiles of A, in one
    slot, wait for more than those of B in two."""
    program = plan().program
    slots = {s.operand: s.slots for s in plan().schedule.stages}
    assert (slots["a"], slots["b"]) == (1, 2)
    counters = {c for n in nodes_of(Issued, program.body) for c, _ in n.awaits}
    counters -= {f"{name}_{e.name}" for name in ("given", "done") for e in MACHINE.engines}
    assert counters == {"filled_a", "filled_b", "finished", "released_a", "released_b", "stored"}
    words = {c: prove_program(without(program, c)).word for c in sorted(counters)}
    assert words.pop("filled_b") == "proved" and words.pop("released_b") != "refuted"
    assert set(words.values()) == {"refuted"}, words
    for pair in (("filled_a", "filled_b"), ("released_a", "released_b")):
        assert prove_program(without(without(program, pair[0]), pair[1])).word == "refuted"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("matmul", "gemmini_pass((uint32_t)({b}), (uint32_t)({a}), gemmini_acc_add((uint32_t)({acc})));"),
        ("matmul", "gemmini_pass((uint32_t)({a}), (uint32_t)({b}), gemmini_acc((uint32_t)({acc})));"),
        ("mvin", "gemmini_fill({loads}, {m}, (uint32_t)({s}), {above}, {columns}, {rows});"),
        ("mvin", "gemmini_fill(({loads} + 1) % 3, {m}, (uint32_t)({s}), {above}, {rows}, {columns});"),
        ("mvin", ("loads[0] = down", "loads[0] = 2*down")),
        ("mvin", ("loads[3] = 16", "loads[3] = 8")),
        ("mvout", MVOUT.replace("{acc}", "{acc} + 1")),
        ("mvout", ("stores[0] = 4*down", "stores[0] = down")),
        ("matmul", ("passes[0] = 1", "passes[0] = 0")),
        ("matmul", ("passes[4] = 0", "passes[4] = 1")),
        ("config_ld", "gemmini_set_loads({loads} / 2, {new});"),
        ("config_st", "gemmini_config_st((uint32_t)({new})[2], (uint32_t)({new})[1], 0);"),
        ("clear", "(void)({acc});"),
    ],
)
def test_a_description_that_contradicts_the_model_is_found(name: str, wrong: str | tuple[str, str]) -> None:
    """The proof trusts the description; what executes the instructions does not. wrong: its C, or what it needs."""
    i = MACHINE.instruction(name)
    if isinstance(wrong, tuple):
        assert wrong[0] in i.needs
        wrong = replace(i, needs=tuple(wrong[1] if n == wrong[0] else n for n in i.needs))
    else:
        wrong = replace(i, emit=wrong)
    machine = replace(MACHINE, instructions=tuple(wrong if i.short == name else i for i in MACHINE.instructions))
    planned = im.stage(typed("gemm"), machine)
    kernel = typed("gemm").with_sizes(dict(i=37, j=29, k=50))
    try:
        assert not agrees(here(planned, quick()), kernel)
    except HardwareError as refused:
        assert "instruction" in str(refused)


def test_what_no_call_may_ask() -> None:
    made = here(plan())
    a, b = np.ones((2, 3), np.int8), np.ones((3, 4), np.int8)
    with pytest.raises(ArgumentError, match="begins its sums itself; leave out= out"):
        made(a, b, out=np.zeros((2, 4), np.int32))
    with pytest.raises(ArgumentError, match="runs in one thread"):
        made(a, b, threads=2)
    with pytest.raises(DTypeError, match="compiled for i8"):
        made(a.astype(np.float32), b)
    with pytest.raises(SizeError):
        made(a, np.ones((4, 4), np.int8))


def test_what_the_target_takes() -> None:
    example = im.plan("gemm", "scalar", sizes=dict(i=2, j=2, k=2))
    with pytest.raises(HardwareError, match="no program of engines"):
        TARGET.emit(example)
    with pytest.raises(NotProvedError, match="builds what emit"):
        TARGET.build({"program.c": "int x;"})
    assert "take the machine `gemmini`" in TARGET.takes(isamap_hardware.load("avx2"))
    wrong = without(plan().program, "filled_a")
    with pytest.raises(NotProvedError):
        TARGET.emit(require_proof(wrong))


def test_no_instruction_is_checked_alone() -> None:
    found = im.check_hardware(MACHINE)
    assert {c.status for c in found.checked} == {"not run"}
    assert found.checked[0].reason == "engine load issues it: programs with it are compared where they run"


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody says types, those that the machine takes; what executes it is said."""
    words = ["run", "gemm", "gemmini", "--sizes", "i=37,j=29,k=50", "--json"]
    assert command(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["exact"] and told["target"] == "gemmini" and told["instruction"] == "gemmini.matmul"
    assert told["executor"] == TARGET.executor() and (told["executor"].startswith("spike ") or missing())
    assert command([*words, "--target", "simulate"]) == 0
    seen = json.loads(capsys.readouterr().out)
    assert seen["races"] == [] and seen["cycles"] > 0
    assert command(["run", "gemm", "avx2", "--sizes", "i=4,j=4,k=4", "--target", "gemmini"]) == 3
    assert "take the machine `gemmini`" in capsys.readouterr().err


def test_in_spike() -> None:
    if why := missing():
        pytest.skip(why)
    made = TARGET.build(TARGET.emit(plan()))
    for i, j, k in ((1, 1, 1), (37, 29, 50), (64, 64, 64)):
        assert agrees(made, typed("gemm").with_sizes(dict(i=i, j=j, k=k)))
