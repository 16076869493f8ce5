"""Operands whose rows and columns are no axes: fragments and fused rows, planned, proved, carried out; and wrong ones."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import fragments
import numpy as np
import plain_executor
import pytest
import sympy as sp
from judged import runs_wrong
from random_epilogues import draw_epilogue
from random_epilogues import what_goes_wrong as sums_go_wrong
from random_vectors import draw_vectors
from random_vectors import what_goes_wrong as vectors_go_wrong
from use_edits import edited, held, holding

import isamap_smt as im
from isamap_smt.ir import hardware as hardware_module
from isamap_smt.ir.conditions import parse_expression
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import FloorMod, evaluate, sym
from isamap_smt.ir.layouts import COLUMN, ROW, Layout
from isamap_smt.ir.program import Issued, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

GEMM = "Y[i,j] += X[i,k] * W[k,j]"
RELU = f"temporary T\n{GEMM.replace('Y', 'T')}\nY[i,j] = relu(T[i,j])"
SIZES = ({"i": 37, "j": 19, "k": 21}, {"i": 16, "j": 8, "k": 8}, {"i": 5, "j": 9, "k": 1})


def arrays_of(kernel: im.Kernel, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {n: [int(evaluate(e, {})) for e in kernel.tensor(n).shape] for n in kernel.inputs}
    return {n: rng.integers(-5, 6, s).astype(kernel.tensor(n).dtype.numpy) for n, s in shapes.items()}


def goes_wrong(program: Program, kernel: im.Kernel, sizes: dict[str, int]) -> str:
    kernel = kernel.with_sizes(sizes)
    arrays = arrays_of(kernel)
    known = {n.upper(): v for n, v in sizes.items() if n.upper() in program.kernel.free_sizes}
    return runs_wrong(program, arrays, known, im.run_kernel(kernel, arrays), 2, 2)


# ---- Places: the cell of each element, and the element of each cell.


def _layout(extents: dict[str, int], row: str, column: str) -> Layout:
    return Layout(tuple(extents.items()), parse_expression(row), parse_expression(column))


@pytest.mark.parametrize(
    ("extents", "row", "column"),
    [
        ({"i": 16, "k": 8}, "i//8 + 2*(k//4)", "(i%8)*4 + k%4"), ({"i": 16, "j": 8}, "2*(i//8) + j%2", "(i%8)*4 + j//2"),
        ({"i": 4, "j": 4, "r": 8}, "4*i + j", "r"), ({"i": 16, "j": 8}, "(8*i + j)//32", "(8*i + j)%32"),
        ({"i": 8}, "i//4", "i%4"), ({"i": 3, "j": 5}, "0", "5*i + j"), ({"i": 3, "j": 5}, "2*i + 7", "j"),
        ({"i": 8, "j": 8}, "i", "(i + j)%8"), ({"i": 8, "j": 8}, "(i + 2*j)%8 + 8*(j//4)", "j%4"),
        ({"i": 16, "k": 8}, "k", "(i - 5*k + 3) % 16"), ({"i": 16, "k": 8}, "15 - i", "7 - k"),
        ({"i": 16}, "(15 - i)//4", "(15 - i)%4"),
        ({"i": 8, "j": 16}, "i", "8*(j//8) + (i + j)%8"),
        ({"i": 8, "j": 6}, "i%4//2", "12*(i//4) + 6*(i%2) + j"), ({"i": 4, "j": 1}, "i", "j"),
    ],
)  # fmt: skip
def test_the_element_of_a_cell_is_read_off_its_row_and_column(extents: dict[str, int], row: str, column: str) -> None:
    lie = _layout(extents, row, column)
    assert lie.twice is None and lie.inverse is not None
    for point in np.ndindex(*extents.values()):
        env = {"row": int(lie.at[0][point]), "column": int(lie.at[1][point])}
        assert point == tuple(int(evaluate(lie.inverse[a], env)) for a in extents)
    assert set().union(*({s.name for s in e.free_symbols} for e in lie.inverse.values())) <= {ROW.name, COLUMN.name}


def _drawn(rng: random.Random) -> tuple[dict[str, int], list[str]]:
    """Axes of some digits, all of which are dealt to rows and columns, some of them turned round."""
    parts = {a: rng.choice([[2, 2], [4], [2, 4], [3, 2], [8], [2, 2, 2], [1]]) for a in "ijk"[: rng.randint(1, 3)]}
    extents = {a: prod(sizes) for a, sizes in parts.items()}
    digits = [(a, prod(sizes[:n]), size) for a, sizes in parts.items() for n, size in enumerate(sizes)]
    rng.shuffle(digits)
    cut, sides = rng.randint(0, len(digits)), []
    for dealt in (digits[:cut], digits[cut:]):
        weight, terms = 1, ["0"]
        for axis, low, size in dealt:
            value = axis if rng.random() < 0.7 else f"({extents[axis] - 1} - {axis})"
            terms.append(f"{weight}*(({value}//{low}) % {size})")
            weight *= size * rng.choice([1, 1, 1, 2])
        sides.append(" + ".join(terms))
    return extents, sides


@pytest.mark.parametrize("seed", range(60))
def test_every_way_of_dealing_digits_has_an_inverse(seed: int) -> None:
    """Which inverse finds itself: it is compared with all elements."""
    extents, (row, column) = _drawn(random.Random(seed))
    lie = _layout(extents, row, column)
    assert lie.twice is None and lie.inverse is not None, (extents, row, column)


def test_two_elements_of_one_cell_are_found() -> None:
    assert _layout({"i": 16, "j": 4}, "i%8", "j").twice == ((0, 0), (8, 0))
    assert _layout({"i": 2, "j": 4}, "0", "2*i + j").twice == ((0, 2), (1, 0))


# ---- Plans.


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("text", [GEMM, RELU, "Y[i,j] += X[k,i] * W[j,k]"], ids=["gemm", "relu", "turned"])
def test_fragments_of_a_tensor_core(text: str, sizes: dict[str, int]) -> None:
    kernel = im.kernel(text, name="fragments")
    plan = im.stage(kernel, fragments.tensor_core(), sizes=sizes)
    assert plan.proof.proved
    assert not goes_wrong(plan.program, kernel, sizes)


SKEWED = {"a": "rf[k%4, 16*(k//4) + (i + 5*k + 3) % 16]", "load_a": "rf[c%4, 16*(c//4) + (r + 5*c + 3) % 16]"}


@pytest.mark.parametrize(
    "about",
    [{"whole": True, "lanes": 48}, {"dtypes": ("i8", "i32")}, {"dtypes": ("f16", "f32")}, {"c": "rf[i, (i - j) % 8]"}, SKEWED],
    ids=str,
)  # fmt: skip
def test_one_proof_for_all_sizes(about: dict[str, Any]) -> None:
    factor, total = about.get("dtypes", ("f32", "f32"))
    text = GEMM if factor == total else f"Y[i,j] += {total}(X[i,k]) * {total}(W[k,j])"
    kernel = im.kernel(text, dtypes={"X": factor, "W": factor, "Y": total}, name="fragments")
    plan = im.stage(kernel, fragments.tensor_core(**about))
    assert plan.proof.proved
    for sizes in SIZES:
        if factor != "f16":  # which the executor of the tests does not know
            assert not goes_wrong(plan.program, kernel, sizes)
            continue
        fixed = kernel.with_sizes(sizes)
        arrays = arrays_of(fixed)
        found = simulate(plan.program, arrays, {n.upper(): v for n, v in sizes.items()}, seed=1)
        assert found.sound and np.array_equal(found.outputs["Y"], im.run_kernel(fixed, arrays)["Y"])


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("Y[p,q,n] += X[p,q,c] * W[c,n]", {"p": 7, "q": 10, "n": 9, "c": 13}),
        ("X: [P + 2, Q, C]\nY[p,q,n] += X[p + s,q,c] * W[s,c,n]", {"p": 5, "q": 6, "n": 9, "c": 8, "s": 3}),
        ("Y[q,p,n] += X[p,q,c] * W[n,c]", {"p": 3, "q": 5, "n": 8, "c": 3}),
    ],
)
def test_rows_of_two_axes(text: str, sizes: dict[str, int]) -> None:
    kernel = im.kernel(text, name="rows")
    plan = im.stage(kernel, fragments.fused_rows(), sizes=sizes)
    assert plan.proof.proved
    assert not goes_wrong(plan.program, kernel, sizes)


@pytest.mark.parametrize("limits", [{"bandwidth": 64.0}, {"banks": 2}], ids=str)
def test_time_at_shared_registers(limits: dict[str, Any]) -> None:
    machine = fragments.tensor_core()
    shared = replace(machine, memories=tuple(replace(m, **limits) for m in machine.memories))
    kernel = im.kernel(GEMM, name="fragments")
    plan = im.stage(kernel, shared, sizes=SIZES[0])
    assert plan.cycles == simulate(plan.program, arrays_of(kernel.with_sizes(SIZES[0]))).cycles


@pytest.mark.parametrize("seed", (1, 2, 7, 9, 10, 12, 13))
def test_random_plans_of_a_vector_unit_in_fragments(seed: int) -> None:
    d = draw_vectors(seed, layouts=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, proof.failed()[:2])
    assert not vectors_go_wrong(d, d.program), d.words


@pytest.mark.parametrize("seed", range(12))
def test_random_plans_of_sums_in_fragments(seed: int) -> None:
    d = draw_epilogue(seed, seed % 2 == 0, layouts=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, proof.failed()[:2])
    assert not sums_go_wrong(d, d.program, plainly=1), d.words


# ---- Programs that are wrong.


def _with(program: Program, changed: im.Instruction) -> Program:
    """The program on a machine that has another instruction of this name, which it uses."""
    assert program.machine is not None
    own = tuple(changed if i.name == changed.name else i for i in program.machine.instructions)
    program = replace(program, machine=replace(program.machine, instructions=own))

    def change(u: Issued) -> Issued:
        return replace(u, instruction=changed) if u.instruction.name == changed.name else u

    return edited(program, change)


def _placed(program: Program, name: str, operand: str, row: str, column: str) -> Program:
    assert program.machine is not None
    i = program.machine.instruction(name)
    place = (operand, parse_expression(row), parse_expression(column))
    return _with(program, replace(i, cells=tuple(place if c[0] == operand else c for c in i.cells)))


def _typed(program: Program, name: str, change: Callable[[Any], Any]) -> Program:
    b = next(b for b in held(program) if b.name == name)
    at = tuple(map(change, b.type.coordinates))
    return holding(program, replace(b, type=replace(b.type, coordinates=at)))


def _halved(program: Program, name: str, **extents: int) -> Program:
    """With an instruction of fewer points."""
    assert program.machine is not None
    i = program.machine.instruction(name)
    axes = tuple(replace(a, extent=sp.sympify(extents.get(a.name, a.extent))) for a in i.kernel.axes)
    (s,) = i.kernel.statements
    shapes = {a.name: a.extent for a in axes}
    tensors = tuple(
        replace(t, shape=tuple(shapes[str(e)] for e in i.indices[t.name])) if t.shape else t for t in i.kernel.tensors
    )
    kernel = replace(i.kernel, tensors=tensors, statements=(replace(s, axes=axes),))
    return _with(program, replace(i, kernel=kernel))


WRONG = {
    "a load of half the rows": lambda p: _halved(p, "load_a", r=8),
    "sums begin in half the lanes": lambda p: _halved(p, "clear", r=8),
    "a load into lanes of other rows": lambda p: _placed(p, "load_a", "s", "r//8 + 2*(c//4)", "(c%4)*8 + r%8"),
    "a load into registers in another order": lambda p: _placed(p, "load_a", "s", "2*(r//8) + c//4", "(r%8)*4 + c%4"),
    "a load of rows": lambda p: _placed(p, "load_b", "s", "r//4", "8*(r%4) + c"),
    "a store from other registers": lambda p: _placed(p, "store", "d", "r//8 + 2*(c%2)", "(r%8)*4 + c//2"),
    "products of another fragment": lambda p: _placed(p, "mma", "a", "i//8 + 2*(k%2)", "(i%8)*4 + k//2"),
    "sums in other cells": lambda p: _placed(p, "mma", "d", "2*(i//8) + j//4", "(i%8)*4 + j%4"),
    "a type of other rows": lambda p: _typed(p, "a", lambda e: e.subs(ROW, FloorMod(ROW + 1, 4))),
    "a type of other lanes": lambda p: _typed(p, "d", lambda e: e.subs(COLUMN, FloorMod(COLUMN + 4, 32))),
}


@pytest.mark.parametrize("name", WRONG)
def test_mutants_are_refuted(name: str) -> None:
    program = im.stage(im.kernel(GEMM, name="fragments"), fragments.tensor_core(), sizes=SIZES[0]).program
    wrong = WRONG[name](program)
    proof = prove_program(wrong)
    assert proof.word == "refuted", proof
    if "type" not in name:
        kernel = im.kernel(GEMM, name="fragments").with_sizes(SIZES[0])
        arrays = arrays_of(kernel)
        want = im.run_kernel(kernel, arrays)
        assert plain_executor.differs(wrong, arrays, {}, want, 2)
        found = simulate(wrong, arrays, {}, seed=0)
        assert not found.sound or not np.array_equal(found.outputs["Y"], want["Y"])


def test_two_elements_of_one_cell_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim of its own: here the description is not looked at."""
    monkeypatch.setattr(hardware_module, "check_layouts", lambda h: None)
    program = im.stage(im.kernel(GEMM, name="fragments"), fragments.tensor_core(), sizes=SIZES[0]).program
    proof = prove_program(_placed(program, "mma", "a", "i//8 + 2*(k//4)", "(i%4)*4 + k%4"))
    failed = [c.statement for c in proof.failed()]
    assert "each element of a of mma d has a cell of its own, at each point" in failed


