"""Partial results in one row are combined by instructions across lanes: with the bits of the tree, and no other tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_hardware.host import features, host
from isamap_smt.codegen.decided import with_across
from isamap_smt.ir.across import combined, in_a_row, leaves
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import If, Loop, Node, Point, Program
from isamap_smt.ir.scalar import read
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof import prove_program
from isamap_smt.simulator.run import run_program

AVX512 = frozenset({"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl"})
AVX2 = frozenset({"avx2", "fma", "f16c"})
SIGNS = {"+": "sum", "max": "max", "min": "min"}
LANES = {"f32": 16, "i32": 16, "f64": 8}


@cache
def planned(op: str, kind: str, parts: int, have: frozenset[str] = AVX512) -> Any:
    """Rows of 3 * parts + 1 elements, each reduced in so many partial results."""
    kernel = im.kernel(f"y[i] {op}= x[i,n]", name="rows", dtypes=dict.fromkeys("xy", kind))
    return im.plan(kernel, host(have), sizes={"i": 6, "n": 3 * parts + 1}, fix={"split.n": parts})


def points(program: Program) -> list[Point]:
    return [n for n in nodes_of(Point, program.body) if n.across is not None]


def numbers(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    if kind == "i32":
        ends = np.array([-(2**31), 2**31 - 1, -1, 0, 1], np.int32)
        return np.where(rng.random(shape) < 0.4, rng.choice(ends, shape), rng.integers(-(2**31), 2**31, shape)).astype(
            np.int32
        )
    dtype = np.float32 if kind == "f32" else np.float64
    found = (rng.normal(size=shape) * rng.choice([1e-20, 1, 1e20], shape)).astype(dtype)
    for value in (np.nan, -np.inf, np.inf, -0.0, 0.0):
        found[rng.random(shape) < 0.01] = value
    return found


CASES = [
    pytest.param(op, kind, times, marks=() if (op, kind, times) in FEW else pytest.mark.exhaustive)
    for FEW in [{("+", "f32", 1), ("max", "f32", 4), ("min", "i32", 2), ("+", "f64", 2)}]
    for op in SIGNS
    for kind in LANES
    for times in (1, 2, 4)
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("op, kind, times", CASES)
def test_it_has_the_bits_of_the_tree(op: str, kind: str, times: int) -> None:
    plan = planned(op, kind, times * LANES[kind])
    found = points(plan.program)
    assert found and all(
        u.across is not None and u.across.last.short == f"{SIGNS[op]}_of_{LANES[kind]}x{kind}" for u in found
    )
    if not features() >= AVX512:
        pytest.skip("this CPU has no AVX-512")
    assert f"avx512_{SIGNS[op]}_{LANES[kind]}x{kind}(" in plan.source
    built = im.build(plan)
    rng = np.random.default_rng(times)
    x = numbers(kind, (6, 3 * times * LANES[kind] + 1), rng)
    want = run_kernel(plan.kernel, {"x": x})["y"]
    np.testing.assert_array_equal(built(x), want)  # NaN is NaN, whatever its bits


@pytest.mark.parametrize("shapes", [1, pytest.param(3, marks=pytest.mark.exhaustive)])
def test_random_shapes_are_numpys_maxima_and_sums_of_whole_numbers(shapes: int) -> None:
    rng = np.random.default_rng(11)
    for _ in range(shapes):
        i, n = (int(v) for v in rng.integers(1, 71, 2))
        x = rng.integers(-8, 8, (i, n)).astype(np.float32)
        for text, want in (
            ("y[i] += x[i,n]", x.sum(1)),
            ("y[i] max= x[i,n]", x.max(1)),
            ("y[i] min= x[i,n]", x.min(1)),
        ):
            np.testing.assert_array_equal(im.compile(im.kernel(text), "host", sizes={"i": i, "n": n})(x), want)


def test_a_machine_of_eight_lanes_has_steps_of_its_own() -> None:
    (use, *_) = points(planned("max", "f32", 8, AVX2).program)
    assert use.across is not None and use.across.last.name == "avx2.max_of_8xf32"


# ---- what is refuted


def edited(program: Program, change: Callable[[Point], Point]) -> Program:
    def visit(node: Node) -> Node:
        match node:
            case Loop() | If():
                return replace(node, body=tuple(map(visit, node.body)))
            case Point() if node.across is not None:
                return change(node)
        return node

    return replace(program, body=tuple(map(visit, program.body)))


def steps(use: Point, **fields: Any) -> Point:
    assert use.across is not None
    return replace(use, across=replace(use.across, **fields))


def other(name: str) -> im.Instruction:
    return host(AVX512).instruction(name)


def without_a_lane(use: Point) -> Point:
    """The sum of all lanes but the last, in an instruction of the machine's name."""
    assert use.across is not None
    last = use.across.last
    s = last.kernel.statements[0]
    short = s.value.xreplace({read("a", sym("l") + 15): read("a", sym("l") + 14)})
    return steps(use, last=replace(last, kernel=replace(last.kernel, statements=(replace(s, value=short),))))


def moved(use: Point) -> Point:
    """Reads that begin one element further on."""
    return use.placed(use.dst, *(replace(r, index=(*r.index[:-1], r.index[-1] + 1)) for r in use.reads))


def swapped(use: Point) -> Point:
    """Two reads change places: each is read, in another order than the tree's."""
    one, two, *rest = use.reads
    return use.placed(use.dst, two, one, *rest)


