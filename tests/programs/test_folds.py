"""Statements over rows in one loop over blocks of them, each with its own block of temporaries: right, and proved.

A fold that is wrong is refuted by its claim alone, and computes something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from examples import norms
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.folds import folded, laid_out
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.opened import opened
from isamap_smt.ir.program import Copy, Loop, Node, Program
from isamap_smt.ir.traversal import buffers, map_nodes, nodes_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"i": 41, "n": 269}  # neither blocks nor vectors divide them
Arrays = dict[str, np.ndarray]


@cache
def softmax() -> Plan:
    return im.plan(norms.SOFTMAX, "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")


@cache
def given() -> tuple[Arrays, np.ndarray]:
    """A row of NaN and one of the same number among random ones; softmax of them in f64."""
    x = np.random.default_rng(2).normal(size=(41, 269)).astype(np.float32) * 4
    x[3], x[7, 11] = 0.5, np.nan
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return {"x": x}, e / e.sum(1, keepdims=True)


def loop_of(program: Program) -> Loop:
    (found,) = [n for n in program.body if isinstance(n, Loop)]
    return found


def test_four_statements_share_one_loop_and_are_told() -> None:
    plan = softmax()
    assert [s.fused for s in plan.program.schedules] == [("i",)] * 4
    assert any("share blocks of" in n and ", 3, 4 and 7 " in n for n in plan.notes)
    loop = loop_of(plan.program)
    assert set(dict(loop.folds)) == {"e", "share", "top_sums", "total_sums"}
    assert "each iteration has its own block of e" in str(plan.program)


def test_extents_that_are_numbers_share_a_loop_as_sizes_do() -> None:
    """Found with weights of 4 bits: networks, whose kernels have no sizes, had no blocks."""
    fixed = im.plan(norms.SOFTMAX.with_sizes(SIZES), "avx2", strategy="exact", cost_model="analytic")
    assert [s.fused for s in fixed.program.schedules] == [s.fused for s in softmax().program.schedules]
    assert fixed.program.kernel == softmax().program.kernel
    arrays, wanted = given()
    np.testing.assert_allclose(im.build(fixed)(**arrays), wanted, rtol=2e-6, atol=0)


@pytest.mark.parametrize(
    ("text", "sizes", "known"),
    [
        (
            "T[i,j] += A[i,k] * B[k,j]\nY[i,l] += T[i,j] * C[j,l]",
            {"i": 4, "j": 5, "k": 6, "l": 7},
            {"I": 4, "J": 5, "K": 6, "L": 7},
        ),
        (
            "axis i < 5\naxis j < 5\nT[i,j] += A[i,k] * B[k,j]\nY[i] += T[j,i]",
            {"k": 6},
            {"I": 5, "K": 6},
        ),  # i and j are one
        ("T[i] += A[i,k]\nY[i] += A[i,k] * T[i+1]", {"i": 5, "k": 6}, {"K": 6}),  # i is moved
        ("T[i] += A[2*i,k]\nY[i] += A[i,k] * T[i]", {"i": 5, "k": 6}, {"K": 6}),  # strided
        ("T[i] += A[i,k]\nY[i] += A[0,k] * T[i]", {"i": 5, "k": 6}, {"K": 6}),  # a dimension with a number
        ("axis k < 5\nparam I\nT[k] += A[k,m]\nY[k] += A[k,m] * T[k] + I", {"m": 6}, {"K": 5, "M": 6}),
    ],
)
def test_extents_that_are_opened(text: str, sizes: dict[str, int], known: dict[str, int]) -> None:
    kernel = im.kernel(text).with_sizes(sizes)
    made, found = opened(kernel)
    assert made.with_sizes(found) == kernel
    assert {n.strip("_"): v for n, v in found.items()} == known
    assert set(made.free_sizes) - set(kernel.free_sizes) == set(found)


def test_rows_of_softmax_are_right_compiled_and_simulated() -> None:
    arrays, wanted = given()
    run = run_program(softmax().program, arrays)
    assert run.clean
    for found in (im.build(softmax())(**arrays), run.outputs["y"]):
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["LAYER_NORM", "RMS_NORM"])
def test_other_rows_are_right(name: str) -> None:
    kernel: im.Kernel = getattr(norms, name)
    plan = im.plan(kernel, "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")
    assert {s.fused for s in plan.program.schedules} >= {("i",)}
    arrays = {n: np.asarray(v) for n, v in given()[0].items()}
    arrays |= {n: np.linspace(-1, 2, 269, dtype=np.float32) for n in kernel.inputs if n != "x"}
    found, wanted = im.build(plan)(**arrays), run_kernel(kernel, arrays)["y"]
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def _folds(program: Program, *folds: tuple[str, int]) -> Program:
    loop = loop_of(program)
    body = tuple(replace(n, folds=folds) if n is loop else n for n in program.body)
    return replace(program, body=body)


def _apart(program: Program) -> Program:
    """The last statement in a loop of its own: it reads rows of all blocks."""
    loop = loop_of(program)
    again = replace(loop, body=loop.body[-1:], folds=())
    return replace(program, body=(replace(loop, body=loop.body[:-1]), again))


WRONG: dict[str, tuple[Callable[[Program], Program], str]] = {
    "a result": (lambda p: _folds(p, ("y", 0)), "y is a result"),
    "what the caller begins": (lambda p: _folds(p, ("top", 0)), "not all assigned or begun"),
    "columns": (lambda p: _folds(p, ("e", 1)), "lies in the block of"),
    "read behind the loop": (_apart, "e is touched outside of the loop over i0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_fold_is_refuted_by_its_claim_alone(name: str) -> None:
    change, said = WRONG[name]
    proof = prove_program(change(softmax().program))
    assert proof.word == "refuted"
    failed = proof.failed()
    assert {c.claim for c in failed} == {"forms"}
    assert any(said in str(c.verdict) or said in c.statement for c in failed)


@pytest.mark.parametrize("dimension", [2, -1])
def test_a_fold_in_a_dimension_that_is_none_is_not_proved(dimension: int) -> None:
    proof = prove_program(_folds(softmax().program, ("e", dimension)), stop=True)
    assert not proof.proved
    assert any(f"e has no dimension {dimension}" in str(c.verdict) for c in proof.failed())


@pytest.mark.parametrize("name", ["what the caller begins", "read behind the loop"])
def test_a_wrong_fold_computes_something_else(name: str) -> None:
    change, _ = WRONG[name]
    arrays, wanted = given()
    run = run_program(change(softmax().program), arrays)
    assert not run.clean or not np.allclose(run.outputs["y"], wanted, rtol=1e-3, equal_nan=True)
    with pytest.raises(NotProvedError):
        im.build(change(softmax().program))


def test_a_program_without_shared_loops_folds_nothing() -> None:
    plan = im.plan("gemm", "avx2", sizes={"i": 30, "j": 20, "k": 10}, cost_model="analytic")
    assert folded(plan.program) == ()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n, rows, row", [(512, 32, 528), (512, 16, 512), (528, 32, 528)])
def test_rows_of_a_block_whose_lines_would_share_few_places_lie_further_apart(n: int, rows: int, row: int) -> None:
    """A column of 32 rows of 2,048 bytes has two places of eight lines."""
    sizes = {"i": 2 * rows, "n": n}
    text = "temporary e\ne[i,n] = x[i,n] + x[i,n]\ny[i,n] = e[i,n] * e[i,n]"
    plan = im.plan(im.kernel(text, name="rows"), "avx2", sizes=sizes, fix={"share.i": rows})
    assert "e" in folded(plan.program)
    assert [b.shape for name, b in buffers(laid_out(plan.program)).items() if name == "e_block"] == [(rows, row)]
    x = np.random.default_rng(1).integers(-9, 9, (2 * rows, n)).astype(np.float32)
    np.testing.assert_array_equal(run_program(plan.program, {"x": x}).outputs["y"], 4 * x * x)


# ---- Loops inside fold the block of a loop around, in the same dimension.

LAYER = """\
temporary T
T[i,j] += A[i,k] * B[k,j]
Y[i,j] = relu(T[i,j] + C[j])
"""
LAYER_SIZES = {"i": 61, "j": 100, "k": 19}  # tails of register tiles, and of blocks around them


@cache
def layer() -> Plan:
    fix = {"register.i": 4, "register.j": 16, "tile.i": 12, "tile.j": 48}
    return im.plan(im.kernel(LAYER, name="layer"), "avx2", sizes=LAYER_SIZES, fix=fix, cost_model="analytic")


def _marks(program: Program) -> list[tuple[Loop, int]]:
    """The loops that fold T, outermost first, with the dimension."""
    return [(n, dict(n.folds)["T"]) for n in nodes_of(Loop, program.body) if "T" in dict(n.folds)]


def _marked_otherwise(program: Program, wanted: Callable[[Loop, int], tuple[tuple[str, int], ...]]) -> Program:
    """The program with other folds of the loops that fold T."""

    def visit(node: Node) -> Node:
        found = dict(node.folds).get("T") if isinstance(node, Loop) else None
        return node if found is None else replace(node, folds=wanted(node, found))  # type: ignore[type-var]

    return replace(program, body=map_nodes(program.body, visit))


def test_one_dimension_is_folded_by_a_loop_inside_another() -> None:
    program = layer().program
    dimensions = [d for _, d in _marks(program)]
    assert sorted(set(dimensions)) == [0, 1] and len(dimensions) > 2
    assert [b.shape for n, b in buffers(laid_out(program)).items() if n == "T_block"] == [(4, 16)]


def test_blocks_within_blocks_are_right_compiled_and_simulated() -> None:
    rng = np.random.default_rng(3)
    shapes = {"A": (61, 19), "B": (19, 100), "C": (100,)}
    arrays = {n: rng.integers(-5, 6, s).astype(np.float32) for n, s in shapes.items()}
    wanted = run_kernel(layer().program.kernel, arrays)["Y"]
    run = run_program(layer().program, arrays)
    assert run.clean
    np.testing.assert_array_equal(run.outputs["Y"], wanted)
    np.testing.assert_array_equal(im.build(layer())(**arrays), wanted)


def test_each_wrong_mark_of_a_loop_inside_is_refuted() -> None:
    program = layer().program
    marks = _marks(program)
    tried = 0
    for k, (loop, dimension) in enumerate(marks):
        inside = any(d == dimension for _, d in marks[:k])
        for folds in ((), (("T", 1 - dimension),)):
            wrong = _marked_otherwise(program, lambda n, d, x=loop, f=folds: f if n.var == x.var else (("T", d),))
            if not folds and k == len(marks) - 1:
                assert inside and prove_program(wrong).proved  # the block is larger, and still one iteration's
                continue
            proof, tried = prove_program(wrong), tried + 1
            assert not proof.proved, (loop.var, folds)
            assert {c.claim for c in proof.failed()} == {"forms"}
    assert tried >= 2 * len(marks) - 1


def test_what_is_read_behind_a_loop_inside_is_not_folded_by_it() -> None:
    """The epilogue of a whole block, behind the loops over its register tiles: the block must hold all of them."""
    program = layer().program
    inner = _marks(program)[-1][0]

    def visit(node: Node) -> Node:
        if not isinstance(node, Loop) or inner not in node.body:
            return node
        again = replace(inner, body=inner.body[-1:], folds=())
        body = [x for n in node.body for x in ((replace(n, body=n.body[:-1]), again) if n == inner else (n,))]
        return replace(node, body=tuple(body))

    proof = prove_program(replace(program, body=map_nodes(program.body, visit)))
    assert not proof.proved and {c.claim for c in proof.failed()} == {"forms"}
    assert any("touched outside of the loop" in str(c.verdict) for c in proof.failed())


# ---- blocks whose rows lie further apart than the tensor's

TURNED = "temporary T\nT[n,b] += W[n,b,h] * X[b,h]\nY[n] += T[n,b] * S[n,b]"


def turned(rows: int, length: int) -> Plan:
    """Blocks of a temporary whose columns are turned into rows, for lanes along n."""
    sizes = {"n": 2 * rows + 16, "b": length, "h": 16}
    kernel = im.kernel(TURNED, name="turned")
    return im.plan(kernel, "avx2", sizes=sizes, constant=["W", "S"], fix={"share.n": rows, "split": "no"})


def copied_in_blocks(program: Program) -> list[Copy]:
    found = [c for c in nodes_of(Copy, program.body) if c.form is not None and c.form.block is not None]
    return [c for c in found if c.src.name == "T"]


@pytest.mark.parametrize(("rows", "length"), [(128, 128), (96, 512), (64, 1024), (64, 120)])
def test_rows_that_lie_further_apart_are_turned_as_they_lie(rows: int, length: int) -> None:
    """Found by a pin: the copy went by the rows of the whole tensor, and every proof passed."""
    plan = turned(rows, length)
    (copy, *_), (block,) = copied_in_blocks(plan.program), [b for b in blocks_of(plan.program) if b.startswith("T")]
    row = buffers(laid_out(plan.program))[block].shape[-1]
    assert (row != length) == (length % 16 == 0)
    assert copy.form is not None and copy.form.block is not None and copy.form.block.from_row == 4 * row
    n, draw = 2 * rows + 16, np.random.default_rng(rows).normal
    shapes = {"W": (n, length, 16), "X": (length, 16), "S": (n, length)}
    arrays = {name: draw(size=shape).astype(np.float32) for name, shape in shapes.items()}
    wanted = np.einsum("nbh,bh,nb->n", *(arrays[n].astype(np.float64) for n in "WXS"))
    np.testing.assert_allclose(im.build(plan)(**arrays), wanted, rtol=1e-4, atol=1e-3)


def test_rows_taken_as_the_tensor_has_them_are_refuted() -> None:
    def change(n: Node) -> Node:
        if n not in copied:
            return n
        assert isinstance(n, Copy) and n.form is not None and n.form.block is not None
        return replace(n, form=replace(n.form, block=replace(n.form.block, from_row=4 * 128)))

    program = turned(128, 128).program
    copied = copied_in_blocks(program)
    failed = prove_program(replace(program, body=map_nodes(program.body, change))).failed()
    assert {c.claim for c in failed} == {"forms"}


def blocks_of(program: Program) -> set[str]:
    return set(buffers(laid_out(program))) - set(buffers(program))