def test_a_place_that_speaks_of_another_axis_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware_module, "check_layouts", lambda h: None)
    program = im.stage(im.kernel(GEMM, name="fragments"), fragments.tensor_core(), sizes=SIZES[0]).program
    proof = prove_program(_placed(program, "mma", "b", "k//4", "4*j + k%4 + i//16"))
    assert "each element of b of mma d has a cell of its own" in [c.statement for c in proof.failed()]


# ---- What is refused.


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"a": "rf[i//8 + 2*(k//4), (i%4)*4 + k%4]"}, "a[0, 0] and a[4, 0] lie in one cell, row 0, column 0"),
        (
            {"a": "rf[i//8 + 2*(k//4), (i%8)*8 + k%4]"},
            "a[4, 0] lies in row 0, column 32, and rf has 64 rows of 128 bytes, f32 each",
        ),
        ({"a": "rf[i//8 + 2*(k//4) - 1, (i%8)*4 + k%4]"}, "a[0, 0] lies in row -1, column 0"),
        ({"a": "rf[i//8 + 2*(j//4), (i%8)*4 + k%4]"}, "and j is no index of a: each element has one cell"),
        ({"a": "rf[i//8 + 2*(q//4), (i%8)*4 + k%4]"}, "and 'q' is no axis"),
        ({"a": "rf[i//k, k]"}, "and 'i//k' is no row or column; write an axis, or a sum of axes times numbers"),
        ({"a": "rf[k*i, k]"}, "and 'k*i' is no row or column; write an axis, or a sum of axes times numbers"),
        ({"a": "rf[i, ]"}, "and '' is no row or column"),
    ],
)  # fmt: skip
def test_bad_places_are_refused(about: dict[str, str], message: str) -> None:
    with pytest.raises(IsamapError) as error:
        fragments.tensor_core(**about, load_a="rf[r//8 + 2*(c//4), (r%8)*4 + c%4]")  # type: ignore[arg-type]
    assert message in str(error.value)


