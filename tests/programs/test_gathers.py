"""Tables in main memory: an instruction reads each lane's element at an index; wrong programs are not proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gathers
import numpy as np
import pytest
import sympy as sp
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import ArgumentError, LanguageError
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.program import Alloc, Compute, Move, Node, Program, Ref
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program_trial import trials
from tests.attacks.program_mutants import judge, mutants

ELEMENTS, TWO, COLUMNS = "elements", "two tables", "columns"
L = sym("l")
Arrays = dict[str, np.ndarray]
EXPECTED: dict[str, Callable[[Arrays], Any]] = {
    ELEMENTS: lambda a: a["T"][a["X"]],
    "a declared table": lambda a: a["T"][a["X"].T],
    "scaled": lambda a: a["T"][a["X"]] * a["s"] + a["b"][:, None],
    TWO: lambda a: np.maximum(a["T"][a["X"]], a["U"][a["Z"]]),
    "two indices": lambda a: a["T"][a["X"]] + a["T"][a["Z"]],
    "the largest": lambda a: a["T"][a["X"]].max(1),
    COLUMNS: lambda a: (a["T"][a["X"]] * a["B"][:, None]).sum(0),
    "sparse rows": lambda a: (a["A"] * a["T"][a["X"]]).sum(1),
    "integers": lambda a: a["T"][a["X"]],
}
MACHINES = [("avx2", ("avx2", "fma", "f16c")), ("avx512", ("avx512f", "avx512bw", "avx512vl"))]


def steps_of(made: Program) -> list[str]:
    found = [n.instruction for n in nodes_of(Compute, made.body)]
    return [s for i in found for s in getattr(i, "steps_taken", (i.short,))]


@pytest.mark.parametrize("machine", ["avx2", "avx512"])
@pytest.mark.parametrize("name", gathers.TEXTS)
def test_each_is_computed_by_gathers_and_proved(name: str, machine: str) -> None:
    made = gathers.program(name, machine)
    assert any(s.startswith("gather") for s in steps_of(made))
    assert im.prove_program(made).proved
    assert trials(made, 6) is None  # on the simulator, memory poisoned, contents at random


def drawn(kernel: im.Kernel, sizes: dict[str, int], random: np.random.Generator) -> Arrays:
    """Random contents; indices that every table of the kernel has."""
    shapes = {t.name: tuple(int(substitute(e, sizes)) for e in t.shape) for t in kernel.tensors}
    arrays = {}
    for n in kernel.inputs:
        most = shapes["U" if n == "Z" and "U" in shapes else "T"][0]
        arrays[n] = random.integers(0, most, shapes[n]) if n in "XZ" else 8 * random.random(shapes[n])
        arrays[n] = arrays[n].astype(kernel.tensor(n).dtype.numpy)
    return arrays


def call_of(name: str, machine: str) -> Any:
    return im.build(gathers.made(name, machine))


def assert_as_numpy_says(name: str, machine: str) -> None:
    kernel, call = gathers.program(name, machine).kernel, call_of(name, machine)
    random = np.random.default_rng(7)
    for i, j, n in ((1, 1, 1), (31, 32, 2), (33, 129, 1000), (200, 3, 7), *random.integers(1, 300, (6, 3))):
        known = {"I": int(i), "J": int(j), "K": int(j)}
        sizes = {s: known.get(s, int(n)) for s in kernel.free_sizes}
        arrays = drawn(kernel, sizes, random)
        np.testing.assert_allclose(call(**arrays), EXPECTED[name](arrays), rtol=1e-5, atol=0)


@pytest.mark.needs("avx2", "fma", "f16c")
@pytest.mark.parametrize("name", gathers.TEXTS)
def test_compiled_it_is_what_numpy_says(name: str) -> None:
    assert_as_numpy_says(name, "avx2")


@pytest.mark.needs("avx512f", "avx512bw", "avx512vl", "avx512dq")
@pytest.mark.parametrize("name", gathers.TEXTS)
def test_compiled_for_avx512_it_is_what_numpy_says(name: str) -> None:
    assert_as_numpy_says(name, "avx512")


@pytest.mark.needs("avx2", "fma", "f16c")
@pytest.mark.parametrize("size", [1, 9, 4096])
def test_an_index_beyond_the_table_is_refused(size: int) -> None:
    """Also in the last lanes of a tail, and beside the end of a page."""
    call, table = call_of(ELEMENTS, "avx2"), np.arange(size, dtype=np.float32)
    for count in (1, 7, 8, 37):
        places = np.full(count, size - 1, np.int32)
        assert (call(T=table, X=places) == size - 1).all()
        for wrong in (size, -1, 2**31 - 1, -(2**31)):
            places[-1] = wrong
            with pytest.raises(ArgumentError, match=f"is {wrong} at"):
                call(T=table, X=places)


@pytest.mark.needs("avx2", "fma", "f16c")
def test_a_result_over_its_own_table_is_refused() -> None:
    call, table = call_of(ELEMENTS, "avx2"), np.arange(16, dtype=np.float32)
    with pytest.raises(ArgumentError, match="overlap"):
        call(T=table, X=np.arange(16, dtype=np.int32), out=table)


# ---- Wrong programs. Each changes one thing in all places where it is said, so that a single claim has to tell.


def changed(f: Callable[[Any], Any], *kinds: type, name: str = ELEMENTS) -> Program:
    def visit(n: Node) -> tuple[Node, ...] | None:
        new = f(n) if isinstance(n, kinds) else None
        return None if new is None else (new,)

    return rewritten(gathers.program(name), visit)


def held(where: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]) -> Program:
    """The index register is said to hold, and is loaded with, other elements."""

    def change(n: Any) -> Any:
        if isinstance(n, Alloc) and n.buffer.name == "idx_r":
            other = replace(n.buffer.type, coordinates=where(n.buffer.type.coordinates, n.buffer.cells))
            return replace(n, buffer=replace(n.buffer, type=other))
        if isinstance(n, Move) and n.register.name == "idx_r":
            assert n.memory is not None
            return n.put(memory=Ref(n.memory.name, where(n.memory.index, (L,))))
        return None

    return changed(change, Alloc, Move)


def place(ref: Callable[[Ref], Ref], operand: str = "t", name: str = ELEMENTS) -> Program:
    """The instruction is given another place in memory."""

    def change(n: Compute) -> Compute:
        return replace(n, operands=tuple((o, ref(r) if o == operand else r) for o, r in n.operands))

    return changed(change, Compute, name=name)


def other_table() -> Program:
    def change(n: Compute) -> Compute:
        refs = dict(n.operands)
        return replace(n, operands=tuple((o, refs[{"x0": "x1", "x1": "x0"}.get(o, o)]) for o, _ in n.operands))

    return changed(change, Compute, name=TWO)


def other_indices() -> Program:
    def change(n: Compute) -> Compute:
        refs = dict(n.operands)
        return replace(n, operands=tuple((o, refs[{"x2": "x3", "x3": "x2"}.get(o, o)]) for o, _ in n.operands))

    return changed(change, Compute, name=TWO)


def unloaded() -> Program:
    return rewritten(gathers.program(ELEMENTS), lambda n: () if _loads_indices(n) else None)


def _loads_indices(n: Any) -> bool:
    return isinstance(n, Move) and n.register.name == "idx_r"


def whole_tail() -> Program:
    """The last vector of indices is loaded whole."""
    whole = im.find_instruction("avx2.load_i32")
    return changed(lambda n: replace(n, instruction=whole, active=()) if n.active and _loads_indices(n) else None, Move)


def unpadded(outside: str = "dead") -> Program:
    """The index register is said to hold something else behind the end."""

    def change(n: Alloc) -> Alloc | None:
        b = n.buffer
        return replace(n, buffer=replace(b, type=replace(b.type, outside=outside))) if b.name == "idx_r" else None

    return changed(change, Alloc)


def padded_with(beyond: str, outside: str) -> Program:
    """The masked load leaves another number in the lanes behind the end, and the register's type says so."""

    def change(n: Any) -> Any:
        if isinstance(n, Alloc):
            b = n.buffer
            return replace(n, buffer=replace(b, type=replace(b.type, outside=outside))) if b.name == "idx_r" else None
        if not (_loads_indices(n) and n.active):
            return None
        return replace(n, instruction=replace(n.instruction, beyond=beyond))

    return changed(change, Alloc, Move)


