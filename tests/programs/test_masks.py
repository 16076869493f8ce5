"""Masks inside reductions: cut in the loads, neutral in the other lanes, passed by where nothing is left. Mistakes are refuted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from mutants import rewritten

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.program import Alloc, Loop, Move, Node, Program, Serial
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof import prove_program
from isamap_smt.proof.kernel_begun import needs_no_fill

ROW = {
    "max=": "M[q] max= S[q,k] where k <= q",
    "+=": "M[q] += S[q,k] where k <= q",
    "min=": "M[q] min= S[q,k] where k < q",
}
SIZES = {"q": 37, "k": 320}


def _planned(text: str, machine: str = "avx512") -> im.Plan:
    return im.plan(im.kernel(text, name="masked"), machine, sizes=SIZES)


@pytest.fixture(scope="module")
def maximum() -> Program:
    return _planned(ROW["max="]).program


def _refuted(program: Program) -> set[str]:
    return {c.claim for c in prove_program(program).failed() if c.verdict.word == "refuted"}


def _moves(n: Node) -> bool:
    return isinstance(n, Move) and bool(n.active) and n.instruction.kind == "load"


def test_the_lanes_outside_hold_what_the_maximum_starts_from(maximum: Program) -> None:
    text = str(maximum)
    assert "masked_load_least_f32" in text
    assert "else -oo" in text
    assert maximum.starts == ("M_sums",)  # though no point reaches M_sums[0,1]
    assert any(n.end is not None for n in nodes_of(Serial, maximum.body))
    assert prove_program(maximum).proved


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2")
@pytest.mark.parametrize(("op", "steep"), [*((op, 1) for op in ROW), ("max=", 2), ("+=", 3)])
def test_what_a_mask_leaves_out_is_in_no_result(op: str, steep: int) -> None:
    planned = _planned(ROW[op] if steep == 1 else ROW[op].replace("k <= q", f"{steep}*k <= q"), "avx2")
    assert planned.program.schedules
    assert not any("element by element" in n for n in planned.notes)
    q, k = np.ix_(range(SIZES["q"]), range(SIZES["k"]))
    held = k < q if op == "min=" else steep * k <= q
    s = np.random.default_rng(2).integers(-9, 10, held.shape).astype(np.float32)
    start = {"max=": -np.inf, "min=": np.inf, "+=": 0}[op]
    wanted = {"max=": np.max, "min=": np.min, "+=": np.sum}[op](np.where(held, s, np.float32(start)), axis=1)
    np.testing.assert_array_equal(im.build(planned)(np.where(held, s, np.float32(np.nan))), wanted)


def _with(change: Callable[[Move], Move]) -> Callable[[Node], tuple[Node, ...] | None]:
    return lambda n: (change(n),) if _moves(n) else None  # type: ignore[arg-type]


def _outside(number: str) -> Callable[[Node], tuple[Node, ...] | None]:
    def f(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Alloc) or n.buffer.type.outside != "-oo":
            return None
        return (replace(n, buffer=replace(n.buffer, type=replace(n.buffer.type, outside=number))),)

    return f


def _zeros(n: Move) -> Move:
    return replace(n, instruction=im.find_hardware("avx512").instruction("masked_load_f32"))


def test_wrong_fills_and_masks_are_refuted(maximum: Program) -> None:
    assert _refuted(rewritten(maximum, _with(_zeros))) == {"program"}  # the type says -oo, and 0 arrives
    assert _refuted(rewritten(rewritten(maximum, _with(_zeros)), _outside("0"))) == {"neutral"}
    assert "neutral" in _refuted(rewritten(maximum, _outside("-128")))  # the least of another type
    for off in (1, -1):
        shifted = rewritten(maximum, _with(lambda n, d=off: replace(n, active=tuple(a + d for a in n.active))))
        assert _refuted(shifted) == {"program"}


def test_a_loop_that_ends_too_early_is_refuted(maximum: Program) -> None:
    def early(n: Node, by: int) -> Node:
        if not isinstance(n, Loop):
            return n
        made = replace(n, body=tuple(early(x, by) for x in n.body))
        return replace(made, end=made.end - by) if isinstance(made, Serial) and made.end is not None else made

    def changed(by: int) -> Program:
        return replace(maximum, body=tuple(early(n, by) for n in maximum.body))

    assert changed(1) != maximum
    assert _refuted(changed(1)) == {"forms"}
    assert not _refuted(changed(-1))  # later is only slower


def test_partial_results_that_are_not_stored_before_they_are_read_are_refuted(maximum: Program) -> None:
    """Also those that no point reaches: the closing maximum reads all of them."""

    def first_lanes(n: Node) -> tuple[Node, ...] | None:
        if not (isinstance(n, Move) and n.instruction.kind == "store"):
            return None
        return (
            replace(
                n, instruction=im.find_hardware("avx512").instruction("masked_store_f32"), active=(sp.Integer(15),)
            ),
        )

    assert "progress" in _refuted(rewritten(maximum, first_lanes))


def test_temporaries_under_a_mask_are_not_filled() -> None:
    text = "temporary T\nT[q,k] = S[q,k] * S[q,k] where k <= q\nM[q] max= T[q,k] where k <= q"
    assert needs_no_fill(im.kernel(text), "T")
    assert not needs_no_fill(im.kernel(text.replace("T[q,k] where k <= q", "T[q,k] where k <= q + 1")), "T")
    assert not needs_no_fill(im.kernel(text.replace("temporary T\n", "")), "T")


LOAD, STORE = "r[l] = m[l]", "m[l] = r[l]"


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        (LOAD, {"beyond": "least", "engine": "load"}, "beyond='least': pass 'zero' or 'kept'"),
        (
            LOAD,
            {"beyond": "least", "active": None},
            "all are; name what counts the active ones, as in active={'l': 'active'}",
        ),
        (LOAD, {"beyond": "zero", "active": None}, "or leave beyond out"),
        (LOAD, {"beyond": "kept"}, "says what it makes the others: add beyond='zero', 'least' or 'most'"),
        (STORE, {"beyond": "zero"}, "a core's store touches nothing but the active cells; leave beyond out"),
    ],
)
def test_what_a_move_leaves_beyond_its_active_cells_is_said_rightly(
    text: str, given: dict[str, Any], said: str
) -> None:
    fields: dict[str, Any] = {"active": {"l": "n"}, **given}
    with pytest.raises(LanguageError, match=re.escape(said)):
        _move("mine.move", text, **fields)


def _move(name: str, text: str, **fields: Any) -> im.Instruction:
    return im.instruction(
        name, text, axes={"l": 8}, dtypes={"r": "f32", "m": "f32"}, places={"r": "ymm", "m": "memory"},
        c_types={"r": "__m256"}, emit="f({r}, {m}, {n});" if fields.get("active") else "f({r}, {m});", **fields,
    )  # fmt: skip


def test_an_instruction_shows_which_cells_are_active_and_what_the_others_become() -> None:
    assert "\n  at l < n alone; beyond: least\n" in str(_move("mine.load", LOAD, active={"l": "n"}, beyond="least"))
    assert "beyond" not in str(_move("mine.load", LOAD))


def test_a_statement_that_isamap_made_is_named_by_its_text() -> None:
    """Nobody who wrote one statement knows a third."""
    kernel = im.kernel("S[i] max= A[i,j] where j <= i", name="rows")
    notes = im.plan(kernel, "avx512", sizes={"i": 20, "j": 40}, fix={"split.j": 16}).notes
    said = "`S[i] max= A[i, j_rest + 32] where j_rest + 32 <= i` of rows is computed element by element"
    assert any(n.startswith(said) for n in notes)
    assert not any("statement" in n for n in notes)


@pytest.mark.parametrize("labelled", [None, "most", "zero"])
def test_a_load_that_is_missing_or_mislabelled_is_named_in_the_note(labelled: str | None) -> None:
    avx512 = im.find_hardware("avx512")
    kept = [i for i in avx512.instructions if i.beyond != "least"]
    changed = [replace(i, beyond=labelled) for i in avx512.instructions if labelled and i.beyond == "least"]
    machine = replace(avx512, name="toy", instructions=(*kept, *changed))
    notes = im.plan(im.kernel(ROW["max="], name="masked"), machine, sizes=SIZES).notes
    said = (
        "toy has no masked load of f32[16] in zmm with beyond='least' (its masked loads: beyond='zero', beyond='most')"
    )
    assert [said in n for n in notes] == [True]
    assert not any("no masked load" in n for n in _planned(ROW["max="]).notes)


@pytest.mark.parametrize(
    ("text", "machine", "sizes"),
    [
        (
            "A: i32\nB: i32\nC: i32\nC[q,k] += A[q,d] * B[k,d] where q < k",
            "avx512",
            {"q": 2, "k": 3, "d": 64},
        ),  # no ring
        ("S: i8\nM: i8\nM[q] += S[q,k] where 2*k <= q", "avx2", {"q": 2, "k": 32}),  # two rows in one register
    ],
    ids=["two rows of partial sums", "lanes of two axes"],
)
def test_partial_results_of_two_rows_are_proved(text: str, machine: str, sizes: dict[str, int]) -> None:
    planned = im.plan(im.kernel(text), machine, sizes=sizes)
    assert planned.proof.proved
    assert not [n for n in planned.notes if "element by element" in n]
    assert any("16 partial sums" in n for n in planned.notes)


MACHINES = {"avx512": "avx512f", "avx2": "avx2"}
ENDS = {"max=": np.max, "min=": np.min, "+=": np.sum}


@pytest.mark.one_in(4, each=("machine", "j", "op"))
@pytest.mark.parametrize("machine", [pytest.param(m, marks=pytest.mark.needs(n)) for m, n in MACHINES.items()])
@pytest.mark.parametrize("j", [33, 77, 1000])
@pytest.mark.parametrize("op", ENDS)
def test_rows_that_lanes_do_not_divide_end_in_a_mask(op: str, j: int, machine: str) -> None:
    """Behind each row lie numbers that would be in its result."""
    text = f"M[i] {op} X[i,j]\naxis i < 7\naxis j < {j}\nX: f32[7, {j + 3}]"
    planned = im.plan(im.kernel(text, name="ends"), machine)
    assert planned.split is not None and planned.split.split.row.masked
    assert not any("element by element" in n for n in planned.notes)
    x = np.random.default_rng(j).integers(-9, 10, (7, j + 3)).astype(np.float32)
    x[:, j:] = {"max=": np.inf, "min=": -np.inf, "+=": np.nan}[op]
    x[3, j - 1] = np.nan
    np.testing.assert_array_equal(im.build(planned)(x), ENDS[op](x[:, :j], axis=1))