def test_the_operand_and_the_move_that_disagree_are_named() -> None:
    machine = fragments.tensor_core(load_a="rf[2*(r//8) + c//4, (r%8)*4 + c%4]")
    with pytest.raises(IsamapError) as error:
        im.stage(im.kernel(GEMM, name="fragments"), machine, sizes=SIZES[0])
    told = re.sub(r"rf\[[^\]]*\]", "rf[..]", str(error.value))
    assert (
        "a of mma lies in rf[..], and s of load_a in rf[..]: a[0, 4] in row 2, column 0, and s[0, 4] in row 1, column 0"
        in told
    )
    assert "describe a move with the place of a, over axes of its own" in told and "load_b" not in told


def test_a_store_from_other_cells_is_named() -> None:
    machine = fragments.tensor_core()
    i = machine.instruction("store")
    place = ("d", sym("r"), sym("c"))
    other = replace(
        machine, instructions=tuple(replace(x, cells=(place,)) if x is i else x for x in machine.instructions)
    )
    with pytest.raises(IsamapError, match=r"store has tiles of another shape than mma: d\[0, 1\] in row 1, column 0"):
        im.stage(im.kernel(GEMM, name="fragments"), other, sizes=SIZES[0])


def test_a_place_without_an_inverse_is_named() -> None:
    machine = fragments.tensor_core(a="rf[k, (3*i + k) % 16]", load_a="rf[c, (3*r + c) % 16]")
    with pytest.raises(IsamapError) as error:
        im.stage(im.kernel(GEMM, name="fragments"), machine, sizes=SIZES[0])
    assert "the element of a cell is not found from its row and column; write both as sums of digits" in str(
        error.value
    )