def stored_whole() -> Program:
    whole = im.find_instruction("avx2.store_f32")

    def change(n: Any) -> Any:
        return replace(n, instruction=whole, active=()) if n.active and n.instruction.kind == "store" else None

    return changed(change, Move)


def few_cells() -> Program:
    """The instruction of a table of 16 cells; the kernel's is as long as the call says."""

    def change(n: Compute) -> Compute:
        operands = dict.fromkeys(("d", "t", "idx"), "ymm") | {"t": "memory"}
        i = im.instruction(
            n.instruction.name, "t: [16]\nd[l] = t[idx[l]]", axes={"l": 8},
            dtypes={"d": "f32", "t": "f32", "idx": "i32"}, places=operands,
        )  # fmt: skip
        return replace(n, instruction=i)

    return changed(change, Compute)


def turned(coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(substitute(c, {cells[-1].name: 7 - cells[-1]}) for c in coordinates)


# what is wrong -> the program, and whether a run at small sizes shows it
WRONG: dict[str, tuple[Callable[[], Program], bool]] = {
    "the index of the next point": (lambda: held(lambda c, _: (c[0] + 1,)), True),
    "the index of the first point": (lambda: held(lambda c, _: (sp.S.Zero,)), True),
    "lanes in another order": (lambda: held(turned), True),
    "no indices": (unloaded, True),
    "indices loaded beyond the end": (whole_tail, True),
    "anything as index behind the end": (unpadded, False),  # a zero is there, and nothing says so
    "the least number as index behind the end": (lambda: padded_with("least", "-2147483648"), True),
    "the greatest number as index behind the end": (lambda: padded_with("most", "2147483647"), True),
    "the greatest number, said to be 0": (lambda: padded_with("most", "0"), True),
    "results stored beyond the end": (stored_whole, True),
    "from the second element on": (lambda: place(lambda r: Ref(r.name, (sp.S.One,))), True),
    "from the element before the first": (lambda: place(lambda r: Ref(r.name, (-sp.S.One,))), True),
    "from another element in each unrolled step": (lambda: place(lambda r: Ref(r.name, (sym("i_u"),))), True),
    "the indices as table": (lambda: place(lambda r: Ref("X", r.index)), True),
    "the results as table": (lambda: place(lambda r: Ref("Y", r.index)), True),
    "a register as table": (lambda: place(lambda r: Ref("idx_r", ())), True),
    "no place": (lambda: place(lambda r: Ref(r.name, ())), True),
    "the other table": (other_table, True),
    "the indices of the other table": (other_indices, True),
    "an instruction of fewer cells": (few_cells, False),
}
UNKNOWN = {"the results as table", "a register as table", "no place"}  # nothing is asked of what no claim covers


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not_proved(name: str) -> None:
    made, runs = WRONG[name]
    proof = im.prove_program(made())
    assert not proof.proved
    assert name in UNKNOWN or any(isinstance(c.verdict, Refuted) for c in proof.failed())
    if runs:
        assert trials(made(), 12) is not None


def test_systematic_mutants() -> None:
    """None that is wrong is proved."""
    from benchmarks.mutation_score import Score

    score = Score()
    for name, every in ((ELEMENTS, 7), ("two indices", 23), (COLUMNS, 37)):
        for n, (kind, what, made) in enumerate(mutants(gathers.program(name))):
            if n % every == 0:
                judge(name, kind, what, made, score)
    assert not score.unsound and not score.survivors, (score.unsound, score.survivors)
    assert score.counts["refuted"] >= 25


@pytest.mark.parametrize(
    "text",
    [
        "X: i32\nY[i,j] = T[X[i],j]",  # rows of a table
        "T: [16]\nX: i32\nY[i] = T[X[i] % 16]",  # a computed index
        "X: i32\nY[i] = select(X[i] < 16, T[X[i]], 0)",  # used under a condition: no call looks elsewhere
        "X: i32\nZ: i32\nY[i] = T[X[Z[i]]]",
        "X: i32\nZ: i32\nY[i] = T[X[i], Z[i]]",  # two indices: an address is one number
    ],
)
def test_others_are_computed_element_by_element(text: str) -> None:
    kernel = im.kernel(text, name="table")
    made = im.plan(kernel.with_dtypes({t.name: "f32" for t in kernel.tensors if t.name not in "XZ"}), "avx2")
    assert not made.program.schedules


def gather(text: str, places: dict[str, str], **more: Any) -> im.Instruction:
    return im.instruction(
        "unit.gather", text, axes={"l": 8}, dtypes=dict.fromkeys(places, "i32"), places=places, **more
    )


def test_an_open_table_has_a_cell_for_every_index() -> None:
    made = gather("d[l] = t[idx[l]]", {"d": "r", "t": "memory", "idx": "r"})
    assert made.shapes["t"] == (2**31,)


@pytest.mark.parametrize(
    ("text", "places", "more", "words"),
    [
        ("d[l] = t[idx[l] + 1]", {"d": "r", "t": "memory", "idx": "r"}, {}, "N has no value"),
        (
            "t: [9]\nd[l] = t[idx[l] + 1]", {"d": "r", "t": "memory", "idx": "r"}, {},
            r"an address there is the first element's and one index: write t\[idx\[l\]\]",
        ),
        ("d[l] = t[idx[l]]", {"d": "r", "t": "r", "idx": "r"}, {}, "N has no value"),
        (
            "d[l] = t[idx[l]] + b[l]", {"d": "r", "t": "memory", "idx": "r", "b": "memory"}, {"emit": "x"},
            "b lies in 'memory'",
        ),
        ("d[l] = t[idx[l]]", {"d": "r", "t": "memory", "idx": "r"}, {"engine": "vector"}, "nothing would say where"),
    ],
)  # fmt: skip
def test_what_no_address_is_made_of_is_refused(
    text: str, places: dict[str, str], more: dict[str, Any], words: str
) -> None:
    with pytest.raises(LanguageError, match=words):
        gather(text, places, **more)