def low_lanes(i: im.Instruction) -> im.Instruction:
    """The same of the first eight lanes."""
    s = i.kernel.statements[0]
    half = replace(s, axes=tuple(replace(a, extent=8) for a in s.axes))
    return replace(i, kernel=replace(i.kernel, statements=(half,)))


def placed(i: im.Instruction, place: str) -> im.Instruction:
    return replace(i, places=tuple((o, place) for o, _ in i.places))


MUTANTS: dict[str, Callable[[Point], Point]] = {
    "the maximum": lambda u: steps(u, last=other("avx512.max_of_16xf32")),
    "of eight lanes": lambda u: steps(u, last=other("avx512.sum_of_8xf64")),
    "of whole numbers": lambda u: steps(u, last=other("avx512.sum_of_16xi32")),
    "a lane dropped": without_a_lane,
    "maxima of two registers": lambda u: steps(u, beside=other("avx512.max_ps")),
    "nothing for two registers": lambda u: steps(u, beside=None),
    "a broadcast": lambda u: steps(u, load=other("avx512.broadcast_f32")),
    "a masked load": lambda u: steps(u, load=other("avx512.masked_load_f32")),
    "a load of another type": lambda u: steps(u, load=other("avx512.load_f64")),
    "one element further on": moved,
    "in another order": swapped,
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    program = planned("+", "f32", 32).program
    proof = prove_program(edited(program, MUTANTS[name]))
    assert not proof.proved
    if name != "one element further on":  # that reads beyond its row, which other claims say
        assert "forms" in {c.claim for c in proof.failed()}


def test_the_simulator_runs_the_steps() -> None:
    """And not what the statement says: a wrong step is seen without the proof."""
    plan = planned("+", "f32", 32)
    x = np.random.default_rng(3).integers(1, 9, (6, 97)).astype(np.float32)
    assert points(plan.program)
    run = run_program(plan.program, {"x": x})
    assert run.clean
    np.testing.assert_array_equal(run.outputs["y"], x.sum(1))
    for name in set(MUTANTS) - {"in another order"}:  # of small whole numbers the sum is the same
        wrong = run_program(edited(plan.program, MUTANTS[name]), {"x": x})
        assert not wrong.clean or not np.array_equal(wrong.outputs["y"], x.sum(1)), name


@pytest.mark.parametrize(
    "change",
    [low_lanes, lambda i: placed(i, "elsewhere"), lambda i: replace(i, c_types=tuple((o, "__m512d") for o, _ in i.c_types))],
    ids=["half of the lanes", "another place", "another C type"],
)  # fmt: skip
def test_two_registers_are_combined_whole_by_what_takes_such_registers(change: Callable[[Any], Any]) -> None:
    (use, *_) = points(planned("+", "f32", 32).program)
    assert use.across is not None and use.across.beside is not None
    names = [name for name, _ in in_a_row(use)]
    assert combined(use.across, names) is not None
    assert combined(replace(use.across, beside=change(use.across.beside)), names) is None


def test_an_instruction_of_fewer_lanes_of_the_same_register_is_not_taken() -> None:
    """It is right, and first: the sum of the upper lanes would be lost."""
    machine = host(AVX2)
    c = "{c} = _mm256_insertf128_ps({a}, _mm_add_ps(_mm256_castps256_ps128({a}), _mm256_castps256_ps128({b})), 0);"
    low = im.instruction(
        "mine.add_low", "c[l] = a[l] + b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"), places=dict.fromkeys("abc", "ymm"),
        emit=c, c_types=dict.fromkeys("abc", "__m256"), headers=("immintrin.h",), rounding="unfused",
    )  # fmt: skip
    kernel = im.kernel("y[i] += x[i,n]", name="rows")
    plan = im.plan(
        kernel,
        replace(machine, instructions=(low, *machine.instructions)),
        sizes={"i": 6, "n": 97},
        fix={"split.n": 32},
    )
    taken = {u.across.beside.name for u in points(plan.program) if u.across is not None and u.across.beside is not None}
    assert taken == {"avx2.add_ps"}


def test_a_tree_of_another_form_is_left_to_portable_c() -> None:
    """A machine whose step combines neighbours first has another tree: nothing is chosen, and nothing would be proved."""
    program = planned("+", "f32", 16).program
    assert program.schedule is not None and program.schedule.hardware is not None
    (use, *_) = points(program)
    assert use.across is not None
    last = use.across.last
    k = last.kernel
    pairs = " + ".join(f"(a[l + {2 * n}] + a[l + {2 * n + 1}])" for n in range(8)).replace("a[l + 0]", "a[l]")
    told = im.kernel(f"c[l] = {pairs}\na: f32[16]\nc: f32[1]\naxis l < 1")
    wrong = replace(last, kernel=replace(k, statements=told.statements))
    machine = program.schedule.hardware
    others = tuple(wrong if i.name == last.name else i for i in machine.instructions if leaves(i) in (0, 16))
    changed = replace(program, schedule=replace(program.schedule, hardware=replace(machine, instructions=others)))
    assert points(with_across(edited(changed, lambda u: replace(u, across=None)))) == []
    names = [name for name, _ in in_a_row(use)]
    assert combined(replace(use.across, last=wrong), names) != combined(use.across, names)
